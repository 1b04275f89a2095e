#pragma once

#include <cstddef>
#include <cupool/pool/device_pool.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cupool {

/// A function that a worker process calls: it gets a pool of the worker's one device (or of the host) and the bytes that the caller gave,
/// aligned to 8, and returns bytes. What it throws comes out of the caller's future: an Error as it is, another exception as Error internal
/// with its words.
using WorkerFunction = std::function<std::vector<std::byte>(const DevicePool& device, std::span<const std::byte> input)>;

/// Registers a function under a name that WorkerPool::call() uses. Every process needs it that calls or serves the function: call it at the
/// beginning of main(), before serve_if_worker(). \throws Error invalid_argument (the name is empty, begins with "cupool." or is taken, or
/// there is no function)
void register_worker_function(std::string name, WorkerFunction function, SourceLocation where = SourceLocation::current());

/// Makes a program its own worker program. In a process that a WorkerPool has started as a worker it serves the pool and ends the process;
/// otherwise it returns at once, and WorkerPool then starts further instances of this program as workers. Call it in main() after
/// register_worker_function() and before anything else: a worker must not do what the program does.
///
///     int main(int argc, char** argv) {
///         cupool::register_worker_function("prove", prove);
///         cupool::serve_if_worker(argc, argv);
///         ...
void serve_if_worker(int argc, const char* const* argv);

}  // namespace cupool
