#include "src/operand_memory.hpp"

#include "src/outcome.hpp"

namespace cupool::tools {

OperandMemory operand_memory(const std::string& name, const DevicePool& pool) {
    if (name == "host") return OperandMemory::host;
    if (pool.is_host()) throw UsageError("--memory " + name + " is for GPUs, and this runs on the host");
    if (name == "pinned") return OperandMemory::pinned;
    if (pool.device_count() != 1) throw UsageError("--memory device is for one GPU; choose it with --devices");
    return OperandMemory::device;
}

}  // namespace cupool::tools
