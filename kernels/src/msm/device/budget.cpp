#include "msm/device/budget.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "msm/device/cost_model.hpp"

namespace cupool::detail {

namespace {

/// Digits, and whether they fit a budget.
struct BudgetedDigits {
    DigitChoice digits{};
    bool do_fit = false;
};

DigitChoice choose_unbudgeted(const MsmWork& work) {
    return choose_digits(work.term_count, work.scalars, work.tables, work.width,
                         {.partition_count = work.partition_count, .msm_count = work.max_joined_msms()});
}

/// The layouts of the same chunks on devices that sum one digit partition each.
class SharedLayouts {
public:
    SharedLayouts(std::span<const MsmWork> works, DigitChoice digits) {
        for (const MsmWork& work : works) layouts_.emplace_back(work, digits);
    }

    /// How to cut the work, for the first device.
    MsmCut cut(UploadCost upload) const { return layouts_[0].cut(upload); }

    void lay_out(const std::vector<MsmChunk>& chunks) {
        for (MsmJobLayout& layout : layouts_) layout.lay_out(chunks);
    }

    /// The size of the largest layout in bytes.
    std::size_t bytes() const {
        std::size_t most = 0;
        for (const MsmJobLayout& layout : layouts_) most = std::max(most, layout.bytes());
        return most;
    }

private:
    std::vector<MsmJobLayout> layouts_;
};

/// The estimated time of the work in these chunks, in nanoseconds.
double time_in_chunks(const MsmWork& work, DigitChoice choice, const std::vector<MsmChunk>& chunks, const ChunkCost& cost) {
    const MsmDigits digits = msm_digits(work.scalars, choice, work.tables);
    const double nanoseconds_a_product = nanoseconds_per_digit(work.coordinate_bytes) / products_a_digit;
    double time = 0;
    for (const MsmChunk& chunk : chunks) {
        const CostScope of{.partition_count = work.partition_count, .msm_count = chunk.msm_count};
        time += chunk.is_first() ? msm_cost(work.term_count, digits, of) * nanoseconds_a_product : cost.start;
    }
    return time;
}

/// Chunks of one term each: two of them, since chunks alternate between two upload slots. No chunks
/// take less memory.
std::vector<MsmChunk> smallest_chunks(const MsmWork& work) {
    if (work.term_count == 1) return {{0, 1, 0, 1, true}};
    return {{0, 1, 0, 1, false}, {0, 1, 1, 1, true}};
}

/// The digits of least estimated time, each in the largest chunks that fit the budget.
BudgetedDigits choose_within(std::span<const MsmWork> works, std::uint64_t budget) {
    const MsmWork& work = works[0];
    BudgetedDigits best;
    double best_time = std::numeric_limits<double>::infinity();
    std::size_t min_bytes = std::numeric_limits<std::size_t>::max();
    for_each_digit_choice(work.scalars, work.tables, work.width, [&](const DigitChoice& digits) {
        SharedLayouts layouts(works, digits);
        layouts.lay_out(smallest_chunks(work));
        if (!best.do_fit && layouts.bytes() < min_bytes) {
            best.digits = digits;
            min_bytes = layouts.bytes();
        }
        if (layouts.bytes() > budget) return;
        const MsmCut cut = layouts.cut({});
        take_chunks(cut, [&](const std::vector<MsmChunk>& chunks, bool are_smallest) {
            const double time = time_in_chunks(work, digits, chunks, cut.cost);
            if (time >= best_time) return true;  // smaller chunks would only take longer
            layouts.lay_out(chunks);
            if (layouts.bytes() > budget) return are_smallest;
            best = {digits, true};
            best_time = time;
            return true;
        });
    });
    return best;
}

/// Whether the chunks that would be used without a budget fit it.
bool fits_uncut(std::span<const MsmWork> works, DigitChoice digits, std::uint64_t budget, UploadCost upload) {
    SharedLayouts layouts(works, digits);
    layouts.lay_out(cut_into_chunks(layouts.cut(upload)));
    return layouts.bytes() <= budget;
}

/// The number of MSMs whose sums take at most a quarter of the budget. A sub-batch is planned as a
/// whole, so its number of terms is bounded, too; more terms gain nothing.
std::size_t msms_with_room(const MsmWork& work, DigitChoice digits, std::uint64_t budget) {
    constexpr std::size_t max_terms = std::size_t{1} << 26;
    const std::size_t sums_of_one = MsmJobLayout(work, digits).host_sums_bytes() / work.msm_count;
    return std::clamp<std::size_t>(std::min(budget / 4 / sums_of_one, max_terms / work.term_count), 1, work.msm_count);
}

}  // namespace

SubBatch choose_sub_batch(MsmWork work, std::uint64_t budget, UploadCost upload) {
    const DigitChoice unbudgeted = choose_unbudgeted(work);
    if (budget == 0 || fits_uncut({&work, 1}, unbudgeted, budget, upload)) return {work.msm_count, unbudgeted};
    work.msm_count = msms_with_room(work, unbudgeted, budget);
    for (;; work.msm_count = (work.msm_count + 1) / 2) {
        const BudgetedDigits chosen = choose_within({&work, 1}, budget);
        if (chosen.do_fit || work.msm_count == 1) return {work.msm_count, chosen.digits};
    }
}

DigitChoice choose_shared_digits(std::span<const MsmWork> works, std::uint64_t budget, UploadCost upload) {
    const DigitChoice unbudgeted = choose_unbudgeted(works[0]);
    if (budget == 0 || fits_uncut(works, unbudgeted, budget, upload)) return unbudgeted;
    return choose_within(works, budget).digits;
}

}  // namespace cupool::detail
