#include <algorithm>
#include <cstring>
#include <utility>

#include "api/handle_call.hpp"
#include "api/state.hpp"
#include "device/device_speed.hpp"
#include "memory/memory.hpp"

/// \file
/// Managed memory: one address for the host and all devices. Pages do not migrate; the program's advice and prefetches can be queried.
/// Concurrent accesses by host and kernels are not reported, as on devices with concurrent managed access.

namespace cupool::simulator {
namespace {

using abi::MemoryAdvice;
using abi::Status;

constexpr std::size_t page_bytes = 4096;

/// The pages of managed memory that a range overlaps.
class Pages {
public:
    Pages(abi::DevicePointer start, std::size_t bytes) {
        require(bytes > 0, Status::invalid_value);
        region_ = region_of(start, bytes);
        require(region_.allocation->kind == Allocation::Kind::managed, Status::invalid_value);
    }

    template <class Change>
    void for_each(Change change) {
        auto& pages = region_.allocation->pages;
        std::for_each(pages.begin() + first(), pages.begin() + last() + 1, change);
    }

    /// The value that all pages share, or `otherwise`.
    template <class Value>
    Value common(Value ManagedPage::*member, Value otherwise) const {
        const auto& pages = region_.allocation->pages;
        const Value value = pages[static_cast<std::size_t>(first())].*member;
        const bool same = std::all_of(pages.begin() + first(), pages.begin() + last() + 1,
                                      [&](const ManagedPage& page) { return page.*member == value; });
        return same ? value : otherwise;
    }

private:
    std::ptrdiff_t first() const { return static_cast<std::ptrdiff_t>(region_.offset / page_bytes); }
    std::ptrdiff_t last() const { return static_cast<std::ptrdiff_t>((region_.offset + region_.bytes - 1) / page_bytes); }

    Region region_;
};

void require_location(State& state, abi::Device device) {
    if (device != abi::host_device) {
        device_at(state, device);
    }
}

void advise(ManagedPage& page, MemoryAdvice advice, abi::Device device) {
    switch (advice) {
        case MemoryAdvice::set_read_mostly: page.is_read_mostly = true; return;
        case MemoryAdvice::unset_read_mostly: page.is_read_mostly = false; return;
        case MemoryAdvice::set_preferred_location: page.preferred_location = device; return;
        case MemoryAdvice::unset_preferred_location: page.preferred_location = abi::no_location; return;
        // Which page tables map the pages makes no difference here.
        case MemoryAdvice::set_accessed_by:
        case MemoryAdvice::unset_accessed_by: return;
    }
    fail(Status::invalid_value);
}

bool names_location(MemoryAdvice advice) {
    return advice == MemoryAdvice::set_preferred_location || advice == MemoryAdvice::set_accessed_by ||
           advice == MemoryAdvice::unset_accessed_by;
}

int range_attribute(const Pages& pages, abi::MemoryRangeAttribute attribute) {
    switch (attribute) {
        case abi::MemoryRangeAttribute::read_mostly: return pages.common(&ManagedPage::is_read_mostly, false) ? 1 : 0;
        case abi::MemoryRangeAttribute::preferred_location: return pages.common(&ManagedPage::preferred_location, abi::no_location);
        case abi::MemoryRangeAttribute::last_prefetch_location: return pages.common(&ManagedPage::last_prefetch_location, abi::no_location);
    }
    fail(Status::not_supported);
}

}  // namespace

namespace exports {

Status memory_allocate_managed(DevicePointer* pointer, std::size_t bytes, unsigned flags) {
    return handle_call(EntryPoint::memory_allocate_managed, [&] {
        const Locked state;
        const auto context = current_context(*state);
        const bool is_attachment =
            flags == static_cast<unsigned>(ManagedAttachment::global) || flags == static_cast<unsigned>(ManagedAttachment::host);
        require(pointer != nullptr && bytes > 0 && is_attachment, Status::invalid_value);
        const auto allocation = std::make_shared<Allocation>(Allocation::Kind::managed, context->device.ordinal, context->handle, bytes);
        allocation->pages.resize((bytes + page_bytes - 1) / page_bytes);
        map(allocation);
        *pointer = allocation->start;
    });
}

Status memory_advise(DevicePointer pointer, std::size_t bytes, MemoryAdvice advice, Device device) {
    return handle_call(EntryPoint::memory_advise, [&] {
        const Locked state;
        Pages pages(pointer, bytes);
        if (names_location(advice)) {
            require_location(*state, device);
        }
        pages.for_each([&](ManagedPage& page) { advise(page, advice, device); });
    });
}

Status memory_prefetch_async(DevicePointer pointer, std::size_t bytes, Device device, Stream stream) {
    return handle_call(EntryPoint::memory_prefetch_async, [&] {
        const Locked state;
        const auto ordered_by = stream_of(*state, stream);
        Pages pages(pointer, bytes);
        require_location(*state, device);
        const auto run = [duration = link_time(bytes)](std::uint64_t) { return duration; };
        enqueue(*state, *ordered_by, {Work::Kind::copy, "prefetch of " + std::to_string(bytes) + " bytes", run});
        pages.for_each([&](ManagedPage& page) { page.last_prefetch_location = device; });
    });
}

Status memory_range_get_attribute(void* value, std::size_t value_bytes, MemoryRangeAttribute attribute, DevicePointer pointer,
                                  std::size_t bytes) {
    return handle_call(EntryPoint::memory_range_get_attribute, [&] {
        const Locked state;
        require(value != nullptr && value_bytes == sizeof(int), Status::invalid_value);
        const int found = range_attribute(Pages(pointer, bytes), attribute);
        std::memcpy(value, &found, sizeof(found));
    });
}

}  // namespace exports
}  // namespace cupool::simulator
