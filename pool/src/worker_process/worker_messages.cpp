#include "worker_messages.hpp"

#include <cupool/driver/printable_text.hpp>
#include <exception>
#include <new>
#include <utility>

namespace cupool::detail {

namespace {

template <class T>
void write_optional(MessageWriter& writer, const std::optional<T>& value) {
    writer.flag(value.has_value());
    writer.number<std::int64_t>(value ? static_cast<std::int64_t>(*value) : 0);
}

template <class T>
std::optional<T> read_optional(MessageReader& reader) {
    const bool is_there = reader.flag();
    const auto value = reader.number<std::int64_t>();
    return is_there ? std::optional<T>(static_cast<T>(value)) : std::nullopt;
}

}  // namespace

std::vector<std::byte> greeting_payload(const WorkerGreeting& greeting) {
    return MessageWriter()
        .enumerator(greeting.engine)
        .text(greeting.device_name)
        .text(greeting.device_uuid)
        .text(greeting.pci_bus_id)
        .take();
}

WorkerGreeting read_greeting(std::span<const std::byte> payload) {
    MessageReader reader(payload);
    WorkerGreeting greeting;
    greeting.engine = reader.enumerator(Engine::host);
    greeting.device_name = reader.text();
    greeting.device_uuid = reader.text();
    greeting.pci_bus_id = reader.text();
    reader.require_end();
    return greeting;
}

std::vector<std::byte> error_payload(const Error& error) {
    MessageWriter writer;
    writer.enumerator(error.category()).text(error.message()).text(error.call()).text(error.log()).text(error.driver_log());
    write_optional(writer, error.code());
    write_optional(writer, error.device());
    write_optional(writer, error.reason());
    return writer.take();
}

Error read_error(std::span<const std::byte> payload) {
    MessageReader reader(payload);
    ErrorDetails details;
    details.category = reader.enumerator(ErrorCategory::internal);
    details.message = reader.text();
    details.call = reader.text();
    details.log = reader.text();
    details.driver_log = reader.text();
    details.code = read_optional<abi::Status>(reader);
    details.device = read_optional<int>(reader);
    details.reason = read_optional<Reason>(reader);
    reader.require_end();
    return Error(details);
}

Error error_of(std::exception_ptr failure, const std::string& where_from) {
    try {
        std::rethrow_exception(std::move(failure));
    } catch (const Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return Error(ErrorCategory::out_of_memory, where_from + " has no host memory left");
    } catch (const std::exception& error) {
        return Error(ErrorCategory::internal, where_from + " threw an exception: " + error.what());
    } catch (...) {
        return Error(ErrorCategory::internal, where_from + " threw what is no exception");
    }
}

std::string text_of(const Error& error) {
    std::string text = error.message();
    if (error.code()) text += (text.empty() ? "" : ": ") + error.call() + " answered " + describe(*error.code());
    if (!error.driver_log().empty()) text += "; the driver logged: " + printable_text(on_one_line(error.driver_log()));
    return text;
}

std::vector<std::byte> call_payload(const WorkerCall& call) { return MessageWriter().bytes(call.input).text(call.function).take(); }

ReceivedCall read_call(std::span<const std::byte> payload) {
    MessageReader reader(payload);
    ReceivedCall call;
    call.input = reader.bytes();
    call.function = reader.text();
    reader.require_end();
    return call;
}

}  // namespace cupool::detail
