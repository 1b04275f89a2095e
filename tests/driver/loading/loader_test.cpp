#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "child_process.hpp"
#include "files.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

Error refusal_of(const std::string& path) {
    LoadOptions options;
    options.library_path = path;
    return error_of([&] { Driver::open(options); });
}

/// A driver made of functions in this program, by their exported names; those not named are absent.
struct MadeUpDriver {
    std::map<std::string, void*> functions;

    LoadOptions options() const {
        LoadOptions options;
        options.resolver = [this](const char* exported) {
            const auto found = functions.find(exported);
            return found == functions.end() ? nullptr : found->second;
        };
        return options;
    }
};

abi::Status answer_success() { return abi::Status::success; }

template <int Version>
abi::Status answer_version(int* version) {
    *version = Version;
    return abi::Status::success;
}

abi::Status answer_stub(int*) { return abi::Status::stub_library; }

template <class Function>
void* address_of(Function* function) {
    return reinterpret_cast<void*>(function);
}

/// Has every entry point up to a CUDA version, each answering success and doing nothing.
template <int Version>
MadeUpDriver made_up_driver() {
    MadeUpDriver driver;
    for (const EntryPointInfo& row : all_entry_points) {
        if (row.since <= Version) driver.functions[row.exported] = address_of(answer_success);
    }
    driver.functions["cuDriverGetVersion"] = address_of(answer_version<Version>);
    return driver;
}

}  // namespace

TEST_CASE("a library given by its path is taken or refused, with a reason") {
    const TemporaryFolder folder;
    SECTION("it is there") {
        LoadOptions options;
        options.library_path = CUPOOL_SIMULATOR_LIBRARY;
        const auto driver = Driver::open(options);
        CHECK(driver->version() == 13000);
        CHECK(driver->report().reason == Reason::none);
        CHECK(driver->report().simulated);
        CHECK(driver->report().library_path == std::filesystem::canonical(CUPOOL_SIMULATOR_LIBRARY));
        CHECK(driver->report().explanation().empty());
        REQUIRE(driver->report().attempts.size() == 1);
        CHECK(driver->report().attempts[0].source == "the program");
    }
    SECTION("it is not there") {
        const Error error = refusal_of(folder.path() + "/libcuda.so.1");
        CHECK(error.category() == ErrorCategory::driver_unavailable);
        CHECK(error.reason() == Reason::no_library);
        CHECK_THAT(error.what(), contains_text(folder.path()));
        CHECK_THAT(error.what(), contains_text("loader_test.cpp"));
    }
    SECTION("it is a folder") {
        const Error error = refusal_of(folder.path());
        CHECK(error.reason() == Reason::library_unusable);
        CHECK_THAT(error.what(), contains_text("directory"));
    }
    SECTION("it is a library, but no libcuda") {
        const Error error = refusal_of(CUPOOL_UNRELATED_LIBRARY);
        CHECK(error.reason() == Reason::library_unusable);
        CHECK_THAT(error.what(), contains_text("cuInit"));
    }
    SECTION("it is the toolkit's stub") {
        const Error error = refusal_of(CUPOOL_STUB_LIBRARY);
        CHECK(error.reason() == Reason::library_unusable);
        CHECK_THAT(error.what(), contains_text("stub"));
    }
    SECTION("it needs a library that is missing: the dynamic loader's words are kept") {
        // The name of a needed library in the file is changed, its length kept.
        std::string image = read_bytes(CUPOOL_SIMULATOR_LIBRARY);
        const std::size_t at = image.find("libc.so.6");
        REQUIRE(at != std::string::npos);
        image.replace(at, 9, "libX.so.6");
        const std::string path = folder.path() + "/libcuda.so.1";
        write_bytes(path, image);
        const Error error = refusal_of(path);
        CHECK(error.reason() == Reason::library_unusable);
        CHECK_THAT(error.what(), contains_text("libX.so.6"));
    }
}

