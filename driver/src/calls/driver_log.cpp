#include <cupool/driver/detail/call.hpp>
#include <cupool/driver/driver_log.hpp>
#include <utility>

namespace cupool {

namespace {

/// The driver keeps no more; its documentation of cuLogsDumpToMemory().
constexpr std::size_t max_log_bytes = 25'600;

bool has_log(const Driver& driver) { return driver.api().logs_current != nullptr && driver.api().logs_dump_to_memory != nullptr; }

}  // namespace

DriverLog::DriverLog(std::shared_ptr<const Driver> driver, const SourceLocation& where) : driver_(std::move(driver)) { skip(where); }

void DriverLog::skip(const SourceLocation& where) {
    if (has_log(*driver_)) detail::call<&EntryPoints::logs_current>(*driver_, detail::no_ordinal, where, &iterator_, 0U);
}

std::string DriverLog::new_lines() {
    if (!has_log(*driver_) || detail::must_leak()) return {};
    std::string lines(max_log_bytes, '\0');
    std::size_t bytes = lines.size();
    const abi::Status status = driver_->api().logs_dump_to_memory(&iterator_, lines.data(), &bytes, 0);
    lines.resize(status == abi::Status::success && bytes < lines.size() ? bytes : 0);
    return lines;
}

}  // namespace cupool
