// Graphs: built, made executable, launched, updated.
#include <cupool/driver/graph.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>

#include "kernels.hpp"
#include "sanitizers.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

GraphExec adding(Bench& bench, int value) {
    Graph graph(bench.context);
    graph.add_kernel(bench.add, Bench::shape, {}, bench.values.span(), value, Bench::count);
    return graph.instantiate();
}

}  // namespace

TEST_CASE("a graph runs each time it is launched, in its order", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    PinnedBuffer<int> pinned(Bench::count, bench.context);
    std::iota(pinned.span().begin(), pinned.span().end(), 0);
    std::vector<int> back(Bench::count);

    Graph graph(bench.context);
    const GraphNode filled = graph.add_fill(bench.values.span(), 7);
    const GraphNode copied = graph.add_copy(bench.values.span(), std::span<const int>(pinned.span()), {filled});
    const GraphNode added = graph.add_kernel(bench.add, Bench::shape, {copied}, bench.values.span(), 100, Bench::count);
    graph.add_copy(std::span<int>(back), bench.values.span(), {added});
    const GraphExec exec = graph.instantiate();

    for (const int first : {0, 1000}) {
        std::iota(pinned.span().begin(), pinned.span().end(), first);
        exec.launch(bench.stream);
        bench.stream.synchronize();
        CHECK(back.front() == first + 100);
        CHECK(back.back() == first + 100 + static_cast<int>(Bench::count) - 1);
    }
}

TEST_CASE("a graph tells its nodes, their types and what they come after", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    Graph graph(bench.context);
    CHECK(graph.nodes().empty());
    Graph child(bench.context);
    child.add_empty();
    Event event(bench.context);
    const GraphNode empty = graph.add_empty();
    const GraphNode kernel = graph.add_kernel(bench.add, Bench::shape, {empty}, bench.values.span(), 1, Bench::count);
    const GraphNode fill = graph.add_fill(bench.values.span(), 1, {empty, kernel});
    const GraphNode copy = graph.add_copy(bench.values.span().subspan(0, 10), bench.values.span().subspan(10, 10), {fill});
    const GraphNode function = graph.add_host_function([] {}, {copy});
    const GraphNode nested = graph.add_child(child, {function});
    const GraphNode record = graph.add_event_record(event, {nested});
    const GraphNode wait = graph.add_event_wait(event, {record});
    CHECK(graph.nodes().size() == 8);
    CHECK(graph.type_of(empty) == abi::GraphNodeType::empty);
    CHECK(graph.type_of(kernel) == abi::GraphNodeType::kernel);
    CHECK(graph.type_of(fill) == abi::GraphNodeType::set);
    CHECK(graph.type_of(copy) == abi::GraphNodeType::copy);
    CHECK(graph.type_of(function) == abi::GraphNodeType::host_function);
    CHECK(graph.type_of(nested) == abi::GraphNodeType::child_graph);
    CHECK(graph.type_of(record) == abi::GraphNodeType::event_record);
    CHECK(graph.type_of(wait) == abi::GraphNodeType::event_wait);
    CHECK(graph.dependencies_of(empty).empty());
    CHECK(graph.dependencies_of(fill).size() == 2);
    CHECK(graph.dependencies_of(wait) == std::vector<GraphNode>{record});
}

TEST_CASE("what is not fit to be a node is refused", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    Graph graph(bench.context);
    Graph other(bench.context);
    const GraphNode foreign = other.add_empty();
    const GraphNode own = graph.add_empty();
    CHECK(error_of([&] { graph.add_empty({foreign}); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] { graph.add_empty({own, own}); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] { graph.add_copy(bench.values.span(), bench.values.span().subspan(1, 3)); }).category() ==
          ErrorCategory::invalid_argument);
    CHECK(error_of([&] { graph.add_fill(bench.values.span().subspan(0, 0), 1); }).code() == abi::Status::invalid_value);
    CHECK(error_of([&] {
              graph.add_kernel(bench.add, {1, 2048}, {}, bench.values.span(), 1, Bench::count);
          }).code() == abi::Status::invalid_value);
    CHECK(graph.nodes().size() == 1);
    const CurrentContext current(bench.context);
    const EntryPoints& api = bench.context.driver().api();
    abi::GraphExec exec = nullptr;
    CHECK(api.graph_instantiate(&exec, nullptr, nullptr, nullptr, 0) == abi::Status::invalid_value);
    CHECK(api.graph_launch(nullptr, bench.stream.handle()) == abi::Status::invalid_value);
    CHECK(api.graph_destroy(nullptr) == abi::Status::invalid_value);
    CHECK(api.graph_exec_destroy(nullptr) == abi::Status::invalid_value);
}

TEST_CASE("launches of one executable graph come one after another, also on different streams", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const GraphExec exec = adding(bench, 1);
    const Stream other(bench.context);
    for (int i = 0; i < 10; ++i) {
        exec.launch(bench.stream);
        exec.launch(other);
    }
    other.synchronize();
    bench.stream.synchronize();
    CHECK(bench.result() == Bench::all(20));
}

