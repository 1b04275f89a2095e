#include "ptx/parse/parser.hpp"

#include <charconv>
#include <utility>

#include "ptx/ptx.hpp"

namespace cupool::ptx {
namespace {

constexpr std::pair<std::string_view, Type> type_names[] = {
    {".b8", Type::b8},   {".b16", Type::b16}, {".b32", Type::b32}, {".b64", Type::b64}, {".u8", Type::u8},
    {".u16", Type::u16}, {".u32", Type::u32}, {".u64", Type::u64}, {".s8", Type::s8},   {".s16", Type::s16},
    {".s32", Type::s32}, {".s64", Type::s64}, {".f32", Type::f32}, {".f64", Type::f64}, {".pred", Type::pred},
};

}  // namespace

std::optional<Type> type_named(std::string_view dotted) {
    for (const auto& [name, type] : type_names)
        if (name == dotted) return type;
    return std::nullopt;
}

Parser::Parser(std::string_view text) : lexer_(text), scopes_(1) { token_ = lexer_.next(); }

void Parser::fail(const Token& token, const std::string& message) const {
    throw ParseError(ParseError::Kind::malformed, token.line, std::string(token.text), message);
}

void Parser::refuse(const Token& token, const std::string& message) const {
    throw ParseError(ParseError::Kind::unsupported, token.line, std::string(token.text), message);
}

Token Parser::take() { return std::exchange(token_, lexer_.next()); }

bool Parser::accept(char character) {
    if (!token_.is(character)) return false;
    take();
    return true;
}

bool Parser::accept_dotted(std::string_view word) {
    if (!token_.is(Token::Kind::dotted, word)) return false;
    take();
    return true;
}

Token Parser::expect(char character) {
    if (!token_.is(character)) fail(token_, std::string("syntax error: expected '") + character + "'");
    return take();
}

Token Parser::expect_word(std::string_view what) {
    if (token_.kind != Token::Kind::word) fail(token_, "syntax error: expected " + std::string(what));
    return take();
}

std::uint64_t Parser::expect_integer() {
    if (token_.kind != Token::Kind::integer) fail(token_, "syntax error: expected an integer");
    return take().bits;
}

std::int64_t Parser::expect_signed_integer() {
    const bool negative = accept('-');
    const std::uint64_t magnitude = expect_integer();
    return static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
}

syntax::Module Parser::parse() {
    parse_header();
    while (token_.kind != Token::Kind::end) parse_module_item();
    return std::move(module_);
}

void Parser::parse_header() {
    if (!accept_dotted(".version")) fail(token_, "missing .version directive at the start of the module");
    // The lexer reads `6.3` as one decimal number, so the digits are taken from the text.
    const Token version = take();
    const std::size_t dot = version.text.find('.');
    if (version.kind != Token::Kind::float64 || dot == std::string_view::npos)
        fail(version, "syntax error: expected a version such as 6.3");
    const auto number = [](std::string_view digits) {
        int value = -1;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    };
    module_.version_major = number(version.text.substr(0, dot));
    module_.version_minor = number(version.text.substr(dot + 1));
    if (std::pair(module_.version_major, module_.version_minor) < std::pair(6, 3))
        throw ParseError(ParseError::Kind::unsupported_version, version.line, std::string(version.text),
                         "PTX .version below 6.3 is not supported");

    if (!accept_dotted(".target")) fail(token_, "missing .target directive");
    module_.target = std::string(expect_word("a target such as sm_75").text);
    while (accept(',')) expect_word("a target option");

    // Without `.address_size`, real drivers assume 64.
    if (!accept_dotted(".address_size")) return;
    const Token size = token_;
    if (expect_integer() != 64) refuse(size, "only 64-bit addresses are supported");
}

void Parser::parse_module_item() {
    bool is_extern = false;
    bool visible = false;
    for (;;) {
        if (accept_dotted(".extern")) {
            is_extern = true;
        } else if (accept_dotted(".visible") || accept_dotted(".weak") || accept_dotted(".common")) {
            visible = true;
        } else {
            break;
        }
    }
    if (accept_dotted(".entry")) {
        if (is_extern) refuse(token_, "external entries are not supported");
        parse_function(true);
    } else if (accept_dotted(".func")) {
        parse_function(false);
    } else if (accept_dotted(".global")) {
        if (is_extern) refuse(token_, "external variables are not supported: nothing links modules");
        parse_variables(parse_declaration_head(Space::global, is_extern, visible));
    } else if (accept_dotted(".const")) {
        if (is_extern) refuse(token_, "external variables are not supported: nothing links modules");
        parse_variables(parse_declaration_head(Space::constant, is_extern, visible));
    } else if (accept_dotted(".shared")) {
        parse_variables(parse_declaration_head(Space::shared, is_extern, visible));
    } else if (token_.is(Token::Kind::dotted, ".file") || token_.is(Token::Kind::dotted, ".loc")) {
        parse_file_or_location();
    } else if (token_.is(Token::Kind::dotted, ".section")) {
        skip_debug_section();
    } else if (accept_dotted(".pragma")) {
        while (!accept(';')) {
            if (take().kind == Token::Kind::end) fail(token_, "syntax error: unexpected end");
        }
    } else if (!accept(';')) {
        if (token_.kind == Token::Kind::dotted) refuse(token_, "directive is not supported");
        fail(token_, "syntax error: expected a directive");
    }
}

void Parser::skip_debug_section() {
    while (!token_.is('{')) {
        if (take().kind == Token::Kind::end) fail(token_, "syntax error: unexpected end");
    }
    while (!accept('}')) {
        if (take().kind == Token::Kind::end) fail(token_, "syntax error: unexpected end");
    }
}

// `.file 1 "name"[, time, size]` and `.loc 1 2 3[, function_name label[+ n], inlined_at 1 2 3]` have no terminator; they end with the line.
void Parser::parse_file_or_location() {
    const int line = token_.line;
    const bool is_file = take().text == ".file";
    std::vector<Token> arguments;
    for (; token_.line == line && arguments.size() < 2 && token_.kind != Token::Kind::end; take()) arguments.push_back(token_);
    const bool is_understood = arguments.size() == 2 && arguments[0].kind == Token::Kind::integer &&
                               arguments[1].kind == (is_file ? Token::Kind::string : Token::Kind::integer);
    if (is_understood && is_file) {
        module_.files.emplace(static_cast<std::uint32_t>(arguments[0].bits), std::string(arguments[1].text));
    } else if (is_understood) {
        location_ = {static_cast<std::uint32_t>(arguments[0].bits), static_cast<std::uint32_t>(arguments[1].bits)};
    }
    while (token_.kind != Token::Kind::end && token_.line == line) take();
}

void Parser::parse_function(bool is_entry) {
    syntax::Function parsed;
    parsed.is_entry = is_entry;
    scopes_.push_back(Scope{0, {}, {}, {}, {}, {}});

    // The function's index must be known before its formals, which add registers and symbols to it.
    const std::size_t index = module_.functions.size();
    module_.functions.push_back(std::move(parsed));
    function_ = index;
    location_ = {};
    if (!is_entry && token_.is('(')) {
        auto results = parse_formals(function());
        function().results = std::move(results);
    }
    const Token name = expect_word("a function's name");
    function().name = std::string(name.text);
    function().line = name.line;
    if (token_.is('(')) {
        auto parameters = parse_formals(function());
        function().parameters = std::move(parameters);
    }
    parse_performance_directives(function());

    const auto known = functions_.find(name.text);
    if (known != functions_.end()) {
        if (module_.functions[known->second].defined && token_.is('{'))
            fail(name, "duplicate definition of function '" + function().name + "'");
        function_ = known->second;
        if (token_.is('{')) std::swap(module_.functions[known->second], module_.functions[index]);
        module_.functions.pop_back();
    } else {
        functions_.emplace(name.text, static_cast<std::uint32_t>(index));
    }

    if (token_.is('{')) {
        function().defined = true;
        parse_body_or_refuse();
    } else {
        expect(';');
    }
    scopes_.pop_back();
}

std::vector<syntax::Formal> Parser::parse_formals(syntax::Function& owner) {
    std::vector<syntax::Formal> formals;
    expect('(');
    if (accept(')')) return formals;
    do {
        const Token where = take();
        syntax::Formal formal;
        formal.in_register = where.is(Token::Kind::dotted, ".reg");
        if (!formal.in_register && !where.is(Token::Kind::dotted, ".param")) fail(where, "syntax error: expected .param or .reg");
        const Declaration head = parse_declaration_head(Space::parameter, false, false);
        if (formal.in_register) {
            if (owner.is_entry) fail(where, "an entry's parameters are in .param space");
            const Token name = expect_word("a parameter's name");
            formal.index = add_register(name.text, head.type);
        } else {
            formal.index = parse_variable(head);
        }
        formals.push_back(formal);
    } while (accept(','));
    expect(')');
    return formals;
}

void Parser::parse_performance_directives(syntax::Function& owner) {
    const auto dimensions = [this] {
        std::array<std::uint32_t, 3> counts{1, 1, 1};
        std::size_t i = 0;
        do {
            const Token token = token_;
            const std::uint64_t count = expect_integer();
            if (i == 3 || count == 0 || count > 65536) fail(token, "bad number of threads");
            counts[i++] = static_cast<std::uint32_t>(count);
        } while (accept(','));
        return counts;
    };
    for (;;) {
        if (accept_dotted(".maxntid")) {
            owner.max_threads = dimensions();
        } else if (accept_dotted(".reqntid")) {
            owner.required_threads = dimensions();
        } else if (accept_dotted(".minnctapersm") || accept_dotted(".maxnreg") || accept_dotted(".maxnctapersm")) {
            expect_integer();
        } else if (accept_dotted(".pragma")) {
            take();
            expect(';');
        } else if (!accept_dotted(".noreturn")) {
            break;
        }
    }
}

}  // namespace cupool::ptx
