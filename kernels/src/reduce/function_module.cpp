#include "reduce/function_module.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "transfer/operand_checks.hpp"

namespace cupool::detail {

extern const char* const reduce_by_function_1_template;
extern const char* const reduce_by_function_2_template;
extern const char* const reduce_by_function_4_template;
extern const char* const reduce_by_function_8_template;
extern const char* const reduce_by_function_16_template;

namespace {

constexpr const char* job = "reduce_by_function";
constexpr std::string_view our_prefix = "cupool_";

/// The words and punctuation of PTX, without comments and the text of strings.
std::vector<std::string_view> tokens_of(std::string_view text) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; };
    std::vector<std::string_view> tokens;
    std::size_t at = 0;
    const auto skip_past = [&](std::string_view end) { at = std::min(text.find(end, at), text.size() - end.size()) + end.size(); };
    while (at < text.size()) {
        const std::size_t begin = at++;
        const std::string_view two = text.substr(begin, 2);
        if (std::isspace(static_cast<unsigned char>(text[begin])) != 0) continue;
        if (two == "//" || two == "/*") {
            at = begin + 2;
            if (at < text.size()) skip_past(two == "//" ? "\n" : "*/");
            continue;
        }
        if (text[begin] == '"') {
            if (at < text.size()) skip_past("\"");
            continue;
        }
        // A directive or type begins with a dot.
        if (is_word(text[begin]) || text[begin] == '.') {
            while (at < text.size() && is_word(text[at])) ++at;
        }
        tokens.push_back(text.substr(begin, at - begin));
    }
    return tokens;
}

/// How a function declares an element.
struct ElementParameter {
    std::string type;       ///< with the dot
    std::size_t bytes;      ///< of the type, or of all bytes of an array
    std::size_t alignment;  ///< 0: a scalar

    std::string declaration(const std::string& name) const {
        if (alignment == 0) return ".param " + type + " " + name;
        return ".param .align " + std::to_string(alignment) + " .b8 " + name + "[" + std::to_string(bytes) + "]";
    }
    friend bool operator==(const ElementParameter&, const ElementParameter&) = default;
};

/// Reads the head of a function from its tokens.
class SignatureReader {
public:
    SignatureReader(const std::vector<std::string_view>& tokens, std::size_t at) : tokens_(tokens), at_(at) {}

    std::string_view take() { return at_ < tokens_.size() ? tokens_[at_++] : std::string_view(); }
    bool accept(std::string_view token) {
        if (at_ >= tokens_.size() || tokens_[at_] != token) return false;
        ++at_;
        return true;
    }

    /// The parameters between parentheses; nothing where there are none, or not ones that an element can be.
    std::optional<std::vector<ElementParameter>> parameters() {
        std::vector<ElementParameter> all;
        if (!accept("(")) return all;
        while (!accept(")")) {
            if (!all.empty() && !accept(",")) return std::nullopt;
            const auto next = parameter();
            if (!next) return std::nullopt;
            all.push_back(*next);
        }
        return all;
    }

private:
    std::optional<ElementParameter> parameter() {
        if (!accept(".param")) return std::nullopt;
        std::size_t alignment = 0;
        if (accept(".align") && !take_number(alignment)) return std::nullopt;
        const std::string type(take());
        const std::size_t bytes = bytes_of(type);
        take();  // the name
        if (bytes == 0) return std::nullopt;
        if (!accept("[")) return ElementParameter{type, bytes, 0};
        std::size_t count = 0;
        if (!take_number(count) || !accept("]") || bytes != 1) return std::nullopt;
        return ElementParameter{type, count, std::max<std::size_t>(1, alignment)};
    }
    bool take_number(std::size_t& number) {
        const std::string_view token = take();
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
        return error == std::errc() && end == token.data() + token.size();
    }
    static std::size_t bytes_of(std::string_view type) {
        for (const auto& [bits, bytes] : {std::pair("8", 1), std::pair("16", 2), std::pair("32", 4), std::pair("64", 8)}) {
            if (type.size() > 2 && std::string_view(".busf").find(type[1]) != std::string_view::npos && type.substr(2) == bits)
                return static_cast<std::size_t>(bytes);
        }
        return 0;
    }

    const std::vector<std::string_view>& tokens_;
    std::size_t at_;
};

[[noreturn]] void refuse_signature(const PtxOperation& operation) {
    const std::string bytes = std::to_string(operation.element_bytes);
    refuse(job, "the function " + operation.function + " must return an element of " + bytes +
                    " bytes and take two, all declared alike: .func (.param T r) " + operation.function +
                    "(.param T a, .param T b), where T is a type of that size (.b32 for less than 4 bytes), or .align A .b8 r[" + bytes +
                    "] with A of 4, 8 or 16 (the size for less than 4 bytes)");
}

/// Whether our code can pass an element so. No scalar of less than 32 bits can be passed to a function.
bool holds_element(const ElementParameter& parameter, std::size_t element_bytes) {
    if (parameter.alignment == 0) return parameter.bytes == std::max<std::size_t>(4, element_bytes);
    const bool is_aligned = parameter.alignment == 4 || parameter.alignment == 8 || parameter.alignment == 16;
    return parameter.bytes == element_bytes && (element_bytes < 4 ? parameter.alignment == element_bytes : is_aligned);
}

