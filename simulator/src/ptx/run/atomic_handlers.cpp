#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ptx/run/address.hpp"
#include "ptx/run/float_bits.hpp"
#include "ptx/run/handlers.hpp"

namespace cupool::ptx {
namespace {

// "PTX ISA", atom: .add.f32 flushes subnormals to sign-preserving zero on global memory, but not on shared memory.
float flushed(float value) {
    return value > -std::numeric_limits<float>::min() && value < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
}

template <AtomicOperation operation, class Element, bool flush>
Element apply(Element old, Element operand, Element replacement) {
    using enum AtomicOperation;
    if constexpr (std::is_floating_point_v<Element>) {
        if constexpr (operation == exchange) return operand;
        if constexpr (operation == add) {
            Element sum =
                flush ? static_cast<Element>(flushed(static_cast<float>(old)) + flushed(static_cast<float>(operand))) : old + operand;
            if (flush) sum = static_cast<Element>(flushed(static_cast<float>(sum)));
            return sum != sum ? new_nan<Element>() : sum;
        }
    }
    if constexpr (std::is_integral_v<Element>) {
        switch (operation) {
            case add:
                return static_cast<Element>(static_cast<std::make_unsigned_t<Element>>(old) +
                                            static_cast<std::make_unsigned_t<Element>>(operand));
            case minimum: return std::min(old, operand);
            case maximum: return std::max(old, operand);
            case conjunction: return old & operand;
            case disjunction: return old | operand;
            case exclusive: return old ^ operand;
            case exchange: return operand;
            case compare_exchange: return old == operand ? replacement : old;
            case increment: return old >= operand ? 0 : old + 1;
            case decrement: return old == 0 || old > operand ? operand : old - 1;
        }
    }
    return old;
}

// One read-modify-write for shared, local and global memory; only global memory needs it to be atomic, with respect to other launches.
template <AtomicOperation operation, class Element, bool flush>
Element exchange_at(std::byte* location, Element operand, Element replacement) {
    using Bits = std::conditional_t<sizeof(Element) == 8, std::uint64_t, std::uint32_t>;
    auto* word = reinterpret_cast<Bits*>(location);
    Bits old = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        const Element result = apply<operation, Element, flush>(std::bit_cast<Element>(old), operand, replacement);
        if (__atomic_compare_exchange_n(word, &old, std::bit_cast<Bits>(result), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return std::bit_cast<Element>(old);
    }
}

template <Access access, AtomicOperation operation, class Element>
void atomic(Warp& warp, const Instruction& instruction, std::uint32_t mask) {
    using Slot = std::conditional_t<sizeof(Element) == 8, std::uint64_t, std::uint32_t>;
    constexpr bool is_float = std::is_same_v<Element, float>;
    std::uint64_t addresses[warp_size];
    effective_addresses(warp, instruction, addresses);
    const Slot* operands = warp.slots<Slot>(instruction.operands[1]);
    const Slot* replacements = operation == AtomicOperation::compare_exchange ? warp.slots<Slot>(instruction.operands[2]) : operands;
    Slot* results = instruction.operands[0] == no_operand ? nullptr : warp.slots<Slot>(instruction.operands[0]);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        std::byte* location = resolve<access>(warp, lane, addresses[lane], sizeof(Element), true);
        const auto operand = std::bit_cast<Element>(operands[lane]);
        const auto replacement = std::bit_cast<Element>(replacements[lane]);
        const bool in_global = access == Access::global || (access == Access::generic && !is_in_window(addresses[lane], shared_window));
        const Element old = is_float && in_global ? exchange_at<operation, Element, is_float>(location, operand, replacement)
                                                  : exchange_at<operation, Element, false>(location, operand, replacement);
        if (results != nullptr) results[lane] = std::bit_cast<Slot>(old);
    }
}

template <Access access, AtomicOperation operation>
Handler select_element(Type type) {
    using enum AtomicOperation;
    constexpr bool bitwise = operation == conjunction || operation == disjunction || operation == exclusive;
    constexpr bool moves = operation == exchange || operation == compare_exchange;
    constexpr bool orders = operation == minimum || operation == maximum;
    switch (type) {
        case Type::b32: return bitwise || moves ? atomic<access, operation, std::uint32_t> : nullptr;
        case Type::b64: return bitwise || moves ? atomic<access, operation, std::uint64_t> : nullptr;
        case Type::u32: return bitwise || moves ? nullptr : atomic<access, operation, std::uint32_t>;
        case Type::u64: return operation == add || orders ? atomic<access, operation, std::uint64_t> : nullptr;
        case Type::s32: return operation == add || orders ? atomic<access, operation, std::int32_t> : nullptr;
        case Type::s64: return orders ? atomic<access, operation, std::int64_t> : nullptr;
        case Type::f32: return operation == add ? atomic<access, operation, float> : nullptr;
        case Type::f64: return operation == add ? atomic<access, operation, double> : nullptr;
        default: return nullptr;
    }
}

template <Access access>
Handler select_operation(const Selection& selection) {
    const Type type = selection.modifiers.type();
    switch (static_cast<AtomicOperation>(selection.modifiers.value(Field::atomic))) {
        case AtomicOperation::add: return select_element<access, AtomicOperation::add>(type);
        case AtomicOperation::minimum: return select_element<access, AtomicOperation::minimum>(type);
        case AtomicOperation::maximum: return select_element<access, AtomicOperation::maximum>(type);
        case AtomicOperation::conjunction: return select_element<access, AtomicOperation::conjunction>(type);
        case AtomicOperation::disjunction: return select_element<access, AtomicOperation::disjunction>(type);
        case AtomicOperation::exclusive: return select_element<access, AtomicOperation::exclusive>(type);
        case AtomicOperation::exchange:
            return selection.operation == Operation::reduce ? nullptr : select_element<access, AtomicOperation::exchange>(type);
        case AtomicOperation::compare_exchange:
            return selection.operation == Operation::atomic_compare_exchange
                       ? select_element<access, AtomicOperation::compare_exchange>(type)
                       : nullptr;
        case AtomicOperation::increment: return select_element<access, AtomicOperation::increment>(type);
        case AtomicOperation::decrement: return select_element<access, AtomicOperation::decrement>(type);
    }
    return nullptr;
}

}  // namespace

Handler select_atomic(const Selection& selection) {
    const bool is_atomic = selection.operation == Operation::atomic || selection.operation == Operation::atomic_compare_exchange ||
                           selection.operation == Operation::reduce;
    if (!is_atomic) return nullptr;
    switch (selection.access) {
        case Access::global: return select_operation<Access::global>(selection);
        case Access::shared: return select_operation<Access::shared>(selection);
        case Access::generic: return select_operation<Access::generic>(selection);
        default: return nullptr;
    }
}

}  // namespace cupool::ptx
