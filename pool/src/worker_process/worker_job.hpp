#pragma once

#include <cstddef>
#include <cstdint>
#include <cupool/driver/source_location.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "shared_memory.hpp"

namespace cupool::detail {

/// A call of a function in a worker: all that is needed to make it in any worker, any number of times.
struct WorkerCall {
    std::string function;                                     ///< its registered name
    std::vector<std::byte> input;                             ///< its argument
    std::vector<std::shared_ptr<const SharedMemory>> memory;  ///< that the input refers to, by id
};

/// A call that a worker makes once, before the first job that needs it; its result stays in the worker.
struct WorkerSetup {
    std::uint64_t id = next_shared_id();  ///< the call's input has it too
    /// Makes the call, whenever a worker begins; from several threads at a time.
    std::function<WorkerCall()> make_call;
};

/// A job, from its submission to its one end.
struct WorkerJob {
    WorkerCall call;
    std::vector<std::shared_ptr<const WorkerSetup>> setups;
    SourceLocation where;
    /// Takes the function's result and the ordinal of the device. What it throws fails the job. \return what then makes the job's future
    /// ready
    std::function<std::function<void()>(std::vector<std::byte>, int)> complete;
    std::function<void(std::exception_ptr)> fail;
    std::vector<std::string> deaths;  ///< how the workers ended that had it

    /// Drops what only a worker needs. The pool calls it before the future becomes ready. So a program that has its result no longer
    /// holds memory of the call.
    void release_operands() {
        call = {};
        setups.clear();
    }
};

}  // namespace cupool::detail
