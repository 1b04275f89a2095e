#include "mutation.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <utility>

namespace cupool::test {
namespace {

bool is_blank(char character) { return character == ' ' || character == '\t'; }

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

std::string_view trimmed(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

/// The name in the head of a function or entry: what stands before its list of parameters.
std::string name_in(std::string_view head) {
    if (!head.empty() && head.back() == '(') head.remove_suffix(1);
    const std::size_t start = head.find_last_of(" \t)");
    return std::string(head.substr(start == std::string_view::npos ? 0 : start + 1));
}

struct Instruction {
    std::size_t line;
    std::string function;
    std::string text;
};

/// As clang writes PTX: one instruction a line, indented by one tab.
std::vector<Instruction> instructions_of(std::string_view text) {
    std::vector<Instruction> instructions;
    std::string function;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        ++number;
        if (line.find(".entry") != std::string_view::npos || line.find(".func") != std::string_view::npos) {
            function = name_in(trimmed(line));
        } else if (starts_with(line, "\t") && line.find(';') != std::string_view::npos && trimmed(line)[0] != '.') {
            instructions.push_back({number, function, std::string(trimmed(line))});
        }
    }
    return instructions;
}

/// The opcode with its modifiers, which a predicate may precede.
struct Opcode {
    std::size_t start;
    std::string_view text;
};

Opcode opcode_of(std::string_view instruction) {
    std::size_t start = 0;
    if (instruction[0] == '@') start = instruction.find_first_not_of(" \t", instruction.find_first_of(" \t"));
    return {start, instruction.substr(start, instruction.find_first_of(" \t;", start) - start)};
}

bool takes_carry(std::string_view opcode) {
    return starts_with(opcode, "addc.") || starts_with(opcode, "subc.") || starts_with(opcode, "madc.");
}
bool hands_carry_on(std::string_view opcode) { return opcode.find(".cc") != std::string_view::npos; }

/// The place of the instruction that hands on the carry that this one takes. Carries live within a run of instructions.
std::optional<std::size_t> giver_of_carry(const std::vector<Instruction>& instructions, std::size_t index) {
    while (index-- > 0) {
        if (hands_carry_on(opcode_of(instructions[index].text).text)) return index;
    }
    return std::nullopt;
}

/// Whether the carry that an instruction hands on is taken before another one replaces it.
bool carry_is_taken(const std::vector<Instruction>& instructions, std::size_t index) {
    for (++index; index < instructions.size(); ++index) {
        const std::string_view opcode = opcode_of(instructions[index].text).text;
        if (takes_carry(opcode)) return true;
        if (hands_carry_on(opcode)) return false;
    }
    return false;
}

/// The registers of each function that are 0 throughout: they are written once, by a constant. As "function register".
std::set<std::string> zero_registers(const std::vector<Instruction>& instructions) {
    static const std::regex zero(R"(mov\.u32\s+(%r\d+), 0;)");
    static const std::regex write(R"((?:@\S+\s+)?[\w.]+\s+(%r\d+),.*)");
    static const std::regex many_writes(R"((?:@\S+\s+)?[\w.]+\s+\{([^}]*)\}.*)");
    static const std::regex name(R"(%r\d+)");
    std::set<std::string> zeros;
    std::map<std::string, int> writes;
    std::smatch parts;
    for (const Instruction& instruction : instructions) {
        if (std::regex_match(instruction.text, parts, zero)) zeros.insert(instruction.function + ' ' + parts.str(1));
        if (std::regex_match(instruction.text, parts, write)) ++writes[instruction.function + ' ' + parts.str(1)];
        if (!std::regex_match(instruction.text, parts, many_writes)) continue;
        const std::string names = parts.str(1);
        for (std::sregex_iterator own(names.begin(), names.end(), name); own != std::sregex_iterator(); ++own)
            ++writes[instruction.function + ' ' + own->str()];
    }
    for (auto zero_register = zeros.begin(); zero_register != zeros.end();)
        zero_register = writes[*zero_register] == 1 ? std::next(zero_register) : zeros.erase(zero_register);
    return zeros;
}

/// Half of a product plus a number.
struct ProductPlus {
    bool takes_carry;
    bool is_lower;         ///< half
    bool is_product_zero;  ///< a factor is a zero register
    bool is_addend_zero;

