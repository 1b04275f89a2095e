#include "poseidon/state.hpp"

#include <cupool/driver/copy.hpp>
#include <cupool/driver/detail/caller.hpp>
#include <new>
#include <vector>

#include "poseidon/constants.hpp"

namespace cupool {

namespace detail {

template <Curve C>
PoseidonState<C>::PoseidonState(PoseidonVariant own_variant, unsigned own_width, const DeviceContext& own_context)
    : variant(own_variant), width(own_width), context(own_context) {
    const PoseidonInstance<C> instance(variant, width);
    partial_rounds = instance.partial_rounds;
    constants = poseidon_constants(instance);
    if (context.is_host()) return;
    std::vector<Scalar> limbs;
    for (const auto& element : constants) limbs.push_back(element.montgomery());
    device_constants = DeviceBuffer<Scalar>(limbs.size(), context);
    copy<Scalar>(device_constants.span(), limbs, context.stream());
}

namespace {

template <Curve C>
std::shared_ptr<const PoseidonState<C>> make_state(PoseidonVariant variant, unsigned width, const DeviceContext& context) {
    require_enumerator(variant, PoseidonVariant::poseidon2, "PoseidonVariant");
    try {
        return std::make_shared<const PoseidonState<C>>(variant, width, context);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCategory::out_of_memory, "poseidon: the host has not enough memory for the constants");
    }
}

}  // namespace

}  // namespace detail

template <Curve C>
requires PoseidonCurve<C> Poseidon<C>::Poseidon(PoseidonVariant variant, unsigned width, const DeviceContext& context, SourceLocation where)
    : state_(detail::report_at(where, [&] { return detail::make_state<C>(variant, width, context); })) {}

template <Curve C>
requires PoseidonCurve<C>
const detail::PoseidonState<C>& Poseidon<C>::state(SourceLocation where) const {
    if (!state_) throw Error(ErrorCategory::wrong_context, "poseidon: the permutation has been moved from", where);
    return *state_;
}

template <Curve C>
requires PoseidonCurve<C> PoseidonVariant Poseidon<C>::variant(SourceLocation where)
const { return state(where).variant; }

template <Curve C>
requires PoseidonCurve<C>
unsigned Poseidon<C>::width(SourceLocation where) const { return state(where).width; }

template <Curve C>
requires PoseidonCurve<C>
unsigned Poseidon<C>::partial_rounds(SourceLocation where) const { return state(where).partial_rounds; }

template <Curve C>
requires PoseidonCurve<C>
const DeviceContext& Poseidon<C>::context(SourceLocation where) const { return state(where).context; }

template struct detail::PoseidonState<Curve::bn254>;
template struct detail::PoseidonState<Curve::bls12_381>;
template class Poseidon<Curve::bn254>;
template class Poseidon<Curve::bls12_381>;

}  // namespace cupool
