#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/peer_access.hpp>
#include <numeric>
#include <vector>

#include "raw.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

bool are_linked() {
    return gpus()[0].device().can_access_peer(gpus()[1].device()) && gpus()[1].device().can_access_peer(gpus()[0].device());
}

DeviceContext plain_context(std::size_t gpu) { return DeviceContext::in(gpus()[gpu]).with_memory_pool({}); }

}  // namespace

#define CUPOOL_NEEDS_LINKED_GPUS() \
    CUPOOL_NEEDS_GPUS(2);          \
    if (!are_linked()) CUPOOL_SKIP("skipped: the devices have no path to each other")

TEST_CASE("access to a peer ends with its owner, and only with that", "[peers]") {
    CUPOOL_NEEDS_LINKED_GPUS();
    DeviceBuffer<std::uint32_t> there(16, plain_context(1));
    const DeviceSpan<std::uint32_t> from_here(there.span().pointer(), 16, gpus()[0].ordinal());
    const StreamView stream(gpus()[0]);
    CHECK(error_of([&] { fill(from_here, 1U, stream); }).code() == Answer::invalid_value);
    {
        const PeerAccess access(gpus()[0], gpus()[1]);
        CHECK(access.is_owner());
        const PeerAccess again(gpus()[0], gpus()[1]);
        CHECK_FALSE(again.is_owner());
        fill(from_here, 1U, stream);
    }
    CHECK(error_of([&] { fill(from_here, 1U, stream); }).code() == Answer::invalid_value);
}

TEST_CASE("peer access: misuse and its answers", "[peers][misuse]") {
    CUPOOL_NEEDS_LINKED_GPUS();
    const CurrentContext current(gpus()[0]);
    CHECK(raw().context_disable_peer_access(gpus()[1].handle()) == Answer::peer_access_not_enabled);
    CHECK(raw().context_enable_peer_access(gpus()[1].handle(), 1) == Answer::invalid_value);
    CHECK(raw().context_enable_peer_access(nullptr, 0) == Answer::invalid_context);
    CHECK(error_of([] { PeerAccess(gpus()[0], gpus()[0]); }).category() == ErrorCategory::unsupported);
}

TEST_CASE("a link tells what it can do", "[peers]") {
    CUPOOL_NEEDS_GPUS(2);
    const Device::PeerLink link = gpus()[0].device().peer_link(gpus()[1].device());
    CHECK(link.can_access == gpus()[0].device().can_access_peer(gpus()[1].device()));
    CHECK(link.performance_rank >= 0);
    CHECK(error_of([] { gpus()[0].device().peer_link(gpus()[0].device()); }).category() == ErrorCategory::invalid_device);
    int value = 0;
    const auto unknown = static_cast<abi::PeerAttribute>(99);
    CHECK(raw().device_get_peer_attribute(&value, unknown, 0, 1) == Answer::invalid_value);
    CHECK(raw().device_get_peer_attribute(nullptr, abi::PeerAttribute::access_supported, 0, 1) == Answer::invalid_value);
    CHECK(raw().device_get_peer_attribute(&value, abi::PeerAttribute::access_supported, 0, 1000) == Answer::invalid_device);
}

TEST_CASE("what is copied to another device arrives, with access and without", "[peers]") {
    CUPOOL_NEEDS_GPUS(2);
    std::vector<std::uint32_t> numbers(100'000);
    std::iota(numbers.begin(), numbers.end(), 1);
    const StreamView stream(gpus()[0]);
    const auto round_trip = [&](const DeviceContext& here, const DeviceContext& there) {
        DeviceBuffer<std::uint32_t> first(numbers.size(), here);
        DeviceBuffer<std::uint32_t> second(numbers.size(), there);
        there.stream().synchronize();
        std::vector<std::uint32_t> read(numbers.size());
        copy<std::uint32_t>(first.span(), numbers, stream);
        copy_peer<std::uint32_t>(second.span(), gpus()[1], first.span(), gpus()[0], stream);
        copy<std::uint32_t>(read, second.span(), there.stream());
        return read;
    };
    CHECK(round_trip(plain_context(0), plain_context(1)) == numbers);
    CHECK(round_trip(DeviceContext::in(gpus()[0]), DeviceContext::in(gpus()[1])) == numbers);
    if (!are_linked()) return;
    const PeerAccess access(gpus()[0], gpus()[1]);
    CHECK(round_trip(plain_context(0), plain_context(1)) == numbers);
}

TEST_CASE("peer copies: misuse and its answers", "[peers][misuse]") {
    CUPOOL_NEEDS_GPUS(2);
    DeviceBuffer<std::byte> here(256, plain_context(0));
    DeviceBuffer<std::byte> there(256, plain_context(1));
    const CurrentContext current(gpus()[0]);
    const abi::Context first = gpus()[0].handle();
    const abi::Context second = gpus()[1].handle();
    const abi::DevicePointer to = here.span().pointer();
    const abi::DevicePointer from = there.span().pointer();
    CHECK(raw().copy_peer(to, first, from, second, 256) == Answer::success);
    CHECK(raw().copy_peer(to, first, from, second, 0) == Answer::success);
    CHECK(raw().copy_peer(to, first, from + 252, second, 64 << 20) == Answer::invalid_value);
    CHECK(raw().copy_peer(0x1234, first, from, second, 16) == Answer::invalid_value);
    CHECK(raw().context_synchronize() == Answer::success);
    CHECK(error_of([&] { copy_peer<std::byte>(here.span(), gpus()[1], there.span(), gpus()[0], StreamView(gpus()[0])); }).category() ==
          ErrorCategory::wrong_context);
    CHECK(error_of([&] {
              copy_peer<std::byte>(here.span(), gpus()[0], there.span().subspan(0, 1), gpus()[1], StreamView(gpus()[0]));
          }).category() == ErrorCategory::invalid_argument);
}
