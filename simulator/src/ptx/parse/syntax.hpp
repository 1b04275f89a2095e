#pragma once

/// \file
/// The syntax tree of a module with names resolved: output of the parser, input of the decoder. Views refer to the text.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/parse/special_registers.hpp"
#include "ptx/parse/types.hpp"

namespace cupool::ptx::syntax {

/// A source line given by `.loc`. File 0 means unknown.
struct Location {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
};

struct Operand {
    enum class Kind : std::uint8_t {
        sink,      ///< `_`
        reg,       ///< index: the function's register
        special,   ///< index: Special
        integer,   ///< value
        float32,   ///< value: its bits
        float64,   ///< value: its bits
        symbol,    ///< index: the module's symbol; value: offset
        function,  ///< index: the module's function
        label,     ///< index: the function's label
        address,   ///< elements[0]: reg, symbol or integer; value: offset
        vector,    ///< `{a, b}`
        list,      ///< `(a, b)` of a call
        pair,      ///< `p|q`
    };

    Kind kind = Kind::sink;
    bool negated = false;  ///< `!p`
    std::uint32_t index = 0;
    std::uint64_t value = 0;
    std::vector<Operand> elements;
};

struct Instruction {
    int line = 0;
    Location location;
    std::string_view opcode;                  ///< `mad`
    std::vector<std::string_view> modifiers;  ///< `.lo`, `.cc`, `.u32`
    std::optional<std::uint32_t> guard;       ///< a predicate register
    bool guard_negated = false;
    std::vector<Operand> operands;

    std::string text() const {
        std::string all(opcode);
        for (const std::string_view modifier : modifiers) all += modifier;
        return all;
    }
};

/// A variable of any state space.
struct Symbol {
    std::string name;
    Space space = Space::generic;
    std::uint64_t size = 0;
    std::uint32_t alignment = 1;
    int line = 0;
    bool visible = false;
    bool dynamic_shared = false;  ///< `.extern .shared x[]`
    struct Relocation {
        std::uint64_t offset = 0;
        std::uint32_t symbol = 0;
        std::int64_t addend = 0;
    };
    std::vector<std::byte> initial;
    std::vector<Relocation> relocations;
};

struct Register {
    std::string_view name;
    Type type = Type::none;
};

/// A formal parameter or result in `.reg` or `.param` space. Unnamed in prototypes.
struct Formal {
    bool in_register = false;
    std::uint32_t index = 0;  ///< register of the function or symbol of the module
};

struct Label {
    std::string_view name;
    int line = 0;
    std::optional<std::uint32_t> position;              ///< of the instruction that it labels
    std::optional<std::vector<std::uint32_t>> targets;  ///< of `.branchtargets`
    std::optional<std::uint32_t> alias;                 ///< the label of the enclosing scope to which the name resolves
};

struct Function {
    std::string name;
    int line = 0;
    bool is_entry = false;
    bool defined = false;
    std::string refusal;  ///< why the body is refused and omitted: see Entry::refusal
    std::array<std::uint32_t, 3> max_threads{0, 0, 0};
    std::array<std::uint32_t, 3> required_threads{0, 0, 0};
    std::vector<Formal> results;
    std::vector<Formal> parameters;
    std::vector<Register> registers;
    std::vector<std::uint32_t> local_symbols;  ///< declared in the body, of all state spaces
    std::vector<Label> labels;

    const Label& label(std::uint32_t index) const {
        while (labels[index].alias) index = *labels[index].alias;
        return labels[index];
    }

    std::vector<Instruction> instructions;
};

struct Module {
    int version_major = 0;
    int version_minor = 0;
    std::string target;
    std::vector<Symbol> symbols;
    std::vector<Function> functions;
    std::map<std::uint32_t, std::string> files;  ///< by their number in `.loc`
};

}  // namespace cupool::ptx::syntax