TEST_CASE("what is no file to load is refused at once, wherever it is named") {
    // A process that waits for a FIFO's writer waits for ever, and so would this test.
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/libcuda.so.1";
    const auto require_refusal = [&](const char* finding) {
        CHECK_THAT(refusal_of(path).what(), contains_text(finding));
        CHECK_THAT(run_child({"probe"}, {{"CUPOOL_DRIVER", path}}).output, contains_text(finding));
        CHECK_THAT(run_child({"careful-probe"}, {{"CUPOOL_DRIVER", path}}).output, contains_text(finding));
        const Finished profiled = run_child({"profiler-range"}, {{"NVTX_INJECTION64_PATH", path}});
        CHECK(profiled.exit_code == 0);
        return run_child({"probe"}, {{"LD_LIBRARY_PATH", folder.path()}, {"CUPOOL_DRIVER", ""}});
    };
    SECTION("a FIFO") {
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        CHECK_THAT(require_refusal("is not a regular file").output, contains_text(path + " (search): is not a regular file"));
    }
    SECTION("a socket") {
        const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        REQUIRE(path.size() < sizeof(address.sun_path));
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
        require_refusal("is not a regular file");
        ::close(socket);
    }
    SECTION("a device") {
        std::filesystem::create_symlink("/dev/zero", path);
        require_refusal("is not a regular file");
    }
    SECTION("a directory") {
        std::filesystem::create_directory(path);
        require_refusal("is a directory");
    }
    SECTION("a symbolic link to itself") {
        std::filesystem::create_symlink(path, path);
        require_refusal("Too many levels of symbolic links");
    }
}

TEST_CASE("a library that this user may not read is a matter of permission") {
    const TemporaryFolder folder;
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    const std::string path = folder.path() + "/libcuda.so.1";
    write_bytes(path, read_bytes(CUPOOL_UNRELATED_LIBRARY));
    REQUIRE(::chmod(path.c_str(), 0) == 0);
    Finished child = run_child({"open-unprivileged", path});
    INFO(child.output);
    CHECK(child.exit_code == static_cast<int>(Reason::permission));
    CHECK_THAT(child.output, contains_text("Permission denied"));

    REQUIRE(::chmod(folder.path().c_str(), 0) == 0);
    child = run_child({"open-unprivileged", path});
    CHECK(child.exit_code == static_cast<int>(Reason::permission));
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
}

TEST_CASE("CUPOOL_DRIVER names the library, by an absolute path") {
    const Finished good = run_child({"probe"}, {{"CUPOOL_DRIVER", CUPOOL_SIMULATOR_LIBRARY}});
    INFO(good.output);
    CHECK(good.exit_code == 0);
    CHECK_THAT(good.output, contains_text("libcupool-sim.so"));

    const Finished relative = run_child({"probe"}, {{"CUPOOL_DRIVER", "libcupool-sim.so"}});
    CHECK(relative.exit_code == static_cast<int>(Reason::library_unusable));
    CHECK_THAT(relative.output, contains_text("absolute"));

    const Finished missing = run_child({"probe"}, {{"CUPOOL_DRIVER", "/none/libcuda.so.1"}});
    CHECK(missing.exit_code == static_cast<int>(Reason::no_library));
    CHECK_THAT(missing.output, contains_text("/none/libcuda.so.1"));
}

TEST_CASE("a setuid program does not obey CUPOOL_DRIVER") {
    const TemporaryFolder folder;
    struct statvfs mount {};
    REQUIRE(::statvfs(folder.path().c_str(), &mount) == 0);
    if (::geteuid() != 0 || (mount.f_flag & ST_NOSUID) != 0) CUPOOL_SKIP("skipped: only root can make a setuid program for another user");
    const std::string program = folder.path() + "/program";
    std::filesystem::copy_file(CUPOOL_DRIVER_CHILD, program);
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    const std::string foreign = folder.path() + "/foreign.so";
    std::filesystem::copy_file(CUPOOL_FOREIGN_LIBRARY, foreign);
    const std::vector<std::pair<std::string, std::string>> environment{{"CUPOOL_DRIVER", foreign}};

    REQUIRE(::chmod(program.c_str(), 0755) == 0);
    const Finished plain = run_child({"run-unprivileged", program, "probe"}, environment);
    INFO(plain.output);
    CHECK_THAT(plain.output, contains_text("foreign code runs"));

    REQUIRE(::chown(program.c_str(), 1, 1) == 0);
    REQUIRE(::chmod(program.c_str(), 04755) == 0);
    const Finished privileged = run_child({"run-unprivileged", program, "probe"}, environment);
    INFO(privileged.output);
    CHECK(privileged.output.find("foreign") == std::string::npos);
    CHECK(privileged.exit_code >= 0);
}

