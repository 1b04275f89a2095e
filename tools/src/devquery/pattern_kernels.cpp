#include "devquery/pattern_kernels.hpp"

#include <array>
#include <cupool/driver/copy.hpp>
#include <limits>

#include "devquery/grid.hpp"

namespace cupool::tools {
namespace {

/// In both kernels each thread takes every word whose index is its own plus a multiple of the number of threads.
constexpr const char* ptx = R"(
.version 6.3
.target sm_75
.address_size 64

.visible .entry write_pattern(.param .u64 memory, .param .u64 count, .param .u32 base, .param .u32 step)
{
    .reg .pred %outside;
    .reg .b32 %block, %blocks, %threads, %thread, %low, %base, %step, %word;
    .reg .b64 %memory, %count, %i, %stride, %at;

    ld.param.u64 %memory, [memory];
    ld.param.u64 %count, [count];
    ld.param.u32 %base, [base];
    ld.param.u32 %step, [step];
    mov.u32 %block, %ctaid.x;
    mov.u32 %blocks, %nctaid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %thread, %tid.x;
    cvt.u64.u32 %i, %thread;
    mad.wide.u32 %i, %block, %threads, %i;
    mul.wide.u32 %stride, %blocks, %threads;
next:
    setp.ge.u64 %outside, %i, %count;
    @%outside ret;
    cvt.u32.u64 %low, %i;
    mad.lo.u32 %word, %low, %step, %base;
    shl.b64 %at, %i, 2;
    add.u64 %at, %memory, %at;
    st.global.u32 [%at], %word;
    add.u64 %i, %i, %stride;
    bra next;
}

.visible .entry compare_pattern(.param .u64 memory, .param .u64 count, .param .u32 base, .param .u32 step, .param .u64 result)
{
    .reg .pred %outside, %equal;
    .reg .b32 %block, %blocks, %threads, %thread, %low, %base, %step, %word, %read;
    .reg .b64 %memory, %count, %i, %stride, %at, %result, %before;

    ld.param.u64 %memory, [memory];
    ld.param.u64 %count, [count];
    ld.param.u32 %base, [base];
    ld.param.u32 %step, [step];
    ld.param.u64 %result, [result];
    mov.u32 %block, %ctaid.x;
    mov.u32 %blocks, %nctaid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %thread, %tid.x;
    cvt.u64.u32 %i, %thread;
    mad.wide.u32 %i, %block, %threads, %i;
    mul.wide.u32 %stride, %blocks, %threads;
next:
    setp.ge.u64 %outside, %i, %count;
    @%outside ret;
    cvt.u32.u64 %low, %i;
    mad.lo.u32 %word, %low, %step, %base;
    shl.b64 %at, %i, 2;
    add.u64 %at, %memory, %at;
    ld.global.u32 %read, [%at];
    setp.eq.u32 %equal, %read, %word;
    @%equal bra good;
    atom.global.add.u64 %before, [%result], 1;
    atom.global.min.u64 %before, [%result+8], %i;
good:
    add.u64 %i, %i, %stride;
    bra next;
}
)";

}  // namespace

PatternKernels::PatternKernels(const DeviceContext& context)
    : context_(context),
      module_(context.context(), ptx),
      write_(module_.kernel<abi::DevicePointer, std::uint64_t, std::uint32_t, std::uint32_t>("write_pattern")),
      compare_(module_.kernel<abi::DevicePointer, std::uint64_t, std::uint32_t, std::uint32_t, abi::DevicePointer>("compare_pattern")),
      result_(2, context) {}

void PatternKernels::write(DeviceSpan<std::uint32_t> memory, std::uint32_t base, std::uint32_t step) const {
    write_.launch({blocks_for(memory.size(), context_.context()), threads_of_block}, context_.stream(), memory.pointer(), memory.size(),
                  base, step);
    context_.stream().synchronize();
}

std::optional<WrongWord> PatternKernels::find_wrong_word(DeviceSpan<std::uint32_t> memory, std::uint32_t base, std::uint32_t step) {
    std::array<std::uint64_t, 2> result = {0, std::numeric_limits<std::uint64_t>::max()};
    copy<std::uint64_t>(result_.span(), result, context_.stream());
    compare_.launch({blocks_for(memory.size(), context_.context()), threads_of_block}, context_.stream(), memory.pointer(), memory.size(),
                    base, step, result_.span().pointer());
    copy<std::uint64_t>(result, result_.span(), context_.stream());
    const auto [count, index] = result;
    if (count == 0) return std::nullopt;
    std::uint32_t found = 0;
    copy<std::uint32_t>(std::span(&found, 1), memory.subspan(index, 1), context_.stream());
    return WrongWord{count, index, base + static_cast<std::uint32_t>(index) * step, found};
}

}  // namespace cupool::tools
