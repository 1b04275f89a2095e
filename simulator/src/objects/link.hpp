#pragma once

#include <string>

#include <cupool/driver/abi.hpp>
#include <cupool/simulator/simulator.hpp>

#include "objects/jit_log.hpp"

namespace cupool::simulator {

/// A link under way. One PTX text is all that it takes, and what comes out is that text: what this driver loads.
struct LinkState {
    using Handle = abi::LinkState;
    static constexpr unsigned char handle_tag = 13;

    Handle handle = nullptr;
    CupoolSimDevice device;
    JitLog log;
    std::string image{};
};

}  // namespace cupool::simulator
