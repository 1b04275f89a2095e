// The worker program for pools whose own program cannot be one: docs/workers.md.

#include <cstdio>
#include <cupool/pool/worker_function.hpp>

int main(int argc, char** argv) {
    cupool::serve_if_worker(argc, argv);
    std::fputs("cupool-worker is started by a program with a cupool::WorkerPool, not by hand\n", stderr);
    return 2;
}
