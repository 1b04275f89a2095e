#pragma once

#include <cupool/kernels/ntt.hpp>
#include <list>
#include <mutex>
#include <vector>

#include "ntt/power_table.hpp"

namespace cupool::detail {

/// What the copies of a domain share.
template <Curve C>
struct NttDomainState {
    using Field = ScalarField<C>;

    /// \param own_root  of order 2^own_log_size
    NttDomainState(const Field& own_root, unsigned own_log_size, const DeviceContext& own_context);

    /// The powers of a coset generator, or of its inverse. Makes them if they are new, and waits for that.
    const NttPowerTable<C>& coset(const Field& generator, bool is_inverse) const;
    /// The same of a generator in standard form; nullptr if it is 1, and so are all its powers.
    const NttPowerTable<C>* coset_or_null(const Scalar& generator, bool is_inverse) const {
        const Field element = Field::from_standard(generator);
        return element == Field::one() ? nullptr : &coset(element, is_inverse);
    }

    DeviceContext context;
    unsigned log_size;
    Field root;
    unsigned root_bits;                    ///< the roots below are of order 2^root_bits: those that the butterflies of a pass need
    std::vector<Field> host_roots[2];      ///< [is inverse][exponent]
    DeviceBuffer<Scalar> device_roots[2];  ///< the same on the device
    NttPowerTable<C> twiddles;             ///< the powers of `root`

private:
    struct Coset {
        Field generator;
        bool is_inverse;
        NttPowerTable<C> powers;
    };

    mutable std::mutex mutex_;
    mutable std::list<Coset> cosets_;
};

}  // namespace cupool::detail
