// A transform whose devices are stand-ins: their slices lie apart on one device, which computes the shares one after the other.
#include "ntt/sliced_ntt.hpp"

#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>

#include "machine.hpp"
#include "transforms.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

/// An array in slices of equal size.
class Slices {
public:
    Slices(std::size_t size, std::size_t count, const DeviceContext& context) : context_(context) {
        for (std::size_t i = 0; i < count; ++i) buffers_.emplace_back(size / count, context);
    }

    void set(const std::vector<Scalar>& elements) {
        std::size_t done = 0;
        for (DeviceBuffer<Scalar>& buffer : buffers_) {
            copy<Scalar>(buffer.span(), std::span(elements).subspan(done, buffer.size()), context_.stream());
            done += buffer.size();
        }
    }
    std::vector<Scalar> get() {
        std::vector<Scalar> elements;
        for (DeviceBuffer<Scalar>& buffer : buffers_) {
            std::vector<Scalar> part(buffer.size());
            copy<Scalar>(std::span(part), buffer.span(), context_.stream());
            elements.insert(elements.end(), part.begin(), part.end());
        }
        return elements;
    }
    std::vector<DeviceSpan<Scalar>> spans() {
        std::vector<DeviceSpan<Scalar>> spans;
        for (DeviceBuffer<Scalar>& buffer : buffers_) spans.push_back(buffer.span());
        return spans;
    }
    std::vector<DeviceSpan<const Scalar>> read_spans() {
        const auto written = spans();
        return {written.begin(), written.end()};
    }

private:
    const DeviceContext& context_;
    std::vector<DeviceBuffer<Scalar>> buffers_;
};

/// In place: the first pass leaves the inputs behind before the last one writes there.
template <Curve C>
std::vector<Scalar> transformed(const std::vector<Scalar>& inputs, std::size_t devices, const NttDomain<C>& domain, NttDirection direction,
                                const NttConfig& config, unsigned max_pass_bits) {
    const DeviceContext& context = domain.context();
    const detail::SlicedNtt<C> sliced(inputs.size(), devices, direction, config, max_pass_bits);
    Slices elements(inputs.size(), devices, context);
    Slices between(inputs.size(), devices, context);
    elements.set(inputs);
    for (std::size_t pass = 0; pass < sliced.pass_count(); ++pass) {
        Slices& from = pass == 0 ? elements : between;
        Slices& to = pass + 1 == sliced.pass_count() ? elements : between;
        for (std::size_t number = 0; number < devices; ++number)
            sliced.enqueue(pass, domain, context, number, from.read_spans(), to.spans());
    }
    return elements.get();
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("two and three passes over slices give the host's bits in all orderings, with a coset", CUPOOL_EACH_FIELD) {
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> on_host(1 << 10, DeviceContext::host());
    const NttDomain<C> on_device(1 << 10, context);
    for (const auto& [log_size, max_pass_bits] : {std::pair(8u, 4u), std::pair(9u, 3u), std::pair(10u, 4u)}) {
        const auto inputs = any_scalars(std::size_t{1} << log_size, log_size);
        for (const auto ordering : all_orderings) {
            for (const auto direction : {NttDirection::forward, NttDirection::inverse}) {
                NttConfig config{.coset_gen = Scalar{{5}}, .ordering = ordering};
                const auto expected = run<C>(inputs, direction, on_host.state(), config, {.max_pass_bits = max_pass_bits});
                for (const std::size_t devices : {2, 4, 8})
                    CHECK(are_equal(transformed<C>(inputs, devices, on_device, direction, config, max_pass_bits), expected));
            }
        }
    }
}

TEST_CASE("2^11 elements over 2 to 32 slices give the host's bits", "[kernels]") {
    constexpr Curve C = Curve::bn254;
    const Machine machine;
    const DeviceContext context = DeviceContext::for_device(machine.driver, 0);
    const NttDomain<C> on_device(1 << 12, context);
    const auto inputs = any_scalars(1 << 11);
    const auto expected = run<C>(inputs, NttDirection::forward, NttDomain<C>(1 << 12, DeviceContext::host()), {});
    for (const std::size_t devices : {2, 4, 8, 16, 32}) {
        CHECK(detail::is_sliceable_ntt(1 << 11, devices));
        CHECK(are_equal(transformed<C>(inputs, devices, on_device, NttDirection::forward, {}, 10), expected));
    }
}

TEST_CASE("a transform is sliced over powers of two of devices, from 2^11 elements on", "[kernels]") {
    CHECK_FALSE(detail::is_sliceable_ntt(1 << 10, 2));
    CHECK_FALSE(detail::is_sliceable_ntt(1 << 11, 0));
    CHECK_FALSE(detail::is_sliceable_ntt(1 << 11, 1));
    CHECK_FALSE(detail::is_sliceable_ntt(1 << 11, 3));
    CHECK_FALSE(detail::is_sliceable_ntt(1 << 20, 64));
}
