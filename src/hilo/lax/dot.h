// SPDX-License-Identifier: Apache-2.0
// lax/dot.h -- sums of products along dimensions that are named.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "hilo/array/array.h"
#include "hilo/lax/precision.h"

namespace hilo::lax {

/// {{lhs_contracting, rhs_contracting}, {lhs_batch, rhs_batch}}: dimensions that are summed over, and those that run along
/// in both.
struct DotDimensionNumbers {
  struct Pair {
    std::vector<int64_t> lhs, rhs;
  };
  Pair contracting, batch = {};
};

struct DotGeneralOptions {
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;  ///< of the sums and the result
};
/// Sums of products over the contracting dimensions. The result has the batch dimensions first, then those of lhs that are
/// left, then those of rhs.
///   Types      of two types the one that holds both, as in JAX; preferred_element_type is no narrower
///   Errors     INVALID_ARGUMENT where dimensions don't fit
///   Example    dot_general(x, y, {{{2}, {1}}, {{0}, {0}}})   a batch of matrix products
Array dot_general(const Operand& lhs, const Operand& rhs, const DotDimensionNumbers& dimension_numbers,
                  const DotGeneralOptions& options = {});
struct DotOptions {
  std::optional<DotDimensionNumbers> dimension_numbers = std::nullopt;
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
/// Of vectors and matrices the last dimension of lhs with the first one of rhs; else as dimension_numbers say.
Array dot(const Operand& lhs, const Operand& rhs, const DotOptions& options = {});
struct BatchMatmulOptions {
  PrecisionLike precision = {};
};
/// Matrix products of the last two dimensions; those before run along in both.
Array batch_matmul(const Operand& lhs, const Operand& rhs, const BatchMatmulOptions& options = {});

/// Which dimensions of a ragged dot are what.
struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot_dimension_numbers;
  std::vector<int64_t> lhs_ragged_dimensions;  ///< exactly one
  std::vector<int64_t> rhs_group_dimensions;   ///< one, or none if the ragged dimension is contracted or a batch
};
struct RaggedDotOptions {
  PrecisionLike precision = {};
  std::optional<ElementType> preferred_element_type = std::nullopt;
};
/// Rows of lhs in groups, so many each as group_sizes says, times the matrix of their group; rows behind all groups give 0.
/// Shapes    lhs[m, k], rhs[g, k, n], group_sizes[g] -> [m, n]
/// Cost      that of g products of all rows
Array ragged_dot(const Operand& lhs, const Operand& rhs, const Operand& group_sizes,
                 const RaggedDotOptions& options = {});
/// The same of any dimensions. Is the ragged dimension contracted, the result has one product a group in front; is it a
/// batch dimension, groups don't matter.
Array ragged_dot_general(const Operand& lhs, const Operand& rhs, const Operand& group_sizes,
                         const RaggedDotDimensionNumbers& ragged_dot_dimension_numbers,
                         const RaggedDotOptions& options = {});

struct ScaledDotOptions {
  std::optional<Array> lhs_scale = std::nullopt, rhs_scale = std::nullopt;
  std::optional<DotDimensionNumbers> dimension_numbers = std::nullopt;
  std::optional<ElementType> preferred_element_type = std::nullopt;  ///< by default bf16
};
/// dot(lhs * lhs_scale, rhs * rhs_scale), scaled in bf16, where each element of a scale stands for a block: its extents divide the
/// operand's.
/// Shapes    two or three dimensions, the first of three a batch, without dimension_numbers
Array scaled_dot(const Operand& lhs, const Operand& rhs, const ScaledDotOptions& options = {});

}  // namespace hilo::lax
