#include <atomic>

#include "ptx/report.hpp"
#include "ptx/run/address.hpp"
#include "ptx/run/handlers.hpp"

namespace cupool::ptx {
namespace {

// Other launches and the host may access the same bytes. A relaxed atomic access is as fast as a plain one and no data race.
template <class Element>
Element read(const std::byte* location) {
    return __atomic_load_n(reinterpret_cast<const Element*>(location), __ATOMIC_RELAXED);
}

template <class Element>
void write(std::byte* location, Element value) {
    __atomic_store_n(reinterpret_cast<Element*>(location), value, __ATOMIC_RELAXED);
}

void fence_for(const Instruction& instruction, Ordering ordering) {
    if (instruction.choice == static_cast<std::uint8_t>(ordering)) std::atomic_thread_fence(std::memory_order_seq_cst);
}

template <Access access, class Element, class Slot>
void load(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    std::uint64_t addresses[warp_size];
    effective_addresses(warp, instruction, addresses);
    Slot* slots[4] = {};
    for (unsigned i = 0; i < instruction.width; ++i) slots[i] = warp.slots<Slot>(instruction.operands[i]);
    const std::uint64_t bytes = sizeof(Element) * instruction.width;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::byte* location = resolve<access>(warp, lane, addresses[lane], bytes, false);
        for (unsigned i = 0; i < instruction.width; ++i) slots[i][lane] = static_cast<Slot>(read<Element>(location + i * sizeof(Element)));
    }
    fence_for(instruction, Ordering::acquire);
}

// Parameters of an entry are uniform.
template <class Element, class Slot>
void load_parameter(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    if (instruction.operands[address_operand] >> bank_shift != static_cast<std::uint32_t>(Bank::pool64)) {
        load<Access::parameter, Element, Slot>(warp, instruction, mask);
        return;
    }
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const std::uint64_t address = warp.slots<std::uint64_t>(instruction.operands[address_operand])[0] + instruction.immediate;
    const std::byte* location = resolve<Access::parameter>(warp, first, address, sizeof(Element) * instruction.width, false);
    for (unsigned i = 0; i < instruction.width; ++i) {
        const auto value = static_cast<Slot>(read<Element>(location + i * sizeof(Element)));
        Slot* slots = warp.slots<Slot>(instruction.operands[i]);
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) slots[std::countr_zero(rest)] = value;
    }
}

template <Access access, class Element, class Slot>
void store(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    fence_for(instruction, Ordering::release);
    std::uint64_t addresses[warp_size];
    effective_addresses(warp, instruction, addresses);
    const Slot* slots[4] = {};
    for (unsigned i = 0; i < instruction.width; ++i) slots[i] = warp.slots<Slot>(instruction.operands[i]);
    const std::uint64_t bytes = sizeof(Element) * instruction.width;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        std::byte* location = resolve<access>(warp, lane, addresses[lane], bytes, true);
        for (unsigned i = 0; i < instruction.width; ++i) write(location + i * sizeof(Element), static_cast<Element>(slots[i][lane]));
    }
}

template <Access access, class Slot>
Handler select_load(Type type) {
    const auto choose = []<class Element>(Element) -> Handler {
        if constexpr (sizeof(Element) > sizeof(Slot)) {
            return nullptr;
        } else if constexpr (access == Access::parameter) {
            return load_parameter<Element, Slot>;
        } else {
            return load<access, Element, Slot>;
        }
    };
    switch (bits_of(type)) {
        case 8: return is_signed(type) ? choose(std::int8_t{}) : choose(std::uint8_t{});
        case 16: return is_signed(type) ? choose(std::int16_t{}) : choose(std::uint16_t{});
        case 32: return is_signed(type) ? choose(std::int32_t{}) : choose(std::uint32_t{});
        case 64: return choose(std::uint64_t{});
        default: return nullptr;
    }
}

template <Access access, class Slot>
Handler select_store(Type type) {
    if constexpr (access == Access::parameter) return nullptr;
    switch (bits_of(type)) {
        case 8: return store<access, std::uint8_t, Slot>;
        case 16: return store<access, std::uint16_t, Slot>;
        case 32: return store<access, std::uint32_t, Slot>;
        case 64: return sizeof(Slot) == 8 ? store<access, std::uint64_t, Slot> : nullptr;
        default: return nullptr;
    }
}

template <Access access>
Handler select_access(const Selection& selection) {
    const Type type = selection.modifiers.type();
    if (selection.operation == Operation::load)
        return selection.wide_destination ? select_load<access, std::uint64_t>(type) : select_load<access, std::uint32_t>(type);
    return selection.wide_destination ? select_store<access, std::uint64_t>(type) : select_store<access, std::uint32_t>(type);
}

// Global and constant addresses equal generic addresses; shared and local ones begin at 0.
void to_generic(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const std::uint64_t window = instruction.choice2 == static_cast<std::uint8_t>(Space::shared)  ? shared_window
                                 : instruction.choice2 == static_cast<std::uint8_t>(Space::local) ? local_window
                                                                                                  : 0;
    const auto* from = warp.slots<std::uint64_t>(instruction.operands[1]);
    auto* to = warp.slots<std::uint64_t>(instruction.operands[0]);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) to[std::countr_zero(rest)] = from[std::countr_zero(rest)] + window;
}

