#include "program/outcome.hpp"

#include <algorithm>
#include <cstdio>
#include <cupool/driver/printable_text.hpp>
#include <exception>
#include <new>
#include <sstream>

#include "formats/bad_input.hpp"
#include "program/error_text.hpp"
#include "program/suggestion.hpp"

namespace cupool::tools {
namespace {

int fail(const std::string& name, std::string problem, int exit_code) {
    std::replace(problem.begin(), problem.end(), '\n', ' ');
    std::fprintf(stderr, "%s: %s\n", name.c_str(), printable_text(problem).c_str());
    return exit_code;
}

bool write_to_stdout(const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

/// The names of all options and commands that may follow the commands that were given.
std::vector<std::string> known_words(const CLI::App& app) {
    std::vector<std::string> words;
    for (const auto* const option : app.get_options()) {
        for (const auto& name : option->get_lnames()) words.push_back("--" + name);
    }
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) {
        for (const auto* const command : app.get_subcommands([](const CLI::App*) { return true; })) words.push_back(command->get_name());
    } else {
        const auto further = known_words(*chosen.front());
        words.insert(words.end(), further.begin(), further.end());
    }
    return words;
}

/// "; did you mean --json?" for the first surplus word that resembles a known one; else empty.
std::string suggestion(const CLI::App& app) {
    const auto words = known_words(app);
    for (const auto& surplus : app.remaining(true)) {
        const auto nearest = nearest_word(surplus.substr(0, surplus.find('=')), words);
        if (!nearest.empty()) return "; did you mean " + nearest + "?";
    }
    return {};
}

}  // namespace

void require_command(CLI::App& app) {
    app.require_subcommand(0, 1);
    app.callback([&app] {
        if (app.get_subcommands().empty()) throw UsageError("no command was given (--help lists them)");
    });
}

std::string parse_command_line(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        return {};
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
            throw UsageError(error.what() + suggestion(app) + " (--help lists the options)");
        }
        std::ostringstream text;
        app.exit(error, text, text);
        return text.str();
    }
}

int exit_code_of(const Error& error) {
    switch (error.category()) {
        case ErrorCategory::no_device: return static_cast<int>(error.reason().value_or(Reason::no_visible_device));
        case ErrorCategory::driver_unavailable: return static_cast<int>(error.reason().value_or(Reason::library_unusable));
        case ErrorCategory::not_ready: return static_cast<int>(error.reason().value_or(Reason::not_ready));
        // If the driver itself reports this error, it contradicts its list of devices; the command line is right.
        case ErrorCategory::invalid_device: return error.code() ? ExitCode::failed : ExitCode::usage;
        default: return ExitCode::failed;
    }
}

int run_tool(const std::string& name, const std::function<Outcome()>& tool) {
    try {
        const auto outcome = tool();
        if (!write_to_stdout(outcome.output)) return fail(name, "the output cannot be written to stdout", ExitCode::failed);
        return outcome.problem.empty() ? outcome.exit_code : fail(name, outcome.problem, outcome.exit_code);
    } catch (const BadInput& error) {
        return fail(name, error.what(), ExitCode::bad_input);
    } catch (const UsageError& error) {
        return fail(name, error.what(), ExitCode::usage);
    } catch (const Error& error) {
        return fail(name, error_text(error), exit_code_of(error));
    } catch (const std::bad_alloc&) {
        return fail(name, "out of host memory", ExitCode::failed);
    } catch (const std::exception& error) {
        return fail(name, error.what(), ExitCode::failed);
    }
}

}  // namespace cupool::tools
