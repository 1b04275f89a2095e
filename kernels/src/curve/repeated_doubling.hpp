#pragma once

#include "curve/xyzz.hpp"

namespace cupool::detail {

/// 2^count * point, the coordinates that Xyzz::doubled() gives when called so often, by 3M + 4S a doubling for its 6M + 3S.
///
/// From dbl-2008-s-1 (see xyzz.hpp): its W Y is V^2 / 2, and zz and zzz are multiplied by V = U^2 and W = U^3 each time, so that the
/// product of all U will do, squared and cubed at the end. Carrying U = 2 Y in place of Y saves halving before the end, as in the repeated
/// doubling in Jacobian coordinates of Hankerson, Menezes and Vanstone, "Guide to Elliptic Curve Cryptography", algorithm 3.23.
template <class Field>
Xyzz<Field> doubled_times(const Xyzz<Field>& point, unsigned count) {
    if (count < 2) return count == 0 ? point : point.doubled();
    Field x = point.x;
    Field u = point.y.doubled();
    Field product_of_u = u;
    for (unsigned done = 0;;) {
        const Field v = u.square();
        const Field x_squared = x.square();
        const Field s = x * v;
        const Field m = x_squared.doubled() + x_squared;
        const Field m_squared = m.square();
        const Field v_squared = v.square();
        x = m_squared - s.doubled();
        u = (m * (s - x)).doubled() - v_squared;
        if (++done == count) break;
        product_of_u = product_of_u * u;
    }
    const Field zz_factor = product_of_u.square();
    return {x, u.half(), point.zz * zz_factor, point.zzz * (zz_factor * product_of_u)};
}

}  // namespace cupool::detail
