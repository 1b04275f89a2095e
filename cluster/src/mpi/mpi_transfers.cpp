#include <algorithm>
#include <array>
#include <cstring>

#include "mpi_pool_state.hpp"
#include "tags.hpp"
#include "tree_broadcast.hpp"
#include "worker_process/message_bytes.hpp"

namespace cupool {

namespace {

using detail::FirstFailure;
using detail::MessageMemory;
using detail::MessageReader;
using detail::MessageWriter;
using detail::RankLink;
using detail::TransferOperand;

void require_rank(const RankLink& link, int rank, const char* role) {
    if (rank >= 0 && rank < link.size()) return;
    throw Error(ErrorCategory::invalid_argument, std::string("there is no rank ") + std::to_string(rank) + ", which is given as the " +
                                                     role + ": there are " + std::to_string(link.size()));
}

}  // namespace

MpiReport MpiPool::broadcast_bytes(const detail::RankArray& array, int root, const SourceLocation& where) const {
    State& all = state(where);
    return all.collective_call(where, [&](MpiReport& report) {
        TransferOperand operand;
        std::optional<detail::TreeBroadcast> tree;
        const std::string call = "broadcast of " + std::to_string(array.bytes) + " bytes from rank " + std::to_string(root);
        const auto prepare = [&] {
            require_rank(all.link, root, "root");
            operand = all.operand(array, report, where);
            tree.emplace(all.link, operand, std::min(all.options.chunk_bytes, array.bytes));
        };
        detail::transfer_between_ranks(all.link, call, prepare, [&](FirstFailure& failure) { tree->run(operand, root, failure); });
    });
}

namespace {

/// The bytes of all ranks' inputs, which each of them tells the others.
std::vector<std::size_t> sizes_of(const std::vector<std::vector<std::byte>>& payloads) {
    std::vector<std::size_t> sizes;
    for (const std::vector<std::byte>& payload : payloads)
        sizes.push_back(static_cast<std::size_t>(MessageReader(payload).number<std::uint64_t>()));
    return sizes;
}

/// Copies by way of ordinary or page-locked memory.
void copy_operand(const TransferOperand& from, const TransferOperand& to, const MessageMemory& chunk) {
    for (std::size_t offset = 0; offset < from.size(); offset += chunk.bytes().size()) {
        const MessageMemory part = chunk.part(0, std::min(chunk.bytes().size(), from.size() - offset));
        from.read(offset, part);
        to.write(offset, part);
    }
}

}  // namespace

MpiReport MpiPool::gather_bytes(const detail::RankArray& input, const detail::RankArray& output, const SourceLocation& where) const {
    State& all = state(where);
    return all.collective_call(where, [&](MpiReport& report) {
        const std::string call =
            "all_gather of elements of " + std::to_string(input.element_size) + " bytes to " + std::to_string(output.bytes) + " bytes";
        const auto sizes = sizes_of(detail::agree(all.link, {call, MessageWriter().number<std::uint64_t>(input.bytes).take()}));
        TransferOperand from;
        TransferOperand to;
        std::optional<detail::TreeBroadcast> tree;
        MessageMemory chunk;
        const auto prepare = [&] {
            std::size_t total = 0;
            for (const std::size_t size : sizes) total += size;
            if (output.bytes != total) {
                throw Error(ErrorCategory::invalid_argument, "all_gather: the inputs have " + std::to_string(total) +
                                                                 " bytes together, the output has " + std::to_string(output.bytes));
            }
            from = all.operand(input, report, where);
            to = all.operand(output, report, where);
            const std::size_t chunk_bytes = std::min(all.options.chunk_bytes, total);
            tree.emplace(all.link, from.is_on_device() ? from : to, chunk_bytes);
            chunk = (from.is_on_device() ? from : to).chunk_memory(chunk_bytes);
        };
        detail::transfer_between_ranks(all.link, call, prepare, [&](FirstFailure& failure) {
            std::size_t offset = 0;
            for (int root = 0; root < all.link.size(); ++root) {
                const std::size_t size = sizes[static_cast<std::size_t>(root)];
                const TransferOperand place = to.part(offset, size);
                const bool is_own = root == all.link.rank();
                if (is_own && !from.is_same_memory(place)) failure.guard([&] { copy_operand(from, place, chunk); });
                tree->run(is_own ? from : place, root, failure);
                offset += size;
            }
        });
    });
}

namespace {

/// What precedes an array that one rank sends to another one.
struct ArrayHeader {
    std::uint64_t bytes = 0;
    std::uint64_t element_size = 1;
    std::uint64_t chunk_bytes = 1;
};

/// What follows it: why it is not right, or nothing.
using Trailer = std::array<char, 512>;

int checked_tag(const RankLink& link, int other, int tag) {
    require_rank(link, other, "other side");
    if (other == link.rank()) throw Error(ErrorCategory::invalid_argument, "a rank cannot send to itself");
    if (tag < 0 || tag > detail::max_program_tag) {
        throw Error(ErrorCategory::invalid_argument,
                    "the tag is " + std::to_string(tag) + "; it must be from 0 to " + std::to_string(detail::max_program_tag));
    }
    return detail::tags::first_of_program + tag;
}

template <class T>
MessageMemory memory_with(const T& content) {
    const auto bytes = std::as_bytes(std::span(&content, 1));
    return MessageMemory::of({bytes.begin(), bytes.end()});
}

template <class T>
T received(RankLink& link, int from, int tag) {
    const MessageMemory memory = MessageMemory::of_size(sizeof(T));
    link.wait(link.receive(memory, from, tag));
    T content{};
    std::memcpy(&content, memory.bytes().data(), sizeof(T));
    return content;
}

Trailer trailer_of(const std::exception_ptr& failure) {
    Trailer trailer{};
    detail::failure_text(failure).copy(trailer.data(), trailer.size() - 1);
    return trailer;
}

/// Two pieces of memory that chunks use in turn, so that one is copied while the other one travels.
struct TwoChunks {
    TwoChunks() = default;
    TwoChunks(const TransferOperand& operand, std::size_t bytes) : memory{operand.chunk_memory(bytes), operand.chunk_memory(bytes)} {}

