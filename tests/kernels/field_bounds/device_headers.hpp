// The device's field and its formulas, compiled for the host: copies that CMake makes of the headers in kernels/src. A header finds what
// lies in its own folder first, and then the stand-ins beside this file: device.cuh, carry_chain.cuh and msm_sort.cuh.
#pragma once

#include "device_headers/device_quadratic.cuh"
#include "device_headers/msm_pairs.cuh"
