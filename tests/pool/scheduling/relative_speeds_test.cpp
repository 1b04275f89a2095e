#include "scheduling/relative_speeds.hpp"

#include "catch.hpp"

using cupool::detail::RelativeSpeeds;
using namespace cupool::test;

namespace {

/// A job of `items` divided as the speeds say, on devices that do so many items a microsecond.
void share(RelativeSpeeds& speeds, double items, const std::vector<double>& rates) {
    const std::vector<double> now = speeds.speeds();
    double sum = 0;
    for (const double speed : now) sum += speed;
    std::vector<RelativeSpeeds::Part> parts;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        const double own = items * now[i] / sum;
        parts.push_back({i, own, own / rates[i]});
    }
    speeds.learn(parts);
}

}  // namespace

TEST_CASE("devices are as fast as their capability until they were measured", "[speeds]") {
    RelativeSpeeds speeds({120, 30});
    CHECK(speeds.speeds() == std::vector<double>{120, 30});
    share(speeds, 1e6, {1, 1});  // the first job compiles kernels
    CHECK(speeds.speeds() == std::vector<double>{120, 30});
    for (int i = 0; i < 10; ++i) share(speeds, 1e6, {1, 1});
    CHECK(speeds.speeds()[0] == Approx(75).epsilon(0.01));
    CHECK(speeds.speeds()[1] == Approx(75).epsilon(0.01));
}

TEST_CASE("items of any cost tell how devices compare", "[speeds]") {
    RelativeSpeeds speeds({1, 1, 1});
    for (int i = 0; i < 40; ++i) {
        const double cost = i % 2 == 0 ? 1 : 1000;
        share(speeds, 1e6, {2 / cost, 2 / cost, 0.2 / cost});
    }
    const auto now = speeds.speeds();
    CHECK(now[0] / now[2] == Approx(10).epsilon(0.02));
    CHECK(now[0] == Approx(now[1]));
}

TEST_CASE("equal devices stay equal while noise is all that tells them apart", "[speeds]") {
    RelativeSpeeds speeds({5, 5, 9});
    for (int i = 0; i < 20; ++i) share(speeds, 1e6, {1.05, 0.95, 1.8});
    CHECK(speeds.speeds()[0] == speeds.speeds()[1]);
    for (int i = 0; i < 20; ++i) share(speeds, 1e6, {1.5, 0.5, 1.8});
    CHECK(speeds.speeds()[0] > 2 * speeds.speeds()[1]);
}

TEST_CASE("a device recovers from a job in which it waited for other work", "[speeds]") {
    RelativeSpeeds speeds({1, 1});
    share(speeds, 1e6, {1, 1});
    for (int i = 0; i < 20; ++i) share(speeds, 1e6, {1e-6, 1});
    CHECK(speeds.speeds()[0] == Approx(1.0 / 16));  // so that it keeps a share
    for (int i = 0; i < 20; ++i) share(speeds, 1e6, {1, 1});
    CHECK(speeds.speeds()[0] == speeds.speeds()[1]);
}

TEST_CASE("short jobs say little", "[speeds]") {
    RelativeSpeeds speeds({1, 1});
    for (int i = 0; i < 10; ++i) share(speeds, 20, {1, 0.1});
    CHECK(speeds.speeds()[0] == speeds.speeds()[1]);
}

TEST_CASE("a job of one device says nothing of the others", "[speeds]") {
    RelativeSpeeds speeds({1, 1});
    share(speeds, 1e6, {1, 1});
    speeds.learn({{0, 1e6, 1e9}});
    CHECK(speeds.speeds() == std::vector<double>{1, 1});
}
