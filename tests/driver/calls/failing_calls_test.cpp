// Every call of the driver is made to fail, once and for ever: each time there is a typed error or an answer, and nothing is left alive.

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <cupool/driver/probe.hpp>

#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// One of everything.
void use_everything(const std::shared_ptr<const Driver>& driver) {
    const Device device(driver, 0);
    device.name();
    device.uuid();
    device.pci_bus_id();
    device.total_memory();
    device.compute_capability();
    const DeviceContext first = DeviceContext::for_device(driver, 0);
    const DeviceContext second = DeviceContext::for_device(driver, 1);
    first.context().memory_info();
    first.context().enable_peer_access(second.context());
    const Context created(device);
    const Stream stream(first.context());
    const Stream other(first.context());
    const MemoryPool pool(first.context());
    pool.view().set_release_threshold(4096);
    pool.view().allow_access(1);
    const DeviceContext context = first.with_stream(stream).with_memory_pool(pool);
    DeviceBuffer<int> buffer(1000, context);
    DeviceBuffer<int> plain(1000, context.with_memory_pool({}));
    DeviceBuffer<int> far(1000, second);
    PinnedBuffer<int> pinned(1000, first.context());
    copy_async(buffer.span(), pinned.span(), stream);
    fill_bytes_async(buffer.span(), 1, stream);
    copy_async(plain.span(), buffer.span(), stream);
    copy_peer_async(far.span(), second.context(), plain.span(), first.context(), stream);
    pinned.record_use(stream);
    buffer.record_use(other);
    plain.record_use(other);
    EventOptions timing;
    timing.timing = true;
    Event start(first.context(), timing);
    Event end(first.context(), timing);
    start.record(stream);
    end.record(stream);
    other.wait(end);
    end.synchronize();
    end.query();
    elapsed_milliseconds(start, end);
    const Module module(first.context(), ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n");
    const Kernel<> kernel = module.kernel<>("nothing");
    kernel.attribute(abi::FunctionAttribute::register_count);
    kernel.launch({1, 1}, stream);
    stream.launch_host_function([] {});
    copy(pinned.span(), buffer.span(), stream);
    first.context().synchronize();
}

/// Clears what is left alive; \return how many objects that was.
std::uint64_t clear(Simulator& simulator) {
    const CupoolSimLiveCounts left = simulator.live_counts();
    try {
        simulator.reset();
    } catch (const std::logic_error&) {  // that something was left is for the caller to judge
    }
    return left.primary_context_retains + left.contexts + left.streams + left.events + left.memory_pools + left.modules + left.libraries +
           left.link_states + left.graphs + left.graph_execs + left.device_allocations + left.host_allocations;
}

/// A context that cupool knows nothing of, current on this thread.
class CallersContext {
public:
    explicit CallersContext(const Driver& driver) : api_(driver.api()) {
        REQUIRE(api_.init(0) == abi::Status::success);
        REQUIRE(api_.context_create(&context_, 0, 0) == abi::Status::success);
    }
    ~CallersContext() { api_.context_destroy(context_); }
    CallersContext(const CallersContext&) = delete;
    CallersContext& operator=(const CallersContext&) = delete;

    bool is_current() const {
        abi::Context current = nullptr;
        return api_.context_get_current(&current) == abi::Status::success && current == context_;
    }

private:
    const EntryPoints& api_;
    abi::Context context_ = nullptr;
};

}  // namespace

TEST_CASE("every call fails once, and the caller's context is current after that") {
    for (const EntryPointInfo& row : all_entry_points) {
        if (row.base == std::string("cuCtxSetCurrent")) continue;  // what would make it so is refused
        bool was_called = true;
        for (std::uint64_t nth = 1; was_called; ++nth) {
            Machine machine;
            {
                const CallersContext callers(*machine.driver);
                const std::uint64_t before = machine.simulator.call_count(row.base);
                machine.simulator.plan_fault(row.base, nth, 999);
                try {
                    use_everything(machine.driver);
                } catch (const Error&) {  // for others to judge
                }
                machine.simulator.clear_faults();
                INFO(row.base << ", call " << nth);
                was_called = machine.simulator.call_count(row.base) - before >= nth;
                CHECK(callers.is_current());
            }
            clear(machine.simulator);
        }
    }
}

TEST_CASE("every call fails once, and nothing leaks") {
    for (const EntryPointInfo& row : all_entry_points) {
        for (std::uint64_t nth = 1;; ++nth) {
            std::uint64_t calls = 0;
            {
                Machine machine;
                machine.simulator.plan_fault(row.base, nth, 999);
                INFO(row.base << ", call " << nth);
                try {
                    use_everything(machine.driver);
                } catch (const Error& error) {
                    CHECK(error.code() == abi::Status::unknown);
                }
                calls = machine.simulator.call_count(row.base);
                // Memory cannot be freed without its context: where the driver refuses to make that current, one allocation stays.
                const bool is_context_switch = row.base == std::string("cuCtxGetCurrent") || row.base == std::string("cuCtxSetCurrent");
                CHECK(clear(machine.simulator) <= (is_context_switch ? 1 : 0));
            }
            if (calls < nth) break;
        }
    }
}

TEST_CASE("every call fails for ever, and the probe still answers") {
    for (const EntryPointInfo& row : all_entry_points) {
        Machine machine;
        machine.simulator.plan_fault(row.base, 1, 719, cupool_sim_always);
        INFO(row.base);
        try {
            use_everything(machine.driver);
        } catch (const Error& error) {
            CHECK(error.category() != ErrorCategory::internal);
        }
        LoadOptions options;
        options.library_path = CUPOOL_SIMULATOR_LIBRARY;
        const ProbeReport report = probe(options);
        CHECK((report.reason == Reason::none || !report.explanation.empty()));
    }
}
