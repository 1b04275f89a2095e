#include <cupool/kernels/point.hpp>
#include <memory>

#include "checks/msm_check.hpp"
#include "commands/commands.hpp"
#include "formats/hex.hpp"
#include "formats/pairs.hpp"
#include "io/input_file.hpp"
#include "io/report_json.hpp"
#include "options/curve_option.hpp"
#include "options/job_pool.hpp"

namespace cupool::tools {
namespace {

struct MsmOptions {
    std::string curve;
    std::string pairs;
    EngineOptions engine;
    bool check = false;
};

template <Curve C>
Pairs<C> read_pairs(const std::string& path) {
    return parse_file(path, [](InputFile& file) {
        PairsParser<C> parser;
        for (LineReader lines(file); lines.next();) parser.add_line(lines.line());
        Progress checking("checking the points");
        checking.show();
        return std::move(parser).finish();
    });
}

template <std::size_t N>
Json coordinate_json(const Limbs<N>& coordinate) {
    return to_hex(coordinate);
}
template <std::size_t N>
Json coordinate_json(const QuadraticLimbs<N>& coordinate) {
    return Json::array({to_hex(coordinate.c0), to_hex(coordinate.c1)});
}

template <Curve C>
std::string run_msm(const MsmOptions& options) {
    const auto pairs = read_pairs<C>(options.pairs);
    const JobPool pool(options.engine);
    Progress computing("computing on " + pool.description());
    computing.show();
    JacobianPoint<C> sum;
    const auto report = pool.msm<C>(pairs.scalars, pairs.points, sum);
    const auto result = to_affine(sum);

    Json json;
    json["curve"] = to_string(C);
    json["n"] = pairs.points.size();
    json["x"] = coordinate_json(result.x);
    json["y"] = coordinate_json(result.y);
    json["infinity"] = is_infinity(result);
    add_report(json, report);
    if (options.check) json["checked_by"] = check_msm<C>(pairs.points, pairs.scalars, result, pool.engine(), options.engine);
    return json_text(json);
}

}  // namespace

void add_msm_command(CLI::App& app, std::string& output) {
    const auto options = std::make_shared<MsmOptions>();
    auto& command = *app.add_subcommand("msm", "the sum of scalar * point over a file of pairs, as one JSON object");
    add_curve_option(command, options->curve);
    command
        .add_option("--pairs", options->pairs,
                    "a line a term: X Y SCALAR in hexadecimal (C0,C1 for each of X and Y in G2), or inf SCALAR; - is the standard input")
        ->required()
        ->type_name("FILE");
    add_engine_options(command, options->engine);
    add_workers_option(command, options->engine);
    command.add_flag("--check", options->check, "compute it a second way too, and fail where the results differ");
    command.callback(
        [options, &output] { output = with_curve(curve_of_option(options->curve), [&]<Curve C>() { return run_msm<C>(*options); }); });
}

}  // namespace cupool::tools
