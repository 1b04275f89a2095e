// A seed determines the order of unordered operations and replays it.
#include <algorithm>
#include <set>
#include <sstream>

#include "machine.hpp"

using namespace cupool::test;

namespace {

// Doubles each of `count` words and adds its index.
const std::string mix_text = module_text(R"(
.visible .entry mix(.param .u64 words, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [words];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    mul.wide.u32 %rd2, %r5, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r6, [%rd3];
    mad.lo.u32 %r6, %r6, 2, %r5;
    st.global.u32 [%rd3], %r6;
done:
    ret;
}
)");

enum class Bug { none, no_wait };

struct Outcome {
    std::vector<std::uint32_t> words;
    float milliseconds = 0;
    DevicePointer address = 0;
    std::string log;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Three streams on two devices: the words travel from device 0 to device 1 and back, and each device adds to them. Work of the second
/// stream on device 0 is not ordered with that until it takes over the words.
class Program {
public:
    explicit Program(std::uint64_t seed) : machine_({{}, {}}) { machine_.simulator.set_seed(seed); }

    Outcome run(Bug bug = Bug::none) {
        open();
        const Library& cuda = machine_.cuda;
        enter(0);
        succeed(cuda.set_words_async(first_.words, 3, count, first_.stream));
        mix(first_);
        succeed(cuda.event_record(first_.event, first_.stream));
        succeed(cuda.set_words_async(third_.words, 5, count, third_.stream));
        mix(third_);
        enter(1);
        if (bug != Bug::no_wait) {
            succeed(cuda.stream_wait_event(second_.stream, first_.event, 0));
        }
        succeed(cuda.copy_device_to_device_async(second_.words, first_.words, bytes, second_.stream));
        mix(second_);
        succeed(cuda.event_record(second_.event, second_.stream));
        enter(0);
        succeed(cuda.stream_wait_event(third_.stream, second_.event, 0));
        mix(third_);
        succeed(cuda.copy_device_to_device_async(first_.words, second_.words, bytes, third_.stream));
        mix(first_, third_.stream);
        succeed(cuda.copy_device_to_host_async(out_, first_.words, bytes, third_.stream));
        succeed(cuda.event_record(third_.event, third_.stream));
        succeed(cuda.stream_synchronize(third_.stream));
        succeed(cuda.stream_synchronize(first_.stream));
        Outcome outcome;
        outcome.words.assign(out_, out_ + count);
        succeed(cuda.event_elapsed_time(&outcome.milliseconds, first_.event, third_.event));
        outcome.address = second_.words;
        close();
        outcome.log = machine_.simulator.replay_log();
        machine_.simulator.reset();
        return outcome;
    }

private:
    static constexpr std::uint32_t count = 40;
    static constexpr std::size_t bytes = count * sizeof(std::uint32_t);

    struct Lane {
        Stream stream{};
        Event event{};
        DevicePointer words = 0;
        Function mix{};
    };

    // No assertion on success: a thousand seeds would make a hundred thousand.
    static void succeed(Status result) {
        if (result != Status::success) {
            FAIL("answered " << static_cast<int>(result));
        }
    }

    void enter(int device) { succeed(machine_.cuda.context_set_current(contexts_[device])); }

    void open() {
        succeed(machine_.cuda.init(0));
        for (int device = 0; device < 2; ++device) {
            succeed(machine_.cuda.primary_context_retain(&contexts_[device], device));
            enter(device);
            succeed(machine_.cuda.module_load_data(&modules_[device], mix_text.c_str(), 0, nullptr, nullptr));
        }
        open(first_, 0);
        open(second_, 1);
        open(third_, 0);
        void* pinned = nullptr;
        succeed(machine_.cuda.host_allocate(&pinned, bytes, 1));
        out_ = static_cast<std::uint32_t*>(pinned);
    }

    void open(Lane& lane, int device) {
        enter(device);
        succeed(machine_.cuda.stream_create(&lane.stream, static_cast<unsigned>(StreamFlags::non_blocking), 0));
        succeed(machine_.cuda.event_create(&lane.event, 0));
        succeed(machine_.cuda.memory_allocate(&lane.words, bytes));
        succeed(machine_.cuda.module_get_function(&lane.mix, modules_[device], "mix"));
    }

    void mix(Lane& lane) { mix(lane, lane.stream); }
    void mix(Lane& lane, Stream stream) {
        std::uint32_t number = count;
        void* parameters[] = {&lane.words, &number};
        succeed(machine_.cuda.launch_kernel(lane.mix, 2, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr));
    }

    void close() {
        for (Lane* lane : {&first_, &second_, &third_}) {
            succeed(machine_.cuda.stream_synchronize(lane->stream));
            succeed(machine_.cuda.stream_destroy(lane->stream));
            succeed(machine_.cuda.event_destroy(lane->event));
            succeed(machine_.cuda.memory_free(lane->words));
        }
        succeed(machine_.cuda.host_free(out_));
        for (int device = 0; device < 2; ++device) {
            succeed(machine_.cuda.module_unload(modules_[device]));
            succeed(machine_.cuda.primary_context_release(device));
        }
    }

