#include <memory>

#include "devquery/topology_report.hpp"
#include "devquery/verbs.hpp"
#include "program/careful_loading.hpp"
#include "program/terminal.hpp"

namespace cupool::tools {

void add_topo_verb(CLI::App& app, Outcome& outcome) {
    const auto json = std::make_shared<bool>(false);
    auto& verb = *app.add_subcommand("topo", "how the GPUs are linked: access, rank, atomics, PCI distance, NUMA node");
    verb.add_flag("--json", *json, "print JSON, as docs/devquery.schema.json describes it");
    verb.footer("Example: devquery topo\nOnly usable GPUs are shown. Creates no context.");
    verb.callback([json, &outcome] {
        const auto report = probe(careful_options());
        if (report.usable_device_count() == 0 && *json) {
            outcome = {topology_json({}, report), static_cast<int>(report.reason)};
            return;
        }
        if (report.usable_device_count() == 0) throw report.error();
        const auto topology = read_topology(report);
        outcome = {*json ? topology_json(topology, report) : topology_picture(topology, output_columns()), static_cast<int>(report.reason)};
    });
}

}  // namespace cupool::tools
