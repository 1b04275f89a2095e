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
    unsigned width = 0;                      ///< bits of the digits that the tables are made for; 0 for any
    unsigned promised_bits = 0;              ///< PrepareConfig::bitsize
    bool are_for_one_width = false;          ///< several tables were asked for
    DeviceBuffer<AffinePoint<C>> on_device;  ///< [table][base]
    std::vector<AffinePoint<C>> on_host;     ///< one table

    bool has_own_bitsize() const { return are_for_one_width || promised_bits != 0; }
};

template <Curve C>
const BaseTables<C>& tables_of(const PreparedBases<C>& bases, const SourceLocation& where) {
    if (bases.tables_ == nullptr) throw_moved_from("the bases", where);
    return *bases.tables_;
}

/// What the scalars of an MSM are promised to be below: by its bases, or else by itself.
template <Curve C>
int bitsize_of(const BaseTables<C>& tables, const MsmConfig& config) {
    return tables.has_own_bitsize() ? static_cast<int>(tables.promised_bits) : config.bitsize;
}

/// Whether tables are there when they are given, or their making is queued on config.ctx's stream, for work behind it; then points in
/// device memory are still wanted. Where it fails, nothing is under way.
enum class Completion { blocking, enqueued };

/// PreparedBases' tables.
template <Curve C>
std::shared_ptr<const BaseTables<C>> make_base_tables(const Operand<AffinePoint<C>>& points, const PrepareConfig& config,
                                                      Completion completion);

/// A term's index and its sign share 32 bits.
inline constexpr std::size_t max_prepared_points = std::size_t{1} << 30;

}  // namespace cupool::detail
