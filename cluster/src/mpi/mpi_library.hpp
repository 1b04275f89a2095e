#pragma once

#include <chrono>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/driver/source_location.hpp>
#include <functional>
#include <optional>
#include <string>

#include "mpi_interface.hpp"

namespace cupool::detail {

/// What MPI says of a status.
std::string text_of(MpiInterface& mpi, int status);

/// The MPI library of this process, opened and initialised when it is first needed. A process has one, for good: MPI cannot be initialised
/// twice. If cupool has initialised it, cupool finalises it when the process exits. Thread-safe.
class MpiLibrary {
public:
    /// \param plugin  the file to open; empty chooses one (see MpiOptions::plugin)
    /// \throws Error unsupported (no plugin is found or can be opened, MPI was initialised for one thread only, it was finalised, another
    /// plugin is in use), forked
    static MpiLibrary& open(const std::string& plugin, const SourceLocation& where);

    MpiInterface& mpi() noexcept { return mpi_; }
    /// A new communicator of the ranks of the program's, or of all. \throws RankError if not all of them make one before the deadline
    MpiInterface::Communicator communicator(const std::optional<int>& fortran_handle, std::chrono::milliseconds deadline,
                                            const SourceLocation& where);
    /// After a rank is lost, MPI is not finalised: that would wait for it.
    static void leave_unfinalized() noexcept;
    /// Has leave() called when the process exits before forget(owner), where objects with static storage, or that are never destroyed,
    /// still use MPI.
    static void leave_at_exit(const void* owner, std::function<void()> leave);
    static void forget(const void* owner);

private:
    MpiLibrary(std::string plugin, const SourceLocation& where);
    static void finalize_at_exit();
    void require_launched_size(MpiInterface::Communicator made, const SourceLocation& where);

    std::string plugin_;
    MpiInterface& mpi_;
    const ProcessMark process_;
};

}  // namespace cupool::detail
