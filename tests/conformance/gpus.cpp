#include "gpus.hpp"

#include <cupool/driver/probe.hpp>
#include <string>

namespace cupool::test {

namespace {

std::vector<PrimaryContext> retain_all() {
    std::vector<PrimaryContext> contexts;
    if (probe().devices.empty()) return contexts;
    for (const Device& device : devices()) contexts.push_back(PrimaryContext::retain(device));
    return contexts;
}

}  // namespace

const std::vector<ContextView>& gpus() {
    static const std::vector<PrimaryContext> owners = retain_all();
    static const std::vector<ContextView> views(owners.begin(), owners.end());
    return views;
}

bool is_simulated() { return Driver::system()->report().library_path.find("libcupool-sim") != std::string::npos; }

}  // namespace cupool::test
