#include "msm/msm_distributor.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "pool_state.hpp"
#include "scheduling/divide.hpp"
#include "scheduling/make_balancer.hpp"
#include "transfer/operand_checks.hpp"

namespace cupool::detail {

namespace {

/// Selects the device that would finish first. A task in flight that has no lease of this balancer is measured in another unit; it counts
/// as much as the work to place.
class EarliestAmongAll final : public BalancingPolicy {
public:
    explicit EarliestAmongAll(const std::vector<std::unique_ptr<PoolMember>>& members) : members_(members) {}

    std::size_t select(std::span<const DeviceLoad> loads, double work) override {
        with_others_.assign(loads.begin(), loads.end());
        for (std::size_t i = 0; i < loads.size(); ++i) {
            const std::uint64_t tasks = members_[i]->in_flight;
            const std::uint64_t others = tasks - std::min<std::uint64_t>(tasks, loads[i].in_flight);
            with_others_[i].outstanding += static_cast<double>(others) * work;
        }
        return earliest_.select(with_others_, work);
    }

private:
    const std::vector<std::unique_ptr<PoolMember>>& members_;
    std::vector<DeviceLoad> with_others_;
    EarliestCompletion earliest_;
};

}  // namespace

LoadBalancer& MsmDistributor::balancer() {
    const std::lock_guard lock(mutex_);
    if (balancer_ == nullptr) balancer_ = make_balancer(pool_.members(), std::make_unique<EarliestAmongAll>(pool_.members()));
    return *balancer_;
}

void MsmDistributor::set_available(int ordinal, bool available) {
    const std::lock_guard lock(mutex_);
    if (balancer_ != nullptr) balancer_->set_available(ordinal, available);
}

std::vector<std::size_t> MsmDistributor::choose_members(std::size_t count, double work, const std::function<bool(std::size_t)>& fits) {
    std::vector<std::size_t> members;
    for (const LoadBalancer::Lease& lease : balancer().select_devices(fits ? pool_.size() : count, work)) {
        const std::size_t index = pool_.index_of(lease.device());
        if (members.size() < count && (!fits || fits(index))) members.push_back(index);
    }
    if (members.empty()) throw Error(ErrorCategory::no_device, "every device that can do the MSM is quarantined");
    std::sort(members.begin(), members.end());
    return members;
}

std::vector<MsmPart> MsmDistributor::parts_of_msms(std::span<const std::size_t> members, std::size_t msms, std::size_t terms) {
    const std::vector<Slice> slices = divide(msms, pool_.weights_of(members));
    std::vector<MsmPart> parts;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (slices[i].count != 0) parts.push_back({members[i], slices[i], {0, terms}});
    }
    return parts;
}

std::vector<MsmPart> MsmDistributor::parts_of_terms(std::span<const std::size_t> members, const Slice& msms, std::size_t terms) {
    const std::vector<Slice> slices = divide(terms, pool_.weights_of(members));
    std::vector<MsmPart> parts;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (slices[i].count != 0 || (terms == 0 && i == 0)) parts.push_back({members[i], msms, slices[i]});
    }
    return parts;
}

std::vector<MsmPart> MsmDistributor::parts_of_slices(const Division& division, std::size_t msms) const {
    std::vector<MsmPart> parts;
    for (std::size_t i = 0; i < division.size(); ++i) {
        const std::size_t index = pool_.index_of(division.devices()[i]);
        if (const auto why = pool_.member(index).quarantine()) {
            refuse("msm", "a slice is on device " + std::to_string(division.devices()[i]) + ", which is quarantined (" + *why +
                              "): " + to_string(division) + "; copy it to another device, or give the array as a whole");
        }
        parts.push_back({index, {0, msms}, division.slices()[i]});
    }
    return parts;
}

void MsmDistributor::lease(std::vector<MsmPart>& parts, double work_per_term) {
    const auto times = parts.size() > 1 ? std::make_shared<PartTimes>(parts.size(), pool_.speeds()) : nullptr;
    for (MsmPart& part : parts) {
        const double work = work_per_term * static_cast<double>(part.msms.count) * static_cast<double>(part.terms.count);
        part.lease = std::make_shared<LoadBalancer::Lease>(balancer().lease(pool_.member(part.member).ordinal(), work));
        part.times = times;
    }
}

RunReport MsmDistributor::run_part(const MsmPart& part, const std::function<RunReport()>& function) {
    PoolMember& member = pool_.member(part.member);
    const DeviceContext& context = member.context();
    // Earlier work of the stream does not count as time of the part.
    if (part.times && !context.is_host()) context.stream().synchronize();
    const auto begin = std::chrono::steady_clock::now();
    part.lease->begin();
    RunReport report = function();
    member.bytes += report.bytes;
    part.lease->complete();
    if (part.times) part.times->end_part(part.member, part.msms.count * part.terms.count, std::chrono::steady_clock::now() - begin);
    return report;
}

}  // namespace cupool::detail