    Machine machine_;
    Context contexts_[2]{};
    Module modules_[2]{};
    Lane first_;
    Lane second_;
    Lane third_;
    std::uint32_t* out_ = nullptr;
};

std::vector<std::uint32_t> expected_words() {
    std::vector<std::uint32_t> words(40, 3);
    for (int round = 0; round < 3; ++round) {
        for (std::uint32_t i = 0; i < words.size(); ++i) {
            words[i] = words[i] * 2 + i;
        }
    }
    return words;
}

// The operations of a log in order, without times.
std::string order_of(const std::string& log) {
    std::istringstream lines(log);
    std::string order;
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" starts ") != std::string::npos) {
            order += line.substr(line.find(':')) + '\n';
        }
    }
    return order;
}

}  // namespace

TEST_CASE("a correctly ordered program gives one result under a thousand seeds, in many orders") {
    const std::vector<std::uint32_t> expected = expected_words();
    std::set<std::string> orders;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const Outcome outcome = Program(seed).run();
        if (outcome.words != expected) {
            FAIL_CHECK("wrong under seed " << seed);
        }
        orders.insert(order_of(outcome.log));
    }
    CHECK(orders.size() >= 5);
}

TEST_CASE("a seed replays: calls, operations and times") {
    std::set<std::string> logs;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        const Outcome first = Program(seed).run();
        const Outcome again = Program(seed).run();
        CHECK(first.log == again.log);
        CHECK(first.milliseconds == again.milliseconds);
        CHECK(first.address == again.address);
        CHECK(first.milliseconds > 0);
        logs.insert(first.log);
    }
    CHECK(logs.size() == 20);
    CHECK_THAT(*logs.begin(), contains_text("starts kernel mix"));
    CHECK_THAT(*logs.begin(), contains_text("cuLaunchKernel answers 0"));
}

TEST_CASE("a missing wait for an event is found by some seed, which replays it") {
    const std::vector<std::uint32_t> expected = expected_words();
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const Outcome outcome = Program(seed).run(Bug::no_wait);
        if (outcome.words != expected) {
            ++found;
            INFO("seed " << seed);
            CHECK(Program(seed).run(Bug::no_wait) == outcome);
        }
    }
    CHECK(found > 0);
    CHECK(found < 100);
}

TEST_CASE("without a seed there is no log") {
    Machine machine;
    machine.begin();
    CHECK(machine.simulator.replay_log().empty());
    CHECK_THROWS_AS(machine.simulator.set_seed(1), std::invalid_argument);
    machine.leave(0);
}

TEST_CASE("under a seed a fast device finishes first") {
    cupool::SimulatedDevice slow;
    slow.clock_khz = 10'000;
    slow.multiprocessor_count = 1;
    Machine machine({{}, slow});
    machine.simulator.set_seed(7);
    machine.begin();
    float milliseconds[2];
    for (int device = 0; device < 2; ++device) {
        machine.enter(device);
        const Function mix = machine.function(machine.module(mix_text), "mix");
        const Event start = machine.event();
        const Event end = machine.event();
        std::uint32_t count = 100'000;
        DevicePointer words = machine.memory(count * 4);
        void* parameters[] = {&words, &count};
        REQUIRE(machine.cuda.event_record(start, nullptr) == Status::success);
        REQUIRE(machine.cuda.launch_kernel(mix, 400, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr) == Status::success);
        REQUIRE(machine.cuda.event_record(end, nullptr) == Status::success);
        REQUIRE(machine.cuda.event_synchronize(end) == Status::success);
        REQUIRE(machine.cuda.event_elapsed_time(&milliseconds[device], start, end) == Status::success);
    }
    CHECK(milliseconds[1] > 20 * milliseconds[0]);
}

TEST_CASE("with a seed, waiting for a host function, or making one wait, does not hang") {
    Machine machine;
    machine.simulator.set_seed(3);
    machine.begin();
    const Stream stream = machine.stream();
    const Stream other = machine.stream();
    std::atomic<bool> ran{false};
    const auto set = [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; };
    REQUIRE(machine.cuda.stream_launch_host_function(stream, set, &ran) == Status::success);
    while (!ran) {
        std::this_thread::yield();
    }
    Gate gate(machine.cuda, stream);
    ran = false;
    REQUIRE(machine.cuda.stream_launch_host_function(other, set, &ran) == Status::success);
    REQUIRE(machine.cuda.stream_synchronize(other) == Status::success);
    CHECK(ran);
    CHECK(machine.cuda.stream_query(stream) == Status::not_ready);
    gate.open();
    CHECK(machine.cuda.stream_synchronize(stream) == Status::success);
}

TEST_CASE("a failure reports its seed") {
    Machine machine;
    machine.simulator.set_seed(42);
    machine.begin();
    const Function store = machine.function(machine.module(store_text), "store");
    DevicePointer nowhere = 16;
    std::uint32_t value = 1;
    void* parameters[] = {&nowhere, &value};
    REQUIRE(machine.cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) == Status::success);
    CHECK(machine.cuda.context_synchronize() == Status::illegal_address);
    CHECK_THAT(machine.simulator.device_fault_report(), contains_text(", seed 42"));
    CHECK_THROWS_WITH(machine.simulator.reset(), "left alive: 1 primary context retains, 1 modules; seed 42");
}
