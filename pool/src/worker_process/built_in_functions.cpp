#include "built_in_functions.hpp"

#include <cupool/pool/device_pool.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

#include "channel.hpp"
#include "curve/for_each_curve.hpp"

namespace cupool::detail {

namespace {

constexpr std::string_view msm_name = "cupool.msm";
constexpr std::string_view prepare_name = "cupool.prepare";
constexpr std::string_view reduce_name = "cupool.reduce";
constexpr std::string_view kernel_name = "cupool.kernel";

/// What a worker keeps of bases.
struct KeptBases {
    Curve curve;
    std::shared_ptr<const void> bases;  ///< PooledBases of the curve
};

enum class PointsFrom : std::uint32_t { memory, setup };

void write_report(MessageWriter& writer, const RunReport& report) {
    writer.enumerator(report.engine).number(report.milliseconds).number(report.bytes).number(report.device_bytes);
}

RunReport read_report(MessageReader& reader) {
    RunReport report;
    report.engine = reader.enumerator(Engine::host);
    report.milliseconds = reader.number<double>();
    report.bytes = reader.number<std::uint64_t>();
    report.device_bytes = reader.number<std::uint64_t>();
    return report;
}

void write_config(MessageWriter& writer, const MsmConfig& config) {
    writer.number(config.batch_size).number(config.points_size).number(config.c).number(config.bitsize).number(config.memory_budget);
    for (const bool flag : {config.are_scalars_on_device, config.are_points_on_device, config.are_results_on_device,
                            config.are_scalars_montgomery_form, config.are_points_montgomery_form}) {
        writer.flag(flag);
    }
}

MsmConfig read_msm_config(MessageReader& reader) {
    MsmConfig config;
    config.batch_size = reader.number<int>();
    config.points_size = reader.number<std::int64_t>();
    config.c = reader.number<int>();
    config.bitsize = reader.number<int>();
    config.memory_budget = reader.number<std::uint64_t>();
    config.are_scalars_on_device = reader.flag();
    config.are_points_on_device = reader.flag();
    config.are_results_on_device = reader.flag();
    config.are_scalars_montgomery_form = reader.flag();
    config.are_points_montgomery_form = reader.flag();
    return config;
}

template <class T>
std::span<const std::byte> bytes_of_value(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

/// \throws Error io where the message's next array is not as long as the values
template <class T>
void read_values(MessageReader& reader, std::span<T> values) {
    const std::span<const std::byte> bytes = reader.bytes();
    reader.require_end();
    if (bytes.size() != values.size_bytes()) throw_malformed("a result does not have the expected size");
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
}

template <Curve C>
MessageWriter begin_msm(const OperandReference& scalars, const MsmConfig& config, std::size_t results) {
    MessageWriter writer;
    writer.enumerator(C).number<std::uint64_t>(results);
    write_config(writer, config);
    write_operand(writer, scalars);
    return writer;
}

template <Curve C>
std::vector<std::byte> run_msm(WorkerState& state, MessageReader& reader) {
    const auto count = reader.number<std::uint64_t>();
    if (count > longest_payload / sizeof(JacobianPoint<C>)) throw_malformed("too many results");
    const MsmConfig config = read_msm_config(reader);
    const auto scalars = read_operand<Scalar>(reader, state);
    std::vector<JacobianPoint<C>> results(static_cast<std::size_t>(count));
    RunReport report;
    if (reader.enumerator(PointsFrom::setup) == PointsFrom::setup) {
        const auto kept = std::static_pointer_cast<const KeptBases>(state.object(reader.number<std::uint64_t>()));
        reader.require_end();
        if (kept->curve != C) throw_malformed("the bases are of another curve");
        report = state.pool().msm<C>(scalars, *std::static_pointer_cast<const PooledBases<C>>(kept->bases), config, std::span(results));
    } else {
        const auto points = read_operand<AffinePoint<C>>(reader, state);
        reader.require_end();
        report = state.pool().msm<C>(scalars, points, config, std::span(results));
    }
    MessageWriter answer;
    write_report(answer, report);
    return answer.bytes(std::as_bytes(std::span(results))).take();
}

template <Curve C>
std::vector<std::byte> run_prepare(WorkerState& state, MessageReader& reader) {
    const auto id = reader.number<std::uint64_t>();
    PrepareConfig config;
    config.precompute_factor = reader.number<int>();
    config.c = reader.number<int>();
    config.bitsize = reader.number<int>();
    config.are_points_on_device = reader.flag();
    config.are_points_montgomery_form = reader.flag();
    const auto points = read_operand<AffinePoint<C>>(reader, state);
    reader.require_end();
    auto bases = std::make_shared<const PooledBases<C>>(state.pool().prepare<C>(points, config));
    state.keep(id, std::make_shared<const KeptBases>(KeptBases{C, std::move(bases)}));
    return {};
}

std::vector<std::byte> run_msm_of_any_curve(WorkerState& state, std::span<const std::byte> input) {
    MessageReader reader(input);
    return with_curve(reader.enumerator(Curve::bls12_381_g2), [&]<Curve C>() { return run_msm<C>(state, reader); });
}

std::vector<std::byte> run_prepare_of_any_curve(WorkerState& state, std::span<const std::byte> input) {
    MessageReader reader(input);
    return with_curve(reader.enumerator(Curve::bls12_381_g2), [&]<Curve C>() { return run_prepare<C>(state, reader); });
}

/// The element types of reductions; a message names one by its place here.
template <class... T>
struct Types {};
using ElementTypes = Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                           Float16, BFloat16, float, double>;

template <class T, class... U>
std::uint32_t place_of(Types<U...>) {
    std::uint32_t place = 0;
    (void)((std::is_same_v<T, U> || (++place, false)) || ...);
    return place;
}

template <class T, class R>
std::vector<std::byte> run_reduce(WorkerState& state, MessageReader& reader) {
    const ReduceOperation operation = reader.enumerator(ReduceOperation::max);
    const auto input = read_operand<T>(reader, state);
    reader.require_end();
    R result{};
    const RunReport report = state.pool().reduce<T, R>(PoolOperand<T>(input), operation, result);
    MessageWriter answer;
    write_report(answer, report);
    return answer.bytes(bytes_of_value(result)).take();
}

template <class... T>
std::vector<std::byte> run_reduce_of(Types<T...>, WorkerState& state, MessageReader& reader) {
    const auto place = reader.number<std::uint32_t>();
    const bool is_wide = reader.flag();
    std::vector<std::byte> answer;
    std::uint32_t next = 0;
    const bool is_found =
        ((place == next++ && (answer = is_wide ? run_reduce<T, Wide<T>>(state, reader) : run_reduce<T, T>(state, reader), true)) || ...);
    if (!is_found) throw_malformed("no element type has the number " + std::to_string(place));
    return answer;
}

std::vector<std::byte> run_reduce_of_any_type(WorkerState& state, std::span<const std::byte> input) {
    MessageReader reader(input);
    return run_reduce_of(ElementTypes{}, state, reader);
}

void write_extent(MessageWriter& writer, const Extent& extent) { writer.number(extent.x).number(extent.y).number(extent.z); }

Extent read_extent(MessageReader& reader) {
    Extent extent;
    extent.x = reader.number<unsigned>();
    extent.y = reader.number<unsigned>();
    extent.z = reader.number<unsigned>();
    return extent;
}

std::vector<std::byte> run_kernel_work(WorkerState& state, std::span<const std::byte> input) {
    MessageReader reader(input);
    KernelWork work;
    work.ptx = reader.text();
    work.kernel = reader.text();
    work.shape.grid = read_extent(reader);
    work.shape.block = read_extent(reader);
    work.shape.dynamic_shared_bytes = reader.number<unsigned>();
    for (auto left = reader.number<std::uint64_t>(); left > 0; --left) {
        const auto kind = reader.enumerator(KernelOperand::Kind::inout);
        const std::span<const std::byte> bytes = reader.bytes();
        work.operands.push_back({kind, {bytes.begin(), bytes.end()}});
    }
    reader.require_end();
    const KernelOutputs outputs = run_kernel(work, state.pool().context_at(0));
    MessageWriter answer;
    answer.number(outputs.bytes_moved).number<std::uint64_t>(outputs.arrays.size());
    for (const std::vector<std::byte>& array : outputs.arrays) answer.bytes(array);
    return answer.take();
}

}  // namespace

BuiltInFunction built_in_function(const std::string& name) {
    if (name == msm_name) return run_msm_of_any_curve;
    if (name == prepare_name) return run_prepare_of_any_curve;
    if (name == reduce_name) return run_reduce_of_any_type;
    if (name == kernel_name) return run_kernel_work;
    return nullptr;
}

template <Curve C>
WorkerCall msm_call(const OperandReference& scalars, const OperandReference& points, const MsmConfig& config, std::size_t results) {
    MessageWriter writer = begin_msm<C>(scalars, config, results);
    writer.enumerator(PointsFrom::memory);
    write_operand(writer, points);
    return {std::string(msm_name), writer.take(), {}};
}

template <Curve C>
WorkerCall prepared_msm_call(const OperandReference& scalars, std::uint64_t bases, const MsmConfig& config, std::size_t results) {
    MessageWriter writer = begin_msm<C>(scalars, config, results);
    writer.enumerator(PointsFrom::setup).number(bases);
    return {std::string(msm_name), writer.take(), {}};
}

template <Curve C>
RunReport read_msm_answer(std::span<const std::byte> answer, std::span<JacobianPoint<C>> results) {
    MessageReader reader(answer);
    const RunReport report = read_report(reader);
    read_values(reader, results);
    return report;
}

template <Curve C>
WorkerCall prepare_call(std::uint64_t setup, const OperandReference& points, const PrepareConfig& config) {
    MessageWriter writer;
    writer.enumerator(C).number(setup).number(config.precompute_factor).number(config.c).number(config.bitsize);
    writer.flag(config.are_points_on_device).flag(config.are_points_montgomery_form);
    write_operand(writer, points);
    return {std::string(prepare_name), writer.take(), {}};
}

template <class T, class R>
WorkerCall reduce_call(const OperandReference& input, ReduceOperation operation) {
    MessageWriter writer;
    writer.number(place_of<T>(ElementTypes{})).flag(!std::is_same_v<R, T>).enumerator(operation);
    write_operand(writer, input);
    return {std::string(reduce_name), writer.take(), {}};
}

template <class R>
RunReport read_reduce_answer(std::span<const std::byte> answer, R& result) {
    MessageReader reader(answer);
    const RunReport report = read_report(reader);
    read_values(reader, std::span(&result, 1));
    return report;
}

WorkerCall kernel_call(const KernelWork& work) {
    MessageWriter writer;
    writer.text(work.ptx).text(work.kernel);
    write_extent(writer, work.shape.grid);
    write_extent(writer, work.shape.block);
    writer.number(work.shape.dynamic_shared_bytes).number<std::uint64_t>(work.operands.size());
    for (const KernelOperand& operand : work.operands) writer.enumerator(operand.kind).bytes(operand.bytes);
    return {std::string(kernel_name), writer.take(), {}};
}

KernelOutputs read_kernel_answer(std::span<const std::byte> answer, std::span<const std::size_t> sizes) {
    MessageReader reader(answer);
    KernelOutputs outputs;
    outputs.bytes_moved = reader.number<std::uint64_t>();
    if (reader.number<std::uint64_t>() != sizes.size()) throw_malformed("a kernel gave another number of arrays than it has outputs");
    for (const std::size_t size : sizes) {
        const std::span<const std::byte> bytes = reader.bytes();
        if (bytes.size() != size) throw_malformed("a kernel's output does not have the expected size");
        outputs.arrays.emplace_back(bytes.begin(), bytes.end());
    }
    reader.require_end();
    return outputs;
}

#define CUPOOL_INSTANTIATE(C)                                                                                         \
    template WorkerCall msm_call<C>(const OperandReference&, const OperandReference&, const MsmConfig&, std::size_t); \
    template WorkerCall prepared_msm_call<C>(const OperandReference&, std::uint64_t, const MsmConfig&, std::size_t);  \
    template RunReport read_msm_answer<C>(std::span<const std::byte>, std::span<JacobianPoint<C>>);                   \
    template WorkerCall prepare_call<C>(std::uint64_t, const OperandReference&, const PrepareConfig&);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

#define CUPOOL_INSTANTIATE(T)                                                        \
    template WorkerCall reduce_call<T, T>(const OperandReference&, ReduceOperation); \
    template RunReport read_reduce_answer<T>(std::span<const std::byte>, T&);
CUPOOL_INSTANTIATE(std::int8_t)
CUPOOL_INSTANTIATE(std::uint8_t)
CUPOOL_INSTANTIATE(std::int16_t)
CUPOOL_INSTANTIATE(std::uint16_t)
CUPOOL_INSTANTIATE(std::int32_t)
CUPOOL_INSTANTIATE(std::uint32_t)
CUPOOL_INSTANTIATE(std::int64_t)
CUPOOL_INSTANTIATE(std::uint64_t)
CUPOOL_INSTANTIATE(Float16)
CUPOOL_INSTANTIATE(BFloat16)
CUPOOL_INSTANTIATE(float)
CUPOOL_INSTANTIATE(double)
#undef CUPOOL_INSTANTIATE
template WorkerCall reduce_call<std::int8_t, std::int64_t>(const OperandReference&, ReduceOperation);
template WorkerCall reduce_call<std::uint8_t, std::uint64_t>(const OperandReference&, ReduceOperation);
template WorkerCall reduce_call<std::int16_t, std::int64_t>(const OperandReference&, ReduceOperation);
template WorkerCall reduce_call<std::uint16_t, std::uint64_t>(const OperandReference&, ReduceOperation);
template WorkerCall reduce_call<std::int32_t, std::int64_t>(const OperandReference&, ReduceOperation);
template WorkerCall reduce_call<std::uint32_t, std::uint64_t>(const OperandReference&, ReduceOperation);
template WorkerCall reduce_call<Float16, float>(const OperandReference&, ReduceOperation);
template WorkerCall reduce_call<BFloat16, float>(const OperandReference&, ReduceOperation);
template WorkerCall reduce_call<float, double>(const OperandReference&, ReduceOperation);

}  // namespace cupool::detail
