#include "options/reduce_options.hpp"

#include "program/outcome.hpp"

namespace cupool::tools {

void ReduceOptions::require_consistent() const {
    const bool is_float = with_element_type(type, []<class T>() { return !std::is_integral_v<T>; });
    const bool has_wide = with_element_type(type, []<class T>() { return !std::is_same_v<T, Wide<T>>; });
    if (operation == "product" && is_float) throw UsageError("--op product is for integers, and --type is " + type);
    if (wide && (!has_wide || (operation != "sum" && operation != "product")))
        throw UsageError("--wide is for sums and products of types of at most 32 bits, and this is the " + operation + " of " + type);
    if (compensated && (wide || operation != "sum" || (type != "f32" && type != "f64")))
        throw UsageError("--compensated is for sums of f32 and f64 without --wide, and this is the " + operation + " of " + type);
}

void add_reduce_options(CLI::App& command, ReduceOptions& options) {
    command.add_option("--type", options.type, "the type of the elements")
        ->required(options.type.empty())
        ->capture_default_str()
        ->check(CLI::IsMember({"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"}).description(""))
        ->type_name("i8|u8|i16|u16|i32|u32|i64|u64|f16|bf16|f32|f64");
    command.add_option("--op", options.operation, "the operation; products are for integers")
        ->required(options.operation.empty())
        ->capture_default_str()
        ->check(CLI::IsMember({"sum", "product", "min", "max", "argmin", "argmax"}).description(""))
        ->type_name("sum|product|min|max|argmin|argmax");
    command.add_flag("--wide", options.wide, "sums and products in 64 bits for integers, f32 for f16 and bf16, f64 for f32");
    command.add_flag("--compensated", options.compensated,
                     "sums of f32 in f64, of f64 in double-double arithmetic, rounded once at the end");
}

}  // namespace cupool::tools
