#include <cupool/pool/pool_metrics.hpp>
#include <functional>
#include <limits>
#include <locale>
#include <ostream>
#include <sstream>

namespace cupool {

namespace {

std::string name_of(const DeviceMetrics& metrics) { return metrics.device < 0 ? "host" : std::to_string(metrics.device); }

/// One metric family: its two header lines and a sample a device.
template <class Value>
void write_family(std::ostream& out, const PoolMetrics& metrics, const std::string& name, const char* type, const char* help,
                  const Value& value) {
    out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n';
    for (const DeviceMetrics& device : metrics.devices)
        out << name << "{device=\"" << name_of(device) << "\"} " << std::invoke(value, device) << '\n';
}

}  // namespace

std::string to_string(const PoolMetrics& metrics) {
    std::ostringstream text;
    text << metrics;
    return text.str();
}

std::ostream& operator<<(std::ostream& out, const PoolMetrics& metrics) {
    for (const DeviceMetrics& device : metrics.devices) {
        out << (device.device < 0 ? "host" : "device " + name_of(device)) << ": " << device.launches << " launches, " << device.errors
            << " failed, " << device.in_flight << " in flight, " << device.bytes << " bytes moved, busy for " << device.busy_microseconds
            << " us, " << device.taken_over << " taken over" << (device.quarantined ? ", quarantined" : "") << '\n';
    }
    return out;
}

std::string to_prometheus(const PoolMetrics& metrics) {
    std::ostringstream out;
    out.imbue(std::locale::classic());                     // whatever the program's: the format knows no other numbers
    out.precision(std::numeric_limits<double>::digits10);  // to the microsecond, also after years
    write_family(out, metrics, "cupool_launches_total", "counter", "Pieces of work begun on the device.", &DeviceMetrics::launches);
    write_family(out, metrics, "cupool_errors_total", "counter", "Pieces of work that failed.", &DeviceMetrics::errors);
    write_family(out, metrics, "cupool_bytes_total", "counter", "Bytes moved to and from the device.", &DeviceMetrics::bytes);
    write_family(out, metrics, "cupool_in_flight", "gauge", "Pieces of work given and not yet ended.", &DeviceMetrics::in_flight);
    // Seconds, as Prometheus wants its base units.
    write_family(out, metrics, "cupool_busy_seconds_total", "counter", "Time that pieces of work took.",
                 [](const DeviceMetrics& device) { return static_cast<double>(device.busy_microseconds) / 1e6; });
    write_family(out, metrics, "cupool_taken_over_total", "counter", "Pieces of work taken over from the queue of another device.",
                 &DeviceMetrics::taken_over);
    write_family(out, metrics, "cupool_quarantined", "gauge", "Whether the device is quarantined.",
                 [](const DeviceMetrics& device) { return device.quarantined ? 1 : 0; });
    return out.str();
}

}  // namespace cupool
