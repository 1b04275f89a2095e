#include "poseidon/pooled_tree.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <new>
#include <optional>

#include "batch/batch_parts.hpp"
#include "memory_checks.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

namespace {

/// So many subtrees for each device divide evenly enough, and leave few rows above them.
constexpr std::size_t subtrees_a_device = 8;

/// A tree over a pool: the devices compute the rows of subtrees, each for a part of the leaves, and one computes the rows above.
template <Curve C>
class PooledTree {
public:
    PooledTree(PoolState& pool, PooledPoseidonState<C>& poseidon, const PoolOperand<Scalar>& leaves, unsigned keep_rows,
               const PoseidonConfig& config, const PoolOutputOperand<Scalar>& outputs)
        : pool_(pool),
          poseidon_(poseidon),
          leaves_(leaves),
          keep_rows_(keep_rows),
          config_(config),
          outputs_(outputs),
          arity_(config.is_compression ? poseidon.on_host.width() : poseidon.on_host.width() - 1) {
        config_.input_is_a_state = false;  // as cupool::poseidon_merkle_tree() has it
    }

    RunReport run() {
        const std::size_t room = poseidon_tree_size(leaves_.size(), arity_, keep_rows_);
        if (outputs_.size() != room)
            refuse("poseidon", "there are " + std::to_string(room) + " outputs, but room for " + std::to_string(outputs_.size()));
        for (std::size_t size = leaves_.size() / arity_; size > 0; size /= arity_) row_sizes_.push_back(size);
        require_apart("poseidon", leaves_, outputs_);
        const std::vector<DeviceSpan<const Scalar>> spans = checked_spans("poseidon", pool_, leaves_, "leaves");
        const bool decides_device = spans.size() == 1 || (spans.empty() && !outputs_.is_on_host());
        if (pool_.is_host() || decides_device) return on_one_device();
        const unsigned rows = spans.empty() ? rows_of_host_subtrees() : rows_of_sliced_subtrees(spans);
        if (rows == 0) return on_one_device();
        if (!outputs_.is_on_host()) {
            throw Error(ErrorCategory::unsupported,
                        "poseidon: several devices compute the tree, so its rows must go to host memory; give host memory for the outputs");
        }
        return on_several_devices(rows);
    }

private:
    RunReport on_one_device() {
        const BatchShape shape{.job = "poseidon",
                               .item = "trees",
                               .item_inputs = leaves_.size(),
                               .item_outputs = outputs_.size(),
                               .step_bytes = ~std::size_t{0}};
        return run_batch(pool_, shape, divided_batch(pool_, shape, leaves_, outputs_),
                         [&](const DeviceContext& context, const Operand<Scalar>& leaves, const OutputOperand<Scalar>& outputs) {
                             const PoseidonConfig here = config_for(context, leaves.is_on_device(), outputs.is_on_device());
                             return poseidon_merkle_tree<C>(leaves, on(context), keep_rows_, here, outputs);
                         });
    }

    /// The rows of the subtrees into which leaves in host memory are divided: 0 if they are few enough for one device at once.
    unsigned rows_of_host_subtrees() const {
        const std::size_t bytes = leaves_.host().size_bytes();
        const std::size_t members = std::max<std::size_t>(1, std::min(pool_.healthy().size(), bytes / min_bytes_a_device));
        if (members == 1 && bytes <= max_step_bytes) return 0;
        const std::size_t subtrees = std::max(members * subtrees_a_device, 2 * (bytes / max_step_bytes));
        unsigned rows = 0;
        while (rows < row_sizes_.size() && row_sizes_[rows] >= subtrees) ++rows;
        return rows;
    }

    unsigned rows_of_sliced_subtrees(const std::vector<DeviceSpan<const Scalar>>& slices) const {
        unsigned rows = 0;
        std::size_t subtree = arity_;
        const auto is_whole = [&](const DeviceSpan<const Scalar>& slice) { return slice.size() % subtree == 0; };
        for (; std::all_of(slices.begin(), slices.end(), is_whole); subtree *= arity_) ++rows;
        if (rows == 0)
            refuse("poseidon",
                   "the slices of the leaves do not hold whole subtrees: each needs a multiple of " + std::to_string(arity_) + " leaves");
        return rows;
    }

    /// \param rows  of the subtrees
    RunReport on_several_devices(unsigned rows) {
        const auto start = std::chrono::steady_clock::now();
        const std::size_t leaves_of_subtree = leaves_.size() / row_sizes_[rows - 1];
        std::vector<Scalar> roots(row_sizes_[rows - 1]);
        // A batch of subtrees, each of which gives its root; the rows between are written beside.
        const BatchShape shape{.job = "poseidon", .item = "subtrees", .item_inputs = leaves_of_subtree, .item_outputs = 1};
        const PoolOutputOperand<Scalar> root_operand = std::span<Scalar>(roots);
        RunReport report = run_batch(pool_, shape, divided_batch(pool_, shape, leaves_, root_operand),
                                     [&](const DeviceContext& context, const Operand<Scalar>& leaves, const OutputOperand<Scalar>& to) {
                                         const std::size_t first = static_cast<std::size_t>(to.host().data() - roots.data());
                                         return subtrees(context, leaves, rows, first, to.host());
                                     });
        if (rows < row_sizes_.size()) pool_.join(report, upper_rows(roots, rows));
        report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        return report;
    }

