// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/broadcasting.h"

#include <fmt/format.h>

#include "hilo/lax/shape.h"

namespace hilo::lax {

std::vector<int64_t> common_shape(const char* name, std::initializer_list<const Array*> arrays) {
  std::vector<int64_t> common;
  const Array* before = nullptr;  // the last operand that isn't a scalar
  for (const Array* array : arrays) {
    const std::span<const int64_t> shape = array->shape();
    if (shape.empty()) continue;
    if (common.empty()) common.assign(shape.begin(), shape.end());
    bool fits = shape.size() == common.size();
    for (size_t d = 0; fits && d < common.size(); ++d) {
      fits = shape[d] == common[d] || shape[d] == 1 || common[d] == 1;
      if (common[d] == 1) common[d] = shape[d];
    }
    if (!fits)
      or_throw(invalid_argument(fmt::format("{}: shapes must have one rank and fit; got {} and {}", at_user_line(name),
                                            before->aval_shape().to_string(), array->aval_shape().to_string())));
    before = array;
  }
  return common;
}

Array over(const std::vector<int64_t>& shape, const Array& x) {
  if (std::ranges::equal(x.shape(), shape)) return x;
  if (x.ndim() == 0) return ops::broadcast_in_dim(x, x.aval_shape().with_dimensions(shape), {});
  return broadcast_in_dim(x, shape, ops::all_dimensions(x.ndim()));
}

}  // namespace hilo::lax
