#pragma once

#include <chrono>
#include <cstdint>
#include <cupool/cluster/mpi_pool.hpp>
#include <cupool/driver/detail/process_mark.hpp>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agreement.hpp"
#include "mpi_library.hpp"
#include "rank_link.hpp"
#include "transfer_operand.hpp"

namespace cupool {

/// What the copies of an MpiPool share.
class MpiPool::State {
public:
    State(DevicePool own_pool, const MpiOptions& given, const SourceLocation& where);

    const DevicePool pool;
    const MpiOptions options;
    detail::MpiLibrary& library;
    detail::RankLink link;
    const std::vector<RankInfo> ranks;
    const detail::ProcessMark process;
    std::mutex collective;  ///< calls of all ranks come in one order

    detail::TransferOperand operand(const detail::RankArray& array, MpiReport& report, const SourceLocation& where) const {
        return {pool, array, report.bytes_staged, where};
    }
    RankShare share_of(int rank, std::uint64_t items, const std::vector<double>& weights) const;

    /// Calls function(report), which does a call of all ranks or a part of one, and completes its report. Errors name the caller's line.
    template <class Function>
    MpiReport reported(const SourceLocation& where, Function function) {
        const auto start = std::chrono::steady_clock::now();
        const std::uint64_t sent = link.bytes_sent();
        MpiReport report;
        try {
            function(report);
        } catch (const RankError& error) {
            throw RankError(error.kind(), error.rank(), error.message(), where);
        } catch (const Error& error) {
            throw error.at(where);
        }
        report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        report.bytes_sent = link.bytes_sent() - sent;
        return report;
    }
    /// The same of a call of all ranks: one at a time.
    template <class Function>
    MpiReport collective_call(const SourceLocation& where, Function function) {
        const std::lock_guard lock(collective);
        return reported(where, std::move(function));
    }
};

}  // namespace cupool
