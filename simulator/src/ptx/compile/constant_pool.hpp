#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "ptx/module.hpp"

namespace cupool::ptx {

/// Assigns a slot to each distinct constant of a module.
class ConstantPool {
public:
    explicit ConstantPool(Module& module) : module_(module) {
        if (number32(0xffffffff) != always) throw std::logic_error("the first constant is `always`");
    }

    /// Returns an operand that reads the number in every lane.
    std::uint32_t number32(std::uint32_t value) {
        const auto [known, added] = numbers32_.emplace(value, module_.pool32.size());
        if (added) module_.pool32.push_back(value);
        return slot32(known->second);
    }

    std::uint32_t number64(std::uint64_t value) {
        const auto [known, added] = numbers64_.emplace(value, module_.pool64.size());
        if (added) module_.pool64.push_back(value);
        return slot64(known->second);
    }

    std::uint32_t address(PoolAddress::Kind kind, bool wide, std::uint32_t index, std::uint64_t addend) {
        const auto [known, added] = addresses_.emplace(std::tuple(kind, wide, index, addend), 0);
        if (added) {
            auto slot = static_cast<std::uint32_t>(wide ? module_.pool64.size() : module_.pool32.size());
            if (wide) {
                module_.pool64.push_back(0);
            } else {
                module_.pool32.push_back(0);
            }
            module_.pool_addresses.push_back({kind, wide, slot, index, addend});
            known->second = wide ? slot64(slot) : slot32(slot);
        }
        return known->second;
    }

private:
    static std::uint32_t slot32(std::size_t index) { return operand_in(Bank::pool32, static_cast<std::uint32_t>(index) * slot32_bytes); }
    static std::uint32_t slot64(std::size_t index) { return operand_in(Bank::pool64, static_cast<std::uint32_t>(index) * slot64_bytes); }

    Module& module_;
    std::unordered_map<std::uint32_t, std::size_t> numbers32_;
    std::unordered_map<std::uint64_t, std::size_t> numbers64_;
    std::map<std::tuple<PoolAddress::Kind, bool, std::uint32_t, std::uint64_t>, std::uint32_t> addresses_;
};

}  // namespace cupool::ptx
