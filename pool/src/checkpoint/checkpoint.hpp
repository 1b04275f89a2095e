#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cupool/driver/error.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace cupool::detail {

/// A hash of bytes that tells damaged or different data: 64-bit FNV-1a.
std::uint64_t hash_of(std::span<const std::byte> bytes);

/// Collects values for a checkpoint.
class CheckpointWriter {
public:
    /// \param kind  of what is saved
    explicit CheckpointWriter(const std::string& kind) { (*this)(kind); }

    template <class T>
    void operator()(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        append(std::as_bytes(std::span(&value, 1)));
    }
    template <class T>
    void operator()(const std::vector<T>& values) {
        (*this)(std::uint64_t{values.size()});
        append(std::as_bytes(std::span(values)));
    }
    void operator()(const std::string& text) { (*this)(std::vector<char>(text.begin(), text.end())); }

    /// Writes the file. It appears whole or not at all. \throws Error io
    void write(const std::filesystem::path& file) const;

private:
    void append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

    std::vector<std::byte> bytes_;
};

/// Gives the values of a checkpoint in the order in which they were written.
class CheckpointReader {
public:
    /// \throws Error io if the file cannot be read, invalid_argument if it is no checkpoint of that kind, of another version, or damaged
    CheckpointReader(const std::filesystem::path& file, const std::string& kind);

    template <class T>
    void operator()(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
    }
    template <class T>
    void operator()(std::vector<T>& values) {
        std::uint64_t size = 0;
        (*this)(size);
        if (size > bytes_.size() / sizeof(T)) throw_damaged();
        const std::span<const std::byte> bytes = take(size * sizeof(T));
        values.resize(size);
        if (size != 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    void operator()(std::string& text) {
        std::vector<char> characters;
        (*this)(characters);
        text.assign(characters.begin(), characters.end());
    }

    /// The bytes that are left.
    std::size_t rest() const { return bytes_.size() - position_; }
    /// \throws Error invalid_argument if any are left
    void expect_end() const {
        if (rest() != 0) throw_damaged();
    }

    [[noreturn]] void throw_damaged() const;
    /// \throws Error invalid_argument about this file
    [[noreturn]] void refuse(const std::string& why) const;

private:
    std::span<const std::byte> take(std::size_t size) {
        if (size > bytes_.size() - position_) throw_damaged();
        position_ += size;
        return std::span(bytes_).subspan(position_ - size, size);
    }

    std::filesystem::path file_;
    std::vector<std::byte> bytes_;
    std::size_t position_ = 0;
};

}  // namespace cupool::detail
