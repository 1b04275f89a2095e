#pragma once

#include <chrono>
#include <cupool/driver/reason.hpp>
#include <functional>
#include <string>
#include <vector>

namespace cupool {

/// How the loader finds a libcuda.
struct LoadOptions {
    /// The file of the library. If empty, the loader searches; otherwise it tries only this file.
    std::string library_path;

    /// Returns the address of an exported name, or null. If set, it stands for the library and the
    /// loader loads nothing.
    std::function<void*(const char* exported)> resolver;

    /// A command that tries each file in a separate process before this process loads it: a library
    /// that crashes or blocks when it is loaded, in cuInit or while it lists its devices becomes a
    /// finding. The path of an executable comes first, then arguments. The loader appends the path
    /// of the file; the command calls try_library(), as {"/usr/bin/devquery", "--try-library"}
    /// does. A program may name itself by "/proc/self/exe". If the trial cannot run, the loader
    /// refuses the library and the finding says so. Libraries that are already loaded, or known
    /// only to the dynamic loader, are not tried. If empty, nothing is tried.
    std::vector<std::string> trial_command;

    /// The total time limit of the trials of all libraries. cuInit alone takes seconds on a host
    /// with many devices.
    std::chrono::milliseconds trial_patience = std::chrono::seconds(30);
};

/// One place in the search for a libcuda.
struct LoadAttempt {
    std::string path;     ///< the file, or the name given to the dynamic loader
    std::string source;   ///< where the path comes from: "the program", "CUPOOL_DRIVER", "already loaded", "search", ...
    Reason reason;        ///< none if the loader took it
    std::string finding;  ///< the outcome, with the message of the dynamic loader if there is one
};

/// What the loader did and found.
struct LoadReport {
    Reason reason = Reason::no_library;  ///< none if a library was loaded
    std::string library_path;            ///< the absolute path without links of the loaded library or of the best candidate; may be empty
    int version = 0;                     ///< the result of cuDriverGetVersion: 13000 is 13.0; 0 if it failed
    bool simulated = false;              ///< whether it is the simulated driver of cupool
    std::vector<LoadAttempt> attempts;   ///< in order

    /// Why there is no driver, on one line; empty if there is one.
    std::string explanation() const;
};

/// Formats a version number of cuDriverGetVersion: 12080 is "12.8".
std::string cuda_version_text(int version);

}  // namespace cupool
