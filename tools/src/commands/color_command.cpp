#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cupool/pool/coloring_search.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "checks/coloring_check.hpp"
#include "commands/commands.hpp"
#include "formats/dimacs.hpp"
#include "io/input_file.hpp"
#include "io/report_json.hpp"
#include "options/engine_options.hpp"
#include "options/seconds_option.hpp"
#include "program/error_text.hpp"
#include "program/interruption.hpp"

namespace cupool::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct ColorOptions {
    std::string file;
    std::uint32_t colors = 0;
    std::optional<std::uint64_t> seed;
    std::optional<std::uint32_t> population;
    std::optional<std::uint32_t> group;
    std::optional<std::uint32_t> steps;
    std::optional<double> temperature;
    std::optional<double> highest_temperature;
    double seconds = 60;
    std::uint64_t generations = std::numeric_limits<std::uint64_t>::max();
    std::string checkpoint;
    std::string output;
    EngineOptions engine;
    bool json = false;
};

ColoringConfig config_of(const ColorOptions& options) {
    ColoringConfig config;
    config.colors = options.colors;
    config.seed = options.seed.value_or(config.seed);
    config.population = options.population.value_or(config.population);
    config.group = options.group.value_or(config.group);
    config.steps = options.steps.value_or(config.steps);
    config.temperature = options.temperature.value_or(config.temperature);
    config.highest_temperature = options.highest_temperature.value_or(config.highest_temperature);
    return config;
}

template <class T>
void require_equal(const char* option, const std::optional<T>& given, const T& own) {
    if (!given || *given == own) return;
    std::ostringstream problem;
    problem.precision(std::numeric_limits<double>::max_digits10);
    problem << option << " is " << *given << ", but the search of the checkpoint has " << own;
    throw UsageError(problem.str());
}

/// \throws UsageError if an option that was given differs from what the search was made with
void require_same(const ColorOptions& options, const ColoringConfig& config) {
    require_equal("-k", std::optional(options.colors), config.colors);
    require_equal("--seed", options.seed, config.seed);
    if (options.population != 0U) require_equal("--population", options.population, config.population);
    require_equal("--group", options.group, config.group);
    require_equal("--steps", options.steps, config.steps);
    require_equal("--temperature", options.temperature, config.temperature);
    if (options.highest_temperature != 0.0) require_equal("--highest-temperature", options.highest_temperature, config.highest_temperature);
}

ColoringSearch new_search(const DevicePool& pool, const UndirectedGraph& graph, const ColorOptions& options) {
    try {
        return {pool, graph, config_of(options)};
    } catch (const Error& error) {
        if (error.category() == ErrorCategory::invalid_argument) throw UsageError(error.message());
        throw;
    }
}

ColoringSearch resumed_search(const DevicePool& pool, const UndirectedGraph& graph, const ColorOptions& options) {
    try {
        ColoringSearch search = ColoringSearch::resume(pool, graph, options.checkpoint);
        require_same(options, search.config());
        return search;
    } catch (const Error& error) {
        const auto refuse = [&](InputFault fault) { throw BadInput(fault, "", error.message()); };
        if (error.category() == ErrorCategory::io) refuse(InputFault::unreadable);
        if (error.category() == ErrorCategory::invalid_argument) refuse(InputFault::contradiction);
        throw;
    }
}

ColoringSearch open_search(const DevicePool& pool, const UndirectedGraph& graph, const ColorOptions& options) {
    std::error_code ignored;
    const bool resumes = !options.checkpoint.empty() && std::filesystem::exists(options.checkpoint, ignored);
    return resumes ? resumed_search(pool, graph, options) : new_search(pool, graph, options);
}

/// With `--engine auto` the host takes graphs that are too large for devices. \param pool  becomes the host's then
ColoringSearch open_search_where_possible(DevicePool& pool, const UndirectedGraph& graph, const ColorOptions& options) {
    try {
        return open_search(pool, graph, options);
    } catch (const Error& error) {
        const bool may_run_on_host = options.engine.engine == Engine::automatic && !pool.is_host();
        if (error.category() != ErrorCategory::unsupported || !may_run_on_host) throw;
        pool = DevicePool::host(options.engine.threads);
        return open_search(pool, graph, options);
    }
}

/// The line on stderr that shows how far a search is.
class SearchProgress {
public:
    SearchProgress(const ColoringSearch& search, std::string engine)
        : search_(search), engine_(std::move(engine)), moves_before_(search.statistics().moves) {}

