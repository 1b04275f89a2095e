#include "reduce/device_reduce.hpp"

#include <algorithm>
#include <chrono>
#include <cupool/driver/caller.hpp>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>

#include "reduce/operations.hpp"
#include "shipped_code.hpp"
#include "synchronize_on_exit.hpp"

namespace cupool {

namespace detail {

namespace {

template <class T>
constexpr const char* type_name = nullptr;
template <>
constexpr const char* type_name<std::int32_t> = "i32";
template <>
constexpr const char* type_name<std::uint32_t> = "u32";
template <>
constexpr const char* type_name<std::int64_t> = "i64";
template <>
constexpr const char* type_name<std::uint64_t> = "u64";
template <>
constexpr const char* type_name<float> = "f32";
template <>
constexpr const char* type_name<double> = "f64";

constexpr unsigned combine_block_size = 256;
/// Elements of a chunk of host memory: a multiple of the tile, so that chunks begin where tiles do.
constexpr std::size_t chunk_elements = std::size_t{reduce_tile} << 14;

/// The reduction kernels in one context.
class ReduceModule {
public:
    explicit ReduceModule(ContextView context) : module_(load(context, reduce_code)) {}

    /// Reduces each tile of the first span into one element of the second.
    template <class T>
    Kernel<DeviceSpan<const T>, DeviceSpan<T>, std::uint64_t> reduce_tiles(ReduceOperation operation) const {
        return module_.kernel<DeviceSpan<const T>, DeviceSpan<T>, std::uint64_t>("reduce_" + to_string(operation) + "_" + type_name<T>);
    }

    template <class T>
    Kernel<DeviceSpan<T>, DeviceSpan<const T>, std::uint64_t> combine_elements(ReduceOperation operation) const {
        return module_.kernel<DeviceSpan<T>, DeviceSpan<const T>, std::uint64_t>("combine_" + to_string(operation) + "_" + type_name<T>);
    }

private:
    Module module_;
};

std::size_t tiles_of(std::size_t count) { return (count + reduce_tile - 1) / reduce_tile; }

template <class T>
class DeviceReduce {
public:
    DeviceReduce(const Operand<T>& input, ReduceOperation operation, const DeviceContext& context)
        : input_(input),
          context_(context),
          stream_(context.stream()),
          module_(context.resource<ReduceModule>()),
          kernel_(module_->reduce_tiles<T>(operation)) {}

    T run() {
        T result{};
        const SynchronizeOnExit wait_for_copies(stream_);
        std::size_t count = tiles_of(input_.size());
        DeviceBuffer<T> values(count, context_);
        reduce_input(values.span());
        DeviceBuffer<T> next(tiles_of(count), context_);
        while (count > 1) {
            reduce_level(values.span().subspan(0, count), next.span());
            std::swap(values, next);
            count = tiles_of(count);
        }
        copy(std::span(&result, 1), values.span().subspan(0, 1), stream_);
        bytes_ += sizeof(T);
        return with_canonical_nan(result);
    }

    std::uint64_t bytes() const { return bytes_; }

private:
    void reduce_input(DeviceSpan<T> tile_values) {
        if (input_.is_on_device()) return reduce_level(input_.device(), tile_values);
        const std::size_t count = input_.size();
        DeviceBuffer<T> chunk(std::min(count, chunk_elements), context_);
        for (std::size_t first = 0; first < count; first += chunk_elements) {
            const std::size_t size = std::min(chunk_elements, count - first);
            const DeviceSpan<T> copy = chunk.span().subspan(0, size);
            copy_async(copy, input_.host().subspan(first, size), stream_);
            bytes_ += copy.size_bytes();
            reduce_level(copy, tile_values.subspan(first / reduce_tile, tiles_of(size)));
        }
    }

    void reduce_level(DeviceSpan<const T> from, DeviceSpan<T> to) const {
        kernel_.launch({static_cast<unsigned>(tiles_of(from.size())), reduce_lanes}, stream_, from, to, std::uint64_t{from.size()});
    }

    Operand<T> input_;
    DeviceContext context_;
    StreamView stream_;
    std::shared_ptr<ReduceModule> module_;
    Kernel<DeviceSpan<const T>, DeviceSpan<T>, std::uint64_t> kernel_;
    std::uint64_t bytes_ = 0;
};

}  // namespace

template <class T>
RunReport reduce_on_device(const Operand<T>& input, ReduceOperation operation, const DeviceContext& context, T& result) {
    const auto start = std::chrono::steady_clock::now();
    DeviceReduce<T> job(input, operation, context);
    result = job.run();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    return {.engine = Engine::gpu, .devices = {context.device()}, .milliseconds = elapsed.count(), .bytes = job.bytes()};
}

}  // namespace detail

template <class T>
void combine_elements(DeviceSpan<T> target, DeviceSpan<const T> source, ReduceOperation operation, const DeviceContext& context,
                      SourceLocation where) {
    detail::report_at(where, [&] {
        if (context.is_host()) throw Error(ErrorCategory::unsupported, "combine_elements works on device memory; the context is the host");
        if (target.size() != source.size()) {
            throw Error(ErrorCategory::invalid_argument, "combine_elements: the target has " + std::to_string(target.size()) +
                                                             " elements, the source " + std::to_string(source.size()));
        }
        if (target.empty()) return;
        constexpr unsigned block = detail::combine_block_size;
        const auto module = context.resource<detail::ReduceModule>();
        module->combine_elements<T>(operation).launch({static_cast<unsigned>((target.size() + block - 1) / block), block}, context.stream(),
                                                      target, source, std::uint64_t{target.size()});
    });
}

#define CUPOOL_INSTANTIATE(T)                                                                                     \
    template RunReport detail::reduce_on_device<T>(const Operand<T>&, ReduceOperation, const DeviceContext&, T&); \
    template void combine_elements<T>(DeviceSpan<T>, DeviceSpan<const T>, ReduceOperation, const DeviceContext&, SourceLocation);
CUPOOL_INSTANTIATE(std::int32_t)
CUPOOL_INSTANTIATE(std::uint32_t)
CUPOOL_INSTANTIATE(std::int64_t)
CUPOOL_INSTANTIATE(std::uint64_t)
CUPOOL_INSTANTIATE(float)
CUPOOL_INSTANTIATE(double)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool
