// A program of several ranks, which mpi_pool_test.cpp starts: mpi_program SCENARIO DIRECTORY [ENGINE].
//
// ENGINE is host, gpu (simulated devices) or mixed (a device on every second rank). Every rank checks its own results and writes a file
// rank.N to the directory: "ok", what its results were, or the error. It exits with 0 if all is as it must be.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <cupool/cluster/mpi_pool.hpp>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/point.hpp>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

using namespace cupool;

namespace {

using Text = std::ostringstream;

void require(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error(what);
}

/// Runs a call that must throw, and returns its error.
template <class Exception, class Call>
Exception error_of(Call call) {
    try {
        call();
    } catch (const Exception& error) {
        return error;
    }
    throw std::runtime_error("a call that must fail has succeeded");
}

MpiOptions options() {
    MpiOptions given;
    given.chunk_bytes = 1024;  // so that small arrays take several
    if (const char* const silence = std::getenv("CUPOOL_TEST_SILENCE")) {
        given.silence = std::chrono::milliseconds(std::atoi(silence));
        given.heartbeat = given.silence / 8;
        given.start_deadline = 5 * given.silence;
    }
    return given;
}

/// The rank as its launcher tells, before there is a pool.
int launched_rank() {
    for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
        if (const char* const rank = std::getenv(variable)) return std::atoi(rank);
    }
    return 0;
}

DevicePool own_pool(const std::string& engine) {
    const bool is_host = engine == "host" || (engine == "mixed" && launched_rank() % 2 == 1);
    return is_host ? DevicePool::host(1) : DevicePool::all();
}

template <class T>
DeviceBuffer<T> buffer_with(const std::vector<T>& content, const DeviceContext& device) {
    DeviceBuffer<T> buffer(content.size(), device);
    copy(buffer.span(), std::span<const T>(content), device.stream());
    return buffer;
}

template <class T>
std::vector<T> content_of(const DeviceBuffer<T>& buffer, const DeviceContext& device) {
    std::vector<T> content(buffer.size());
    copy(std::span<T>(content), DeviceSpan<const T>(buffer.span()), device.stream());
    return content;
}

// ------------------------------------------------------------------------------------------------------------------------------- MSM

std::vector<Scalar> random_scalars(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Scalar> scalars(count);
    for (Scalar& scalar : scalars) {
        for (std::uint64_t& limb : scalar.limbs) limb = random();
        scalar.limbs[3] >>= 4;  // below every r
    }
    return scalars;
}

template <Curve C>
std::string hexadecimal(const JacobianPoint<C>& point) {
    Text text;
    for (const std::byte byte : std::as_bytes(std::span(&point, 1))) text << std::hex << static_cast<int>(byte) << ',';
    return text.str();
}

template <Curve C>
JacobianPoint<C> sum_of_terms(std::span<const Scalar> scalars, std::span<const AffinePoint<C>> points) {
    JacobianPoint<C> sum{};
    msm<C>(scalars, points, MsmConfig::default_for_host(), sum);
    return to_jacobian<C>(to_affine<C>(sum));
}

template <Curve C>
bool are_equal(const JacobianPoint<C>& left, const JacobianPoint<C>& right) {
    return std::memcmp(&left, &right, sizeof left) == 0;
}

