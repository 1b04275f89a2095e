#include <charconv>

#include "ptx/parse/opcode_table.hpp"
#include "ptx/parse/parser.hpp"
#include "ptx/ptx.hpp"

namespace cupool::ptx {
namespace {

constexpr std::size_t deepest_scope = 64;

// `%r12` of a range `%r<20>`: the prefix and the number after it.
std::optional<std::pair<std::string_view, std::uint32_t>> split_number(std::string_view name) {
    std::size_t digits = name.find_last_not_of("0123456789");
    digits = digits == std::string_view::npos ? 0 : digits + 1;
    if (digits == name.size()) return std::nullopt;
    if (name[digits] == '0' && digits + 1 != name.size()) return std::nullopt;
    std::uint32_t number = 0;
    const auto parsed = std::from_chars(name.data() + digits, name.data() + name.size(), number);
    if (parsed.ec != std::errc{}) return std::nullopt;
    return std::pair(name.substr(0, digits), number);
}

}  // namespace

void Parser::parse_body() {
    parse_scope();
    close_scope();
    for (const syntax::Label& label : function().labels) {
        if (!label.position && !label.targets && !label.alias)
            throw ParseError(ParseError::Kind::malformed, label.line, std::string(label.name), "unknown symbol");
    }
}

// An unsupported feature in one function does not refuse the others.
void Parser::parse_body_or_refuse() {
    const Lexer lexer = lexer_;
    const Token token = token_;
    const auto scope_count = static_cast<std::ptrdiff_t>(scopes_.size());
    try {
        parse_body();
    } catch (const ParseError& error) {
        if (error.kind() != ParseError::Kind::unsupported) throw;
        function().refusal = error.log();
        scopes_.erase(scopes_.begin() + scope_count, scopes_.end());
        lexer_ = lexer;
        token_ = token;
        skip_body();
    }
}

void Parser::skip_body() {
    std::size_t depth = 0;
    do {
        if (token_.kind == Token::Kind::end) fail(token_, "syntax error: unexpected end");
        if (token_.is('{')) ++depth;
        if (token_.is('}')) --depth;
        take();
    } while (depth != 0);
}

// Parses statements between braces in the scope that the caller opened.
void Parser::parse_scope() {
    expect('{');
    while (!token_.is('}')) parse_statement();
    take();
}

// Labels that were referenced but not defined in the closed scope resolve in the enclosing scope.
void Parser::close_scope() {
    if (scopes_.size() < 3) return;
    Scope& inner = scopes_.back();
    Scope& outer = scopes_[scopes_.size() - 2];
    for (const auto& [name, index] : inner.labels) {
        syntax::Label& label = function().labels[index];
        if (label.position || label.targets) continue;
        const auto [known, added] = outer.labels.emplace(name, index);
        if (!added) label.alias = known->second;
    }
}

void Parser::parse_statement() {
    if (token_.is('{')) {
        if (scopes_.size() > deepest_scope) refuse(token_, "scopes nested too deeply");
        scopes_.push_back(Scope{scopes_.size() - 1, {}, {}, {}, {}, {}});
        parse_scope();
        close_scope();
        scopes_.pop_back();
    } else if (token_.kind == Token::Kind::dotted) {
        parse_body_directive();
    } else if (!accept(';')) {
        parse_instruction();
    }
}

void Parser::parse_body_directive() {
    if (accept_dotted(".reg")) {
        const Declaration head = parse_declaration_head(Space::generic, false, false);
        if (head.vector_width != 1) refuse(token_, "vector registers are not supported");
        parse_register_names(head.type);
    } else if (accept_dotted(".local")) {
        parse_variables(parse_declaration_head(Space::local, false, false));
    } else if (accept_dotted(".shared")) {
        parse_variables(parse_declaration_head(Space::shared, false, false));
    } else if (accept_dotted(".global")) {
        parse_variables(parse_declaration_head(Space::global, false, false));
    } else if (accept_dotted(".const")) {
        parse_variables(parse_declaration_head(Space::constant, false, false));
    } else if (accept_dotted(".param")) {
        parse_variables(parse_declaration_head(Space::parameter, false, false));
    } else if (token_.is(Token::Kind::dotted, ".loc") || token_.is(Token::Kind::dotted, ".file")) {
        parse_file_or_location();
    } else if (accept_dotted(".pragma")) {
        take();
        expect(';');
    } else {
        refuse(token_, "directive is not supported");
    }
}

void Parser::parse_label(const Token& name) {
    const std::uint32_t index = label_named(name);
    syntax::Label& label = function().labels[index];
    if (label.position || label.targets) fail(name, "duplicate definition of label '" + std::string(name.text) + "'");
    if (accept_dotted(".branchtargets")) {
        std::vector<std::uint32_t> targets;
        do targets.push_back(label_named(expect_word("a label")));
        while (accept(','));
        expect(';');
        function().labels[index].targets = std::move(targets);
    } else if (token_.is(Token::Kind::dotted, ".callprototype") || token_.is(Token::Kind::dotted, ".calltargets")) {
        refuse(token_, "indirect calls (function pointers) are not supported");
    } else {
        label.position = static_cast<std::uint32_t>(function().instructions.size());
    }
}

void Parser::parse_instruction() {
    syntax::Instruction instruction;
    if (accept('@')) {
        instruction.guard_negated = accept('!');
        const Token name = expect_word("a predicate");
        const std::optional<std::uint32_t> guard = find_register(name.text);
        if (!guard) fail(name, "unknown symbol");
        if (function().registers[*guard].type != Type::pred) fail(name, "a guard is of type .pred");
        instruction.guard = *guard;
    }
    const Token opcode = expect_word("an instruction");
    if (!instruction.guard && accept(':')) {
        parse_label(opcode);
        return;
    }
    instruction.line = opcode.line;
    instruction.location = location_;
    instruction.opcode = opcode.text;
    while (token_.kind == Token::Kind::dotted) instruction.modifiers.push_back(take().text);
    // Checked before the operands, which may be of a kind that only unsupported opcodes have.
    if (rows_of(opcode.text).empty())
        throw ParseError(ParseError::Kind::unsupported, opcode.line, instruction.text(),
                         "instruction '" + std::string(opcode.text) + "' is not supported by the simulated driver" +
                             missing_feature(instruction.text()));
    if (!token_.is(';')) {
        do instruction.operands.push_back(parse_operand());
        while (accept(','));
    }
    if (!token_.is(';')) fail(token_, "syntax error near '" + instruction.text() + "'");
    take();
    function().instructions.push_back(std::move(instruction));
}

syntax::Operand Parser::parse_operand() {
    using Kind = syntax::Operand::Kind;
    if (token_.is('[')) return parse_address();
    if (token_.is('{')) return parse_operand_list('}', Kind::vector);
    if (token_.is('(')) return parse_operand_list(')', Kind::list);
    if (accept('!')) {
        syntax::Operand operand = parse_name();
        operand.negated = true;
        return operand;
    }
    if (token_.kind != Token::Kind::word) return parse_number();
    syntax::Operand operand = parse_name();
    if (accept('|')) {
        syntax::Operand pair;
        pair.kind = Kind::pair;
        pair.elements.push_back(std::move(operand));
        pair.elements.push_back(parse_name());
        return pair;
    }
    return operand;
}

// Parses a list of registers, names and numbers between brackets; lists do not nest.
syntax::Operand Parser::parse_operand_list(char close, syntax::Operand::Kind kind) {
    syntax::Operand operand;
    operand.kind = kind;
    take();
    if (accept(close)) return operand;
    do operand.elements.push_back(token_.kind == Token::Kind::word ? parse_name() : parse_number());
    while (accept(','));
    expect(close);
    return operand;
}

syntax::Operand Parser::parse_address() {
    syntax::Operand operand;
    operand.kind = syntax::Operand::Kind::address;
    expect('[');
    operand.elements.push_back(token_.kind == Token::Kind::word ? resolve(take()) : parse_number());
    if (token_.is('+') || token_.is('-')) {
        const bool plus = accept('+');
        operand.value = static_cast<std::uint64_t>(plus ? expect_signed_integer() : expect_signed_integer());
    }
    if (token_.is(',')) refuse(token_, "addresses of textures and tensors are not supported");
    expect(']');
    return operand;
}

// Parses a register, `%tid.x`, a variable with an offset, a function or a label.
syntax::Operand Parser::parse_name() {
    Token name = expect_word("an operand");
    if (name.text[0] == '%' && token_.kind == Token::Kind::dotted && token_.text.size() == 2) {
        // The two tokens are adjacent in the text.
        const Token part = take();
        name.text = std::string_view(name.text.data(), static_cast<std::size_t>(part.text.data() + part.text.size() - name.text.data()));
    }
    syntax::Operand operand = resolve(name);
    if (operand.kind == syntax::Operand::Kind::symbol && (token_.is('+') || token_.is('-'))) {
        accept('+');
        operand.value = static_cast<std::uint64_t>(expect_signed_integer());
    }
    return operand;
}

syntax::Operand Parser::resolve(const Token& name) {
    using Kind = syntax::Operand::Kind;
    syntax::Operand operand;
    if (name.text == "_") return operand;
    if (name.text == "WARP_SZ") {
        operand.kind = Kind::integer;
        operand.value = warp_size;
        return operand;
    }
    if (const auto reg = find_register(name.text)) {
        operand.kind = Kind::reg;
        operand.index = *reg;
    } else if (const auto special = find_special_register(name.text)) {
        operand.kind = Kind::special;
        operand.index = static_cast<std::uint32_t>(special->special);
    } else if (name.text[0] == '%') {
        // Both special registers and program registers start with %, so the message names both.
        const std::string feature = missing_feature(name.text);
        if (feature.empty()) fail(name, "unknown register, or a special register that is not supported");
        refuse(name, "special register '" + std::string(name.text) + "' is not supported" + feature);
    } else if (const auto symbol = find_symbol(name.text)) {
        operand.kind = Kind::symbol;
        operand.index = *symbol;
    } else if (const auto called = functions_.find(name.text); called != functions_.end()) {
        operand.kind = Kind::function;
        operand.index = called->second;
    } else {
        operand.kind = Kind::label;
        operand.index = label_named(name);
    }
    return operand;
}

syntax::Operand Parser::parse_number() {
    using Kind = syntax::Operand::Kind;
    const bool negative = accept('-');
    const Token token = take();
    syntax::Operand operand;
    operand.value = token.bits;
    switch (token.kind) {
        case Token::Kind::integer:
            operand.kind = Kind::integer;
            if (negative) operand.value = std::uint64_t{0} - operand.value;
            break;
        case Token::Kind::float32:
            operand.kind = Kind::float32;
            if (negative) operand.value ^= std::uint64_t{1} << 31;
            break;
        case Token::Kind::float64:
            operand.kind = Kind::float64;
            if (negative) operand.value ^= std::uint64_t{1} << 63;
            break;
        default: fail(token, "syntax error: expected an operand");
    }
    return operand;
}

std::optional<std::uint32_t> Parser::find_register(std::string_view name) {
    const auto numbered = split_number(name);
    for (std::size_t i = scopes_.size(); i-- > 1;) {
        Scope& scope = scopes_[i];
        if (const auto known = scope.registers.find(name); known != scope.registers.end()) return known->second;
        if (!numbered) continue;
        const auto range = scope.register_ranges.find(numbered->first);
        if (range == scope.register_ranges.end() || numbered->second >= scope.range_sizes[numbered->first]) continue;
        const auto index = static_cast<std::uint32_t>(function().registers.size());
        function().registers.push_back({name, range->second});
        scope.registers.emplace(name, index);
        return index;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> Parser::find_symbol(std::string_view name) const {
    for (std::size_t i = scopes_.size(); i-- > 0;) {
        const auto known = scopes_[i].symbols.find(name);
        if (known != scopes_[i].symbols.end()) return known->second;
    }
    return std::nullopt;
}

std::uint32_t Parser::label_named(const Token& name) {
    const auto [known, added] = scopes_.back().labels.emplace(name.text, static_cast<std::uint32_t>(function().labels.size()));
    if (added) function().labels.push_back({name.text, name.line, std::nullopt, std::nullopt, std::nullopt});
    return known->second;
}

}  // namespace cupool::ptx
