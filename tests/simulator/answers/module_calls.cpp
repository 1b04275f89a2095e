// Modules, functions, launches.
#include <cstring>

#include "answer_recorder.hpp"

using namespace cupool::test;

namespace {

struct Log {
    char error[2048];
    char info[2048];
    std::size_t error_length;
    std::size_t info_length;
};

Status load(const Library& cuda, const void* image, Log& log, Module& module) {
    std::memset(log.error, '#', sizeof(log.error));
    std::memset(log.info, '#', sizeof(log.info));
    JitOption options[] = {JitOption::error_log_buffer, JitOption::error_log_buffer_size_bytes, JitOption::info_log_buffer,
                           JitOption::info_log_buffer_size_bytes, JitOption::log_verbose};
    void* values[] = {log.error, reinterpret_cast<void*>(sizeof(log.error)), log.info, reinterpret_cast<void*>(sizeof(log.info)),
                      reinterpret_cast<void*>(std::uintptr_t{1})};
    const Status result = cuda.module_load_data(&module, image, 5, options, values);
    log.error_length = reinterpret_cast<std::size_t>(values[1]);
    log.info_length = reinterpret_cast<std::size_t>(values[3]);
    return result;
}

}  // namespace

CALL_GROUP("module images") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    Log log;
    const auto attempt = [&](const std::string& what, const std::string& text) {
        Module module{};
        const Status result = load(cuda, text.c_str(), log, module);
        recorder.note(what, result);
        if (result == Status::success) {
            recorder.note(what + ": unload", cuda.module_unload(module));
        }
        recorder.note(what + ": error log has text", log.error[0] != '#' && log.error[0] != '\0');
        if (log.error[0] != '#') {
            recorder.note_number(what + ": reported length less text", log.error_length - std::strlen(log.error));
        } else {
            recorder.note_number(what + ": reported length", log.error_length);
        }
    };
    Module module{};
    recorder.note("null", cuda.module_load_data(&module, nullptr, 0, nullptr, nullptr));
    recorder.note("into null", cuda.module_load_data(nullptr, kernels_text, 0, nullptr, nullptr));
    attempt("good", kernels_text);
    attempt("empty", "");
    attempt("garbage", "this is no PTX at all");
    attempt("no version", ".target sm_75\n.address_size 64\n");
    attempt("version 99.9", ".version 99.9\n.target sm_75\n.address_size 64\n");
    attempt("version 9.1", ".version 9.1\n.target sm_75\n.address_size 64\n");
    attempt("version 9.0", ".version 9.0\n.target sm_75\n.address_size 64\n");
    attempt("target sm_999", ".version 6.3\n.target sm_999\n.address_size 64\n");
    attempt("target sm_100", ".version 8.6\n.target sm_100\n.address_size 64\n");
    attempt("target sm_90a", ".version 8.0\n.target sm_90a\n.address_size 64\n");
    attempt("no target", ".version 6.3\n.address_size 64\n");
    attempt("no entries", ".version 6.3\n.target sm_75\n.address_size 64\n");
    attempt("no address size", ".version 6.3\n.target sm_75\n.visible .entry f() { ret; }\n");
    attempt("address size 32", ".version 6.3\n.target sm_75\n.address_size 32\n.visible .entry f() { ret; }\n");
    attempt("unknown opcode", ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry f()\n{\n frobnicate.u32 1, 2;\n ret;\n}\n");
    attempt("undeclared register", ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry f()\n{\n mov.u32 %r1, 2;\n ret;\n}\n");
    attempt("missing brace", ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry f()\n{\n ret;\n");
    attempt("missing semicolon", ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry f()\n{\n ret\n}\n");
    attempt("duplicate entry",
            ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry f()\n{\n ret;\n}\n.visible .entry f()\n{\n ret;\n}\n");
    attempt("unresolved extern",
            ".version 6.3\n.target sm_75\n.address_size 64\n.extern .func g();\n.visible .entry f()\n{\n call g;\n ret;\n}\n");
    attempt("too much shared",
            ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry f()\n{\n .shared .b8 s[100000];\n .reg .b32 %r;\n mov.u32 %r, "
            "s;\n st.shared.u32 [%r], %r;\n "
            "ret;\n}\n");
    attempt("elf magic",
            "\x7f"
            "ELF garbage");
    char small[8];
    std::memset(small, '#', sizeof(small));
    JitOption options[] = {JitOption::error_log_buffer, JitOption::error_log_buffer_size_bytes};
    void* values[] = {small, reinterpret_cast<void*>(sizeof(small))};
    recorder.note("short buffer", cuda.module_load_data(&module, "garbage", 2, options, values));
    recorder.note("short buffer ends", std::string(small, sizeof(small)).find('\0') != std::string::npos);
    recorder.note("short buffer text", std::string(small, sizeof(small)).c_str());
    recorder.note_number("short buffer length", reinterpret_cast<std::uintptr_t>(values[1]));
    recorder.note("options null with count", cuda.module_load_data(&module, kernels_text, 1, nullptr, nullptr));
    JitOption unknown[] = {static_cast<JitOption>(999)};
    void* none[] = {nullptr};
    recorder.note("unknown option", cuda.module_load_data(&module, kernels_text, 1, unknown, none));
}

CALL_GROUP("functions and variables") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Module module = recorder.module(kernels_text);
    Function function{};
    recorder.note("unknown function", cuda.module_get_function(&function, module, "no_such"));
    recorder.note("empty name", cuda.module_get_function(&function, module, ""));
    recorder.note("null name", cuda.module_get_function(&function, module, nullptr));
    recorder.note("into null", cuda.module_get_function(nullptr, module, "nothing"));
    recorder.note("null module", cuda.module_get_function(&function, nullptr, "nothing"));
    Function again{};
    recorder.note("function", cuda.module_get_function(&function, module, "nothing"));
    recorder.note("again", cuda.module_get_function(&again, module, "nothing"));
    recorder.note("same handle", function == again);
    DevicePointer pointer = 0;
    std::size_t bytes = 0;
    recorder.note("variable", cuda.module_get_global(&pointer, &bytes, module, "table"));
    recorder.note_number("variable bytes", bytes);
    recorder.note("constant", cuda.module_get_global(&pointer, &bytes, module, "constants"));
    recorder.note_number("constant bytes", bytes);
    recorder.note("unknown variable", cuda.module_get_global(&pointer, &bytes, module, "no_such"));
    recorder.note("variable of a function's name", cuda.module_get_global(&pointer, &bytes, module, "nothing"));
    recorder.note("variable into nulls", cuda.module_get_global(nullptr, nullptr, module, "table"));
    recorder.note("variable's size into null", cuda.module_get_global(&pointer, nullptr, module, "table"));
    recorder.note("variable's address into null", cuda.module_get_global(nullptr, &bytes, module, "table"));
    recorder.note("variable of an empty name", cuda.module_get_global(&pointer, &bytes, module, ""));
    recorder.note("variable null name", cuda.module_get_global(&pointer, &bytes, module, nullptr));
    cuda.module_get_global(&pointer, &bytes, module, "table");
    std::uint64_t value = 1;
    recorder.note("copy from the variable", cuda.copy_device_to_host(&value, pointer, 8));
    recorder.note_number("starts as", value);
    recorder.note("copy past the variable", cuda.copy_device_to_host(&value, pointer + 60, 8));
    int number = -1;
    const auto attribute = [&](const char* name, Function of, FunctionAttribute which) {
        number = -1;
        recorder.note(name, of == nullptr ? Status::unknown : cuda.function_get_attribute(&number, which, of));
        recorder.note(std::string(name) + " value", std::to_string(number));
    };
    const Function shared = recorder.function(module, "uses_shared");
    attribute("threads", function, FunctionAttribute::max_threads_per_block);
    attribute("threads of at_most_128", recorder.function(module, "at_most_128"), FunctionAttribute::max_threads_per_block);
    attribute("threads of exactly_64", recorder.function(module, "exactly_64"), FunctionAttribute::max_threads_per_block);
    attribute("shared", shared, FunctionAttribute::shared_size_bytes);
    attribute("local", function, FunctionAttribute::local_size_bytes);
    attribute("ptx version", function, FunctionAttribute::ptx_version);
    attribute("binary version", function, FunctionAttribute::binary_version);
    attribute("dynamic shared", function, FunctionAttribute::max_dynamic_shared_size_bytes);
    attribute("dynamic shared beside static", shared, FunctionAttribute::max_dynamic_shared_size_bytes);
    recorder.note("unknown attribute", cuda.function_get_attribute(&number, static_cast<FunctionAttribute>(999), function));
    recorder.note("attribute into null", cuda.function_get_attribute(nullptr, FunctionAttribute::register_count, function));
    recorder.note("attribute of null", cuda.function_get_attribute(&number, FunctionAttribute::register_count, nullptr));
    const auto set = [&](const char* name, Function of, int wanted) {
        recorder.note(name, cuda.function_set_attribute(of, FunctionAttribute::max_dynamic_shared_size_bytes, wanted));
    };
    set("dynamic shared to 65536", function, 65536);
    attribute("dynamic shared then", function, FunctionAttribute::max_dynamic_shared_size_bytes);
    set("dynamic shared to 232448", function, 232448);
    set("dynamic shared to 232449", function, 232449);
    set("dynamic shared beside static to 232448", shared, 232448);
    set("dynamic shared beside static to 231424", shared, 231424);
    set("dynamic shared to 0", function, 0);
    set("dynamic shared to -1", function, -1);
    attribute("dynamic shared after -1", function, FunctionAttribute::max_dynamic_shared_size_bytes);
    recorder.note("set registers", cuda.function_set_attribute(function, FunctionAttribute::register_count, 16));
    recorder.note("unload null", cuda.module_unload(nullptr));
    recorder.note("unload", cuda.module_unload(module));
    recorder.note("its variable", cuda.copy_device_to_host(&value, pointer, 8));
}

CALL_GROUP("unloaded module: unload") {
    recorder.begin();
    const Module module = recorder.module(kernels_text);
    recorder.note("unload", recorder.cuda.module_unload(module));
    recorder.note("unload again", recorder.cuda.module_unload(module));
}

CALL_GROUP("unloaded module: get function") {
    recorder.begin();
    const Module module = recorder.module(kernels_text);
    recorder.note("unload", recorder.cuda.module_unload(module));
    Function function{};
    recorder.note("get function", recorder.cuda.module_get_function(&function, module, "nothing"));
}

CALL_GROUP("unloaded module: launch") {
    recorder.begin();
    const Module module = recorder.module(kernels_text);
    const Function function = recorder.function(module, "nothing");
    recorder.note("unload", recorder.cuda.module_unload(module));
    recorder.note("launch", recorder.cuda.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
}

CALL_GROUP("launches") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Module module = recorder.module(kernels_text);
    const Function nothing = recorder.function(module, "nothing");
    const Function shared = recorder.function(module, "uses_shared");
    const auto launch = [&](const char* name, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned dynamic) {
        recorder.note(name, cuda.launch_kernel(nothing, gx, gy, gz, bx, by, bz, dynamic, nullptr, nullptr, nullptr));
    };
    launch("grid x 0", 0, 1, 1, 1, 1, 1, 0);
    launch("grid y 0", 1, 0, 1, 1, 1, 1, 0);
    launch("grid z 0", 1, 1, 0, 1, 1, 1, 0);
    launch("block x 0", 1, 1, 1, 0, 1, 1, 0);
    launch("block z 0", 1, 1, 1, 1, 1, 0, 0);
    launch("grid x 2^31", 2147483648U, 1, 1, 1, 1, 1, 0);
    launch("grid y 65536", 1, 65536, 1, 1, 1, 1, 0);
    launch("grid z 65536", 1, 1, 65536, 1, 1, 1, 0);
    launch("block 1025", 1, 1, 1, 1025, 1, 1, 0);
    launch("block 1024 x 2", 1, 1, 1, 1024, 2, 1, 0);
    launch("block z 65", 1, 1, 1, 1, 1, 65, 0);
    launch("block 32 x 32", 1, 1, 1, 32, 32, 1, 0);
    launch("dynamic shared 49152", 1, 1, 1, 1, 1, 1, 49152);
    launch("dynamic shared 49153", 1, 1, 1, 1, 1, 1, 49153);
    launch("dynamic shared 300000", 1, 1, 1, 1, 1, 1, 300000);
    cuda.function_set_attribute(nothing, FunctionAttribute::max_dynamic_shared_size_bytes, 65536);
    launch("dynamic shared 65536 when set", 1, 1, 1, 1, 1, 1, 65536);
    launch("dynamic shared 65537 when set", 1, 1, 1, 1, 1, 1, 65537);
    DevicePointer memory = recorder.memory(256);
    void* parameters[] = {&memory};
    recorder.note("beside static shared, 48128", cuda.launch_kernel(shared, 1, 1, 1, 32, 1, 1, 48128, nullptr, parameters, nullptr));
    recorder.note("beside static shared, 48129", cuda.launch_kernel(shared, 1, 1, 1, 32, 1, 1, 48129, nullptr, parameters, nullptr));
    const Function bounded = recorder.function(module, "at_most_128");
    recorder.note("at_most_128 of 128", cuda.launch_kernel(bounded, 1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("at_most_128 of 129", cuda.launch_kernel(bounded, 1, 1, 1, 129, 1, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("at_most_128 of 64 x 2", cuda.launch_kernel(bounded, 1, 1, 1, 64, 2, 1, 0, nullptr, nullptr, nullptr));
    const Function fixed = recorder.function(module, "exactly_64");
    recorder.note("exactly_64 of 64", cuda.launch_kernel(fixed, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("exactly_64 of 32", cuda.launch_kernel(fixed, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("exactly_64 of 32 x 2", cuda.launch_kernel(fixed, 1, 1, 1, 32, 2, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("null function", cuda.launch_kernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    recorder.note("synchronize", cuda.context_synchronize());
    const Function store = recorder.function(module, "store");
    struct {
        DevicePointer pointer;
        unsigned value;
    } packed{memory, 41};
    std::size_t size = 12;
    void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &size, nullptr};
    recorder.note("packed parameters", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    unsigned stored = 0;
    cuda.copy_device_to_host(&stored, memory, 4);
    recorder.note_number("stored", stored);
    void* both[] = {&packed.pointer, &packed.value};
    recorder.note("both kinds of parameters", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, both, extra));
    size = 16;
    recorder.note("packed too large", cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    recorder.note("synchronize at the end", cuda.context_synchronize());
}

CALL_GROUP("launch without parameters it needs") {
    recorder.begin();
    const Function store = recorder.function(recorder.module(kernels_text), "store");
    recorder.note("launch", recorder.cuda.launch_kernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
}

CALL_GROUP("occupancy") {
    const Library& cuda = recorder.cuda;
    recorder.begin();
    const Module module = recorder.module(kernels_text);
    const Function nothing = recorder.function(module, "nothing");
    const Function shared = recorder.function(module, "uses_shared");
    const auto blocks = [&](const std::string& name, Function function, int size, std::size_t dynamic) {
        int count = -1;
        recorder.note(name, cuda.occupancy_max_active_blocks(&count, function, size, dynamic));
        recorder.note(name + " count", std::to_string(count));
    };
    for (const int size : {1, 31, 32, 33, 64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
        blocks("block " + std::to_string(size), nothing, size, 0);
    }
    blocks("block 0", nothing, 0, 0);
    blocks("block -1", nothing, -1, 0);
    blocks("block 1025", nothing, 1025, 0);
    for (const std::size_t bytes : {1024, 10000, 20000, 49152, 49153, 300000}) {
        blocks("dynamic " + std::to_string(bytes), nothing, 32, bytes);
    }
    blocks("static shared", shared, 32, 0);
    blocks("static and dynamic shared", shared, 32, 7168);
    blocks("at_most_128 of 256", recorder.function(module, "at_most_128"), 256, 0);
    recorder.note("into null", cuda.occupancy_max_active_blocks(nullptr, nothing, 32, 0));
    int count = 0;
    recorder.note("null function", cuda.occupancy_max_active_blocks(&count, nullptr, 32, 0));
}
