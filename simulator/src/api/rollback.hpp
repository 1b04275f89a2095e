#pragma once

#include <utility>

namespace cupool::simulator {

/// Scope guard: undoes a partially completed call unless keep() is called.
template <class Undo>
class Rollback {
public:
    explicit Rollback(Undo undo) : undo_(std::move(undo)) {}
    ~Rollback() {
        if (!is_kept_) {
            undo_();
        }
    }
    Rollback(const Rollback&) = delete;
    Rollback& operator=(const Rollback&) = delete;

    void keep() { is_kept_ = true; }

private:
    Undo undo_;
    bool is_kept_ = false;
};

}  // namespace cupool::simulator
