#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace cupool::detail {

/// An object for each member of a pool, made when it is first needed. Thread-safe.
template <class T>
class PerMember {
public:
    explicit PerMember(std::size_t members) {
        for (std::size_t i = 0; i < members; ++i) places_.push_back(std::make_unique<Place>());
    }

    /// \param make  makes the object; what it throws is thrown, and the next call tries again
    template <class Make>
    const T& at(std::size_t index, const Make& make) {
        Place& place = *places_[index];
        const std::lock_guard lock(place.mutex);
        if (!place.object) place.object.emplace(make());
        return *place.object;
    }
    /// Whether the object was made.
    bool has(std::size_t index) const {
        Place& place = *places_[index];
        const std::lock_guard lock(place.mutex);
        return place.object.has_value();
    }

private:
    struct Place {
        std::mutex mutex;  ///< held while the object is made, which may take long
        std::optional<T> object;
    };
    std::vector<std::unique_ptr<Place>> places_;
};

}  // namespace cupool::detail