    /// Neighbouring subtrees on one device. \param first  the number of the first one
    RunReport subtrees(const DeviceContext& context, const Operand<Scalar>& leaves, unsigned rows, std::size_t first,
                       std::span<Scalar> roots) {
        RunReport report{.engine = Engine::gpu, .devices = {context.device()}, .milliseconds = 0, .bytes = 0};
        DeviceBuffer<Scalar> below;
        for (unsigned row = 0; row < rows; ++row) {
            const std::size_t nodes_of_subtree = row_sizes_[row] / row_sizes_[rows - 1];
            DeviceBuffer<Scalar> nodes(roots.size() * nodes_of_subtree, context);
            const SynchronizeOnExit wait_for_work(context.stream());
            const Operand<Scalar> from = row == 0 ? leaves : Operand<Scalar>(below.span());
            const PoseidonConfig here = config_for(context, from.is_on_device(), true);
            const RunReport of_row = poseidon_hash<C>(from, on(context), here, nodes.span());
            if (const auto kept = kept_row(row)) {
                copy_async(kept->subspan(first * nodes_of_subtree, nodes.size()), nodes.span(), context.stream());
                report.bytes += nodes.size_bytes();
            }
            if (row + 1 == rows) copy_async(roots, nodes.span(), context.stream());
            report.bytes += of_row.bytes;
            report.device_bytes = std::max(report.device_bytes, of_row.device_bytes + nodes.size_bytes() + below.size_bytes());
            context.stream().synchronize();
            below = std::move(nodes);
        }
        report.bytes += roots.size_bytes();
        return report;
    }

    /// Where the outputs have a row; nullopt if it is not kept.
    std::optional<std::span<Scalar>> kept_row(unsigned row) const {
        const std::size_t dropped = keep_rows_ == 0 ? 0 : row_sizes_.size() - keep_rows_;
        if (row < dropped) return std::nullopt;
        std::size_t offset = 0;
        for (std::size_t other = dropped; other < row; ++other) offset += row_sizes_[other];
        return outputs_.host().subspan(offset, row_sizes_[row]);
    }

    /// The rows from number `first` on, of the roots of the subtrees, on the device with the fewest tasks.
    RunReport upper_rows(const std::vector<Scalar>& roots, unsigned first) {
        const auto rows = static_cast<unsigned>(row_sizes_.size()) - first;
        const unsigned kept = keep_rows_ == 0 ? rows : std::min(keep_rows_, rows);
        const std::size_t size = poseidon_tree_size(roots.size(), arity_, kept);
        const std::span<Scalar> to = outputs_.host().subspan(outputs_.size() - size, size);
        RunReport report;
        pool_.run(pool_.least_busy(1).front(), [&](std::size_t member, const DeviceContext& context) {
            report = poseidon_merkle_tree<C>(std::span<const Scalar>(roots), on(context), kept, config_for(context, false, false), to);
            pool_.member(member).bytes += report.bytes;
        });
        return report;
    }

    const Poseidon<C>& on(const DeviceContext& context) {
        return poseidon_.at(context.is_host() ? 0 : pool_.index_of(context.device()), context);
    }
    PoseidonConfig config_for(const DeviceContext& context, bool are_inputs_on_device, bool are_outputs_on_device) const {
        PoseidonConfig here = config_;
        here.ctx = context;
        here.are_inputs_on_device = are_inputs_on_device;
        here.are_outputs_on_device = are_outputs_on_device;
        return here;
    }

    PoolState& pool_;
    PooledPoseidonState<C>& poseidon_;
    const PoolOperand<Scalar>& leaves_;
    unsigned keep_rows_;
    PoseidonConfig config_;
    const PoolOutputOperand<Scalar>& outputs_;
    std::size_t arity_;
    std::vector<std::size_t> row_sizes_;  ///< of the rows above the leaves, the widest first
};

}  // namespace

template <Curve C>
RunReport pooled_merkle_tree(PoolState& pool, PooledPoseidonState<C>& poseidon, const PoolOperand<Scalar>& leaves, unsigned keep_rows,
                             const PoseidonConfig& config, const PoolOutputOperand<Scalar>& outputs) {
    try {
        return PooledTree<C>(pool, poseidon, leaves, keep_rows, config, outputs).run();
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory,
                    "poseidon: the host has not enough memory for the roots of the subtrees; give slices that hold a power of the arity");
    }
}

#define CUPOOL_INSTANTIATE(C)                                                                                           \
    template RunReport pooled_merkle_tree<C>(PoolState&, PooledPoseidonState<C>&, const PoolOperand<Scalar>&, unsigned, \
                                             const PoseidonConfig&, const PoolOutputOperand<Scalar>&);
CUPOOL_INSTANTIATE(Curve::bn254)
CUPOOL_INSTANTIATE(Curve::bls12_381)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
