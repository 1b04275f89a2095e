#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace cupool::detail {

/// The relative speeds of a pool's devices, learned from jobs that several of them divided. Before the first job they are the capabilities.
/// Thread-safe.
///
/// Items of different jobs differ in cost, so a job yields only ratios between its devices: their measured rates are scaled to the sum of
/// the speeds that these devices had before. A job in which all parts take equally long therefore changes nothing.
class RelativeSpeeds {
public:
    /// The part of a job that a device did, and its time.
    struct Part {
        std::size_t member;   ///< of the pool
        double items;         ///< above 0
        double microseconds;  ///< above 0
    };

    /// \param capabilities  above 0
    explicit RelativeSpeeds(std::vector<double> capabilities);

    /// Learns from a divided job. Skips the first job of each device, which loads and compiles kernels. A part may have waited for other
    /// work of its device; therefore one job moves a speed at most halfway to the measured value, and no speed falls below a sixteenth of
    /// the capability: the device keeps getting some work, by which it is measured again.
    void learn(const std::vector<Part>& parts);

    /// The speeds, one for each member. Devices of equal capability have equal speeds, unless one of them is measured more than a tenth off
    /// their mean, which noise does not explain.
    std::vector<double> speeds() const;

private:
    std::vector<double> capabilities_;
    mutable std::mutex mutex_;
    std::vector<double> measured_;
    std::vector<bool> is_warm_;
};

}  // namespace cupool::detail
