// The cost of calls through the driver layer beside the driver's raw pointers, in one run, in turn.
// Medians of the time to submit; the device finishes its work between samples, so that no queue fills.
//
// The results of launches and copies are checked; the other calls only have to succeed.
//
//   cupool_driver_calls [SAMPLES]     default 200; needs a device

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/driver/module.hpp>
#include <cupool/driver/pinned_buffer.hpp>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace cupool;

constexpr int calls_a_sample = 500;

constexpr unsigned stored_value = 7;

constexpr char kernel_text[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry store(.param .u64 to, .param .u32 value)
{
    .reg .b64 %to;
    .reg .b32 %value;
    ld.param.u64 %to, [to];
    ld.param.u32 %value, [value];
    st.global.u32 [%to], %value;
    ret;
}
)";

/// The objects that the calls use.
class Bench {
public:
    Bench(const ContextView& context, int samples)
        : samples_(samples),
          stream_(context),
          event_(context),
          module_(context, kernel_text),
          kernel_(module_.kernel<DeviceSpan<unsigned>, unsigned>("store")),
          place_(DeviceContext::in(context).with_stream(stream_)),
          buffer_(1024, place_),
          host_(1024, context),
          api_(context.driver().api()) {
        // Otherwise each free returns the memory to the system, which takes longer than everything else.
        if (place_.memory_pool()) place_.memory_pool().set_release_threshold(std::uint64_t{1} << 30);
        std::iota(host_.span().begin(), host_.span().end(), 1U);
    }

    void run() {
        measure(
            "launch",
            [this] {
                kernel_.launch({1, 1}, stream_, buffer_.span(), stored_value);
            },
            [this] {
                abi::DevicePointer pointer = buffer_.span().pointer();
                unsigned value = stored_value;
                void* parameters[] = {&pointer, &value, nullptr};
                require(api_.launch_kernel(kernel_.handle(), 1, 1, 1, 1, 1, 1, 0, stream_.handle(), parameters, nullptr));
            },
            [this] { return buffer_contents()[0] == stored_value; });
        measure(
            "copy", [this] { copy_async<unsigned>(buffer_.span(), host_.span(), stream_); },
            [this] {
                require(api_.copy_host_to_device_async(buffer_.span().pointer(), host_.span().data(), host_.span().size_bytes(),
                                                       stream_.handle()));
            },
            [this] { return std::equal(host_.span().begin(), host_.span().end(), buffer_contents().begin()); });
        measure(
            "record", [this] { event_.record(stream_); }, [this] { require(api_.event_record(event_.handle(), stream_.handle())); },
            has_no_result);
        if (!place_.memory_pool()) {
            std::printf("allocate and free  not measured: the device has no memory pools\n");
            return;
        }
        measure(
            "allocate and free", [this] { const DeviceBuffer<int> buffer(1024, place_); },
            [this] {
                abi::DevicePointer pointer = 0;
                require(api_.memory_allocate_from_pool_async(&pointer, 4096, place_.memory_pool().handle(), stream_.handle()));
                require(api_.memory_free_async(pointer, stream_.handle()));
            },
            has_no_result);
    }

private:
    static void require(abi::Status result) {
        if (result != abi::Status::success) throw std::runtime_error(describe(result));
    }

    static bool has_no_result() { return true; }

    std::vector<unsigned> buffer_contents() {
        std::vector<unsigned> values(buffer_.size());
        copy<unsigned>(values, buffer_.span(), stream_);
        return values;
    }

    /// Calls before the first sample. They are not counted, and their results are checked.
    template <class Work>
    void warm_up(const char* name, const Work& work, const std::function<bool()>& is_right) {
        fill(buffer_.span(), 0U, stream_);
        nanoseconds_of(work);
        if (!is_right()) throw std::runtime_error(std::string(name) + ": what the calls leave in the buffer is wrong");
    }

    template <class Work>
    double nanoseconds_of(const Work& work) const {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls_a_sample; ++i) work();
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        stream_.synchronize();
        return took.count() / calls_a_sample;
    }

    static double median(std::vector<double> values) {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    }

    /// Measures both in turn and alternates which comes first, so that drift affects both.
    template <class Ours, class Raw>
    void measure(const char* name, const Ours& ours, const Raw& raw, const std::function<bool()>& is_right) {
        std::vector<double> of_ours;
        std::vector<double> of_raw;
        warm_up(name, ours, is_right);
        warm_up(name, raw, is_right);
        for (int i = 0; i < samples_; ++i) {
            if (i % 2 == 0) of_ours.push_back(nanoseconds_of(ours));
            of_raw.push_back(nanoseconds_of(raw));
            if (i % 2 == 1) of_ours.push_back(nanoseconds_of(ours));
        }
        const double our_median = median(of_ours);
        const double raw_median = median(of_raw);
        std::printf("%-18s ours %8.1f ns   raw %8.1f ns   ours/raw %.4f\n", name, our_median, raw_median, our_median / raw_median);
    }

    int samples_;
    Stream stream_;
    Event event_;
    Module module_;
    Kernel<DeviceSpan<unsigned>, unsigned> kernel_;
    DeviceContext place_;
    DeviceBuffer<unsigned> buffer_;
    PinnedBuffer<unsigned> host_;
    const EntryPoints& api_;
};

}  // namespace

int main(int count, char** words) {
    try {
        const int samples = count > 1 ? std::atoi(words[1]) : 200;
        if (samples < 10) throw std::invalid_argument("fewer than 10 samples");
        const PrimaryContext context = PrimaryContext::retain(device(0));
        const CurrentContext current(context);  // for the raw calls
        Bench(context, samples).run();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
