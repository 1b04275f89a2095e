#pragma once

#include <cstddef>

namespace cupool::detail {

/// The calls of an MPI library that cupool makes, without its types, whose layout differs between libraries. A plugin, compiled against one
/// library, implements it (mpi_plugin.cpp).
///
/// Every function with a status returns 0 or MPI's error code, which describe() explains. Functions may be called by any thread if
/// serves_all_threads() says so.
class MpiInterface {
public:
    /// The name under which a plugin exports a Function. It ends with the version of this class.
    static constexpr const char* symbol = "cupool_mpi_interface_1";
    using Function = MpiInterface* (*)();

    struct CommunicatorObject;
    struct RequestObject;
    using Communicator = CommunicatorObject*;
    using Request = RequestObject*;

    /// Matches a message of any rank.
    static constexpr int any_rank = -1;

    MpiInterface() = default;
    MpiInterface(const MpiInterface&) = delete;
    MpiInterface& operator=(const MpiInterface&) = delete;

    /// The library's name and version, on one line.
    virtual const char* library() noexcept = 0;
    /// Whether its calls reach the library that it was compiled against: those of another one that the program is linked with come first.
    virtual bool has_own_library() noexcept = 0;
    virtual bool is_initialized() noexcept = 0;
    virtual bool is_finalized() noexcept = 0;
    /// Initialises MPI for calls of all threads at once.
    virtual int initialize() noexcept = 0;
    virtual int finalize() noexcept = 0;
    /// Whether MPI was initialised for calls of all threads at once (MPI_THREAD_MULTIPLE).
    virtual bool serves_all_threads() noexcept = 0;
    virtual void describe(int status, char* text, std::size_t size) noexcept = 0;

    /// Starts to make a communicator of the ranks of another one, for cupool's messages alone. `made` is valid when the request is done.
    /// \param fortran_handle  MPI_Comm_c2f of the other one; nullptr for all ranks of the program
    virtual int duplicate(const int* fortran_handle, Communicator& made, Request& request) noexcept = 0;
    /// Has failed calls return a status. Otherwise a failure ends the program.
    virtual void return_errors(Communicator communicator) noexcept = 0;
    virtual int release(Communicator communicator) noexcept = 0;
    virtual int rank(Communicator communicator) noexcept = 0;
    virtual int size(Communicator communicator) noexcept = 0;

    virtual int send(Communicator communicator, const void* data, std::size_t bytes, int to, int tag, Request& request) noexcept = 0;
    virtual int receive(Communicator communicator, void* data, std::size_t bytes, int from, int tag, Request& request) noexcept = 0;
    /// Sets `is_done`; then the request is gone, and `bytes` is what a receive has received.
    virtual int test(Request request, bool& is_done, std::size_t& bytes) noexcept = 0;
    /// Withdraws a receive that nothing has matched, and waits until it is gone.
    virtual int withdraw(Request request) noexcept = 0;

protected:
    ~MpiInterface() = default;
};

}  // namespace cupool::detail
