#pragma once

#include <memory>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// What graphs keep alive for the program: its end is told to the program, by a function that may not call the driver.
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
    /// The references that the program itself holds; graphs hold theirs by shared ownership.
    unsigned references = 0;
};

}  // namespace cupool::simulator
