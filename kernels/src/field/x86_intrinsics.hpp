#pragma once

// The compiler's intrinsics for x86-64, without the warnings that GCC 12 gives of their own undefined operands.
#if defined(__x86_64__)
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