TEST_CASE("the search goes on past libraries that cannot be used") {
    const TemporaryFolder folder;
    const std::string cut = folder.path() + "/cut";
    const std::string good = folder.path() + "/good";
    const std::string stub = std::filesystem::path(CUPOOL_STUB_LIBRARY).parent_path().string();
    write_bytes(cut + "/libcuda.so.1", read_bytes(CUPOOL_SIMULATOR_LIBRARY).substr(0, 20000));
    std::filesystem::create_directory(good);
    std::filesystem::create_symlink(CUPOOL_SIMULATOR_LIBRARY, good + "/libcuda.so.1");

    const Finished found = run_child({"probe"}, {{"LD_LIBRARY_PATH", cut + ":" + stub + ":" + good}, {"CUPOOL_DRIVER", ""}});
    INFO(found.output);
    CHECK(found.exit_code == 0);
    CHECK_THAT(found.output, contains_text("cut short"));
    CHECK_THAT(found.output, contains_text("stub"));
    CHECK_THAT(found.output, contains_text(std::filesystem::canonical(CUPOOL_SIMULATOR_LIBRARY).string() + " (search): taken"));
}

TEST_CASE("a libcuda that the program has loaded comes first") {
    const TemporaryFolder good;
    std::filesystem::create_symlink(CUPOOL_SIMULATOR_LIBRARY, good.path() + "/libcuda.so.1");
    const Finished child = run_child({"load-then-probe", CUPOOL_STUB_LIBRARY}, {{"LD_LIBRARY_PATH", good.path()}, {"CUPOOL_DRIVER", ""}});
    INFO(child.output);
    CHECK(child.exit_code == 0);
    CHECK_THAT(child.output, contains_text("(already loaded): is the CUDA toolkit's stub"));
    CHECK_THAT(child.output, contains_text("(search): taken"));
}

TEST_CASE("where the search finds only what cannot be used, that is the reason") {
    if (!run_child({"probe"}, {{"CUPOOL_DRIVER", ""}}).output.starts_with("no_library")) CUPOOL_SKIP("this host has a libcuda");
    const std::string stub = std::filesystem::path(CUPOOL_STUB_LIBRARY).parent_path().string();
    const Finished child = run_child({"probe"}, {{"LD_LIBRARY_PATH", stub}, {"CUPOOL_DRIVER", ""}});
    INFO(child.output);
    CHECK(child.exit_code == static_cast<int>(Reason::library_unusable));
}

TEST_CASE("entry points are asked for by their rows' versions, never by the driver's") {
    // This driver gives an address only for exactly the version of the row.
    struct Asked {
        static abi::Status get_proc_address(const char* base, void** function, int version, std::uint64_t flags,
                                            abi::ProcAddressQueryResult*) {
            *function = nullptr;
            if (flags != 0) return abi::Status::invalid_value;
            for (const EntryPointInfo& row : all_entry_points) {
                if (std::string(row.base) == base && row.version == version) {
                    *function = std::string(base) == "cuDriverGetVersion" ? address_of(answer_version<13000>) : address_of(answer_success);
                    return abi::Status::success;
                }
            }
            return abi::Status::not_found;
        }
        static abi::Status get_proc_address_v1(const char* base, void** function, int version, std::uint64_t flags) {
            return get_proc_address(base, function, version, flags, nullptr);
        }
    };
    MadeUpDriver made_up;
    SECTION("by cuGetProcAddress_v2") { made_up.functions["cuGetProcAddress_v2"] = address_of(Asked::get_proc_address); }
    SECTION("by cuGetProcAddress, of drivers before 12.0") {
        made_up.functions["cuGetProcAddress"] = address_of(Asked::get_proc_address_v1);
    }
    const auto driver = Driver::open(made_up.options());
#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) CHECK(driver->api().member != nullptr);
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT
}

