// Whichever engine runs, its kernels answer what a GPU answered, to the bit.
#include <algorithm>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "engines.hpp"
#include "kernel_questions.hpp"
#include "sanitizers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// By the question's name; empty where nothing has been recorded.
std::map<std::string, std::string> recorded_answers() {
    std::map<std::string, std::string> answers;
    std::ifstream file(CUPOOL_KERNEL_ANSWERS);
    for (std::string line; std::getline(file, line);) {
        const std::size_t space = line.find(' ');
        if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
        answers.emplace(line.substr(0, space), line.substr(space + 1));
    }
    return answers;
}

/// Compares those of the questions that are not larger than suits the engine.
void check_answers(const std::vector<KernelQuestion>& questions, const std::map<std::string, std::string>& recorded, std::size_t largest) {
    const DeviceContext context = engine_contexts().front();
    for (const KernelQuestion& question : questions) {
        if (question.size > largest) continue;
        const auto wanted = recorded.find(question.name);
        INFO(question.name << " on " << context);
        REQUIRE(wanted != recorded.end());
        CHECK(question.answer(context) == wanted->second);
    }
}

std::size_t largest_msm() {
    if (!is_sanitized) return 4096;
    return is_simulated() ? 31 : 500;
}

std::size_t largest_reduction() {
    if (!is_sanitized) return 1 << 20;
    return is_simulated() ? 4097 : 65536;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("MSMs are what a GPU answered", CUPOOL_CURVES) {
    const auto recorded = recorded_answers();
    if (recorded.empty()) CUPOOL_SKIP("skipped: no answers are recorded");
    check_answers(msm_questions<C>(), recorded, largest_msm());
}

TEST_CASE("reductions are what a GPU answered", "[reduce]") {
    const auto recorded = recorded_answers();
    if (recorded.empty()) CUPOOL_SKIP("skipped: no answers are recorded");
    check_answers(reduce_questions(), recorded, largest_reduction());
}

namespace {

std::size_t largest_array() { return is_sanitized && is_simulated() ? 300 : 5000; }

}  // namespace

TEMPLATE_TEST_CASE_SIG("transforms and element-wise operations are what a GPU answered", CUPOOL_CURVES) {
    const auto recorded = recorded_answers();
    if (recorded.empty()) CUPOOL_SKIP("skipped: no answers are recorded");
    check_answers(field_questions<C>(), recorded, largest_array());
}

TEMPLATE_TEST_CASE_SIG("permutations by Poseidon are what a GPU answered", "[kernels]", ((Curve C), C), Curve::bn254, Curve::bls12_381) {
    const auto recorded = recorded_answers();
    if (recorded.empty()) CUPOOL_SKIP("skipped: no answers are recorded");
    check_answers(poseidon_questions<C>(), recorded, 17);
}
