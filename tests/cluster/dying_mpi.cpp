// The plugin that CUPOOL_TEST_MPI names, but for one rank, CUPOOL_TEST_DYING_RANK, whose process ends (or with CUPOOL_TEST_DYING_BY=stop,
// stops) when it begins its message number CUPOOL_TEST_DYING_AT. Heartbeats do not count.
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "mpi/mpi_interface.hpp"
#include "mpi/tags.hpp"

namespace cupool::detail {

namespace {

int number(const char* variable, int otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::atoi(text);
}

class DyingMpi final : public MpiInterface {
public:
    explicit DyingMpi(MpiInterface& mpi) : mpi_(mpi) {}

    const char* library() noexcept override { return mpi_.library(); }
    bool has_own_library() noexcept override { return mpi_.has_own_library(); }
    bool is_initialized() noexcept override { return mpi_.is_initialized(); }
    bool is_finalized() noexcept override { return mpi_.is_finalized(); }
    int initialize() noexcept override { return mpi_.initialize(); }
    int finalize() noexcept override { return mpi_.finalize(); }
    bool serves_all_threads() noexcept override { return mpi_.serves_all_threads(); }
    void describe(int status, char* text, std::size_t size) noexcept override { mpi_.describe(status, text, size); }
    int duplicate(const int* handle, Communicator& made, Request& request) noexcept override {
        return mpi_.duplicate(handle, made, request);
    }
    void return_errors(Communicator communicator) noexcept override { mpi_.return_errors(communicator); }
    int release(Communicator communicator) noexcept override { return mpi_.release(communicator); }
    int rank(Communicator communicator) noexcept override { return mpi_.rank(communicator); }
    int size(Communicator communicator) noexcept override { return mpi_.size(communicator); }
    int send(Communicator communicator, const void* data, std::size_t bytes, int to, int tag, Request& request) noexcept override {
        count(communicator, tag);
        return mpi_.send(communicator, data, bytes, to, tag, request);
    }
    int receive(Communicator communicator, void* data, std::size_t bytes, int from, int tag, Request& request) noexcept override {
        count(communicator, tag);
        return mpi_.receive(communicator, data, bytes, from, tag, request);
    }
    int test(Request request, bool& is_done, std::size_t& bytes) noexcept override { return mpi_.test(request, is_done, bytes); }
    int withdraw(Request request) noexcept override { return mpi_.withdraw(request); }

private:
    void count(Communicator communicator, int tag) {
        if (tag == tags::watch || mpi_.rank(communicator) != rank_ || ++messages_ != at_) return;
        const char* const how = std::getenv("CUPOOL_TEST_DYING_BY");
        ::raise(how != nullptr && std::string(how) == "stop" ? SIGSTOP : SIGKILL);
    }

    MpiInterface& mpi_;
    const int rank_ = number("CUPOOL_TEST_DYING_RANK", -1);
    const int at_ = number("CUPOOL_TEST_DYING_AT", 0);
    std::atomic<int> messages_{0};
};

}  // namespace

}  // namespace cupool::detail

extern "C" __attribute__((visibility("default"))) cupool::detail::MpiInterface* cupool_mpi_interface_1() {
    using cupool::detail::MpiInterface;
    void* const library = ::dlopen(std::getenv("CUPOOL_TEST_MPI"), RTLD_NOW | RTLD_GLOBAL);
    const auto function = reinterpret_cast<MpiInterface::Function>(::dlsym(library, MpiInterface::symbol));
    static cupool::detail::DyingMpi dying(*function());
    return &dying;
}
