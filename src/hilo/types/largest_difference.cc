// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/largest_difference.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace hilo {
namespace {

std::string position_text(const Shape& shape, int64_t index) {
  std::string text;
  for (int64_t d = shape.rank() - 1; d >= 0; --d) {
    text = fmt::format("{}{}{}", index % shape.dimension(d), text.empty() ? "" : ",", text);
    index /= shape.dimension(d);
  }
  return "[" + text + "]";
}

}  // namespace

bool LargestDifference::add(int64_t at, double gap) {
  ++wrong;
  const double counted = std::isfinite(gap) ? gap : std::numeric_limits<double>::infinity();
  if (counted <= largest) return false;
  largest = counted;
  index = at;
  return true;
}

std::string LargestDifference::to_string(const Literal& actual, const Literal& expected) const {
  const Shape& shape = expected.shape();
  const int64_t offset = index * element_size_bytes(shape.element_type());
  const auto element = [&](const Literal& literal) {
    return element_to_string(shape.element_type(), literal.bytes().data() + offset);
  };
  return fmt::format("{}: {} of {} elements differ; largest difference {} at {}: got {}, wanted {}", shape.to_string(),
                     wrong, shape.element_count(), largest, position_text(shape, index), element(actual),
                     element(expected));
}

}  // namespace hilo
