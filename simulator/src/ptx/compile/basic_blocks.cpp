#include "ptx/compile/basic_blocks.hpp"

namespace cupool::ptx {

std::vector<BasicBlock> find_basic_blocks(const std::vector<RegisterAccess>& code) {
    const auto size = static_cast<std::uint32_t>(code.size());
    std::vector<bool> leads(size + 1, false);
    leads[0] = leads[size] = true;
    for (std::uint32_t i = 0; i < size; ++i) {
        for (const std::uint32_t target : code[i].targets) leads[target] = true;
        if (!code[i].falls_through || !code[i].targets.empty()) leads[i + 1] = true;
    }
    std::vector<BasicBlock> blocks;
    std::vector<std::uint32_t> block_at(size + 1, 0);
    for (std::uint32_t i = 0; i < size; ++i) {
        if (leads[i]) blocks.push_back({i, i, {}});
        block_at[i] = static_cast<std::uint32_t>(blocks.size() - 1);
        blocks.back().end = i + 1;
    }
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const std::uint32_t last = blocks[b].end - 1;
        for (const std::uint32_t target : code[last].targets)
            if (target < size) blocks[block_at[target]].predecessors.push_back(b);
        if (code[last].falls_through && last + 1 < size) blocks[block_at[last + 1]].predecessors.push_back(b);
    }
    return blocks;
}

}  // namespace cupool::ptx
