#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

namespace cupool::simulator {

/// The live objects of one type, by handle. A handle is a number that is no address and that is never issued twice,
/// so a dead one is always known, and nothing is ever read through it.
///
/// `Object` names its `Handle` type and a `handle_tag` of its own, and has a member `handle`.
template <typename Object>
class HandleTable {
public:
    using Handle = typename Object::Handle;

    /// Issues a handle that no object has had.
    static Handle issue() { return reinterpret_cast<Handle>(base + ++issued() * stride); }

    void add(const std::shared_ptr<Object>& object) { live_.emplace(number(object->handle), object); }

    /// Null when the handle is not that of a live object.
    std::shared_ptr<Object> find(Handle handle) const {
        const auto found = live_.find(number(handle));
        return found == live_.end() ? nullptr : found->second;
    }

    void remove(Handle handle) { live_.erase(number(handle)); }

    template <typename Predicate>
    void remove_if(Predicate predicate) {
        std::erase_if(live_, [&](const auto& entry) { return predicate(*entry.second); });
    }

    /// Removes what dies along with its context.
    template <typename Predicate>
    void retire_if(Predicate predicate) {
        for (auto entry = live_.begin(); entry != live_.end();) {
            const auto next = std::next(entry);
            if (predicate(*entry->second)) {
                auto entry_node = live_.extract(entry);  // moved as it is, so that a context can be closed without memory
                entry_node.mapped() = nullptr;
                retired_.insert(std::move(entry_node));
            }
            entry = next;
        }
    }

    /// Whether the object died along with its context.
    bool is_retired(Handle handle) const { return retired_.count(number(handle)) > 0; }

    template <typename Visitor>
    void for_each(Visitor visit) const {
        for (const auto& [_, object] : live_) {
            visit(*object);
        }
    }

    std::size_t size() const { return live_.size(); }
    void clear() {
        live_.clear();
        retired_.clear();
    }

private:
    // No canonical address of a process: whoever follows a handle dies at once.
    static constexpr std::uintptr_t base = 0x5100'0000'0000'0000 + (std::uintptr_t{Object::handle_tag} << 48);
    static constexpr std::uintptr_t stride = 16;

    static std::uintptr_t number(Handle handle) { return reinterpret_cast<std::uintptr_t>(handle); }
    static std::uintptr_t& issued() {
        static std::uintptr_t count = 0;
        return count;
    }

    std::map<std::uintptr_t, std::shared_ptr<Object>> live_;
    std::map<std::uintptr_t, std::shared_ptr<Object>> retired_;
};

}  // namespace cupool::simulator
