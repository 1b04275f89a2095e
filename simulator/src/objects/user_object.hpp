#pragma once

#include <memory>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// A resource of the program that graphs keep alive. Its destructor function, which must not call the driver, runs when the last reference
/// is released.
struct UserObject {
    using Handle = abi::UserObject;
    static constexpr unsigned char handle_tag = 10;

    UserObject() = default;
    ~UserObject();
    UserObject(const UserObject&) = delete;
    UserObject& operator=(const UserObject&) = delete;

    Handle handle = nullptr;
    void* pointer = nullptr;
    abi::HostFunction destroy = nullptr;
    /// References held by the program; graphs hold theirs by shared ownership.
    unsigned references = 0;
};

}  // namespace cupool::simulator
