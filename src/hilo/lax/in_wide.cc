// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/in_wide.h"

#include <algorithm>
#include <string>

#include "hilo/array/refuse.h"
#include "hilo/lax/elementwise.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {

Array in_wide(const char* function, const std::vector<Array>& operands,
              const std::function<Array(std::span<const Array>)>& f) {
  const ElementType type = operands[0].dtype();
  const auto fits = [&](const Array& x) { return is_floating(type) && x.dtype() == type; };
  if (!std::ranges::all_of(operands, fits)) {
    std::string got;
    for (const Array& x : operands) got += (got.empty() ? "" : ", ") + x.aval_shape().to_string();
    refuse(function, "wanted floats of one type; got " + got);
  }
  const bool weak = std::ranges::all_of(operands, &Array::weak_type);
  const bool narrow = element_size_bytes(type) < 4;
  Array like = operands[0];  // has the common shape
  for (const Array& x : std::span(operands).subspan(1)) like = lax::add(like, x);
  const auto wide = [&](const Array& x) {
    const Array spread = x.ndim() == like.ndim() ? lax::add(x, ops::full_like(like, 0))
                                                 : ops::broadcast_in_dim(x, like.aval_shape(), {});
    return narrow ? ops::convert_element_type(spread, ElementType::kF32) : with_weak_type(spread, false);
  };
  std::vector<Array> all;
  for (const Array& x : operands) all.push_back(wide(x));
  return with_weak_type(ops::convert_element_type(f(all), type), weak);
}

}  // namespace hilo::lax
