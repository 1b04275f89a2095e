#include "src/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "formats/text.hpp"

namespace cupool::tools {
namespace {

constexpr std::size_t first_buffer = std::size_t{1} << 20;

BadInput unreadable(int error) { return {InputFault::unreadable, std::string(), std::string("cannot be read: ") + std::strerror(error)}; }

std::uint64_t size_of(int descriptor) {
    struct stat status {};
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

/// A descriptor of the file. \throws what unreadable() makes of the reason it cannot be had
int open_to_read(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw unreadable(errno);
    return descriptor;
}

}  // namespace

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

InputFile::InputFile(const std::string& path)
    : descriptor_(path == "-" ? STDIN_FILENO : open_to_read(path)), progress_("reading " + input_name(path)) {
    size_ = size_of(descriptor_);
}

InputFile::~InputFile() {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

std::size_t InputFile::read(std::span<std::uint8_t> buffer) {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
        const auto count = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw unreadable(errno);
        if (count == 0) break;
        filled += static_cast<std::size_t>(count);
    }
    position_ += filled;
    progress_.update(position_, size_);
    return filled;
}

template <class T>
std::vector<T> read_elements(InputFile& file) {
    static_assert(std::endian::native == std::endian::little);
    std::vector<T> elements(first_buffer / sizeof(T));
    std::size_t size = 0;
    for (;;) {
        auto* const bytes = reinterpret_cast<std::uint8_t*>(elements.data());
        const auto capacity = elements.size() * sizeof(T);
        size += file.read({bytes + size, capacity - size});
        if (size < capacity) break;
        elements.resize(2 * elements.size());
    }
    if (size == 0) throw BadInput(InputFault::empty, std::string(), "the input is empty");
    const auto whole = size / sizeof(T) * sizeof(T);
    if (whole != size) {
        throw BadInput(InputFault::length, "byte " + std::to_string(whole),
                       "the input ends inside an element of " + std::to_string(sizeof(T)) + " bytes: it has " + std::to_string(size));
    }
    elements.resize(size / sizeof(T));
    return elements;
}

template std::vector<std::int32_t> read_elements<std::int32_t>(InputFile&);
template std::vector<std::uint32_t> read_elements<std::uint32_t>(InputFile&);
template std::vector<std::int64_t> read_elements<std::int64_t>(InputFile&);
template std::vector<std::uint64_t> read_elements<std::uint64_t>(InputFile&);
template std::vector<float> read_elements<float>(InputFile&);
template std::vector<double> read_elements<double>(InputFile&);

std::vector<std::uint8_t> read_all(InputFile& file) {
    std::vector<std::uint8_t> bytes(first_buffer);
    std::size_t size = 0;
    while ((size += file.read(std::span(bytes).subspan(size))) == bytes.size()) bytes.resize(2 * bytes.size());
    bytes.resize(size);
    return bytes;
}

bool LineReader::next() {
    while (!at_end_ && rest_.find('\n') == std::string_view::npos) refill();
    ++line_number_;
    if (rest_.empty()) return false;
    line_ = take_line(rest_);
    if (line_.size() > longest_line) throw too_long(line_number_);
    return true;
}

BadInput LineReader::too_long(std::size_t line_number) const {
    return {InputFault::length, TextPosition{line_number, 1}, "the line is longer than " + std::to_string(longest_line) + " bytes"};
}

void LineReader::refill() {
    if (rest_.size() == buffer_.size()) throw too_long(line_number_ + 1);
    std::copy(rest_.begin(), rest_.end(), buffer_.begin());
    const auto free = std::span(buffer_).subspan(rest_.size());
    const auto count = file_.read(free);
    at_end_ = count < free.size();
    rest_ = {reinterpret_cast<const char*>(buffer_.data()), rest_.size() + count};
}

}  // namespace cupool::tools
