#pragma once

#include <string>

namespace cupool::tools {

/// Colours for a terminal, or none.
class Painter {
public:
    explicit Painter(bool colors) : colors_(colors) {}

    std::string good(const std::string& text) const { return paint(text, "\033[32m"); }
    std::string bad(const std::string& text) const { return paint(text, "\033[31m"); }

private:
    std::string paint(const std::string& text, const char* color) const { return colors_ ? color + text + "\033[0m" : text; }

    bool colors_;
};

}  // namespace cupool::tools
