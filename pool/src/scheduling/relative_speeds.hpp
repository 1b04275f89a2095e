#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace cupool::detail {

/// How fast a pool's devices are beside each other, learned from jobs that several of them shared. Before any, as fast as their capability
/// says. Thread-safe.
///
/// Items of different jobs cost differently, so a job tells only how its devices compare: their measured rates are scaled to the sum of the
/// speeds that these devices had before. A job in which all parts take equally long therefore changes nothing.
class RelativeSpeeds {
public:
    /// What a device did of a job.
    struct Part {
        std::size_t member;   ///< of the pool
        double items;         ///< above 0
        double microseconds;  ///< above 0
    };

    /// \param capabilities  above 0
    explicit RelativeSpeeds(std::vector<double> capabilities);

    /// Learns from a shared job. The first job of each device is skipped: it loads and compiles kernels. A part may have waited for other
    /// work of its device, so that one job changes a speed by half of what it tells at most, and no speed falls below a sixteenth of what
    /// the capability says: a device keeps a share, by which it is measured again.
    void learn(const std::vector<Part>& parts);

    /// One for each member. Devices of equal capability have equal speeds, unless one of them was measured to be more than a tenth off
    /// their mean: then noise does not explain it.
    std::vector<double> speeds() const;

private:
    std::vector<double> capabilities_;
    mutable std::mutex mutex_;
    std::vector<double> measured_;
    std::vector<bool> is_warm_;
};

}  // namespace cupool::detail
