// One mutant's life: a process of its own, in which the simulated driver loads it in the place of what we ship.
#pragma once

#include <string>

#include "known_answers.hpp"

namespace cupool::test {

enum class Fate {
    survived,
    wrong_result,
    fault,      ///< the simulated driver's report tells which: a bad address, a race, threads that wait for ever
    refused,    ///< it does not load: no mutant at all
    timed_out,  ///< it ran on
    crashed,    ///< the simulated driver did
};

std::string to_string(Fate fate);

struct Verdict {
    Fate fate = Fate::survived;
    std::string evidence;
};

/// Runs the module's known answers with `text` in its place, on a machine of one small device with every check on.
Verdict try_text(const ShippedModule& module, const std::string& text);

}  // namespace cupool::test
