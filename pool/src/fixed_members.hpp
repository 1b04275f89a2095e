#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pool_state.hpp"
#include "transfer/synchronize_on_exit.hpp"

namespace cupool::detail {

/// The members on which a long-lived object keeps its parts, chosen once: the first ones that were not quarantined then. A thread starts
/// the work of all of them before it waits for the first.
/// \tparam Part  what lives on one member; has context()
template <class Part>
class FixedMembers {
public:
    /// \param most  how many members there can be \param object  its name, for errors \param make  makes part i of n on a context
    template <class Make>
    FixedMembers(PoolState& pool, std::size_t most, const char* object, const Make& make)
        : pool_(pool), object_(object), members_(pool.healthy()) {
        members_.resize(std::min(members_.size(), most));
        pool_.run_together(members_, [&] {
            for (std::size_t i = 0; i < members_.size(); ++i) {
                parts_.push_back(
                    make(pool_.member(members_[i]).context(), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(members_.size())));
            }
        });
    }

    /// \throws Error no_device if a member was quarantined since
    void require_no_quarantine() const {
        for (const std::size_t member : members_) {
            if (!pool_.member(member).quarantine()) continue;
            throw Error(ErrorCategory::no_device, std::string(object_) + ": device " + std::to_string(pool_.ordinals()[member]) +
                                                      ", which has a part of it, is quarantined; readmit it, or save and resume on others");
        }
    }
    /// Starts the work of every part, then waits for each. No work is in flight when it returns or throws.
    template <class Start, class Finish>
    void run(const Start& start, const Finish& finish) {
        pool_.run_together(members_, [&] {
            try {
                for (const auto& part : parts_) start(*part);
                for (const auto& part : parts_) finish(*part);
            } catch (...) {
                for (const auto& part : parts_) const SynchronizeOnExit wait_for_work(part->context().stream());
                throw;
            }
        });
    }
    /// Work on one part: that of an item whose items go to the parts in turn.
    template <class Work>
    void run_on(std::size_t item, const Work& work) {
        const std::size_t place = item % members_.size();
        pool_.run(members_[place], [&](std::size_t, const DeviceContext&) { work(*parts_[place]); });
    }

    std::size_t size() const { return members_.size(); }
    std::vector<int> ordinals() const {
        std::vector<int> ordinals;
        for (const std::size_t member : members_) ordinals.push_back(pool_.ordinals()[member]);
        return ordinals;
    }

private:
    PoolState& pool_;
    const char* object_;
    std::vector<std::size_t> members_;
    std::vector<std::unique_ptr<Part>> parts_;  // of the members
};

}  // namespace cupool::detail
