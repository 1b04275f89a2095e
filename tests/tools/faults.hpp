// Matching what a parser finds wrong.
#pragma once

#include <optional>
#include <string>

#include "catch.hpp"
#include "formats/bad_input.hpp"

namespace cupool::test {

/// What a call finds wrong with its input, or nothing.
template <class Call>
std::optional<tools::BadInput> fault_of(const Call& call) {
    try {
        call();
    } catch (const tools::BadInput& error) {
        return error;
    }
    return std::nullopt;
}

/// Requires that a call refuses its input for this fault at this place.
template <class Call>
void require_fault(const Call& call, tools::InputFault fault, const std::string& where) {
    const auto found = fault_of(call);
    REQUIRE(found.has_value());
    INFO(found->what());
    CHECK(static_cast<int>(found->fault()) == static_cast<int>(fault));
    CHECK(found->where() == where);
}

}  // namespace cupool::test
