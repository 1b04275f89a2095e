#pragma once

namespace cupool::simulator {

/// In the encoding of cuDriverGetVersion: 12040 is 12.4.
int driver_version();
void set_driver_version(int version);

bool is_initialised();
void set_initialised(bool initialised);

/// Whether this process was forked from one that had initialised the driver. Driver calls fail in such a child.
bool is_forked_child();

/// Marks the calling thread as running a stream's host function, in which driver calls are not permitted.
class HostFunctionScope {
public:
    HostFunctionScope();
    ~HostFunctionScope();
    HostFunctionScope(const HostFunctionScope&) = delete;
    HostFunctionScope& operator=(const HostFunctionScope&) = delete;
};

bool is_in_host_function();

}  // namespace cupool::simulator
