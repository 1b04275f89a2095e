#include "mpi_library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cupool/cluster/rank_error.hpp>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "plugin_choice.hpp"

namespace cupool::detail {

namespace {

std::atomic<bool> may_finalize{false};

/// MPI where finalize_at_exit() is to finalise it, and the process that initialised it.
struct ToFinalize {
    MpiInterface* mpi;
    ProcessMark process;
};
ToFinalize* to_finalize = nullptr;  // never destroyed, as what follows: they are used at the exit of the process

struct Leaving {
    std::mutex mutex;
    std::map<const void*, std::function<void()>> owners;
};
Leaving& leaving() {
    static auto* const all = new Leaving;
    return *all;
}

std::string chosen_plugin(const std::string& given, const SourceLocation& where) {
    if (!given.empty()) return given;
    if (const char* const variable = std::getenv("CUPOOL_MPI_PLUGIN"); variable != nullptr && *variable != '\0') return variable;
    std::string looked;
    for (const std::string& candidate : plugin_candidates()) {
        if (::access(candidate.c_str(), R_OK) == 0) return candidate;
        looked += (looked.empty() ? "" : ", ") + candidate;
    }
    throw Error(ErrorCategory::unsupported,
                "cupool has no plugin for the MPI library of this program, " + plugin_choice_reason() +
                    ": build cupool where that library's headers are installed (Debian: libopenmpi-dev, libmpich-dev), or name the file in "
                    "MpiOptions::plugin or CUPOOL_MPI_PLUGIN. Looked for: " +
                    (looked.empty() ? "nothing" : looked),
                where);
}

/// Open MPI's own plugins look for its symbols among those of the whole process. A plugin is never closed: MPI does not support that.
MpiInterface& opened(const std::string& plugin, const SourceLocation& where) {
    const auto refuse = [&](const std::string& why) -> Error {
        return Error(ErrorCategory::unsupported, "the MPI plugin " + plugin + " cannot be used: " + why, where);
    };
    void* const library = ::dlopen(plugin.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) throw refuse(::dlerror());
    const auto function = reinterpret_cast<MpiInterface::Function>(::dlsym(library, MpiInterface::symbol));
    if (function == nullptr) throw refuse(std::string("it has no ") + MpiInterface::symbol + ", so it is of another version of cupool");
    MpiInterface& mpi = *function();
    if (!mpi.has_own_library()) throw refuse(std::string("the program is linked with another MPI library, ") + mpi.library());
    return mpi;
}

}  // namespace

std::string text_of(MpiInterface& mpi, int status) {
    char text[512] = {};
    mpi.describe(status, text, sizeof text);
    return text;
}

MpiLibrary::MpiLibrary(std::string plugin, const SourceLocation& where) : plugin_(std::move(plugin)), mpi_(opened(plugin_, where)) {
    if (mpi_.is_initialized()) return;
    if (const int status = mpi_.initialize(); status != 0)
        throw Error(ErrorCategory::unsupported, "MPI_Init_thread: " + text_of(mpi_, status), where);
    to_finalize = new ToFinalize{&mpi_, {}};
    may_finalize = true;
    std::atexit(&MpiLibrary::finalize_at_exit);
}

MpiLibrary& MpiLibrary::open(const std::string& plugin, const SourceLocation& where) {
    static std::mutex mutex;
    static MpiLibrary* library = nullptr;  // never destroyed: MpiPools with static storage may use it
    if (library != nullptr) library->process_.require_own_process("MPI", where);
    const std::lock_guard lock(mutex);
    if (library == nullptr) library = new MpiLibrary(chosen_plugin(plugin, where), where);
    std::error_code ignored;
    if (!plugin.empty() && !std::filesystem::equivalent(plugin, library->plugin_, ignored)) {
        throw Error(ErrorCategory::unsupported, "this process already uses the MPI plugin " + library->plugin_ + ", and can use no other",
                    where);
    }
    if (library->mpi_.is_finalized())
        throw Error(ErrorCategory::unsupported, "MPI was finalised in this process, and cannot be initialised again", where);
    if (!library->mpi_.serves_all_threads()) {
        throw Error(ErrorCategory::unsupported,
                    "MPI was initialised without MPI_THREAD_MULTIPLE: call MPI_Init_thread with that level, or leave it to MpiPool", where);
    }
    return *library;
}

MpiInterface::Communicator MpiLibrary::communicator(const std::optional<int>& fortran_handle, std::chrono::milliseconds deadline,
                                                    const SourceLocation& where) {
    MpiInterface::Communicator made = nullptr;
    MpiInterface::Request request = nullptr;
    int status = mpi_.duplicate(fortran_handle ? &*fortran_handle : nullptr, made, request);
    const auto end = std::chrono::steady_clock::now() + deadline;
    bool is_done = false;
    while (status == 0 && !is_done) {
        std::size_t bytes = 0;
        status = mpi_.test(request, is_done, bytes);
        if (status != 0 || is_done) break;
        if (std::chrono::steady_clock::now() > end) {
            leave_unfinalized();
            throw RankError(
                RankError::Kind::lost, MpiInterface::any_rank,
                "not all ranks have made their MpiPool within " + std::to_string(deadline.count()) + " ms: see MpiOptions::start_deadline",
                where);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    if (status != 0)
        throw Error(ErrorCategory::invalid_argument, "MPI_Comm_idup of MpiOptions::communicator: " + text_of(mpi_, status), where);
    mpi_.return_errors(made);
    if (!fortran_handle) require_launched_size(made, where);
    return made;
}

/// A plugin that does not fit the launcher would make each process the only rank of a program of its own, with sums over one rank.
void MpiLibrary::require_launched_size(MpiInterface::Communicator made, const SourceLocation& where) {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
        const char* const text = std::getenv(variable);
        if (text == nullptr || std::atoi(text) <= 1 || mpi_.size(made) > 1) continue;
        throw Error(ErrorCategory::unsupported,
                    std::string("the launcher has started ") + text + " ranks (" + variable + "), but " + mpi_.library() +
                        " knows of one only: the plugin " + plugin_ + " is for another MPI library; see MpiOptions::plugin",
                    where);
    }
}

void MpiLibrary::leave_unfinalized() noexcept { may_finalize = false; }

void MpiLibrary::leave_at_exit(const void* owner, std::function<void()> leave) {
    const std::lock_guard lock(leaving().mutex);
    leaving().owners[owner] = std::move(leave);
}

void MpiLibrary::forget(const void* owner) {
    const std::lock_guard lock(leaving().mutex);
    leaving().owners.erase(owner);
}

void MpiLibrary::finalize_at_exit() {
    if (to_finalize->process.is_forked()) return;
    {
        const std::lock_guard lock(leaving().mutex);
        for (const auto& [owner, leave] : leaving().owners) leave();
    }
    if (may_finalize && !to_finalize->mpi->is_finalized()) to_finalize->mpi->finalize();
}

}  // namespace cupool::detail
