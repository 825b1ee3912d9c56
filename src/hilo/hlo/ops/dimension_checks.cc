// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/dimension_checks.h"

#include <fmt/format.h>

namespace hilo::hlo {

Status check_dimension(std::string_view what, int64_t dimension, const Shape& shape) {
  if (dimension >= 0 && dimension < shape.rank()) return ok_status();
  return invalid_argument(
      fmt::format("{} {} out of range for {} of rank {}", what, dimension, shape.to_string(), shape.rank()));
}

Status check_unique_dimensions(std::string_view what, std::span<const int64_t> dimensions, const Shape& shape) {
  static_assert(Shape::kMaxRank <= 64);
  uint64_t seen = 0;  // one bit per dimension
  for (int64_t d : dimensions) {
    if (d < 0 || d >= shape.rank()) return check_dimension(what, d, shape);
    const uint64_t bit = uint64_t{1} << d;
    if ((seen & bit) != 0)
      return invalid_argument(fmt::format("{} {} appears twice in {}", what, d, dimensions_to_string(dimensions)));
    seen |= bit;
  }
  return ok_status();
}

StatusOr<Shape> declared_array(const ShapeRuleInput& input) {
  if (!input.declared) return invalid_argument("the result's shape must be stated");
  if (!input.declared->is_array()) {
    return invalid_argument(fmt::format("the result must be an array; got {}", input.declared->to_string()));
  }
  return input.declared->with_default_layout();
}

}  // namespace hilo::hlo
