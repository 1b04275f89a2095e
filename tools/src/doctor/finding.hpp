#pragma once

#include <cupool/driver/reason.hpp>
#include <string>
#include <vector>

namespace cupool::tools {

enum class Confidence { certain, likely, possible };

/// One cause of trouble. All texts are single lines and may contain bytes of the host.
struct Finding {
    std::string id;     ///< stable, in kebab-case; docs/devquery.md lists all
    std::string cause;  ///< what is wrong
    std::string fix;    ///< what to do
    Confidence confidence = Confidence::certain;
    Reason reason = Reason::none;         ///< the exit code if no GPU can be used
    std::vector<std::string> evidence{};  ///< what was seen
    std::string as_root{};                ///< what root could see in addition; may be empty
    bool may_follow = false;              ///< whether it may be a consequence of the first finding
};

std::string to_string(Confidence confidence);

}  // namespace cupool::tools
