#include "device/visible_devices.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "api/failure.hpp"

namespace cupool::simulator {
namespace {

// In the format of nvidia-smi -L.
std::string uuid_text(const Device& card) {
    const abi::Uuid& uuid = card.uuid;
    std::string text = card.name.find(" MIG ") == std::string::npos ? "GPU-" : "MIG-";
    for (int i = 0; i < 16; ++i) {
        char digits[4];
        std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
        text += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        text += digits;
    }
    return text;
}

// "2", "02" or "+2".
bool is_number(const std::string& name) {
    const std::size_t begin = !name.empty() && name[0] == '+' ? 1 : 0;
    return name.size() > begin && name.find_first_not_of("0123456789", begin) == std::string::npos;
}

bool is_called(const Device& card, const std::string& name) {
    if (is_number(name)) {
        return std::strtoull(name.c_str(), nullptr, 10) == static_cast<unsigned long long>(card.card);
    }
    constexpr std::size_t min_length = 5;  // "GPU-" or "MIG-" and at least one digit
    return name.size() >= min_length && uuid_text(card).compare(0, name.size(), name) == 0;
}

// Null unless exactly one card matches.
std::shared_ptr<Device> only_card_called(const std::string& name, const Devices& cards) {
    const auto called = [&](const std::shared_ptr<Device>& card) { return is_called(*card, name); };
    const auto found = std::find_if(cards.begin(), cards.end(), called);
    return std::count_if(cards.begin(), cards.end(), called) == 1 ? *found : nullptr;
}

std::string without_blanks(std::string text) {
    std::erase(text, ' ');
    return text;
}

Devices named_devices(const std::string& names, const Devices& cards) {
    Devices named;
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');) {
        const auto card = only_card_called(without_blanks(name), cards);
        if (!card) {
            break;
        }
        require(std::find(named.begin(), named.end(), card) == named.end(), abi::Status::invalid_device);
        named.push_back(card);
    }
    return named;
}

}  // namespace

Devices visible_devices(const Devices& cards) {
    const char* const names = std::getenv("CUDA_VISIBLE_DEVICES");
    const Devices visible = names == nullptr ? cards : named_devices(names, cards);
    for (std::size_t i = 0; i < visible.size(); ++i) {
        visible[i]->ordinal = static_cast<int>(i);
    }
    return visible;
}

}  // namespace cupool::simulator
