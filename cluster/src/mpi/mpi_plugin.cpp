// MpiInterface by one MPI library. It is compiled against each library that the build finds, since their ABIs differ, and opened at run
// time.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>

#include "mpi_interface.hpp"

namespace cupool::detail {

struct MpiInterface::CommunicatorObject {
    MPI_Comm handle = MPI_COMM_NULL;
};

struct MpiInterface::RequestObject {
    MPI_Request handle = MPI_REQUEST_NULL;
};

namespace {

#if defined(OMPI_MAJOR_VERSION)
constexpr std::string_view own_name = "Open MPI";
#else
constexpr std::string_view own_name = "MPICH";
#endif

/// Of whatever library the call reaches; some write more than this one's MPI_MAX_LIBRARY_VERSION_STRING.
std::string library_version() {
    std::string whole(std::max(8192, MPI_MAX_LIBRARY_VERSION_STRING), ' ');
    int length = 0;
    MPI_Get_library_version(whole.data(), &length);
    whole.resize(static_cast<std::size_t>(std::max(length, 0)));
    const std::string line = whole.substr(0, whole.find_first_of(",\n"));
    const std::string label = " Version:\t";  // of MPICH
    const std::size_t place = line.find(label);
    return place == std::string::npos ? line : line.substr(0, place) + ' ' + line.substr(place + label.size());
}

class MpiPlugin final : public MpiInterface {
public:
    const char* library() noexcept override {
        try {
            if (library_.empty()) library_ = library_version();
            return library_.c_str();
        } catch (const std::bad_alloc&) {
            return "MPI";
        }
    }

    bool has_own_library() noexcept override { return std::string_view(library()).starts_with(own_name); }

    bool is_initialized() noexcept override {
        int flag = 0;
        MPI_Initialized(&flag);
        return flag != 0;
    }
    bool is_finalized() noexcept override {
        int flag = 0;
        MPI_Finalized(&flag);
        return flag != 0;
    }
    int initialize() noexcept override {
        int level = 0;
        return MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    }
    int finalize() noexcept override { return MPI_Finalize(); }

    bool serves_all_threads() noexcept override {
        int level = 0;
        return MPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE;
    }
    void describe(int status, char* text, std::size_t size) noexcept override {
        char found[MPI_MAX_ERROR_STRING] = {};
        int length = 0;
        if (MPI_Error_string(status, found, &length) != MPI_SUCCESS) std::snprintf(found, sizeof found, "error %d", status);
        std::snprintf(text, size, "%s", found);
    }

    int duplicate(const int* fortran_handle, Communicator& made, Request& request) noexcept override {
        const MPI_Comm from = fortran_handle == nullptr ? MPI_COMM_WORLD : MPI_Comm_f2c(*fortran_handle);
        if (from == MPI_COMM_NULL) return MPI_ERR_COMM;
        return start(request, [&](MPI_Request& handle) {
            made = new (std::nothrow) CommunicatorObject;
            return made == nullptr ? MPI_ERR_NO_MEM : MPI_Comm_idup(from, &made->handle, &handle);
        });
    }
    int release(Communicator communicator) noexcept override {
        const int status = MPI_Comm_free(&communicator->handle);
        delete communicator;
        return status;
    }
    void return_errors(Communicator communicator) noexcept override { MPI_Comm_set_errhandler(communicator->handle, MPI_ERRORS_RETURN); }
    int rank(Communicator communicator) noexcept override {
        int rank = 0;
        MPI_Comm_rank(communicator->handle, &rank);
        return rank;
    }
    int size(Communicator communicator) noexcept override {
        int size = 1;
        MPI_Comm_size(communicator->handle, &size);
        return size;
    }

    int send(Communicator communicator, const void* data, std::size_t bytes, int to, int tag, Request& request) noexcept override {
        return start(request, [&](MPI_Request& handle) {
            return MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, communicator->handle, &handle);
        });
    }
    int receive(Communicator communicator, void* data, std::size_t bytes, int from, int tag, Request& request) noexcept override {
        return start(request, [&](MPI_Request& handle) {
            return MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from == any_rank ? MPI_ANY_SOURCE : from, tag, communicator->handle,
                             &handle);
        });
    }
    int test(Request request, bool& is_done, std::size_t& bytes) noexcept override {
        int flag = 0;
        MPI_Status state;
        const int status = MPI_Test(&request->handle, &flag, &state);
        is_done = flag != 0;
        if (status != MPI_SUCCESS || !is_done) return status;
        int received = 0;
        MPI_Get_count(&state, MPI_BYTE, &received);
        bytes = received < 0 ? 0 : static_cast<std::size_t>(received);
        delete request;
        return status;
    }
    int withdraw(Request request) noexcept override {
        MPI_Cancel(&request->handle);
        const int status = MPI_Wait(&request->handle, MPI_STATUS_IGNORE);
        delete request;
        return status;
    }

private:
    /// Calls start(handle), which is to start what the request stands for.
    template <class Start>
    static int start(Request& request, Start start) noexcept {
        request = new (std::nothrow) RequestObject;
        if (request == nullptr) return MPI_ERR_NO_MEM;
        const int status = start(request->handle);
        if (status != MPI_SUCCESS) delete request;
        return status;
    }

    std::string library_;
};

}  // namespace

}  // namespace cupool::detail

extern "C" __attribute__((visibility("default"))) cupool::detail::MpiInterface* cupool_mpi_interface_1() {
    static cupool::detail::MpiPlugin plugin;
    return &plugin;
}
