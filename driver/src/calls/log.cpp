#include <pthread.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cupool/driver/error.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/printable_text.hpp>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace cupool {

namespace {

using Callback = std::function<void(LogLevel, std::string_view)>;

/// The value of CUPOOL_LOG; "off" if it is not set.
std::string_view asked_level() {
    const char* value = ::secure_getenv("CUPOOL_LOG");
    return value == nullptr || *value == '\0' ? "off" : value;
}

std::optional<LogLevel> level_of_name(std::string_view name) {
    for (const LogLevel level : {LogLevel::off, LogLevel::error, LogLevel::warning, LogLevel::info, LogLevel::debug}) {
        if (name == to_string(level)) return level;
    }
    return std::nullopt;
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::off: return spdlog::level::off;
        case LogLevel::error: return spdlog::level::err;
        case LogLevel::warning: return spdlog::level::warn;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::debug: break;
    }
    return spdlog::level::debug;
}

/// Guards everything below except the level. fork() waits for it, so that a child never finds it
/// held by a thread of the parent.
std::mutex outlet_mutex;
[[maybe_unused]] const int fork_handlers =
    pthread_atfork([] { outlet_mutex.lock(); }, [] { outlet_mutex.unlock(); }, [] { outlet_mutex.unlock(); });

/// Where lines go. Never destroyed, because destructors of static objects of the program may log.
struct Outlet {
    std::atomic<LogLevel> level{level_of_name(asked_level()).value_or(LogLevel::warning)};
    std::shared_ptr<const Callback> callback;
    std::shared_ptr<spdlog::logger> program_logger;  ///< a logger named "cupool" that the program has registered, if any
    std::shared_ptr<spdlog::logger> own_logger;

    static Outlet& instance();

    /// \pre the lock is held
    void find_logger() {
        if (program_logger == nullptr && own_logger == nullptr) program_logger = spdlog::get("cupool");
        if (program_logger != nullptr || own_logger != nullptr) return;
        // The sink without a mutex, which a forked child could find held. outlet_mutex protects it
        // instead.
        own_logger = std::make_shared<spdlog::logger>("cupool", std::make_shared<spdlog::sinks::stderr_sink_st>());
        own_logger->set_level(spdlog::level::trace);  // log_level() filters instead
    }

    void write(LogLevel line_level, std::string_view line) {
        std::unique_lock lock(outlet_mutex);
        if (const auto own_callback = callback) {
            lock.unlock();  // the callback of the program runs without the lock
            return (*own_callback)(line_level, line);
        }
        find_logger();
        const std::string printable = printable_text(line);
        const spdlog::string_view_t text(printable.data(), printable.size());
        if (own_logger != nullptr) return own_logger->log(spdlog_level(line_level), text);
        const std::shared_ptr<spdlog::logger> logger = program_logger;
        lock.unlock();
        logger->log(spdlog_level(line_level), text);
    }
};

std::atomic<Outlet*> outlet{nullptr};

Outlet& Outlet::instance() {
    if (Outlet* const found = outlet.load(std::memory_order_acquire)) return *found;
    std::unique_lock lock(outlet_mutex);
    if (Outlet* const found = outlet.load(std::memory_order_acquire)) return *found;
    // In static memory, because log_level() must not throw if there is no other memory.
    alignas(Outlet) static std::byte storage[sizeof(Outlet)];
    auto* const made = new (storage) Outlet;
    outlet.store(made, std::memory_order_release);
    lock.unlock();
    // Report an unknown level first, since a user who sets a level expects output.
    if (!level_of_name(asked_level())) {
        try {
            made->write(LogLevel::warning,
                        "CUPOOL_LOG=" + std::string(asked_level()) + " is no level: error, warning, info, debug or off; taken for warning");
        } catch (...) {  // out of memory, which cannot be reported
        }
    }
    return *made;
}

}  // namespace

std::string_view to_string(LogLevel level) noexcept {
    switch (level) {
        case LogLevel::off: return "off";
        case LogLevel::error: return "error";
        case LogLevel::warning: return "warning";
        case LogLevel::info: return "info";
        case LogLevel::debug: return "debug";
    }
    return "unknown";
}

void set_log_level(LogLevel level, SourceLocation where) {
    detail::require_enumerator(level, LogLevel::debug, "LogLevel", where);
    Outlet::instance().level.store(level, std::memory_order_relaxed);
}

LogLevel log_level() noexcept { return Outlet::instance().level.load(std::memory_order_relaxed); }

void set_log_callback(Callback callback) {
    Outlet& instance = Outlet::instance();
    auto shared = callback ? std::make_shared<const Callback>(std::move(callback)) : nullptr;
    const std::lock_guard lock(outlet_mutex);
    instance.callback.swap(shared);
}

namespace detail {

bool logs(LogLevel level) noexcept { return level != LogLevel::off && level <= log_level(); }

void log(LogLevel level, std::string_view line) noexcept {
    if (!logs(level)) return;
    try {
        Outlet::instance().write(level, line);
    } catch (...) {  // it cannot be reported
    }
}

}  // namespace detail

}  // namespace cupool
