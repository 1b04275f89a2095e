#include "opcode_cases.hpp"

namespace cupool::ptx::test {

// Exchanges between lanes: expected results are the recorded ones of a GPU; warp_test.cpp has computed ones.
void add_warp_cases(std::vector<OpcodeCase>& cases) {
    const auto push = [&](const std::string& name, const std::string& text, const std::string& inputs, const std::string& outputs) {
        cases.push_back({name, text, inputs, outputs, {}, {}});
    };
    for (const std::string mode : {"up", "down", "bfly", "idx"}) {
        for (const std::string control : {"0", "31", "0x1c03", "0x100f", "0x180f", "%c"})
            push("shfl_" + mode + "_" + (control[0] == '%' ? "any" : control),
                 "shfl.sync." + mode + ".b32 %d|%e, %a, %b, " + control + ", 0xffffffff;", "www", "wp");
    }
    push("vote_all_any", "vote.sync.all.pred %d, %a, 0xffffffff;\nvote.sync.any.pred %e, %b, 0xffffffff;", "pp-", "pp");
    push("vote_uni_ballot", "vote.sync.uni.pred %d, %a, 0xffffffff;\nvote.sync.ballot.b32 %e, !%b, 0xffffffff;", "pp-", "pw");
    push("match_any_b32", ".reg .b32 few;\nand.b32 few, %a, 3;\nmatch.any.sync.b32 %d, few, 0xffffffff;", "w--", "w-");
    push("match_any_b64", ".reg .b64 few;\nand.b64 few, %a, 0x100000001;\nmatch.any.sync.b64 %d, few, 0xffffffff;", "l--", "w-");
    push("match_all_b32", ".reg .b32 few;\nand.b32 few, %a, 0x40000000;\nmatch.all.sync.b32 %d|%e, few, 0xffffffff;", "w--", "wp");
}

}  // namespace cupool::ptx::test
