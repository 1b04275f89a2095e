// A plugin that embeds cupool: loaded and unloaded by a program that knows nothing of it.

#include <cupool/driver/current_device.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/probe.hpp>

extern "C" __attribute__((visibility("default"))) int cupool_test_plugin_work() {
    try {
        const cupool::DeviceContext context = cupool::DeviceContext::default_for_device(0);
        const cupool::DeviceBuffer<int> buffer(1000, context);
        cupool::set_device(0);
        return cupool::probe().usable_device_count() > 0 ? 0 : 1;
    } catch (...) {
        return 2;
    }
}
