#pragma once

#include <atomic>
#include <chrono>
#include <exception>

#include "pool_state.hpp"

namespace cupool {

/// MSMs on their way through a pool: pieces of work, each for the worker of one member, and what is done when all of them have ended, by
/// whichever thread ends the last one. No piece waits for another, so that a worker never waits for work behind its own.
class DevicePool::State::MsmJob : public std::enable_shared_from_this<MsmJob> {
public:
    struct Piece {
        std::size_t member;
        std::function<RunReport(const DeviceContext&)> run;
    };
    /// What makes results of what the pieces have left, and adds what that moved to the report.
    using Finish = std::function<void(RunReport& report)>;

    /// \param last  a piece that needs the devices for itself, and so begins when the others have ended, on the thread of the last of them
    /// \param where  of the program, where failures are reported
    MsmJob(State& state, std::vector<Piece> pieces, std::optional<Piece> last, Finish finish, const SourceLocation& where);

    /// Gives the pieces to the workers. To be called once, as run() is. \return what comes when everything is done: the report, or the
    /// failure of the first piece in the list that failed
    std::future<RunReport> start();
    /// Returns when everything is done. A single piece is done on the calling thread.
    RunReport run();

private:
    class Task;

    void run_piece(std::size_t place, const DeviceContext& context);
    void end_piece(std::size_t place, std::exception_ptr failure) noexcept;
    void end() noexcept;
    RunReport result();

    State& state_;
    std::vector<Piece> pieces_;
    std::optional<Piece> last_;
    Finish finish_;
    SourceLocation where_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    // One for each piece, used by its thread alone until the last piece ends:
    std::vector<RunReport> reports_;
    std::vector<std::exception_ptr> failures_;
    std::atomic<std::size_t> left_;
    std::promise<RunReport> promise_;
};

}  // namespace cupool
