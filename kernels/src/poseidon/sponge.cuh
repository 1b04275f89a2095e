#pragma once

#include "field/device_field.cuh"
#include "field/element_memory.cuh"
#include "poseidon/launch.hpp"

namespace cupool::device {

/// What each thread does: one sponge. Permutation has a `state` of elements, and permutes it.
template <class Permutation, class Element>
class Sponge {
public:
    CUPOOL_DEVICE Sponge(const detail::PoseidonLaunch<Element>& launch, Permutation& permutation)
        : launch_(launch), permutation_(permutation), inputs_(launch.inputs + global_index() * launch.input_stride) {}

    CUPOOL_DEVICE void run() {
        permutation_.for_each_position(launch_.width, [&](unsigned position, Element& element) {
            element = Element::zero();
            if (position == launch_.tag_position) element = launch_.tag;
        });
        for (std::uint64_t absorbed = 0; absorbed < launch_.input_length; absorbed += launch_.rate) {
            permutation_.for_each_position(launch_.width, [&](unsigned position, Element& element) {
                const unsigned i = position - launch_.first_rate_position;
                if (i < launch_.rate && absorbed + i < launch_.input_length) element = element + input(absorbed + i);
            });
            permutation_.permute();
        }
        Element* outputs = launch_.outputs + std::uint64_t{global_index()} * launch_.output_length;
        permutation_.for_each_position(launch_.width, [&](unsigned position, Element& element) {
            const unsigned i = position - launch_.first_output;
            if (i >= launch_.output_length) return;
            if (launch_.adds_inputs != 0) element = element + input(position);
            store_element(outputs + i, output(element));
        });
    }

private:
    CUPOOL_DEVICE Element input(std::uint64_t i) const {
        const Element element = load_reduced(inputs_ + i);
        return launch_.is_montgomery_form != 0 ? element : Element::called_product(element, Element::r_squared());
    }

    CUPOOL_DEVICE Element output(const Element& element) const {
        if (launch_.is_montgomery_form != 0) return element.reduced_once();
        Element one_limb = Element::zero();
        one_limb.limbs[0] = 1;
        return Element::called_product(element, one_limb).reduced_once();
    }

    const detail::PoseidonLaunch<Element>& launch_;
    Permutation& permutation_;
    const Element* inputs_;
};

}  // namespace cupool::device
