#include <cmath>
#include <memory>
#include <type_traits>

#include "src/commands.hpp"
#include "src/engine_options.hpp"
#include "src/input_file.hpp"
#include "src/reduce_check.hpp"
#include "src/reduce_options.hpp"
#include "src/report_json.hpp"

namespace cupool::tools {
namespace {

struct ReduceCommandOptions {
    ReduceOptions reduce;
    std::string file;
    EngineOptions engine;
    bool check = false;
};

/// JSON has no numbers for these.
template <class T>
Json json_number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value)) return "nan";
        if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    }
    return value;
}

template <class T>
std::string run_reduce(const ReduceCommandOptions& options) {
    const auto elements = parse_file(options.file, read_elements<T>);
    const auto operation = options.reduce.reduce_operation();
    const auto pool = open_pool(options.engine);
    T result{};
    const auto report = pool.reduce<T>(elements, operation, result);

    Json json;
    json["type"] = options.reduce.type;
    json["op"] = options.reduce.operation;
    json["n"] = elements.size();
    json["result"] = json_number(result);
    add_report(json, report);
    if (options.check) json["checked_by"] = check_reduce<T>(elements, operation, result, pool, options.engine);
    return json.dump() + '\n';
}

}  // namespace

void add_reduce_command(CLI::App& app, std::string& output) {
    const auto options = std::make_shared<ReduceCommandOptions>();
    auto& command = *app.add_subcommand("reduce", "the sum, minimum or maximum of a file of numbers, as one JSON object");
    add_reduce_options(command, options->reduce);
    command.add_option("file", options->file, "the elements, raw and little-endian; - is the standard input")
        ->required()
        ->type_name("FILE");
    add_engine_options(command, options->engine);
    command.add_flag("--check", options->check, "compute it a second way too, and fail where the results differ");
    command.callback(
        [options, &output] { output = with_element_type(options->reduce.type, [&]<class T>() { return run_reduce<T>(*options); }); });
}

}  // namespace cupool::tools
