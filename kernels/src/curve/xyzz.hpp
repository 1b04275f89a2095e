#pragma once

/// \file
/// Points of y^2 = x^3 + b in affine and in XYZZ coordinates, over any field. Host and device share these formulas and bring fields of
/// their own:
///
///     static Field zero(), one();  bool is_zero() const;  Field operator+, -, *;  Field square(), doubled(), negated() const;
///
/// XYZZ stands for the affine point (x / zz, y / zzz) with zz^3 = zzz^2. Formulas: Bernstein and Lange, Explicit-Formulas Database,
/// https://hyperelliptic.org/EFD/g1p/auto-shortw-xyzz.html, with a = 0; each function names its own. Every pair of points is right:
/// infinity, equal and opposite points are told apart from the general case.
///
/// No standard library here: device code includes this.

#include "support/host_device.hpp"

namespace cupool::detail {

/// An affine point; infinity is (0, 0), which lies on no curve with b != 0.
template <class Field>
struct Affine {
    Field x;
    Field y;

    CUPOOL_HOST_DEVICE bool is_infinity() const { return x.is_zero() && y.is_zero(); }
    CUPOOL_HOST_DEVICE Affine negated() const { return {x, y.negated()}; }
};

/// A point in XYZZ coordinates; infinity is zz = zzz = 0, with any x and y.
template <class Field>
struct Xyzz {
    Field x;
    Field y;
    Field zz;
    Field zzz;

    CUPOOL_HOST_DEVICE static Xyzz infinity() { return {Field::zero(), Field::zero(), Field::zero(), Field::zero()}; }

    CUPOOL_HOST_DEVICE static Xyzz from(const Affine<Field>& point) {
        return point.is_infinity() ? infinity() : Xyzz{point.x, point.y, Field::one(), Field::one()};
    }

    CUPOOL_HOST_DEVICE bool is_infinity() const { return zz.is_zero(); }
    CUPOOL_HOST_DEVICE Xyzz negated() const { return {x, y.negated(), zz, zzz}; }

    /// dbl-2008-s-1: 6M + 3S. A point of order 2 (y = 0) doubles to zz = zzz = 0 without being asked for.
    CUPOOL_HOST_DEVICE Xyzz doubled() const {
        const Field u = y.doubled();
        const Field v = u.square();
        const Field w = u * v;
        const Field s = x * v;
        const Field x_squared = x.square();
        const Field m = x_squared.doubled() + x_squared;
        const Field sum_x = m.square() - s.doubled();
        const Field sum_y = m * (s - sum_x) - w * y;
        return {sum_x, sum_y, v * zz, w * zzz};
    }

    /// madd-2008-s: 8M + 2S.
    CUPOOL_HOST_DEVICE Xyzz& operator+=(const Affine<Field>& point) {
        if (point.is_infinity()) return *this;
        if (is_infinity()) return *this = Xyzz{point.x, point.y, Field::one(), Field::one()};
        const Field p = point.x * zz - x;
        const Field r = point.y * zzz - y;
        return add({p, r}, x, y);
    }

    /// add-2008-s: 12M + 2S.
    CUPOOL_HOST_DEVICE Xyzz& operator+=(const Xyzz& other) {
        if (other.is_infinity()) return *this;
        if (is_infinity()) return *this = other;
        const Field u = x * other.zz;
        const Field s = y * other.zzz;
        const Field p = other.x * zz - u;
        const Field r = other.y * zzz - s;
        zz = zz * other.zz;
        zzz = zzz * other.zzz;
        return add({p, r}, u, s);
    }

private:
    /// The line through two points has the slope r / p, up to a factor that they share.
    struct Line {
        Field p;
        Field r;
    };

    /// What madd-2008-s and add-2008-s have in common, from P and R on. `u` and `s` are this point's x and y over the common denominators,
    /// which zz and zzz hold already; by value, since they may be x and y themselves. Of equal points the line is the tangent, and all goes
    /// on as in dbl-2008-s-1, whose U, V, W, S, M are P, PP, PPP, Q, R: so lanes that double take hardly longer than those that add.
    CUPOOL_HOST_DEVICE Xyzz& add(Line line, const Field u, const Field s) {
        const bool is_tangent = line.p.is_zero();
        if (is_tangent) {
            if (!line.r.is_zero()) return *this = infinity();
            const Field u_squared = u.square();
            line = {s.doubled(), u_squared.doubled() + u_squared};
        }
        const Field pp = line.p.square();
        const Field ppp = line.p * pp;
        const Field q = u * pp;
        x = line.r.square() - (is_tangent ? Field::zero() : ppp) - q.doubled();
        y = line.r * (q - x) - s * ppp;
        zz = zz * pp;
        zzz = zzz * ppp;
        return *this;
    }
};

}  // namespace cupool::detail
