#include <array>
#include <bit>
#include <cupool/driver/printable_text.hpp>
#include <cupool/kernels/vectors.hpp>
#include <cupool/pool/pooled_ntt.hpp>
#include <memory>
#include <vector>

#include "commands/commands.hpp"
#include "formats/hex.hpp"
#include "io/input_file.hpp"
#include "io/report_json.hpp"
#include "io/scalar_lines.hpp"
#include "options/curve_option.hpp"
#include "options/engine_options.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {
namespace {

struct NttOptions {
    std::string curve;
    std::string file;
    bool inverse = false;
    std::string coset = "1";
    std::string ordering = "NN";
    EngineOptions engine;
    bool check = false;
    bool json = false;

    NttDirection direction() const { return inverse ? NttDirection::inverse : NttDirection::forward; }
};

/// \throws UsageError
template <Curve C>
Scalar coset_generator(const std::string& digits) {
    try {
        const Scalar generator = parse_hex<4>(digits, TextPosition{});
        Scalar reduced;
        add_vectors<C>(std::span<const Scalar>(&generator, 1), std::span<const Scalar>(std::array<Scalar, 1>{}), {},
                       std::span(&reduced, 1));
        if (reduced == Scalar{}) throw UsageError("--coset is 0 modulo r, which generates no coset; 1 is for none");
        return generator;
    } catch (const BadInput&) {
        throw UsageError("--coset is " + printable_text(digits) + "; expected up to 64 hexadecimal digits");
    }
}

NttOrdering ordering_of(const std::string& name) {
    for (const auto ordering : {NttOrdering::natural_reversed, NttOrdering::reversed_natural, NttOrdering::reversed_reversed,
                                NttOrdering::natural_mixed, NttOrdering::mixed_natural}) {
        if (name == to_string(ordering)) return ordering;
    }
    return NttOrdering::natural_natural;
}

template <Curve C>
RunReport transform(const std::vector<Scalar>& inputs, NttDirection direction, const DevicePool& pool, const NttConfig& config,
                    std::vector<Scalar>& outputs) {
    outputs.resize(inputs.size());
    return ntt<C>(inputs, direction, PooledNttDomain<C>(pool, inputs.size()), config, outputs);
}

/// On the other engine if there is one; on the host alone, the transform of the outputs back must give what that of the inputs forth and
/// back gives.
template <Curve C>
std::string check(const std::vector<Scalar>& inputs, const std::vector<Scalar>& outputs, const NttConfig& config, const NttOptions& options,
                  Engine engine) {
    const DevicePool other = open_other_pool(engine, options.engine);
    std::vector<Scalar> again;
    if (other.engine() != engine) {
        transform<C>(inputs, options.direction(), other, config, again);
        if (again != outputs) throw CheckFailed("the transform on the " + to_string(other.engine()) + " differs");
        return "the same transform on " + to_string(other);
    }
    const std::vector<Scalar> zeros(inputs.size());
    std::vector<Scalar> reduced(inputs.size());
    add_vectors<C>(std::span(inputs), std::span(zeros), {.ctx = other.context_at(0)}, std::span(reduced));
    constexpr NttOrdering opposite[] = {NttOrdering::natural_natural,   NttOrdering::reversed_natural, NttOrdering::natural_reversed,
                                        NttOrdering::reversed_reversed, NttOrdering::mixed_natural,    NttOrdering::natural_mixed};
    NttConfig back = config;
    back.ordering = opposite[static_cast<std::size_t>(config.ordering)];
    transform<C>(outputs, options.inverse ? NttDirection::forward : NttDirection::inverse, other, back, again);
    if (again != reduced) throw CheckFailed("the transform back does not give the inputs");
    return "the transform back";
}

template <Curve C>
std::string run_ntt(const NttOptions& options) {
    if constexpr (!NttCurve<C>) {
        throw UsageError("the scalars of " + to_string(C) + " are those of its G1; give that to --curve");
    } else {
        const std::vector<Scalar> inputs = read_scalars(options.file);
        if (!std::has_single_bit(inputs.size())) {
            throw BadInput(InputFault::length, "", "there are " + std::to_string(inputs.size()) + " elements; expected a power of two")
                .within(input_name(options.file));
        }
        const DevicePool pool = open_pool(options.engine);
        const NttConfig config{.coset_gen = coset_generator<C>(options.coset), .ordering = ordering_of(options.ordering)};
        std::vector<Scalar> outputs;
        const RunReport report = transform<C>(inputs, options.direction(), pool, config, outputs);
        const std::string checked_by = options.check ? check<C>(inputs, outputs, config, options, report.engine) : std::string();
        if (!options.json) return scalar_lines(outputs);
        Json json;
        json["curve"] = to_string(C);
        json["n"] = inputs.size();
        json["direction"] = to_string(options.direction());
        json["ordering"] = options.ordering;
        json["outputs"] = Json::array();
        for (const Scalar& output : outputs) json["outputs"].push_back(to_hex(output));
        add_report(json, report);
        if (!checked_by.empty()) json["checked_by"] = checked_by;
        return json_text(json);
    }
}

}  // namespace

void add_ntt_command(CLI::App& app, std::string& output) {
    const auto options = std::make_shared<NttOptions>();
    auto& command = *app.add_subcommand("ntt", "the number-theoretic transform of a file of scalars, a line each");
    add_scalar_field_option(command, options->curve, "bn254|bls12-381|bls12-377");
    command.add_flag("--inverse", options->inverse, "from values to coefficients");
    command.add_option("--coset", options->coset, "evaluate on the coset of this generator, in hexadecimal")
        ->capture_default_str()
        ->type_name("G");
    command.add_option("--ordering", options->ordering, "of inputs and outputs: natural, bit-reversed or mixed")
        ->capture_default_str()
        ->check(CLI::IsMember({"NN", "NR", "RN", "RR", "NM", "MN"}).description(""))
        ->type_name("NN|NR|RN|RR|NM|MN");
    command.add_option("file", options->file, "a scalar a line, in hexadecimal; as many as a power of two; - is the standard input")
        ->required()
        ->type_name("FILE");
    add_engine_options(command, options->engine);
    command.add_flag("--check", options->check, "compute it a second way too, and fail where the results differ");
    command.add_flag("--json", options->json, "print one JSON object");
    command.callback(
        [options, &output] { output = with_curve(curve_of_option(options->curve), [&]<Curve C>() { return run_ntt<C>(*options); }); });
}

}  // namespace cupool::tools
