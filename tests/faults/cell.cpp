#include "cell.hpp"

#include <algorithm>
#include <cupool/driver/log.hpp>
#include <mutex>
#include <stdexcept>

#include "documented_answers.hpp"
#include "stage.hpp"

namespace cupool::test {

namespace {

const char* text_of(CupoolSimFaultDuration duration) {
    switch (duration) {
        case cupool_sim_once: return "once";
        case cupool_sim_always: return "always";
        case cupool_sim_sticky: return "sticky";
        case cupool_sim_lost: break;
    }
    return "lost";
}

/// Whether devices, or one of them, answer the same from then on.
bool kills(CupoolSimFaultDuration duration) { return duration == cupool_sim_sticky || duration == cupool_sim_lost; }

/// The entry points named in lines that are logged while it lives: failures that destructors met.
class LoggedFailures {
public:
    LoggedFailures() {
        set_log_level(LogLevel::debug);
        set_log_callback([this](LogLevel, std::string_view line) {
            const std::lock_guard lock(mutex_);
            lines_ += std::string(line) + '\n';
        });
    }
    ~LoggedFailures() {
        set_log_callback({});
        set_log_level(LogLevel::off);
    }
    LoggedFailures(const LoggedFailures&) = delete;
    LoggedFailures& operator=(const LoggedFailures&) = delete;

    bool name(const std::string& entry_point) {
        const std::lock_guard lock(mutex_);
        return lines_.find(entry_point) != std::string::npos;
    }

private:
    std::mutex mutex_;
    std::string lines_;
};

/// The judgement of one cell.
class Judge {
public:
    explicit Judge(const Cell& cell) : cell_(cell) {}

    /// Of the attempt that meets the fault.
    void first(const Outcome& outcome, bool met, bool logged) {
        judge(outcome, "");
        if (outcome.error() && !met) note("fails, though nothing was made to fail: " + outcome.words());
        if (outcome.is_right && met && !logged && !is_ordinary_answer(cell_.entry_point, cell_.answer)) {
            note("swallows the failure: it is neither thrown nor logged");
        }
    }

    /// Of a later attempt on devices that are lost.
    void on_lost_devices(const Outcome& outcome) { judge(outcome, "again on lost devices: "); }

    /// Of a later attempt, when all is well.
    void healed(const Outcome& outcome) {
        if (!outcome.is_right) note("does not recover: " + outcome.words());
    }

    void context_after(bool restored) {
        if (!restored && !is("cuCtxSetCurrent")) note("leaves another context current");
    }

    void left(const CupoolSimLiveCounts& counts) {
        CupoolSimLiveCounts leaked = counts;
        // Memory cannot be freed without its context, where the driver refuses to make that current.
        if (is("cuCtxSetCurrent") || is("cuCtxGetCurrent")) {
            leaked.device_allocations = leaked.host_allocations = leaked.address_reservations = 0;
        }
        if (Simulator::to_string(leaked) != "nothing") note("leaves alive: " + Simulator::to_string(leaked));
    }

    const std::string& problems() const { return problems_; }

private:
    bool is(const char* entry_point) const { return std::string(cell_.entry_point) == entry_point; }

    void judge(const Outcome& outcome, const std::string& when) {
        if (const std::optional<Error> error = outcome.error()) {
            judge(*error, when);
        } else if (!outcome.is_right) {
            note(when + outcome.words());
        }
    }

    void judge(const Error& error, const std::string& when) {
        const std::string text = error.what();
        const bool any_call = kills(cell_.duration);
        const std::string call = any_call && !error.call().empty() ? error.call() : cell_.entry_point;
        if (text.find(call) == std::string::npos) note(when + "does not name " + call + ": " + text);
        if (cell_.program->explains) return;
        const ErrorCategory category = expected_category(any_call ? call : cell_.entry_point, cell_.answer);
        if (error.category() != category) note(when + "expected " + std::string(to_string(category)) + ", got " + text);
        if (error.code() && static_cast<int>(*error.code()) != cell_.answer) note(when + "has another answer: " + text);
        if (!error.call().empty() && error.call() != call) note(when + "blames another call than " + call + ": " + text);
    }

    void note(const std::string& problem) { problems_ += problem + '\n'; }

    const Cell& cell_;
    std::string problems_;
};

/// Whether contexts can never be made current again: then nobody can await the work under way.
bool refuses_contexts(const Cell& cell) {
    const std::string call = cell.entry_point;
    return cell.duration == cupool_sim_always && (call == "cuCtxSetCurrent" || call == "cuCtxGetCurrent");
}

void attempt_again(const Cell& cell, Stage& stage, Judge& judge) {
    if (cell.program->crosses_devices && refuses_contexts(cell)) return;
    if (kills(cell.duration)) {
        judge.on_lost_devices(attempt(*cell.program, stage.world()));
        return;
    }
    // A Driver calls cuInit once and remembers what came of it, and a pool that has met a device fault refuses all further work.
    if (std::string(cell.entry_point) == "cuInit" || expected_category(cell.entry_point, cell.answer) == ErrorCategory::device_fault) {
        stage.renew_world();
    }
    judge.healed(attempt(*cell.program, stage.world()));
}

}  // namespace

std::string to_string(const Cell& cell) {
    return std::string(cell.program->name) + ": " + cell.entry_point + ", call " + std::to_string(cell.nth) + ", answers " +
           std::to_string(cell.answer) + ' ' + text_of(cell.duration);
}

std::vector<const char*> calls_of(const Program& program) {
    struct Calls {
        std::mutex mutex;
        std::vector<const char*> names;
    } calls;
    Stage stage;
    stage.simulator().set_trace(
        [](const CupoolSimCall* call, void* user) {
            Calls& made = *static_cast<Calls*>(user);
            const std::lock_guard lock(made.mutex);
            made.names.push_back(call->entry_point);
        },
        &calls);
    const Outcome outcome = attempt(program, stage.world());
    stage.simulator().set_trace(nullptr, nullptr);
    if (!outcome.is_right) {
        throw std::runtime_error(std::string(program.name) + " fails by itself: " + outcome.words());
    }
    const std::string left = Simulator::to_string(stage.end());
    if (left != "nothing") throw std::runtime_error(std::string(program.name) + " leaves alive: " + left);
    return calls.names;
}

std::string run(const Cell& cell) {
    Stage stage;
    Judge judge(cell);
    LoggedFailures logged;
    const std::uint64_t calls_before = stage.simulator().call_count(cell.entry_point);
    stage.simulator().plan_fault(cell.entry_point, cell.nth, cell.answer, cell.duration);
    const Outcome outcome = attempt(*cell.program, stage.world());
    const bool met = stage.simulator().call_count(cell.entry_point) - calls_before >= cell.nth;
    stage.simulator().clear_faults();
    judge.first(outcome, met, logged.name(cell.entry_point));
    judge.context_after(stage.caller().is_current());
    stage.caller().restore();
    attempt_again(cell, stage, judge);
    judge.left(stage.end());
    return judge.problems();
}

}  // namespace cupool::test
