// Prints what the engine of CUPOOL_TEST_ENGINE answers to every kernel question, a line each: its name and the bits. With a GPU's answers,
// kernel_answers.txt is made.
#include <iostream>

#include "engines.hpp"
#include "kernel_questions.hpp"

namespace {

using namespace cupool::test;

void print_answers(const std::vector<KernelQuestion>& questions, const cupool::DeviceContext& context) {
    for (const KernelQuestion& question : questions) std::cout << question.name << ' ' << question.answer(context) << '\n';
}

}  // namespace

int main() {
    try {
        const cupool::DeviceContext context = engine_contexts().front();
        std::cout << "# What " << context << " answers, as cupool_kernel_answers prints it.\n";
        print_answers(msm_questions<cupool::Curve::bn254>(), context);
        print_answers(msm_questions<cupool::Curve::bls12_381>(), context);
        print_answers(msm_questions<cupool::Curve::bls12_377>(), context);
        print_answers(reduce_questions(), context);
        print_answers(field_questions<cupool::Curve::bn254>(), context);
        print_answers(field_questions<cupool::Curve::bls12_381>(), context);
        print_answers(field_questions<cupool::Curve::bls12_377>(), context);
        print_answers(poseidon_questions<cupool::Curve::bn254>(), context);
        print_answers(poseidon_questions<cupool::Curve::bls12_381>(), context);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
