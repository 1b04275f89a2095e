#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cupool/kernels/undirected_graph.hpp>
#include <map>
#include <vector>

namespace cupool::test {

/// How many states of a small system have each energy, by enumeration.
using DensityOfStates = std::map<std::int64_t, double>;

/// The Boltzmann probabilities of the energies at a temperature.
inline std::map<std::int64_t, double> boltzmann(const DensityOfStates& density, double temperature) {
    std::map<std::int64_t, double> probabilities;
    double sum = 0;
    for (const auto& [energy, states] : density) {
        const double weight = states * std::exp(-static_cast<double>(energy - density.begin()->first) / temperature);
        probabilities[energy] = weight;
        sum += weight;
    }
    for (auto& [energy, probability] : probabilities) probability /= sum;
    return probabilities;
}

/// Pearson's chi-square of counts, and its degrees of freedom. Energies of which fewer than ten are expected are counted together.
struct ChiSquare {
    double value = 0;
    int degrees = -1;

    /// How many standard deviations of a normal distribution it is above its mean (Wilson and Hilferty's cube-root approximation).
    double deviation() const {
        const double spread = 2.0 / (9.0 * degrees);
        return (std::cbrt(value / degrees) - (1 - spread)) / std::sqrt(spread);
    }
};

inline ChiSquare chi_square(const std::map<std::int64_t, double>& probabilities, const std::map<std::int64_t, std::size_t>& counts) {
    double all = 0;
    for (const auto& [energy, count] : counts) all += static_cast<double>(count);
    ChiSquare result;
    double expected = 0;
    double found = 0;
    const auto add = [&] {
        result.value += (found - expected) * (found - expected) / expected;
        ++result.degrees;
        expected = found = 0;
    };
    for (const auto& [energy, probability] : probabilities) {
        expected += probability * all;
        const auto count = counts.find(energy);
        found += count == counts.end() ? 0 : static_cast<double>(count->second);
        if (expected >= 10) add();
    }
    if (expected > 0) {  // too few for a class of their own: they go with the last
        result.value += (found - expected) * (found - expected) / std::max(expected, 1.0);
    }
    return result;
}

/// The energies of all states of the Ising model on a torus of side x side spins. \pre side is small
inline DensityOfStates ising_density(unsigned side) {
    DensityOfStates density;
    const unsigned spins = side * side;
    for (std::uint64_t state = 0; state < std::uint64_t{1} << spins; ++state) {
        std::int64_t energy = 0;
        for (unsigned i = 0; i < spins; ++i) {
            const unsigned right = i / side * side + (i + 1) % side;
            const unsigned below = (i + side) % spins;
            energy += (state >> i & 1) == (state >> right & 1) ? -1 : 1;
            energy += (state >> i & 1) == (state >> below & 1) ? -1 : 1;
        }
        density[energy] += 1;
    }
    return density;
}

/// The conflicts of all colourings of a graph. \pre there are few
inline DensityOfStates coloring_density(const UndirectedGraph& graph, std::uint32_t colors) {
    DensityOfStates density;
    std::vector<std::uint16_t> coloring(graph.vertex_count());
    for (bool is_last = false; !is_last;) {
        density[static_cast<std::int64_t>(coloring_conflicts(graph, coloring))] += 1;
        is_last = true;
        for (std::uint16_t& color : coloring) {
            if (++color != colors) {
                is_last = false;
                break;
            }
            color = 0;
        }
    }
    return density;
}

/// The logarithm of the partition function of the Ising model on a torus of side x side spins: Kaufman, Phys. Rev. 76, 1232 (1949).
inline long double ising_log_partition(unsigned side, long double inverse_temperature) {
    const long double pi = std::acos(-1.0L);
    const long double k = inverse_temperature;
    const auto gamma = [&](unsigned r) -> long double {
        if (r == 0) return 2 * k + std::log(std::tanh(k));
        const long double c = std::cosh(2 * k) * std::cosh(2 * k) / std::sinh(2 * k) - std::cos(pi * r / side);
        return std::acosh(c);
    };
    const long double half = side / 2.0L;
    long double logs[4] = {0, 0, 0, 0};
    long double signs[4] = {1, 1, 1, 1};
    for (unsigned r = 0; r < side; ++r) {
        const long double odd = gamma(2 * r + 1);
        const long double even = gamma(2 * r);
        const auto add = [&](int i, long double factor) {
            logs[i] += std::log(std::abs(factor));
            if (factor < 0) signs[i] = -signs[i];
        };
        add(0, 2 * std::cosh(half * odd));
        add(1, 2 * std::sinh(half * odd));
        add(2, 2 * std::cosh(half * even));
        add(3, 2 * std::sinh(half * even));
    }
    long double sum = 0;
    for (int i = 0; i < 4; ++i) sum += signs[i] * std::exp(logs[i] - logs[0]);
    const long double spins = static_cast<long double>(side) * side;
    return -std::log(2.0L) + spins / 2 * std::log(2 * std::sinh(2 * k)) + logs[0] + std::log(sum);
}

}  // namespace cupool::test
