#include "ntt/pass.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "ntt/plan.hpp"
#include "transforms.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// The digits of an index, one for each pass. The first one is the most significant of an input index, and the least significant of an
/// output index.
struct Digits {
    std::vector<std::uint32_t> values;

    static Digits of_input(const detail::NttDigits& digits, std::uint32_t index) {
        Digits result{{0, 0, 0}};
        for (unsigned i = detail::max_ntt_passes; i-- > 0;) result.take(digits, i, index);
        return result;
    }
    static Digits of_output(const detail::NttDigits& digits, std::uint32_t index) {
        Digits result{{0, 0, 0}};
        for (unsigned i = 0; i < detail::max_ntt_passes; ++i) result.take(digits, i, index);
        return result;
    }
    /// The digits as a number, the first one most significant.
    std::uint32_t position(const detail::NttDigits& digits) const {
        std::uint32_t result = 0;
        for (unsigned i = 0; i < detail::max_ntt_passes; ++i) result = result << digits.bits[i] | values[i];
        return result;
    }
    /// The digits as a number, the first one least significant.
    std::uint32_t index(const detail::NttDigits& digits) const {
        std::uint32_t result = 0;
        for (unsigned i = detail::max_ntt_passes; i-- > 0;) result = result << digits.bits[i] | values[i];
        return result;
    }

private:
    void take(const detail::NttDigits& digits, unsigned i, std::uint32_t& index) {
        values[i] = index & ((1u << digits.bits[i]) - 1);
        index >>= digits.bits[i];
    }
};

/// A batch of transforms, whose passes are followed from an input to an output.
class Paths {
public:
    Paths(unsigned log_size, const NttConfig& config, unsigned max_pass_bits = detail::max_ntt_pass_bits)
        : log_size_(log_size),
          config_(config),
          digits_(detail::ntt_digits(log_size, max_pass_bits)),
          passes_(detail::ntt_passes(std::size_t{1} << log_size, config, max_pass_bits)) {}

    std::size_t pass_count() const { return passes_.size(); }

    /// Whether the input reaches the output, and is multiplied by the root to the power of `input` times `output` on its way.
    bool is_right(std::uint32_t batch, std::uint32_t input, std::uint32_t output) const {
        Digits state = Digits::of_input(digits_, input);
        const Digits ends = Digits::of_output(digits_, output);
        std::uint64_t place = place_of(batch, detail::input_order(config_.ordering), input);
        std::uint64_t exponent = 0;
        for (std::size_t i = 0; i < passes_.size(); ++i) {
            const detail::NttPassShape& pass = passes_[i];
            const std::uint32_t row = std::exchange(state.values[i], 0);
            const std::uint32_t digit = ends.values[i];
            const std::uint32_t number = line_number(pass, batch, state);
            if (number >= pass.line_count()) return false;
            const detail::NttLine line = pass.line(number);
            if (line.batch != batch || line.position != state.position(digits_)) return false;
            if (pass.input_place(line, row) != place) return false;
            place = pass.output_place(line, digit);
            exponent += (std::uint64_t{row} * digit) << (log_size_ - pass.row_bits);
            if (i + 1 < passes_.size()) exponent += pass.twiddle_exponent(line, digit);
            state.values[i] = digit;
        }
        const std::uint64_t mask = (std::uint64_t{1} << log_size_) - 1;
        return place == place_of(batch, detail::output_order(config_.ordering), output) &&
               (exponent & mask) == ((std::uint64_t{input} * output) & mask);
    }

private:
    std::uint64_t place_of(std::uint32_t batch, detail::NttOrder order, std::uint32_t index) const {
        std::uint64_t position = index;
        if (order == detail::NttOrder::mixed) position = Digits::of_output(digits_, index).position(digits_);
        if (order == detail::NttOrder::reversed) position = test::position(true, false, log_size_, index);
        return config_.columns_batch ? position * config_.batch_size + batch : (std::uint64_t{batch} << log_size_) + position;
    }

