// A library that is no libcuda, and large enough to be cut short at many places.

extern "C" int cupool_unrelated_answer() { return 42; }