    void show() {
        const ColoringStatistics statistics = search_.statistics();
        const double seconds = Seconds(Clock::now() - begin_).count();
        char text[160];
        std::snprintf(text, sizeof text, ": at best %llu conflicts, %llu generations, %.2f million moves a second",
                      static_cast<unsigned long long>(search_.best().conflicts), static_cast<unsigned long long>(statistics.generations),
                      static_cast<double>(statistics.moves - moves_before_) / seconds / 1e6);
        line_.emplace("computing on " + engine_ + text).show();
    }

private:
    const ColoringSearch& search_;
    std::string engine_;
    std::uint64_t moves_before_;
    Clock::time_point begin_ = Clock::now();
    std::optional<Progress> line_;
};

/// Runs a search in slices, between which it shows progress, saves, and looks at the limits.
class SlicedSearch {
public:
    SlicedSearch(ColoringSearch& search, const DevicePool& pool, const ColorOptions& options)
        : search_(search), options_(options), progress_(search, to_string(pool)) {
        report_.engine = pool.engine();
        if (!pool.is_host()) report_.devices = pool.devices();
    }

    /// \return where it ran, and how long
    RunReport run() {
        while (!is_over()) {
            run_slice();
            progress_.show();
            if (Clock::now() >= next_save_) save_in_between();
        }
        return report_;
    }

    void save() {
        if (!options_.checkpoint.empty()) search_.save(options_.checkpoint);
    }

private:
    bool is_over() const {
        const std::uint64_t generations = search_.statistics().generations;
        if (generations == 0) return false;
        return is_interrupted() || generations >= options_.generations || Clock::now() >= end_ || search_.best().conflicts == 0;
    }

    /// The first checkpoint must be written, so that one that cannot be costs no work. A later one may fail, as on a disk that is full for
    /// a while: the last one decides.
    void save_in_between() {
        constexpr std::chrono::seconds interval{10};
        try {
            save();
        } catch (const Error&) {
            if (!was_saved_) throw;
        }
        was_saved_ = true;
        next_save_ = Clock::now() + interval;
    }

    /// Slices get so long that what comes between them costs little, and so short that a limit is not exceeded by much.
    void run_slice() {
        constexpr std::chrono::milliseconds shortest{100};
        constexpr std::chrono::milliseconds longest{400};
        const auto begin = Clock::now();
        const RunReport report = search_.run(std::min(slice_, options_.generations - search_.statistics().generations));
        const auto duration = Clock::now() - begin;
        if (duration < shortest) slice_ *= 2;
        if (duration > longest) slice_ = std::max<std::uint64_t>(1, slice_ / 2);
        report_.engine = report.engine;
        report_.devices = report.devices;
        report_.milliseconds += report.milliseconds;
    }

    ColoringSearch& search_;
    const ColorOptions& options_;
    SearchProgress progress_;
    RunReport report_;
    std::uint64_t slice_ = 1;
    Clock::time_point end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(options_.seconds));
    Clock::time_point next_save_ = Clock::now();
    bool was_saved_ = false;
};

/// A solution as the DIMACS challenge writes it: vertices and colours from 1.
std::string solution_text(const Coloring& coloring, std::uint32_t colors) {
    std::string text = "s col " + std::to_string(colors) + '\n';
    for (std::size_t v = 0; v < coloring.colors.size(); ++v)
        text += "l " + std::to_string(v + 1) + ' ' + std::to_string(coloring.colors[v] + 1) + '\n';
    return text;
}

std::string solution_json(const DimacsGraph& graph, const ColorOptions& options, const ColoringSearch& search, const Coloring& coloring,
                          const RunReport& report) {
    const ColoringStatistics statistics = search.statistics();
    Json json;
    json["graph"] = options.file;
    json["vertices"] = graph.vertex_count;
    json["edges"] = graph.edges.size();
    json["k"] = options.colors;
    json["found"] = coloring.conflicts == 0;
    json["conflicts"] = coloring.conflicts;
    json["colors"] = Json::array();
    for (const std::uint16_t color : coloring.colors) json["colors"].push_back(color + 1);
    json["seed"] = search.config().seed;
    json["generations"] = statistics.generations;
    json["moves"] = statistics.moves;
    add_report(json, report);
    return json_text(json);
}

/// So that a file that cannot be written costs no work. Leaves the file as it is.
void require_writable(const std::string& path) {
    if (path.empty()) return;
    std::error_code ignored;
    const bool was_there = std::filesystem::exists(path, ignored);
    if (!std::ofstream(path, std::ios::binary | std::ios::app))
        throw std::runtime_error(path + " cannot be written: " + std::strerror(errno));
    if (!was_there) std::filesystem::remove(path, ignored);
}

