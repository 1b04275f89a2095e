#pragma once

#include <chrono>
#include <cstdint>
#include <cupool/driver/error.hpp>
#include <cupool/pool/worker_pool.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "channel.hpp"
#include "child_process.hpp"
#include "worker_job.hpp"

namespace cupool::detail {

/// What a worker says when it is ready.
struct WorkerGreeting {
    Engine engine = Engine::host;
    std::string device_name;
    std::string device_uuid;
    std::string pci_bus_id;  ///< of the device
};

/// A worker process ended, or had to be ended, while something was expected of it.
struct WorkerDeath {
    std::string story;                ///< how, in words
    std::optional<Error> last_error;  ///< what it reported before
};

/// What became of a call: its result, its own error, or the worker's death.
using CallOutcome = std::variant<std::vector<std::byte>, Error, WorkerDeath>;

/// One worker process and the connection to it, from its start to its end. Not thread-safe.
class WorkerConnection {
public:
    struct Limits {
        std::chrono::milliseconds start{0};
        std::chrono::milliseconds call{0};  ///< 0: none
        std::uint64_t memory = 0;           ///< 0: none
    };

    /// Starts the process. \throws Error io
    WorkerConnection(const ChildProcessStart& start, const Limits& limits);

    pid_t process() const noexcept { return process_.id(); }

    /// Waits for the greeting while it is wanted. \return the greeting; the Error of a worker that cannot use its device; or the worker's
    /// death
    std::variant<WorkerGreeting, Error, WorkerDeath> greet(const std::function<bool()>& is_wanted);

    /// Makes a call, and before it the setups that this process has not made yet. Every death leaves the process ended and reaped.
    CallOutcome call(const WorkerJob& job);

    /// Lets the worker give back shared memory and setups that nobody in this process holds any more.
    void forget_unused();

    /// Waits until `wake` has input, the deadline passes, or the process has ended. \return the death, or nothing
    std::optional<WorkerDeath> wait_idle(int wake, ChannelClock::time_point deadline);

    /// Asks the process to end, and kills it if it does not.
    void stop() noexcept;

private:
    CallOutcome make(const WorkerCall& call);
    CallOutcome make_setup(const WorkerSetup& setup);
    bool attach(const std::vector<std::shared_ptr<const SharedMemory>>& memory, ChannelClock::time_point deadline);
    /// \param is_wanted  asked now and then; empty: always
    std::variant<Message, WorkerDeath> await(std::optional<ChannelClock::time_point> deadline, const std::function<bool()>& is_wanted = {});
    WorkerDeath death(const std::string& cause, std::chrono::milliseconds patience = {});

    Limits limits_;
    Channel channel_;
    ChildProcess process_;
    std::map<std::uint64_t, std::weak_ptr<const void>> present_;  ///< memory that it has mapped and setups that it has made, by id
    std::uint64_t last_call_ = 0;
};

}  // namespace cupool::detail
