// What vector_field.hpp promises, in tenths of p: VectorField is proved to keep it, and VectorPairs to ask for no more.
#pragma once

namespace cupool::test {

inline constexpr int tenths = 10;                               ///< p
inline constexpr int max_element = 11;                          ///< an element is below 1.1 p
inline constexpr int max_factor_product = 6 * tenths * tenths;  ///< product() takes factors whose product is below 6 p^2
inline constexpr int min_reduced = 5;                           ///< reduced() takes what lies from p / 2
inline constexpr int max_reduced = 7 * tenths;                  ///< to 7 p
inline constexpr int max_limb_terms = 8;                        ///< limbs that have been added up without carries

}  // namespace cupool::test
