#pragma once

#include <cupool/driver/loader.hpp>

#include "devquery/device_table.hpp"
#include "program/outcome.hpp"

namespace cupool::tools {

enum class ListFormat { table, json, csv };

/// What the list shows, and how it is written.
struct ListOptions {
    bool all = false;  ///< also free memory, every attribute, and what the driver lacks
    ListFormat format = ListFormat::table;
    TableStyle style;  ///< of a table
};

/// Loads the driver and lists its devices. The exit code is the reason why none, or not all, can be used.
Outcome list_devices(const ListOptions& options, const LoadOptions& load);

}  // namespace cupool::tools
