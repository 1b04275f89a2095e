#include "options/poseidon_options.hpp"

namespace cupool::tools {

PoseidonVariant PoseidonChoice::variant() const {
    if (name == to_string(PoseidonVariant::filecoin)) return PoseidonVariant::filecoin;
    return name == to_string(PoseidonVariant::poseidon2) ? PoseidonVariant::poseidon2 : PoseidonVariant::original;
}

void add_poseidon_choice(CLI::App& command, PoseidonChoice& choice) {
    command.add_option("--variant", choice.name, "whose constants: original (circomlib's over bn254), filecoin or poseidon2")
        ->capture_default_str()
        ->check(CLI::IsMember({"original", "filecoin", "poseidon2"}).description(""))
        ->type_name("original|filecoin|poseidon2");
    command
        .add_option("--width", choice.width,
                    "elements of the state; a hash takes one less: 2 to 17; 3, 5, 9, 12 (filecoin); 2, 3, 4, 8 (poseidon2)")
        ->capture_default_str()
        ->check(CLI::Range(2U, 17U).description(""))
        ->type_name("T");
}

}  // namespace cupool::tools
