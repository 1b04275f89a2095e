#include "ptx/checks/access_history.hpp"

namespace cupool::ptx {

void AccessHistory::Page::split(unsigned finer) {
    std::vector<AccessCell> split(std::size_t{1} << (page_shift - finer));
    for (std::size_t i = 0; i < split.size(); ++i) split[i] = cells[i >> (granule - finer)];
    cells = std::move(split);
    granule = finer;
}

}  // namespace cupool::ptx