/// Sums of all ranks' shares beside the host's of all terms, over points and over prepared bases, in both forms.
template <Curve C>
void check_msms(const MpiPool& ranks, Text& out) {
    constexpr std::size_t terms = 40;
    constexpr std::size_t sums = 2;
    const std::vector<AffinePoint<C>> points = generator_multiples<C>(1, terms);
    const RankShare share = ranks.share(terms);
    std::vector<AffinePoint<C>> own_points(points.begin() + share.offset, points.begin() + share.offset + share.count);
    std::vector<JacobianPoint<C>> expected;
    std::vector<Scalar> own_scalars;
    for (std::size_t k = 0; k < sums; ++k) {
        const std::vector<Scalar> scalars = random_scalars(terms, 7 + k);
        expected.push_back(sum_of_terms<C>(scalars, points));
        own_scalars.insert(own_scalars.end(), scalars.begin() + share.offset, scalars.begin() + share.offset + share.count);
    }
    JacobianPoint<C> one{};
    const std::span<const Scalar> first(own_scalars.data(), share.count);
    ranks.msm<C>(first, own_points, {}, one);
    require(are_equal<C>(one, expected[0]), "a sum over ranks is not the host's");
    std::vector<JacobianPoint<C>> several(sums);
    ranks.msm<C>(own_scalars, own_points, {}, std::span<JacobianPoint<C>>(several));
    require(are_equal<C>(several[0], expected[0]) && are_equal<C>(several[1], expected[1]), "one of several sums is not the host's");
    if (share.count != 0) {
        const PooledBases<C> bases = ranks.pool().prepare<C>(std::span<const AffinePoint<C>>(own_points), {});
        ranks.msm<C>(first, bases, {}, one);
    } else {
        ranks.msm<C>(first, own_points, {}, one);
    }
    require(are_equal<C>(one, expected[0]), "a sum over prepared bases is not the host's");
    points_to_montgomery_form<C>(std::span<AffinePoint<C>>(own_points));
    MsmConfig montgomery;
    montgomery.are_points_montgomery_form = true;
    ranks.msm<C>(first, own_points, montgomery, one);
    AffinePoint<C> coordinates[] = {{one.x, one.y}};
    points_from_montgomery_form<C>(std::span<AffinePoint<C>>(coordinates));
    require(coordinates[0] == to_affine<C>(expected[0]), "a sum in Montgomery form is not the host's");
    out << hexadecimal<C>(expected[0]) << ' ';
    // The terms of one rank alone.
    const bool is_last = ranks.rank() == ranks.size() - 1;
    ranks.msm<C>(random_scalars(is_last ? 3 : 0, 1), std::span<const AffinePoint<C>>(points.data(), is_last ? 3 : 0), {}, one);
    require(are_equal<C>(one, sum_of_terms<C>(random_scalars(3, 1), std::span(points).first(3))),
            "a sum of the last rank's terms is wrong");
}

void msm_scenario(const MpiPool& ranks, Text& out) {
    for (const Curve curve : {Curve::bn254, Curve::bls12_381, Curve::bls12_377, Curve::bn254_g2, Curve::bls12_381_g2})
        with_curve(curve, [&]<Curve C>() { check_msms<C>(ranks, out); });
}

// ----------------------------------------------------------------------------------------------------------------------- reductions

/// Element i of a rank's array.
template <class T>
T element(int rank, std::size_t i) {
    const auto number = static_cast<int>((static_cast<std::size_t>(rank) * 31 + i * 7) % 101) - 50;
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
        return T(static_cast<float>(number) / 8);
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(number) / 3 + static_cast<T>(1) / static_cast<T>(1 << 20);
    } else {
        return static_cast<T>(number);
    }
}

template <class T>
std::vector<T> elements(int rank, std::size_t count) {
    std::vector<T> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = element<T>(rank, i);
    return all;
}

/// What all_reduce() must give, from all ranks' elements.
template <class T>
std::vector<T> combined(int ranks, std::size_t count, ReduceOperation operation) {
    constexpr bool is_float16 = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
    using Wide = std::conditional_t<is_float16, float, T>;
    std::vector<T> results(count);
    for (std::size_t i = 0; i < count; ++i) {
        auto value = static_cast<Wide>(element<T>(0, i));
        for (int rank = 1; rank < ranks; ++rank) {
            const auto other = static_cast<Wide>(element<T>(rank, i));
            switch (operation) {
                case ReduceOperation::sum: value = static_cast<Wide>(value + other); break;
                case ReduceOperation::product: value = static_cast<Wide>(value * other); break;
                case ReduceOperation::min: value = std::min(value, other); break;
                case ReduceOperation::max: value = std::max(value, other); break;
            }
        }
        results[i] = static_cast<T>(value);
    }
    return results;
}

template <class T>
bool have_equal_bits(const std::vector<T>& left, const std::vector<T>& right) {
    return left.size() == right.size() && (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(T)) == 0);
}

