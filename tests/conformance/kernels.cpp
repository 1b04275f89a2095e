#include "kernels.hpp"

namespace cupool::test {

const char* const kernels_ptx = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .global .align 4 .u32 offset = 5;
.visible .entry nothing()
{
    ret;
}
.visible .entry cramped() .maxntid 64, 1, 1
{
    ret;
}
.visible .entry add(.param .u64 to, .param .u32 value, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [count];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 bra done;
    ld.param.u64 %d1, [to];
    ld.param.u32 %r6, [value];
    mul.wide.u32 %d2, %r4, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r7, [%d3];
    add.u32 %r7, %r7, %r6;
    st.global.u32 [%d3], %r7;
done:
    ret;
}
.visible .entry add_offset(.param .u64 to, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    mov.u32 %r4, %tid.x;
    ld.param.u32 %r5, [count];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 bra done;
    ld.param.u64 %d1, [to];
    ld.global.u32 %r6, [offset];
    mul.wide.u32 %d2, %r4, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r7, [%d3];
    add.u32 %r7, %r7, %r6;
    st.global.u32 [%d3], %r7;
done:
    ret;
}
.visible .entry meet(.param .u64 counter)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %d<3>;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra done;
    ld.param.u64 %d1, [counter];
    cvta.to.global.u64 %d2, %d1;
    mov.u32 %r2, %nctaid.x;
    atom.global.add.u32 %r3, [%d2], 1;
wait:
    ld.volatile.global.u32 %r4, [%d2];
    setp.lt.u32 %p2, %r4, %r2;
    @%p2 bra wait;
done:
    ret;
}
)";

}  // namespace cupool::test
