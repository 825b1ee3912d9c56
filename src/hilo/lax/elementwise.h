// SPDX-License-Identifier: Apache-2.0
// lax/elementwise.h -- elementwise functions of jax.lax, one per row of the op table.
#pragma once

#include <cstdint>
#include <optional>

#include "hilo/array/array.h"

namespace hilo::lax {

// lax::exp(x), lax::add(x, y), lax::clamp(low, x, high), ... with their names in jax.lax.
//   Shapes     of one rank, where axes of size 1 are repeated, or scalars; the cases of select have one shape
//   Types      as the row specifies; nothing is promoted
//   Errors     INVALID_ARGUMENT if shapes or types differ
#define HILO_LAX_1(name) Array name(const Operand& x);
#define HILO_LAX_2(name) Array name(const Operand& x, const Operand& y);
#define HILO_LAX_3(name) Array name(const Operand& x, const Operand& y, const Operand& z);
#define HILO_ELEMENTWISE(enumerator, name, lax_name, arity, ...) HILO_LAX_##arity(lax_name)
#define HILO_ELEMENTWISE_DECLARED(...)
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
#undef HILO_LAX_1
#undef HILO_LAX_2
#undef HILO_LAX_3

struct OutDtypeOption {
  std::optional<ElementType> out_dtype = std::nullopt;  ///< type to which the operands are converted first
};
/// Returns the product in another type. A function apart from `mul`, which can be passed to reduce because it isn't
/// overloaded.
Array mul_with_out_dtype(const Operand& x, const Operand& y, const OutDtypeOption& options);

/// Compare element by element; the result is pred.
Array eq(const Operand& x, const Operand& y);
Array ne(const Operand& x, const Operand& y);
Array ge(const Operand& x, const Operand& y);
Array gt(const Operand& x, const Operand& y);
Array le(const Operand& x, const Operand& y);
Array lt(const Operand& x, const Operand& y);

enum class RoundingMethod : uint8_t { AWAY_FROM_ZERO, TO_NEAREST_EVEN };
/// Rounds to integers; ties are rounded away from zero, or to even.
/// Example    round(numpy::array({0.5f, 1.5f, -2.5f}))  // [ 1. 2. -3.]
Array round(const Operand& x, RoundingMethod rounding_method = RoundingMethod::AWAY_FROM_ZERO);
/// Compute x * x, 1 / x, 2^x and the logarithm to base 2.
/// Example    square(3)  // 9
Array square(const Operand& x);
Array reciprocal(const Operand& x);
Array exp2(const Operand& x);
Array log2(const Operand& x);
/// Computes 1 - x^2 as (1 + x)(1 - x), which is accurate near 1 and -1. jax.lax.one_minus_square.
/// Gradient   -2 x
/// Example    one_minus_square(0.5f)  // 0.75
Array one_minus_square(const Operand& x);
/// Evaluates a_0 + a_1 x + a_2 x^2 + ... by Horner's rule: jax.lax.polynomial. `coeffs` begins with a_0.
/// Shapes     coefficients: scalars, or arrays of x's rank, in which dimensions of size 1 are repeated
/// Types      those of x; coefficients are converted to it
/// Example    polynomial(3.0f, {1.0f, 5.0f, 2.0f})  // 34.0
Array polynomial(const Operand& x, const std::vector<Array>& coeffs);
/// Raises x to a constant integer power, by repeated squaring: jax.lax.integer_pow.
/// Errors     INVALID_ARGUMENT for integers to a negative power
/// Example    integer_pow(3, 4)  // 81
Array integer_pow(const Operand& x, int64_t y);
/// Returns the complex conjugate as a complex number; real numbers become complex.
Array conj(const Operand& x);

/// Converts the values to another type: jax.lax.convert_element_type. Conversion of floats to integers truncates and
/// saturates; NaN becomes 0.
/// Example    convert_element_type(numpy::array({1.7f, -1.7f, 300.0f}), uint8)  // [ 1 0 255]
Array convert_element_type(const Operand& x, ElementType type);
/// Returns a complex array with these real and imaginary parts.
Array complex(const Operand& real, const Operand& imag);
/// Rounds to a float format with fewer bits, and converts back: jax.lax.reduce_precision.
Array reduce_precision(const Operand& x, int64_t exponent_bits, int64_t mantissa_bits);

}  // namespace hilo::lax
