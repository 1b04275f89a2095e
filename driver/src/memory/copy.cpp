#include <cupool/driver/copy.hpp>
#include <string>

namespace cupool::detail {

void throw_size_mismatch(std::size_t to, std::size_t from, const SourceLocation& where) {
    throw Error(ErrorCategory::invalid_argument, "cannot copy " + std::to_string(from) + " elements to a place for " + std::to_string(to),
                where);
}

}  // namespace cupool::detail
