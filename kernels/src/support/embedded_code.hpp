#pragma once

// Each generated source of EmbedCode.cmake includes this file, so it includes nothing.

namespace cupool::detail {

/// A module that ships with the library: PTX for any device, and machine code assembled from it for
/// devices of compute capability 9.0, which need no JIT compilation then.
struct ShippedCode {
    const char* ptx;
    const char* sm_90_begin;
    const char* sm_90_end;
};

}  // namespace cupool::detail
