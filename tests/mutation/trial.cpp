#include "trial.hpp"

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <cupool/driver/driver.hpp>
#include <cupool/driver/error.hpp>
#include <cupool/simulator/simulator.hpp>
#include <stdexcept>

namespace cupool::test {
namespace {

/// Processor time, so that a busy host condemns no mutant.
constexpr rlim_t max_seconds = 60;

// What takes the place of what in this process.
std::string_view shipped_text;
std::string mutant_text;
decltype(EntryPoints::module_load_data) load_module = nullptr;

abi::Status load_mutant(abi::Module* module, const void* image, unsigned option_count, abi::JitOption* options, void** option_values) {
    const bool is_shipped = shipped_text == static_cast<const char*>(image);
    return load_module(module, is_shipped ? mutant_text.c_str() : image, option_count, options, option_values);
}

std::shared_ptr<const Driver> driver_of_mutants() {
    void* const library = dlopen(CUPOOL_SIMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    LoadOptions options;
    options.resolver = [library](const char* exported) -> void* {
        if (std::strncmp(exported, "cuGetProcAddress", 16) == 0) return nullptr;  // so that every name is asked for here
        void* const address = dlsym(library, exported);
        if (std::strcmp(exported, "cuModuleLoadDataEx") != 0) return address;
        load_module = reinterpret_cast<decltype(load_module)>(address);
        return reinterpret_cast<void*>(&load_mutant);
    };
    return Driver::open(options);
}

Verdict live(const ShippedModule& module, const std::string& text) {
    SimulatedDevice device;
    device.multiprocessor_count = 1;
    Simulator simulator(CUPOOL_SIMULATOR_LIBRARY, {device});
    simulator.set_checks(cupool_sim_check_all);
    shipped_text = module.text;
    mutant_text = text;
    try {
        const std::string wrong = module.run(DeviceContext::for_device(driver_of_mutants(), 0));
        return wrong.empty() ? Verdict{} : Verdict{Fate::wrong_result, wrong};
    } catch (const Error& error) {
        const std::string report = simulator.device_fault_report();
        const bool is_refused = error.category() == ErrorCategory::jit_failure || error.code() == abi::Status::not_supported;
        const Fate fate = is_refused ? Fate::refused : Fate::fault;
        return {fate, report.empty() ? error.what() : report};
    }
}

std::string everything_from(int file) {
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(count));
    return text;
}

[[noreturn]] void report(const Verdict& verdict, int file) {
    const std::string text = static_cast<char>('0' + static_cast<int>(verdict.fate)) + verdict.evidence;
    _exit(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
}

}  // namespace

std::string to_string(Fate fate) {
    switch (fate) {
        case Fate::survived: return "survived";
        case Fate::wrong_result: return "wrong result";
        case Fate::fault: return "fault";
        case Fate::refused: return "refused";
        case Fate::timed_out: return "timed out";
        case Fate::crashed: return "crashed";
    }
    return "?";
}

Verdict try_text(const ShippedModule& module, const std::string& text) {
    module.prepare();
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child == -1) throw std::runtime_error("no process");
    if (child == 0) {
        const rlimit limit{max_seconds, max_seconds + 1};
        setrlimit(RLIMIT_CPU, &limit);
        close(ends[0]);
        report(live(module, text), ends[1]);
    }
    close(ends[1]);
    const std::string answer = everything_from(ends[0]);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) return {Fate::timed_out, "more than " + std::to_string(max_seconds) + " s"};
    if (status != 0 || answer.empty()) return {Fate::crashed, "wait status " + std::to_string(status)};
    return {static_cast<Fate>(answer[0] - '0'), answer.substr(1)};
}

}  // namespace cupool::test
