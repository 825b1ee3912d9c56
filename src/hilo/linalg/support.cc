// SPDX-License-Identifier: Apache-2.0
#include "hilo/linalg/support.h"

#include <limits>

#include "hilo/numpy/promotion.h"

namespace hilo::linalg {

Array inexact(const Array& x) { return numpy::promote_inexact(x); }

Array matrix(const char* what, const Array& x) {
  if (x.ndim() < 2) refuse(what, "wanted at least 2 dimensions; got " + x.aval_shape().to_string());
  return inexact(x);
}

Array square(const char* what, const Array& x) {
  const Array a = matrix(what, x);
  if (a.shape(-1) != a.shape(-2))
    refuse(what, "wanted square matrices in the last two dimensions; got " + x.aval_shape().to_string());
  return a;
}

std::pair<Array, Array> same_type(const Array& a, const Array& b) {
  const ElementType type = numpy::promote_types(a.aval(), b.aval()).shape.element_type();
  return {ops::convert_element_type(a, type), ops::convert_element_type(b, type)};
}

double epsilon_of(ElementType type) {
  return type == ElementType::kF64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

Array greatest(const Array& x) {
  const std::vector<int64_t> last = {x.ndim() - 1};
  const std::vector<int64_t> dimensions = ops::all_dimensions(x.ndim() - 1);
  return ops::broadcast_in_dim(ops::reduce_max(x, last), x.aval_shape(), dimensions);
}

Array squared_size(const Array& x) {
  if (!is_complex(x.dtype())) return ops::mul(x, x);
  const Array re = ops::real(x), im = ops::imag(x);
  return ops::add(ops::mul(re, re), ops::mul(im, im));
}

Array full_like_last(const Array& x, double value) {
  return ops::full(Shape::array(x.dtype(), std::vector<int64_t>(x.shape().begin(), x.shape().end() - 1)), value);
}

}  // namespace hilo::linalg