TEST_CASE("a graph takes its turn in the stream", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const GraphExec exec = adding(bench, 1);
    exec.upload(bench.stream);
    std::vector<int> before(Bench::count, -1);
    {
        Gate gate(bench.stream);
        exec.launch(bench.stream);
        CHECK_FALSE(bench.stream.query());
    }
    bench.add.launch(Bench::shape, bench.stream, bench.values.span(), 10, Bench::count);
    CHECK(bench.result() == Bench::all(11));
}

TEST_CASE("a graph that is destroyed while it runs is finished", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const auto token = std::make_shared<std::atomic<int>>(0);
    {
        Gate gate(bench.stream);
        Graph graph(bench.context);
        const GraphNode added = graph.add_kernel(bench.add, Bench::shape, {}, bench.values.span(), 3, Bench::count);
        graph.add_host_function([token] { ++*token; }, {added});
        const GraphExec exec = graph.instantiate();
        exec.launch(bench.stream);
        exec.launch(bench.stream);
    }
    bench.stream.synchronize();
    CHECK(bench.result() == Bench::all(6));
    CHECK(*token == 2);
}

TEST_CASE("a host function lives as long as what may call it", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    const Stream stream(gpus()[0]);
    const auto token = std::make_shared<std::atomic<int>>(0);
    {
        std::optional<Graph> graph(std::in_place, gpus()[0]);
        graph->add_host_function([token] { ++*token; });
        const GraphExec exec = graph->instantiate();
        graph.reset();
        CHECK(token.use_count() == 2);
        exec.launch(stream);
        stream.synchronize();
    }
    CHECK(*token == 1);
    // The driver drops it soon after the last of them, on a thread of its own.
    for (int i = 0; i < 10'000 && token.use_count() > 1; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(token.use_count() == 1);
}

TEST_CASE("a child graph is taken as it is when it is added", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    Graph child(bench.context);
    child.add_kernel(bench.add, Bench::shape, {}, bench.values.span(), 1, Bench::count);
    Graph parent(bench.context);
    const GraphNode filled = parent.add_fill(bench.values.span(), 50);
    const GraphNode first = parent.add_child(child, {filled});
    parent.add_child(child, {first});
    child.add_fill(bench.values.span(), 0);
    parent.instantiate().launch(bench.stream);
    CHECK(bench.result() == Bench::all(52));
}

TEST_CASE("an update changes parameters, and says why where it cannot", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    Graph first(bench.context);
    const GraphNode node = first.add_kernel(bench.add, Bench::shape, {}, bench.values.span(), 1, Bench::count);
    GraphExec exec = first.instantiate();

    Graph other_value(bench.context);
    other_value.add_kernel(bench.add, Bench::shape, {}, bench.values.span(), 20, Bench::count);
    CHECK(exec.try_update(other_value));
    exec.launch(bench.stream);
    CHECK(bench.result() == Bench::all(20));

    Graph two(bench.context);
    two.add_kernel(bench.add, Bench::shape, {}, bench.values.span(), 1, Bench::count);
    two.add_kernel(bench.add, Bench::shape, two.nodes(), bench.values.span(), 1, Bench::count);
    const GraphUpdate refused = exec.try_update(two);
    CHECK_FALSE(refused);
    CHECK(refused.result == abi::GraphUpdateResult::not_supported);

    Graph fill(bench.context);
    fill.add_fill(bench.values.span(), 1);
    CHECK(exec.try_update(fill).result == abi::GraphUpdateResult::node_type_changed);

    Graph with_empty(bench.context);
    with_empty.add_empty();
    with_empty.add_kernel(bench.add, Bench::shape, {}, bench.values.span(), 1, Bench::count);
    CHECK(exec.try_update(with_empty).result == abi::GraphUpdateResult::not_supported);

    exec.launch(bench.stream);
    CHECK(bench.result() == Bench::all(40));

    exec.set_kernel(node, bench.add, Bench::shape, bench.values.span(), 2, Bench::count);
    exec.launch(bench.stream);
    CHECK(bench.result() == Bench::all(42));
    CHECK(error_of([&] { exec.set_kernel(two.nodes().front(), bench.add, Bench::shape, bench.values.span(), 2, Bench::count); }).code() ==
          abi::Status::invalid_value);
}

TEST_CASE("graphs and streams wait for each other's events", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    const Stream other(bench.context);
    Event begun(bench.context);
    Event ended(bench.context);
    Graph graph(bench.context);
    const GraphNode waited = graph.add_event_wait(begun);
    const GraphNode added = graph.add_kernel(bench.add, Bench::shape, {waited}, bench.values.span(), 1, Bench::count);
    graph.add_event_record(ended, {added});
    const GraphExec exec = graph.instantiate();
    std::vector<int> seen(Bench::count);
    {
        Gate gate(other);
        begun.record(other);
        exec.launch(bench.stream);
        CHECK_FALSE(ended.query());
    }
    other.wait(ended);
    copy(std::span<int>(seen), bench.values.span(), other);
    CHECK(seen == Bench::all(1));
}

TEST_CASE("a graph refuses spans of another device, and says where", "[graphs][misuse]") {
    CUPOOL_NEEDS_GPUS(2);
    Bench bench(gpus()[0]);
    Bench other(gpus()[1]);
    Graph graph(bench.context);
    const auto check = [&](const Error& error, int line) {
        CHECK(error.category() == ErrorCategory::wrong_context);
        CHECK(error.message().find("device " + std::to_string(bench.context.ordinal())) != std::string::npos);
        CHECK(error.message().find("device " + std::to_string(other.context.ordinal())) != std::string::npos);
        CHECK(std::string_view(error.location().file).find("graphs_test") != std::string_view::npos);
        CHECK(error.location().line == line);
    };
    std::vector<int> host(Bench::count);
    check(error_of([&] { graph.add_fill(other.values.span(), 1); }), __LINE__);
    check(error_of([&] { graph.add_copy(std::span<int>(host), other.values.span()); }), __LINE__);
    check(error_of([&] { graph.add_copy(other.values.span(), std::span<const int>(host)); }), __LINE__);
    check(error_of([&] { graph.add_copy(bench.values.span(), other.values.span()); }), __LINE__);
    check(error_of([&] { graph.add_kernel(bench.add, Bench::shape, {}, other.values.span(), 1, Bench::count); }), __LINE__);
    GraphExec exec = adding(bench, 1);
    check(error_of([&] { exec.set_kernel(nullptr, bench.add, Bench::shape, other.values.span(), 1, Bench::count); }), __LINE__);
    CHECK(graph.nodes().empty());
}

TEST_CASE("a node that the driver refuses is told with its place in the program", "[graphs][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    Bench bench(gpus()[0]);
    Graph graph(bench.context);
    const Error error = error_of([&] { graph.add_kernel(bench.add, {1, 2048}, {}, bench.values.span(), 1, Bench::count); });
    CHECK(std::string_view(error.location().file).find("graphs_test") != std::string_view::npos);
    CHECK(error.location().line > 0);
}

TEST_CASE("a graph's copy of more than 2 GiB is of rows, and of the rest behind them", "[graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    if (is_sanitized) CUPOOL_SKIP("skipped: twice 2 GiB, of which a sanitizer keeps several times as much");
    const ContextView gpu = gpus()[0];
    constexpr std::size_t count = (std::size_t{1} << 31) + 3;
    DeviceBuffer<std::uint8_t> from(count, DeviceContext::in(gpu).with_memory_pool({}));
    DeviceBuffer<std::uint8_t> to(count, DeviceContext::in(gpu).with_memory_pool({}));
    Graph graph(gpu);
    const GraphNode empty = graph.add_empty();
    const GraphNode rest = graph.add_copy(to.span(), from.span(), {empty});
    REQUIRE(graph.nodes().size() == 3);
    REQUIRE(graph.dependencies_of(rest).size() == 1);
    CHECK(graph.dependencies_of(graph.dependencies_of(rest)[0]) == std::vector<GraphNode>{empty});
    Graph even(gpu);
    even.add_copy(to.span().subspan(0, count - 3), from.span().subspan(0, count - 3));
    CHECK(even.nodes().size() == 1);
    CHECK_NOTHROW(graph.instantiate());
}

// Takes 8 GiB of the device, so only those who ask for it run it: [large].
TEST_CASE("a graph copies and fills more than 2 GiB", "[.][large][graphs]") {
    CUPOOL_NEEDS_GPUS(1);
    if (is_sanitized) CUPOOL_SKIP("skipped: 8 GiB, of which a sanitizer keeps several times as much");
    const ContextView gpu = gpus()[0];
    const DeviceContext place = DeviceContext::in(gpu).with_memory_pool({});
    constexpr std::size_t count = (std::size_t{1} << 32) - 5;
    DeviceBuffer<std::uint8_t> from(count, place);
    DeviceBuffer<std::uint8_t> to(count, place);
    Graph graph(gpu);
    const GraphNode filled = graph.add_fill(from.span(), std::uint8_t{7});
    const GraphNode copied = graph.add_copy(to.span(), from.span(), {filled});
    const GraphNode marked = graph.add_fill(from.span(), std::uint8_t{1}, {copied});
    CHECK(graph.dependencies_of(marked) == std::vector<GraphNode>{copied});
    CHECK(graph.nodes().size() == 4);
    const Stream stream(gpu);
    graph.instantiate().launch(stream);
    stream.synchronize();
    for (const std::size_t place_of : {std::size_t{0}, std::size_t{1} << 30, (std::size_t{1} << 31) + 1, std::size_t{3} << 30, count - 1}) {
        std::vector<std::uint8_t> read(1);
        copy<std::uint8_t>(read, to.span().subspan(place_of, 1), stream);
        CHECK(read[0] == 7);
        copy<std::uint8_t>(read, from.span().subspan(place_of, 1), stream);
        CHECK(read[0] == 1);
    }
}
