// What was moved from says so, on the line that uses it, instead of crashing.
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/graph.hpp>
#include <cupool/driver/ipc.hpp>
#include <cupool/driver/library.hpp>
#include <cupool/driver/linker.hpp>
#include <cupool/driver/log.hpp>
#include <cupool/driver/memory_pool.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/peer_access.hpp>
#include <cupool/driver/stream_capture.hpp>
#include <cupool/driver/virtual_memory.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr const char* ptx = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n";

/// Holds a use of what was moved from against the line on which it stands.
#define CHECK_IS_REFUSED(statement)                                          \
    do {                                                                     \
        CAPTURE(#statement);                                                 \
        const Error error = error_of([&] { statement; });                    \
        CAPTURE(error.what());                                               \
        CHECK(error.category() == ErrorCategory::wrong_context);             \
        CHECK_THAT(error.location().file, contains_text("moved_from_test")); \
        CHECK(error.location().line == __LINE__);                            \
    } while (false)

}  // namespace

// NOLINTBEGIN(bugprone-use-after-move): that is what it is about
TEST_CASE("a stream, an event or a context that was moved from is refused") {
    const Machine machine;
    PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    Stream stream(context);
    Event event(context);
    {
        const Stream moved_stream = std::move(stream);
        const Event moved_event = std::move(event);
        CHECK_IS_REFUSED(stream.synchronize());
        CHECK_IS_REFUSED((void)stream.query());
        CHECK_IS_REFUSED(stream.wait(moved_event));
        CHECK_IS_REFUSED(stream.launch_host_function([] {}));
        CHECK_IS_REFUSED((void)stream.view().priority());
        CHECK_IS_REFUSED(StreamCapture(stream, abi::CaptureMode::this_thread));
        CHECK_IS_REFUSED(event.synchronize());
        CHECK_IS_REFUSED((void)event.query());
        CHECK_IS_REFUSED(event.record(moved_stream));
        CHECK(stream.handle() == nullptr);
        CHECK(stream.ordinal() == -1);
        CHECK(to_string(stream.view()) == "no stream");
    }
    const PrimaryContext moved = std::move(context);
    CHECK_IS_REFUSED(Stream{context});
    CHECK_IS_REFUSED(Event{context});
    CHECK_IS_REFUSED((Module{context, ptx}));
    CHECK_IS_REFUSED(Graph{context});
    CHECK_IS_REFUSED(Linker{context});
    CHECK_IS_REFUSED(MemoryPool{context});
    CHECK_IS_REFUSED((void)DeviceContext::in(context));
    CHECK_IS_REFUSED((void)MemoryPoolView::default_of(context));
    CHECK_IS_REFUSED((void)allocation_granularity(context));
    CHECK_IS_REFUSED((void)context.view().memory_info());
    CHECK_IS_REFUSED((void)context.view().id());
    CHECK_IS_REFUSED((void)context.view().api_version());
    CHECK_IS_REFUSED(moved.view().enable_peer_access(context));
    CHECK_IS_REFUSED((PeerAccess{context, moved}));
}

TEST_CASE("code and graphs that were moved from are refused") {
    const Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    const Stream stream(context);
    Module module(context, ptx);
    Library library(machine.driver, ptx);
    Linker linker(context);
    Graph graph(context);
    const GraphNode node = graph.add_empty();
    GraphExec exec = graph.instantiate();

    const Module moved_module = std::move(module);
    CHECK_IS_REFUSED((void)module.untyped_kernel("nothing"));
    CHECK_IS_REFUSED((void)module.global("nothing"));
    CHECK_IS_REFUSED((void)module.kernel_names());
    const Library moved_library = std::move(library);
    CHECK_IS_REFUSED((void)library.untyped_kernel("nothing", context));
    CHECK_IS_REFUSED((void)library.global("nothing", context));
    CHECK_IS_REFUSED((void)library.kernel_names());
    const Linker moved_linker = std::move(linker);
    CHECK_IS_REFUSED(linker.add(ptx));
    CHECK_IS_REFUSED((void)linker.complete());
    CHECK_IS_REFUSED((void)linker.info_log());
    const GraphExec moved_exec = std::move(exec);
    CHECK_IS_REFUSED(exec.launch(stream));
    CHECK_IS_REFUSED(exec.upload(stream));
    CHECK_IS_REFUSED((void)exec.try_update(graph));
    Graph moved_graph = std::move(graph);
    CHECK_IS_REFUSED((void)graph.add_empty());
    CHECK_IS_REFUSED((void)graph.add_host_function([] {}));
    CHECK_IS_REFUSED((void)moved_graph.add_child(graph));
    CHECK_IS_REFUSED((void)graph.nodes());
    CHECK_IS_REFUSED((void)graph.type_of(node));
    CHECK_IS_REFUSED((void)graph.dependencies_of(node));
    CHECK_IS_REFUSED((void)graph.instantiate());
}

TEST_CASE("memory that was moved from is refused") {
    const Machine machine;
    const PrimaryContext context = PrimaryContext::retain(Device(machine.driver, 0));
    MemoryPool pool(context);
    const std::size_t bytes = allocation_granularity(context);
    AddressRange range(context, bytes);
    PhysicalMemory memory(context, bytes);
    MemoryMapping mapping(range, 0, memory);

    const MemoryPool moved_pool = std::move(pool);
    CHECK_IS_REFUSED((void)pool.view().used());
    CHECK_IS_REFUSED(pool.view().trim_to(0));
    const MemoryMapping moved_mapping = std::move(mapping);
    CHECK_IS_REFUSED(mapping.allow_access(0));
    CHECK_IS_REFUSED((void)mapping.access(0));
    const AddressRange moved_range = std::move(range);
    CHECK_IS_REFUSED((void)range.pointer());
    CHECK_IS_REFUSED((void)range.size_bytes());
    CHECK_IS_REFUSED((MemoryMapping{range, 0, memory}));
    const PhysicalMemory moved_memory = std::move(memory);
    CHECK_IS_REFUSED((void)memory.device());
    CHECK_IS_REFUSED((void)memory.export_file_descriptor());
    CHECK_IS_REFUSED((MemoryMapping{moved_range, 0, memory}));
}
// NOLINTEND(bugprone-use-after-move)

TEST_CASE("a level that there is not is refused") {
    const Error error = error_of([] { set_log_level(static_cast<LogLevel>(77)); });
    CHECK(error.category() == ErrorCategory::invalid_argument);
    CHECK_THAT(error.message(), contains_text("77"));
}
