// What vector_field.hpp promises, in tenths of p: VectorField is proved to keep it, and VectorPairs and transforms to ask for no more.
#pragma once

namespace cupool::test {

inline constexpr int tenths = 10;               ///< p
inline constexpr int min_reduced = 5;           ///< reduced() takes what lies from p / 2
inline constexpr int max_reduced = 7 * tenths;  ///< to 7 p
inline constexpr int max_limb_terms = 8;        ///< limbs that have been added up without carries

/// What depends on the field.
struct VectorContract {
    int max_element;         ///< elements are below that
    int max_factor_product;  ///< product() takes factors whose product is below that, in hundredths of p^2
    int room;                ///< R is above so many p
};
inline constexpr VectorContract usual_contract{.max_element = 11, .max_factor_product = 600, .room = 64};
/// Of the scalar field of BLS12-381.
inline constexpr VectorContract tight_contract{.max_element = 12, .max_factor_product = 650, .room = 32};

}  // namespace cupool::test
