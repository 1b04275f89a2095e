#pragma once

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/pool/device_pool.hpp>
#include <random>
#include <vector>

namespace cupool::test {

/// Any integers of 256 bits: most are above r.
inline std::vector<Scalar> random_scalars(std::size_t count, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    std::vector<Scalar> scalars(count);
    for (Scalar& scalar : scalars) {
        for (std::uint64_t& limb : scalar.limbs) limb = random();
    }
    return scalars;
}

/// Not in a CHECK itself, which would print all elements.
inline bool are_equal(const std::vector<Scalar>& left, const std::vector<Scalar>& right) { return left == right; }

/// Scalars in slices on devices of a pool.
class SlicedScalars {
public:
    /// \param devices  indices in the pool \param sizes  of their slices
    SlicedScalars(const DevicePool& pool, const std::vector<std::size_t>& devices, const std::vector<std::size_t>& sizes) : pool_(pool) {
        for (std::size_t i = 0; i < devices.size(); ++i) buffers_.emplace_back(sizes[i], pool.context_at(devices[i]));
    }
    /// Slices of equal size on the first devices.
    static SlicedScalars equal(const DevicePool& pool, std::size_t devices, std::size_t size) {
        std::vector<std::size_t> indices(devices);
        for (std::size_t i = 0; i < devices; ++i) indices[i] = i;
        return {pool, indices, std::vector<std::size_t>(devices, size / devices)};
    }

    SlicedScalars& set(const std::vector<Scalar>& scalars) {
        std::size_t done = 0;
        for (DeviceBuffer<Scalar>& buffer : buffers_) {
            copy_async(buffer.span(), std::span(scalars).subspan(done, buffer.size()), pool_.context(buffer.device()).stream());
            done += buffer.size();
        }
        pool_.synchronize_all();
        return *this;
    }
    std::vector<Scalar> get() {
        std::vector<Scalar> scalars;
        for (DeviceBuffer<Scalar>& buffer : buffers_) {
            std::vector<Scalar> part(buffer.size());
            copy(std::span(part), buffer.span(), pool_.context(buffer.device()).stream());
            scalars.insert(scalars.end(), part.begin(), part.end());
        }
        return scalars;
    }
    std::vector<DeviceBuffer<Scalar>>& buffers() { return buffers_; }

private:
    DevicePool pool_;
    std::vector<DeviceBuffer<Scalar>> buffers_;
};

/// Whether the devices of a simulated machine reach each other's memory.
template <class Machine>
void set_links(Machine& machine, int devices, bool are_linked) {
    for (int device = 0; device < devices; ++device) {
        for (int peer = 0; peer < devices; ++peer) {
            if (device != peer) machine.simulator.set_peer_reachable(device, peer, are_linked);
        }
    }
}

}  // namespace cupool::test
