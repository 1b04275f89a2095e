#include "loading/elf_check.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

namespace cupool::detail {

namespace {

#if defined(__x86_64__)
constexpr int own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int own_machine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr int own_machine = EM_PPC64;
#else
constexpr int own_machine = EM_NONE;  // unknown: leave the decision to the dynamic loader
#endif
constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

class OpenFile {
public:
    /// Opens without blocking: opening a FIFO would otherwise wait for a writer.
    explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    int descriptor() const { return descriptor_; }

    /// Reads exactly these bytes. \return whether all of them exist
    bool read_at(void* to, std::size_t bytes, off_t offset) const {
        return ::pread(descriptor_, to, bytes, offset) == static_cast<ssize_t>(bytes);
    }

private:
    int descriptor_;
};

std::string machine_name(int machine) {
    switch (machine) {
        case EM_386: return "x86 (32 bits)";
        case EM_X86_64: return "x86-64";
        case EM_AARCH64: return "AArch64";
        case EM_ARM: return "ARM (32 bits)";
        case EM_PPC64: return "PowerPC 64";
        default: return "ELF machine " + std::to_string(machine);
    }
}

std::string fault_of_type(mode_t mode) { return S_ISDIR(mode) ? "is a directory" : "is not a regular file"; }

}  // namespace

std::string find_elf_fault(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::string("cannot be opened: ") + std::strerror(errno);
    // Open only a regular file: opening a device may have side effects.
    if (!S_ISREG(status.st_mode)) return fault_of_type(status.st_mode);
    const OpenFile file(path);
    if (file.descriptor() < 0) return std::string("cannot be opened: ") + std::strerror(errno);
    // The path may refer to another file by now.
    if (::fstat(file.descriptor(), &status) != 0) return std::string("cannot be examined: ") + std::strerror(errno);
    if (!S_ISREG(status.st_mode)) return fault_of_type(status.st_mode);
    if (status.st_size == 0) return "is empty";
    const auto file_size = static_cast<std::uint64_t>(status.st_size);

    ElfW(Ehdr) header{};
    if (!file.read_at(header.e_ident, EI_NIDENT, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "is no ELF file";
    if (header.e_ident[EI_CLASS] != own_class)
        return "is for another architecture: it has " + std::string(header.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64") + " bits";
    if (!file.read_at(&header, sizeof(header), 0)) return "is cut short within its ELF header";
    if (own_machine != EM_NONE && header.e_machine != own_machine)
        return "is for another architecture: " + machine_name(header.e_machine) + " instead of " + machine_name(own_machine);
    if (header.e_type != ET_DYN) return "is no shared library";
    if (header.e_phentsize != sizeof(ElfW(Phdr))) return "has a damaged ELF header";

    bool has_loadable = false;
    for (unsigned index = 0; index < header.e_phnum; ++index) {
        ElfW(Phdr) segment{};
        const std::uint64_t offset = header.e_phoff + std::uint64_t{index} * sizeof(segment);
        if (offset < header.e_phoff || offset + sizeof(segment) > file_size ||
            !file.read_at(&segment, sizeof(segment), static_cast<off_t>(offset))) {
            return "is cut short within its program headers";
        }
        if (segment.p_type != PT_LOAD) continue;
        has_loadable = true;
        const std::uint64_t end = segment.p_offset + segment.p_filesz;
        if (end < segment.p_offset || end > file_size)
            return "is cut short: it has " + std::to_string(file_size) + " bytes and needs " + std::to_string(end);
    }
    return has_loadable ? std::string() : "has nothing to load";
}

}  // namespace cupool::detail
