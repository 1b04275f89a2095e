#include "src/reduce_options.hpp"

namespace cupool::tools {

void add_reduce_options(CLI::App& command, ReduceOptions& options) {
    command.add_option("--type", options.type, "the type of the elements")
        ->required(options.type.empty())
        ->capture_default_str()
        ->check(CLI::IsMember({"i32", "u32", "i64", "u64", "f32", "f64"}).description(""))
        ->type_name("i32|u32|i64|u64|f32|f64");
    command.add_option("--op", options.operation, "the operation")
        ->required(options.operation.empty())
        ->capture_default_str()
        ->check(CLI::IsMember({"sum", "min", "max"}).description(""))
        ->type_name("sum|min|max");
}

}  // namespace cupool::tools
