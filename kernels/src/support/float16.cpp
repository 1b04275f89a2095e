#include <cupool/kernels/float16.hpp>
#include <ostream>

namespace cupool {

std::ostream& operator<<(std::ostream& out, Float16 value) { return out << static_cast<float>(value); }
std::ostream& operator<<(std::ostream& out, BFloat16 value) { return out << static_cast<float>(value); }

}  // namespace cupool
