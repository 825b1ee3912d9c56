// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/product_layout.h -- dots as batches of matrix products: which operands are read in
// place, and which are copied first.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hilo/backend/cpu/library/move/strided_copy.h"
#include "hilo/engine/target.h"
#include "hilo/hlo/ops/dot.h"

namespace hilo::cpu {

struct ProductSizes {
  int64_t batch, m, n, k;
  double work() const {
    return static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// The operands that kernels read in place.
enum class Reads {
  kAdjacent,    ///< one stride of lines and contracted dimensions is 1
  kAnyStrides,  ///< both have a stride
  kAnyPlaces,   ///< lines have a stride; contracted elements are anywhere
};

/// What the kernels of a product accept, and what they take.
struct ProductRules {
  Reads left = Reads::kAdjacent, right = Reads::kAdjacent;  ///< the operands with the rows and with the columns
  std::array<bool, 2> converts = {false, false};            ///< operands that are copied anyway
  bool result_is_dense = false;                             ///< the result has no view, and is written where it belongs
  bool keeps_order = false;  ///< terms are added in the order of the contracted dimensions
  int64_t lanes = 1;         ///< columns that are computed at once
  double term = 0.03;        ///< nanoseconds
  /// Whether a product is so small that it takes little more time than its terms, with any strides of the left operand.
  bool (*is_small)(int64_t m, int64_t n, int64_t k, int64_t lanes) = nullptr;
};

/// Where the matrices of an operand or of a result are. Lines are rows of the left operand and of the result, and
/// columns of the right operand; `along` is the stride within a line. Strides and offset are in elements.
struct MatrixPlace {
  int64_t offset = 0, line = 1, along = 1;
  std::vector<int64_t> batch;   ///< strides of the batch's dimensions
  std::vector<int64_t> places;  ///< of contracted elements, relative to the first; if kernels read any places
  bool is_copied = false;       ///< all of this describes the dense copy
  StridedCopy copy;             ///< of an operand to its copy, of a copied result to its place
};

/// A product of matrices for each item of a batch.
struct ProductLayout {
  ProductSizes sizes;
  bool is_exchanged = false;           ///< the dot's right operand is `left` here: the result is transposed
  std::vector<int64_t> batch_extents;  ///< of the batch's dimensions, slowest first
  MatrixPlace left, right, result;

  /// Returns the start of an item's matrix, in elements.
  int64_t offset_of(const MatrixPlace& place, int64_t item) const;
};

/// Returns the fastest layout. The order of dimensions within rows, columns and contracted dimensions is free, and so
/// is the side of each operand. Slow dimensions of rows and columns may join the batch, so that less is copied.
/// Example     [b,d,a] x [d,c] -> [c,b,a]    one product of [c,d] x [d,a] for each b: nothing is copied
ProductLayout layout_of(const hlo::DotAttributes& dot, const std::array<Shape, 3>& shapes,
                        const std::array<engine::OperandView, 3>& views, const ProductRules& rules);

}  // namespace hilo::cpu
