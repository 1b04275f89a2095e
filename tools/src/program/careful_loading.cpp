#include "program/careful_loading.hpp"

#include <cupool/driver/library_trial.hpp>
#include <string_view>

namespace cupool::tools {
namespace {

constexpr const char* trial_option = "--try-library";

}  // namespace

LoadOptions careful_options() {
    LoadOptions options;
    options.trial_command = {"/proc/self/exe", trial_option};
    return options;
}

std::optional<int> try_library_if_asked(int argc, char** argv) {
    if (argc != 3 || std::string_view(argv[1]) != trial_option) return std::nullopt;
    return try_library(argv[2]);
}

}  // namespace cupool::tools
