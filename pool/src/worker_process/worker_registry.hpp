#pragma once

#include <cupool/pool/detail/worker_argument.hpp>
#include <cupool/pool/worker_function.hpp>
#include <map>
#include <memory>
#include <string>

#include "memory_file.hpp"

namespace cupool::detail {

/// Shared memory that a worker has mapped, page-locked if its device wants that.
class MappedMemory;

/// What a worker process holds between calls.
class WorkerState {
public:
    explicit WorkerState(DevicePool pool);
    ~WorkerState();

    const DevicePool& pool() const noexcept { return pool_; }

    void attach(std::uint64_t id, const FileDescriptor& file, std::uint64_t bytes);
    void keep(std::uint64_t id, std::shared_ptr<const void> object);
    void forget(std::uint64_t id);

    /// The bytes of attached memory. \throws Error io where there is none of this id, or it is too small
    std::span<std::byte> bytes(std::uint64_t id, std::uint64_t offset, std::uint64_t count) const;
    /// What keep() was given. \throws Error io where there is none
    std::shared_ptr<const void> object(std::uint64_t id) const;

private:
    DevicePool pool_;
    std::map<std::uint64_t, std::unique_ptr<MappedMemory>> memory_;
    std::map<std::uint64_t, Error> unmapped_;  ///< memory for which there was no room
    std::map<std::uint64_t, std::shared_ptr<const void>> objects_;
};

/// A function of cupool's own, which may keep things in the worker.
using BuiltInFunction = std::vector<std::byte> (*)(WorkerState& state, std::span<const std::byte> input);

/// The built-in function of a name; null where there is none.
BuiltInFunction built_in_function(const std::string& name);

/// Calls a function by its name. \throws Error invalid_argument where this program knows no such function, and what it throws
std::vector<std::byte> call_function(WorkerState& state, const std::string& name, std::span<const std::byte> input);

/// Whether this program has called serve_if_worker().
bool is_own_worker_program() noexcept;

}  // namespace cupool::detail
