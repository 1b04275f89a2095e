#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/parse/lexer.hpp"
#include "ptx/parse/syntax.hpp"

namespace cupool::ptx {

/// The type named by a word such as `.u32`; nullopt if the word names no supported type.
std::optional<Type> type_named(std::string_view dotted);

/// Recursive-descent parser of one text. The grammar bounds the recursion depth, except for nested scopes, which have a limit.
class Parser {
public:
    explicit Parser(std::string_view text);

    syntax::Module parse();

private:
    struct Scope {
        std::optional<std::size_t> parent;
        std::unordered_map<std::string_view, std::uint32_t> registers;
        std::unordered_map<std::string_view, Type> register_ranges;  ///< prefix of `%r<10>`
        std::unordered_map<std::string_view, std::uint32_t> range_sizes;
        std::unordered_map<std::string_view, std::uint32_t> symbols;
        std::unordered_map<std::string_view, std::uint32_t> labels;  ///< defined, or only referenced so far
    };

    /// The part of a declaration before the name of the variable.
    struct Declaration {
        Space space = Space::generic;
        bool is_register = false;
        bool is_extern = false;
        bool visible = false;
        Type type = Type::none;
        std::uint32_t vector_width = 1;
        std::uint32_t alignment = 0;  ///< 0: natural alignment of the type
    };

    // Tokens.
    [[noreturn]] void fail(const Token& token, const std::string& message) const;
    [[noreturn]] void refuse(const Token& token, const std::string& message) const;
    Token take();
    bool accept(char character);
    bool accept_dotted(std::string_view word);
    Token expect(char character);
    Token expect_word(std::string_view what);
    std::uint64_t expect_integer();
    std::int64_t expect_signed_integer();

    // Module level (parser.cpp).
    void parse_header();
    void parse_module_item();
    void skip_debug_section();
    void parse_file_or_location();
    void parse_function(bool is_entry);
    std::vector<syntax::Formal> parse_formals(syntax::Function& function);
    void parse_performance_directives(syntax::Function& function);

    // Variables (parser_variables.cpp).
    Declaration parse_declaration_head(Space space, bool is_extern, bool visible);
    std::uint32_t parse_variable(const Declaration& declaration);
    void parse_variables(const Declaration& declaration);
    void parse_register_names(Type type);
    std::vector<std::uint64_t> parse_dimensions();
    void parse_initializer(syntax::Symbol& symbol, const Declaration& declaration, std::vector<std::uint64_t>& dimensions);
    std::uint64_t parse_initializer_list(syntax::Symbol& symbol, Type type, const std::vector<std::uint64_t>& dimensions, std::size_t depth,
                                         std::uint64_t offset);
    void parse_initializer_value(syntax::Symbol& symbol, Type type, std::uint64_t offset);

    // Function bodies (parser_body.cpp).
    void parse_body();
    void parse_body_or_refuse();
    void skip_body();
    void parse_scope();
    void parse_statement();
    void parse_body_directive();
    void parse_instruction();
    void parse_label(const Token& name);
    syntax::Operand parse_operand();
    syntax::Operand parse_operand_list(char close, syntax::Operand::Kind kind);
    syntax::Operand parse_address();
    syntax::Operand parse_name();
    syntax::Operand parse_number();
    syntax::Operand resolve(const Token& name);
    std::optional<std::uint32_t> find_register(std::string_view name);
    std::optional<std::uint32_t> find_symbol(std::string_view name) const;
    std::uint32_t label_named(const Token& name);
    void close_scope();

    std::uint32_t add_register(std::string_view name, Type type);
    syntax::Function& function() { return module_.functions[function_]; }

    Lexer lexer_;
    Token token_;  ///< lookahead
    syntax::Module module_;
    std::unordered_map<std::string_view, std::uint32_t> functions_;
    std::vector<Scope> scopes_;  ///< open scopes; [0] is the module's
    std::size_t function_ = 0;
    syntax::Location location_;  ///< of the following instructions
};

}  // namespace cupool::ptx
