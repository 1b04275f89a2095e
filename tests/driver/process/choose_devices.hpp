#pragma once

namespace cupool::test {

/// Chooses devices on threads, with guards and in a coroutine, on a machine of three. \return 0 when all was as documented; says what was
/// not
int choose_devices();

}  // namespace cupool::test