    /// Lines are counted by their position, but those of the last pass to natural order by the output index.
    std::uint32_t line_number(const detail::NttPassShape& pass, std::uint32_t batch, const Digits& line) const {
        const std::uint32_t position = line.position(digits_);
        const std::uint32_t later = position & ((1u << pass.stride_bits) - 1);
        std::uint32_t within = position >> (pass.stride_bits + pass.row_bits) << pass.stride_bits | later;
        if (pass.is_last != 0 && detail::output_order(config_.ordering) == detail::NttOrder::natural) within = line.index(digits_);
        const std::uint32_t lines = 1u << (log_size_ - pass.row_bits);
        return static_cast<std::uint32_t>(config_.columns_batch ? within * config_.batch_size + batch : batch * lines + within);
    }

    unsigned log_size_;
    NttConfig config_;
    detail::NttDigits digits_;
    std::vector<detail::NttPassShape> passes_;
};

}  // namespace

TEST_CASE("passes take every input to every output with the right power of the root", "[kernels]") {
    for (const auto ordering : all_orderings) {
        for (const bool are_columns : {false, true}) {
            const NttConfig config{.batch_size = 3, .columns_batch = are_columns, .ordering = ordering};
            for (unsigned log_size = 0; log_size <= 6; ++log_size) {
                const Paths paths(log_size, config, 2);
                CHECK(paths.pass_count() == std::max(1u, (log_size + 1) / 2));
                bool are_right = true;
                for (std::uint32_t pair = 0; pair < 1u << (2 * log_size); ++pair) {
                    are_right &= paths.is_right(pair % 3, pair >> log_size, pair & ((1u << log_size) - 1));
                }
                CHECK(are_right);
            }
        }
    }
}

TEST_CASE("passes of transforms of up to 2^30 elements take sampled inputs to sampled outputs with the right power of the root",
          "[kernels]") {
    std::mt19937 random(1);
    for (const auto ordering : all_orderings) {
        for (const bool are_columns : {false, true}) {
            const NttConfig config{.batch_size = 3, .columns_batch = are_columns, .ordering = ordering};
            for (unsigned log_size = 10; log_size <= detail::max_ntt_log_size; ++log_size) {
                const Paths paths(log_size, config);
                CHECK(paths.pass_count() == (log_size + 9) / 10);
                const std::uint32_t last = (std::uint32_t{1} << log_size) - 1;
                bool are_right = paths.is_right(0, last, last) && paths.is_right(2, last, last) && paths.is_right(2, 0, last) &&
                                 paths.is_right(2, last, 0) && paths.is_right(1, last / 2 + 1, last / 2 + 1);
                for (std::uint32_t i = 0; i < 200; ++i) {
                    const auto input = static_cast<std::uint32_t>(random()) & last;
                    are_right &= paths.is_right(i % 3, input, static_cast<std::uint32_t>(random()) & last);
                }
                CHECK(are_right);
            }
        }
    }
}

TEST_CASE("a batch of nearly 2^32 elements has room in the numbers of its lines", "[kernels]") {
    const std::uint32_t batch = 0xffffffff;
    CHECK(Paths(0, {.batch_size = batch}).is_right(batch - 1, 0, 0));
    CHECK(Paths(0, {.batch_size = batch, .columns_batch = true}).is_right(batch - 1, 0, 0));
    CHECK(Paths(1, {.batch_size = batch / 2}).is_right(batch / 2 - 1, 1, 1));
    CHECK(Paths(20, {.batch_size = 4095, .columns_batch = true}).is_right(4094, (1u << 20) - 1, (1u << 20) - 1));
}

TEST_CASE("powers of a transform's root are those of a larger domain's root", "[kernels]") {
    for (const unsigned log_size_of_domain : {5u, 28u, 30u}) {
        const std::uint32_t size_of_domain = std::uint32_t{1} << log_size_of_domain;
        const auto forward = detail::ntt_exponents(log_size_of_domain, 5, false);
        const auto inverse = detail::ntt_exponents(log_size_of_domain, 5, true);
        for (std::uint32_t exponent = 0; exponent < 32; ++exponent) {
            CHECK(forward.of_domain(exponent) == exponent * (size_of_domain / 32));
            CHECK(inverse.of_domain(exponent) == (32 - exponent) % 32 * (size_of_domain / 32));
        }
    }
}
