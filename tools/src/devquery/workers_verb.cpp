#include <memory>

#include "devquery/verbs.hpp"
#include "devquery/worker_processes.hpp"
#include "program/terminal.hpp"

namespace cupool::tools {

void add_workers_verb(CLI::App& app, Outcome& outcome) {
    const auto json = std::make_shared<bool>(false);
    auto& verb = *app.add_subcommand("workers", "the worker processes of running programs that use cupool's WorkerPool");
    verb.add_flag("--json", *json, "print JSON, as docs/devquery.schema.json describes it");
    verb.footer("Example: devquery workers\nLoads no driver. Workers of other users are shown without their device.");
    verb.callback([json, &outcome] {
        const auto workers = find_worker_processes();
        outcome.output = *json ? worker_json(workers) : worker_table(workers, output_columns());
    });
}

}  // namespace cupool::tools