template <class T>
void check_all_reduce(const MpiPool& ranks, ReduceOperation operation) {
    for (const std::size_t count : {0, 1, 2, 7, 1000, 3001}) {
        const std::vector<T> expected = combined<T>(ranks.size(), count, operation);
        std::vector<T> mine = elements<T>(ranks.rank(), count);
        std::vector<T> results(count);
        ranks.all_reduce<T>(std::span<const T>(mine), std::span<T>(results), operation);
        require(have_equal_bits(results, expected), "all_reduce differs on the host");
        ranks.all_reduce<T>(std::span<const T>(mine), std::span<T>(mine), operation);
        require(have_equal_bits(mine, expected), "all_reduce in place differs");
        mine = elements<T>(ranks.rank(), count);
        if (ranks.pool().is_host()) {
            ranks.all_reduce<T>(std::span<const T>(mine), std::span<T>(results), operation);
        } else {
            const DeviceContext& device = ranks.pool().context_at(0);
            DeviceBuffer<T> buffer = buffer_with(mine, device);
            const MpiReport report = ranks.all_reduce<T>(buffer.span(), buffer.span(), operation);
            require(report.bytes_staged == 2 * count * sizeof(T), "the report tells of other bytes on the device");
            results = content_of(buffer, device);
        }
        require(have_equal_bits(results, expected), "all_reduce differs on devices");
    }
}

template <class T, class R>
void check_reduce(const MpiPool& ranks, ReduceOperation operation) {
    std::vector<R> values;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        R value{};
        const std::vector<T> own = elements<T>(rank, 100);
        reduce<T, R>(std::span<const T>(own), operation, ReduceConfig::default_for_host(), value);
        if (rank != 1) values.push_back(value);  // rank 1 has nothing
    }
    R expected{};
    reduce<R, R>(std::span<const R>(values), operation, ReduceConfig::default_for_host(), expected);
    R result{};
    const std::vector<T> own = elements<T>(ranks.rank(), ranks.rank() == 1 ? 0 : 100);
    ranks.reduce<T, R>(own, operation, result);
    require(std::memcmp(&result, &expected, sizeof result) == 0, "reduce over ranks differs");
}

void reduce_scenario(const MpiPool& ranks, Text&) {
    check_all_reduce<float>(ranks, ReduceOperation::sum);
    check_all_reduce<double>(ranks, ReduceOperation::sum);
    check_all_reduce<double>(ranks, ReduceOperation::min);
    check_all_reduce<Float16>(ranks, ReduceOperation::sum);
    check_all_reduce<std::int64_t>(ranks, ReduceOperation::product);
    check_all_reduce<std::uint8_t>(ranks, ReduceOperation::max);
    check_reduce<std::int32_t, std::int64_t>(ranks, ReduceOperation::sum);
    check_reduce<float, double>(ranks, ReduceOperation::sum);
    check_reduce<std::int16_t, std::int16_t>(ranks, ReduceOperation::min);
    Float16 half{};
    const std::vector<Float16> ones(3, Float16(1.0f));
    ranks.reduce<Float16, Float16>(ones, ReduceOperation::sum, half);
    require(static_cast<float>(half) == static_cast<float>(3 * ranks.size()), "a sum of f16 is wrong");
    std::uint64_t none = 1;
    ranks.reduce<std::uint64_t, std::uint64_t>(std::span<const std::uint64_t>(), ReduceOperation::sum, none);
    require(none == 0, "the sum of nothing is not 0");
    const Error nothing =
        error_of<Error>([&] { ranks.reduce<std::uint64_t, std::uint64_t>(std::span<const std::uint64_t>(), ReduceOperation::min, none); });
    require(nothing.category() == ErrorCategory::invalid_argument, "the minimum of nothing is no invalid_argument");
    std::vector<float> floats(3);
    const Error product = error_of<Error>(
        [&] { ranks.all_reduce<float>(std::span<const float>(floats), std::span<float>(floats), ReduceOperation::product); });
    require(product.category() == ErrorCategory::unsupported, "a product of floats is not unsupported");
}

// ------------------------------------------------------------------------------------------------------------------------ transfers

