#pragma once

/// \file
/// Points as one big-endian coordinate and flags that select the other one.

#include <array>
#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <span>
#include <string>
#include <vector>

#include "formats/bad_input.hpp"

namespace cupool::tools {

using CompressedBls12381 = std::array<std::uint8_t, 48>;

/// A BLS12-381 G1 point in the Zcash encoding that EIP-4844 uses: x in 48 bytes, whose top three bits are flags: 0x80 compressed
/// (always set), 0x40 infinity (all else zero), 0x20 y is the larger root. The subgroup is not checked.
/// Source: "Serialization" in the Zcash Bls12 document, github.com/zkcrypto/pairing, src/bls12_381/README.md.
/// \param where  the place of the point in its input, for the error
/// \throws BadInput flags, not_reduced, not_on_curve (no point has that x)
AffinePoint<Curve::bls12_381> decompress_bls12_381(std::span<const std::uint8_t, 48> bytes, const std::string& where);

/// The Zcash encoding of a point of the curve.
CompressedBls12381 compress(const AffinePoint<Curve::bls12_381>& point);

/// A BN254 G1 point in gnark-crypto's encoding: x in 32 bytes, whose top two bits are flags: 10 y is the smaller root, 11 the larger,
/// 01 infinity (all else zero). Source: gnark-crypto, ecc/bn254/marshal.go.
/// \throws BadInput flags, not_reduced, not_on_curve
AffinePoint<Curve::bn254> decompress_bn254(std::span<const std::uint8_t, 32> bytes, const std::string& where);

/// All points of a file of gnark-compressed BN254 points, each checked to be on the curve.
/// \throws BadInput empty, length, flags, not_reduced, not_on_curve
std::vector<AffinePoint<Curve::bn254>> parse_compressed_bn254(std::span<const std::uint8_t> bytes);

}  // namespace cupool::tools
