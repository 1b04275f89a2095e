#include "forked_child.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cupool/driver/log.hpp>
#include <exception>

namespace cupool::test {

namespace {

constexpr Curve curve = ForkSubject::curve;

bool is_forked_error(const Call& call) {
    try {
        call.call();
    } catch (const Error& error) {
        return error.category() == ErrorCategory::forked && std::string(error.location().file).find("tests/pool/fork") != std::string::npos;
    }
    return false;
}

}  // namespace

ForkSubject::ForkSubject(const DevicePool& pool)
    : pool_(pool),
      points_(generator_multiples<curve>(1, terms)),
      scalars_(terms, Scalar{{3}}),
      numbers_(1000, 1.0F),
      bases_(pool.prepare<curve>(points_, PrepareConfig{})),
      lease_(pool.balancer().select_device()) {}

std::vector<Call> ForkSubject::calls() {
    const MsmConfig config;
    return {
        {"weights", [this] { (void)pool_.weights(); }},
        {"set_weights", [this] { pool_.set_weights({}); }},
        {"metrics", [this] { (void)pool_.metrics(); }},
        {"fault", [this] { (void)pool_.fault(); }},
        {"quarantined", [this] { (void)pool_.quarantined(); }},
        {"is_host", [this] { (void)pool_.is_host(); }},
        {"begin", [this] { (void)pool_.begin(); }},
        {"to_string", [this] { (void)to_string(pool_); }},
        {"context_at", [this] { (void)pool_.context_at(0); }},
        {"loads", [this] { (void)pool_.balancer().loads(); }},
        {"submit", [this] { pool_.submit([](const DeviceContext&) {}).get(); }},
        {"submit_at", [this] { pool_.submit_at(0, [](const DeviceContext&) {}).get(); }},
        {"for_each_device", [this] { pool_.for_each_device([](std::size_t, const DeviceContext&) {}); }},
        {"synchronize_all", [this] { pool_.synchronize_all(); }},
        {"reduce",
         [this] {
             float sum = 0;
             pool_.reduce<float>(numbers_, ReduceOperation::sum, sum);
         }},
        {"msm",
         [this, config] {
             JacobianPoint<curve> sum;
             pool_.msm<curve>(scalars_, points_, config, sum, MsmSpread::all_devices);
         }},
        {"submit_msm",
         [this, config] {
             JacobianPoint<curve> sum;
             pool_.submit_msm<curve>(scalars_, points_, config, sum).get();
         }},
        {"msm of bases",
         [this, config] {
             JacobianPoint<curve> sum;
             pool_.msm<curve>(scalars_, bases_, config, sum);
         }},
        {"bases", [this] { (void)bases_.size(); }},
    };
}

std::vector<Call> ForkSubject::calls_of_child() {
    std::vector<Call> all = calls();
    all.push_back({"prepare", [this] { (void)pool_.prepare<curve>(points_, PrepareConfig{}); }});
    all.push_back({"excluded", [this] { (void)pool_.excluded_devices(); }});
    all.push_back({"lease.begin", [this] { lease_->begin(); }});
    all.push_back({"lease.complete", [this] { lease_->complete(); }});
    return all;
}

std::string first_unrefused(const std::vector<Call>& calls) {
    for (const Call& call : calls) {
        if (!is_forked_error(call)) return call.name;
    }
    return {};
}

bool new_pool_computes(const std::vector<AffinePoint<ForkSubject::curve>>& points) {
    const DevicePool pool = DevicePool::host(2);
    float sum = 0;
    const std::vector<float> numbers(100, 1.0F);
    pool.reduce<float>(numbers, ReduceOperation::sum, sum);
    JacobianPoint<curve> point;
    const std::vector<Scalar> scalars(points.size(), Scalar{{2}});
    pool.submit_msm<curve>(scalars, points, MsmConfig{}, point).get();
    const std::uint64_t count = points.size();
    detail::log(LogLevel::warning, "a line of the child's");
    return sum == 100 && pool.submit([](const DeviceContext&) { return 7; }).get() == 7 &&
           to_affine(point) == multiply(generator<curve>(), Scalar{{count * (count + 1)}});
}

std::string in_child(const std::function<std::string()>& function) {
    int pipe[2];
    if (::pipe(pipe) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child < 0) return "no child";
    if (child == 0) {
        ::alarm(30);
        std::string wrong;
        try {
            wrong = function();
        } catch (const std::exception& error) {
            wrong = error.what();
        }
        const bool is_told = ::write(pipe[1], wrong.data(), wrong.size()) == static_cast<ssize_t>(wrong.size());
        ::_exit(is_told && wrong.empty() ? 0 : 1);
    }
    ::close(pipe[1]);
    char text[256];
    std::string wrong;
    for (ssize_t got = 0; (got = ::read(pipe[0], text, sizeof text)) > 0;) wrong.append(text, static_cast<std::size_t>(got));
    ::close(pipe[0]);
    int status = 0;
    if (::waitpid(child, &status, 0) != child) return "the child is gone";
    if (WIFSIGNALED(status)) wrong += "ended by signal " + std::to_string(WTERMSIG(status));
    if (wrong.empty() && status != 0) wrong = "ended with an error";
    return wrong;
}

}  // namespace cupool::test
