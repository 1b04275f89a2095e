#include "loading/damaged_library.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <cupool/driver/driver.hpp>
#include <iostream>
#include <map>
#include <random>

#include "files.hpp"

namespace cupool::test {

namespace {

/// What the dynamic loader reads lies before the first segment of code, and in those after it.
std::size_t loader_size(const std::string& image) {
    ElfW(Ehdr) header;
    std::memcpy(&header, image.data(), sizeof(header));
    for (unsigned index = 0; index < header.e_phnum; ++index) {
        ElfW(Phdr) segment;
        std::memcpy(&segment, image.data() + header.e_phoff + index * sizeof(segment), sizeof(segment));
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && segment.p_offset > 0) return segment.p_offset;
    }
    return image.size();
}

std::string finding_of(const std::string& path) {
    LoadOptions options;
    options.library_path = path;
    options.trial_command = {"/proc/self/exe", "try-library"};
    LoadReport report;
    const auto driver = Driver::try_open(options, &report);
    return driver ? "taken" : report.attempts.back().finding;
}

}  // namespace

std::size_t loadable_size(const std::string& library) {
    const std::string image = read_bytes(library);
    ElfW(Ehdr) header;
    std::memcpy(&header, image.data(), sizeof(header));
    std::size_t end = 0;
    for (unsigned index = 0; index < header.e_phnum; ++index) {
        ElfW(Phdr) segment;
        std::memcpy(&segment, image.data() + header.e_phoff + index * sizeof(segment), sizeof(segment));
        if (segment.p_type == PT_LOAD) end = std::max<std::size_t>(end, segment.p_offset + segment.p_filesz);
    }
    return end;
}

int open_damaged(const std::string& library, std::uint64_t seed, int count) {
    const TemporaryFolder folder;
    std::mt19937_64 random(seed);
    const std::string image = read_bytes(library).substr(0, loadable_size(library));
    const std::size_t read_by_loader = loader_size(image);
    std::map<std::string, int> findings;
    for (int number = 0; number < count; ++number) {
        // Every other one where the loader is sure to look.
        const std::size_t place = random() % (number % 2 == 0 ? read_by_loader : image.size());
        std::string damaged = image;
        damaged[place] = static_cast<char>(damaged[place] ^ (1 + random() % 255));
        std::cout << "copy " << number << ", byte " << place << std::endl;
        // A name of its own: the dynamic loader would take it for what it has loaded already.
        const std::string path = folder.path() + "/" + std::to_string(number) + ".so";
        write_bytes(path, damaged);
        ++findings[finding_of(path)];
        std::filesystem::remove(path);
    }
    for (const auto& [finding, times] : findings) std::cout << times << " x " << finding << '\n';
    std::cout << count << " opened or refused" << std::endl;
    return 0;
}

}  // namespace cupool::test
