#include <cupool/pool/worker_function.hpp>
#include <string>

#include "commands/commands.hpp"
#include "program/careful_loading.hpp"
#include "program/outcome.hpp"

int main(int argc, char** argv) {
    using namespace cupool::tools;
    if (const auto status = try_library_if_asked(argc, argv)) return *status;
    cupool::serve_if_worker(argc, argv);
    return run_tool("cupool", [&]() -> Outcome {
        CLI::App app("Runs jobs on every GPU that this host has, or on its cores.", "cupool");
        app.set_version_flag("--version", "cupool " CUPOOL_VERSION);
        require_command(app);
        app.footer("Exit codes: 0 done, 1 failed, 2 usage, 3 bad input, 10 to 17 no GPU to run on (devquery says more).");
        Outcome outcome;
        std::string& output = outcome.output;
        add_msm_command(app, output);
        add_kzg_commit_command(app, output);
        add_reduce_command(app, output);
        add_ntt_command(app, output);
        add_poseidon_command(app, output);
        add_color_command(app, outcome);
        add_bench_command(app, output);
        auto text = parse_command_line(app, argc, argv);
        return text.empty() ? std::move(outcome) : Outcome{std::move(text)};
    });
}