/// Calls use(operand) with an array of this rank's device if it has one, else of the host, and returns its content after that.
template <class T, class Use>
std::vector<T> with_output(const MpiPool& ranks, std::vector<T> content, Use use) {
    if (ranks.pool().is_host()) {
        use(OutputOperand<T>(std::span<T>(content)));
        return content;
    }
    const DeviceContext& device = ranks.pool().context_at(0);
    DeviceBuffer<T> buffer = buffer_with(content, device);
    use(OutputOperand<T>(buffer.span()));
    return content_of(buffer, device);
}

using Number = std::uint32_t;

std::vector<Number> numbers(int rank, std::size_t count) {
    std::vector<Number> all(count);
    std::iota(all.begin(), all.end(), static_cast<Number>(rank) * 100'000);
    return all;
}

void check_broadcasts(const MpiPool& ranks) {
    for (const std::size_t count : {0, 1, 256, 257, 2000}) {
        for (int root = 0; root < ranks.size(); ++root) {
            const std::vector<Number> got = with_output(ranks, numbers(ranks.rank(), count),
                                                        [&](const OutputOperand<Number>& array) { ranks.broadcast<Number>(array, root); });
            require(got == numbers(root, count), "a broadcast differs");
        }
    }
}

void check_gathers(const MpiPool& ranks) {
    const auto size_of = [](int rank) { return static_cast<std::size_t>(rank * 300 % 700); };  // none of rank 0
    std::vector<Number> expected;
    std::size_t own_offset = 0;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        if (rank == ranks.rank()) own_offset = expected.size();
        const std::vector<Number> theirs = numbers(rank, size_of(rank));
        expected.insert(expected.end(), theirs.begin(), theirs.end());
    }
    const std::vector<Number> mine = numbers(ranks.rank(), size_of(ranks.rank()));
    const std::vector<Number> got = with_output(ranks, std::vector<Number>(expected.size()), [&](const OutputOperand<Number>& all) {
        ranks.all_gather<Number>(std::span<const Number>(mine), all);
    });
    require(got == expected, "a gather differs");
    std::vector<Number> in_place(expected.size());
    std::copy(mine.begin(), mine.end(), in_place.begin() + static_cast<std::ptrdiff_t>(own_offset));
    const std::vector<Number> got_in_place = with_output(ranks, in_place, [&](const OutputOperand<Number>& all) {
        ranks.all_gather<Number>(all.as_input().subspan(own_offset, mine.size()), all);
    });
    require(got_in_place == expected, "a gather in place differs");
}

/// Every rank sends to the next one, both from threads.
void check_messages(const MpiPool& ranks) {
    if (ranks.size() == 1) return;
    const int next = (ranks.rank() + 1) % ranks.size();
    const int previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
    for (const std::size_t count : {0, 5, 3000}) {
        const std::vector<Number> mine = numbers(ranks.rank(), count);
        std::thread sender([&] { ranks.send<Number>(std::span<const Number>(mine), next, 5); });
        const std::vector<Number> got = with_output(ranks, std::vector<Number>(count),
                                                    [&](const OutputOperand<Number>& array) { ranks.receive<Number>(array, previous, 5); });
        sender.join();
        require(got == numbers(previous, count), "a message differs");
    }
    // One that is expected with another size; the next one is right again.
    const std::vector<Number> mine = numbers(ranks.rank(), 700);
    std::thread sender([&] {
        ranks.send<Number>(std::span<const Number>(mine), next);
        ranks.send<Number>(std::span<const Number>(mine), next);
    });
    std::vector<Number> got(699);
    const Error error = error_of<Error>([&] { ranks.receive<Number>(std::span<Number>(got), previous); });
    require(error.category() == ErrorCategory::invalid_argument && error.message().find("2800 bytes") != std::string::npos, error.what());
    got.resize(700);
    ranks.receive<Number>(std::span<Number>(got), previous);
    sender.join();
    require(got == numbers(previous, 700), "the message after one of another size differs");
    require(error_of<Error>([&] { ranks.send<Number>(std::span<const Number>(mine), ranks.rank()); }).category() ==
                ErrorCategory::invalid_argument,
            "a rank may send to itself");
    require(error_of<Error>([&] { ranks.send<Number>(std::span<const Number>(mine), next, 40'000); }).category() ==
                ErrorCategory::invalid_argument,
            "a tag may be 40000");
}

void transfer_scenario(const MpiPool& ranks, Text&) {
    check_broadcasts(ranks);
    check_gathers(ranks);
    check_messages(ranks);
    ranks.barrier();
}

// -------------------------------------------------------------------------------------------------------------------------- kernels

constexpr const char* add_one_ptx = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry add_one(.param .u64 numbers)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<3>;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d1, %r1, 4;
    ld.param.u64 %d2, [numbers];
    add.u64 %d2, %d2, %d1;
    ld.global.u32 %r2, [%d2];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%d2], %r2;
    ret;
}
)";

