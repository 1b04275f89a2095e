#pragma once

/// \file
/// The powers of a field element, where transforms look them up.

#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <vector>

#include "curve/scalar_field.hpp"
#include "ntt/kernels.hpp"

namespace cupool::detail {

/// On a device, up to so many powers are one table. Two tables of fewer entries cost a product for each look-up.
inline constexpr unsigned max_one_table_bits = 24;

/// base^0 to base^(2^log_count - 1), in Montgomery form.
template <Curve C>
class NttPowerTable {
public:
    using Field = ScalarField<C>;

    NttPowerTable(const Field& base, unsigned log_count, const DeviceContext& context) : is_on_host_(context.is_host()) {
        if (is_on_host_) {
            fill_on_host(base, log_count);
        } else {
            fill_on_device(base, log_count, context);
        }
    }

    /// \pre it is on the host
    NttPowers<Field> on_host() const { return {host_high_.data(), host_low_.data(), low_bits_}; }
    /// Addresses on the device. \pre it is there
    NttPowers<Scalar> on_device() const { return {address_of(device_high_), address_of(device_low_), low_bits_}; }

    static const Scalar* address_of(const DeviceBuffer<Scalar>& buffer) {
        return reinterpret_cast<const Scalar*>(buffer.span().pointer());  // NOLINT(performance-no-int-to-ptr): the kernel gets it
    }

private:
    void fill_on_host(const Field& base, unsigned log_count) {
        low_bits_ = log_count / 2;
        const auto powers = [](const Field& of, std::size_t count) {
            std::vector<Field> result(count, Field::one());
            for (std::size_t i = 1; i < count; ++i) result[i] = result[i - 1] * of;
            return result;
        };
        host_low_ = powers(base, std::size_t{1} << low_bits_);
        host_high_ = powers(host_low_.back() * base, std::size_t{1} << (log_count - low_bits_));
    }

    void fill_on_device(const Field& base, unsigned log_count, const DeviceContext& context) {
        low_bits_ = log_count > max_one_table_bits ? log_count / 2 : 0;
        const auto kernels = context.resource<NttKernels<C>>();
        const auto powers = [&](unsigned log, std::uint64_t step) {
            constexpr std::size_t powers_of_thread = 16;
            constexpr unsigned block = 256;
            const std::size_t count = std::size_t{1} << log;
            DeviceBuffer<Scalar> result(count, context);
            const auto blocks = static_cast<unsigned>(std::max<std::size_t>(1, count / powers_of_thread / block));
            kernels->powers.launch({blocks, block}, context.stream(), result.span(), count, base.montgomery(), step);
            return result;
        };
        if (low_bits_ != 0) device_low_ = powers(low_bits_, 1);
        device_high_ = powers(log_count - low_bits_, std::uint64_t{1} << low_bits_);
        context.stream().synchronize();
    }

    bool is_on_host_;
    unsigned low_bits_ = 0;
    std::vector<Field> host_high_;
    std::vector<Field> host_low_;
    DeviceBuffer<Scalar> device_high_;
    DeviceBuffer<Scalar> device_low_;
};

}  // namespace cupool::detail
