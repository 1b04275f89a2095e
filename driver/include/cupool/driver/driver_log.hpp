#pragma once

#include <cupool/driver/driver.hpp>
#include <cupool/driver/source_location.hpp>
#include <memory>
#include <string>

namespace cupool {

/// Reads what the driver logs about failed calls in this process: one line for each, which often says more than
/// the status, such as the parameter that was wrong. Drivers of CUDA 12.9 and newer keep such a log ("Error Log
/// Management" in the CUDA Driver API); with an older one the log is always empty.
///
/// The log is the process's, so it holds the lines of all threads. Not thread-safe.
class DriverLog {
public:
    /// Starts at the end of the log. \throws Error any failure of the driver call
    explicit DriverLog(std::shared_ptr<const Driver> driver, const SourceLocation& where = SourceLocation::current());
    DriverLog(const DriverLog&) = delete;
    DriverLog& operator=(const DriverLog&) = delete;

    /// Goes to the end of the log. \throws Error any failure of the driver call
    void skip(const SourceLocation& where = SourceLocation::current());

    /// The lines that were added since the construction or the last call of a member function, each with its line
    /// end. The driver keeps 25,600 bytes; where older lines are lost, the first line says so. Empty also if the
    /// driver refuses to give the lines.
    std::string new_lines();

private:
    std::shared_ptr<const Driver> driver_;
    unsigned iterator_ = 0;
};

}  // namespace cupool
