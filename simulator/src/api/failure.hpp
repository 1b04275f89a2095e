#pragma once

#include <new>
#include <stdexcept>
#include <system_error>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// How an implementation leaves with an answer other than success. Never crosses the C interface: see handle_call().
struct Failure {
    abi::Status result;
};

[[noreturn]] inline void fail(abi::Status result) { throw Failure{result}; }

/// What the exception that is being handled means to the program. Exceptions of other kinds go on.
inline abi::Status status_of_current_exception() {
    try {
        throw;
    } catch (const Failure& failure) {
        return failure.result;
    } catch (const std::bad_alloc&) {
        return abi::Status::out_of_memory;
    } catch (const std::length_error&) {  // more than any memory has
        return abi::Status::out_of_memory;
    } catch (const std::system_error&) {  // no thread to be had
        return abi::Status::operating_system;
    }
}

inline void require(bool condition, abi::Status otherwise) {
    if (!condition) {
        fail(otherwise);
    }
}

}  // namespace cupool::simulator
