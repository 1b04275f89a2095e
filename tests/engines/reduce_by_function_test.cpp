// Reductions by a caller's own PTX function, held against plain loops.

#include <array>
#include <cstring>
#include <cupool/driver/copy.hpp>
#include <cupool/driver/device_buffer.hpp>
#include <cupool/kernels/reduce_by_function.hpp>

#include "catch.hpp"
#include "engines.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return {bytes.begin(), bytes.end()};
}

/// x -> factor * x + addend modulo 2^32. The left map is applied first.
struct AffineMap {
    std::uint32_t factor = 1;
    std::uint32_t addend = 0;

    friend AffineMap operator*(AffineMap left, AffineMap right) {
        return {left.factor * right.factor, left.addend * right.factor + right.addend};
    }
    friend bool operator==(const AffineMap&, const AffineMap&) = default;
};

PtxOperation composition() {
    return {.ptx = R"(
.func (.param .align 4 .b8 r[8]) compose(.param .align 4 .b8 left[8], .param .align 4 .b8 right[8])
{
    .reg .u32 %f<3>, %a<3>;
    ld.param.u32 %f0, [left];
    ld.param.u32 %a0, [left+4];
    ld.param.u32 %f1, [right];
    ld.param.u32 %a1, [right+4];
    mul.lo.u32 %f2, %f0, %f1;
    mad.lo.u32 %a2, %a0, %f1, %a1;
    st.param.u32 [r], %f2;
    st.param.u32 [r+4], %a2;
    ret;
})",
            .function = "compose",
            .element_bytes = 8,
            .identity = bytes_of(AffineMap{})};
}

/// A 2 x 2 matrix modulo 2^32, by rows.
using Matrix = std::array<std::uint32_t, 4>;

Matrix product(const Matrix& a, const Matrix& b) {
    return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}

PtxOperation matrix_product() {
    return {.ptx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .align 16 .b8 r[16]) product(.param .align 16 .b8 a[16], .param .align 16 .b8 b[16]) // a comment
{
    .reg .u32 %a<4>, %b<4>, %r<4>;
    ld.param.v4.u32 {%a0, %a1, %a2, %a3}, [a];
    ld.param.v4.u32 {%b0, %b1, %b2, %b3}, [b];
    mul.lo.u32 %r0, %a0, %b0;
    mad.lo.u32 %r0, %a1, %b2, %r0;
    mul.lo.u32 %r1, %a0, %b1;
    mad.lo.u32 %r1, %a1, %b3, %r1;
    mul.lo.u32 %r2, %a2, %b0;
    mad.lo.u32 %r2, %a3, %b2, %r2;
    mul.lo.u32 %r3, %a2, %b1;
    mad.lo.u32 %r3, %a3, %b3, %r3;
    st.param.v4.u32 [r], {%r0, %r1, %r2, %r3};
    ret;
})",
            .function = "product",
            .element_bytes = 16};
}

/// The first element that is not 0, of a small type, declared as `parameter`.
PtxOperation first_nonzero(std::size_t element_bytes, const std::string& parameter) {
    const std::string bits = std::to_string(8 * element_bytes);
    const std::string name[3] = {"r", "a", "b"};
    const auto declaration = [&](int i) {
        return parameter == "bytes"
                   ? ".param .align " + std::to_string(element_bytes) + " .b8 " + name[i] + "[" + std::to_string(element_bytes) + "]"
                   : ".param " + parameter + " " + name[i];
    };
    return {.ptx = ".func (" + declaration(0) + ") first(" + declaration(1) + ", " + declaration(2) +
                   ") { .reg .u32 %x, %y; .reg .pred %p; ld.param.u" + bits + " %x, [a]; ld.param.u" + bits +
                   " %y, [b]; setp.eq.u32 %p, %x, 0; @%p mov.u32 %x, %y; st.param." +
                   (parameter == "bytes" ? "b" + bits : parameter.substr(1)) + " [r], %x; ret; }",
            .function = "first",
            .element_bytes = element_bytes};
}

PtxOperation float_sum() {
    return {.ptx = R"(.func (.param .f32 r) add(.param .f32 a, .param .f32 b)
{ .reg .f32 %a, %b; ld.param.f32 %a, [a]; ld.param.f32 %b, [b]; add.rn.f32 %a, %a, %b; st.param.f32 [r], %a; ret; })",
            .function = "add",
            .element_bytes = 4};
}

/// Lengths around the borders of threads, warps, chunks and tiles, which have 64 bytes, 32 threads, 256 threads and a chunk here.
std::vector<std::size_t> lengths_for(std::size_t element_bytes) {
    const std::size_t thread = 64 / element_bytes;
    const std::size_t chunk = 256 * thread;
    return {1, 2, thread, thread + 1, 32 * thread - 1, 33 * thread, chunk - 1, chunk, chunk + 1, 5 * chunk + 3 * thread + 1};
}

