#pragma once

/// \file
/// The supported instructions as data: the names of modifiers and a row for each form of each opcode.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ptx/parse/types.hpp"

namespace cupool::ptx {

/// The property that a modifier sets. Which field `.lo` or `.and` means depends on the opcode's row.
enum class Field : std::uint8_t {
    type,         ///< first type, usually that of the result
    source_type,  ///< second type
    part,
    saturate,
    ftz,
    carry,
    rounding,
    integral,
    approximate,
    comparison,
    combine,
    space,
    to,
    vector,
    ordering,
    scope,
    cache,
    non_coherent,
    atomic,
    shuffle,
    vote,
    sync,
    shift_amount,
    direction,
    funnel,
    permute,
    property,
    form,
    uniform,
    aligned,
    fence,
    level,
    reduction,
    count,
};

enum class Part : std::uint8_t { lo, hi };
enum class Rounding : std::uint8_t { nearest, zero, down, up };
enum class Comparison : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class Combine : std::uint8_t { conjunction, disjunction, exclusive };
enum class Ordering : std::uint8_t { weak, volatile_access, relaxed, acquire, release, acquire_release };
/// The scope of an access or fence. Here a cluster is one block and the system is one device.
enum class Scope : std::uint8_t { block, device };
enum class Fence : std::uint8_t { acquire_release, sequential };
enum class AtomicOperation : std::uint8_t {
    add,
    minimum,
    maximum,
    conjunction,
    disjunction,
    exclusive,
    exchange,
    compare_exchange,
    increment,
    decrement
};
enum class Shuffle : std::uint8_t { up, down, butterfly, index };
enum class Vote : std::uint8_t { all, any, uniform, ballot };
enum class Permute : std::uint8_t { forward4, backward4, replicate8, edge_left, edge_right, replicate16 };
enum class Approximation : std::uint8_t { approx, full };
enum class Property : std::uint8_t { finite, infinite, number, not_a_number, normal, subnormal };
enum class Form : std::uint8_t { wide, sync, arrive, reduce, warp, any, all, index };
enum class Reduction : std::uint8_t { conjunction, disjunction, population };

/// The modifiers of one instruction, by field.
class Modifiers {
public:
    Modifiers() { values_.fill(absent); }

    void set(Field field, std::uint8_t value) { values_[static_cast<std::size_t>(field)] = value; }
    bool has(Field field) const { return values_[static_cast<std::size_t>(field)] != absent; }
    std::uint8_t value(Field field) const { return values_[static_cast<std::size_t>(field)]; }

    template <class Value>
    Value get(Field field, Value otherwise) const {
        return has(field) ? static_cast<Value>(value(field)) : otherwise;
    }

    Type type() const { return get(Field::type, Type::none); }
    Type source_type() const { return get(Field::source_type, Type::none); }

private:
    static constexpr std::uint8_t absent = 0xff;
    std::array<std::uint8_t, static_cast<std::size_t>(Field::count)> values_{};
};

/// The operation of an instruction without types and modifiers. Each is one template of lane functions or one handler.
enum class Operation : std::uint8_t {
    // integers
    add,
    add_saturate,
    add_set_carry,
    add_with_carry,
    subtract,
    subtract_saturate,
    subtract_set_borrow,
    subtract_with_borrow,
    multiply_low,
    multiply_high,
    multiply_wide,
    multiply_add_low,
    multiply_add_high,
    multiply_add_wide,
    multiply_add_high_saturate,
    multiply_add_with_carry_low,
    multiply_add_with_carry_high,
    divide,
    remainder,
    minimum,
    maximum,
    absolute,
    negate,
    absolute_difference,
    dot_product4,
    // bits
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    logical_not,
    shift_left,
    shift_right,
    funnel_shift,
    logic3,
    permute_bytes,
    field_extract,
    field_insert,
    field_mask,
    find_top_bit,
    reverse_bits,
    count_bits,
    leading_zeros,
    // moves and choices
    move,
    pack,
    unpack,
    read_clock,
    frame_address,
    select_by_predicate,
    select_by_sign,
    set_predicate,
    set_predicate_combined,
    set_value,
    set_value_combined,
    predicate_and,
    predicate_or,
    predicate_xor,
    predicate_not,
    predicate_move,
    // floats
    float_add,
    float_subtract,
    float_multiply,
    float_multiply_add,
    // forms that only the compiler creates: b - a, a * b - c, c - a * b and -a * b - c, a product with copies of its factors, and sign
    // changes
    // that apply to NaNs too
    float_subtract_from,
    float_multiply_subtract,
    float_multiply_subtract_from,
    float_multiply_negate_subtract,
    float_multiply_keep_factors,
    float_flip_sign,
    float_clear_sign,
    float_divide,
    float_minimum,
    float_maximum,
    float_absolute,
    float_negate,
    reciprocal,
    square_root,
    reciprocal_square_root,
    sine,
    cosine,
    logarithm2,
    exponential2,
    hyperbolic_tangent,
    copy_sign,
    test_property,
    convert,
    // memory
    load,
    store,
    atomic,
    atomic_compare_exchange,
    reduce,
    convert_address,
    convert_address_to,
    is_in_space,
    fence,
    sequential_fence,
    // lanes of a warp and threads of a block
    shuffle,
    vote,
    match_any,
    match_all,
    active_mask,
    warp_reduce,
    warp_barrier,
    barrier,
    barrier_arrive,
    barrier_reduce,
    // control
    branch,
    branch_indexed,
    call,
    return_from,
    exit,
    trap,
    sleep,
    nothing,
};

/// One modifier position in an opcode's row, in PTX order.
struct ModifierSlot {
    Field field = Field::count;
    bool optional = false;
    TypeSet types = 0;         ///< for a type field: the allowed types
    std::uint8_t only = 0xff;  ///< the only allowed value; 0xff: any
};

inline constexpr std::size_t max_modifiers = 10;

/// A form of an opcode. `operands` has one letter per operand, destinations before the `=`, optional operands after the `/`:
///   t  register or number of the first type            s  of the second type (source_type)
///   w  twice as wide as the first type                 T, S  as t, s, but a register may be wider than the type
///   V  as T; with `.v2` or `.v4` a vector of them      v  a vector that together has the width of the first type
///   u  32 bits                                         q  64 bits
///   p  predicate
///   P  predicate, or a pair `p|q`                      R  32 bits, or a pair of it and a predicate
///   i  number                                          a  address
///   L  label                                           B  label of a table of branch targets
///   F  function                                        C  list of a call
struct OpcodeRow {
    std::string_view name;
    Operation operation;
    std::string_view operands;
    std::array<ModifierSlot, max_modifiers> modifiers;
};

std::span<const OpcodeRow> opcode_rows();

/// The rows of one opcode, which are adjacent in the table.
std::span<const OpcodeRow> rows_of(std::string_view opcode);

/// The value that a modifier has in a field, or nullopt.
/// ": <feature> is not simulated" if an instruction, special register or function of CUDA's device library belongs to an unsupported
/// feature; otherwise empty.
std::string missing_feature(std::string_view name);

std::optional<std::uint8_t> modifier_value(Field field, std::string_view modifier);

/// Matches modifiers against a row; nullopt if they do not fit.
std::optional<Modifiers> match(const OpcodeRow& row, std::span<const std::string_view> modifiers);

}  // namespace cupool::ptx
