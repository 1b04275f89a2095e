#pragma once

#include <atomic>
#include <cupool/driver/source_location.hpp>
#include <memory>
#include <utility>

namespace cupool::detail {

/// The number of forks of this process and its ancestors since the library was loaded. The child
/// increments it.
inline std::atomic<unsigned> fork_count{0};

[[noreturn]] void throw_forked(const char* what, const SourceLocation& where);

/// Records which process constructed an object. Objects with threads or mutexes check it before
/// they use either: in a forked child the threads are missing, and a mutex that one of them held is
/// never unlocked.
class ProcessMark {
public:
    bool is_forked() const noexcept { return forks_ != fork_count.load(std::memory_order_relaxed); }

    /// \param what  the object, with its article \throws Error forked in a child of the process
    /// that constructed the object
    void require_own_process(const char* what, const SourceLocation& where) const {
        if (is_forked()) [[unlikely]]
            throw_forked(what, SourceLocation{where.file, where.line, where.function});
    }

private:
    unsigned forks_ = fork_count.load(std::memory_order_relaxed);
};

/// Destroys an object only in the process that constructed it. A forked child leaks it: another
/// thread may have been changing it at the fork.
template <class T>
class DeleteUnlessForked {
public:
    void operator()(T* object) const noexcept {
        if (!mark_.is_forked()) delete object;
    }

private:
    ProcessMark mark_;
};

/// Like std::make_shared, but a forked child leaks the object.
template <class T, class... Arguments>
std::shared_ptr<T> make_shared_unless_forked(Arguments&&... arguments) {
    return std::shared_ptr<T>(new T(std::forward<Arguments>(arguments)...), DeleteUnlessForked<T>());
}

}  // namespace cupool::detail
