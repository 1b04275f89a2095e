#include "ptx/run/warp.hpp"

namespace cupool::ptx {

void Warp::use_frame(const std::vector<Frame>& frames) {
    const Frame base = frames.empty() ? Frame{} : frames.back();
    banks_[static_cast<std::size_t>(Bank::frame32)] = frame32_.data() + base.frame32;
    banks_[static_cast<std::size_t>(Bank::frame64)] = frame64_.data() + base.frame64;
    banks_[static_cast<std::size_t>(Bank::frame_predicate)] = frame_predicate_.data() + base.frame_predicate;
}

// The frame of a call from the running function: directly after the caller's frame.
Frame Warp::frame_after(std::uint32_t call) const {
    const std::uint32_t entry = launch_.entry_point.function;
    const Frame caller = running_.frames.empty() ? Frame{} : running_.frames.back();
    const Function& function = launch_.module.functions[running_.frames.empty() ? entry : caller.function];
    Frame frame;
    frame.return_position = position_;
    frame.call = call;
    frame.function = launch_.module.calls[call].function;
    frame.frame32 = caller.frame32 + function.frame32_bytes;
    frame.frame64 = caller.frame64 + function.frame64_bytes;
    frame.frame_predicate = caller.frame_predicate + function.frame_predicate_bytes;
    frame.local = caller.local + function.local_bytes;
    frame.stack = (running_.frames.empty() ? function.stack_bytes : caller.stack) + launch_.module.functions[frame.function].stack_bytes;
    return frame;
}

void Warp::reserve(const Frame& frame) {
    const Function& function = launch_.module.functions[frame.function];
    const auto grow = [](AlignedBytes& bytes, std::size_t needed) {
        if (bytes.size() < needed) bytes.resize(2 * needed);
    };
    grow(frame32_, frame.frame32 + function.frame32_bytes);
    grow(frame64_, frame.frame64 + function.frame64_bytes);
    grow(frame_predicate_, frame.frame_predicate + function.frame_predicate_bytes);
}

void Warp::call(std::uint32_t mask, std::uint32_t call) {
    const Frame frame = frame_after(call);
    const Function& callee = launch_.module.functions[frame.function];
    const std::uint32_t stack_limit = launch_.limits.device_stack_bytes;
    if (launch_.entry_point.recursive && (frame.stack > stack_limit || running_.frames.size() == max_calls)) {
        throw LaneFault{Fault::illegal_address, static_cast<unsigned>(std::countr_zero(mask)), frame.local,
                        "call of '" + callee.name + "' overflows the stack of " + std::to_string(stack_limit) +
                            " bytes a thread (CU_LIMIT_STACK_SIZE)"};
    }
    reserve(frame);
    use_frame();
    forget_frame(frame, mask);
    copy_arguments(frame, mask);
    if (mask != running_.lanes) {
        // Lanes that do not take the call continue after it.
        LaneGroup others = running_;
        others.lanes &= ~mask;
        others.position = position_;
        others.last_turn = executed_;
        running_.lanes = mask;
        waiting_.push_back(std::move(others));
    }
    running_.frames.push_back(frame);
    position_ = callee.first_instruction;
    use_frame();
    if (!waiting_.empty()) stop_position_ = 0;
}

void Warp::return_from(std::uint32_t mask) {
    if (running_.frames.empty()) {
        exit(mask);
        return;
    }
    const Frame frame = running_.frames.back();
    if (mask != running_.lanes) {
        LaneGroup others = running_;
        others.lanes &= ~mask;
        others.position = position_;
        others.last_turn = executed_;
        running_.lanes = mask;
        waiting_.push_back(std::move(others));
    }
    running_.frames.pop_back();
    position_ = frame.return_position;
    use_frame();
    copy_results(frame, mask);
    if (!waiting_.empty()) stop_position_ = 0;
}

// Marks a frame as unwritten when its function begins, whatever was there before.
void Warp::forget_frame(const Frame& frame, std::uint32_t mask) {
    if (!launch_.launch.checks.initialisation) return;
    const bool is_entry = frame.return_position == 0;
    const Function& function = launch_.module.functions[is_entry ? launch_.entry_point.function : frame.function];
    for (std::uint32_t i = 0; i < function.flag_count; ++i) {
        std::byte* const flag = frame_predicate_.data() + frame.frame_predicate + function.first_flag + i * predicate_bytes;
        std::uint32_t word = 0;
        std::memcpy(&word, flag, sizeof word);
        word &= ~mask;
        std::memcpy(flag, &word, sizeof word);
    }
    for (std::uint32_t rest = mask; rest != 0 && local_initialised_.size() != 0; rest &= rest - 1)
        std::memset(local_initialised(static_cast<unsigned>(std::countr_zero(rest))) + frame.local, 0, function.local_bytes);
}

void Warp::copy_arguments(const Frame& callee, std::uint32_t mask) {
    for (const Transfer& transfer : launch_.module.calls[callee.call].arguments) {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const std::uint32_t to = callee.local + transfer.callee_offset;
            if (transfer.in_register) {
                const std::uint64_t bits = value(transfer.operand, lane);
                std::memcpy(local(lane) + to, &bits, transfer.size);
                if (local_initialised_.size() != 0)
                    std::memset(local_initialised(lane) + to, static_cast<int>(initialised_byte), transfer.size);
            } else {
                copy_local(lane, to, local_frame() + transfer.caller_offset, transfer.size);
            }
        }
    }
}

// Copies shadow memory too: unwritten bytes remain unwritten.
void Warp::copy_local(unsigned lane, std::uint32_t to, std::uint32_t from, std::uint32_t bytes) {
    std::memcpy(local(lane) + to, local(lane) + from, bytes);
    if (local_initialised_.size() != 0) std::memcpy(local_initialised(lane) + to, local_initialised(lane) + from, bytes);
}

// The caller's frame is in use again; the callee's bytes are still above it.
void Warp::copy_results(const Frame& callee, std::uint32_t mask) {
    for (const Transfer& transfer : launch_.module.calls[callee.call].results) {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const std::uint32_t from = callee.local + transfer.callee_offset;
            if (transfer.in_register) {
                std::uint64_t bits = 0;
                std::memcpy(&bits, local(lane) + from, transfer.size);
                set_value(transfer.operand, lane, bits);
            } else {
                copy_local(lane, local_frame() + transfer.caller_offset, from, transfer.size);
            }
        }
    }
}

}  // namespace cupool::ptx
