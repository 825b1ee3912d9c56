// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/small_linalg/elements.h"

#include <limits>

namespace hilo::hlo::small_linalg {
namespace {

Expr complex_of(Expr re, Expr im) {
  const Shape shape = re.shape();
  const ElementType type = shape.element_type() == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128;
  return re.sink->add(Opcode::kComplex, {re, im}, nullptr, shape.with_element_type(type));
}

}  // namespace

std::vector<int64_t> dimensions_with(const Shape& shape, int64_t dropped, std::initializer_list<int64_t> appended) {
  std::vector<int64_t> dimensions(shape.dimensions().begin(), shape.dimensions().end() - dropped);
  dimensions.insert(dimensions.end(), appended);
  return dimensions;
}

Elements elements_of(Expr x) {
  const Shape shape = x.shape();
  const int64_t rank = shape.rank();
  Elements e{shape.dimension(rank - 2), shape.dimension(rank - 1), {}};
  const std::vector<int64_t> batch = dimensions_with(shape, 2, {});
  for (int64_t i = 0; i < e.rows; ++i) {
    const Expr row = slice(x, rank - 2, i, i + 1);
    for (int64_t j = 0; j < e.columns; ++j) e.values.push_back(reshape(slice(row, rank - 1, j, j + 1), batch));
  }
  return e;
}

Exprs elements_of_vector(Expr x) {
  const std::vector<int64_t> batch = dimensions_with(x.shape(), 1, {});
  const int64_t last = x.shape().rank() - 1, count = x.shape().dimension(last);
  Exprs values;
  for (int64_t k = 0; k < count; ++k) values.push_back(reshape(slice(x, last, k, k + 1), batch));
  return values;
}

Expr vector_of(const Exprs& values) {
  Exprs parts;
  for (Expr value : values) parts.push_back(reshape(value, dimensions_with(value.shape(), 0, {1})));
  return parts.size() == 1 ? parts[0] : concatenate(parts, parts[0].shape().rank() - 1);
}

Expr matrix_of(const Elements& x) {
  const Expr all = vector_of(x.values);
  return reshape(all, dimensions_with(all.shape(), 1, {x.rows, x.columns}));
}

Elements transposed(const Elements& x) {
  Elements t{x.columns, x.rows, {}};
  for (int64_t j = 0; j < x.columns; ++j) {
    for (int64_t i = 0; i < x.rows; ++i) t.values.push_back(x.at(i, j));
  }
  return t;
}

bool is_complex(Expr x) { return hilo::is_complex(x.type()); }
Expr real_part(Expr x) { return is_complex(x) ? real(x) : x; }
Expr conjugate(Expr x) { return is_complex(x) ? complex_of(real(x), -imag(x)) : x; }

Expr squared_size(Expr x) {
  if (!is_complex(x)) return x * x;
  const Expr a = real(x), b = imag(x);
  return a * a + b * b;
}

Expr with_type_of(Expr x, Expr like) { return is_complex(like) && !is_complex(x) ? complex_of(x, full_like(x, 0)) : x; }

Expr divided(Expr x, Expr divisor) {
  return is_complex(x) ? complex_of(real(x) / divisor, imag(x) / divisor) : x / divisor;
}

Expr times(Expr x, Expr factor) { return is_complex(x) ? complex_of(real(x) * factor, imag(x) * factor) : x * factor; }

Expr with_added(Expr x, Expr addend) {
  return is_complex(x) ? complex_of(real(x) + addend, imag(x) + addend) : x + addend;
}

Expr nan_like(Expr x) {
  const Expr nan = full_like(x, real_type_of(x.type()), std::numeric_limits<double>::quiet_NaN());
  return is_complex(x) ? complex_of(nan, nan) : nan;
}

Expr finite(Expr x) {
  if (!is_complex(x)) return is_finite(x);
  return bitwise_and(is_finite(real(x)), is_finite(imag(x)));
}

}  // namespace hilo::hlo::small_linalg
