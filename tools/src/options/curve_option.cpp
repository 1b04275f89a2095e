#include "options/curve_option.hpp"

#include "formats/bad_input.hpp"

namespace cupool::tools {

void add_curve_option(CLI::App& command, std::string& name) {
    command.add_option("--curve", name, "the group that the points are in: G1 of a curve, or G2")
        ->required(name.empty())
        ->capture_default_str()
        ->type_name("bn254|bls12-381|bls12-377|bn254-g2|bls12-381-g2");
}

void add_scalar_field_option(CLI::App& command, std::string& name, const std::string& names) {
    command.add_option("--curve", name, "the curve whose scalars they are, integers modulo the order r of its group")
        ->required()
        ->type_name(names);
}

Curve curve_of_option(const std::string& name) {
    if (const auto curve = curve_from_name(name)) return *curve;
    throw BadInput(InputFault::unknown_name, "--curve",
                   "no curve is called '" + name + "'; bn254, bls12-381, bls12-377, bn254-g2 and bls12-381-g2 are known");
}

}  // namespace cupool::tools
