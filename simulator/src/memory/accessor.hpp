#pragma once

#include <set>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

struct Allocation;
struct Context;

/// A context as its device reaches for memory: what it may access, and no more. A snapshot.
class Accessor {
public:
    explicit Accessor(const Context& context);

    bool may_access(const Allocation& allocation) const;

private:
    int device_;
    std::set<abi::Context> peers_;
};

}  // namespace cupool::simulator
