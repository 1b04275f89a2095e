// What a plain loop of copies through the driver's own pointers reaches, to compare with `devquery bw`: page-locked memory to a device
// and back, and within a device. Each copy is timed by events; the median and the range are printed, and the data are compared.
//
//   cupool_raw_copies [BYTES [RUNS]]     default 268435456 and 10; needs a device

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cupool/driver/device_context.hpp>
#include <cupool/driver/driver.hpp>
#include <functional>
#include <string>
#include <vector>

#include "require.hpp"

namespace {

using namespace cupool;

void check(abi::Status status) { require(status == abi::Status::success, "a call of the driver failed"); }

/// Memory and events that are never given back: the program is about to end.
class RawCopies {
public:
    RawCopies(const EntryPoints& api, std::size_t bytes, int runs) : api_(api), bytes_(bytes), runs_(runs) {
        for (void** const memory : {&source_, &target_}) check(api_.host_allocate(memory, bytes_, 0));
        for (abi::DevicePointer* const memory : {&on_device_, &other_on_device_}) check(api_.memory_allocate(memory, bytes_));
        for (abi::Event* const event : {&begin_, &end_}) check(api_.event_create(event, 0));
        check(api_.stream_create(&stream_, 0, 0));
        auto* const words = static_cast<std::uint32_t*>(source_);
        for (std::size_t i = 0; i < bytes_ / sizeof(std::uint32_t); ++i) words[i] = static_cast<std::uint32_t>(i * 2654435761U);
    }

    void run() {
        measure("host to device", [this] { return api_.copy_host_to_device_async(on_device_, source_, bytes_, stream_); });
        measure("within a device", [this] { return api_.copy_device_to_device_async(other_on_device_, on_device_, bytes_, stream_); });
        measure("device to host", [this] { return api_.copy_device_to_host_async(target_, other_on_device_, bytes_, stream_); });
        const auto* const sent = static_cast<const std::byte*>(source_);
        require(std::equal(sent, sent + bytes_, static_cast<const std::byte*>(target_)), "the data that came back are others");
    }

private:
    void measure(const char* path, const std::function<abi::Status()>& copy) {
        check(copy());
        std::vector<double> rates;
        for (int i = 0; i < runs_; ++i) {
            check(api_.event_record(begin_, stream_));
            check(copy());
            check(api_.event_record(end_, stream_));
            check(api_.event_synchronize(end_));
            float milliseconds = 0;
            check(api_.event_elapsed_time(&milliseconds, begin_, end_));
            rates.push_back(static_cast<double>(bytes_) / milliseconds / 1e6);
        }
        std::sort(rates.begin(), rates.end());
        std::printf("%-16s %8.2f GB/s (%.2f to %.2f)\n", path, rates[rates.size() / 2], rates.front(), rates.back());
    }

    const EntryPoints& api_;
    std::size_t bytes_;
    int runs_;
    void* source_ = nullptr;
    void* target_ = nullptr;
    abi::DevicePointer on_device_ = 0;
    abi::DevicePointer other_on_device_ = 0;
    abi::Event begin_ = nullptr;
    abi::Event end_ = nullptr;
    abi::Stream stream_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const DeviceContext context = DeviceContext::default_for_device(0);
        const CurrentContext current(context.context());
        const std::size_t bytes = argc > 1 ? std::stoull(argv[1]) : std::size_t{256} << 20;
        RawCopies(context.context().driver().api(), bytes, argc > 2 ? std::stoi(argv[2]) : 10).run();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
