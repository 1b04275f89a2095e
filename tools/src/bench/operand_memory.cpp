#include "bench/operand_memory.hpp"

#include "program/outcome.hpp"

namespace cupool::tools {

OperandMemory operand_memory(const std::string& option, const std::string& name, const DevicePool& pool) {
    if (name == "host") return OperandMemory::host;
    if (pool.is_host()) throw UsageError(option + " " + name + " is for GPUs, and this runs on the host");
    if (name == "pinned") return OperandMemory::pinned;
    if (pool.device_count() != 1) throw UsageError(option + " device is for one GPU; choose it with --devices");
    return OperandMemory::device;
}

}  // namespace cupool::tools
