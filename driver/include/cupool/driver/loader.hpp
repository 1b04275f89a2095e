#pragma once

#include <chrono>
#include <cupool/driver/reason.hpp>
#include <functional>
#include <string>
#include <vector>

namespace cupool {

/// How to find a libcuda.
struct LoadOptions {
    /// The library's file. Empty: search. A library given here is taken or refused; nothing else is tried in its place.
    std::string library_path;

    /// Gives the address of an exported name, or null: a driver that is no shared library. Given, nothing is loaded.
    std::function<void*(const char* exported)> resolver;

    /// A command that tries each file in a process of its own before this one loads it, so that a library that ends whoever loads it, calls
    /// its cuInit or lists its devices is a finding: an executable's path, then arguments. It is given the file's path as one more and
    /// calls try_library(), as {"/usr/bin/devquery", "--try-library"} does; a program may name itself, by "/proc/self/exe". Where the trial
    /// cannot be run the library is refused, and the finding says so. Not tried is what is loaded already, or known to the dynamic loader
    /// alone. Empty: nothing is tried.
    std::vector<std::string> trial_command;

    /// How long the trials of all libraries may take together. cuInit alone takes seconds on a host with many devices.
    std::chrono::milliseconds trial_patience = std::chrono::seconds(30);
};

/// One place where a libcuda was looked for.
struct LoadAttempt {
    std::string path;     ///< what was tried: a file, or a name for the dynamic loader
    std::string source;   ///< who named it: "the program", "CUPOOL_DRIVER", "already loaded", "search", ...
    Reason reason;        ///< none where it was taken
    std::string finding;  ///< what came of it, with the dynamic loader's own words where it said any
};

/// What the loader did.
struct LoadReport {
    Reason reason = Reason::no_library;  ///< none where a library was taken
    std::string library_path;  ///< the absolute path, links resolved, of the library taken, or of the one that came nearest; may be empty
    int version = 0;           ///< what cuDriverGetVersion answered: 13000 is 13.0; 0 where it did not
    bool simulated = false;    ///< it is cupool's simulated driver
    std::vector<LoadAttempt> attempts;  ///< in the order they were made

    /// Why there is no driver, on one line; empty where there is one.
    std::string explanation() const;
};

/// A version as cuDriverGetVersion counts, as people write it: 12080 is "12.8".
std::string cuda_version_text(int version);

}  // namespace cupool
