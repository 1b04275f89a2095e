#include "msm/host/vector_pairs.hpp"

#include "curve/curve_parameters.hpp"
#include "curve/for_each_curve.hpp"

#if defined(CUPOOL_HAS_VECTOR_FIELD)

namespace cupool::detail {

template <class Parameters>
CUPOOL_VECTOR void VectorPairs<Parameters>::add(std::span<const RowPair> pairs, std::span<PointRow> sums) {
    for (std::size_t begin = 0; begin < pairs.size(); begin += pairs_of_an_inversion) {
        const std::size_t count = std::min(pairs_of_an_inversion, pairs.size() - begin);
        add_sharing_an_inversion(pairs.subspan(begin, count), sums.subspan(begin, count));
    }
}

#define CUPOOL_INSTANTIATE(C) template class VectorPairs<typename Parameters<C>::BaseField>;
CUPOOL_FOR_EACH_G1(CUPOOL_INSTANTIATE)
#undef CUPOOL_INSTANTIATE

}  // namespace cupool::detail

#endif
