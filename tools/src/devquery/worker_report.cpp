#include "devquery/worker_processes.hpp"

#include <cupool/driver/printable_text.hpp>

#include "io/report_json.hpp"
#include "io/size_text.hpp"
#include "io/text_table.hpp"

namespace cupool::tools {

std::string worker_table(const std::vector<WorkerProcess>& workers, std::size_t width) {
    if (workers.empty()) return "No worker process of a cupool WorkerPool is running, as far as this user can see.\n";
    TextTable table({{"pool"}, {"worker"}, {"engine"}, {"device", 1}, {"host memory", 2}, {"program", 3}});
    for (const auto& worker : workers) {
        table.add_row({std::to_string(worker.pool_process), std::to_string(worker.process), to_string(worker.engine),
                       worker.visible_device ? printable_text(*worker.visible_device) : "-",
                       worker.resident_bytes ? size_text(*worker.resident_bytes) : "-", printable_text(worker.program)});
    }
    return table.text(width);
}

std::string worker_json(const std::vector<WorkerProcess>& workers) {
    Json json;
    json["schema"] = 1;
    json["verb"] = "workers";
    json["workers"] = Json::array();
    for (const auto& worker : workers) {
        json["workers"].push_back({{"process", worker.process},
                                   {"pool_process", worker.pool_process},
                                   {"engine", to_string(worker.engine)},
                                   {"program", worker.program},
                                   {"visible_device", worker.visible_device ? Json(*worker.visible_device) : Json()},
                                   {"resident_bytes", worker.resident_bytes ? Json(*worker.resident_bytes) : Json()}});
    }
    return json_text(json, 2);
}

}  // namespace cupool::tools
