// The worker program of pools whose own program is none: see docs/workers.md.

#include <cstdio>
#include <cupool/pool/worker_function.hpp>

int main(int argc, char** argv) {
    cupool::serve_if_worker(argc, argv);
    std::fputs("cupool-worker is started by a program with a cupool::WorkerPool, not by hand\n", stderr);
    return 2;
}
