#include "msm/device/chunks.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "catch.hpp"

using namespace cupool::detail;
using namespace cupool::test;

namespace {

/// Whether the chunks go over all terms of all MSMs, in order.
bool cover(const std::vector<MsmChunk>& chunks, std::size_t msm_count, std::size_t term_count) {
    std::size_t msm = 0;
    std::size_t term = 0;
    for (const MsmChunk& chunk : chunks) {
        if (chunk.first_msm != msm || chunk.first_term != term || chunk.term_count == 0) return false;
        term += chunk.term_count;
        if (chunk.is_last != (term == term_count)) return false;
        if (!chunk.is_last) continue;
        msm += chunk.msm_count;
        term = 0;
    }
    return msm == msm_count && term == 0;
}

}  // namespace

TEST_CASE("what lies on the device is summed in one chunk") {
    const auto chunks = cut_into_chunks({.msm_count = 1, .term_count = 1 << 24, .max_terms = 1 << 30, .max_msms = 1});
    CHECK(chunks.size() == 1);
    CHECK(cover(chunks, 1, 1 << 24));
}

TEST_CASE("chunks of what must be brought grow, and the first is small") {
    const std::size_t terms = 1 << 24;
    for (const ChunkCost& cost : {ChunkCost{1, 1, 1e6}, ChunkCost{1, 1.5, 1e6}, ChunkCost{1, 4.6, 1e6}, ChunkCost{1, 9, 1e6}}) {
        const auto chunks = cut_into_chunks({.msm_count = 2, .term_count = terms, .max_terms = 1 << 30, .max_msms = 1, .cost = cost});
        CAPTURE(cost.sum, chunks.size());
        CHECK(cover(chunks, 2, terms));
        REQUIRE(chunks.size() >= 3);
        CHECK(chunks.back().term_count == terms);  // the second MSM's copies hide behind the first one's work
        CHECK(chunks[0].term_count <= terms / 5);
        for (std::size_t i = 0; i + 3 < chunks.size(); ++i) {
            CHECK(chunks[i + 1].term_count >= chunks[i].term_count);
            CHECK(static_cast<double>(chunks[i + 2].term_count) / static_cast<double>(chunks[i + 1].term_count) ==
                  Approx(static_cast<double>(chunks[i + 1].term_count) / static_cast<double>(chunks[i].term_count)).epsilon(0.01));
        }
    }
}

namespace {

/// The time in which chunks are summed, each brought and handed on while the one before is summed, to the place of the one before that.
double pipeline_time(const std::vector<double>& chunks, const ChunkCost& cost) {
    std::vector<double> brought;
    std::vector<double> forwarded;
    std::vector<double> summed;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const double place_is_free = i < 2 ? 0 : summed[i - 2];
        const double feed_is_free = i < 1 ? 0 : brought[i - 1];
        brought.push_back(std::max(place_is_free, feed_is_free) + chunks[i] * cost.copy);
        forwarded.push_back(std::max(brought[i], i < 1 ? 0 : forwarded[i - 1]) + chunks[i] * cost.forward);
        summed.push_back(std::max(forwarded[i], i < 1 ? 0 : summed[i - 1]) + chunks[i] * cost.sum + (i < 1 ? 0 : cost.start));
    }
    return summed.back();
}

}  // namespace

// By the same model, written once more: what is tried is the search.
TEST_CASE("no other chunks take much less time") {
    std::mt19937_64 random(5);
    const auto between = [&random](double least, double most) { return std::uniform_real_distribution(least, most)(random); };
    for (int i = 0; i < 30; ++i) {
        const auto terms = static_cast<std::size_t>(between(1 << 20, 1 << 24));
        const ChunkCost cost{1, between(0.5, 10), between(0, 0.1) * static_cast<double>(terms), between(0, 1)};
        std::vector<double> chosen;
        for (const MsmChunk& chunk :
             cut_into_chunks({.msm_count = 1, .term_count = terms, .max_terms = 1 << 30, .max_msms = 1, .cost = cost, .min_terms = 1}))
            chosen.push_back(static_cast<double>(chunk.term_count));
        const double time = pipeline_time(chosen, cost);
        for (int other = 0; other < 2000; ++other) {
            std::vector<double> chunks(std::uniform_int_distribution<std::size_t>(1, 6)(random));
            for (double& chunk : chunks) chunk = between(0.01, 1);
            std::sort(chunks.begin(), chunks.end());
            const double sum = std::accumulate(chunks.begin(), chunks.end(), 0.0);
            for (double& chunk : chunks) chunk *= static_cast<double>(terms) / sum;
            CAPTURE(cost.sum, cost.start, terms, chosen, chunks);
            REQUIRE(time <= 1.03 * pipeline_time(chunks, cost));
        }
    }
}

TEST_CASE("the smallest chunks are of one term") {
    const auto chunks = cut_into_chunks({.msm_count = 1, .term_count = 5000, .max_terms = 1, .max_msms = 1, .cost = {1, 9, 0}});
    CHECK(chunks.size() == 5000);
    CHECK(cover(chunks, 1, 5000));
}

TEST_CASE("few terms are not worth several chunks") {
    for (const auto& [terms, start] : {std::pair{1U << 18, 0.0}, {1U << 19, 1e6}}) {
        const ChunkCost cost{1, 4.6, start};
        CHECK(cut_into_chunks({.msm_count = 1, .term_count = terms, .max_terms = 1 << 30, .max_msms = 1, .cost = cost}).size() == 1);
    }
}

TEST_CASE("chunks keep within what memory allows") {
    for (const ChunkCost& cost : {ChunkCost{}, ChunkCost{1, 1.55, 0}}) {
        const auto chunks =
            cut_into_chunks({.msm_count = 3, .term_count = 10'000'000, .max_terms = 1'000'003, .max_msms = 1, .cost = cost});
        CHECK(cover(chunks, 3, 10'000'000));
        for (const MsmChunk& chunk : chunks) CHECK(chunk.term_count <= 1'000'003);
    }
}

TEST_CASE("small MSMs are summed several at a time") {
    const auto chunks = cut_into_chunks({.msm_count = 10, .term_count = 100, .max_terms = 450, .max_msms = 50, .cost = {1, 1, 0}});
    REQUIRE(chunks.size() == 3);
    CHECK(chunks[0].msm_count == 4);
    CHECK(chunks[2].msm_count == 2);
    CHECK(cover(chunks, 10, 100));
    CHECK(cut_into_chunks({.msm_count = 10, .term_count = 100, .max_terms = 4500, .max_msms = 3}).size() == 4);
}
