#include "msm/digit_partitioner.hpp"

#include <algorithm>
#include <cupool/driver/log.hpp>
#include <cupool/driver/pointer_info.hpp>
#include <string>

#include "curve/for_each_curve.hpp"
#include "msm/devices_for_msm.hpp"
#include "msm/oversized_scalar.hpp"
#include "pool_state.hpp"

namespace cupool::detail {

template <Curve C>
std::optional<unsigned> DigitPartitioner::width(const std::vector<MsmPart>& parts, std::size_t terms,
                                                const std::vector<const void*>& operands, const MsmConfig& config, MsmSpread spread) {
    const std::optional<unsigned> width = digit_partition_width<C>(terms, parts.size(), config, spread);
    if (!width || !can_forward_between_all(parts, spread)) return std::nullopt;
    if (spread == MsmSpread::digit_partition) return width;
    // Every device works on every chunk, so the slowest device would delay the others.
    if (!have_equal_weights(parts)) return std::nullopt;
    // Staging pageable memory is faster on threads near each device, and then limits the whole MSM (measured on two H200s).
    return are_page_locked(parts[0], operands) ? width : std::nullopt;
}

bool DigitPartitioner::have_equal_weights(const std::vector<MsmPart>& parts) {
    const std::vector<double> all = pool_.weights();
    return std::all_of(parts.begin(), parts.end(), [&](const MsmPart& part) { return all[part.member] == all[parts[0].member]; });
}

bool DigitPartitioner::are_page_locked(const MsmPart& part, const std::vector<const void*>& operands) {
    bool are_locked = true;
    pool_.guard([&] {
        const ContextView context = pool_.member(part.member).context().context();
        for (const void* const operand : operands) are_locked &= pointer_info(context, operand).kind != MemoryKind::unregistered;
    });
    return are_locked;
}

/// Whether each of these devices can forward terms to each other one.
bool DigitPartitioner::can_forward_between_all(const std::vector<MsmPart>& parts, MsmSpread spread) {
    bool can = true;
    pool_.guard([&] {
        try {
            for (const MsmPart& one : parts) {
                for (const MsmPart& other : parts) can &= can_forward(pool_.peers().path(one.member, other.member), spread);
            }
        } catch (const Error& error) {
            if (poisons_process(error)) throw;
            log(LogLevel::warning, std::string("pool: an MSM's terms are shared, as ways between devices failed: ") + error.what());
            can = false;
        }
    });
    return can;
}

template <Curve C>
RunReport DigitPartitioner::run(const std::vector<MsmPart>& parts, const MsmConfig& config, unsigned width, std::size_t terms,
                                const TermsOfPart<C>& terms_of_part, std::span<JacobianPoint<C>> sums) {
    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    std::vector<std::size_t> members;
    for (const MsmPart& part : parts) {
        members.push_back(part.member);
        report.devices.push_back(pool_.member(part.member).ordinal());
    }
    const auto copy_between = [&](std::size_t to, abi::DevicePointer to_pointer, std::size_t from, abi::DevicePointer from_pointer,
                                  std::size_t bytes, StreamView stream) {
        pool_.peers().copy_async(to, to_pointer, from, from_pointer, bytes, stream, SourceLocation::current());
        pool_.count_copy(from, to, bytes);
        report.bytes += bytes;
    };
    const std::lock_guard one_at_a_time(mutex_);
    pool_.run_together(std::span(members).subspan(1), [&] {
        for (const MsmPart& part : parts) part.lease->begin();
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::size_t k = parts[0].msms.offset + i;
            std::vector<DeviceTerms<C>> of_devices;
            for (const MsmPart& part : parts) of_devices.push_back(terms_of_part(k, part, pool_.member(part.member).context()));
            DigitPartitionedMsm<C> msm(of_devices, copy_between, config, width);
            try {
                sums[i] = msm.run();
            } catch (const OversizedScalar& error) {
                throw_oversized_scalar(k * terms + error.index(), error.bits());
            }
            for (std::size_t place = 0; place < parts.size(); ++place) {
                pool_.member(members[place]).bytes += msm.bytes(place);
                report.bytes += msm.bytes(place);
                report.device_bytes = std::max(report.device_bytes, msm.device_bytes(place));
            }
        }
        for (const MsmPart& part : parts) part.lease->complete();
    });
    return report;
}

#define CUPOOL_INSTANTIATE(C)                                                                                                              \
    template std::optional<unsigned> DigitPartitioner::width<C>(const std::vector<MsmPart>&, std::size_t, const std::vector<const void*>&, \
                                                                const MsmConfig&, MsmSpread);                                              \
    template RunReport DigitPartitioner::run<C>(const std::vector<MsmPart>&, const MsmConfig&, unsigned, std::size_t,                      \
                                                const TermsOfPart<C>&, std::span<JacobianPoint<C>>);
CUPOOL_FOR_EACH_CURVE(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
