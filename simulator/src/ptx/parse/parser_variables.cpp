#include <cstring>

#include "ptx/parse/parser.hpp"
#include "ptx/ptx.hpp"

namespace cupool::ptx {
namespace {

constexpr std::uint64_t largest_variable = std::uint64_t{1} << 40;
constexpr std::uint64_t largest_initializer = std::uint64_t{1} << 28;

}  // namespace

Parser::Declaration Parser::parse_declaration_head(Space space, bool is_extern, bool visible) {
    Declaration head;
    head.space = space;
    head.is_extern = is_extern;
    head.visible = visible;
    for (;;) {
        if (accept_dotted(".align")) {
            const Token token = token_;
            const std::uint64_t alignment = expect_integer();
            if (alignment == 0 || alignment > 4096 || (alignment & (alignment - 1)) != 0) fail(token, "alignment is not a power of two");
            head.alignment = static_cast<std::uint32_t>(alignment);
        } else if (accept_dotted(".v2")) {
            head.vector_width = 2;
        } else if (accept_dotted(".v4")) {
            head.vector_width = 4;
        } else if (accept_dotted(".ptr")) {
            if (!accept_dotted(".global") && !accept_dotted(".shared") && !accept_dotted(".local")) accept_dotted(".const");
            if (accept_dotted(".align")) expect_integer();
        } else {
            break;
        }
        if (head.type != Type::none) return head;
    }
    const Token type = take();
    if (type.kind != Token::Kind::dotted) fail(type, "syntax error: expected a type");
    const std::optional<Type> known = type_named(type.text);
    if (!known) refuse(type, "type is not supported");
    head.type = *known;
    // `.param .u64 .ptr .global .align 8 name`: attributes of the pointee do not affect the parameter.
    if (accept_dotted(".ptr")) {
        if (!accept_dotted(".global") && !accept_dotted(".shared") && !accept_dotted(".local")) accept_dotted(".const");
        if (accept_dotted(".align")) expect_integer();
    }
    return head;
}

std::vector<std::uint64_t> Parser::parse_dimensions() {
    std::vector<std::uint64_t> dimensions;
    while (accept('[')) {
        if (dimensions.size() == 8) fail(token_, "too many dimensions");
        if (token_.is(']') && dimensions.empty()) {
            dimensions.push_back(0);
        } else {
            const Token token = token_;
            dimensions.push_back(expect_integer());
            if (dimensions.back() == 0 || dimensions.back() > largest_variable) fail(token, "bad array size");
        }
        expect(']');
    }
    return dimensions;
}

std::uint32_t Parser::parse_variable(const Declaration& declaration) {
    const Token name = expect_word("a variable's name");
    if (declaration.type == Type::pred) fail(name, "a variable cannot be of type .pred");
    std::vector<std::uint64_t> dimensions = parse_dimensions();
    if (declaration.vector_width > 1) dimensions.push_back(declaration.vector_width);

    syntax::Symbol symbol;
    symbol.name = std::string(name.text);
    symbol.space = declaration.space;
    symbol.line = name.line;
    symbol.visible = declaration.visible;
    const std::uint32_t element = bits_of(declaration.type) / 8;
    symbol.alignment = declaration.alignment != 0 ? declaration.alignment : element * declaration.vector_width;
    if (token_.is('=')) {
        if (declaration.space != Space::global && declaration.space != Space::constant)
            fail(token_, "only .global and .const variables are initialised");
        take();
        parse_initializer(symbol, declaration, dimensions);
    }
    symbol.size = element;
    for (const std::uint64_t dimension : dimensions) {
        symbol.size *= dimension;
        if (symbol.size > largest_variable) fail(name, "variable is too large");
    }
    symbol.dynamic_shared = declaration.space == Space::shared && declaration.is_extern;
    if (symbol.size == 0 && !symbol.dynamic_shared) fail(name, "array without a size");

    const auto index = static_cast<std::uint32_t>(module_.symbols.size());
    // Prototypes may repeat names of formals, and `_` is no name.
    if (name.text != "_" && !scopes_.back().symbols.emplace(name.text, index).second)
        fail(name, "duplicate definition of '" + symbol.name + "'");
    module_.symbols.push_back(std::move(symbol));
    if (scopes_.size() > 1) function().local_symbols.push_back(index);
    return index;
}

void Parser::parse_variables(const Declaration& declaration) {
    do parse_variable(declaration);
    while (accept(','));
    expect(';');
}

void Parser::parse_initializer(syntax::Symbol& symbol, const Declaration& declaration, std::vector<std::uint64_t>& dimensions) {
    if (!token_.is('{')) {
        parse_initializer_value(symbol, declaration.type, 0);
        return;
    }
    if (dimensions.empty()) fail(token_, "a list initialises an array");
    const std::uint64_t count = parse_initializer_list(symbol, declaration.type, dimensions, 0, 0);
    if (dimensions[0] == 0) dimensions[0] = count;
}

// Fills one dimension of the array from `offset`; returns the number of elements that the list has in it.
std::uint64_t Parser::parse_initializer_list(syntax::Symbol& symbol, Type type, const std::vector<std::uint64_t>& dimensions,
                                             std::size_t depth, std::uint64_t offset) {
    std::uint64_t stride = bits_of(type) / 8;
    for (std::size_t i = depth + 1; i < dimensions.size(); ++i) {
        stride *= dimensions[i];
        if (stride > largest_initializer) fail(token_, "variable is too large to be initialised");
    }
    const Token open = expect('{');
    std::uint64_t count = 0;
    if (accept('}')) return count;
    do {
        if (dimensions[depth] != 0 && count == dimensions[depth]) fail(token_, "more initialisers than elements");
        if (token_.is('{')) {
            if (depth + 1 == dimensions.size()) fail(token_, "too many braces");
            parse_initializer_list(symbol, type, dimensions, depth + 1, offset);
        } else {
            // A list without inner braces fills the innermost elements consecutively.
            if (depth + 1 != dimensions.size()) refuse(token_, "initialiser without braces for each dimension");
            parse_initializer_value(symbol, type, offset);
        }
        offset += stride;
        ++count;
    } while (accept(','));
    if (!token_.is('}')) fail(open, "initialiser without an end");
    take();
    return count;
}

void Parser::parse_initializer_value(syntax::Symbol& symbol, Type type, std::uint64_t offset) {
    const std::size_t size = bits_of(type) / 8;
    if (offset + size > largest_initializer) fail(token_, "variable is too large to be initialised");
    std::uint64_t bits = 0;
    if (token_.kind == Token::Kind::word) {
        bool generic = false;
        Token name = take();
        if (name.text == "generic") {
            expect('(');
            name = expect_word("a variable's name");
            expect(')');
            generic = true;
        }
        const std::optional<std::uint32_t> target = find_symbol(name.text);
        if (!target) refuse(name, "initialiser names no variable of this module");
        const Space space = module_.symbols[*target].space;
        if (space != Space::global && space != Space::constant) refuse(name, "initialiser names a variable without a fixed address");
        if (size != 8) refuse(name, "an address needs 64 bits");
        (void)generic;  // global and constant addresses equal generic addresses
        std::int64_t addend = 0;
        if (accept('+')) {
            addend = expect_signed_integer();
        } else if (token_.is('-')) {
            addend = expect_signed_integer();
        }
        symbol.relocations.push_back({offset, *target, addend});
    } else {
        const syntax::Operand number = parse_number();
        using Kind = syntax::Operand::Kind;
        bits = number.value;
        if (type == Type::f32 && number.kind == Kind::float64)
            bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(number.value)));
        else if (is_float(type) ? number.kind != (type == Type::f32 ? Kind::float32 : Kind::float64) : number.kind != Kind::integer)
            fail(token_, "initialiser does not fit the variable's type");
    }
    if (symbol.initial.size() < offset + size) symbol.initial.resize(offset + size);
    for (std::size_t i = 0; i < size; ++i) symbol.initial[offset + i] = static_cast<std::byte>(bits >> (8 * i));
}

void Parser::parse_register_names(Type type) {
    do {
        const Token name = expect_word("a register's name");
        if (accept('<')) {
            const std::uint64_t count = expect_integer();
            expect('>');
            Scope& scope = scopes_.back();
            if (!scope.register_ranges.emplace(name.text, type).second) fail(name, "duplicate definition of registers");
            scope.range_sizes[name.text] = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, 0xffffffff));
        } else {
            add_register(name.text, type);
        }
    } while (accept(','));
    expect(';');
}

std::uint32_t Parser::add_register(std::string_view name, Type type) {
    const auto index = static_cast<std::uint32_t>(function().registers.size());
    function().registers.push_back({name, type});
    if (name != "_" && !scopes_.back().registers.emplace(name, index).second)
        throw ParseError(ParseError::Kind::malformed, lexer_.line(), std::string(name), "duplicate definition of a register");
    return index;
}

}  // namespace cupool::ptx
