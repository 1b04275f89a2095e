#include "agreement.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tags.hpp"
#include "worker_process/message_bytes.hpp"

namespace cupool::detail {

namespace {

using Bytes = std::vector<std::byte>;

Bytes serialized(Contribution contribution) {
    const std::string failure = failure_text(contribution.failure);
    return MessageWriter().text(contribution.call).text(failure).flag(contribution.failure != nullptr).bytes(contribution.payload).take();
}

/// Starts a message for each piece that is small enough for one.
template <class Start>
void start_pieces(const MessageMemory& memory, Start start) {
    const std::size_t size = memory.bytes().size();
    for (std::size_t offset = 0; offset < size; offset += RankLink::max_message)
        start(memory.part(offset, std::min(RankLink::max_message, size - offset)));
}

/// Sends one array while it receives another one. The size goes first.
Bytes swap_arrays(RankLink& link, Bytes mine, int to, int from) {
    const MessageMemory my_size = MessageMemory::of(MessageWriter().number<std::uint64_t>(mine.size()).take());
    const MessageMemory their_size = MessageMemory::of_size(sizeof(std::uint64_t));
    const RankLink::Pending sizes[] = {link.receive(their_size, from, tags::agreement), link.send(my_size, to, tags::agreement)};
    link.wait_all(sizes);
    const MessageMemory sent = MessageMemory::of(std::move(mine));
    const MessageMemory received =
        MessageMemory::of_size(static_cast<std::size_t>(MessageReader(their_size.bytes()).number<std::uint64_t>()));
    std::vector<RankLink::Pending> pieces;
    start_pieces(received, [&](const MessageMemory& piece) { pieces.push_back(link.receive(piece, from, tags::agreement)); });
    start_pieces(sent, [&](const MessageMemory& piece) { pieces.push_back(link.send(piece, to, tags::agreement)); });
    link.wait_all(pieces);
    return {received.bytes().begin(), received.bytes().end()};
}

/// Every rank's array, by rank. Before the step of distance d a rank has the arrays of the d ranks from itself on; then it gets those of
/// the next d.
std::vector<Bytes> all_arrays(RankLink& link, Bytes mine) {
    const int size = link.size();
    const auto rank_after = [&](int distance) { return (link.rank() + distance) % size; };
    std::vector<Bytes> arrays(static_cast<std::size_t>(size));
    const auto array = [&](int distance) -> Bytes& { return arrays[static_cast<std::size_t>(rank_after(distance))]; };
    array(0) = std::move(mine);
    for (int distance = 1; distance < size; distance *= 2) {
        const int count = std::min(distance, size - distance);
        MessageWriter outgoing;
        for (int i = 0; i < count; ++i) outgoing.bytes(array(i));
        const Bytes arrived = swap_arrays(link, outgoing.take(), rank_after(size - distance), rank_after(distance));
        MessageReader reader(arrived);
        for (int i = 0; i < count; ++i) {
            const std::span<const std::byte> bytes = reader.bytes();
            array(distance + i).assign(bytes.begin(), bytes.end());
        }
    }
    return arrays;
}

struct Told {
    std::string call;
    std::string failure;
    bool has_failed = false;
    Bytes payload;
};

Told parsed(const Bytes& bytes) {
    MessageReader reader(bytes);
    Told told;
    told.call = reader.text();
    told.failure = reader.text();
    told.has_failed = reader.flag();
    const std::span<const std::byte> payload = reader.bytes();
    told.payload.assign(payload.begin(), payload.end());
    return told;
}

void require_same_calls(const std::vector<Told>& all) {
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        if (all[rank].call == all[0].call) continue;
        throw Error(ErrorCategory::invalid_argument,
                    "the ranks' calls differ: rank 0 calls " + all[0].call + ", rank " + std::to_string(rank) + " calls " + all[rank].call);
    }
}

}  // namespace

std::string failure_text(const std::exception_ptr& failure) {
    if (!failure) return "";
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return std::string(to_string(error.category())) + ": " + error.message();
    } catch (const std::exception& error) {
        return *error.what() == '\0' ? "an exception without a text" : error.what();
    } catch (...) {
        return "an exception of unknown type";
    }
}

std::vector<Bytes> agree(RankLink& link, Contribution contribution) {
    const std::exception_ptr own_failure = contribution.failure;
    std::vector<Told> all;
    link.or_be_lost([&] {
        for (const Bytes& bytes : all_arrays(link, serialized(std::move(contribution)))) all.push_back(parsed(bytes));
    });
    if (own_failure) std::rethrow_exception(own_failure);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        if (!all[rank].has_failed) continue;
        const int number = static_cast<int>(rank);
        throw RankError(RankError::Kind::failed, number,
                        "rank " + std::to_string(rank) + " failed in " + all[rank].call + ": " + all[rank].failure);
    }
    require_same_calls(all);
    std::vector<Bytes> payloads;
    for (Told& told : all) payloads.push_back(std::move(told.payload));
    return payloads;
}

}  // namespace cupool::detail