void from_generic(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const std::uint64_t window = instruction.choice2 == static_cast<std::uint8_t>(Space::shared)  ? shared_window
                                 : instruction.choice2 == static_cast<std::uint8_t>(Space::local) ? local_window
                                                                                                  : 0;
    const auto* from = warp.slots<std::uint64_t>(instruction.operands[1]);
    auto* to = warp.slots<std::uint64_t>(instruction.operands[0]);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) to[std::countr_zero(rest)] = from[std::countr_zero(rest)] - window;
}

template <Space space>
void is_in_space(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const auto* addresses = warp.slots<std::uint64_t>(instruction.operands[1]);
    std::uint32_t result = 0;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        const bool shared = is_in_window(addresses[lane], shared_window);
        const bool local = is_in_window(addresses[lane], local_window);
        const bool is = space == Space::shared   ? shared
                        : space == Space::local  ? local
                        : space == Space::global ? !shared && !local
                                                 : false;
        result |= static_cast<std::uint32_t>(is) << lane;
    }
    warp.set_predicate(instruction.operands[0], result, mask);
}

Handler select_is_in_space(Space space) {
    switch (space) {
        case Space::shared: return is_in_space<Space::shared>;
        case Space::local: return is_in_space<Space::local>;
        case Space::global: return is_in_space<Space::global>;
        default: return nullptr;
    }
}

void frame_address(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    const std::uint64_t address = warp.local_frame() + instruction.immediate;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
        warp.set_value(instruction.operands[0], static_cast<unsigned>(std::countr_zero(rest)), address);
}

void fence(Warp&, const Instruction&, std::uint32_t) { std::atomic_thread_fence(std::memory_order_seq_cst); }

bool converts_plainly(Space space) { return space != Space::parameter && space != Space::generic; }

}  // namespace

void throw_misaligned(unsigned lane, std::uint64_t address, std::uint64_t bytes, Access access) {
    throw LaneFault{Fault::misaligned_address, lane, address, "misaligned access of " + bytes_text(bytes, access), name_of(access)};
}

void throw_illegal(unsigned lane, std::uint64_t address, std::uint64_t bytes, Access access, bool write) {
    throw LaneFault{Fault::illegal_address, lane, address, (write ? "illegal write of " : "illegal read of ") + bytes_text(bytes, access),
                    name_of(access)};
}

AccessedBytes locate(Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes, Access access, bool write) {
    const auto beside = [](std::byte* initialised, const std::byte* host, const std::byte* memory) {
        return initialised != nullptr ? initialised + (host - memory) : nullptr;
    };
    const auto in_shared = [&](const std::byte* host) {
        const Block& block = warp.block();
        return AccessedBytes{Access::shared, static_cast<std::uint64_t>(host - block.shared()), bytes, true,
                             beside(block.shared_initialised(), host, block.shared())};
    };
    const auto in_local = [&](const std::byte* host) {
        return AccessedBytes{Access::local, static_cast<std::uint64_t>(host - warp.local(lane)), bytes, true,
                             beside(warp.local_initialised(lane), host, warp.local(lane))};
    };
    switch (access) {
        case Access::shared: return in_shared(resolve<Access::shared>(warp, lane, address, bytes, write));
        case Access::local: return in_local(resolve<Access::local>(warp, lane, address, bytes, write));
        case Access::frame: return in_local(resolve<Access::frame>(warp, lane, address, bytes, write));
        case Access::generic:
            if (is_in_window(address, shared_window)) return in_shared(resolve<Access::generic>(warp, lane, address, bytes, write));
            if (is_in_window(address, local_window)) return in_local(resolve<Access::generic>(warp, lane, address, bytes, write));
            break;
        default: break;
    }
    const std::byte* const host = resolve<Access::global>(warp, lane, address, bytes, write);
    const MemoryRange& range = warp.launch().memory.last_range();
    std::byte* const initialised = warp.launch().launch.checks.initialisation ? range.initialised : nullptr;
    return {Access::global, address, bytes, range.writable, beside(initialised, host, range.host)};
}

Handler select_memory(const Selection& selection) {
    const Space space = selection.modifiers.get(Field::space, Space::generic);
    switch (selection.operation) {
        case Operation::load:
        case Operation::store:
            switch (selection.access) {
                case Access::global:
                    if (selection.operation == Operation::store && space == Space::constant) return nullptr;
                    return select_access<Access::global>(selection);
                case Access::shared: return select_access<Access::shared>(selection);
                case Access::local: return select_access<Access::local>(selection);
                case Access::frame: return select_access<Access::frame>(selection);
                case Access::parameter: return select_access<Access::parameter>(selection);
                case Access::generic: return select_access<Access::generic>(selection);
            }
            return nullptr;
        case Operation::convert_address: return converts_plainly(space) ? to_generic : nullptr;
        case Operation::convert_address_to: return converts_plainly(space) ? from_generic : nullptr;
        case Operation::is_in_space: return select_is_in_space(space);
        case Operation::frame_address: return frame_address;
        case Operation::fence:
        case Operation::sequential_fence: return fence;
        default: return nullptr;
    }
}

}  // namespace cupool::ptx
