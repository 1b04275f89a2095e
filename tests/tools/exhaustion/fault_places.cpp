#include "fault_places.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

namespace cupool::test {
namespace {

std::string setting(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

std::uint64_t fault_seed() {
    constexpr std::uint64_t usual = 20261124;
    const std::string value = setting("CUPOOL_FAULT_SEED");
    return value.empty() ? usual : std::stoull(value);
}

std::vector<std::uint64_t> fault_places(std::uint64_t count, std::uint64_t size) {
    constexpr std::uint64_t last = 10;
    if (setting("CUPOOL_FAULT_MATRIX") == "whole") size = count;
    std::set<std::uint64_t> places;
    for (std::uint64_t place = 1; place <= count; ++place) {
        if (count <= size || place <= size / 2 || place + last > count) places.insert(place);
    }
    std::mt19937_64 random(fault_seed());
    while (places.size() < std::min(size, count)) places.insert(1 + random() % count);
    return {places.begin(), places.end()};
}

}  // namespace cupool::test
