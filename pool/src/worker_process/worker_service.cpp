#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/driver_log.hpp>
#include <cupool/driver/registered_host.hpp>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "channel.hpp"
#include "child_process.hpp"
#include "device_census.hpp"
#include "worker_messages.hpp"
#include "worker_registry.hpp"

namespace cupool {

namespace detail {

namespace {

/// Exit statuses of a worker that ends by itself.
constexpr int exit_stopped = 0;
constexpr int exit_unusable = 1;      ///< it could not open its device
constexpr int exit_poisoned = 2;      ///< after a device fault, which leaves no GPU to the process
constexpr int exit_disconnected = 3;  ///< the pool is gone, or sent what is no message

constexpr std::string_view reserved_prefix = "cupool.";

struct Registry {
    std::mutex mutex;
    std::map<std::string, WorkerFunction> functions;
    bool is_own_worker_program = false;
};

Registry& registry() {
    static Registry instance;
    return instance;
}

/// Ends this process soon after the parent has ended, whatever this process is doing.
class ParentWatch {
public:
    ParentWatch() : parent_(::getppid()) {
        std::thread([parent = parent_] { watch(parent); }).detach();
    }

private:
    static void watch(pid_t parent) {
        // Where the system has no pidfd_open(), polling nothing is a sleep.
        const int handle = static_cast<int>(::syscall(SYS_pidfd_open, parent, 0));
        while (::getppid() == parent) {
            pollfd watched{handle, POLLIN, 0};
            (void)::poll(&watched, 1, 200);
        }
        ::_exit(exit_disconnected);
    }

    pid_t parent_;
};

/// Sums of the first numbers, which only a device that computes right answers right.
void check_device(const DevicePool& pool) {
    std::vector<std::uint32_t> numbers(1000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i + 1);
    std::uint32_t sum = 0;
    pool.reduce<std::uint32_t>(std::span<const std::uint32_t>(numbers), ReduceOperation::sum, sum);
    if (sum != 500'500) throw Error(ErrorCategory::internal, "the device adds wrongly: 1 + ... + 1000 gave " + std::to_string(sum));
}

std::shared_ptr<const Driver> initialized_driver() {
    std::shared_ptr<const Driver> driver = Driver::system();
    driver->initialize();
    return driver;
}

DevicePool open_device(std::string_view role) {
    if (role == host_role) return DevicePool::host();
    const int first = 0;
    return DevicePool::with_devices(std::span(&first, 1), UnusableDevices::fail);
}

/// The Error with what the driver has logged about it.
Error with_driver_log(const Error& error, std::optional<DriverLog>& log) {
    if (!log || !error.code()) return error;
    ErrorDetails details{error.category(), error.message(), error.code(), error.call(), error.device(), error.reason(), error.log(), {}};
    details.driver_log = log->new_lines();
    return Error(std::move(details), error.location());
}

WorkerGreeting greeting_of(const DevicePool& pool) {
    WorkerGreeting greeting;
    greeting.engine = pool.engine();
    if (pool.is_host()) return greeting;
    const DeviceIdentity identity = pool.identity_at(0);
    greeting.device_name = identity.name;
    greeting.device_uuid = identity.uuid;
    greeting.pci_bus_id = identity.pci_bus_id;
    return greeting;
}

/// Serves until the pool says stop. \return the exit status
class Service {
public:
    explicit Service(Channel& channel) : channel_(channel) {}

    int serve(std::string_view role) {
        if (role == census_role) {
            send(census_message());
            return exit_stopped;
        }
        std::optional<WorkerState> state;
        try {
            if (role != host_role) log_.emplace(initialized_driver());
            state.emplace(open_device(role));
            check_device(state->pool());
            send({MessageType::ready, 0, greeting_payload(greeting_of(state->pool()))});
        } catch (...) {
            send({MessageType::failed, 0, error_payload(with_driver_log(error_of(std::current_exception(), "the worker"), log_))});
            return exit_unusable;
        }
        for (Message message; channel_.receive(message) == Channel::Outcome::received;) {
            switch (message.type) {
                case MessageType::attach: attach(*state, message); break;
                case MessageType::forget: state->forget(message.id); break;
                case MessageType::call:
                    if (!call(*state, message)) return exit_poisoned;
                    break;
                case MessageType::stop: return exit_stopped;
                default: return exit_disconnected;
            }
        }
        return exit_disconnected;
    }

private:
    void send(const Message& message) {
        if (!channel_.send(message)) ::_exit(exit_disconnected);
    }

    static void attach(WorkerState& state, const Message& message) {
        MessageReader reader(message.payload);
        const auto bytes = reader.number<std::uint64_t>();
        reader.require_end();
        state.attach(message.id, message.attachment, bytes);
    }

    /// \return whether the process can take another call
    bool call(WorkerState& state, const Message& message) {
        try {
            if (log_) log_->skip();
            const ReceivedCall received = read_call(message.payload);
            send({MessageType::done, message.id, call_function(state, received.function, received.input)});
        } catch (...) {
            const Error error = with_driver_log(error_of(std::current_exception(), "the worker function"), log_);
            send({MessageType::failed, message.id, error_payload(error)});
            return error.category() != ErrorCategory::device_fault;
        }
        return true;
    }

    Channel& channel_;
    std::optional<DriverLog> log_;
};

}  // namespace

class MappedMemory {
public:
    MappedMemory(const FileDescriptor& file, std::uint64_t bytes, const DevicePool& pool) : mapping_(file, bytes) {
        if (pool.is_host() || bytes == 0) return;
        try {
            registration_.emplace(mapping_.bytes(), pool.context_at(0).context());
        } catch (const Error& error) {
            if (error.category() == ErrorCategory::device_fault) throw;  // otherwise copies are slower, and right
        }
    }

