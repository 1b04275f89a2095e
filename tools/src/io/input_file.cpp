#include "io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <cupool/kernels/float16.hpp>

#include "formats/text.hpp"

namespace cupool::tools {
namespace {

constexpr std::size_t first_buffer = std::size_t{1} << 20;

BadInput unreadable(int error) { return {InputFault::unreadable, std::string(), std::string("cannot be read: ") + std::strerror(error)}; }

std::uint64_t size_of(int descriptor) {
    struct stat status {};
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

/// Opens a file. \throws BadInput unreadable
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
std::size_t ElementReader<T>::fill() {
    static_assert(std::endian::native == std::endian::little);
    std::size_t size = 0;
    for (buffer_.resize(std::max(buffer_.size(), first_buffer / sizeof(T)));; buffer_.resize(2 * buffer_.size())) {
        auto* const bytes = reinterpret_cast<std::uint8_t*>(buffer_.data());
        const auto capacity = buffer_.size() * sizeof(T);
        size += file_.read({bytes + size, capacity - size});
        if (size < capacity || capacity >= chunk_bytes) return size;
    }
}

template <class T>
bool ElementReader<T>::next() {
    const auto size = fill();
    position_ += size;
    if (position_ == 0) throw BadInput(InputFault::empty, std::string(), "the input is empty");
    count_ = size / sizeof(T);
    if (const auto left_over = size % sizeof(T); left_over != 0) {
        throw BadInput(InputFault::length, "byte " + std::to_string(position_ - left_over),
                       "the input ends inside an element of " + std::to_string(sizeof(T)) + " bytes: it has " + std::to_string(position_));
    }
    return count_ != 0;
}

template class ElementReader<std::int8_t>;
template class ElementReader<std::uint8_t>;
template class ElementReader<std::int16_t>;
template class ElementReader<std::uint16_t>;
template class ElementReader<std::int32_t>;
template class ElementReader<std::uint32_t>;
template class ElementReader<std::int64_t>;
template class ElementReader<std::uint64_t>;
template class ElementReader<Float16>;
template class ElementReader<BFloat16>;
template class ElementReader<float>;
template class ElementReader<double>;

std::vector<std::uint8_t> read_all(InputFile& file, std::size_t max_bytes) {
    std::vector<std::uint8_t> bytes;
    std::size_t size = 0;
    do {
        bytes.resize(std::min(std::max(first_buffer, 2 * size), max_bytes + 1));
        size += file.read(std::span(bytes).subspan(size));
    } while (size == bytes.size() && size <= max_bytes);
    bytes.resize(size);
    if (bytes.size() > max_bytes) {
        throw BadInput(InputFault::length, std::string(),
                       "the input goes on after " + std::to_string(max_bytes) + " bytes, the most it can have");
    }
    return bytes;
}

bool LineReader::next() {
    while (!at_end_ && rest_.find('\n') == std::string_view::npos) refill();
    ++line_number_;
    if (rest_.empty()) return false;
    line_ = take_line(rest_);
    if (line_.size() > longest_line) throw too_long();
    return true;
}

void LineReader::refill() {
    if (rest_.size() == buffer_.size()) {
        ++line_number_;
        throw too_long();
    }
    std::copy(rest_.begin(), rest_.end(), buffer_.begin());
    const auto free = std::span(buffer_).subspan(rest_.size());
    const auto count = file_.read(free);
    at_end_ = count < free.size();
    rest_ = {reinterpret_cast<const char*>(buffer_.data()), rest_.size() + count};
}

BadInput LineReader::too_long() const {
    return {InputFault::length, TextPosition{line_number_, 1}, "the line is longer than " + std::to_string(longest_line) + " bytes"};
}

}  // namespace cupool::tools
