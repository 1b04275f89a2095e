#pragma once

#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/prepared_bases.hpp>
#include <vector>

namespace cupool::detail {

/// Prepared bases, in Montgomery form.
template <Curve C>
struct BaseTables {
    DeviceContext context;
    std::size_t size = 0;  ///< points of a table
    unsigned table_count = 1;
    unsigned width = 0;                      ///< bits of the digits that the tables fit; 0: any
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

/// The promised bitsize of the scalars of an MSM: that of its bases, or else its own.
template <Curve C>
int bitsize_of(const BaseTables<C>& tables, const MsmConfig& config) {
    return tables.has_own_bitsize() ? static_cast<int>(tables.promised_bits) : config.bitsize;
}

/// Whether make_base_tables() blocks until tables are built, or only enqueues the build on the stream
/// of config.ctx; then points in device memory are still in use. If it fails, no work is under way.
enum class Completion { blocking, enqueued };

/// Builds the tables of PreparedBases.
template <Curve C>
std::shared_ptr<const BaseTables<C>> make_base_tables(const Operand<AffinePoint<C>>& points, const PrepareConfig& config,
                                                      Completion completion);

/// The index of a term and its sign share 32 bits.
inline constexpr std::size_t max_prepared_points = std::size_t{1} << 30;

}  // namespace cupool::detail
