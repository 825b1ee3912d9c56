// SPDX-License-Identifier: Apache-2.0
// numpy/promotion.h -- JAX's type lattice and NumPy's broadcasting, as two functions on arrays.
#pragma once

#include <optional>

#include "hilo/array/array.h"

namespace hilo::numpy {

/// The type in which values of both types meet: JAX's lattice, weak types included.
///   pred -> weak int -> u8 -> u16 -> u32 -> u64 -> weak float;  weak int -> s8 -> s16 -> s32 -> s64 -> weak float;
///   u8 -> s16, u16 -> s32, u32 -> s64;  weak float -> bf16, f16 -> f32 -> f64;  weak complex above weak float
/// Source    the table of JAX's type promotion page
Aval promote_types(const Aval& a, const Aval& b);
/// That in which all of these meet; at least one.
Aval promote_types(std::span<const Array> operands);
/// The same, and at least floating.
Aval promote_types_inexact(std::span<const Array> operands);
/// The type of a product of two weakly typed arrays: the default type of the kind, of 64 bits with x64.
ElementType default_of_kind(ElementType type);
/// A result that is never weakly typed, though its operands are: as in JAX.
Array not_weak(const Array& x);
/// A result that is weakly typed if it is a number, and `weak`. JAX's constants take the type of an array, but not its weakness.
Array weak_number(const Array& x, bool weak);

/// Which elements are not 0.
Array truth(const Array& x);

/// The type that the user asked `function` for (see requested_type), or `otherwise`.
ElementType type_or(std::string_view function, const std::optional<ElementType>& type, ElementType otherwise);

/// The common shape of broadcasting. Errors    INVALID_ARGUMENT naming both
std::vector<int64_t> broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b);

/// The sizes behind so many of 1 that there are at least `rank`: {3, 4}, 3 -> {1, 3, 4}.
std::vector<int64_t> with_rank(std::span<const int64_t> sizes, size_t rank);

/// `x` broadcast to `shape`, without a public call's trappings.
Array spread_to(const Array& x, std::span<const int64_t> shape);

/// Both operands in one type and shape.
std::pair<Array, Array> promote(const Array& x, const Array& y);
/// As `promote`, and at least floating: for true division and the transcendental functions.
std::pair<Array, Array> promote_inexact(const Array& x, const Array& y);
Array promote_inexact(const Array& x);
std::vector<Array> promote_inexact(std::vector<Array> operands);

}  // namespace hilo::numpy
