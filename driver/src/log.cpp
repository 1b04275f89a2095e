#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
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

/// The value of CUPOOL_LOG, "off" where there is none.
std::string_view asked_level() {
    const char* value = ::secure_getenv("CUPOOL_LOG");
    return value == nullptr || *value == '\0' ? "off" : value;
}

std::optional<LogLevel> level_of_name(std::string_view name) {
    for (const LogLevel level : {LogLevel::off, LogLevel::error, LogLevel::warning, LogLevel::info, LogLevel::debug}) {
        if (name == to_string(level)) {
            return level;
        }
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

/// Where lines go. Never destroyed: destructors of the program's own statics may log.
struct Outlet {
    /// Who asks for a level that there is not wants to hear something: that first of all.
    Outlet() : level(level_of_name(asked_level()).value_or(LogLevel::warning)) {
        if (!level_of_name(asked_level())) {
            try {
                current_logger()->warn("CUPOOL_LOG={} is no level: error, warning, info, debug or off; taken for warning",
                                       printable_text(asked_level()));
            } catch (...) {  // out of memory: there is nowhere left to say it
            }
        }
    }

    std::atomic<LogLevel> level;
    std::mutex mutex;
    std::shared_ptr<const Callback> callback;
    std::shared_ptr<spdlog::logger> logger;

    static Outlet& instance() {
        // In memory of its own, as log_level() must not throw where no other can be had.
        alignas(Outlet) static std::byte storage[sizeof(Outlet)];
        static Outlet& outlet = *new (storage) Outlet;
        return outlet;
    }

    std::shared_ptr<const Callback> current_callback() {
        const std::lock_guard lock(mutex);
        return callback;
    }

    /// The program's logger of our name where it has registered one.
    std::shared_ptr<spdlog::logger> current_logger() {
        const std::lock_guard lock(mutex);
        if (logger == nullptr) {
            logger = spdlog::get("cupool");
        }
        if (logger == nullptr) {
            logger = std::make_shared<spdlog::logger>("cupool", std::make_shared<spdlog::sinks::stderr_sink_mt>());
            logger->set_level(spdlog::level::trace);  // our own level decides
        }
        return logger;
    }
};

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

void set_log_level(LogLevel level) { Outlet::instance().level.store(level, std::memory_order_relaxed); }

LogLevel log_level() noexcept { return Outlet::instance().level.load(std::memory_order_relaxed); }

void set_log_callback(Callback callback) {
    Outlet& outlet = Outlet::instance();
    auto shared = callback ? std::make_shared<const Callback>(std::move(callback)) : nullptr;
    const std::lock_guard lock(outlet.mutex);
    outlet.callback = std::move(shared);
}

namespace detail {

bool logs(LogLevel level) noexcept { return level != LogLevel::off && level <= log_level(); }

void log(LogLevel level, std::string_view line) noexcept {
    if (!logs(level)) {
        return;
    }
    try {
        Outlet& outlet = Outlet::instance();
        if (const auto callback = outlet.current_callback()) {
            (*callback)(level, line);
        } else {
            const std::string printable = printable_text(line);
            outlet.current_logger()->log(spdlog_level(level), spdlog::string_view_t(printable.data(), printable.size()));
        }
    } catch (...) {  // there is nowhere left to say it
    }
}

}  // namespace detail

}  // namespace cupool
