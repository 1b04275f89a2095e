#include "devquery/copy_kernel.hpp"

#include "devquery/grid.hpp"

namespace cupool::tools {
namespace {

constexpr std::size_t bytes_of_vector = 16;

/// Each thread copies every vector of 16 bytes whose index is its own plus a multiple of the number of threads.
constexpr const char* ptx = R"(
.version 6.3
.target sm_75
.address_size 64

.visible .entry copy_vectors(.param .u64 to, .param .u64 from, .param .u64 count)
{
    .reg .pred %outside;
    .reg .b32 %block, %blocks, %threads, %thread, %w0, %w1, %w2, %w3;
    .reg .b64 %to, %from, %count, %i, %step, %offset, %source, %target;

    ld.param.u64 %to, [to];
    ld.param.u64 %from, [from];
    ld.param.u64 %count, [count];
    mov.u32 %block, %ctaid.x;
    mov.u32 %blocks, %nctaid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %thread, %tid.x;
    cvt.u64.u32 %i, %thread;
    mad.wide.u32 %i, %block, %threads, %i;
    mul.wide.u32 %step, %blocks, %threads;
next:
    setp.ge.u64 %outside, %i, %count;
    @%outside ret;
    shl.b64 %offset, %i, 4;
    add.u64 %source, %from, %offset;
    add.u64 %target, %to, %offset;
    ld.global.v4.u32 {%w0, %w1, %w2, %w3}, [%source];
    st.global.v4.u32 [%target], {%w0, %w1, %w2, %w3};
    add.u64 %i, %i, %step;
    bra next;
}
)";

}  // namespace

CopyKernel::CopyKernel(ContextView context)
    : module_(context, ptx), kernel_(module_.kernel<abi::DevicePointer, abi::DevicePointer, std::uint64_t>("copy_vectors")) {}

void CopyKernel::launch(abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes, StreamView stream) const {
    const std::uint64_t vectors = bytes / bytes_of_vector;
    kernel_.launch({blocks_for(vectors, kernel_.context()), threads_of_block}, stream, to, from, vectors);
}

}  // namespace cupool::tools
