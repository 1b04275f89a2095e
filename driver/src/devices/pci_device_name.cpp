#include <cctype>
#include <cupool/driver/detail/pci_device_name.hpp>

namespace cupool::detail {

std::string sysfs_name_of_pci_device(std::string id) {
    constexpr std::size_t domain_digits = 4;
    for (auto& letter : id) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    const auto domain = id.find(':');
    if (id.find_first_not_of("0123456789abcdef:.") != std::string::npos || id.find("..") != std::string::npos) return {};
    if (domain == std::string::npos) return {};
    if (domain > domain_digits && id.find_first_not_of('0') >= domain - domain_digits) id.erase(0, domain - domain_digits);
    return id;
}

}  // namespace cupool::detail
