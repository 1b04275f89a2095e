// Changes the shipped PTX an instruction at a time, runs each mutant on the simulated driver, and says which ones were caught.
//
//     cupool_mutate --barriers                                     # deletes each barrier of each shipped kernel
//     cupool_mutate --arithmetic --function product_of_vec4s       # every change of the field multiplications
//     cupool_mutate --barriers --arithmetic --sample 60 --seed 1   # some of each
//
// Ends with 0 when every barrier and at least 95 % (--least) of the other mutants were caught; those of the file --equivalent do not count.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <set>

#include "mutation.hpp"
#include "trial.hpp"

namespace {

using namespace cupool::test;

struct Mutant {
    const ShippedModule* module;
    Mutation mutation;
};

std::string to_string(const Mutant& mutant) { return mutant.module->name + ".ptx " + to_string(mutant.mutation); }

struct Options {
    bool barriers = false;
    bool arithmetic = false;
    std::string module;
    std::string function;
    std::vector<std::size_t> lines;
    std::size_t sample = 0;
    std::uint64_t seed = 1;
    std::string equivalent;
    double least = 95;
};

Options parse(int argc, char** argv) {
    Options options;
    CLI::App app("Changes the shipped PTX an instruction at a time and says which changes are noticed.");
    app.add_flag("--barriers", options.barriers, "delete barriers");
    app.add_flag("--arithmetic", options.arithmetic, "change arithmetic instructions");
    app.add_option("--module", options.module, "only modules whose name contains this");
    app.add_option("--function", options.function, "only entries and functions whose name contains this");
    app.add_option("--line", options.lines, "only these lines")->delimiter(',');
    app.add_option("--sample", options.sample, "at most this many mutants of each kind, drawn by the seed");
    app.add_option("--seed", options.seed, "of the draw");
    app.add_option("--equivalent", options.equivalent, "a file of mutants that change nothing, a line each as they are printed");
    app.add_option("--least", options.least, "the share of other mutants than barriers that must be caught, in %");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error));
    }
    return options;
}

std::set<std::string> lines_of(const std::string& path) {
    std::set<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.insert(line);
    return lines;
}

using Mutate = std::vector<Mutation> (*)(std::string_view);

bool is_chosen(const Mutation& mutation, const Options& options) {
    const bool on_line = options.lines.empty() || std::count(options.lines.begin(), options.lines.end(), mutation.line) != 0;
    return on_line && mutation.function.find(options.function) != std::string::npos;
}

std::vector<Mutant> mutants(Mutate mutate, const Options& options) {
    std::vector<Mutant> all;
    for (const ShippedModule& module : shipped_modules()) {
        if (module.name.find(options.module) == std::string::npos) continue;
        for (Mutation& mutation : mutate(module.text)) {
            if (is_chosen(mutation, options)) all.push_back({&module, std::move(mutation)});
        }
    }
    if (options.sample != 0 && options.sample < all.size()) {
        std::vector<Mutant> some;
        std::mt19937_64 random(options.seed);
        std::sample(all.begin(), all.end(), std::back_inserter(some), options.sample, random);
        return some;
    }
    return all;
}

/// Tries mutants, prints their fates, and returns the share of those caught that could be.
double run(const std::string& what, const std::vector<Mutant>& mutants, const std::set<std::string>& equivalent) {
    std::map<Fate, std::size_t> fates;
    std::size_t unchanged = 0;
    for (const Mutant& mutant : mutants) {
        const Verdict verdict = try_text(*mutant.module, apply(mutant.mutation, mutant.module->text));
        std::cout << to_string(verdict.fate) << '\t' << to_string(mutant) << (verdict.evidence.empty() ? "" : "\t") << verdict.evidence
                  << std::endl;
        if (verdict.fate == Fate::survived && equivalent.count(to_string(mutant)) != 0) {
            ++unchanged;
        } else {
            ++fates[verdict.fate];
        }
    }
    const std::size_t possible = mutants.size() - unchanged - fates[Fate::refused];
    const std::size_t caught = possible - fates[Fate::survived] - fates[Fate::crashed];
    std::cout << what << ": " << mutants.size() << " mutants, " << unchanged << " equivalent";
    for (const auto& [fate, count] : fates) std::cout << ", " << count << ' ' << to_string(fate);
    std::cout << "; caught " << caught << " of " << possible << std::endl;
    return possible == 0 ? 1 : static_cast<double>(caught) / static_cast<double>(possible);
}

bool unchanged_passes(const Options& options) {
    for (const ShippedModule& module : shipped_modules()) {
        if (module.name.find(options.module) == std::string::npos) continue;
        const Verdict verdict = try_text(module, module.text);
        if (verdict.fate == Fate::survived) continue;
        std::cout << module.name << " fails as it is: " << verdict.evidence << '\n';
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    const auto equivalent = lines_of(options.equivalent);
    if (!unchanged_passes(options)) return 1;
    bool good = true;
    if (options.barriers) good &= run("barriers", mutants(without_barriers, options), equivalent) == 1;
    if (options.arithmetic) good &= run("arithmetic", mutants(with_other_arithmetic, options), equivalent) >= options.least / 100;
    return good ? 0 : 1;
}
