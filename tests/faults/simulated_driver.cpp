#include "simulated_driver.hpp"

namespace cupool::test {

LoadOptions simulated_driver() {
    LoadOptions options;
    options.library_path = CUPOOL_SIMULATOR_LIBRARY;
    return options;
}

}  // namespace cupool::test
