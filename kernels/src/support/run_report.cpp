#include <cupool/kernels/run_report.hpp>
#include <ostream>

namespace cupool {

std::string to_string(Engine engine) {
    switch (engine) {
        case Engine::automatic: return "automatic";
        case Engine::gpu: return "gpu";
        case Engine::host: break;
    }
    return "host";
}

std::ostream& operator<<(std::ostream& out, Engine engine) { return out << to_string(engine); }

std::ostream& operator<<(std::ostream& out, const RunReport& report) {
    out << report.engine;
    for (std::size_t i = 0; i < report.devices.size(); ++i) out << (i == 0 ? " " : ",") << report.devices[i];
    return out << ": " << report.milliseconds << " ms, " << report.bytes << " bytes moved";
}

}  // namespace cupool
