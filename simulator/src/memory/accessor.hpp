#pragma once

#include <set>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

struct Allocation;
struct Context;

/// A snapshot of the memory that a context may access.
class Accessor {
public:
    explicit Accessor(const Context& context);

    bool may_access(const Allocation& allocation) const;

private:
    int device_;
    std::set<abi::Context> peers_;
};

}  // namespace cupool::simulator
