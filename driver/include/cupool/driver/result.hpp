#pragma once

#include <cupool/driver/error.hpp>
#include <utility>
#include <variant>

namespace cupool {

/// A value or an Error. `try_` functions return it if failures are to be expected.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor): a value is a result
    Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor): so is an error

    /// Whether it holds a value.
    bool has_value() const noexcept { return content_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    /// The value. \throws the Error if it holds no value
    T& value() & {
        require();
        return std::get<0>(content_);
    }
    /// The same.
    const T& value() const& {
        require();
        return std::get<0>(content_);
    }
    /// The same.
    T&& value() && {
        require();
        return std::get<0>(std::move(content_));
    }

    /// \pre !has_value()
    const Error& error() const { return std::get<1>(content_); }

private:
    void require() const {
        if (!has_value()) throw error();
    }

    std::variant<T, Error> content_;
};

}  // namespace cupool
