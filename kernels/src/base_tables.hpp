#pragma once

#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <vector>

namespace cupool::detail {

/// Prepared bases, in Montgomery form.
template <Curve C>
struct BaseTables {
    DeviceContext context;
    std::size_t size = 0;  ///< of a table
    unsigned table_count = 1;
    unsigned width = 0;                      ///< bits of the digits that the tables are made for; 0 for any, where there is one table
    unsigned promised_bits = 0;              ///< PrepareConfig::bitsize
    DeviceBuffer<AffinePoint<C>> on_device;  ///< [table][base]
    std::vector<AffinePoint<C>> on_host;     ///< one table
};

}  // namespace cupool::detail
