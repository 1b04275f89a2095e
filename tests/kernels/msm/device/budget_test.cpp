// Which digits, chunks and runs fit a budget of device memory, by the layout that the device follows.
#include "msm/device/budget.hpp"

#include <cupool/kernels/curve.hpp>
#include <limits>

#include "catch.hpp"
#include "inputs.hpp"

using namespace cupool;
using namespace cupool::detail;

namespace {

constexpr std::uint64_t small_budget = std::uint64_t{64} << 20;

enum class Operands { on_host, on_host_with_own_bases, on_device, on_device_with_results };
constexpr Operands all_operands[] = {Operands::on_host, Operands::on_host_with_own_bases, Operands::on_device,
                                     Operands::on_device_with_results};

/// On an H200.
template <Curve C>
MsmWork work_of_size(std::size_t msm_count, std::size_t term_count, Operands operands = Operands::on_host, int bitsize = 0) {
    const bool are_on_host = operands == Operands::on_host || operands == Operands::on_host_with_own_bases;
    return {.msm_count = msm_count,
            .term_count = term_count,
            .have_own_bases = operands == Operands::on_host_with_own_bases,
            .uploads_bases = are_on_host,
            .uploads_scalars = are_on_host,
            .can_join_msms = operands != Operands::on_host,
            .always_joins_bit_sums = operands == Operands::on_device_with_results,
            .scalars = scalar_range<C>(bitsize),
            .coordinate_bytes = sizeof(BaseFieldElement<C>),
            .multiprocessors = 132,
            .rounds_budget = std::uint64_t{150'000'000'000} / 8};
}

/// Page-locked operands, by PCIe.
UploadCost upload_cost_of(const MsmWork& work) {
    const std::size_t bytes = (work.uploads_scalars ? sizeof(Scalar) : 0) + (work.uploads_bases ? 2 * work.coordinate_bytes : 0);
    return {.copy = static_cast<double>(bytes) / 50};
}

/// What a device takes that has this budget: the largest chunks that fit it, or else the smallest ones.
std::size_t bytes_within(const MsmWork& work, DigitChoice digits, std::uint64_t budget) {
    MsmJobLayout layout(work, digits);
    take_chunks(layout.cut(upload_cost_of(work)), [&](std::vector<MsmChunk> chunks, bool are_smallest) {
        layout.lay_out(std::move(chunks));
        return layout.bytes() <= budget || are_smallest;
    });
    return layout.bytes();
}

/// Of the first sub-batch of the work.
std::size_t chosen_bytes(MsmWork work, std::uint64_t budget) {
    const SubBatch sub_batch = choose_sub_batch(work, budget, upload_cost_of(work));
    CHECK(sub_batch.msm_count >= 1);
    CHECK(sub_batch.msm_count <= work.msm_count);
    work.msm_count = sub_batch.msm_count;
    return bytes_within(work, sub_batch.digits, budget);
}

DigitChoice unbudgeted_digits(const MsmWork& work) { return choose_sub_batch(work, 0, upload_cost_of(work)).digits; }

}  // namespace

TEMPLATE_TEST_CASE_SIG("64 MiB are enough for an MSM of any size, wherever its operands are", CUPOOL_EACH_CURVE) {
    for (const Operands operands : all_operands) {
        if (operands == Operands::on_host_with_own_bases) continue;  // of several MSMs
        for (unsigned exponent = 0; exponent <= 26; ++exponent) {
            const std::size_t power = std::size_t{1} << exponent;
            for (const std::size_t terms : {power, power + power / 2 + 1, 2 * power - 1}) {
                CAPTURE(terms, static_cast<int>(operands));
                CHECK(chosen_bytes(work_of_size<C>(1, terms, operands), small_budget) <= small_budget);
            }
        }
    }
    CHECK(chosen_bytes(work_of_size<C>(1, std::size_t{1} << 30), small_budget) <= small_budget);
}

TEMPLATE_TEST_CASE_SIG("64 MiB are enough for batches, which are done in several runs where their sums would take the memory",
                       CUPOOL_EACH_CURVE) {
    struct Batch {
        std::size_t msms, terms;
    };
    for (const Operands operands : all_operands) {
        for (const auto [msms, terms] : {Batch{1024, 1 << 10}, {4, 1 << 22}, {3, 1'000'003}, {8192, 1}, {8192, 1 << 10}, {8192, 1 << 20}}) {
            CAPTURE(msms, terms, static_cast<int>(operands));
            CHECK(chosen_bytes(work_of_size<C>(msms, terms, operands), small_budget) <= small_budget);
        }
    }
}

TEMPLATE_TEST_CASE_SIG("64 MiB are enough where scalars are promised to be small", CUPOOL_EACH_CURVE) {
    for (const int bitsize : {1, 16, 64, 128, 252}) {
        for (const unsigned exponent : {10U, 18U, 22U, 26U}) {
            CAPTURE(bitsize, exponent);
            CHECK(chosen_bytes(work_of_size<C>(1, std::size_t{1} << exponent, Operands::on_host, bitsize), small_budget) <= small_budget);
        }
    }
}

TEMPLATE_TEST_CASE_SIG("64 MiB are enough over up to 2^19 bases that are prepared in any number of tables", CUPOOL_EACH_CURVE) {
    for (unsigned asked = 2; asked <= 64; ++asked) {
        for (unsigned exponent = 10; exponent <= 19; ++exponent) {
            MsmWork work = work_of_size<C>(1, std::size_t{1} << exponent, Operands::on_device);
            work.width = choose_prepared_width(work.term_count, work.scalars, asked);
            const MsmDigits digits = msm_digits(work.scalars, {.width = work.width}, asked);
            work.tables = (digits.digit_count + digits.window_count - 1) / digits.window_count;
            CAPTURE(asked, exponent, work.width);
            CHECK(chosen_bytes(work, small_budget) <= small_budget);
        }
    }
}

TEST_CASE("64 MiB are enough on small and on large devices", "[kernels]") {
    for (const unsigned multiprocessors : {1U, 20U, 46U, 108U, 300U}) {
        for (unsigned exponent = 0; exponent <= 26; exponent += 2) {
            MsmWork work = work_of_size<Curve::bls12_381_g2>(1, std::size_t{1} << exponent);
            work.multiprocessors = multiprocessors;
            CAPTURE(multiprocessors, exponent);
            CHECK(chosen_bytes(work, small_budget) <= small_budget);
        }
    }
}

TEMPLATE_TEST_CASE_SIG("64 MiB are enough for each of several devices that share an MSM's digits", CUPOOL_EACH_CURVE) {
    for (const unsigned devices : {2U, 3U, 8U}) {
        for (const unsigned exponent : {4U, 17U, 20U, 22U, 24U, 26U}) {
            std::vector<MsmWork> works(devices, work_of_size<C>(1, std::size_t{1} << exponent));
            for (unsigned partition = 0; partition < devices; ++partition) {
                works[partition].partition = partition;
                works[partition].partition_count = devices;
            }
            const DigitChoice digits = choose_shared_digits(works, small_budget, upload_cost_of(works[0]));
            for (const MsmWork& work : works) {
                CAPTURE(devices, exponent, work.partition, digits.width);
                CHECK(bytes_within(work, digits, small_budget) <= small_budget);
            }
        }
    }
}

TEST_CASE("devices that share an MSM's digits choose what fits the one that takes most", "[kernels]") {
    std::vector<MsmWork> works(2, work_of_size<Curve::bn254>(1, 1 << 20));
    works[0].partition_count = works[1].partition_count = 2;
    works[1].partition = 1;
    works[1].multiprocessors = 10 * works[0].multiprocessors;  // with more threads it has more sums
    const DigitChoice digits = choose_shared_digits(works, small_budget, upload_cost_of(works[0]));
    CHECK(digits != choose_shared_digits({works.data(), 1}, small_budget, upload_cost_of(works[0])));
    CHECK(bytes_within(works[1], digits, small_budget) <= small_budget);
}

TEMPLATE_TEST_CASE_SIG("digits and runs are those of no budget where these fit it", CUPOOL_EACH_CURVE) {
    for (const Operands operands : all_operands) {
        for (const std::size_t msms : {1, 50}) {
            for (unsigned exponent = 0; exponent <= 26; exponent += 2) {
                const MsmWork work = work_of_size<C>(msms, std::size_t{1} << exponent, operands);
                MsmJobLayout layout(work, unbudgeted_digits(work));
                layout.lay_out(cut_into_chunks(layout.cut(upload_cost_of(work))));
                const SubBatch sub_batch = choose_sub_batch(work, layout.bytes(), upload_cost_of(work));
                CAPTURE(msms, exponent, static_cast<int>(operands), layout.bytes());
                CHECK(sub_batch.msm_count == msms);
                CHECK(sub_batch.digits == layout.choice());
                CHECK(sub_batch.digits == choose_digits(work.term_count, work.scalars, 1, 0, {.msm_count = work.max_joined_msms()}));
            }
        }
    }
}

TEST_CASE("the more memory there is, the wider digits are", "[kernels]") {
    const auto width = [](std::uint64_t budget) {
        const MsmWork work = work_of_size<Curve::bn254>(1, 1 << 24);
        return choose_sub_batch(work, budget, upload_cost_of(work)).digits.width;
    };
    CHECK(width(std::uint64_t{1} << 24) < width(std::uint64_t{1} << 26));
    CHECK(width(std::uint64_t{1} << 26) < width(std::uint64_t{1} << 30));
    CHECK(width(std::uint64_t{1} << 30) < width(0));
}

TEST_CASE("a width that is fixed stays as it is, and the least memory is told where nothing fits", "[kernels]") {
    MsmWork work = work_of_size<Curve::bn254>(1, 1 << 22);
    work.width = 21;
    const SubBatch sub_batch = choose_sub_batch(work, small_budget, {});
    CHECK(sub_batch.digits.width == 21);
    CHECK(bytes_within(work, sub_batch.digits, small_budget) > small_budget);
    work.width = 0;
    work.term_count = 1 << 10;
    constexpr std::uint64_t hopeless = 1000;
    const std::size_t least = bytes_within(work, choose_sub_batch(work, hopeless, {}).digits, hopeless);
    for_each_digit_choice(work.scalars, 1, 0, [&](const DigitChoice& digits) {
        CAPTURE(digits.width, digits.are_scalars_split);
        CHECK(least <= bytes_within(work, digits, hopeless));
    });
    work.msm_count = 8192;
    CHECK(choose_sub_batch(work, hopeless, {}).msm_count == 1);
}

TEST_CASE("a fixed width that takes many sums an MSM is done in runs of fewer MSMs", "[kernels]") {
    MsmWork work = work_of_size<Curve::bls12_381_g2>(8192, 16, Operands::on_device);
    work.width = 2;
    const SubBatch sub_batch = choose_sub_batch(work, small_budget, {});
    CHECK(sub_batch.digits.width == 2);
    CHECK(sub_batch.msm_count < 8192);
    CHECK(chosen_bytes(work, small_budget) <= small_budget);
}

TEST_CASE("a budget that is enough for one MSM is enough for a batch of them", "[kernels]") {
    MsmWork work = work_of_size<Curve::bn254>(1, 16, Operands::on_device);
    work.width = 8;
    const std::uint64_t budget = bytes_within(work, choose_sub_batch(work, 1, {}).digits, 1);
    work.msm_count = 1000;
    CHECK(choose_sub_batch(work, budget, {}).msm_count < 1000);
    CHECK(chosen_bytes(work, budget) <= budget);
}

TEST_CASE("a sub-batch of a large batch has a bounded number of terms, since all its chunks are planned at once", "[kernels]") {
    const MsmWork work = work_of_size<Curve::bn254>(8192, 1 << 20);
    CHECK(choose_sub_batch(work, small_budget, {}).msm_count == 64);
    CHECK(choose_sub_batch(work, 0, {}).msm_count == 8192);
}

TEST_CASE("chunks that are planned alike share their plans, and others do not", "[kernels]") {
    const MsmWork work = work_of_size<Curve::bn254>(2, 1'000'000);
    MsmJobLayout layout(work, {true, 15});
    MsmCut cut = layout.cut({});
    cut.max_terms = 300'000;  // 3 times 300,000 and 100,000
    layout.lay_out(cut_into_chunks(cut));
    REQUIRE(layout.chunks().size() == 8);
    for (std::size_t i = 0; i < 8; ++i) {
        const MsmKernelParams& params = layout.plan(i).params;
        CAPTURE(i);
        CHECK(params.operands.scalar_count == layout.chunks()[i].term_count);
        CHECK((params.carry_over.has_points != 0) == (i % 4 != 0));
        CHECK(leaves_sums(params) == !layout.chunks()[i].is_last);
    }
}