void kernel_scenario(const MpiPool& ranks, Text&) {
    std::vector<KernelWork> works;
    for (Number i = 0; i < 7; ++i)
        works.push_back({add_one_ptx, "add_one", {1, 4}, {KernelOperand::inout(std::vector<Number>{i, 10 * i, 3, 4})}});
    const std::vector<KernelOutputs> outputs = ranks.run_kernels(works);
    require(outputs.size() == works.size(), "there are other outputs than works");
    for (Number i = 0; i < 7; ++i)
        require(outputs[i].array<Number>(0) == std::vector<Number>{i + 1, 10 * i + 1, 4, 5}, "an output of a kernel is wrong");
    if (ranks.size() == 1) return;
    works[3].operands = {KernelOperand::inout(std::vector<Number>{static_cast<Number>(ranks.rank()), 0, 0, 0})};
    const Error differing = error_of<Error>([&] { ranks.run_kernels(works); });
    require(differing.category() == ErrorCategory::invalid_argument, "works that differ between ranks are no error");
}

void no_device_scenario(const MpiPool& ranks, Text&) {
    const std::vector<KernelWork> works{{add_one_ptx, "add_one", {1, 4}, {KernelOperand::inout(std::vector<Number>(4))}}};
    require(error_of<Error>([&] { ranks.run_kernels(works); }).category() == ErrorCategory::no_device, "kernels ran on hosts");
}

// -------------------------------------------------------------------------------------------------------------------------- failures

/// Each rank calls something else, or with other sizes: an error on all. The pool goes on.
void disagreement_scenario(const MpiPool& ranks, Text& out) {
    std::vector<float> array(static_cast<std::size_t>(10 + ranks.rank()));
    const auto reduce_own = [&] { ranks.all_reduce<float>(std::span<const float>(array), std::span<float>(array), ReduceOperation::sum); };
    const Error sizes = error_of<Error>(reduce_own);
    require(sizes.category() == ErrorCategory::invalid_argument && sizes.message().find("all_reduce of 11 f32 by sum") != std::string::npos,
            sizes.what());
    require(sizes.location().line != 0 && std::string(sizes.location().file).find("mpi_program") != std::string::npos,
            "not the caller's line");
    const Error calls = error_of<Error>([&] {
        if (ranks.rank() == 0) return ranks.barrier();
        reduce_own();
    });
    require(calls.category() == ErrorCategory::invalid_argument && calls.message().find("rank 0 calls barrier") != std::string::npos,
            calls.what());
    JacobianPoint<Curve::bn254> g1{};
    JacobianPoint<Curve::bls12_381> other{};
    const Error curves = error_of<Error>([&] {
        if (ranks.rank() == 0) {
            ranks.msm<Curve::bn254>(std::vector<Scalar>(), std::vector<AffinePoint<Curve::bn254>>(), {}, g1);
        } else {
            ranks.msm<Curve::bls12_381>(std::vector<Scalar>(), std::vector<AffinePoint<Curve::bls12_381>>(), {}, other);
        }
    });
    require(curves.category() == ErrorCategory::invalid_argument, curves.what());
    std::vector<float> input(static_cast<std::size_t>(ranks.rank() + 1));
    std::vector<float> output(1);
    const Error gather = error_of<Error>([&] { ranks.all_gather<float>(std::span<const float>(input), std::span<float>(output)); });
    require(gather.category() == ErrorCategory::invalid_argument, gather.what());
    ranks.barrier();
    out << sizes.message();
}

