#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/cub.cuh>
#include <memory>
#include <string>
#include <vector>

#include "cub_reductions.hpp"

namespace {

void require(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUDA runtime: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

std::shared_ptr<void> device_memory(std::size_t bytes) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, bytes));
    return {memory, [](void* freed) { cudaFree(freed); }};
}

/// \param reduce  calls CUB with temporary memory, its size and the address of the result
template <class Result, class Reduce>
CubReduction reduction(Reduce reduce) {
    const auto result = device_memory(sizeof(Result));
    std::size_t bytes = 0;
    require(reduce(nullptr, bytes, static_cast<Result*>(result.get())));
    const auto temporary = device_memory(bytes);
    return {[=](void* host) {
        std::size_t size = bytes;
        require(reduce(temporary.get(), size, static_cast<Result*>(result.get())));
        require(cudaMemcpy(host, result.get(), sizeof(Result), cudaMemcpyDeviceToHost));
    }};
}

template <class T>
CubReduction arg_reduction_of(const T* input, std::size_t count) {
    struct Found {
        T value;
        long long index;
    };
    return reduction<Found>([=](void* memory, std::size_t& bytes, Found* out) {
        return cub::DeviceReduce::ArgMax(memory, bytes, input, &out->value, &out->index, static_cast<long long>(count));
    });
}

template <class T>
CubReduction reduction_of(const char* operation, const T* input, std::size_t count) {
    const auto items = static_cast<long long>(count);
    if (std::strcmp(operation, "sum") == 0) {
        return reduction<T>(
            [=](void* memory, std::size_t& bytes, T* out) { return cub::DeviceReduce::Sum(memory, bytes, input, out, items); });
    }
    if (std::strcmp(operation, "max") == 0) {
        return reduction<T>(
            [=](void* memory, std::size_t& bytes, T* out) { return cub::DeviceReduce::Max(memory, bytes, input, out, items); });
    }
    if (std::strcmp(operation, "min") == 0) {
        return reduction<T>(
            [=](void* memory, std::size_t& bytes, T* out) { return cub::DeviceReduce::Min(memory, bytes, input, out, items); });
    }
    if (std::strcmp(operation, "argmax") == 0) return arg_reduction_of(input, count);
    return {};
}

/// Segment offsets in device memory, which the segmented reductions of CUB take.
template <class T>
CubReduction segmented_sum_of(const T* input, std::size_t segments, std::size_t length, T* results) {
    std::vector<long long> offsets(segments + 1);
    for (std::size_t i = 0; i <= segments; ++i) offsets[i] = static_cast<long long>(i * length);
    const auto there = device_memory(offsets.size() * sizeof(long long));
    require(cudaMemcpy(there.get(), offsets.data(), offsets.size() * sizeof(long long), cudaMemcpyHostToDevice));
    const auto reduce = [=](void* memory, std::size_t& bytes) {
        const auto* begin = static_cast<const long long*>(there.get());
        return cub::DeviceSegmentedReduce::Sum(memory, bytes, input, results, static_cast<int>(segments), begin, begin + 1);
    };
    std::size_t bytes = 0;
    require(reduce(nullptr, bytes));
    const auto temporary = device_memory(bytes + 1);
    return {[=](void*) {
        std::size_t size = bytes;
        require(reduce(temporary.get(), size));
        require(cudaStreamSynchronize(nullptr));
    }};
}

}  // namespace

bool has_cub_device() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

CubReduction cub_reduction(const char* type, const char* operation, std::uint64_t input, std::size_t count) {
    const auto with = [&](auto* elements) { return reduction_of(operation, elements, count); };
    const std::string name = type;
    if (name == "i8") return with(reinterpret_cast<const signed char*>(input));
    if (name == "u8") return with(reinterpret_cast<const unsigned char*>(input));
    if (name == "i16") return with(reinterpret_cast<const short*>(input));
    if (name == "u16") return with(reinterpret_cast<const unsigned short*>(input));
    if (name == "i32") return with(reinterpret_cast<const int*>(input));
    if (name == "u32") return with(reinterpret_cast<const unsigned*>(input));
    if (name == "i64") return with(reinterpret_cast<const long long*>(input));
    if (name == "u64") return with(reinterpret_cast<const unsigned long long*>(input));
    if (name == "f16") return with(reinterpret_cast<const __half*>(input));
    if (name == "bf16") return with(reinterpret_cast<const __nv_bfloat16*>(input));
    if (name == "f32") return with(reinterpret_cast<const float*>(input));
    return with(reinterpret_cast<const double*>(input));
}

CubReduction cub_segmented_sum(const char* type, std::uint64_t input, std::size_t segments, std::size_t length, std::uint64_t results) {
    const std::string name = type;
    if (name == "f32") return segmented_sum_of(reinterpret_cast<const float*>(input), segments, length, reinterpret_cast<float*>(results));
    if (name == "i32") return segmented_sum_of(reinterpret_cast<const int*>(input), segments, length, reinterpret_cast<int*>(results));
    if (name == "f64")
        return segmented_sum_of(reinterpret_cast<const double*>(input), segments, length, reinterpret_cast<double*>(results));
    if (name == "bf16") {
        return segmented_sum_of(reinterpret_cast<const __nv_bfloat16*>(input), segments, length, reinterpret_cast<__nv_bfloat16*>(results));
    }
    return {};
}
