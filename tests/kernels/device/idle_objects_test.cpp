#include "support/idle_objects.hpp"

#include "catch.hpp"
#include "machine.hpp"
#include "transfer/readback_buffer.hpp"
#include "transfer/upload_stager.hpp"

using namespace cupool;
using namespace cupool::test;

TEMPLATE_TEST_CASE("what jobs use one at a time comes back to its context and is used again", "", detail::UploadStagers,
                   detail::ReadbackBuffers) {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    TestType kept(context.context());
    auto first = kept.take();
    const auto second = kept.take();
    CHECK(first != second);
    const auto* const address = first.get();
    first.reset();
    CHECK(kept.take().get() == address);
}
