#pragma once

namespace cupool::simulator {

/// As cuDriverGetVersion counts.
int driver_version();
void set_driver_version(int version);

bool is_initialised();
void set_initialised(bool initialised);

/// Whether this process was forked from one that had initialised the driver: nothing works here.
bool is_forked_child();

/// While a thread is in a host function that a stream runs, it may not call the driver.
class HostFunctionScope {
public:
    HostFunctionScope();
    ~HostFunctionScope();
    HostFunctionScope(const HostFunctionScope&) = delete;
    HostFunctionScope& operator=(const HostFunctionScope&) = delete;
};

bool is_in_host_function();

}  // namespace cupool::simulator
