// What the CUDA toolkit's stub of libcuda does: it exports everything and answers 34 to every call.

#include <cupool/driver/abi.hpp>

namespace cupool::abi {

#define CUPOOL_ENTRY_POINT(member, base, version, exported, need, since, signature) \
    extern "C" Status fake_##member signature __asm__(exported);                    \
    extern "C" Status fake_##member signature { return Status::stub_library; }
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include <cupool/driver/entry_points.def>
#undef CUPOOL_ENTRY_POINT

extern "C" Status cuGetProcAddress_v2(const char*, void**, int, std::uint64_t, ProcAddressQueryResult*) { return Status::stub_library; }

}  // namespace cupool::abi
