#include "doctor/management_library.hpp"

#include <cupool/driver/management_library.hpp>

namespace cupool::tools {

void ask_management_library(DriverAnswer& answer) {
    const ManagementLibrary library;
    answer.mig_cards = library.mig_cards();
    for (auto& device : answer.devices) {
        const auto managed = library.device_at(device.pci_bus_id);
        if (!managed) continue;
        device.persistence = library.persistence(*managed);
        device.ecc_errors = library.readings(*managed).uncorrected_errors;
        for (const auto& [process, bytes] : library.memory_of_processes(*managed)) device.users[std::to_string(process)] = bytes;
    }
}

}  // namespace cupool::tools
