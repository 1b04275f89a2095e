#include <cupool/driver/error.hpp>
#include <cupool/pool/division.hpp>
#include <ostream>
#include <utility>

namespace cupool {

std::string to_string(const Slice& slice) {
    if (slice.count == 0) return "no items";
    return "items " + std::to_string(slice.offset) + " to " + std::to_string(slice.offset + slice.count - 1);
}

Division::Division(std::vector<int> devices, std::vector<Slice> slices, SourceLocation where)
    : devices_(std::move(devices)), slices_(std::move(slices)) {
    if (devices_.size() != slices_.size()) {
        throw Error(ErrorCategory::invalid_argument,
                    "a division needs a slice for each device; there are " + std::to_string(devices_.size()) + " devices and " +
                        std::to_string(slices_.size()) + " slices",
                    where);
    }
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
        if (slices_[i].offset != end || slices_[i].offset + slices_[i].count < end) {
            throw Error(ErrorCategory::invalid_argument,
                        "the slices of a division must follow each other; the slice of device " + std::to_string(devices_[i]) +
                            " begins at item " + std::to_string(slices_[i].offset) + ", and the slices before it end at " +
                            std::to_string(end),
                        where);
        }
        end += slices_[i].count;
    }
}

const Slice& Division::slice(std::size_t index, SourceLocation where) const {
    if (index < slices_.size()) return slices_[index];
    throw Error(ErrorCategory::invalid_argument,
                "index " + std::to_string(index) + " is past the end of a division among " + std::to_string(size()) + " devices", where);
}

std::string to_string(const Division& division) {
    std::string text = std::to_string(division.total()) + " items";
    for (std::size_t i = 0; i < division.size(); ++i) {
        text += (i == 0 ? ": device " : ", device ") + std::to_string(division.devices()[i]) + " has " + to_string(division.slices()[i]);
    }
    return text;
}

std::ostream& operator<<(std::ostream& out, const Division& division) { return out << to_string(division); }

}  // namespace cupool
