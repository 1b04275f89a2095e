#include "ntt/host_ntt.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "curve/for_each_curve.hpp"
#include "ntt/plan.hpp"
#include "ntt/vector_pass.hpp"
#include "support/parallel_for.hpp"
#include "support/uninitialized_array.hpp"

namespace cupool::detail {

namespace {

/// Lines that are transformed side by side: neighbours in memory share cache lines.
constexpr std::size_t lines_of_task = 8;

/// One pass on the host.
template <Curve C>
class HostPass {
public:
    using Field = ScalarField<C>;

    HostPass(const NttJob<C>& job, const NttPassShape& shape, const Scalar* input, Scalar* output)
        : domain_(job.domain),
          shape_(shape),
          is_inverse_(job.is_inverse()),
          roots_(job.domain.host_roots[is_inverse_ ? 1 : 0]),
          exponents_(ntt_exponents(job.domain.log_size, shape.digits.log_size(), is_inverse_)),
          input_(input),
          output_(output) {
        const bool takes_coset = is_inverse_ ? shape.is_last != 0 : shape.is_first != 0;
        const NttPowerTable<C>* coset = takes_coset ? job.coset() : nullptr;
        if (coset != nullptr) coset_ = coset->on_host();
        if (is_inverse_ && shape.is_last != 0) scale_ = Field::from_standard(job.size()).inverse();
    }

    void run(unsigned threads) const {
        parallel_for_blocks(shape_.line_count(), lines_of_task, threads, [&](std::size_t begin, std::size_t end) {
            const std::size_t rows = std::size_t{1} << shape_.row_bits;
            std::vector<NttLine> lines;
            for (std::size_t number = begin; number < end; ++number) lines.push_back(shape_.line(static_cast<std::uint32_t>(number)));
            std::vector<Field> elements(lines.size() * rows);
            for (std::uint32_t row = 0; row < rows; ++row) {
                for (std::size_t i = 0; i < lines.size(); ++i) elements[i * rows + row] = load(lines[i], row);
            }
            for (std::size_t i = 0; i < lines.size(); ++i) transform(std::span(elements).subspan(i * rows, rows));
            for (std::uint32_t digit = 0; digit < rows; ++digit) {
                const std::uint32_t row = reversed_bits(digit, shape_.row_bits);
                for (std::size_t i = 0; i < lines.size(); ++i) store(lines[i], digit, elements[i * rows + row]);
            }
        });
    }

private:
    static Field power(const NttPowers<Field>& powers, std::uint32_t exponent) {
        return powers.high[exponent >> powers.low_bits] * powers.low[low_bits_of(exponent, powers.low_bits)];
    }

    Field load(const NttLine& line, std::uint32_t row) const {
        Scalar limbs = input_[shape_.input_place(line, row)];
        if (shape_.is_first == 0) return Field::from_montgomery(limbs);
        for (Scalar less = limbs; subtract_from(less, Field::modulus) == 0;) limbs = less;
        const Field element = Field::from_montgomery(limbs);
        return !is_inverse_ && coset_.high != nullptr ? element * power(coset_, shape_.position(line, row)) : element;
    }

    /// Decimation in frequency: the results are in bit-reversed order.
    void transform(std::span<Field> elements) const {
        for (unsigned bit = shape_.row_bits; bit-- > 0;) {
            const std::size_t distance = std::size_t{1} << bit;
            const unsigned shift = domain_.root_bits - 1 - bit;
            for (std::size_t block = 0; block < elements.size(); block += 2 * distance) {
                for (std::size_t i = 0; i < distance; ++i) {
                    Field& left = elements[block + i];
                    Field& right = elements[block + i + distance];
                    const Field difference = left - right;
                    left = left + right;
                    right = i == 0 ? difference : roots_[i << shift] * difference;
                }
            }
        }
    }

    void store(const NttLine& line, std::uint32_t digit, Field element) const {
        if (shape_.is_last == 0) {
            element = element * power(domain_.twiddles.on_host(), exponents_.of_domain(shape_.twiddle_exponent(line, digit)));
        } else if (is_inverse_) {
            element = element * scale_;
            if (coset_.high != nullptr) element = element * power(coset_, shape_.output_index(line, digit));
        }
        output_[shape_.output_place(line, digit)] = element.montgomery();
    }

    const NttDomainState<C>& domain_;
    const NttPassShape& shape_;
    bool is_inverse_;
    const std::vector<Field>& roots_;
    NttExponents exponents_;
    const Scalar* input_;
    Scalar* output_;
    NttPowers<Field> coset_{};
    Field scale_ = Field::one();
};

}  // namespace

template <Curve C>
void ntt_on_host(const NttJob<C>& job) {
    const std::vector<NttPassShape> passes = job.passes();
    // The last pass moves elements, except to the mixed order: it cannot read what it overwrites.
    const bool needs_scratch = passes.size() > 1 && passes.back().output_order != NttOrder::mixed;
    UninitializedArray<Scalar> scratch(needs_scratch ? job.outputs.size() : 0);
    Scalar* const between = needs_scratch ? scratch.span().data() : job.outputs.host().data();
    const unsigned threads = job.config.ctx.host_threads();
    for (const NttPassShape& pass : passes) {
        const Scalar* const input = pass.is_first != 0 ? job.inputs.host().data() : between;
        Scalar* const output = pass.is_last != 0 ? job.outputs.host().data() : between;
#if defined(CUPOOL_HAS_VECTOR_FIELD)
        if (VectorPass<C>::is_worthwhile(pass, job.tuning)) {
            VectorPass<C>(job, pass, input, output).run(threads);
            continue;
        }
#endif
        HostPass<C>(job, pass, input, output).run(threads);
    }
}

#define CUPOOL_INSTANTIATE(C) template void ntt_on_host<C>(const NttJob<C>&);
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
