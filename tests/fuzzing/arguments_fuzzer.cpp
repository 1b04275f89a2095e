// Fuzzes cupool's command line: its parsing, not what its commands then do. The input's lines are the arguments.
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "formats/bad_input.hpp"
#include "fuzz_input.hpp"
#include "program/outcome.hpp"

using namespace cupool::tools;
using namespace cupool::test;

namespace {

/// A command's arguments have been understood.
struct Understood {};

void stop_before_commands_run(CLI::App& app) {
    for (CLI::App* const command : app.get_subcommands({})) {
        command->parse_complete_callback([] { throw Understood(); });
        stop_before_commands_run(*command);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::string> arguments{"cupool"};
    for (FuzzInput input(data, size); !input.empty();) arguments.emplace_back(input.take_until('\n'));
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    CLI::App app("fuzzed", "cupool");
    require_command(app);
    Outcome outcome;
    std::string& output = outcome.output;
    add_msm_command(app, output);
    add_kzg_commit_command(app, output);
    add_reduce_command(app, output);
    add_color_command(app, outcome);
    add_bench_command(app, output);
    stop_before_commands_run(app);
    try {
        parse_command_line(app, static_cast<int>(argv.size()), argv.data());
    } catch (const Understood&) {
    } catch (const UsageError& error) {
        must_hold(*error.what() != '\0', "a refusal says why");
    }
    return 0;
}