/// How the operation's function, which the text must define, declares an element.
ElementParameter parameter_of(const PtxOperation& operation, const std::vector<std::string_view>& tokens) {
    bool is_declared = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] != ".func") continue;
        SignatureReader reader(tokens, i + 1);
        const auto results = reader.parameters();
        if (!results || reader.take() != operation.function) {
            // A function of this name whose results are no elements has another signature; others do not matter.
            const auto head = std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(), ")");
            if (!results && head != tokens.end() && head + 1 != tokens.end() && head[1] == operation.function) refuse_signature(operation);
            continue;
        }
        const auto parameters = reader.parameters();
        const bool fits = parameters && results->size() == 1 && parameters->size() == 2 && (*parameters)[0] == results->front() &&
                          (*parameters)[1] == results->front() && holds_element(results->front(), operation.element_bytes);
        if (!fits) refuse_signature(operation);
        while (reader.accept(".noreturn") || reader.accept(".weak")) {
        }
        if (reader.accept("{")) return results->front();
        is_declared = true;
    }
    refuse(job, "the PTX text " + std::string(is_declared ? "declares" : "has") + (is_declared ? "" : " no") + " function " +
                    operation.function + (is_declared ? " without a body" : "") + "; it must define it");
}

/// cupool_combine(), by which our kernel calls the operation's function: it passes an element as that one declares it.
std::string combine_text(const PtxOperation& operation, const ElementParameter& parameter) {
    const std::size_t bytes = operation.element_bytes;
    // Our kernel's own way: compilers pass elements of up to 4 bytes as 32 bits.
    const ElementParameter ours = bytes <= 4 ? ElementParameter{".b32", 4, 0} : ElementParameter{".b8", bytes, bytes};
    const std::size_t widest = parameter.alignment == 0 ? parameter.bytes : std::min(parameter.alignment, bytes);
    const std::size_t piece = std::min<std::size_t>(8, widest);
    const std::string type = ".b" + std::to_string(8 * piece);
    const std::string value = piece == 8 ? "%cupool_wide" : "%cupool_word";
    std::string text = "\n.func (" + ours.declaration("cupool_result") + ") cupool_combine(" + ours.declaration("cupool_left") + ", " +
                       ours.declaration("cupool_right") + ")\n{\n.reg .b32 %cupool_word;\n.reg .b64 %cupool_wide;\n{\n";
    for (const char* const name : {"left", "right", "result"}) text += parameter.declaration(std::string("cupool_own_") + name) + ";\n";
    const auto move = [&](const std::string& from, const std::string& to) {
        for (std::size_t offset = 0; offset < std::max(bytes, piece); offset += piece) {
            const std::string place = "+" + std::to_string(offset) + "]";
            text += "ld.param" + (piece < 4 ? ".u" + std::to_string(8 * piece) : type) + " " + value + ", [" + from + place + ";\n";
            text += "st.param" + (bytes < 4 && to == "cupool_result" ? ".b32" : type) + " [" + to + place + ", " + value + ";\n";
        }
    };
    move("cupool_left", "cupool_own_left");
    move("cupool_right", "cupool_own_right");
    text += "call.uni (cupool_own_result), " + operation.function + ", (cupool_own_left, cupool_own_right);\n";
    move("cupool_own_result", "cupool_result");
    return text + "}\nret;\n}\n";
}

const char* template_of(std::size_t element_bytes) {
    switch (element_bytes) {
        case 1: return reduce_by_function_1_template;
        case 2: return reduce_by_function_2_template;
        case 4: return reduce_by_function_4_template;
        case 8: return reduce_by_function_8_template;
        default: return reduce_by_function_16_template;
    }
}

}  // namespace

std::string function_module_text(const PtxOperation& operation) {
    const std::vector<std::string_view> tokens = tokens_of(operation.ptx);
    for (const std::string_view token : tokens) {
        if (token.starts_with(our_prefix))
            refuse(job, "the PTX text has the name " + std::string(token) + "; names that begin with cupool_ are the library's");
    }
    const ElementParameter parameter = parameter_of(operation, tokens);
    // The declaration of cupool_combine stands between the head of our text and its kernel.
    const std::string_view ours = template_of(operation.element_bytes);
    const std::size_t head = ours.find(".extern .func");
    const std::size_t kernel = ours.find("\n;", head) + 2;
    const bool has_head = !tokens.empty() && tokens.front() == ".version";
    std::string text = has_head ? operation.ptx : std::string(ours.substr(0, head)) + operation.ptx;
    return text + combine_text(operation, parameter) + std::string(ours.substr(kernel));
}

UntypedKernel FunctionModules::kernel(const PtxOperation& operation) {
    const std::tuple key(operation.ptx, operation.function, operation.element_bytes);
    const std::lock_guard lock(mutex_);
    const auto known = modules_.find(key);
    if (known != modules_.end()) return known->second.kernel;
    Module module(context_, function_module_text(operation));
    const UntypedKernel kernel = module.untyped_kernel("cupool_reduce_by_function");
    return modules_.emplace(key, Loaded{std::move(module), kernel}).first->second.kernel;
}

}  // namespace cupool::detail
