#include "vectors/host_vectors.hpp"

#include <vector>

#include "curve/for_each_curve.hpp"
#include "support/parallel_for.hpp"

namespace cupool::detail {

namespace {

/// Elements that a task takes: enough for one inversion to be little of it.
constexpr std::size_t elements_of_task = 4096;

/// A range of the elements of a job.
template <Curve C>
class HostVectors {
public:
    using Field = ScalarField<C>;

    HostVectors(const VectorJob<C>& job, std::size_t begin, std::size_t end) : job_(job), begin_(begin), end_(end) {}

    void run() const {
        switch (job_.operation) {
            case VectorOperation::add: return combine([](const Field& left, const Field& right) { return left + right; });
            case VectorOperation::subtract: return combine([](const Field& left, const Field& right) { return left - right; });
            case VectorOperation::multiply: return multiply();
            case VectorOperation::multiply_by_powers: return multiply_by_powers();
            case VectorOperation::invert: return invert();
        }
    }

private:
    /// The element whose Montgomery form is the scalar modulo r. Sums are the same in both forms.
    static Field load(Scalar scalar) {
        for (Scalar less = scalar; subtract_from(less, Field::modulus) == 0;) scalar = less;
        return Field::from_montgomery(scalar);
    }
    void store(std::size_t i, const Field& element) const { job_.results.host()[i] = element.montgomery(); }

    template <class Function>
    void combine(const Function& function) const {
        for (std::size_t i = begin_; i < end_; ++i) store(i, function(load(job_.left.host()[i]), load(job_.right.host()[i])));
    }

    void multiply() const {
        if (job_.config.is_montgomery_form) return combine([](const Field& left, const Field& right) { return left * right; });
        combine([](const Field& left, const Field& right) { return Field::from_standard((left * right).montgomery()); });
    }

    /// A factor in Montgomery form leaves the form of the other one as it is.
    void multiply_by_powers() const {
        Field power = job_.base.power(Scalar{{begin_}});
        for (std::size_t i = begin_; i < end_; ++i) {
            store(i, load(job_.left.host()[i]) * power);
            power = power * job_.base;
        }
    }

    void invert() const {
        std::vector<Field> elements;
        for (std::size_t i = begin_; i < end_; ++i) {
            const Field element = load(job_.left.host()[i]);
            if (!element.is_zero())
                elements.push_back(job_.config.is_montgomery_form ? element : Field::from_standard(element.montgomery()));
        }
        std::vector<Field> scratch(elements.size());
        invert_all(std::span(elements), std::span(scratch));
        auto next = elements.begin();
        for (std::size_t i = begin_; i < end_; ++i) {
            if (load(job_.left.host()[i]).is_zero()) {
                store(i, Field::zero());
            } else {
                const Field& inverse = *next++;
                job_.results.host()[i] = job_.config.is_montgomery_form ? inverse.montgomery() : inverse.standard();
            }
        }
    }

    const VectorJob<C>& job_;
    std::size_t begin_;
    std::size_t end_;
};

}  // namespace

template <Curve C>
void vectors_on_host(const VectorJob<C>& job) {
    parallel_for_blocks(job.size(), elements_of_task, job.config.ctx.host_threads(),
                        [&](std::size_t begin, std::size_t end) { HostVectors<C>(job, begin, end).run(); });
}

#define CUPOOL_INSTANTIATE(C) template void vectors_on_host<C>(const VectorJob<C>&);
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail
