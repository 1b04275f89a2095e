#include <algorithm>
#include <cstring>
#include <cupool/kernels/float16.hpp>
#include <type_traits>

#include "mpi_pool_state.hpp"
#include "rank_fold.hpp"
#include "reduce/instantiate.hpp"
#include "tags.hpp"

namespace cupool {

namespace {

template <class T>
inline constexpr bool is_float16 = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// The type of a rank's value: those of 16-bit floats are rounded once, at the end.
template <class T, class R>
using RankValue = std::conditional_t<is_float16<T>, float, R>;

template <class T>
void require_operation(ReduceOperation operation) {
    detail::require_enumerator(operation, ReduceOperation::max, "ReduceOperation");
    if (operation == ReduceOperation::product && !std::is_integral_v<T>)
        throw Error(ErrorCategory::unsupported, "a product is for integers");
}

template <class T>
std::string type_name() {
    if constexpr (std::is_same_v<T, Float16>) return "f16";
    if constexpr (std::is_same_v<T, BFloat16>) return "bf16";
    return (std::is_integral_v<T> ? (std::is_signed_v<T> ? "i" : "u") : "f") + std::to_string(8 * sizeof(T));
}

std::string operation_name(ReduceOperation operation) {
    return operation <= ReduceOperation::max ? to_string(operation) : "an unknown operation";
}

template <class Value>
std::vector<std::byte> bytes_of(const Value& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return {bytes.begin(), bytes.end()};
}

/// The values that ranks sent; those without elements sent none.
template <class Value>
std::vector<Value> values_of(const std::vector<std::vector<std::byte>>& payloads) {
    std::vector<Value> values;
    for (const std::vector<std::byte>& payload : payloads) {
        if (payload.empty()) continue;
        values.emplace_back();
        std::memcpy(&values.back(), payload.data(), sizeof(Value));
    }
    return values;
}

}  // namespace

template <class T, class R>
requires ReduceResult<R, T> MpiReport MpiPool::reduce(const PoolOperand<T>& input, ReduceOperation operation, R& result,
                                                      SourceLocation where)
const {
    using Value = RankValue<T, R>;
    State& all = state(where);
    return all.collective_call(where, [&](MpiReport& report) {
        std::vector<std::byte> own;
        const std::exception_ptr failure = detail::failure_of([&] {
            require_operation<T>(operation);
            if (input.size() == 0) return;
            Value value{};
            report.local = all.pool.template reduce<T, Value>(input, operation, value);
            own = bytes_of(value);
        });
        const std::string call = operation_name(operation) + " of " + type_name<T>() + " to " + type_name<R>();
        const auto values = values_of<Value>(detail::agree(all.link, {call, std::move(own), failure}));
        Value total{};
        cupool::reduce<Value, Value>(std::span<const Value>(values), operation, ReduceConfig::default_for_host(), total);
        result = static_cast<R>(total);
    });
}

namespace {

/// An all-reduce: each rank combines one of as many equal pieces of the elements, and sends it to all others. A step does so for some
/// elements of every piece, as many as take a chunk of memory.
template <class T>
class AllReduce {
public:
    AllReduce(detail::RankLink& link, const detail::TransferOperand& input, const detail::TransferOperand& output,
              ReduceOperation operation, std::size_t chunk_bytes)
        : link_(link),
          input_(input),
          output_(output),
          operation_(operation),
          ranks_(static_cast<std::size_t>(link.size())),
          own_(static_cast<std::size_t>(link.rank())),
          count_(input.size() / sizeof(T)),
          piece_((count_ + ranks_ - 1) / ranks_),
          step_(std::max<std::size_t>(1, std::min(piece_, chunk_bytes / sizeof(T) / ranks_))),
          outgoing_(memory(input)),
          incoming_(memory(input)),
          results_(memory(output)) {}

    void run(detail::FirstFailure& failure) {
        for (base_ = 0; base_ < piece_; base_ += step_) {
            exchange_inputs(failure);
            combine(failure);
            exchange_results();
            for (std::size_t rank = 0; rank < ranks_; ++rank)
                failure.guard([&] { output_.write(offset_of(rank) * sizeof(T), slot(results_, rank, length_of(rank))); });
        }
    }

private:
    detail::MessageMemory memory(const detail::TransferOperand& operand) const { return operand.chunk_memory(ranks_ * step_ * sizeof(T)); }

