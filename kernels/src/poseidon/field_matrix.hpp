#pragma once

/// \file
/// Small matrices over a field, for the constants of Poseidon.

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cupool::detail {

template <class Field>
using FieldVector = std::vector<Field>;

template <class Field>
Field dot(const FieldVector<Field>& left, const FieldVector<Field>& right) {
    Field sum = Field::zero();
    for (std::size_t i = 0; i < left.size(); ++i) sum = sum + left[i] * right[i];
    return sum;
}

template <class Field>
FieldVector<Field> operator+(FieldVector<Field> left, const FieldVector<Field>& right) {
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = left[i] + right[i];
    return left;
}

template <class Field>
FieldVector<Field> scaled(FieldVector<Field> vector, const Field& factor) {
    for (Field& element : vector) element = element * factor;
    return vector;
}

/// A square matrix, by rows.
template <class Field>
class FieldMatrix {
public:
    explicit FieldMatrix(std::size_t size) : rows_(size, FieldVector<Field>(size, Field::zero())) {}

    static FieldMatrix identity(std::size_t size) {
        FieldMatrix matrix(size);
        for (std::size_t i = 0; i < size; ++i) matrix[i][i] = Field::one();
        return matrix;
    }

    std::size_t size() const { return rows_.size(); }
    FieldVector<Field>& operator[](std::size_t row) { return rows_[row]; }
    const FieldVector<Field>& operator[](std::size_t row) const { return rows_[row]; }

    FieldMatrix transposed() const {
        FieldMatrix result(size());
        for (std::size_t i = 0; i < size(); ++i) {
            for (std::size_t j = 0; j < size(); ++j) result[j][i] = rows_[i][j];
        }
        return result;
    }

    friend FieldVector<Field> operator*(const FieldMatrix& matrix, const FieldVector<Field>& vector) {
        FieldVector<Field> product;
        for (const auto& row : matrix.rows_) product.push_back(dot(row, vector));
        return product;
    }

    friend FieldMatrix operator*(const FieldMatrix& left, const FieldMatrix& right) {
        FieldMatrix columns = right.transposed();
        for (auto& column : columns.rows_) column = left * column;
        return columns.transposed();
    }

    /// By Gauss and Jordan. \throws std::logic_error if the matrix has none
    FieldMatrix inverse() const {
        FieldMatrix rest = *this;
        FieldMatrix result = identity(size());
        for (std::size_t column = 0; column < size(); ++column) {
            std::size_t pivot = column;
            while (pivot < size() && rest[pivot][column].is_zero()) ++pivot;
            if (pivot == size()) throw std::logic_error("a matrix of Poseidon's constants has no inverse");
            std::swap(rest[pivot], rest[column]);
            std::swap(result[pivot], result[column]);
            const Field factor = rest[column][column].inverse();
            rest[column] = scaled(rest[column], factor);
            result[column] = scaled(result[column], factor);
            for (std::size_t row = 0; row < size(); ++row) {
                if (row == column) continue;
                const Field multiple = rest[row][column].negated();
                rest[row] = rest[row] + scaled(rest[column], multiple);
                result[row] = result[row] + scaled(result[column], multiple);
            }
        }
        return result;
    }

private:
    std::vector<FieldVector<Field>> rows_;
};

/// The coefficients c of the characteristic polynomial x^n + c[0] x^(n-1) + ... + c[n-1], by Faddeev and Le Verrier (Gantmacher, "The
/// Theory of Matrices", IV.5).
template <class Field>
FieldVector<Field> characteristic_polynomial(const FieldMatrix<Field>& matrix) {
    const std::size_t size = matrix.size();
    FieldVector<Field> coefficients;
    FieldMatrix<Field> power = FieldMatrix<Field>::identity(size);
    for (std::size_t k = 1; k <= size; ++k) {
        power = matrix * power;
        Field trace = Field::zero();
        for (std::size_t i = 0; i < size; ++i) trace = trace + power[i][i];
        coefficients.push_back((trace * Field::from_standard(k).inverse()).negated());
        for (std::size_t i = 0; i < size; ++i) power[i][i] = power[i][i] + coefficients.back();
    }
    return coefficients;
}

}  // namespace cupool::detail
