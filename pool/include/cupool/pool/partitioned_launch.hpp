#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cupool/driver/detail/process_mark.hpp>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/kernels/run_report.hpp>
#include <cupool/pool/array_slice.hpp>
#include <cupool/pool/division.hpp>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cupool {

/// One device's part of a launch over `division.total()` items.
struct Partition {
    std::size_t index = 0;         ///< of the device in the pool
    const DeviceContext& context;  ///< of that device; the part is launched on its stream
    std::uint64_t offset = 0;      ///< of its first item
    std::uint64_t count = 0;       ///< of its items; never 0
    const Division& division;      ///< how the launch is divided

    /// Its items.
    Slice items() const noexcept { return {offset, count}; }
};

namespace detail {

/// Refuses an array's slice whose items differ from the part's. \param argument  its position among the kernel's arguments, from 1
void require_same_items(const Division& array, const Slice& slice, const Partition& part, std::size_t argument,
                        const SourceLocation& where);

/// The kernel argument of a part's launch: the argument itself.
template <class T>
struct PartArgument {
    using Type = T;
    static const T& value(const T& argument, const Partition&, std::size_t, const SourceLocation&) { return argument; }
};

/// The same for the slice of an array: its elements, after the check that they are the part's.
template <class T>
struct PartArgument<ArraySlice<T>> {
    using Type = DeviceSpan<T>;
    static DeviceSpan<T> value(const ArraySlice<T>& argument, const Partition& part, std::size_t place, const SourceLocation& where) {
        require_same_items(argument.division(), argument.items(), part, place, where);
        return argument.span();
    }
};

}  // namespace detail

/// The launch of one part: its shape, and the kernel's parameters but for the last two.
template <class... Arguments>
struct PartitionLaunch {
    LaunchShape shape;                   ///< grid, block and dynamic shared memory
    std::tuple<Arguments...> arguments;  ///< without offset and count, which follow them

    /// Queues the part on its device's stream. \throws Error invalid_argument if an argument is the slice of an array that is divided
    /// otherwise than the launch, and what Module::kernel() and Kernel::launch() throw
    void launch(const Module& module, const std::string& kernel, const Partition& part,
                const SourceLocation& where = SourceLocation::current()) const {
        launch_checked(module, kernel, part, where, std::index_sequence_for<Arguments...>());
    }

private:
    template <std::size_t... Places>
    void launch_checked(const Module& module, const std::string& kernel, const Partition& part, const SourceLocation& where,
                        std::index_sequence<Places...>) const {
        const auto typed = module.kernel<typename detail::PartArgument<Arguments>::Type..., std::uint64_t, std::uint64_t>(kernel, where);
        typed.launch(shape, part.context.stream(where),
                     detail::PartArgument<Arguments>::value(std::get<Places>(arguments), part, Places + 1, where)..., part.offset,
                     part.count, where);
    }
};

template <class... Arguments>
PartitionLaunch(LaunchShape, std::tuple<Arguments...>) -> PartitionLaunch<Arguments...>;

/// A handle of one part of a launch. Copyable; copies refer to the same part. All members are thread-safe. Where the part was moved from,
/// those that ask for its end throw wrong_context; in a forked child, where the end would never come, forked.
class PendingPart {
public:
    /// \param ended  when the part ended; set before `done` is ready
    PendingPart(std::size_t index, int device, Slice items, std::shared_future<void> done,
                std::shared_ptr<const std::chrono::steady_clock::time_point> ended);

    /// Of its device in the pool.
    std::size_t index() const noexcept { return index_; }
    /// The ordinal of its device.
    int device() const noexcept { return device_; }
    /// The items that it does.
    const Slice& items() const noexcept { return items_; }

    /// Whether it has ended, in either way.
    bool is_ready(SourceLocation where = SourceLocation::current()) const;
    /// Waits until it has ended. Does not throw its failure.
    void wait(SourceLocation where = SourceLocation::current()) const;
    /// Waits for it. \return its failure; null if it succeeded
    std::exception_ptr failure(SourceLocation where = SourceLocation::current()) const;
    /// Waits for it. \throws its failure: jit_failure, launch_failure, device_fault, whatever configure threw ...
    void get(SourceLocation where = SourceLocation::current()) const;

private:
    friend class PendingLaunch;

    const std::shared_future<void>& done(const SourceLocation& where) const;

    detail::ProcessMark process_;
    std::size_t index_;
    int device_;
    Slice items_;
    std::shared_future<void> done_;
    std::shared_ptr<const std::chrono::steady_clock::time_point> ended_;
};

/// A launch that is queued on the devices of a pool. Move-only; its destructor waits for the parts. All members are thread-safe. On a
/// launch that was moved from they throw wrong_context, and in a forked child forked; there its destructor does not wait.
class PendingLaunch {
public:
    /// \param parts  handles of the launch's parts, in the pool's order
    /// \param start  when the launch was called: the report's time begins here
    PendingLaunch(std::vector<PendingPart> parts, std::chrono::steady_clock::time_point start);
    PendingLaunch(PendingLaunch&& other) noexcept
        : parts_(std::exchange(other.parts_, std::nullopt)), process_(other.process_), start_(other.start_) {}
    PendingLaunch& operator=(PendingLaunch&&) = delete;
    ~PendingLaunch();

    /// The handles of the parts, in the pool's order. Devices without items have none.
    const std::vector<PendingPart>& parts(SourceLocation where = SourceLocation::current()) const;

    /// Whether all parts have ended.
    bool is_ready(SourceLocation where = SourceLocation::current()) const;
    /// Waits until all parts have ended. Does not throw their failures.
    void wait(SourceLocation where = SourceLocation::current()) const;
    /// Waits for all parts. May be called again: it gives the same report, or throws the same failure. The report's time is that from the
    /// launch to the end of the last part.
    /// \throws the failure of the part on the first device of the pool's order that failed
    RunReport get(SourceLocation where = SourceLocation::current()) const;

private:
    std::optional<std::vector<PendingPart>> parts_;  ///< none where it was moved from
    detail::ProcessMark process_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace cupool