TEST_CASE("a driver without optional entry points works until one of them is called") {
    const MadeUpDriver made_up = made_up_driver<11000>();
    const auto driver = Driver::open(made_up.options());
    CHECK(driver->version() == 11000);
    CHECK(driver->api().memory_allocate_async == nullptr);
    CHECK(driver->api().launch_kernel != nullptr);

    Machine old_machine(std::vector<SimulatedDevice>(1), 11000);
    const Device device(old_machine.driver, 0);
    const Error error = error_of([&] { device.uuid(); });
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK_THAT(error.what(), contains_text("cuDeviceGetUuid needs a driver of CUDA 11.4 or newer"));
    CHECK_THAT(error.what(), contains_text("is of CUDA 11.0"));
    CHECK_FALSE(device.supports_memory_pools());
}

TEST_CASE("a driver that lacks what cupool needs is too old") {
    const MadeUpDriver made_up = made_up_driver<10020>();
    const Error error = error_of([&] { Driver::open(made_up.options()); });
    CHECK(error.reason() == Reason::driver_too_old);
    CHECK_THAT(error.what(), contains_text("11.0 or newer"));
    CHECK_THAT(error.what(), contains_text("10.2"));
}

TEST_CASE("a driver whose version should have what it lacks is unusable") {
    MadeUpDriver made_up = made_up_driver<13000>();
    made_up.functions.erase("cuLaunchKernel");
    const Error error = error_of([&] { Driver::open(made_up.options()); });
    CHECK(error.reason() == Reason::library_unusable);
    CHECK_THAT(error.what(), contains_text("cuLaunchKernel"));
}

TEST_CASE("a stub is known by its answer") {
    MadeUpDriver made_up = made_up_driver<13000>();
    made_up.functions["cuDriverGetVersion"] = address_of(answer_stub);
    const Error error = error_of([&] { Driver::open(made_up.options()); });
    CHECK(error.reason() == Reason::library_unusable);
    CHECK_THAT(error.what(), contains_text("stub"));
}

TEST_CASE("loading initialises nothing, and cuInit is called once") {
    Machine machine;
    CHECK(machine.simulator.call_count("cuInit") == 0);
    CHECK(device_count(*machine.driver) == 2);
    CHECK(devices(machine.driver).size() == 2);
    CHECK(machine.simulator.call_count("cuInit") == 1);
}

TEST_CASE("a failure of cuInit that may pass is asked for again, and one that lasts is not") {
    for (const int answer : {802, 807, 2, 46, 304, 999}) {
        Machine machine;
        machine.simulator.plan_fault("cuInit", 1, answer);
        INFO("cuInit answers " << answer);
        CHECK(static_cast<int>(machine.driver->try_initialize()) == answer);
        CHECK(machine.driver->try_initialize() == abi::Status::success);
        CHECK(device_count(*machine.driver) == 2);
        CHECK(machine.simulator.call_count("cuInit") == 2);
    }
    for (const int answer : {100, 34, 803, 804}) {
        Machine machine;
        machine.simulator.plan_fault("cuInit", 1, answer);
        INFO("cuInit answers " << answer);
        CHECK(static_cast<int>(machine.driver->try_initialize()) == answer);
        CHECK(static_cast<int>(machine.driver->try_initialize()) == answer);
        CHECK(machine.simulator.call_count("cuInit") == 1);
    }
}

TEST_CASE("a system that is not ready is an error of its own, and then ready") {
    Machine machine;
    machine.simulator.plan_fault("cuInit", 1, 802);
    const Error error = error_of([&] { Device(machine.driver, 0, {}); });
    CHECK(error.category() == ErrorCategory::not_ready);
    CHECK(error.reason() == Reason::not_ready);
    CHECK(Device(machine.driver, 0).multiprocessor_count() > 0);
}

TEST_CASE("several drivers live side by side") {
    Machine machine(std::vector<SimulatedDevice>(3));
    const MadeUpDriver made_up = made_up_driver<12040>();
    const auto other = Driver::open(made_up.options());
    const auto same = Machine::open();
    CHECK(other->version() == 12040);
    CHECK(machine.driver->version() == 13000);
    CHECK(device_count(*machine.driver) == 3);
    CHECK(device_count(*same) == 3);
}

TEST_CASE("versions are written as people write them") {
    CHECK(cuda_version_text(13000) == "13.0");
    CHECK(cuda_version_text(12080) == "12.8");
    CHECK(cuda_version_text(11020) == "11.2");
}
