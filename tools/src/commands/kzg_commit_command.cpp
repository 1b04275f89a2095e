#include <cupool/kernels/point.hpp>
#include <memory>

#include "checks/msm_check.hpp"
#include "commands/commands.hpp"
#include "formats/blob.hpp"
#include "formats/compressed_point.hpp"
#include "formats/hex.hpp"
#include "formats/trusted_setup.hpp"
#include "io/input_file.hpp"
#include "io/report_json.hpp"
#include "options/job_pool.hpp"

namespace cupool::tools {
namespace {

using Point = AffinePoint<Curve::bls12_381>;

struct KzgCommitOptions {
    std::string setup;
    std::vector<std::string> blobs;
    EngineOptions engine;
    bool check = false;
    bool json = false;
};

struct Commitment {
    std::string compressed;
    RunReport report;
    std::string checked_by;
};

std::vector<Point> read_setup(const std::string& path) {
    return parse_file(path, [](InputFile& file) {
        const auto bytes = read_all(file, largest_setup_file);
        return parse_trusted_setup({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    });
}

std::vector<Scalar> read_blob(const std::string& path) {
    return parse_file(path, [](InputFile& file) { return parse_blob(read_all(file, largest_blob_file)); });
}

Commitment commit(const std::vector<Scalar>& blob, const std::vector<Point>& setup, const JobPool& pool, const KzgCommitOptions& options) {
    Commitment commitment;
    JacobianPoint<Curve::bls12_381> sum;
    commitment.report = pool.msm<Curve::bls12_381>(blob, setup, sum);
    const auto point = to_affine(sum);
    commitment.compressed = to_hex(compress(point));
    if (options.check) commitment.checked_by = check_msm<Curve::bls12_381>(setup, blob, point, pool.engine(), options.engine);
    return commitment;
}

std::string as_json(const std::string& blob, const Commitment& commitment) {
    Json json;
    json["blob"] = blob;
    json["commitment"] = commitment.compressed;
    add_report(json, commitment.report);
    if (!commitment.checked_by.empty()) json["checked_by"] = commitment.checked_by;
    return json_text(json);
}

std::string run_kzg_commit(const KzgCommitOptions& options) {
    std::vector<std::vector<Scalar>> blobs;
    for (const auto& path : options.blobs) blobs.push_back(read_blob(path));
    const auto setup = read_setup(options.setup);
    const JobPool pool(options.engine);
    Progress computing("computing on " + pool.description());
    std::string output;
    for (std::size_t i = 0; i < blobs.size(); ++i) {
        computing.update(i, blobs.size());
        const auto commitment = commit(blobs[i], setup, pool, options);
        output += options.json ? as_json(options.blobs[i], commitment) : commitment.compressed + '\n';
    }
    return output;
}

}  // namespace

void add_kzg_commit_command(CLI::App& app, std::string& output) {
    const auto options = std::make_shared<KzgCommitOptions>();
    auto& command = *app.add_subcommand("kzg-commit", "the KZG commitment of each EIP-4844 blob, a line each");
    command.add_option("--setup", options->setup, "the trusted setup, as c-kzg-4844's trusted_setup.txt")->required()->type_name("FILE");
    command.add_option("blobs", options->blobs, "a blob: 131072 raw bytes, or as many in hexadecimal; - is the standard input")
        ->required()
        ->type_name("FILE");
    add_engine_options(command, options->engine);
    add_workers_option(command, options->engine);
    command.add_flag("--check", options->check, "compute each a second way too, and fail where the results differ");
    command.add_flag("--json", options->json, "print a JSON object a blob");
    command.callback([options, &output] { output = run_kzg_commit(*options); });
}

}  // namespace cupool::tools
