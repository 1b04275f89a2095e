#include "program/child_report.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace cupool::tools {

ChildReport::ChildReport() : to_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    if (to_ >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) to_ = -1;
}

bool ChildReport::write(std::string_view text) const {
    while (!text.empty()) {
        const auto count = ::write(to_, text.data(), text.size());
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace cupool::tools
