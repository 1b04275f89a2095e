#pragma once

#include <atomic>
#include <cupool/driver/source_location.hpp>
#include <memory>
#include <utility>

namespace cupool::detail {

/// How often this process and its ancestors have forked since the library was loaded. Counted in the child.
inline std::atomic<unsigned> fork_count{0};

[[noreturn]] void throw_forked(const char* what, const SourceLocation& where);

/// Knows whether the process that constructed an object is still the calling one. Objects with threads or mutexes check this before they
/// touch either: in a forked child the threads are missing, and a mutex that one of them held is never unlocked.
class ProcessMark {
public:
    bool is_forked() const noexcept { return forks_ != fork_count.load(std::memory_order_relaxed); }

    /// \param what  the object, with its article \throws Error forked in a child of the process that made the object
    void require_own_process(const char* what, const SourceLocation& where) const {
        if (is_forked()) [[unlikely]] {
            throw_forked(what, SourceLocation{where.file, where.line, where.function});
        }
    }

private:
    unsigned forks_ = fork_count.load(std::memory_order_relaxed);
};

/// Destroys an object only in the process that made it. A forked child leaks it: other threads may have been changing it at the fork.
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
