#pragma once

/// \file
/// Copies between host and devices, and fills. All of them check sizes and devices first: they
/// throw invalid_argument if sizes differ, and wrong_context if a span and the stream belong to
/// different devices (a peer copy: if the spans are on other devices than the given contexts). An
/// empty copy makes no driver call.
///
/// The async forms return at once and are ordered on the stream; host memory must stay unchanged
/// until the copy is done. The driver may copy pageable host memory before it returns.

#include <bit>
#include <cstddef>
#include <cupool/driver/device_span.hpp>
#include <cupool/driver/stream.hpp>
#include <span>
#include <type_traits>

namespace cupool {

namespace detail {

[[noreturn]] void throw_size_mismatch(std::size_t to, std::size_t from, const SourceLocation& where);

template <class To, class From>
[[noreturn, gnu::noinline, gnu::cold]] void throw_size_mismatch(const To& to, const From& from, const SourceLocation& where) {
    throw_size_mismatch(to.size(), from.size(), where);
}

/// Whether there is something to copy. Throws if the sizes differ.
template <class To, class From>
inline bool check_sizes(const To& to, const From& from, const SourceLocation& where) {
    if (to.size() != from.size()) [[unlikely]]
        throw_size_mismatch(to, from, copy_of(where));
    return !to.empty();
}
/// The same for numbers.
inline bool check_sizes(std::size_t to, std::size_t from, const SourceLocation& where) {
    if (to != from) [[unlikely]]
        throw_size_mismatch(to, from, copy_of(where));
    return to != 0;
}

template <class T>
inline void check_device(const DeviceSpan<T>& span, const StreamView& stream, const SourceLocation& where) {
    if (!stream.context() || span.device() != stream.context().device().ordinal()) [[unlikely]]
        throw_wrong_device("a span", span.device(), "a stream", stream.context(), copy_of(where));
}

template <class T>
inline abi::DevicePointer address_of(const DeviceSpan<T>& span) noexcept {
    return span.pointer();
}
template <class T>
inline T* address_of(const std::span<T>& span) noexcept {
    return span.data();
}

/// Reads the addresses only after the check of the current context, so that no register must be
/// saved across that call.
template <auto Member, class To, class From>
inline void copy_in(const StreamView& stream, const SourceLocation& where, const To& to, const From& from) {
    const ContextView context = stream.context();
    abi::Status query_status;
    const abi::Status result = is_current(context, query_status)
                                   ? (context.driver().api().*Member)(address_of(to), address_of(from), to.size_bytes(), stream.handle())
                                   : invoke_elsewhere<Member>(context, query_status, copy_of(where), address_of(to), address_of(from),
                                                              to.size_bytes(), stream.handle());
    require_success<Member>(result, context, where);
}

}  // namespace detail

/// Copies from host to device.
template <class T>
void copy_async(const DeviceSpan<T>& to, const std::span<const std::type_identity_t<T>>& from, StreamView stream,
                const SourceLocation& where = SourceLocation::current()) {
    if (detail::check_sizes(to, from, where)) {
        detail::check_device(to, stream, where);
        detail::copy_in<&EntryPoints::copy_host_to_device_async>(stream, where, to, from);
    }
}

/// Copies from device to host.
template <class T>
void copy_async(const std::span<std::remove_const_t<T>>& to, const DeviceSpan<T>& from, StreamView stream,
                const SourceLocation& where = SourceLocation::current()) {
    if (detail::check_sizes(to, from, where)) {
        detail::check_device(from, stream, where);
        detail::copy_in<&EntryPoints::copy_device_to_host_async>(stream, where, to, from);
    }
}

/// Copies within a device.
template <class T>
void copy_async(const DeviceSpan<T>& to, const DeviceSpan<const std::type_identity_t<T>>& from, StreamView stream,
                const SourceLocation& where = SourceLocation::current()) {
    if (detail::check_sizes(to, from, where)) {
        detail::check_device(to, stream, where);
        detail::check_device(from, stream, where);
        detail::copy_in<&EntryPoints::copy_device_to_device_async>(stream, where, to, from);
    }
}

/// Copies between two devices; the stream belongs to either. Uses a direct link if peer access is
/// enabled, else host memory.
template <class T>
void copy_peer_async(DeviceSpan<T> to, ContextView to_context, DeviceSpan<const std::type_identity_t<T>> from, ContextView from_context,
                     StreamView stream, SourceLocation where = SourceLocation::current()) {
    if (detail::check_sizes(to, from, where)) {
        detail::check_device(to, StreamView(to_context), where);
        detail::check_device(from, StreamView(from_context), where);
        if (stream.context() != to_context && stream.context() != from_context) [[unlikely]]
            detail::throw_wrong_device("a span", to.device(), "a stream", stream.ordinal(), where);
        detail::call_in<&EntryPoints::copy_peer_async>(stream.context(), where, to.pointer(), to_context.handle(), from.pointer(),
                                                       from_context.handle(), to.size_bytes(), stream.handle());
    }
}

/// Copies from host to device; complete on return.
template <class T>
void copy(DeviceSpan<T> to, std::span<const std::type_identity_t<T>> from, StreamView stream,
          SourceLocation where = SourceLocation::current()) {
    copy_async(to, from, stream, where);
    stream.synchronize(where);
}

/// Copies from device to host; complete on return.
template <class T>
void copy(std::span<std::remove_const_t<T>> to, DeviceSpan<T> from, StreamView stream, SourceLocation where = SourceLocation::current()) {
    copy_async(to, from, stream, where);
    stream.synchronize(where);
}

/// Copies within a device; complete on return.
template <class T>
void copy(DeviceSpan<T> to, DeviceSpan<const std::type_identity_t<T>> from, StreamView stream,
          SourceLocation where = SourceLocation::current()) {
    copy_async(to, from, stream, where);
    stream.synchronize(where);
}

/// Copies between two devices; complete on return. The stream belongs to either.
template <class T>
void copy_peer(DeviceSpan<T> to, ContextView to_context, DeviceSpan<const std::type_identity_t<T>> from, ContextView from_context,
               StreamView stream, SourceLocation where = SourceLocation::current()) {
    copy_peer_async(to, to_context, from, from_context, stream, where);
    stream.synchronize(where);
}

/// Copies between any two addresses; the driver finds out what they are: memory of any device,
/// page-locked, managed or pageable host memory. The stream may belong to any context of the
/// process. Nothing is checked here: sizes are in bytes, and the driver accesses an unknown address
/// as host memory.
inline void copy_bytes_async(abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, StreamView stream,
                             SourceLocation where = SourceLocation::current()) {
    if (bytes != 0) detail::call_in<&EntryPoints::copy_unified_async>(stream.context(), where, to, from, bytes, stream.handle());
}

/// The same; complete on return.
inline void copy_bytes(abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, StreamView stream,
                       SourceLocation where = SourceLocation::current()) {
    copy_bytes_async(to, from, bytes, stream, where);
    stream.synchronize(where);
}

/// Sets all elements to one value of 1, 2 or 4 bytes.
template <class T>
void fill_async(DeviceSpan<T> span, std::type_identity_t<T> value, StreamView stream, SourceLocation where = SourceLocation::current()) {
    static_assert(!std::is_const_v<T>, "cannot fill a span of constants");
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4, "the driver sets values of 1, 2 or 4 bytes");
    if (span.empty()) return;
    detail::check_device(span, stream, where);
    const auto fill = [&]<auto Member, class Word>() {
        detail::call_in<Member>(stream.context(), where, span.pointer(), std::bit_cast<Word>(value), span.size(), stream.handle());
    };
    if constexpr (sizeof(T) == 1) {
        fill.template operator()<&EntryPoints::set_bytes_async, unsigned char>();
    } else if constexpr (sizeof(T) == 2) {
        fill.template operator()<&EntryPoints::set_halfwords_async, unsigned short>();
    } else {
        fill.template operator()<&EntryPoints::set_words_async, unsigned>();
    }
}

/// The same; complete on return.
template <class T>
void fill(DeviceSpan<T> span, std::type_identity_t<T> value, StreamView stream, SourceLocation where = SourceLocation::current()) {
    fill_async(span, value, stream, where);
    stream.synchronize(where);
}

/// Sets all bytes.
template <class T>
void fill_bytes_async(DeviceSpan<T> span, unsigned char value, StreamView stream, SourceLocation where = SourceLocation::current()) {
    static_assert(!std::is_const_v<T>, "cannot fill a span of constants");
    if (!span.empty()) {
        detail::check_device(span, stream, where);
        detail::call_in<&EntryPoints::set_bytes_async>(stream.context(), where, span.pointer(), value, span.size_bytes(), stream.handle());
    }
}

}  // namespace cupool
