#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "checks/reduce_check.hpp"
#include "commands/commands.hpp"
#include "io/input_file.hpp"
#include "io/report_json.hpp"
#include "options/job_pool.hpp"
#include "options/reduce_options.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

struct ReduceCommandOptions {
    ReduceOptions reduce;
    std::string file;
    std::size_t segments = 0;  ///< number of equal segments; 0: none
    std::string offsets;       ///< name of a file of offsets; empty: none
    EngineOptions engine;
    bool check = false;
};

/// Strings stand for the values that JSON numbers cannot express.
template <class T>
Json json_number(T value) {
    const auto number = number_of(value);
    if constexpr (std::is_floating_point_v<decltype(number_of(value))>) {
        if (std::isnan(number)) return "nan";
        if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
    }
    return number;
}

/// Runs reductions and adds up their reports. All devices of the pool share the reductions that
/// DevicePool::reduce() supports; others run on its first member.
class Reducer {
public:
    Reducer(const ReduceCommandOptions& options, const JobPool& pool) : options_(options), pool_(pool) {}

    template <class T, class R>
    R reduce(std::span<const T> elements) {
        const auto operation = options_.reduce.reduce_operation();
        const bool compensated = options_.reduce.compensated && std::is_same_v<R, T>;  // a wide result has a wider accumulator anyway
        R result{};
        add(compensated ? cupool::reduce<T, R>(elements, operation, config(), result) : pool_.reduce<T, R>(elements, operation, result));
        if (options_.check) checked_by_ = check_reduce<T, R>(elements, operation, compensated, result, pool_.engine(), options_.engine);
        return result;
    }

    template <class T>
    IndexedValue<T> arg_reduce(std::span<const T> elements) {
        const auto operation = options_.reduce.arg_operation();
        IndexedValue<T> result;
        add(cupool::arg_reduce<T>(elements, operation, config(), result));
        if (options_.check) checked_by_ = check_arg_reduce<T>(elements, operation, result, pool_.engine(), options_.engine);
        return result;
    }

    template <class T, class R>
    std::vector<R> reduce_segments(std::span<const T> elements, const Segments& segments) {
        const auto operation = options_.reduce.reduce_operation();
        std::vector<R> results(segments.count());
        add(cupool::reduce_segments<T, R>(elements, segments, operation, config(), std::span(results)));
        if (options_.check)
            checked_by_ = check_reduce_segments<T, R>(elements, segments, operation, options_.reduce.compensated, results, pool_.engine(),
                                                      options_.engine);
        return results;
    }

    /// The JSON members that describe a reduction of `count` elements.
    Json subject(std::size_t count) const {
        Json json;
        json["type"] = options_.reduce.type;
        json["op"] = options_.reduce.operation;
        if (options_.reduce.wide) json["wide"] = true;
        if (options_.reduce.compensated) json["compensated"] = true;
        json["n"] = count;
        return json;
    }

    /// The text of `json` with the report and the check added. \pre at least one reduction ran
    std::string text(Json json) const {
        add_report(json, *report_);
        if (options_.check) json["checked_by"] = checked_by_;
        return json_text(json);
    }

private:
    ReduceConfig config() const { return {.ctx = pool_.devices().context_at(0), .compensated = options_.reduce.compensated}; }

    void add(const RunReport& report) {
        if (report_) {
            report_->milliseconds += report.milliseconds;
        } else {
            report_ = report;  // the first chunk is the largest, so it takes most devices
        }
    }

    const ReduceCommandOptions& options_;
    const JobPool& pool_;
    std::optional<RunReport> report_;
    std::string checked_by_;
};

/// A reduction in chunks. Their results, of type ChunkResult, are reduced in turn; the final result
/// is rounded to R.
template <class T, class R, class ChunkResult>
class ChunkedReduction {
public:
    explicit ChunkedReduction(Reducer& reducer) : reducer_(reducer) {}

    void add(std::span<const T> chunk) {
        results_.push_back(reducer_.template reduce<T, ChunkResult>(chunk));
        count_ += chunk.size();
    }

    std::string finish() {
        const auto result = results_.size() == 1 ? results_.front() : reducer_.template reduce<ChunkResult, ChunkResult>(results_);
        auto json = reducer_.subject(count_);
        json["result"] = json_number(static_cast<R>(result));
        return reducer_.text(json);
    }

private:
    Reducer& reducer_;
    std::vector<ChunkResult> results_;
    std::size_t count_ = 0;
};

/// The same for argmin and argmax.
template <class T>
class ChunkedArgReduction {
public:
    explicit ChunkedArgReduction(Reducer& reducer) : reducer_(reducer) {}

    void add(std::span<const T> chunk) {
        const auto [value, index] = reducer_.template arg_reduce<T>(chunk);
        values_.push_back(value);
        indices_.push_back(count_ + index);
        count_ += chunk.size();
    }

