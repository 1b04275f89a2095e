#include <cupool/kernels/curve.hpp>
#include <cupool/kernels/ntt.hpp>
#include <cupool/kernels/reduce.hpp>
#include <cupool/kernels/run_report.hpp>
#include <sstream>

#include "catch.hpp"

using namespace cupool;

TEST_CASE("curves go by the names that the tools use", "[kernels]") {
    CHECK(to_string(Curve::bn254) == "bn254");
    CHECK(to_string(Curve::bls12_381) == "bls12-381");
    CHECK(to_string(Curve::bls12_377) == "bls12-377");
    CHECK(to_string(Curve::bn254_g2) == "bn254-g2");
    CHECK(to_string(Curve::bls12_381_g2) == "bls12-381-g2");
    for (const Curve curve : {Curve::bn254, Curve::bls12_381, Curve::bls12_377, Curve::bn254_g2, Curve::bls12_381_g2}) {
        CHECK(curve_from_name(to_string(curve)) == curve);
        CHECK(with_curve(curve, []<Curve C>() { return C; }) == curve);
    }
    for (const char* name : {"", "BN254", "bls12_381", "bls12-381 ", "bls12"}) CHECK_FALSE(curve_from_name(name).has_value());
}

TEST_CASE("operations and engines have names", "[kernels]") {
    for (const auto operation : {ReduceOperation::sum, ReduceOperation::min, ReduceOperation::max}) {
        CHECK(reduce_operation_from_name(to_string(operation)) == operation);
    }
    CHECK(to_string(ReduceOperation::sum) == "sum");
    CHECK_FALSE(reduce_operation_from_name("mean").has_value());
    CHECK(to_string(Engine::automatic) == "automatic");
    CHECK(to_string(Engine::gpu) == "gpu");
    CHECK(to_string(Engine::host) == "host");
}

TEST_CASE("directions and orderings of transforms have names", "[kernels]") {
    std::ostringstream text;
    text << NttDirection::forward << ' ' << NttDirection::inverse;
    for (const auto ordering : {NttOrdering::natural_natural, NttOrdering::natural_reversed, NttOrdering::reversed_natural,
                                NttOrdering::reversed_reversed, NttOrdering::natural_mixed, NttOrdering::mixed_natural}) {
        text << ' ' << ordering;
    }
    CHECK(text.str() == "forward inverse NN NR RN RR NM MN");
}

TEST_CASE("a run report says what ran where", "[kernels]") {
    std::ostringstream text;
    text << RunReport{.engine = Engine::gpu, .devices = {0, 2}, .milliseconds = 1.5, .bytes = 64};
    CHECK(text.str() == "gpu 0,2: 1.5 ms, 64 bytes moved");
    std::ostringstream host;
    host << RunReport{.engine = Engine::host, .devices = {}, .milliseconds = 2, .bytes = 0};
    CHECK(host.str() == "host: 2 ms, 0 bytes moved");
}
