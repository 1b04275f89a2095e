#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/memory_pool.hpp>

#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

}  // namespace

TEST_CASE("a pool counts what it has given out and what it holds", "[pools]") {
    CUPOOL_NEEDS_GPUS(1);
    const MemoryPool pool(gpus()[0]);
    const MemoryPoolView view = pool;
    const DeviceContext context = DeviceContext::in(gpus()[0]).with_memory_pool(pool);
    CHECK(view.used() == 0);
    CHECK(view.release_threshold() == 0);
    view.set_release_threshold(64 * mib);
    CHECK(view.release_threshold() == 64 * mib);
    {
        const DeviceBuffer<std::byte> buffer(40 * mib, context);
        CHECK(view.used() == 40 * mib);
        CHECK(view.reserved() >= 40 * mib);
    }
    context.stream().synchronize();
    CHECK(view.used() == 0);
    CHECK(view.used_high() == 40 * mib);
    CHECK(view.reserved_high() >= 40 * mib);
    CHECK(view.reserved() >= 40 * mib);
    view.trim_to(0);
    CHECK(view.reserved() == 0);
    view.reset_high_marks();
    CHECK(view.used_high() == 0);
    CHECK(view.reserved_high() == 0);
}

TEST_CASE("a pool's reuse policy is what was set", "[pools]") {
    CUPOOL_NEEDS_GPUS(1);
    const MemoryPool pool(gpus()[0]);
    const ReusePolicy at_first = pool.view().reuse_policy();
    CHECK((at_first.follows_event_dependencies && at_first.is_opportunistic && at_first.inserts_internal_dependencies));
    pool.view().set_reuse_policy({.follows_event_dependencies = true, .is_opportunistic = false, .inserts_internal_dependencies = false});
    const ReusePolicy then = pool.view().reuse_policy();
    CHECK(then.follows_event_dependencies);
    CHECK_FALSE(then.is_opportunistic);
    CHECK_FALSE(then.inserts_internal_dependencies);
}

TEST_CASE("a pool with a maximum size holds no more", "[pools]") {
    CUPOOL_NEEDS_GPUS(1);
    if (gpus()[0].driver().version() < 12020) CUPOOL_SKIP("skipped: maximum sizes came with CUDA 12.2");
    const MemoryPool pool(gpus()[0], {.max_bytes = 64 * mib});
    const DeviceContext context = DeviceContext::in(gpus()[0]).with_memory_pool(pool);
    CHECK(DeviceBuffer<std::byte>::try_allocate(40 * mib, context).has_value());
    const auto too_much = DeviceBuffer<std::byte>::try_allocate(100 * mib, context);
    REQUIRE_FALSE(too_much.has_value());
    CHECK(too_much.error().category() == ErrorCategory::out_of_memory);
}

TEST_CASE("a pool's own device has access to it, another once allowed", "[pools]") {
    CUPOOL_NEEDS_GPUS(1);
    const MemoryPool pool(gpus()[0]);
    CHECK(pool.view().access(gpus()[0].ordinal()) == abi::MemoryAccess::read_write);
    if (gpus().size() < 2 || !gpus()[1].device().can_access_peer(gpus()[0].device())) return;
    const int other = gpus()[1].ordinal();
    CHECK(pool.view().access(other) == abi::MemoryAccess::none);
    pool.view().allow_access(other);
    pool.view().allow_access(other);
    CHECK(pool.view().access(other) == abi::MemoryAccess::read_write);
    pool.view().allow_access(other, abi::MemoryAccess::none);
    CHECK(pool.view().access(other) == abi::MemoryAccess::none);
}

TEST_CASE("pools: misuse and its answers", "[pools][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const CurrentContext current(gpus()[0]);
    const DeviceContext context = DeviceContext::in(gpus()[0]);
    const abi::MemoryPool by_itself = context.memory_pool().handle();
    CHECK(raw().memory_pool_destroy(by_itself) == Answer::invalid_value);
    auto access = abi::MemoryAccess::none;
    abi::MemoryLocation location{abi::MemoryLocationType::device, 1000};
    CHECK(raw().memory_pool_get_access(&access, by_itself, nullptr) == Answer::invalid_value);
    CHECK(raw().memory_pool_get_access(nullptr, by_itself, &location) == Answer::invalid_value);
    CHECK(error_of([&] { static_cast<void>(context.memory_pool().access(1000)); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { context.memory_pool().allow_access(1000); }).code().has_value());
    abi::MemoryPool dead{};
    {
        const MemoryPool pool(gpus()[0]);
        dead = pool.view().handle();
    }
    abi::DevicePointer pointer = 0;
    CHECK(raw().memory_pool_trim_to(dead, 0) == Answer::invalid_value);
    CHECK(raw().memory_allocate_from_pool_async(&pointer, 16, dead, nullptr) == Answer::invalid_value);
    CHECK(raw().memory_pool_destroy(dead) == Answer::invalid_value);
}

TEST_CASE("a pool that was not made for it is not exported", "[pools][misuse]") {
    CUPOOL_NEEDS_GPUS(1);
    const MemoryPool pool(gpus()[0]);
    const Error error = error_of([&] { pool.view().export_file_descriptor(); });
    CHECK((error.category() == ErrorCategory::invalid_argument || error.category() == ErrorCategory::unsupported));
}