    std::span<std::byte> bytes() const noexcept { return mapping_.bytes(); }

private:
    FileMapping mapping_;
    std::optional<RegisteredHost<std::byte>> registration_;
};

WorkerState::WorkerState(DevicePool pool) : pool_(std::move(pool)) {}
WorkerState::~WorkerState() = default;

void WorkerState::attach(std::uint64_t id, const FileDescriptor& file, std::uint64_t bytes) {
    try {
        memory_[id] = std::make_unique<MappedMemory>(file, bytes, pool_);
    } catch (const Error& error) {
        if (error.category() != ErrorCategory::out_of_memory) throw;
        unmapped_.insert_or_assign(id, error);  // the error of the calls that need it
    }
}

void WorkerState::keep(std::uint64_t id, std::shared_ptr<const void> object) { objects_[id] = std::move(object); }

void WorkerState::forget(std::uint64_t id) {
    memory_.erase(id);
    unmapped_.erase(id);
    objects_.erase(id);
}

std::span<std::byte> WorkerState::bytes(std::uint64_t id, std::uint64_t offset, std::uint64_t count) const {
    if (const auto failure = unmapped_.find(id); failure != unmapped_.end()) throw failure->second;
    const auto found = memory_.find(id);
    if (found == memory_.end()) throw_malformed("there is no shared memory " + std::to_string(id));
    const std::span<std::byte> all = found->second->bytes();
    if (offset > all.size() || count > all.size() - offset) throw_malformed("an operand lies past the end of its shared memory");
    return all.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count));
}

std::shared_ptr<const void> WorkerState::object(std::uint64_t id) const {
    const auto found = objects_.find(id);
    if (found == objects_.end()) throw_malformed("the worker has no setup " + std::to_string(id));
    return found->second;
}

std::vector<std::byte> call_function(WorkerState& state, const std::string& name, std::span<const std::byte> input) {
    if (const BuiltInFunction function = built_in_function(name)) return function(state, input);
    WorkerFunction function;
    {
        const std::lock_guard lock(registry().mutex);
        const auto found = registry().functions.find(name);
        if (found != registry().functions.end()) function = found->second;
    }
    if (!function) {
        throw Error(ErrorCategory::invalid_argument,
                    "the worker program has registered no function \"" + name + "\": see register_worker_function()");
    }
    return function(state.pool(), input);
}

bool is_own_worker_program() noexcept { return registry().is_own_worker_program; }

}  // namespace detail

void register_worker_function(std::string name, WorkerFunction function, SourceLocation where) {
    if (name.empty() || name.starts_with(detail::reserved_prefix) || !function) {
        throw Error(ErrorCategory::invalid_argument,
                    "a worker function needs a name, which does not begin with \"cupool.\", and a function; the name is \"" + name + "\"",
                    where);
    }
    const std::lock_guard lock(detail::registry().mutex);
    if (!detail::registry().functions.emplace(name, std::move(function)).second) {
        throw Error(ErrorCategory::invalid_argument, "a worker function of the name \"" + name + "\" is registered already", where);
    }
}

void serve_if_worker(int argc, const char* const* argv) {
    detail::registry().is_own_worker_program = true;
    if (argc != 3 || std::string_view(argv[1]) != detail::worker_argument) return;
    const detail::ParentWatch watch;
    // What a function starts must not keep the connection open.
    (void)::fcntl(detail::child_socket, F_SETFD, FD_CLOEXEC);
    detail::Channel channel{detail::FileDescriptor(detail::child_socket)};
    int status = detail::exit_disconnected;
    try {
        status = detail::Service(channel).serve(argv[2]);
    } catch (const std::exception&) {  // the pool sent what is no message: nobody is there to be told
    }
    // Without destructors, and without waiting for the device: all that the process has is given back by the system.
    ::_exit(status);
}

}  // namespace cupool
