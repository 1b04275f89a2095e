#pragma once

#include <string>

#include <cupool/driver/abi.hpp>
#include <cupool/simulator/simulator.hpp>

#include "objects/jit_log.hpp"

namespace cupool::simulator {

/// A linker invocation. It accepts a single PTX text and returns that text as the image.
struct LinkState {
    using Handle = abi::LinkState;
    static constexpr unsigned char handle_tag = 13;

    Handle handle = nullptr;
    CupoolSimDevice device;
    JitLog log;
    std::string image{};
};

}  // namespace cupool::simulator
