// The device's field and its formulas, compiled for the host: the headers of kernels/src find the stand-ins beside this file before the
// headers that those replace (support/device.cuh, field/carry_chain.cuh and msm/device/stages/stage2_sort.cuh).
#pragma once

#include "field/device_quadratic.cuh"
#include "field/dot_product.cuh"
#include "msm/device/stages/stage3_pairs.cuh"
#include "ntt/pass.cuh"
