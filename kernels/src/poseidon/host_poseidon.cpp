#include "poseidon/host_poseidon.hpp"

#include <algorithm>
#include <vector>

#include "poseidon/host_permutation.hpp"
#include "support/parallel_for.hpp"

namespace cupool::detail {

namespace {

/// Sponges that a thread computes before it takes the next ones: about a millisecond.
constexpr std::size_t sponges_of_task = 64;

/// Sponges of one row; what PoseidonLaunch says, on the host.
template <Curve C, class Permutation>
class HostSponges {
public:
    using Field = ScalarField<C>;

    HostSponges(const PoseidonJob<C>& job, const PoseidonSponges& sponges, const Scalar* inputs, Scalar* outputs)
        : job_(job), sponges_(sponges), inputs_(inputs + sponges.first_input), outputs_(outputs) {}

    void run(std::size_t begin, std::size_t end) const {
        Permutation permutation(job_.poseidon);
        for (std::size_t i = begin; i < end; ++i) run(permutation, i);
    }

private:
    void run(Permutation& permutation, std::size_t sponge) const {
        const std::span<Field> state = permutation.state();
        const Scalar* inputs = inputs_ + sponge * sponges_.input_stride;
        std::fill(state.begin(), state.end(), Field::zero());
        if (sponges_.tag_position < state.size()) state[sponges_.tag_position] = job_.tag;
        for (std::uint64_t absorbed = 0; absorbed < sponges_.input_length; absorbed += sponges_.rate) {
            const std::uint64_t count = std::min<std::uint64_t>(sponges_.rate, sponges_.input_length - absorbed);
            for (std::uint64_t i = 0; i < count; ++i) {
                Field& element = state[sponges_.first_rate_position + i];
                element = element + input(inputs[absorbed + i]);
            }
            permutation.permute();
        }
        for (std::uint32_t i = 0; i < sponges_.output_length; ++i) {
            Field element = state[sponges_.first_output + i];
            if (sponges_.adds_inputs) element = element + input(inputs[sponges_.first_output + i]);
            outputs_[sponge * sponges_.output_length + i] = job_.config.is_montgomery_form ? element.montgomery() : element.standard();
        }
    }

    Field input(Scalar scalar) const {
        if (!job_.config.is_montgomery_form) return Field::from_standard(scalar);
        for (Scalar less = scalar; subtract_from(less, Field::modulus) == 0;) scalar = less;
        return Field::from_montgomery(scalar);
    }

    const PoseidonJob<C>& job_;
    const PoseidonSponges& sponges_;
    const Scalar* inputs_;
    Scalar* outputs_;
};

template <Curve C>
void run_row(const PoseidonJob<C>& job, const PoseidonSponges& sponges, const Scalar* inputs, Scalar* outputs) {
    parallel_for_blocks(sponges.count, sponges_of_task, job.config.ctx.host_threads(), [&](std::size_t begin, std::size_t end) {
        if (job.poseidon.variant == PoseidonVariant::poseidon2) {
            HostSponges<C, HostPoseidon2<C>>(job, sponges, inputs, outputs).run(begin, end);
        } else {
            HostSponges<C, HostPoseidon<C>>(job, sponges, inputs, outputs).run(begin, end);
        }
    });
}

}  // namespace

template <Curve C>
void poseidon_on_host(const PoseidonJob<C>& job) {
    const Scalar* inputs = job.inputs.host().data();
    std::vector<Scalar> previous;  // a row that is not kept
    for (const PoseidonRow& row : job.rows) {
        if (row.is_kept) {
            Scalar* outputs = job.outputs.host().data() + row.first_output;
            run_row(job, row.sponges, inputs, outputs);
            inputs = outputs;
        } else {
            std::vector<Scalar> outputs(row.sponges.output_count());
            run_row(job, row.sponges, inputs, outputs.data());
            previous = std::move(outputs);
            inputs = previous.data();
        }
    }
}

template void poseidon_on_host(const PoseidonJob<Curve::bn254>&);
template void poseidon_on_host(const PoseidonJob<Curve::bls12_381>&);

}  // namespace cupool::detail