template <class T, class Combine>
void check_order(const std::vector<T>& elements, const PtxOperation& operation, const DeviceContext& context, const Combine& combine) {
    T expected = elements[0];
    for (std::size_t i = 1; i < elements.size(); ++i) expected = combine(expected, elements[i]);
    T result{};
    reduce_by_function<T>(std::span<const T>(elements), operation, {.ctx = context}, result);
    CHECK(result == expected);
    // From an element on, which need not begin at a multiple of 16 bytes.
    DeviceBuffer<T> there(elements.size() + 1, context);
    copy(there.span().subspan(1, elements.size()), std::span<const T>(elements), context.stream());
    T again{};
    reduce_by_function<T>(there.span().subspan(1, elements.size()), operation, {.ctx = context}, again);
    CHECK(again == expected);
}

std::string refusal(const PtxOperation& operation, ErrorCategory category = ErrorCategory::invalid_argument) {
    const std::vector<std::uint32_t> elements{1, 2, 3};
    std::uint32_t result = 0;
    try {
        reduce_by_function<std::uint32_t>(std::span<const std::uint32_t>(elements), operation, {.ctx = engine_contexts().back()}, result);
    } catch (const Error& error) {
        CHECK(error.category() == category);
        return error.what();
    }
    return "not refused";
}

float plain_float_sum(std::span<const float> values, std::size_t tile) {
    const auto fold = [](std::vector<float> parts) {
        for (; parts.size() > 1;) {
            std::vector<float> halves;
            for (std::size_t i = 0; i < parts.size(); i += 2) halves.push_back(i + 1 < parts.size() ? parts[i] + parts[i + 1] : parts[i]);
            parts = halves;
        }
        return parts[0];
    };
    const auto from_left = [](std::span<const float> parts) {
        float sum = parts[0];
        for (const float part : parts.subspan(1)) sum += part;
        return sum;
    };
    std::vector<float> tiles;
    for (std::size_t first = 0; first < values.size(); first += tile) {
        const auto of_tile = values.subspan(first, std::min(tile, values.size() - first));
        std::vector<float> chunks;
        for (std::size_t chunk = 0; chunk < of_tile.size(); chunk += 4096) {
            const auto of_chunk = of_tile.subspan(chunk, std::min<std::size_t>(4096, of_tile.size() - chunk));
            std::vector<float> warps;
            for (std::size_t warp = 0; warp < of_chunk.size(); warp += 512) {
                const auto of_warp = of_chunk.subspan(warp, std::min<std::size_t>(512, of_chunk.size() - warp));
                std::vector<float> threads;
                for (std::size_t thread = 0; thread < of_warp.size(); thread += 16)
                    threads.push_back(from_left(of_warp.subspan(thread, std::min<std::size_t>(16, of_warp.size() - thread))));
                warps.push_back(fold(threads));
            }
            chunks.push_back(from_left(warps));
        }
        tiles.push_back(from_left(chunks));
    }
    return tiles.size() == 1 ? tiles[0] : plain_float_sum(tiles, 4096 * ((tiles.size() + 4095) / 4096));
}

}  // namespace

TEST_CASE("a function that is not commutative combines elements in their order", "[reduce][function]") {
    for (const DeviceContext& context : sampled_contexts()) {
        if (context.is_host()) return;
        for (const std::size_t length : lengths_for(8)) {
            std::vector<AffineMap> maps(length);
            for (AffineMap& map : maps)
                map = {static_cast<std::uint32_t>(random_bits()()) | 1, static_cast<std::uint32_t>(random_bits()())};
            check_order(maps, composition(), context, [](AffineMap left, AffineMap right) { return left * right; });
        }
        for (const std::size_t length : lengths_for(16)) {
            std::vector<Matrix> matrices(length);
            for (Matrix& matrix : matrices) {
                for (std::uint32_t& entry : matrix) entry = static_cast<std::uint32_t>(random_bits()());
                matrix[0] |= 1;
                matrix[1] &= ~1U;  // the determinant stays odd, so no product becomes 0
                matrix[3] |= 1;
            }
            check_order(matrices, matrix_product(), context, product);
        }
    }
}

