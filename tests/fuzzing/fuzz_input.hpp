#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

namespace cupool::test {

/// What a fuzzer is given, read from its beginning to its end.
class FuzzInput {
public:
    FuzzInput(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

    /// 0 where there is none.
    std::uint8_t take_byte() {
        if (rest_.empty()) return 0;
        const std::uint8_t byte = rest_.front();
        rest_ = rest_.subspan(1);
        return byte;
    }

    /// Up to the separator, which is taken too, or to the end.
    std::string_view take_until(char separator) {
        const std::string_view part = text().substr(0, text().find(separator));
        rest_ = rest_.subspan(part.size() < rest_.size() ? part.size() + 1 : part.size());
        return part;
    }

    bool empty() const { return rest_.empty(); }
    std::span<const std::uint8_t> bytes() const { return rest_; }
    std::string_view text() const { return {reinterpret_cast<const char*>(rest_.data()), rest_.size()}; }

private:
    std::span<const std::uint8_t> rest_;
};

/// Ends the run where what must hold does not.
inline void must_hold(bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
}

}  // namespace cupool::test
