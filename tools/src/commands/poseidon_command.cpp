#include <cupool/pool/pooled_poseidon.hpp>
#include <memory>
#include <vector>

#include "commands/commands.hpp"
#include "formats/hex.hpp"
#include "io/input_file.hpp"
#include "io/report_json.hpp"
#include "io/scalar_lines.hpp"
#include "options/curve_option.hpp"
#include "options/engine_options.hpp"
#include "options/poseidon_options.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

struct PoseidonOptions {
    std::string curve;
    std::string file;
    PoseidonChoice choice;
    bool sponge = false;
    bool tree = false;
    bool compress = false;
    EngineOptions engine;
    bool check = false;
    bool json = false;

    std::size_t arity() const { return choice.arity() + (compress ? 1 : 0); }
};

struct Digests {
    std::vector<Scalar> digests;
    RunReport report;
};

template <Curve C>
Digests compute(const std::vector<Scalar>& inputs, const PoseidonOptions& options, const DevicePool& pool) {
    const PooledPoseidon<C> poseidon = options.choice.permutation<C>(pool);
    const PoseidonConfig config{.is_compression = options.compress};
    Digests result{std::vector<Scalar>(options.sponge || options.tree ? 1 : inputs.size() / options.arity()), {}};
    if (options.sponge) {
        result.report = poseidon_sponge<C>(inputs, inputs.size(), poseidon, config, result.digests);
    } else if (options.tree) {
        result.report = poseidon_merkle_tree<C>(inputs, poseidon, 1, config, result.digests);
    } else {
        result.report = poseidon_hash<C>(inputs, poseidon, config, result.digests);
    }
    return result;
}

/// On the other engine.
template <Curve C>
std::string check(const std::vector<Scalar>& inputs, const PoseidonOptions& options, const Digests& result) {
    const DevicePool other = open_second_pool(result.report.engine, options.engine);
    if (compute<C>(inputs, options, other).digests != result.digests) throw CheckFailed("the digests of " + to_string(other) + " differ");
    return "the same hashes on " + to_string(other);
}

void require_count(std::size_t inputs, const PoseidonOptions& options) {
    const auto refuse = [&](const std::string& problem) {
        throw BadInput(InputFault::length, "", "there are " + std::to_string(inputs) + " elements; " + problem)
            .within(input_name(options.file));
    };
    if (options.tree) {
        if (options.arity() < 2) throw UsageError("--tree needs hashes of two elements or more; give a larger --width, or --compress");
        std::size_t size = inputs;
        while (size > 1 && size % options.arity() == 0) size /= options.arity();
        if (inputs < 2 || size != 1)
            refuse("a tree has a power of " + std::to_string(options.arity()) + " leaves, at least " + std::to_string(options.arity()));
    } else if (!options.sponge && inputs % options.arity() != 0) {
        refuse("a hash takes " + std::to_string(options.arity()) + ", or --sponge all of them");
    }
}

template <Curve C>
std::string run_poseidon(const PoseidonOptions& options) {
    if constexpr (!PoseidonCurve<C>) {
        throw UsageError(poseidon_curves_text);
    } else {
        options.choice.permutation<C>(DevicePool::host());  // before the file is read, since its count depends on the width
        const std::vector<Scalar> inputs = read_scalars(options.file);
        require_count(inputs.size(), options);
        const DevicePool pool = open_pool(options.engine);
        const Digests result = compute<C>(inputs, options, pool);
        const std::string checked_by = options.check ? check<C>(inputs, options, result) : std::string();
        if (!options.json) return scalar_lines(result.digests);
        Json json;
        json["curve"] = to_string(C);
        json["variant"] = to_string(options.choice.variant());
        json["width"] = options.choice.width;
        json["n"] = inputs.size();
        json["digests"] = Json::array();
        for (const Scalar& digest : result.digests) json["digests"].push_back(to_hex(digest));
        add_report(json, result.report);
        if (!checked_by.empty()) json["checked_by"] = checked_by;
        return json_text(json);
    }
}

}  // namespace

void add_poseidon_command(CLI::App& app, std::string& output) {
    const auto options = std::make_shared<PoseidonOptions>();
    auto& command = *app.add_subcommand("poseidon", "the Poseidon hashes of a file of scalars, a line each");
    add_scalar_field_option(command, options->curve, "bn254|bls12-381");
    add_poseidon_choice(command, options->choice);
    auto& sponge = *command.add_flag("--sponge", options->sponge, "one hash of all scalars, by a sponge");
    auto& tree = *command.add_flag("--tree", options->tree, "the root of the Merkle tree over the scalars");
    auto& compress = *command.add_flag("--compress", options->compress, "hashes take T elements: P(x) + x instead of a tag");
    sponge.excludes(&tree);
    sponge.excludes(&compress);
    command.add_option("file", options->file, "a scalar a line, in hexadecimal; - is the standard input")->required()->type_name("FILE");
    add_engine_options(command, options->engine);
    command.add_flag("--check", options->check, "compute them on the other engine too, and fail where the results differ");
    command.add_flag("--json", options->json, "print one JSON object");
    command.callback(
        [options, &output] { output = with_curve(curve_of_option(options->curve), [&]<Curve C>() { return run_poseidon<C>(*options); }); });
}

}  // namespace cupool::tools
