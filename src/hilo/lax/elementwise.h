// SPDX-License-Identifier: Apache-2.0
// lax/elementwise.h -- the elementwise functions of jax.lax, one a row of the op table.
#pragma once

#include <cstdint>
#include <optional>

#include "hilo/array/array.h"

namespace hilo::lax {

// lax::exp(x), lax::add(x, y), lax::clamp(low, x, high), ... by their names in jax.lax.
//   Shapes     of one rank, where extents of 1 are repeated, or scalars (select's cases and clamp's operand have one shape)
//   Types      as the row says; nothing is promoted
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
  std::optional<ElementType> out_dtype = std::nullopt;  ///< the operands are converted to it first
};
/// The product in another type. `mul` itself stays one function, so that it can be given to reduce and its like.
Array mul_with_out_dtype(const Operand& x, const Operand& y, const OutDtypeOption& options);

/// Element by element comparisons; the result is pred.
Array eq(const Operand& x, const Operand& y);
Array ne(const Operand& x, const Operand& y);
Array ge(const Operand& x, const Operand& y);
Array gt(const Operand& x, const Operand& y);
Array le(const Operand& x, const Operand& y);
Array lt(const Operand& x, const Operand& y);

enum class RoundingMethod : uint8_t { AWAY_FROM_ZERO, TO_NEAREST_EVEN };
/// To whole numbers; what lies between two goes away from zero, or to the even one.
Array round(const Operand& x, RoundingMethod rounding_method = RoundingMethod::AWAY_FROM_ZERO);
/// x * x, 1 / x, 2^x.
Array square(const Operand& x);
Array reciprocal(const Operand& x);
Array exp2(const Operand& x);
/// x to a power that is known, by repeated squaring.
/// Errors     INVALID_ARGUMENT for integers to a negative power
Array integer_pow(const Operand& x, int64_t y);
/// The conjugate as a complex number; real numbers become complex.
Array conj(const Operand& x);

/// The values as another type: floats to integers truncate and saturate, NaN becomes 0.
Array convert_element_type(const Operand& x, ElementType type);
/// A complex array from its parts.
Array complex(const Operand& real, const Operand& imag);
/// Rounds to a float format with fewer bits, and back.
Array reduce_precision(const Operand& x, int64_t exponent_bits, int64_t mantissa_bits);

}  // namespace hilo::lax
