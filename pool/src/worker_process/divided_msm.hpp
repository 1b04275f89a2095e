#pragma once

#include <algorithm>
#include <chrono>
#include <cupool/pool/worker_pool.hpp>
#include <exception>
#include <future>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "built_in_functions.hpp"
#include "curve/host_curve.hpp"
#include "scheduling/divide.hpp"

namespace cupool::detail {

/// What one worker computes of a call: some terms of some MSMs.
struct MsmShare {
    Slice msms;
    Slice terms;  ///< of each of these MSMs
};

/// Divides several MSMs, or else the terms of one, evenly. No share is empty. \pre msms > 0, terms > 0, shares > 0
inline std::vector<MsmShare> divide_msms(std::size_t msms, std::size_t terms, std::size_t shares) {
    const Slice all_msms{0, msms};
    const Slice all_terms{0, terms};
    std::vector<MsmShare> divided;
    if (msms > 1) {
        for (const Slice& own : divide_evenly(msms, std::min(shares, msms))) divided.push_back({own, all_terms});
    } else {
        for (const Slice& own : divide_evenly(terms, std::min(shares, terms))) divided.push_back({all_msms, own});
    }
    return divided;
}

/// The MSMs of one call whose shares are separate jobs. When the last share has ended, the results are written, or the first failure is
/// reported; until then shares may read the operands. Thread-safe.
template <Curve C>
class DividedMsm {
public:
    /// \param results  one for each MSM; written from another thread, by the end of the last share
    DividedMsm(std::vector<MsmShare> shares, std::span<JacobianPoint<C>> results, bool is_montgomery_form)
        : shares_(std::move(shares)), results_(results), is_montgomery_form_(is_montgomery_form), unfinished_(shares_.size()) {
        for (const MsmShare& share : shares_) sums_.emplace_back(share.msms.count);
    }

    const std::vector<MsmShare>& shares() const noexcept { return shares_; }

    std::future<RunReport> future() { return promise_.get_future(); }

    /// Takes the answer of a share, before end_share(). \throws Error io where it is malformed
    void complete(std::size_t share, std::span<const std::byte> answer, int device) {
        const RunReport report = read_msm_answer<C>(answer, std::span(sums_[share]));
        const std::lock_guard lock(mutex_);
        report_.engine = report.engine;
        if (device >= 0 && std::find(report_.devices.begin(), report_.devices.end(), device) == report_.devices.end()) {
            report_.devices.push_back(device);
        }
        report_.bytes += report.bytes;
        report_.device_bytes = std::max(report_.device_bytes, report.device_bytes);
    }

    /// A share has ended, with its answer or without. The last one makes the future ready.
    void end_share() {
        const std::lock_guard lock(mutex_);
        if (--unfinished_ > 0) return;
        if (failure_) {
            promise_.set_exception(failure_);
            return;
        }
        for (std::size_t i = 0; i < results_.size(); ++i) results_[i] = total(i);
        std::sort(report_.devices.begin(), report_.devices.end());
        report_.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
        promise_.set_value(std::move(report_));
    }

    /// A share has ended with a failure.
    void fail(std::exception_ptr failure) {
        {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::move(failure);
        }
        end_share();
    }

private:
    JacobianPoint<C> total(std::size_t msm) const {
        auto sum = HostXyzz<C>::infinity();
        for (std::size_t i = 0; i < shares_.size(); ++i) {
            const Slice& own = shares_[i].msms;
            if (msm >= own.offset && msm - own.offset < own.count) sum += load<C>(sums_[i][msm - own.offset], is_montgomery_form_);
        }
        return store_jacobian<C>(sum, is_montgomery_form_);
    }

    const std::vector<MsmShare> shares_;
    const std::span<JacobianPoint<C>> results_;
    const bool is_montgomery_form_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::vector<std::vector<JacobianPoint<C>>> sums_;  ///< of each share; each is written before its share ends

    std::mutex mutex_;
    std::size_t unfinished_;
    RunReport report_;
    std::exception_ptr failure_;
    std::promise<RunReport> promise_;
};

}  // namespace cupool::detail