    /// The first element of a rank's piece in this step.
    std::size_t offset_of(std::size_t rank) const { return std::min(count_, rank * piece_ + base_); }
    /// How many there are.
    std::size_t length_of(std::size_t rank) const {
        const std::size_t end = std::min({count_, (rank + 1) * piece_, rank * piece_ + base_ + step_});
        return end > offset_of(rank) ? end - offset_of(rank) : 0;
    }
    detail::MessageMemory slot(const detail::MessageMemory& memory, std::size_t rank, std::size_t length) const {
        return memory.part(rank * step_ * sizeof(T), length * sizeof(T));
    }
    /// One rank's elements behind the other's, as fold_ranks() takes them.
    detail::MessageMemory incoming(std::size_t rank) const {
        return incoming_.part(rank * length_of(own_) * sizeof(T), length_of(own_) * sizeof(T));
    }

    void exchange_inputs(detail::FirstFailure& failure) {
        std::vector<detail::RankLink::Pending> messages;
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            if (rank != own_ && length_of(own_) != 0)
                messages.push_back(link_.receive(incoming(rank), static_cast<int>(rank), detail::tags::data));
        }
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            const std::size_t offset = offset_of(rank) * sizeof(T);
            if (rank == own_) {
                failure.guard([&] { input_.read(offset, incoming(rank)); });
            } else if (length_of(rank) != 0) {
                detail::MessageMemory part = slot(outgoing_, rank, length_of(rank));
                failure.guard([&] { part = input_.outgoing(offset, part); });
                messages.push_back(link_.send(part, static_cast<int>(rank), detail::tags::data));
            }
        }
        link_.wait_all(messages);
    }

    void combine(detail::FirstFailure& failure) {
        const std::size_t length = length_of(own_);
        if (length == 0) return;
        failure.guard([&] {
            const std::span<const T> values(reinterpret_cast<const T*>(incoming_.bytes().data()), ranks_ * length);
            const std::span<T> combined(reinterpret_cast<T*>(slot(results_, own_, length).bytes().data()), length);
            detail::fold_ranks<T>(values, operation_, combined);
        });
    }

    void exchange_results() {
        std::vector<detail::RankLink::Pending> messages;
        for (std::size_t rank = 0; rank < ranks_; ++rank) {
            if (rank == own_) continue;
            const int other = static_cast<int>(rank);
            if (length_of(rank) != 0) messages.push_back(link_.receive(slot(results_, rank, length_of(rank)), other, detail::tags::data));
            if (length_of(own_) != 0) messages.push_back(link_.send(slot(results_, own_, length_of(own_)), other, detail::tags::data));
        }
        link_.wait_all(messages);
    }

    detail::RankLink& link_;
    const detail::TransferOperand& input_;
    const detail::TransferOperand& output_;
    const ReduceOperation operation_;
    const std::size_t ranks_;
    const std::size_t own_;
    const std::size_t count_;
    const std::size_t piece_;
    const std::size_t step_;
    const detail::MessageMemory outgoing_;
    const detail::MessageMemory incoming_;
    const detail::MessageMemory results_;
    std::size_t base_ = 0;
};

}  // namespace

template <class T>
MpiReport MpiPool::all_reduce(const Operand<T>& input, const OutputOperand<T>& output, ReduceOperation operation,
                              SourceLocation where) const {
    State& all = state(where);
    return all.collective_call(where, [&](MpiReport& report) {
        detail::TransferOperand from;
        detail::TransferOperand to;
        std::optional<AllReduce<T>> reduction;
        const std::string call =
            "all_reduce of " + std::to_string(input.size()) + ' ' + type_name<T>() + " by " + operation_name(operation);
        const auto prepare = [&] {
            require_operation<T>(operation);
            if (input.size() != output.size()) {
                throw Error(ErrorCategory::invalid_argument, "all_reduce: the input has " + std::to_string(input.size()) +
                                                                 " elements, the output " + std::to_string(output.size()));
            }
            from = all.operand(detail::RankArray::of(input), report, where);
            to = all.operand(detail::RankArray::of(output), report, where);
            reduction.emplace(all.link, from, to, operation, all.options.chunk_bytes);
        };
        detail::transfer_between_ranks(all.link, call, prepare, [&](detail::FirstFailure& failure) { reduction->run(failure); });
    });
}

#define CUPOOL_INSTANTIATE_RESULT(T, R) \
    template MpiReport MpiPool::reduce<T, R>(const PoolOperand<T>&, ReduceOperation, R&, SourceLocation) const;
#define CUPOOL_INSTANTIATE(T) \
    template MpiReport MpiPool::all_reduce<T>(const Operand<T>&, const OutputOperand<T>&, ReduceOperation, SourceLocation) const;
CUPOOL_FOR_EACH_REDUCE_RESULT(CUPOOL_INSTANTIATE_RESULT)
CUPOOL_FOR_EACH_REDUCE_ELEMENT(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE_RESULT
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
