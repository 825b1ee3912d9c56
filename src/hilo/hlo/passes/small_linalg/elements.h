// SPDX-License-Identifier: Apache-2.0
// hlo/passes/small_linalg/elements.h -- a batch of small matrices as one value per element. The value of an element has
// the batch's shape.
#pragma once

#include <span>
#include <vector>

#include "hilo/hlo/build/expr.h"

namespace hilo::hlo::small_linalg {

/// Matrices of rows x columns, row by row. A vector has one column.
struct Elements {
  int64_t rows = 0, columns = 0;
  Exprs values;

  Expr& at(int64_t i, int64_t j) { return values[i * columns + j]; }
  const Expr& at(int64_t i, int64_t j) const { return values[i * columns + j]; }
};

/// Returns the dimensions without the last `dropped` ones, and with those `appended`.
std::vector<int64_t> dimensions_with(const Shape& shape, int64_t dropped, std::initializer_list<int64_t> appended);

/// Returns the elements of x[batch..., rows, columns].
Elements elements_of(Expr x);
/// Returns the array with these elements: [batch..., rows, columns], the inverse of elements_of.
Expr matrix_of(const Elements& x);
/// Returns the elements of x[batch..., n].
Exprs elements_of_vector(Expr x);
/// Returns the array with these elements: [batch..., n].
Expr vector_of(const Exprs& values);

Elements transposed(const Elements& x);

bool is_complex(Expr x);
Expr real_part(Expr x);
/// Returns the complex conjugate; x itself if it is real.
Expr conjugate(Expr x);
/// Returns |x|^2.
Expr squared_size(Expr x);
/// Returns x with a real value's type converted to the type of `like`.
Expr with_type_of(Expr x, Expr like);
/// Divides by a real number.
Expr divided(Expr x, Expr real);
/// Multiplies by a real number.
Expr times(Expr x, Expr real);
/// Adds a real number to every part.
Expr with_added(Expr x, Expr real);
/// Returns NaN, in both parts of complex numbers.
Expr nan_like(Expr x);
/// Returns whether both parts are finite.
Expr finite(Expr x);

}  // namespace hilo::hlo::small_linalg
