#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

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

/// A reduction in pieces, whose results are reduced in turn.
template <class T>
class PiecewiseReduction {
public:
    PiecewiseReduction(const ReduceCommandOptions& options, const DevicePool& pool) : options_(options), pool_(pool) {}

    void add(std::span<const T> piece) {
        results_.push_back(reduce(piece));
        count_ += piece.size();
    }

    Json finish() {
        const T result = results_.size() == 1 ? results_.front() : reduce(results_);
        Json json;
        json["type"] = options_.reduce.type;
        json["op"] = options_.reduce.operation;
        json["n"] = count_;
        json["result"] = json_number(result);
        add_report(json, *report_);
        if (options_.check) json["checked_by"] = checked_by_;
        return json;
    }

private:
    T reduce(std::span<const T> elements) {
        const auto operation = options_.reduce.reduce_operation();
        T result{};
        const auto report = pool_.reduce<T>(elements, operation, result);
        if (report_) {
            report_->milliseconds += report.milliseconds;
        } else {
            report_ = report;  // no piece is larger than the first, so none takes more devices
        }
        if (options_.check) checked_by_ = check_reduce<T>(elements, operation, result, pool_, options_.engine);
        return result;
    }

    const ReduceCommandOptions& options_;
    const DevicePool& pool_;
    std::vector<T> results_;
    std::size_t count_ = 0;
    std::optional<RunReport> report_;
    std::string checked_by_;
};

template <class T>
std::string run_reduce(const ReduceCommandOptions& options) {
    return parse_file(options.file, [&](InputFile& file) {
        ElementReader<T> reader(file);
        reader.next();  // before the pool, since bad input needs none
        const auto pool = open_pool(options.engine);
        PiecewiseReduction<T> reduction(options, pool);
        do reduction.add(reader.elements());
        while (reader.next());
        return json_text(reduction.finish());
    });
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
