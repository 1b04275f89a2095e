// Walks through every path of a formula whose branches depend on values of which only bounds are known.
#pragma once

#include <string>
#include <vector>

#include "catch.hpp"

namespace cupool::test {

/// Fails the running test case where a bound does not hold.
inline void require_bound(bool holds, const std::string& what) {
    if (!holds) FAIL(what);
}

/// The answers that the current path gives to its questions, in order.
class Decisions {
public:
    /// The next answer: first no, and on a later path yes.
    bool next() {
        if (is_off_) return false;
        if (position_ == answers_.size()) answers_.push_back(false);
        return answers_[position_++];
    }

    /// While this is off every answer is no.
    void turn(bool on) { is_off_ = !on; }

    /// Runs `formula` once for each path and returns how many there are.
    template <class Formula>
    std::size_t for_each_path(const Formula& formula) {
        answers_.clear();
        for (std::size_t paths = 1;; ++paths) {
            position_ = 0;
            is_off_ = false;
            formula();
            answers_.resize(position_);
            while (!answers_.empty() && answers_.back()) answers_.pop_back();
            if (answers_.empty()) return paths;
            answers_.back() = true;
        }
    }

private:
    std::vector<bool> answers_;
    std::size_t position_ = 0;
    bool is_off_ = false;
};

/// Shared by the elements of a test, which have no other way to the path that they are on.
inline Decisions& decisions() {
    static Decisions shared;
    return shared;
}

}  // namespace cupool::test