    static std::optional<ProductPlus> of(const Instruction& instruction, const std::set<std::string>& zeros) {
        static const std::regex form(R"((madc?)\.(lo|hi)(?:\.cc)?\.u32\s+%r\d+, (%?\w+), (%?\w+), (%?\w+);)");
        std::smatch parts;
        if (!std::regex_match(instruction.text, parts, form)) return std::nullopt;
        const auto is_zero = [&](int part) { return zeros.count(instruction.function + ' ' + parts.str(part)) != 0; };
        return ProductPlus{parts.str(1) == "madc", parts.str(2) == "lo", is_zero(3) || is_zero(4), is_zero(5)};
    }
};

/// Whether an instruction that hands on a carry never has one: half of a product plus 0 and, of the upper half, a carry; 0 plus a number
/// and no carry.
bool never_carries(const std::vector<Instruction>& instructions, std::size_t index, const std::set<std::string>& zeros) {
    const auto product = ProductPlus::of(instructions[index], zeros);
    if (!product) return false;
    if (product->is_addend_zero && (!product->takes_carry || !product->is_lower)) return true;
    if (!product->is_product_zero) return false;
    const auto giver = product->takes_carry ? giver_of_carry(instructions, index) : std::nullopt;
    return !giver || never_carries(instructions, *giver, zeros);
}

struct Exchange {
    std::string_view opcode;  ///< what it starts with
    std::string_view from;
    std::string_view to;
};

// The first `from` in the opcode becomes `to`.
constexpr auto exchanges = std::to_array<Exchange>({
    {"add.", "add.", "sub."},     {"sub.", "sub.", "add."},     {"addc.", "addc.", "add."},   {"subc.", "subc.", "sub."},
    {"madc.", "madc.", "mad."},   {"add.cc", ".cc", ""},        {"sub.cc", ".cc", ""},        {"addc.cc", ".cc", ""},
    {"subc.cc", ".cc", ""},       {"mad.lo.cc", ".cc", ""},     {"mad.hi.cc", ".cc", ""},     {"madc.lo.cc", ".cc", ""},
    {"madc.hi.cc", ".cc", ""},    {"mad.lo", ".lo", ".hi"},     {"mad.hi", ".hi", ".lo"},     {"madc.lo", ".lo", ".hi"},
    {"madc.hi", ".hi", ".lo"},    {"mul.lo", ".lo", ".hi"},     {"mul.hi", ".hi", ".lo"},     {"and.", "and.", "or."},
    {"or.", "or.", "and."},       {"xor.", "xor.", "or."},      {"shl.b", "shl.b", "shr.u"},  {"shr.u", "shr.u", "shl.b"},
    {"shr.s", "shr.s", "shl.b"},  {"min.", "min.", "max."},     {"max.", "max.", "min."},     {"setp.eq", ".eq", ".ne"},
    {"setp.ne", ".ne", ".eq"},    {"setp.equ", ".equ", ".neu"}, {"setp.neu", ".neu", ".equ"}, {"setp.lt", ".lt", ".le"},
    {"setp.le", ".le", ".lt"},    {"setp.gt", ".gt", ".ge"},    {"setp.ge", ".ge", ".gt"},    {"setp.lt", ".lt", ".ge"},
    {"setp.gt", ".gt", ".le"},    {"setp.le", ".le", ".gt"},    {"setp.ge", ".ge", ".lt"},    {"setp.nan", ".nan", ".num"},
    {"setp.num", ".num", ".nan"},
});

constexpr auto barriers = std::to_array<std::string_view>({"bar.", "barrier.", "membar.", "fence."});

/// What of an instruction matters.
struct Effects {
    bool carry_in;      ///< whether there can be one to take
    bool carry_out;     ///< whether there can be one to hand on, and it is taken
    bool product_half;  ///< whether the halves of its product differ
};

/// Others in the place of an instruction, by its opcode.
std::vector<std::string> others_than(const std::string& instruction, const Effects& effects) {
    const auto [start, opcode] = opcode_of(instruction);
    std::vector<std::string> others;
    for (const Exchange& exchange : exchanges) {
        if (!starts_with(opcode, exchange.opcode) || (exchange.from == ".cc" && !effects.carry_out)) continue;
        if (takes_carry(exchange.from) && !effects.carry_in) continue;
        if ((exchange.from == ".lo" || exchange.from == ".hi") && !effects.product_half) continue;
        others.push_back(instruction);
        others.back().replace(start + opcode.find(exchange.from), exchange.from.size(), exchange.to);
    }
    static const std::regex selection(R"((.*selp\.\w+\s+[^,]+, )([^,]+), ([^,]+)(, .*))");
    std::smatch parts;
    if (std::regex_match(instruction, parts, selection)) others.push_back(parts.str(1) + parts.str(3) + ", " + parts.str(2) + parts.str(4));
    return others;
}

}  // namespace

std::string to_string(const Mutation& mutation) {
    std::string text = "line " + std::to_string(mutation.line) + " of " + mutation.function + ": " + mutation.before + " -> " +
                       (mutation.after.empty() ? "nothing" : mutation.after);
    text.erase(std::unique(text.begin(), text.end(), [](char left, char right) { return is_blank(left) && is_blank(right); }), text.end());
    std::replace(text.begin(), text.end(), '\t', ' ');
    return text;
}

std::string apply(const Mutation& mutation, std::string_view text) {
    std::size_t start = 0;
    for (std::size_t line = 1; line < mutation.line; ++line) start = text.find('\n', start) + 1;
    std::string mutant(text);
    return mutant.replace(mutant.find(mutation.before, start), mutation.before.size(), mutation.after);
}

std::vector<Mutation> without_barriers(std::string_view text) {
    std::vector<Mutation> mutations;
    for (const Instruction& instruction : instructions_of(text)) {
        const std::string_view opcode = opcode_of(instruction.text).text;
        for (const std::string_view barrier : barriers) {
            if (starts_with(opcode, barrier)) mutations.push_back({instruction.line, instruction.function, instruction.text, ""});
        }
    }
    return mutations;
}

std::vector<Mutation> with_other_arithmetic(std::string_view text) {
    const std::vector<Instruction> instructions = instructions_of(text);
    const std::set<std::string> zeros = zero_registers(instructions);
    std::vector<Mutation> mutations;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        const auto& [line, function, before] = instructions[i];
        const auto giver = giver_of_carry(instructions, i);
        const auto product = ProductPlus::of(instructions[i], zeros);
        const Effects effects{.carry_in = giver && !never_carries(instructions, *giver, zeros),
                              .carry_out = carry_is_taken(instructions, i) && !never_carries(instructions, i, zeros),
                              .product_half = !product || !product->is_product_zero};
        for (const std::string& after : others_than(before, effects)) mutations.push_back({line, function, before, after});
    }
    return mutations;
}

}  // namespace cupool::test