void write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::runtime_error(path + " cannot be written: " + std::strerror(errno));
}

std::string not_found_text(const Coloring& best, const ColorOptions& options, std::uint64_t generations) {
    return std::string(is_interrupted() ? "interrupted: " : "") + "no proper colouring in " + std::to_string(options.colors) +
           " colours was found; the best of " + std::to_string(generations) + " generations has " + std::to_string(best.conflicts) +
           (best.conflicts == 1 ? " conflict" : " conflicts");
}

DimacsGraph read_graph(const std::string& path) {
    return parse_file(path, [](InputFile& file) { return parse_dimacs(read_all(file, largest_dimacs_file)); });
}

Outcome run_color(const ColorOptions& options) {
    const DimacsGraph graph = read_graph(options.file);
    require_writable(options.output);
    DevicePool pool = open_pool(options.engine);
    ColoringSearch search = open_search_where_possible(pool, UndirectedGraph(graph.vertex_count, graph.edges), options);
    end_on_signals();
    SlicedSearch sliced(search, pool, options);
    const RunReport report = sliced.run();
    const Coloring best = search.best();
    check_coloring(graph, options.colors, best);

    Outcome outcome;
    if (best.conflicts != 0) outcome = {{}, ExitCode::failed, not_found_text(best, options, search.statistics().generations)};
    try {
        sliced.save();
    } catch (const Error& error) {  // which must not cost the result
        const std::string before = outcome.problem.empty() ? "" : outcome.problem + "; ";
        outcome = {{}, ExitCode::failed, before + error_text(error)};
    }
    if (options.json) {
        outcome.output = solution_json(graph, options, search, best, report);
    } else if (best.conflicts == 0) {
        outcome.output = solution_text(best, options.colors);
    }
    if (!options.output.empty() && !outcome.output.empty()) write_file(options.output, std::exchange(outcome.output, {}));
    return outcome;
}

/// CLI11 takes a number beyond 64 bits for the largest one. \return what is wrong, else ""
std::string check_seed(const std::string& text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc() && end == text.data() + text.size()) return {};
    return text + " is no number from 0 to 18446744073709551615";
}

void add_search_options(CLI::App& command, ColorOptions& options) {
    command.add_option("--seed", options.seed, "the same seed, population and groups give the same search on any engine; by default 0")
        ->check(check_seed)
        ->type_name("N");
    command.add_option("--population", options.population, "colourings that are advanced at a time; by default as many as fit")
        ->type_name("N");
    command.add_option("--group", options.group, "colourings that are crossed with each other; by default 8")->type_name("N");
    command.add_option("--steps", options.steps, "steps of a colouring between two crossovers; by default 20000")->type_name("N");
    command
        .add_option("--temperature", options.temperature,
                    "how readily a vertex gets a colour with conflicts: one more is e^(1/T) times as rare; by default 0.25")
        ->type_name("T");
    command.add_option("--highest-temperature", options.highest_temperature, "of the last group, if groups are to have different ones")
        ->type_name("T");
}

}  // namespace

void add_color_command(CLI::App& app, Outcome& outcome) {
    constexpr double longest_time = 1e9;
    const auto options = std::make_shared<ColorOptions>();
    auto& command = *app.add_subcommand("color", "a proper colouring of a graph in K colours, found by a heuristic search");
    command.add_option("graph", options->file, "a DIMACS graph, .col or .col.b; - is the standard input")
        ->required()
        ->type_name("GRAPH.col");
    command.add_option("-k", options->colors, "how many colours to use")
        ->required()
        ->check(CLI::Range(1U, 32768U).description(""))
        ->type_name("K");
    add_search_options(command, *options);
    require_seconds(*command.add_option("--time", options->seconds, "search no longer than this; by default 60"), 0, longest_time);
    command.add_option("--generations", options->generations, "end after so many generations, those of a checkpoint included")
        ->check(CLI::Range(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()).description(""))
        ->type_name("N");
    command
        .add_option("--checkpoint", options->checkpoint,
                    "go on from this file if it is there; save the search in it every 10 s and at the end")
        ->type_name("FILE");
    command.add_option("--output", options->output, "write the result to this file, not to stdout")->type_name("FILE");
    add_engine_options(command, options->engine);
    command.add_flag("--json", options->json, "print one JSON object, with the best colouring even if it is not proper");
    command.footer("Exit codes: 0 a proper colouring was found, 1 none was found within the limits.");
    command.callback([options, &outcome] { outcome = run_color(*options); });
}

}  // namespace cupool::tools