/// Rank 1 breaks its promise about the scalars: its own error there, RankError on the others.
void failing_rank_scenario(const MpiPool& ranks, Text& out) {
    const std::vector<AffinePoint<Curve::bn254>> points = generator_multiples<Curve::bn254>(1, 4);
    const std::vector<Scalar> scalars = random_scalars(4, 3);
    JacobianPoint<Curve::bn254> sum{};
    MsmConfig config;
    config.bitsize = ranks.rank() == 1 ? 8 : 0;
    const Error error = error_of<Error>([&] { ranks.msm<Curve::bn254>(scalars, points, config, sum); });
    require(error.category() == (ranks.rank() == 1 ? ErrorCategory::invalid_argument : ErrorCategory::worker_lost), error.what());
    if (ranks.rank() != 1) {
        const RankError failed = error_of<RankError>([&] { ranks.msm<Curve::bn254>(scalars, points, config, sum); });
        require(failed.kind() == RankError::Kind::failed && failed.rank() == 1, failed.what());
        out << failed.message();
    } else {
        error_of<Error>([&] { ranks.msm<Curve::bn254>(scalars, points, config, sum); });
    }
    config.bitsize = 0;
    ranks.msm<Curve::bn254>(scalars, points, config, sum);
    require(to_affine<Curve::bn254>(sum) == multiply<Curve::bn254>(to_affine<Curve::bn254>(sum_of_terms<Curve::bn254>(scalars, points)),
                                                                   {{static_cast<std::uint64_t>(ranks.size())}}),
            "the sum after a failure is wrong");
}

/// Calls of all kinds, again and again.
void use_until_lost(const MpiPool& ranks) {
    const std::vector<AffinePoint<Curve::bn254>> points = generator_multiples<Curve::bn254>(1, 2);
    const std::vector<Scalar> scalars = random_scalars(2, 3);
    JacobianPoint<Curve::bn254> sum{};
    std::vector<float> array(600);
    const int next = (ranks.rank() + 1) % ranks.size();
    const int previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
    for (int i = 0; i < 1000; ++i) {
        ranks.msm<Curve::bn254>(scalars, points, {}, sum);
        ranks.all_reduce<float>(std::span<const float>(array), std::span<float>(array), ReduceOperation::max);
        ranks.broadcast<float>(std::span<float>(array), i % ranks.size());
        if (ranks.rank() == 0) ranks.send<float>(std::span<const float>(array), next);
        ranks.receive<float>(std::span<float>(array), previous);
        if (ranks.rank() != 0) ranks.send<float>(std::span<const float>(array), next);
    }
}

/// A rank is lost at any time, also while the pools are made: the error of all others, and of all their later calls.
void lost_rank_scenario(const std::string& engine, Text& out) {
    std::optional<MpiPool> made;
    const RankError lost = error_of<RankError>([&] {
        made.emplace(own_pool(engine), options());
        use_until_lost(*made);
    });
    require(lost.kind() == RankError::Kind::lost, lost.what());
    if (made) require(error_of<RankError>([&] { made->barrier(); }).kind() == RankError::Kind::lost, "a call after the loss");
    out << lost.rank() << ' ' << lost.message();
}

/// Rank 1 destroys its pool before the others' last call.
void leaving_rank_scenario(MpiPool ranks, Text& out) {
    ranks.barrier();
    if (ranks.rank() == 1) return;
    const RankError lost = error_of<RankError>([&] { ranks.barrier(); });
    require(lost.kind() == RankError::Kind::lost, lost.what());
    out << lost.message();
}

/// Rank 1 does not make the second pool.
void missing_rank_scenario(const std::string& engine, Text& out) {
    const MpiPool first(own_pool(engine), options());
    if (first.rank() == 1) {
        std::this_thread::sleep_for(std::chrono::seconds(1000));
    }
    const RankError error = error_of<RankError>([&] { MpiPool(own_pool(engine), options()); });
    require(error.kind() == RankError::Kind::lost, error.what());
    out << error.message();
}

/// The pool still exists when the process exits: of all ranks, or of rank 1 while the others call.
void exiting_scenario(const std::string& engine, bool is_one_alone, Text& out) {
    const auto* const ranks = new MpiPool(own_pool(engine), options());
    ranks->barrier();
    if (!is_one_alone || ranks->rank() == 1) return;
    const RankError lost = error_of<RankError>([&] { ranks->barrier(); });
    require(lost.kind() == RankError::Kind::lost && lost.rank() == 1, lost.what());
    out << lost.message();
}

