// Natural numbers of any size, slow and plain: digits of 32 bits, schoolbook products, remainders by shifting and subtracting a bit at a
// time. What the fields are held against; it shares nothing with them.
#pragma once

#include <cstdint>
#include <cupool/kernels/curve.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace cupool::test {

class BigInteger {
public:
    BigInteger(std::uint64_t value = 0) : digits_{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)} { trim(); }

    template <std::size_t N>
    explicit BigInteger(const Limbs<N>& limbs) {
        for (const std::uint64_t limb : limbs.limbs) {
            digits_.push_back(static_cast<std::uint32_t>(limb));
            digits_.push_back(static_cast<std::uint32_t>(limb >> 32));
        }
        trim();
    }

    static BigInteger power_of_two(std::size_t exponent) {
        BigInteger power;
        power.digits_.assign(exponent / 32 + 1, 0);
        power.digits_.back() = 1u << (exponent % 32);
        return power;
    }

    static BigInteger decimal(const std::string& text) {
        BigInteger number;
        for (const char digit : text) number = number * 10 + static_cast<std::uint64_t>(digit - '0');
        return number;
    }

    /// The low 64 N bits.
    template <std::size_t N>
    Limbs<N> limbs() const {
        Limbs<N> result;
        for (std::size_t i = 0; i < 2 * N && i < digits_.size(); ++i) result.limbs[i / 2] |= std::uint64_t{digits_[i]} << (32 * (i % 2));
        return result;
    }

    std::size_t bit_count() const {
        std::size_t count = 32 * digits_.size();
        while (count > 0 && !bit(count - 1)) --count;
        return count;
    }
    bool bit(std::size_t index) const { return index / 32 < digits_.size() && (digits_[index / 32] >> (index % 32) & 1) != 0; }

    friend bool operator==(const BigInteger&, const BigInteger&) = default;
    friend bool operator<(const BigInteger& left, const BigInteger& right) {
        if (left.digits_.size() != right.digits_.size()) return left.digits_.size() < right.digits_.size();
        for (std::size_t i = left.digits_.size(); i-- > 0;) {
            if (left.digits_[i] != right.digits_[i]) return left.digits_[i] < right.digits_[i];
        }
        return false;
    }

    friend BigInteger operator+(const BigInteger& left, const BigInteger& right) {
        BigInteger sum;
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < left.digits_.size() || i < right.digits_.size() || carry != 0; ++i) {
            carry += std::uint64_t{left.digit(i)} + right.digit(i);
            sum.digits_.push_back(static_cast<std::uint32_t>(carry));
            carry >>= 32;
        }
        sum.trim();
        return sum;
    }

    /// \pre !(left < right)
    friend BigInteger operator-(const BigInteger& left, const BigInteger& right) {
        BigInteger difference;
        std::int64_t borrow = 0;
        for (std::size_t i = 0; i < left.digits_.size(); ++i) {
            const std::int64_t digit = std::int64_t{left.digit(i)} - right.digit(i) - borrow;
            borrow = digit < 0;
            difference.digits_.push_back(static_cast<std::uint32_t>(digit));
        }
        difference.trim();
        return difference;
    }

    friend BigInteger operator*(const BigInteger& left, const BigInteger& right) {
        BigInteger product;
        product.digits_.assign(left.digits_.size() + right.digits_.size(), 0);
        for (std::size_t i = 0; i < left.digits_.size(); ++i) {
            std::uint64_t carry = 0;
            for (std::size_t j = 0; j < right.digits_.size(); ++j) {
                carry += std::uint64_t{left.digits_[i]} * right.digits_[j] + product.digits_[i + j];
                product.digits_[i + j] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            product.digits_[i + right.digits_.size()] = static_cast<std::uint32_t>(carry);
        }
        product.trim();
        return product;
    }

    friend BigInteger operator%(const BigInteger& left, const BigInteger& modulus) {
        BigInteger remainder;
        for (std::size_t i = left.bit_count(); i-- > 0;) {
            remainder = remainder + remainder + std::uint64_t{left.bit(i)};
            if (!(remainder < modulus)) remainder = remainder - modulus;
        }
        return remainder;
    }

    friend std::ostream& operator<<(std::ostream& out, const BigInteger& number) {
        static constexpr char digits[] = "0123456789abcdef";
        out << "0x";
        for (std::size_t i = 8 * number.digits_.size(); i-- > 0;) out << digits[number.digit(i / 8) >> (4 * (i % 8)) & 15];
        return out;
    }

private:
    std::uint32_t digit(std::size_t index) const { return index < digits_.size() ? digits_[index] : 0; }
    void trim() {
        while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
    }

    std::vector<std::uint32_t> digits_;  // least significant first, the last one not zero
};

}  // namespace cupool::test