    std::array<MessageMemory, 2> memory;
    std::array<RankLink::Pending, 2> pending;
};

/// Of nothing if there was a failure.
void send_chunks(RankLink& link, const TransferOperand& operand, TwoChunks chunks, std::size_t chunk_bytes, int to, int tag,
                 FirstFailure& failure) {
    std::size_t turn = 0;
    for (std::size_t offset = 0; offset < operand.size(); offset += chunk_bytes, turn ^= 1) {
        if (chunks.pending[turn]) link.wait(chunks.pending[turn]);
        MessageMemory part = chunks.memory[turn].part(0, std::min(chunk_bytes, operand.size() - offset));
        failure.guard([&] { part = operand.outgoing(offset, part); });
        chunks.pending[turn] = link.send(part, to, tag);
    }
    for (const RankLink::Pending& pending : chunks.pending) {
        if (pending) link.wait(pending);
    }
}

/// Receives what the header announces, and writes it if the operand is as large.
void receive_chunks(RankLink& link, const TransferOperand& operand, const ArrayHeader& header, int from, int tag, FirstFailure& failure) {
    const auto bytes = static_cast<std::size_t>(header.bytes);
    const auto chunk_bytes = static_cast<std::size_t>(header.chunk_bytes);
    TwoChunks chunks;
    failure.guard([&] { chunks = TwoChunks(operand, std::min(chunk_bytes, bytes)); });
    if (failure.get()) chunks = TwoChunks(TransferOperand(), std::min(chunk_bytes, bytes));
    const auto part_at = [&](std::size_t offset) {
        return chunks.memory[offset / chunk_bytes % 2].part(0, std::min(chunk_bytes, bytes - offset));
    };
    const auto expect = [&](std::size_t offset) {
        if (offset < bytes) chunks.pending[offset / chunk_bytes % 2] = link.receive(part_at(offset), from, tag);
    };
    expect(0);
    for (std::size_t offset = 0; offset < bytes; offset += chunk_bytes) {
        expect(offset + chunk_bytes);
        link.wait(chunks.pending[offset / chunk_bytes % 2]);
        if (bytes == operand.size()) failure.guard([&] { operand.write(offset, part_at(offset)); });
    }
}

}  // namespace

MpiReport MpiPool::send_bytes(const detail::RankArray& array, int to, int tag, const SourceLocation& where) const {
    State& all = state(where);
    return all.reported(where, [&](MpiReport& report) {
        const int own_tag = checked_tag(all.link, to, tag);
        const std::size_t chunk_bytes = all.options.chunk_bytes;
        FirstFailure failure;
        TransferOperand operand;
        TwoChunks chunks;
        failure.guard([&] {
            const TransferOperand given = all.operand(array, report, where);
            chunks = TwoChunks(given, std::min(chunk_bytes, given.size()));
            operand = given;
        });
        all.link.or_be_lost([&] {
            all.link.wait(all.link.send(memory_with(ArrayHeader{operand.size(), array.element_size, chunk_bytes}), to, own_tag));
            send_chunks(all.link, operand, std::move(chunks), chunk_bytes, to, own_tag, failure);
            all.link.wait(all.link.send(memory_with(trailer_of(failure.get())), to, own_tag));
        });
        if (failure.get()) std::rethrow_exception(failure.get());
    });
}

MpiReport MpiPool::receive_bytes(const detail::RankArray& array, int from, int tag, const SourceLocation& where) const {
    State& all = state(where);
    return all.reported(where, [&](MpiReport& report) {
        const int own_tag = checked_tag(all.link, from, tag);
        TransferOperand operand;
        FirstFailure failure;
        failure.guard([&] { operand = all.operand(array, report, where); });
        ArrayHeader header;
        Trailer trailer{};
        all.link.or_be_lost([&] {
            header = received<ArrayHeader>(all.link, from, own_tag);
            receive_chunks(all.link, operand, header, from, own_tag, failure);
            trailer = received<Trailer>(all.link, from, own_tag);
        });
        if (trailer[0] != '\0') {
            throw RankError(RankError::Kind::failed, from, "rank " + std::to_string(from) + " failed to send its array: " + trailer.data());
        }
        if (header.bytes != array.bytes || header.element_size != array.element_size) {
            throw Error(ErrorCategory::invalid_argument, "rank " + std::to_string(from) + " sent " + std::to_string(header.bytes) +
                                                             " bytes in elements of " + std::to_string(header.element_size) + ", and " +
                                                             std::to_string(array.bytes) + " in elements of " +
                                                             std::to_string(array.element_size) + " were expected");
        }
        if (failure.get()) std::rethrow_exception(failure.get());
    });
}

}  // namespace cupool
