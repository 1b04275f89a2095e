// What a child that was forked while threads used a pool is asked.
#pragma once

#include <cstddef>
#include <cupool/kernels/point.hpp>
#include <cupool/pool/device_pool.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cupool::test {

struct Call {
    std::string name;
    std::function<void()> call;
};

/// What there is to be asked of a pool of either engine, and of what is made with it.
class ForkSubject {
public:
    static constexpr Curve curve = Curve::bn254;
    static constexpr std::size_t terms = 20;

    explicit ForkSubject(const DevicePool& pool);

    const std::vector<AffinePoint<curve>>& points() const { return points_; }

    /// Those that any number of threads may make at a time.
    std::vector<Call> calls();

    /// Those besides that only the child makes: each would disturb the others, or takes long.
    std::vector<Call> calls_of_child();

    /// What a child destroys.
    void drop_lease() { lease_.reset(); }

private:
    DevicePool pool_;
    std::vector<AffinePoint<curve>> points_;
    std::vector<Scalar> scalars_;
    std::vector<float> numbers_;
    PooledBases<curve> bases_;
    std::optional<LoadBalancer::Lease> lease_;
};

/// \return the name of the first call that does not answer forked, or whose error does not name the file of the call, which is one of
/// tests/pool/fork*; empty where there is none
std::string first_unrefused(const std::vector<Call>& calls);

/// Whether a host pool that is made now does all kinds of work, and lines are logged. \param points  the first multiples of the generator
bool new_pool_computes(const std::vector<AffinePoint<ForkSubject::curve>>& points);

/// \return what is wrong with the first call that does not throw an Error forked; empty if all do
inline std::string first_not_forked(const std::vector<Call>& calls) {
    for (const Call& call : calls) {
        try {
            call.call();
            return call.name + " threw nothing";
        } catch (const Error& error) {
            if (error.category() != ErrorCategory::forked) return call.name + ": " + error.what();
        }
    }
    return {};
}

/// Runs the function in a child, which has a while for it. \return what is wrong; empty where nothing is
std::string in_child(const std::function<std::string()>& function);

}  // namespace cupool::test
