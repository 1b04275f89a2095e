#include "worker_connection.hpp"

#include <algorithm>
#include <utility>

#include "worker_messages.hpp"

namespace cupool::detail {

namespace {

/// How often a worker that is waited for is looked at: whether it has ended, and how much memory it has. The connection alone does not
/// tell: a process that the worker has started may keep it open.
constexpr std::chrono::milliseconds watch_period{100};

/// How long a worker may take to end that has closed its connection, or was asked to end.
constexpr std::chrono::milliseconds patience_with_ending{1000};

/// How long a worker may leave messages unread that it gets before a call.
constexpr std::chrono::seconds patience_with_reading{30};

}  // namespace

WorkerConnection::WorkerConnection(const ChildProcessStart& start, const Limits& limits) : limits_(limits) {
    auto [channel, child_end] = Channel::pair();
    process_ = ChildProcess(start, child_end);
    channel_ = std::move(channel);
}

WorkerDeath WorkerConnection::death(const std::string& cause, std::chrono::milliseconds patience) {
    const pid_t id = process_.id();
    channel_.close();
    const std::string end = process_.reap(patience);
    return {"process " + std::to_string(id) + (cause.empty() ? " " + end : " " + cause + "; it " + end), std::nullopt};
}

std::variant<Message, WorkerDeath> WorkerConnection::await(std::optional<ChannelClock::time_point> deadline,
                                                           const std::function<bool()>& is_wanted) {
    for (;;) {
        const auto next_look = ChannelClock::now() + watch_period;
        Message message;
        try {
            switch (channel_.receive(message, deadline ? std::min(*deadline, next_look) : next_look)) {
                case Channel::Outcome::received: return message;
                case Channel::Outcome::closed: return death("", patience_with_ending);
                case Channel::Outcome::timed_out:
                case Channel::Outcome::woken: break;
            }
        } catch (const Error& error) {
            return death("sent a message that cannot be trusted (" + error.message() + ")");
        }
        if (process_.has_ended()) return death("");
        if (deadline && ChannelClock::now() >= *deadline) return death("did not answer before its deadline");
        if (is_wanted && !is_wanted()) return death("is not wanted any more");
        if (limits_.memory == 0) continue;
        if (const auto bytes = process_.resident_bytes(); bytes && *bytes > limits_.memory) {
            return death("grew to " + std::to_string(*bytes) + " bytes of resident memory, above its limit of " +
                         std::to_string(limits_.memory));
        }
    }
}

std::variant<WorkerGreeting, Error, WorkerDeath> WorkerConnection::greet(const std::function<bool()>& is_wanted) {
    auto answer = await(ChannelClock::now() + limits_.start, is_wanted);
    if (auto* const dead = std::get_if<WorkerDeath>(&answer)) return std::move(*dead);
    const Message& message = std::get<Message>(answer);
    try {
        if (message.type == MessageType::ready) return read_greeting(message.payload);
        if (message.type == MessageType::failed) {
            const Error error = read_error(message.payload);
            (void)death("", patience_with_ending);
            return error;
        }
    } catch (const Error& error) {
        return death("sent a message that cannot be trusted (" + error.message() + ")");
    }
    return death("did not begin with a greeting");
}

bool WorkerConnection::attach(const std::vector<std::shared_ptr<const SharedMemory>>& memory, ChannelClock::time_point deadline) {
    for (const auto& region : memory) {
        if (present_.contains(region->id())) continue;
        Message message{MessageType::attach, region->id(), MessageWriter().number<std::uint64_t>(region->bytes().size()).take()};
        message.attachment = region->file().duplicate();
        if (!channel_.send(message, deadline)) return false;
        present_.emplace(region->id(), region);
    }
    return true;
}

CallOutcome WorkerConnection::make(const WorkerCall& call) {
    const auto reading_deadline = ChannelClock::now() + patience_with_reading;
    const std::uint64_t id = ++last_call_;
    if (!attach(call.memory, reading_deadline) || !channel_.send({MessageType::call, id, call_payload(call)}, reading_deadline)) {
        return death("did not take a call", patience_with_ending);
    }
    const auto deadline = limits_.call.count() > 0 ? std::optional(ChannelClock::now() + limits_.call) : std::nullopt;
    auto answer = await(deadline);
    if (auto* const dead = std::get_if<WorkerDeath>(&answer)) return std::move(*dead);
    Message& message = std::get<Message>(answer);
    const bool is_answer = message.id == id && (message.type == MessageType::done || message.type == MessageType::failed);
    if (!is_answer) return death("sent a message that answers no call");
    if (message.type == MessageType::done) return std::move(message.payload);
    try {
        const Error error = read_error(message.payload);
        if (error.category() != ErrorCategory::device_fault) return error;
        WorkerDeath dead = death("met a device fault (" + text_of(error) + ")", patience_with_ending);
        dead.last_error = error;
        return dead;
    } catch (const Error& error) {
        return death("sent a message that cannot be trusted (" + error.message() + ")");
    }
}

CallOutcome WorkerConnection::make_setup(const WorkerSetup& setup) {
    std::optional<WorkerCall> call;
    try {
        call = setup.make_call();
    } catch (...) {  // of the program's callback: an error of the job, which costs no worker
        return error_of(std::current_exception(), "the callback that gives the bases");
    }
    return make(*call);
}

CallOutcome WorkerConnection::call(const WorkerJob& job) {
    for (const auto& setup : job.setups) {
        if (present_.contains(setup->id)) continue;
        CallOutcome outcome = make_setup(*setup);
        if (!std::holds_alternative<std::vector<std::byte>>(outcome)) return outcome;
        present_.emplace(setup->id, setup);
    }
    return make(job.call);
}

void WorkerConnection::forget_unused() {
    for (auto item = present_.begin(); item != present_.end();) {
        if (!item->second.expired()) {
            ++item;
            continue;
        }
        // A worker that is busy reading others gets it the next time.
        if (!channel_.send({MessageType::forget, item->first}, ChannelClock::now())) return;
        item = present_.erase(item);
    }
}

std::optional<WorkerDeath> WorkerConnection::wait_idle(int wake, ChannelClock::time_point deadline) {
    Message message;
    try {
        switch (channel_.receive(message, deadline, wake)) {
            case Channel::Outcome::closed: return death("", patience_with_ending);
            case Channel::Outcome::received: return death("sent a message that nobody asked for");
            case Channel::Outcome::timed_out:
            case Channel::Outcome::woken: break;
        }
    } catch (const Error& error) {
        return death("sent a message that cannot be trusted (" + error.message() + ")");
    }
    if (process_.has_ended()) return death("");
    return std::nullopt;
}

void WorkerConnection::stop() noexcept {
    try {
        (void)channel_.send({MessageType::stop, 0}, ChannelClock::now());
        channel_.close();
        (void)process_.reap(patience_with_ending);
    } catch (const std::exception&) {  // its destructor kills the process
    }
}

}  // namespace cupool::detail
