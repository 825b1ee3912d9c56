// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/support.h"

#include "hilo/numpy/promotion.h"

namespace hilo::scipy::special {

std::vector<Array> real_operands(const char* what, std::vector<Array> operands) {
  operands = numpy::promote_inexact(std::move(operands));
  if (is_complex(operands[0].dtype()))
    or_throw(invalid_argument(at_user_line(what) + ": it does not support complex-valued inputs; got " +
                              operands[0].aval_shape().to_string()));
  return operands;
}

const Array& wide_float(const char* what, const Array& x) {
  if (x.dtype() == ElementType::kF32 || x.dtype() == ElementType::kF64) return x;
  or_throw(invalid_argument(at_user_line(what) + ": wanted f32 or f64; got " + x.aval_shape().to_string()));
  __builtin_unreachable();
}

Array polynomial(const std::vector<double>& coefficients, const Array& t) {
  Array sum = coefficients.back() + numpy::zeros_like(t);
  for (size_t i = coefficients.size() - 1; i-- > 0;) sum = sum * t + coefficients[i];
  return sum;
}

}  // namespace hilo::scipy::special
