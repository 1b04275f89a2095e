#pragma once

/// \file
/// The partial rounds of Poseidon as a recurrence, which takes 2 t - 1 products a round for a state of t elements in one sum, and no state
/// but the latest terms.
///
/// A partial round adds constants, raises the first element to its fifth power y, and multiplies the state by a matrix. The constants of
/// the other elements go through the matrices that follow, so that they become part of the later constants of the first element, and of
/// those of the first full round behind. What remains is linear in y: with the matrix m in blocks, m = (m00 a; b A), the first element s
/// and the others v,
///
///   s[r+1] = m00 y[r] + a v[r],    v[r+1] = b y[r] + A v[r],
///
/// and so, by the theorem of Cayley and Hamilton, with the characteristic polynomial x^n + c1 x^(n-1) + ... + cn of A, n = t - 1,
///
///   s[r+1] = p0 y[r] + ... + pn y[r-n] - c1 s[r] - ... - cn s[r+1-n],
///   pi = h[i] + c1 h[i-1] + ... + ci h[0],    h[0] = m00, h[i] = a A^(i-1) b.
///
/// Before the first partial round, y is 0 and s[1-i] = a A^-i v[0], which is no element of a state, but goes on with the recurrence to the
/// same s. The full round before computes it in place of v, by another matrix. After the last one, v follows from the latest n values of s
/// and y. (Such a change of a linear layer is old: Grassi et al. give one that takes as many products, but in t sums, in appendix B of
/// "Poseidon".)

#include "poseidon/field_matrix.hpp"

namespace cupool::detail {

template <class Field>
class PartialRounds {
public:
    /// \param constants  that the partial rounds add, t a round
    PartialRounds(const FieldMatrix<Field>& matrix, const FieldVector<Field>& constants)
        : others_(matrix.size() - 1), corner_(matrix[0][0]), inner_(others_) {
        for (std::size_t i = 0; i < others_; ++i) {
            row_.push_back(matrix[0][1 + i]);
            column_.push_back(matrix[1 + i][0]);
            for (std::size_t j = 0; j < others_; ++j) inner_[i][j] = matrix[1 + i][1 + j];
        }
        absorb(constants);
    }

    /// What is added to the first element before its power, a round after the other.
    const FieldVector<Field>& first_constants() const { return first_constants_; }
    /// What the first full round behind adds in addition.
    const FieldVector<Field>& constants_behind() const { return constants_behind_; }

    /// p0 ... pn
    FieldVector<Field> power_coefficients() const {
        const FieldVector<Field> polynomial = characteristic_polynomial(inner_);
        FieldVector<Field> response{corner_};
        for (FieldVector<Field> vector = column_; response.size() <= others_; vector = inner_ * vector)
            response.push_back(dot(row_, vector));
        FieldVector<Field> coefficients;
        for (std::size_t i = 0; i <= others_; ++i) {
            coefficients.push_back(response[i]);
            for (std::size_t j = 1; j <= i; ++j) coefficients[i] = coefficients[i] + polynomial[j - 1] * response[i - j];
        }
        return coefficients;
    }

    /// -c1 ... -cn
    FieldVector<Field> element_coefficients() const { return scaled(characteristic_polynomial(inner_), Field::one().negated()); }

    /// The matrix that takes a state to its first element and s[0], s[-1], ...
    FieldMatrix<Field> entering() const {
        FieldMatrix<Field> matrix(others_ + 1);
        matrix[0][0] = Field::one();
        const FieldMatrix<Field> back = inner_.inverse().transposed();
        FieldVector<Field> row = row_;
        for (std::size_t i = 0; i < others_; ++i) {
            row = back * row;
            for (std::size_t j = 0; j < others_; ++j) matrix[1 + i][1 + j] = row[j];
        }
        return matrix;
    }

    /// A row for each element of the state but the first. It has n coefficients for the latest s and n for the latest y; both begin with
    /// the newest.
    std::vector<FieldVector<Field>> leaving() const {
        FieldMatrix<Field> observed(others_);
        FieldVector<Field> row = row_;
        for (std::size_t i = 0; i < others_; ++i, row = inner_.transposed() * row) observed[i] = row;
        const FieldMatrix<Field> state_of = observed.inverse();

        std::vector<FieldVector<Field>> rows(others_);
        for (std::size_t term = 0; term < 2 * others_; ++term) {
            const FieldVector<Field> state = state_after(term, state_of);
            for (std::size_t i = 0; i < others_; ++i) rows[i].push_back(state[i]);
        }
        return rows;
    }

private:
    void absorb(const FieldVector<Field>& constants) {
        const std::size_t width = others_ + 1;
        Field of_first = Field::zero();
        FieldVector<Field> of_others(others_, Field::zero());
        for (std::size_t begin = 0; begin < constants.size(); begin += width) {
            first_constants_.push_back(constants[begin] + of_first);
            for (std::size_t i = 0; i < others_; ++i) of_others[i] = of_others[i] + constants[begin + 1 + i];
            of_first = dot(row_, of_others);
            of_others = inner_ * of_others;
        }
        constants_behind_ = {of_first};
        constants_behind_.insert(constants_behind_.end(), of_others.begin(), of_others.end());
    }

    /// v after n rounds whose s and y, the newest first, are all 0 but the one number `term`, which is 1.
    FieldVector<Field> state_after(std::size_t term, const FieldMatrix<Field>& state_of) const {
        FieldVector<Field> elements(others_, Field::zero());  // s and y of the rounds, the oldest first
        FieldVector<Field> powers(others_, Field::zero());
        (term < others_ ? elements : powers)[others_ - 1 - term % others_] = Field::one();
        // The powers explain a part of each s. The rest comes from v before these rounds, which follows from it.
        FieldVector<Field> of_powers(others_, Field::zero());
        for (std::size_t i = 0; i < others_; ++i) {
            elements[i] = elements[i] - corner_ * powers[i] - dot(row_, of_powers);
            of_powers = inner_ * of_powers + scaled(column_, powers[i]);
        }
        FieldVector<Field> state = state_of * elements;
        for (std::size_t i = 0; i < others_; ++i) state = inner_ * state;
        return state + of_powers;
    }

    std::size_t others_;  ///< n
    Field corner_;        ///< m00
    FieldVector<Field> row_;
    FieldVector<Field> column_;
    FieldMatrix<Field> inner_;
    FieldVector<Field> first_constants_;
    FieldVector<Field> constants_behind_;
};

}  // namespace cupool::detail