/// Rank 1 dies while the others call nothing; these exit with their pools.
void unnoticed_loss_scenario(const std::string& engine) {
    const auto* const ranks = new MpiPool(own_pool(engine), options());
    ranks->barrier();
    if (ranks->rank() == 1) ::raise(SIGKILL);
    std::this_thread::sleep_for(2 * options().silence);
}

/// A rank is busy with its own code for longer than the silence, and is not taken for lost. The same of several threads' calls at once.
void busy_scenario(const MpiPool& ranks, Text&) {
    if (ranks.rank() == 1) std::this_thread::sleep_for(2 * options().silence);
    ranks.barrier();
    std::vector<std::thread> threads;
    const int other = ranks.rank() ^ 1;
    for (int tag = 0; tag < 4; ++tag) {
        threads.emplace_back([&, tag] {
            const std::vector<Number> mine = numbers(ranks.rank() + tag, 2000);
            std::vector<Number> got(2000);
            std::thread sender([&] { ranks.send<Number>(std::span<const Number>(mine), other, tag); });
            ranks.receive<Number>(std::span<Number>(got), other, tag);
            sender.join();
            require(got == numbers(other + tag, 2000), "a message of one of several threads differs");
        });
    }
    for (int i = 0; i < 50; ++i) {
        std::int64_t sum = 0;
        ranks.reduce<std::int64_t, std::int64_t>(std::vector<std::int64_t>{i}, ReduceOperation::sum, sum);
        require(sum == i * ranks.size(), "a sum beside messages is wrong");
    }
    for (std::thread& thread : threads) thread.join();
}

/// The ranks' options differ.
void options_scenario(const std::string& engine, Text& out) {
    MpiOptions given = options();
    given.chunk_bytes = 1024 * static_cast<std::size_t>(launched_rank() + 1);
    const Error differing = error_of<Error>([&] { MpiPool(own_pool(engine), given); });
    require(differing.category() == ErrorCategory::invalid_argument, differing.what());
    // One rank's are out of their range.
    const auto refused = [&](const auto& change, const std::string& text) {
        given = options();
        if (launched_rank() == 1) change();
        const Error error = error_of<Error>([&] { MpiPool(own_pool(engine), given); });
        require(error.category() == (launched_rank() == 1 ? ErrorCategory::invalid_argument : ErrorCategory::worker_lost), error.what());
        require(error.message().find(text) != std::string::npos, error.what());
    };
    refused([&] { given.heartbeat = std::chrono::milliseconds(0); }, "heartbeat is 0 ms");
    refused([&] { given.silence = std::chrono::milliseconds(999); }, "silence is 999 ms");
    refused([&] { given.start_deadline = std::chrono::milliseconds(-1); }, "start_deadline is -1 ms");
    refused([&] { given.chunk_bytes = 100; }, "chunk_bytes is 100");
    refused([&] { given.weight = -1; }, "weight is -1");
    given = options();
    given.weight = launched_rank() == 0 ? 3 : 1;
    const MpiPool ranks(own_pool(engine), given);
    require(ranks.share_of(0, 1000).count == 1000 * 3 / static_cast<std::uint64_t>(ranks.size() + 2),
            "the share of rank 0 is not by its weight");
    std::uint64_t next = 0;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        const RankShare share = ranks.share_of(rank, 1000);
        require(share.offset == next, "shares overlap or leave gaps");
        next += share.count;
    }
    require(next == 1000, "the shares are not all items");
    out << differing.message();
}

