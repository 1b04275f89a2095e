#pragma once

/// \file
/// One instruction each of a carry chain. The carry flag lives from one to the next: `volatile` keeps their order, and the compiler itself
/// emits no instruction that writes the flag.

#include "support/device.cuh"

namespace cupool::device {

CUPOOL_DEVICE std::uint32_t add_cc(std::uint32_t a, std::uint32_t b) {
    std::uint32_t r;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
CUPOOL_DEVICE std::uint32_t addc_cc(std::uint32_t a, std::uint32_t b) {
    std::uint32_t r;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
CUPOOL_DEVICE std::uint32_t addc(std::uint32_t a, std::uint32_t b) {
    std::uint32_t r;
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
CUPOOL_DEVICE std::uint32_t sub_cc(std::uint32_t a, std::uint32_t b) {
    std::uint32_t r;
    asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
CUPOOL_DEVICE std::uint32_t subc_cc(std::uint32_t a, std::uint32_t b) {
    std::uint32_t r;
    asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
CUPOOL_DEVICE std::uint32_t subc(std::uint32_t a, std::uint32_t b) {
    std::uint32_t r;
    asm volatile("subc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
CUPOOL_DEVICE std::uint32_t mad_lo_cc(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t r;
    asm volatile("mad.lo.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
CUPOOL_DEVICE std::uint32_t madc_lo_cc(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t r;
    asm volatile("madc.lo.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
CUPOOL_DEVICE std::uint32_t madc_hi_cc(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t r;
    asm volatile("madc.hi.cc.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
CUPOOL_DEVICE std::uint32_t madc_hi(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t r;
    asm volatile("madc.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

}  // namespace cupool::device
