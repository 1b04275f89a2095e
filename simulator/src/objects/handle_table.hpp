#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

namespace cupool::simulator {

/// The live objects of one type, by handle. A handle is a unique number that is no valid address, so a stale handle is always recognised
/// and never dereferenced.
///
/// `Object` declares its `Handle` type and a unique `handle_tag`, and has a member `handle`.
template <class Object>
class HandleTable {
public:
    using Handle = typename Object::Handle;

    /// Issues a new handle.
    static Handle issue() { return reinterpret_cast<Handle>(base + ++issued() * stride); }

    void add(const std::shared_ptr<Object>& object) { live_.emplace(number(object->handle), object); }

    /// Null unless the handle is that of a live object.
    std::shared_ptr<Object> find(Handle handle) const {
        const auto found = live_.find(number(handle));
        return found == live_.end() ? nullptr : found->second;
    }

    void remove(Handle handle) { live_.erase(number(handle)); }

    template <class Predicate>
    void remove_if(Predicate predicate) {
        std::erase_if(live_, [&](const auto& entry) { return predicate(*entry.second); });
    }

    /// Retires the objects that are destroyed along with their context: their handles remain known.
    template <class Predicate>
    void retire_if(Predicate predicate) {
        for (auto entry = live_.begin(); entry != live_.end();) {
            const auto next = std::next(entry);
            if (predicate(*entry->second)) {
                auto entry_node = live_.extract(entry);  // reuses the node, so that destroying a context needs no memory
                entry_node.mapped() = nullptr;
                retired_.insert(std::move(entry_node));
            }
            entry = next;
        }
    }

    /// Whether the object was destroyed along with its context.
    bool is_retired(Handle handle) const { return retired_.count(number(handle)) > 0; }

    template <class Visitor>
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
    // Non-canonical addresses: dereferencing a handle faults at once.
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
