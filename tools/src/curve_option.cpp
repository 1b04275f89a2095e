#include "src/curve_option.hpp"

#include "formats/bad_input.hpp"

namespace cupool::tools {

void add_curve_option(CLI::App& command, std::string& name) {
    command.add_option("--curve", name, "the curve whose G1 the points are in")
        ->required(name.empty())
        ->capture_default_str()
        ->type_name("bn254|bls12-381|bls12-377");
}

Curve curve_of_option(const std::string& name) {
    if (const auto curve = curve_from_name(name)) return *curve;
    throw BadInput(InputFault::unknown_name, "--curve", "no curve is called '" + name + "'; bn254, bls12-381 and bls12-377 are known");
}

}  // namespace cupool::tools
