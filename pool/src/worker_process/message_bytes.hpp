#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cupool/driver/error.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cupool::detail {

/// A message does not have the form that the protocol prescribes. The other side is not trusted any further.
[[noreturn]] inline void throw_malformed(const std::string& what) {
    throw Error(ErrorCategory::io, "malformed message between processes: " + what);
}

/// Composes the payload of a message: numbers in the host's byte order (both ends have the same), texts and arrays with their lengths.
class MessageWriter {
public:
    template <class T>
    requires std::is_arithmetic_v<T> MessageWriter& number(T value) { return append(&value, sizeof(value)); }
    template <class T>
    requires std::is_enum_v<T> MessageWriter& enumerator(T value) { return number(static_cast<std::uint32_t>(value)); }
    MessageWriter& flag(bool value) { return number<std::uint8_t>(value ? 1 : 0); }
    MessageWriter& bytes(std::span<const std::byte> array) {
        number<std::uint64_t>(array.size());
        return append(array.data(), array.size());
    }
    MessageWriter& text(std::string_view words) { return bytes(std::as_bytes(std::span(words))); }

    std::vector<std::byte> take() { return std::move(payload_); }

private:
    MessageWriter& append(const void* data, std::size_t size) {
        const auto* const begin = static_cast<const std::byte*>(data);
        payload_.insert(payload_.end(), begin, begin + size);
        return *this;
    }

    std::vector<std::byte> payload_;
};

/// Reads what a MessageWriter has composed and believes none of it: each member \throws Error io where the payload ends too early or has a
/// value that is out of range.
class MessageReader {
public:
    explicit MessageReader(std::span<const std::byte> payload) noexcept : rest_(payload) {}

    template <class T>
    requires std::is_arithmetic_v<T> T number() {
        T value;
        std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
        return value;
    }
    bool flag() {
        const auto value = number<std::uint8_t>();
        if (value > 1) throw_malformed("a flag of " + std::to_string(value));
        return value == 1;
    }
    /// \param last  the last enumerator of an enumeration that counts from 0
    template <class T>
    requires std::is_enum_v<T> T enumerator(T last) {
        const auto value = number<std::uint32_t>();
        if (value > static_cast<std::uint32_t>(last)) throw_malformed("no enumerator has the value " + std::to_string(value));
        return static_cast<T>(value);
    }
    std::span<const std::byte> bytes() {
        const auto size = number<std::uint64_t>();
        if (size > rest_.size())
            throw_malformed("an array of " + std::to_string(size) + " bytes, of which " + std::to_string(rest_.size()) + " are there");
        return take(static_cast<std::size_t>(size));
    }
    std::string text() {
        const std::span<const std::byte> words = bytes();
        return {reinterpret_cast<const char*>(words.data()), words.size()};
    }
    void require_end() const {
        if (!rest_.empty()) throw_malformed(std::to_string(rest_.size()) + " bytes are left over");
    }

private:
    std::span<const std::byte> take(std::size_t size) {
        if (size > rest_.size()) throw_malformed("it ends " + std::to_string(size - rest_.size()) + " bytes too early");
        const std::span<const std::byte> head = rest_.first(size);
        rest_ = rest_.subspan(size);
        return head;
    }

    std::span<const std::byte> rest_;
};

}  // namespace cupool::detail
