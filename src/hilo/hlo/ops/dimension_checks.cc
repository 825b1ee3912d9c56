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
  std::vector<bool> seen(static_cast<size_t>(shape.rank()), false);
  for (int64_t d : dimensions) {
    HILO_RETURN_IF_ERROR(check_dimension(what, d, shape));
    if (seen[static_cast<size_t>(d)])
      return invalid_argument(fmt::format("{} {} stands twice in {}", what, d, dimensions_to_string(dimensions)));
    seen[static_cast<size_t>(d)] = true;
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