    std::string finish() {
        const std::size_t chunk = values_.size() == 1 ? 0 : reducer_.template arg_reduce<T>(values_).index;
        auto json = reducer_.subject(count_);
        json["result"] = json_number(values_[chunk]);
        json["index"] = indices_[chunk];
        return reducer_.text(json);
    }

private:
    Reducer& reducer_;
    std::vector<T> values_;
    std::vector<std::uint64_t> indices_;
    std::size_t count_ = 0;
};

template <class T, class Reduction>
std::string reduce_in_chunks(const ReduceCommandOptions& options) {
    return parse_file(options.file, [&](InputFile& file) {
        ElementReader<T> reader(file);
        reader.next();  // before the pool is opened: bad input needs none
        const JobPool pool(options.engine);
        Reducer reducer(options, pool);
        Reduction reduction(reducer);
        do reduction.add(reader.elements());
        while (reader.next());
        return reduction.finish();
    });
}

/// All elements of a file.
template <class T>
std::vector<T> read_elements(const std::string& path) {
    return parse_file(path, [](InputFile& file) {
        ElementReader<T> reader(file);
        std::vector<T> elements;
        while (reader.next()) elements.insert(elements.end(), reader.elements().begin(), reader.elements().end());
        return elements;
    });
}

/// Turns the errors of the library about segments into bad input, named with the file.
template <class Function>
auto naming_bad_input(const std::string& path, const Function& function) {
    try {
        return function();
    } catch (const Error& error) {
        if (error.category() != ErrorCategory::invalid_argument) throw;
        throw BadInput(InputFault::length, std::string(), error.message()).within(input_name(path));
    }
}

template <class T, class R>
std::string run_segments(const ReduceCommandOptions& options) {
    const auto elements = read_elements<T>(options.file);
    std::vector<std::uint64_t> offsets;
    if (!options.offsets.empty()) offsets = read_elements<std::uint64_t>(options.offsets);
    const auto segments = options.offsets.empty() ? Segments::equal(options.segments, elements.size() / options.segments)
                                                  : Segments::offsets(std::span<const std::uint64_t>(offsets));
    const JobPool pool(options.engine);
    Reducer reducer(options, pool);
    const auto results = naming_bad_input(options.offsets.empty() ? options.file : options.offsets,
                                          [&] { return reducer.template reduce_segments<T, R>(elements, segments); });
    auto json = reducer.subject(elements.size());
    json["segments"] = results.size();
    json["results"] = Json::array();
    for (const auto result : results) json["results"].push_back(json_number(result));
    return reducer.text(json);
}

void require_consistent(const ReduceCommandOptions& options) {
    options.reduce.require_consistent();
    const bool has_segments = options.segments != 0 || !options.offsets.empty();
    if (has_segments && options.reduce.is_arg_operation())
        throw UsageError("--op " + options.reduce.operation + " is of the whole file: it takes neither --segments nor --offsets");
    if (options.offsets == "-" && options.file == "-") throw UsageError("--offsets and FILE cannot both be the standard input");
    const bool is_plain = !has_segments && !options.reduce.is_arg_operation() && !options.reduce.compensated;
    if (options.engine.workers > 0 && !is_plain)
        throw UsageError("with --workers only plain reductions run: no segments, no --compensated, no argmin or argmax");
}

std::string run_reduce(const ReduceCommandOptions& options) {
    require_consistent(options);
    if (options.reduce.is_arg_operation()) {
        return with_element_type(options.reduce.type, [&]<class T>() { return reduce_in_chunks<T, ChunkedArgReduction<T>>(options); });
    }
    return with_reduce_types(options.reduce, [&]<class T, class R>() {
        if (options.segments != 0 || !options.offsets.empty()) return run_segments<T, R>(options);
        if constexpr (std::is_same_v<R, float> && std::is_same_v<T, float>) {
            if (options.reduce.compensated) return reduce_in_chunks<T, ChunkedReduction<T, R, Wide<T>>>(options);
        }
        using ChunkResult = std::conditional_t<is_16_bit_float<R>, Wide<T>, R>;
        return reduce_in_chunks<T, ChunkedReduction<T, R, ChunkResult>>(options);
    });
}

}  // namespace

void add_reduce_command(CLI::App& app, std::string& output) {
    const auto options = std::make_shared<ReduceCommandOptions>();
    auto& command = *app.add_subcommand("reduce", "sums, products, minima or maxima of a file of numbers, as one JSON object");
    add_reduce_options(command, options->reduce);
    command.add_option("file", options->file, "the elements, raw and little-endian; - is the standard input")
        ->required()
        ->type_name("FILE");
    auto* const segments = command.add_option("--segments", options->segments, "divide the file into so many segments, a result for each")
                               ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40).description(""))
                               ->type_name("N");
    command
        .add_option("--offsets", options->offsets,
                    "segments from each offset to the next: a file of raw little-endian u64, counted in elements; - is the standard input")
        ->excludes(segments)
        ->type_name("FILE");
    add_engine_options(command, options->engine);
    add_workers_option(command, options->engine);
    command.add_flag("--check", options->check, "compute it a second way too, and fail where the results differ");
    command.callback([options, &output] { output = run_reduce(*options); });
}

}  // namespace cupool::tools