TEMPLATE_TEST_CASE("a function may declare small elements as 32 bits or as bytes", "[reduce][function]", std::uint8_t, std::uint16_t) {
    const DeviceContext context = engine_contexts().back();
    if (context.is_host()) return;
    const auto first = [](TestType left, TestType right) { return left != 0 ? left : right; };
    for (const char* const parameter : {".b32", "bytes"}) {
        for (const std::size_t length : {std::size_t{1}, std::size_t{3}, std::size_t{70}, std::size_t{20'000}}) {
            std::vector<TestType> elements(length);
            for (std::size_t i = length / 2; i < length; ++i) elements[i] = static_cast<TestType>(i + 200);
            check_order(elements, first_nonzero(sizeof(TestType), parameter), context, first);
        }
    }
}

TEST_CASE("a function's float sum has the bits of the documented order", "[reduce][function]") {
    const DeviceContext context = engine_contexts().back();
    if (context.is_host()) return;
    for (const std::size_t length : lengths_for(4)) {
        std::vector<float> values(length);
        for (float& value : values) value = static_cast<float>(random_bits()() % 100'000) / 7 - 3000;
        float result = 0;
        reduce_by_function<float>(std::span<const float>(values), float_sum(), {.ctx = context}, result);
        CHECK(result == plain_float_sum(values, 4096));
    }
}

TEST_CASE("a function reduces behind work of the stream into device memory, in the caller's workspace", "[reduce][function]") {
    for (const DeviceContext& context : sampled_contexts()) {
        if (context.is_host()) return;
        const std::size_t count = 10'000;
        DeviceBuffer<std::byte> there(count * 8, context);
        DeviceBuffer<std::byte> result(8, context);
        DeviceBuffer<std::byte> workspace(reduce_by_function_workspace_bytes(count, 8), context);
        std::vector<AffineMap> maps(count, AffineMap{3, 1});
        copy_async(there.span(), std::as_bytes(std::span<const AffineMap>(maps)), context.stream());
        const ReduceConfig config{.ctx = context, .is_async = true, .workspace = workspace.span()};
        reduce_by_function(there.span(), composition(), config, result.span());
        AffineMap expected;
        for (const AffineMap& map : maps) expected = expected * map;
        AffineMap found;
        copy(std::as_writable_bytes(std::span(&found, 1)), DeviceSpan<const std::byte>(result.span()), context.stream());
        CHECK(found == expected);

        reduce_by_function(there.span().subspan(0, 0), composition(), config, result.span());
        copy(std::as_writable_bytes(std::span(&found, 1)), DeviceSpan<const std::byte>(result.span()), context.stream());
        CHECK(found == AffineMap{});
        CHECK_THROWS_WITH(reduce_by_function(there.span(), composition(), config, there.span().subspan(8, 8)), contains_text("overlap"));
        ReduceConfig small = config;
        small.workspace = workspace.span().subspan(0, workspace.size() - 1);
        CHECK_THROWS_WITH(reduce_by_function(there.span(), composition(), small, result.span()), contains_text("the workspace has"));
        CHECK_THROWS_WITH(reduce_by_function(there.span().subspan(4, 800), composition(), {.ctx = context}, result.span()),
                          contains_text("multiple of its element's 8 bytes"));
    }
}

TEST_CASE("an operation that is none is refused, and the message names the cause", "[reduce][function]") {
    const DeviceContext context = engine_contexts().back();
    if (context.is_host()) {
        CHECK_THAT(refusal(float_sum(), ErrorCategory::unsupported), contains_text("the context is the host"));
        return;
    }
    PtxOperation changed = float_sum();
    changed.function = "subtract";
    CHECK_THAT(refusal(changed), contains_text("has no function subtract"));
    changed = float_sum();
    changed.ptx = ".extern .func (.param .f32 r) add(.param .f32 a, .param .f32 b);";
    CHECK_THAT(refusal(changed), contains_text("declares function add without a body"));
    changed.ptx = ".func (.param .f32 r) add(.param .f32 a) { ret; }";
    CHECK_THAT(refusal(changed), contains_text("take two, all declared alike"));
    changed.ptx = ".func (.param .f64 r) add(.param .f64 a, .param .f64 b) { ret; }";
    CHECK_THAT(refusal(changed), contains_text("element of 4 bytes"));
    changed.ptx = ".func (.param .f32 r) add(.param .f32 a, .param .b32 b) { ret; }";
    CHECK_THAT(refusal(changed), contains_text("all declared alike"));
    changed.ptx = ".func (.reg .f32 r) add(.reg .f32 a, .reg .f32 b) { ret; }";
    CHECK_THAT(refusal(changed), contains_text("all declared alike"));
    changed.ptx = ".func add(.param .b64 to, .param .b64 from) { ret; }";
    CHECK_THAT(refusal(changed), contains_text("must return an element"));
    CHECK_THAT(refusal(first_nonzero(4, ".u16")), contains_text("element of 4 bytes"));
    changed = float_sum();
    changed.ptx += "\n.global .u32 cupool_combine;";
    CHECK_THAT(refusal(changed), contains_text("the name cupool_combine"));
    changed = float_sum();
    changed.ptx.insert(changed.ptx.find("add.rn"), "mov.f32 %nosuch, %a; ");
    CHECK_THAT(refusal(changed, ErrorCategory::jit_failure), contains_text("nosuch"));
    changed = float_sum();
    changed.ptx += changed.ptx;
    CHECK_THAT(refusal(changed, ErrorCategory::jit_failure), contains_text("add"));
    changed = float_sum();
    changed.element_bytes = 3;
    CHECK_THAT(refusal(changed), contains_text("1, 2, 4, 8 and 16"));
    changed.element_bytes = 8;
    CHECK_THAT(refusal(changed), contains_text("no whole elements of 8"));
    changed = float_sum();
    changed.identity.resize(8);
    CHECK_THAT(refusal(changed), contains_text("the identity has 8 bytes"));
    float result = 0;
    CHECK_THROWS_WITH(reduce_by_function<float>(std::span<const float>(), float_sum(), {.ctx = context}, result),
                      contains_text("nothing has no result"));
    AffineMap identity{7, 7};
    reduce_by_function<AffineMap>(std::span<const AffineMap>(), composition(), {.ctx = context}, identity);
    CHECK(identity == AffineMap{});
}
