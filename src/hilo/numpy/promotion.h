// SPDX-License-Identifier: Apache-2.0
// numpy/promotion.h -- JAX's type lattice and NumPy's broadcasting, on arrays.
#pragma once

#include <optional>

#include "hilo/array/array.h"

namespace hilo::numpy {

/// Returns the common type of both types in JAX's lattice, weak types included.
///   pred -> weak int -> u8 -> u16 -> u32 -> u64 -> weak float;  weak int -> s8 -> s16 -> s32 -> s64 -> weak float;
///   u8 -> s16, u16 -> s32, u32 -> s64;  weak float -> bf16, f16 -> f32 -> f64;  weak complex above weak float
/// Source    the table of JAX's type promotion page
Aval promote_types(const Aval& a, const Aval& b);
/// Returns the common type of at least one operand.
Aval promote_types(std::span<const Array> operands);
/// Returns the common type of the operands, and at least a floating one.
Aval promote_types_inexact(std::span<const Array> operands);
/// Returns the type of a product of two weakly typed arrays: the default type of the kind, 64 bits wide with x64.
ElementType default_of_kind(ElementType type);
/// Removes the weak type of a result: some results of weakly typed operands are never weak, as in JAX.
Array not_weak(const Array& x);
/// Returns `x`, weakly typed if it is a number and `weak`. JAX's constants take the type of an array but not its
/// weakness.
Array weak_number(const Array& x, bool weak);

/// Returns which elements are not 0.
Array truth(const Array& x);

/// Returns the type that the user requested of `function` (see requested_type), or `otherwise`.
ElementType type_or(std::string_view function, const std::optional<ElementType>& type, ElementType otherwise);

/// Returns the common shape of broadcasting.
/// Errors    INVALID_ARGUMENT with both shapes
std::vector<int64_t> broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b);

/// Returns the sizes padded in front with 1 up to at least `rank` sizes: {3, 4}, 3 -> {1, 3, 4}.
std::vector<int64_t> with_rank(std::span<const int64_t> sizes, size_t rank);

/// Broadcasts `x` to `shape`, without the checks of the public function.
Array spread_to(const Array& x, std::span<const int64_t> shape);

/// Returns both operands with a common type and shape.
std::pair<Array, Array> promote(const Array& x, const Array& y);
/// Does the same as `promote`, with at least a floating type: for true division and transcendental functions.
std::pair<Array, Array> promote_inexact(const Array& x, const Array& y);
Array promote_inexact(const Array& x);
std::vector<Array> promote_inexact(std::vector<Array> operands);

}  // namespace hilo::numpy
