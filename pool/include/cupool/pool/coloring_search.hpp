#pragma once

#include <cstdint>
#include <cupool/kernels/undirected_graph.hpp>
#include <cupool/pool/device_pool.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace cupool {

namespace detail {
class ColoringSearchState;
}

/// How a ColoringSearch runs. The defaults are those that were fastest on random graphs of density 1/2 (docs/coloring.md).
struct ColoringConfig {
    std::uint32_t colors = 0;        ///< that the search may use: 1 to 2^15
    std::uint64_t seed = 0;          ///< runs with the same seed, population and groups have the same trajectory, on any engine
    std::uint32_t population = 0;    ///< colourings that are advanced at a time: a multiple of group, up to 2^20. 0: as many as the devices
                                     ///< hold at once; on the host 64, or one group of a graph of more than 2^15 vertices
    std::uint32_t group = 8;         ///< colourings that are crossed with each other; other groups search on their own
    std::uint32_t steps = 20'000;    ///< vertices that a colouring recolours between two crossovers: 1 to 2^30
    double temperature = 0.25;       ///< 0.03 to 100: a colour with one conflict more is chosen about e^(1 / temperature) times as rarely
    double highest_temperature = 0;  ///< of the last group; those between have temperatures between. 0: all groups have `temperature`
};

/// A colouring, and how many edges it leaves with two ends of one colour.
struct Coloring {
    std::vector<std::uint16_t> colors;  ///< of each vertex, below ColoringConfig::colors
    std::uint64_t conflicts = 0;        ///< 0: the colouring is proper
};

/// What a search has done so far.
struct ColoringStatistics {
    std::uint64_t generations = 0;  ///< made
    std::uint64_t steps = 0;        ///< vertices looked at, in all colourings
    std::uint64_t moves = 0;        ///< of those, how many got another colour
    std::uint64_t restarts = 0;     ///< groups that began again, because their colourings had become alike, or because they have one only
    std::uint32_t population = 0;   ///< colourings that are advanced at a time
    std::vector<std::uint32_t> conflicts;  ///< the lowest of each colouring of the last generation
};

/// Searches a proper colouring of a graph in a given number of colours: a population of colourings, each improved by a heat bath over the
/// vertices in conflict, and crossed by greedy partition crossover (Galinier and Hao, J. Comb. Optim. 3, 379, 1999) in small groups, as
/// HEAD does with two (Moalic and Gondran, J. Heuristics 24, 1, 2018). A group whose colourings have become alike begins again. Groups lie
/// on the devices in turn, and never meet, so devices do not wait for each other.
///
/// On devices a graph has up to 1024 vertices and up to 120 colours, because the tables of all colourings lie in shared memory. They count
/// in bytes: if more than 128 vertices of a colouring get one colour, run() throws unsupported. The host takes any graph.
///
/// After an error midway through a generation the colourings are unknown: run() and save() throw invalid_argument (device_fault after a
/// fault), and a checkpoint can be resumed.
///
/// Movable. Thread-safe: calls run one after the other. In a forked child every member throws forked, and after a move from it
/// wrong_context.
class ColoringSearch {
public:
    /// Makes random colourings. \throws Error invalid_argument (no colour, no vertex, a number of the configuration is out of its range),
    /// unsupported (the graph is too large for devices), jit_failure, no_device, out_of_memory
    ColoringSearch(const DevicePool& pool, const UndirectedGraph& graph, const ColoringConfig& config,
                   SourceLocation where = SourceLocation::current());

    /// The same from a file that save() wrote: the search goes on as if it had not been interrupted, on any number of devices or the host.
    /// \throws Error io (the file cannot be read), invalid_argument (it is no checkpoint, is damaged, or is one of another graph), and what
    /// the constructor throws
    static ColoringSearch resume(const DevicePool& pool, const UndirectedGraph& graph, const std::filesystem::path& checkpoint,
                                 SourceLocation where = SourceLocation::current());

    /// Makes so many generations, fewer if one has a proper colouring. \throws Error unsupported (see above), device_fault, no_device (one
    /// of its devices was quarantined since), internal (a device reported a colouring that is not what it says), and any error of the
    /// driver
    RunReport run(std::uint64_t generations, SourceLocation where = SourceLocation::current());

    /// The best colouring so far; its conflicts were counted on the host. \throws Error not_ready before the first generation
    Coloring best(SourceLocation where = SourceLocation::current()) const;
    ColoringStatistics statistics(SourceLocation where = SourceLocation::current()) const;  ///< a copy
    /// What the search was made with, the population that it chose included.
    ColoringConfig config(SourceLocation where = SourceLocation::current()) const;

    /// Writes everything that resume() needs to a file, which appears whole or not at all. \throws Error io, and as run()
    void save(const std::filesystem::path& checkpoint, SourceLocation where = SourceLocation::current()) const;

private:
    explicit ColoringSearch(std::shared_ptr<detail::ColoringSearchState> state) noexcept : state_(std::move(state)) {}
    detail::ColoringSearchState& own(const SourceLocation& where) const;

    std::shared_ptr<detail::ColoringSearchState> state_;
};

}  // namespace cupool
