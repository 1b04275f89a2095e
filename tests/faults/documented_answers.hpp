#pragma once

#include <cupool/driver/error.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cupool::test {

/// Every answer but success that the CUDA Driver API's documentation lets an entry point give, and one that no documentation knows.
/// \param entry_point  by base name. \throws std::out_of_range where the table has no row for it
const std::vector<int>& documented_answers(std::string_view entry_point);

/// The category of the Error that a caller must see when an entry point gives an answer: from the documentation's words and DESIGN's list
/// of categories, written without a look at driver/src's own table.
ErrorCategory expected_category(const std::string& entry_point, int answer);

/// Whether a caller takes the answer as an ordinary one, so that nothing has failed.
bool is_ordinary_answer(const std::string& entry_point, int answer);

}  // namespace cupool::test
