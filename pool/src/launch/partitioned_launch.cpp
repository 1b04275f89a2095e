#include <algorithm>
#include <cupool/driver/detail/caller.hpp>
#include <cupool/pool/device_pool.hpp>
#include <utility>

#include "launch/loaded_modules.hpp"
#include "pool_state.hpp"
#include "scheduling/part_times.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void detail::require_same_items(const Division& array, const Slice& slice, const Partition& part, std::size_t argument,
                                const SourceLocation& where) {
    if (slice == part.items()) return;
    ErrorDetails details;
    details.category = ErrorCategory::invalid_argument;
    details.device = part.context.device();
    details.message = "argument " + std::to_string(argument) +
                      " is an array's slice of other items than the launch's part: " + to_string(slice) + ", and not " +
                      to_string(part.items()) + "; the array is divided as " + to_string(array) + "; the launch is divided as " +
                      to_string(part.division) + "; launch with the array's division(), or take slice(part) of the array";
    throw Error(std::move(details), where);
}

PendingPart::PendingPart(std::size_t index, int device, Slice items, std::shared_future<void> done,
                         std::shared_ptr<const Clock::time_point> ended)
    : index_(index), device_(device), items_(items), done_(std::move(done)), ended_(std::move(ended)) {}

const std::shared_future<void>& PendingPart::done(const SourceLocation& where) const {
    if (!done_.valid()) detail::throw_moved_from("the launch's part", where);
    process_.require_own_process("the launch", where);
    return done_;
}

bool PendingPart::is_ready(SourceLocation where) const {
    return done(where).wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void PendingPart::wait(SourceLocation where) const { done(where).wait(); }

std::exception_ptr PendingPart::failure(SourceLocation where) const {
    const std::shared_future<void>& done = this->done(where);
    try {
        done.get();
        return nullptr;
    } catch (...) {
        return std::current_exception();
    }
}

void PendingPart::get(SourceLocation where) const { done(where).get(); }

PendingLaunch::PendingLaunch(std::vector<PendingPart> parts, Clock::time_point start) : parts_(std::move(parts)), start_(start) {}

PendingLaunch::~PendingLaunch() {
    if (parts_ && !process_.is_forked()) wait();
}

const std::vector<PendingPart>& PendingLaunch::parts(SourceLocation where) const {
    if (!parts_) detail::throw_moved_from("the launch", where);
    process_.require_own_process("the launch", where);
    return *parts_;
}

bool PendingLaunch::is_ready(SourceLocation where) const {
    const std::vector<PendingPart>& all = parts(where);
    return std::all_of(all.begin(), all.end(), [](const PendingPart& part) { return part.is_ready(); });
}

void PendingLaunch::wait(SourceLocation where) const {
    for (const PendingPart& part : parts(where)) part.wait(where);
}

RunReport PendingLaunch::get(SourceLocation where) const {
    wait(where);
    RunReport report{.engine = Engine::gpu, .devices = {}, .milliseconds = 0, .bytes = 0};
    Clock::time_point end = start_;
    for (const PendingPart& part : *parts_) {
        part.get(where);
        report.devices.push_back(part.device());
        end = std::max(end, *part.ended_);
    }
    report.milliseconds = std::chrono::duration<double, std::milli>(end - start_).count();
    return report;
}

void DevicePool::require_healthy(const Division& division, const SourceLocation& where) const {
    require_gpu("a kernel of the program's own", where);
    check_division(division, where);
    for (std::size_t i = 0; i < division.size(); ++i) {
        if (division.slices()[i].count == 0) continue;
        if (const auto why = state(where).member(i).quarantine()) {
            throw Error(ErrorCategory::invalid_argument,
                        "the division gives items to device " + std::to_string(devices(where)[i]) + ", which is quarantined (" + *why +
                            "): " + to_string(division) + "; divide again, by DevicePool::divide()",
                        where);
        }
    }
}

PendingLaunch DevicePool::launch_parts(std::string ptx, Division division, LaunchPart launch_part, const SourceLocation& where) const {
    require_gpu("a kernel of the program's own", where);
    check_division(division, where);
    const auto start = Clock::now();
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < division.size(); ++i) {
        if (division.slices()[i].count != 0) indices.push_back(i);
    }
    std::vector<std::shared_ptr<Clock::time_point>> ends(division.size());
    for (const std::size_t index : indices) ends[index] = std::make_shared<Clock::time_point>(start);
    const auto times = detail::report_at(where, [&] { return std::make_shared<detail::PartTimes>(indices.size(), state(where).speeds()); });
    const auto shared = std::make_shared<const Division>(std::move(division));
    const auto run_part = [ptx = std::move(ptx), shared, times, ends, launch_part = std::move(launch_part), where](
                              std::size_t index, const DeviceContext& context) {
        const Slice& items = shared->slices()[index];
        const auto module = detail::report_at(where, [&] { return context.resource<detail::LoadedModules>()->load(ptx, where); });
        context.stream().synchronize(where);  // earlier work of the stream does not count as time of the part
        const auto begin = Clock::now();
        {
            const detail::SynchronizeOnExit wait_for_copies(context.stream());  // that the program asked for, where a launch fails
            launch_part({index, context, items.offset, items.count, *shared}, *module);
            context.stream().synchronize(where);
        }
        *ends[index] = Clock::now();
        times->end_part(index, items.count, *ends[index] - begin);
    };
    std::vector<PendingPart> parts;
    parts.reserve(indices.size());  // nothing may throw once parts are queued: they use objects that the caller would destroy
    auto pieces = state(where).start_each(indices, run_part, where);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::size_t index = indices[i];
        parts.emplace_back(index, devices(where)[index], shared->slices()[index], pieces[i].share(), ends[index]);
    }
    return PendingLaunch(std::move(parts), start);
}

}  // namespace cupool
