// A variable of the environment, for the time of one test.
#pragma once

#include <cstdlib>

namespace cupool::test {

class EnvironmentVariable {
public:
    EnvironmentVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~EnvironmentVariable() { unsetenv(name_); }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

private:
    const char* name_;
};

}  // namespace cupool::test
