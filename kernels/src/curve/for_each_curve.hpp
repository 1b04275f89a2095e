#pragma once

/// \file
/// The one list of all curves, for explicit instantiations and tables. The order is that of the enumerators of cupool::Curve.

#define CUPOOL_LIST_G1(X, SCOPE) X(SCOPE bn254) X(SCOPE bls12_381) X(SCOPE bls12_377)
#define CUPOOL_LIST_G2(X, SCOPE) X(SCOPE bn254_g2) X(SCOPE bls12_381_g2)

/// X(Curve::bn254) X(Curve::bls12_381) ... for all curves, or for those that are a G1.
#define CUPOOL_FOR_EACH_CURVE(X) CUPOOL_LIST_G1(X, Curve::) CUPOOL_LIST_G2(X, Curve::)
#define CUPOOL_FOR_EACH_G1(X) CUPOOL_LIST_G1(X, Curve::)

/// X(bn254) X(bls12_381) ..., for names that are made of the curve's.
#define CUPOOL_FOR_EACH_G1_NAME(X) CUPOOL_LIST_G1(X, )
#define CUPOOL_FOR_EACH_G2_NAME(X) CUPOOL_LIST_G2(X, )
#define CUPOOL_FOR_EACH_CURVE_NAME(X) CUPOOL_FOR_EACH_G1_NAME(X) CUPOOL_FOR_EACH_G2_NAME(X)
