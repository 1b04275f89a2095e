// Runs every opcode case on the host's GPU and prints a line for each case: its name and the hash of its results, for <gpu>_answers.txt.
// Reports on stderr where the interpreter's results differ.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "machine.hpp"
#include "opcode_cases.hpp"

namespace {

using namespace cupool::ptx;
using namespace cupool::ptx::test;

/// The required entry points of libcuda.
class Gpu {
public:
    Gpu() {
        library_ = dlopen("libcuda.so.1", RTLD_NOW);
        if (library_ == nullptr) throw std::runtime_error(dlerror());
        void* context = nullptr;
        check(call<int(unsigned)>("cuInit")(0));
        check(call<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0));
        check(call<int(void*)>("cuCtxSetCurrent")(context));
    }

    void load(const std::string& text) {
        std::vector<char> log(1 << 16);
        // CU_JIT_ERROR_LOG_BUFFER and its size.
        int options[] = {5, 6};
        void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
        const int result =
            call<int(void**, const void*, unsigned, int*, void**)>("cuModuleLoadDataEx")(&module_, text.c_str(), 2, options, values);
        if (result != 0) throw std::runtime_error("the module does not load: " + std::string(log.data()));
    }

    std::vector<Results> run(const OpcodeCase& one) {
        const std::size_t count = one.operands.size();
        std::vector<Results> results(count);
        std::uint64_t operands_address = 0;
        std::uint64_t results_address = 0;
        check(call<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2")(&operands_address, count * sizeof(Operands)));
        check(call<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2")(&results_address, count * sizeof(Results)));
        check(call<int(std::uint64_t, const void*, std::size_t)>("cuMemcpyHtoD_v2")(operands_address, one.operands.data(),
                                                                                    count * sizeof(Operands)));
        void* function = nullptr;
        check(call<int(void**, void*, const char*)>("cuModuleGetFunction")(&function, module_, one.name.c_str()));
        void* arguments[] = {&operands_address, &results_address};
        check(call<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**)>(
            "cuLaunchKernel")(function, static_cast<unsigned>(count / 32), 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
        check(call<int()>("cuCtxSynchronize")());
        check(call<int(void*, std::uint64_t, std::size_t)>("cuMemcpyDtoH_v2")(results.data(), results_address, count * sizeof(Results)));
        check(call<int(std::uint64_t)>("cuMemFree_v2")(operands_address));
        check(call<int(std::uint64_t)>("cuMemFree_v2")(results_address));
        return results;
    }

private:
    template <class Signature>
    Signature* call(const char* name) {
        return reinterpret_cast<Signature*>(dlsym(library_, name));
    }

    static void check(int result) {
        if (result != 0) throw std::runtime_error("the driver answers " + std::to_string(result));
    }

    void* library_ = nullptr;
    void* module_ = nullptr;
};

void compare(const OpcodeCase& one, const std::vector<Results>& results, Memory& memory, Loaded& loaded) {
    const std::uint64_t operands = memory.upload(one.operands);
    const std::uint64_t place = memory.allocate(results.size() * sizeof(Results));
    const Outcome outcome = loaded.run(one.name, {static_cast<std::uint32_t>(results.size() / 32)}, {32}, operands, place);
    const std::vector<Results> ours = memory.download<Results>(place, results.size());
    int different = outcome ? 0 : 1;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (ours[i] == results[i] || ++different > 3) continue;
        const Operands& o = one.operands[i];
        std::fprintf(stderr, "%s of %llx %llx %llx: GPU %llx %llx, interpreter %llx %llx\n", one.name.c_str(),
                     static_cast<unsigned long long>(o.a), static_cast<unsigned long long>(o.b), static_cast<unsigned long long>(o.c),
                     static_cast<unsigned long long>(results[i].d), static_cast<unsigned long long>(results[i].e),
                     static_cast<unsigned long long>(ours[i].d), static_cast<unsigned long long>(ours[i].e));
    }
    if (different != 0) std::fprintf(stderr, "%s: %d of %zu differ\n", one.name.c_str(), different, results.size());
}

}  // namespace

int main() {
    try {
        Gpu gpu;
        gpu.load(opcode_module());
        Memory memory;
        Loaded loaded(memory, opcode_module());
        for (const OpcodeCase& one : opcode_cases()) {
            const std::vector<Results> results = gpu.run(one);
            std::printf("%s %016llx\n", one.name.c_str(), static_cast<unsigned long long>(hash_of(results)));
            compare(one, results, memory, loaded);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
