// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/ravel_pytree.h"

#include <algorithm>

#include "hilo/trace/ops.h"

namespace hilo::flatten_util::detail {

Array ravel(std::span<const Array> leaves) {
  if (leaves.empty()) return numpy::zeros({0});
  std::vector<Array> vectors;
  for (const Array& leaf : leaves) vectors.push_back(numpy::ravel(leaf));
  return numpy::concatenate(vectors);
}

std::vector<Shape> shapes_of(std::span<const Array> leaves) {
  std::vector<Shape> shapes;
  for (const Array& leaf : leaves) shapes.push_back(leaf.aval_shape());
  return shapes;
}

std::vector<Array> unravel(const Array& flat, std::span<const Shape> shapes, ElementType type) {
  int64_t total = 0;
  for (const Shape& s : shapes) total += s.element_count();
  if (flat.ndim() != 1 || flat.shape(0) != total) {
    or_throw(invalid_argument(at_user_line("unravel") + ": wanted a vector of " + std::to_string(total) + ", got " +
                              flat.aval_shape().to_string()));
  }
  const bool one_type =
      std::ranges::all_of(shapes, [&](const Shape& s) { return s.element_type() == shapes[0].element_type(); });
  if (!one_type && flat.dtype() != type) {
    or_throw(invalid_argument(at_user_line("unravel") + ": wanted " + std::string(element_type_name(type)) +
                              ", as the leaves have several types, got " + flat.aval_shape().to_string()));
  }
  std::vector<Array> leaves;
  int64_t begin = 0;
  for (const Shape& s : shapes) {
    const Array part = ops::slice(flat, {{begin, begin + s.element_count(), 1}});
    begin += s.element_count();
    const Array shaped = ops::reshape(part, s.dimensions());
    leaves.push_back(one_type ? shaped : ops::convert_element_type(shaped, s.element_type()));
  }
  return leaves;
}

}  // namespace hilo::flatten_util::detail
