#pragma once

#include <new>
#include <stdexcept>
#include <system_error>

#include <cupool/driver/abi.hpp>

namespace cupool::simulator {

/// Exception by which an implementation returns a CUresult other than success. It never crosses the C interface: see handle_call().
struct Failure {
    abi::Status result;
};

[[noreturn]] inline void fail(abi::Status result) { throw Failure{result}; }

/// The CUresult for the exception that is being handled. Rethrows exceptions of other types.
inline abi::Status status_of_current_exception() {
    try {
        throw;
    } catch (const Failure& failure) {
        return failure.result;
    } catch (const std::bad_alloc&) {
        return abi::Status::out_of_memory;
    } catch (const std::length_error&) {  // more than any machine has
        return abi::Status::out_of_memory;
    } catch (const std::system_error&) {  // no thread could be started
        return abi::Status::operating_system;
    }
}

inline void require(bool condition, abi::Status otherwise) {
    if (!condition) {
        fail(otherwise);
    }
}

}  // namespace cupool::simulator
