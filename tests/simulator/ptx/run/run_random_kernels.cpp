// Runs random kernels through a real or the simulated driver and prints a line for each kernel: its seed and the hash of all of its
// registers. To locate a difference between two drivers, it also prints the text of a single kernel, its registers, or the hash after each
// of its instructions.
//
//   cupool_random_kernels hashes FIRST COUNT     hashes of the kernels of COUNT seeds
//   cupool_random_kernels registers FIRST COUNT  the same, and 16 bits of hash for each register
//   cupool_random_kernels text SEED              its PTX
//   cupool_random_kernels values SEED            every register of every thread
//   cupool_random_kernels steps SEED             the hash after its first, its first two, ... instructions
//
// CUPOOL_DRIVER names the library, libcuda.so.1 if unset.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "random_kernels.hpp"

namespace {

using namespace cupool::ptx::test;

constexpr std::uint64_t kernels_of_a_module = 100;

/// The required entry points of libcuda.
class Driver {
public:
    Driver() {
        const char* path = std::getenv("CUPOOL_DRIVER");
        library_ = dlopen(path != nullptr ? path : "libcuda.so.1", RTLD_NOW);
        if (library_ == nullptr) throw std::runtime_error(dlerror());
        void* context = nullptr;
        check(call<int(unsigned)>("cuInit")(0));
        check(call<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0));
        check(call<int(void*)>("cuCtxSetCurrent")(context));
        check(call<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2")(&input_, bytes));
        check(call<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2")(&output_, bytes));
    }

    void load(const std::string& text) {
        if (module_ != nullptr) check(call<int(void*)>("cuModuleUnload")(module_));
        std::vector<char> log(1 << 16);
        int options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER and its size
        void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
        const int result =
            call<int(void**, const void*, unsigned, int*, void**)>("cuModuleLoadDataEx")(&module_, text.c_str(), 2, options, values);
        if (result != 0) throw std::runtime_error("the module does not load: " + std::string(log.data()));
    }

    /// The output of all threads.
    std::vector<unsigned char> run(const std::string& entry, std::uint64_t seed) {
        const std::vector<std::uint64_t> input = random_input(seed);
        check(call<int(std::uint64_t, const void*, std::size_t)>("cuMemcpyHtoD_v2")(input_, input.data(), bytes));
        check(call<int(std::uint64_t, unsigned char, std::size_t)>("cuMemsetD8_v2")(output_, 0, bytes));
        void* function = nullptr;
        check(call<int(void**, void*, const char*)>("cuModuleGetFunction")(&function, module_, entry.c_str()));
        void* arguments[] = {&input_, &output_};
        check(call<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**)>(
            "cuLaunchKernel")(function, 1, 1, 1, random_threads, 1, 1, 0, nullptr, arguments, nullptr));
        check(call<int()>("cuCtxSynchronize")());
        std::vector<unsigned char> output(bytes);
        check(call<int(void*, std::uint64_t, std::size_t)>("cuMemcpyDtoH_v2")(output.data(), output_, bytes));
        return output;
    }

private:
    static constexpr std::size_t bytes = random_threads * random_thread_bytes;

    template <class Signature>
    Signature* call(const char* name) {
        void* address = dlsym(library_, name);
        if (address == nullptr) throw std::runtime_error(std::string("the driver has no ") + name);
        return reinterpret_cast<Signature*>(address);
    }

    static void check(int result) {
        if (result != 0) throw std::runtime_error("the driver answers " + std::to_string(result));
    }

    void* library_ = nullptr;
    void* module_ = nullptr;
    std::uint64_t input_ = 0;
    std::uint64_t output_ = 0;
};

void print_hashes(std::uint64_t first, std::uint64_t count, bool with_registers) {
    Driver driver;
    for (std::uint64_t begin = first; begin < first + count; begin += kernels_of_a_module) {
        const std::uint64_t end = std::min(begin + kernels_of_a_module, first + count);
        std::string text = random_module_head();
        for (std::uint64_t seed = begin; seed < end; ++seed) {
            const RandomKernel kernel = random_kernel(seed);
            text += random_entry(kernel, "k" + std::to_string(seed), kernel.instructions.size());
        }
        driver.load(text);
        for (std::uint64_t seed = begin; seed < end; ++seed) {
            const std::vector<unsigned char> output = driver.run("k" + std::to_string(seed), seed);
            std::printf("%llu %016llx", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(hash_of_output(output)));
            if (with_registers) {
                for (const StoredRegister& reg : stored_registers())
                    std::printf(" %04llx", static_cast<unsigned long long>(hash_of_register(output, reg) & 0xffff));
            }
            std::printf("\n");
        }
        std::fflush(stdout);
    }
}

void print_text(std::uint64_t seed) {
    const RandomKernel kernel = random_kernel(seed);
    std::fputs((random_module_head() + random_entry(kernel, "k", kernel.instructions.size())).c_str(), stdout);
}

void print_values(std::uint64_t seed) {
    const RandomKernel kernel = random_kernel(seed);
    Driver driver;
    driver.load(random_module_head() + random_entry(kernel, "k", kernel.instructions.size()));
    const std::vector<unsigned char> output = driver.run("k", seed);
    for (const StoredRegister& reg : stored_registers()) {
        for (unsigned thread = 0; thread < random_threads; ++thread) {
            std::uint64_t value = 0;
            std::memcpy(&value, output.data() + thread * random_thread_bytes + reg.offset, reg.bytes);
            std::printf("%llu %s thread %u: %0*llx\n", static_cast<unsigned long long>(seed), reg.name.c_str(), thread,
                        static_cast<int>(2 * reg.bytes), static_cast<unsigned long long>(value));
        }
    }
}

void print_steps(std::uint64_t seed) {
    const RandomKernel kernel = random_kernel(seed);
    const std::size_t length = kernel.instructions.size();
    std::string text = random_module_head();
    for (std::size_t count = 1; count <= length; ++count) text += random_entry(kernel, "k" + std::to_string(count), count);
    Driver driver;
    driver.load(text);
    for (std::size_t count = 1; count <= length; ++count)
        std::printf("%016llx %s\n", static_cast<unsigned long long>(hash_of_output(driver.run("k" + std::to_string(count), seed))),
                    kernel.instructions[count - 1].c_str());
}

}  // namespace

int main(int count, char** words) {
    try {
        const std::string what = count > 1 ? words[1] : "";
        const std::uint64_t seed = count > 2 ? std::stoull(words[2]) : 0;
        if (count == 4 && (what == "hashes" || what == "registers"))
            print_hashes(seed, std::stoull(words[3]), what == "registers");
        else if (count == 3 && what == "text")
            print_text(seed);
        else if (count == 3 && what == "values")
            print_values(seed);
        else if (count == 3 && what == "steps")
            print_steps(seed);
        else
            throw std::runtime_error("expected hashes FIRST COUNT, registers FIRST COUNT, text SEED, values SEED or steps SEED");
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
