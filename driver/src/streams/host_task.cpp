#include "streams/host_task.hpp"

#include <cupool/driver/log.hpp>
#include <string>

namespace cupool::detail {

namespace {

// CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, which is mandatory, and CU_GRAPH_USER_OBJECT_MOVE.
constexpr unsigned no_destructor_sync = 1;
constexpr unsigned move_reference = 1;

void log_task_failure(const char* what) noexcept {
    try {
        log(LogLevel::error, std::string("a function that a stream ran threw: ") + what);
    } catch (...) {  // composing the line may run out of memory, and that must not reach the thread of the driver
        log(LogLevel::error, what);
    }
}

void destroy_host_task(void* task) { delete static_cast<HostTask*>(task); }

}  // namespace

void run_host_task(HostTask& task) noexcept {
    try {
        task();
    } catch (const std::exception& error) {
        log_task_failure(error.what());
    } catch (...) {
        log(LogLevel::error, "a function that a stream ran threw something that is no std::exception");
    }
}

void run_kept_host_task(void* task) { run_host_task(*static_cast<HostTask*>(task)); }

void* give_to_graph(ContextView context, abi::Graph graph, HostTask task, const SourceLocation& where) {
    require_context(context, where);
    const Driver& driver = context.driver();
    auto owned = std::make_unique<HostTask>(std::move(task));
    abi::UserObject object = nullptr;
    const abi::HostFunction destroy = destroy_host_task;
    call<&EntryPoints::user_object_create>(driver, context.ordinal(), where, &object, static_cast<void*>(owned.get()), destroy, 1U,
                                           no_destructor_sync);
    void* const given = owned.release();
    try {
        call<&EntryPoints::graph_retain_user_object>(driver, context.ordinal(), where, graph, object, 1U, move_reference);
    } catch (...) {
        call_from_destructor<&EntryPoints::user_object_release>(driver, context.ordinal(), object, 1U);
        throw;
    }
    return given;
}

}  // namespace cupool::detail
