#pragma once

#include <cstddef>
#include <cupool/driver/probe.hpp>
#include <string>

#include "devquery/topology.hpp"

namespace cupool::tools {

/// The links as a matrix and as groups. \param width  of the output in characters; 0 means unlimited
std::string topology_picture(const Topology& topology, std::size_t width);

/// The JSON object that docs/devquery.schema.json describes as `topo`.
std::string topology_json(const Topology& topology, const ProbeReport& report);

}  // namespace cupool::tools