/// Rank 0 gives an array on a device that it does not have, in calls of all ranks and in a message: an error there, and RankError
/// elsewhere.
void failing_transfer_scenario(const MpiPool& ranks, Text&) {
    const DeviceSpan<Number> nowhere(256, 300, 63);
    std::vector<Number> array(300);
    const auto expect_failure = [&](const auto& call) {
        const bool fails_here = ranks.rank() == 0;
        const Error error =
            error_of<Error>([&] { call(fails_here ? OutputOperand<Number>(nowhere) : OutputOperand<Number>(std::span<Number>(array))); });
        const ErrorCategory own = ranks.pool().is_host() ? ErrorCategory::unsupported : ErrorCategory::wrong_context;
        require(error.category() == (fails_here ? own : ErrorCategory::worker_lost), error.what());
        ranks.barrier();
    };
    expect_failure([&](const OutputOperand<Number>& own) { ranks.broadcast<Number>(own, 0); });
    expect_failure([&](const OutputOperand<Number>& own) { ranks.broadcast<Number>(own, 1); });
    expect_failure([&](const OutputOperand<Number>& own) { ranks.all_reduce<Number>(own.as_input(), own, ReduceOperation::sum); });
    if (ranks.rank() == 0) {
        require(error_of<Error>([&] { ranks.send<Number>(nowhere, 1); }).category() != ErrorCategory::worker_lost,
                "the sender's own error");
        ranks.send<Number>(std::span<const Number>(array), 1);
    } else if (ranks.rank() == 1) {
        const RankError failed = error_of<RankError>([&] { ranks.receive<Number>(std::span<Number>(array), 0); });
        require(failed.kind() == RankError::Kind::failed && failed.rank() == 0, failed.what());
        ranks.receive<Number>(std::span<Number>(array), 0);
    }
    ranks.barrier();
}

void forked_scenario(const MpiPool& ranks, Text&) {
    const pid_t child = ::fork();
    if (child == 0) {
        const bool are_refused = error_of<Error>([&] { ranks.barrier(); }).category() == ErrorCategory::forked &&
                                 error_of<Error>([&] { MpiPool(DevicePool::host(1)); }).category() == ErrorCategory::forked;
        std::exit(are_refused ? 0 : 1);
    }
    int status = -1;
    require(::waitpid(child, &status, 0) == child && status == 0, "a forked child may use the pool");
    MpiPool moved = ranks;
    const MpiPool target = std::move(moved);
    require(error_of<Error>([&] { moved.barrier(); }).category() == ErrorCategory::wrong_context, "a pool that was moved from");  // NOLINT
    target.barrier();
}

void run(const std::string& scenario, const std::string& engine, Text& out) {
    if (scenario == "missing") return missing_rank_scenario(engine, out);
    if (scenario.starts_with("lost")) return lost_rank_scenario(engine, out);
    if (scenario == "exiting" || scenario == "one_exits") return exiting_scenario(engine, scenario == "one_exits", out);
    if (scenario == "unnoticed_loss") return unnoticed_loss_scenario(engine);
    if (scenario == "options") return options_scenario(engine, out);
    const MpiPool ranks(own_pool(engine), options());
    static const std::map<std::string, std::function<void(const MpiPool&, Text&)>> scenarios{
        {"msm", msm_scenario},
        {"reduce", reduce_scenario},
        {"transfers", transfer_scenario},
        {"kernels", kernel_scenario},
        {"no_device", no_device_scenario},
        {"disagreement", disagreement_scenario},
        {"failing", failing_rank_scenario},
        {"leaving", leaving_rank_scenario},
        {"forked", forked_scenario},
        {"busy", busy_scenario},
        {"failing_transfer", failing_transfer_scenario},
    };
    require(ranks.ranks().size() == static_cast<std::size_t>(ranks.size()), "not as many descriptions as ranks");
    require(ranks.ranks()[static_cast<std::size_t>(ranks.rank())].process == ::getpid(), "another process is described as this rank");
    scenarios.at(scenario)(ranks, out);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const std::string name = std::string(argv[2]) + "/rank." + std::to_string(launched_rank());
    Text out;
    int code = 0;
    try {
        run(argv[1], argc > 3 ? argv[3] : "host", out);
        out << "ok";
    } catch (const std::exception& error) {
        out << "failed: " << error.what();
        code = 1;
    }
    std::ofstream(name + ".new") << out.str();
    ::rename((name + ".new").c_str(), name.c_str());
    // Launchers kill the other ranks when one ends without MPI_Finalize: each first gets the time to notice the loss.
    const std::string scenario = argv[1];
    if (scenario == "lost" || scenario == "missing" || scenario == "leaving" || (scenario == "one_exits" && launched_rank() != 1))
        std::this_thread::sleep_for(std::chrono::seconds(20));
    return code;
}
