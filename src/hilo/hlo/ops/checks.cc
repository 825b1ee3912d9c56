// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::hlo {

std::string list_to_string(std::span<const int64_t> list) { return fmt::format("{{{}}}", fmt::join(list, ",")); }

Status check_disjoint(std::string_view first_field, std::span<const int64_t> first, std::string_view second_field,
                      std::span<const int64_t> second) {
  for (int64_t value : second) {
    if (!contains(first, value)) continue;
    return invalid_argument(
        fmt::format("{} and {} share dimension {}; got {} and {}, wanted each dimension in one of them", first_field,
                    second_field, value, list_to_string(first), list_to_string(second)));
  }
  return ok_status();
}

Status check_sorted(std::string_view field, std::span<const int64_t> list) {
  if (std::is_sorted(list.begin(), list.end())) return ok_status();
  return invalid_argument(fmt::format("{}: not in ascending order; got {}", field, list_to_string(list)));
}

Status check_same_size(std::string_view a_field, std::span<const int64_t> a, std::string_view b_field,
                       std::span<const int64_t> b) {
  if (a.size() == b.size()) return ok_status();
  return invalid_argument(
      fmt::format("{} and {} differ in length; got {} and {}", a_field, b_field, list_to_string(a), list_to_string(b)));
}

Status check_called(std::string_view field, const ComputationPtr& called, std::span<const Shape> parameters,
                    const Shape& result) {
  if (called == nullptr) return invalid_argument(fmt::format("{}: the computation is missing", field));
  if (called->parameter_count() != std::ssize(parameters)) {
    return invalid_argument(fmt::format("{} '{}': takes {} parameters, wanted {}: {}", field, called->name(),
                                        called->parameter_count(), parameters.size(), shapes_to_string(parameters)));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& got = called->parameter(i).shape;
    if (got.compatible(parameters[i])) continue;
    return invalid_argument(fmt::format("{} '{}': parameter {} is {}, wanted {}", field, called->name(), i,
                                        got.to_string(), parameters[i].to_string()));
  }
  if (!called->result_shape().compatible(result)) {
    return invalid_argument(fmt::format("{} '{}': returns {}, wanted {}", field, called->name(),
                                        called->result_shape().to_string(), result.to_string()));
  }
  return ok_status();
}

Shape one_or_tuple(std::span<const Shape> shapes) { return shapes.size() == 1 ? shapes[0] : Shape::tuple(shapes); }

std::string shapes_to_string(std::span<const Shape> shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + shape.to_string();
  return text;
}

}  // namespace hilo::hlo
