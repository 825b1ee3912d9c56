// SPDX-License-Identifier: Apache-2.0
// lax/dot.h -- sums of products along named dimensions.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "hilo/array/array.h"
#include "hilo/lax/precision.h"

namespace hilo::lax {

/// The dimensions of a dot: {{lhs_contracting, rhs_contracting}, {lhs_batch, rhs_batch}}. Contracting dimensions are
/// summed over; batch dimensions correspond in both operands.
struct DotDimensionNumbers {
  struct Pair {
    std::vector<int64_t> lhs, rhs;
  };
  Pair contracting, batch = {};
};

struct DotGeneralOptions {
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;  ///< type of the sums and of the result
};
/// Sums products over the contracting dimensions: jax.lax.dot_general.
/// Shapes     The result has the batch dimensions first, then the other dimensions of lhs, then those of rhs.
/// Types      For different types, the type that holds both, as in JAX; preferred_element_type must not be narrower.
/// Errors     INVALID_ARGUMENT if dimensions don't fit
/// Example    const Array x = numpy::array({{1, 2}, {3, 4}}), y = numpy::array({{1, 0}, {0, 10}});
///            dot_general(x, y, {{{1}, {0}}, {{}, {}}})    // [[ 1 20] [ 3 40]]
///            dot_general(x, y, {{{1}, {1}}, {{0}, {0}}})  // [ 1 40]
Array dot_general(const Operand& lhs, const Operand& rhs, const DotDimensionNumbers& dimension_numbers,
                  const DotGeneralOptions& options = {});
struct DotOptions {
  std::optional<DotDimensionNumbers> dimension_numbers = std::nullopt;
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
/// Sums products over the last dimension of lhs and the first of rhs, for vectors and matrices; otherwise as
/// dimension_numbers specify. jax.lax.dot.
/// Example    dot(numpy::arange(3), numpy::arange(3))  // 5
Array dot(const Operand& lhs, const Operand& rhs, const DotOptions& options = {});
struct BatchMatmulOptions {
  PrecisionLike precision = {};
};
/// Multiplies the matrices in the last two dimensions; all dimensions before are batch dimensions.
Array batch_matmul(const Operand& lhs, const Operand& rhs, const BatchMatmulOptions& options = {});

/// The roles of the dimensions of a ragged dot.
struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot_dimension_numbers;
  std::vector<int64_t> lhs_ragged_dimensions;  ///< exactly one
  /// one; none if the ragged dimension is a contracting or a batch dimension
  std::vector<int64_t> rhs_group_dimensions;
};
struct RaggedDotOptions {
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
/// Multiplies each group of rows of lhs by its own matrix: jax.lax.ragged_dot. Group i has group_sizes[i] rows; rows
/// after the last group give 0.
/// Shapes     lhs[m, k], rhs[g, k, n], group_sizes[g] -> [m, n]
/// Cost       that of g products of all rows
Array ragged_dot(const Operand& lhs, const Operand& rhs, const Operand& group_sizes,
                 const RaggedDotOptions& options = {});
/// Computes a ragged dot with any dimensions. If the ragged dimension is contracted, the result has a leading axis with
/// one product per group. If it is a batch dimension, groups have no effect.
Array ragged_dot_general(const Operand& lhs, const Operand& rhs, const Operand& group_sizes,
                         const RaggedDotDimensionNumbers& ragged_dot_dimension_numbers,
                         const RaggedDotOptions& options = {});

struct ScaledDotOptions {
  std::optional<Array> lhs_scale = std::nullopt, rhs_scale = std::nullopt;
  std::optional<DotDimensionNumbers> dimension_numbers = std::nullopt;
  std::optional<ElementType> preferred_element_type = std::nullopt;  ///< default: bf16
};
/// Computes dot(lhs * lhs_scale, rhs * rhs_scale), scaled in bf16. Each element of a scale applies to a block of the
/// operand, so its dimensions divide the operand's.
/// Shapes     two or three dimensions; without dimension_numbers, the first of three is a batch dimension
Array scaled_dot(const Operand& lhs, const Operand& rhs, const ScaledDotOptions& options = {});

}  // namespace hilo::lax
