#include <algorithm>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <memory>
#include <vector>

#include "fixed_members.hpp"
#include "replicas/replica_code.hpp"
#include "replicas/replica_engine.hpp"

namespace cupool::detail {

namespace {

/// The kernel that ReplicaModel describes.
using AdvanceKernel = Kernel<abi::DevicePointer, abi::DevicePointer, abi::DevicePointer, abi::DevicePointer, abi::DevicePointer,
                             abi::DevicePointer, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;

Module module_of(const ReplicaModel& model, ContextView context) {
    return model.shipped_code != nullptr ? load_replica_model(context, *model.shipped_code) : Module(context, model.ptx);
}

AdvanceKernel kernel_of(const Module& module, const ReplicaModel& model) { return AdvanceKernel(module.untyped_kernel(model.kernel)); }

/// The replicas of one device: those whose number is `first` modulo `stride`. Energies and places go through page-locked memory that the
/// device reads and writes itself: they are few bytes, and copies would take longer than the way over the bus.
class ReplicasOfDevice {
public:
    ReplicasOfDevice(const ReplicaModel& model, const DeviceContext& context, std::uint32_t first, std::uint32_t stride, std::uint32_t all)
        : model_(model),
          context_(context),
          first_(first),
          stride_(stride),
          count_((all - first + stride - 1) / stride),
          module_(module_of(model, context.context())),
          kernel_(kernel_of(module_, model)),
          states_(count_ * model.state_bytes, context),
          data_(model.data.size(), context),
          temperatures_(all * model.temperature_bytes, context),
          numbers_(count_, context.context()),
          places_(count_, context.context()),
          energies_(count_, context.context()),
          numbers_on_device_(numbers_.device_span().pointer()),
          places_on_device_(places_.device_span().pointer()),
          energies_on_device_(energies_.device_span().pointer()) {
        constexpr std::uint32_t shared_bytes_without_request = 48 << 10;
        if (model.shared_bytes > shared_bytes_without_request) kernel_.set_max_dynamic_shared_bytes(model.shared_bytes);
        for (std::uint32_t i = 0; i < count_; ++i) numbers_[i] = first + i * stride;
        fill_bytes_async(states_.span(), 0, context.stream());
        if (!model.data.empty()) copy(data_.span(), std::span<const std::byte>(model.data), context.stream());
    }

    /// Queues the work.
    void start(std::uint32_t sweeps, std::uint64_t first_sweep, std::uint64_t seed, std::span<const std::uint32_t> places) {
        for (std::uint32_t i = 0; i < count_; ++i) places_[i] = places[first_ + i * stride_];
        const LaunchShape shape{.grid = (count_ + model_.replicas_per_block - 1) / model_.replicas_per_block,
                                .block = model_.block_size,
                                .dynamic_shared_bytes = model_.shared_bytes};
        kernel_.launch(shape, context_.stream(), states_.span().pointer(), energies_on_device_, numbers_on_device_, places_on_device_,
                       temperatures_.span().pointer(), data_.span().pointer(), count_, sweeps, seed, first_sweep);
    }
    /// Waits for it.
    void finish(std::span<double> energies) {
        context_.stream().synchronize();
        for (std::uint32_t i = 0; i < count_; ++i) energies[first_ + i * stride_] = energies_[i];
    }

    void set_temperatures(std::span<const std::byte> descriptions) { copy(temperatures_.span(), descriptions, context_.stream()); }
    void read_state(std::uint32_t replica, std::span<std::byte> state) {
        copy(state, DeviceSpan<const std::byte>(state_of(replica)), context_.stream());
    }
    void write_state(std::uint32_t replica, std::span<const std::byte> state) { copy(state_of(replica), state, context_.stream()); }
    const DeviceContext& context() const { return context_; }

private:
    DeviceSpan<std::byte> state_of(std::uint32_t replica) {
        return states_.span().subspan((replica - first_) / stride_ * model_.state_bytes, model_.state_bytes);
    }

    const ReplicaModel& model_;
    DeviceContext context_;
    std::uint32_t first_;
    std::uint32_t stride_;
    std::uint32_t count_;
    Module module_;
    AdvanceKernel kernel_;
    DeviceBuffer<std::byte> states_;
    DeviceBuffer<std::byte> data_;
    DeviceBuffer<std::byte> temperatures_;
    PinnedBuffer<std::uint32_t> numbers_;
    PinnedBuffer<std::uint32_t> places_;
    PinnedBuffer<double> energies_;
    abi::DevicePointer numbers_on_device_;
    abi::DevicePointer places_on_device_;
    abi::DevicePointer energies_on_device_;
};

class DeviceReplicas final : public ReplicaEngine {
public:
    DeviceReplicas(PoolState& pool, const ReplicaModel& model, std::size_t replicas, std::uint64_t seed)
        : seed_(seed),
          parts_(pool, replicas, "replica exchange", [&](const DeviceContext& context, std::uint32_t first, std::uint32_t stride) {
              return std::make_unique<ReplicasOfDevice>(model, context, first, stride, static_cast<std::uint32_t>(replicas));
          }) {}

    void require_ready() const override { parts_.require_no_quarantine(); }
    void advance(std::uint32_t sweeps, std::uint64_t first_sweep, std::span<const std::uint32_t> places,
                 std::span<double> energies) override {
        parts_.run([&](ReplicasOfDevice& part) { part.start(sweeps, first_sweep, seed_, places); },
                   [&](ReplicasOfDevice& part) { part.finish(energies); });
        bytes_ += places.size_bytes() + energies.size_bytes();
    }
    void set_temperatures(std::span<const std::byte> descriptions) override {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            parts_.run_on(i, [&](ReplicasOfDevice& part) { part.set_temperatures(descriptions); });
        }
        bytes_ += parts_.size() * descriptions.size();
    }
    void read_state(std::uint32_t replica, std::span<std::byte> state) override {
        parts_.run_on(replica, [&](ReplicasOfDevice& part) { part.read_state(replica, state); });
        bytes_ += state.size();
    }
    void write_state(std::uint32_t replica, std::span<const std::byte> state) override {
        parts_.run_on(replica, [&](ReplicasOfDevice& part) { part.write_state(replica, state); });
        bytes_ += state.size();
    }
    std::uint64_t bytes() const override { return bytes_; }
    std::vector<int> devices() const override { return parts_.ordinals(); }

private:
    std::uint64_t seed_;
    FixedMembers<ReplicasOfDevice> parts_;
    std::uint64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<ReplicaEngine> make_device_replicas(PoolState& pool, const ReplicaModel& model, std::size_t replicas, std::uint64_t seed) {
    return std::make_unique<DeviceReplicas>(pool, model, replicas, seed);
}

}  // namespace cupool::detail
