#include "loading/library_search.hpp"

#include <cstdint>
#include <cstring>

#include "files.hpp"
#include "machine.hpp"

using namespace cupool;
using namespace cupool::test;

namespace {

void append_number(std::string& bytes, std::uint32_t number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof(number)); }

/// A cache of the dynamic loader, laid out as glibc's 1.1 format is.
std::string make_cache(const std::vector<std::pair<std::string, std::string>>& libraries) {
    std::string strings;
    std::string entries;
    const auto strings_start = static_cast<std::uint32_t>(48 + 24 * libraries.size());
    for (const auto& [name, path] : libraries) {
        append_number(entries, 0x0303);
        append_number(entries, strings_start + static_cast<std::uint32_t>(strings.size()));
        strings += name + '\0';
        append_number(entries, strings_start + static_cast<std::uint32_t>(strings.size()));
        strings += path + '\0';
        append_number(entries, 0);
        entries.append(8, '\0');
    }
    std::string cache = "glibc-ld.so.cache1.1";
    append_number(cache, static_cast<std::uint32_t>(libraries.size()));
    append_number(cache, static_cast<std::uint32_t>(strings.size()));
    cache.resize(48);
    return cache + entries + strings;
}

}  // namespace

TEST_CASE("the dynamic loader's cache is read") {
    const std::string cache =
        make_cache({{"libb.so", "/x/libb.so"}, {"libcuda.so.1", "/a/libcuda.so.1"}, {"libcuda.so.1", "/b/libcuda.so.1"}});
    using Paths = std::vector<std::string>;
    CHECK(detail::find_in_loader_cache(cache, "libcuda.so.1") == Paths{"/a/libcuda.so.1", "/b/libcuda.so.1"});
    CHECK(detail::find_in_loader_cache(cache, "libcuda.so").empty());
    // The older layout stands in front of the newer one.
    CHECK(detail::find_in_loader_cache("ld.so-1.7.0 and some entries" + cache, "libb.so") == Paths{"/x/libb.so"});
}

TEST_CASE("a damaged cache is not believed") {
    const std::string cache = make_cache({{"libcuda.so.1", "/a/libcuda.so.1"}, {"libb.so", "/x/libb.so"}});
    for (std::size_t size = 0; size < cache.size(); ++size)
        CHECK_NOTHROW(detail::find_in_loader_cache(cache.substr(0, size), "libcuda.so.1"));
    for (std::size_t index = 20; index < cache.size(); ++index) {
        std::string damaged = cache;
        damaged[index] = '\xff';
        CHECK_NOTHROW(detail::find_in_loader_cache(damaged, "libcuda.so.1"));
    }
}

TEST_CASE("a library that every program has is found where the dynamic loader finds it") {
    const std::vector<std::string> files = detail::find_library_files("libc.so.6");
    REQUIRE_FALSE(files.empty());
    Dl_info info{};
    REQUIRE(::dladdr(reinterpret_cast<void*>(&::getenv), &info) != 0);
    CHECK(std::filesystem::canonical(files.front()) == std::filesystem::canonical(info.dli_fname));
    CHECK(detail::find_library_files("libcupool-that-does-not-exist.so.1").empty());
}
