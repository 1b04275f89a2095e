// What the operating system knows of this process and of others.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace cupool::test {

template <class Condition>
bool becomes_true(Condition condition) {
    for (int i = 0; i < 3000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

/// Whether a process runs.
inline bool exists(int process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string words;
    std::getline(file, words);
    const std::size_t end = words.rfind(')');
    return end != std::string::npos && words.substr(end + 2, 1) != "Z";  // a zombie of another parent is none of ours
}

/// Of this process.
inline std::size_t open_descriptors() {
    std::size_t count = 0;
    DIR* const folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
}

/// How many memory files of pools this process has mapped.
inline std::size_t mapped_memory_files() {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);) count += line.find("memfd:cupool") != std::string::npos ? 1 : 0;
    return count;
}

/// How many processes run whose environment had this variable, "NAME=VALUE", when they began.
inline int processes_with_variable(const std::string& variable) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry.path() / "environ");
        for (std::string line; std::getline(file, line, '\0');) count += line == variable ? 1 : 0;
    }
    return count;
}

/// How many children of this process have ended and were not waited for.
inline int zombies() {
    int count = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream children(task.path() / "children");
        for (int process = 0; children >> process;) count += exists(process) ? 0 : 1;
    }
    return count;
}

/// Resident memory of this process, in bytes.
inline std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t virtual_pages = 0;
    std::size_t resident_pages = 0;
    file >> virtual_pages >> resident_pages;
    return resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace cupool::test
