// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/window.h"

#include <fmt/format.h>

#include "hilo/hlo/ops/op_sharding.h"
#include "hilo/hlo/ops/window_source.h"
#include "hilo/types/checked.h"

namespace hilo::hlo {
namespace {

/// Returns (size - 1) * dilation + 1, the extent of `size` elements with dilation; 0 for no elements.
std::optional<int64_t> dilated(int64_t size, int64_t dilation) {
  if (size == 0) return 0;
  const std::optional<int64_t> gaps = checked_mul(size - 1, dilation);
  return gaps ? checked_add(*gaps, 1) : std::nullopt;
}

}  // namespace

Status check_window(const Window& window, int64_t rank) {
  if (std::ssize(window) != rank) {
    return invalid_argument(fmt::format("window: got {} dimensions, wanted {}", window.size(), rank));
  }
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    const std::pair<std::string_view, int64_t> positive[] = {{"size", w.size},
                                                             {"stride", w.stride},
                                                             {"base dilation", w.base_dilation},
                                                             {"window dilation", w.window_dilation}};
    for (const auto& [name, value] : positive) {
      if (value < 1) return invalid_argument(fmt::format("window: dim {}: {} {} < 1", d, name, value));
    }
  }
  return ok_status();
}

StatusOr<int64_t> window_count(size_t dimension, int64_t size, const WindowDimension& window) {
  std::optional<int64_t> extent = dilated(size, window.base_dilation);
  // Adds both paddings first, because one may be large and the other may cancel it.
  const std::optional<int64_t> padding = checked_add(window.padding_low, window.padding_high);
  extent = extent && padding ? checked_add(*extent, *padding) : std::nullopt;
  const std::optional<int64_t> covered = dilated(window.size, window.window_dilation);
  if (!extent || !covered) {
    return invalid_argument(fmt::format("window: dim {}: the {} doesn't fit 2^63-1", dimension,
                                        covered ? "padded size" : "dilated window"));
  }
  if (*covered > *extent) return 0;
  return (*extent - *covered) / window.stride + 1;
}

StatusOr<std::vector<int64_t>> window_counts(std::span<const int64_t> sizes, const Window& window) {
  std::vector<int64_t> counts;
  for (size_t d = 0; d < sizes.size(); ++d) {
    HILO_ASSIGN_OR_RETURN(const int64_t count, window_count(d, sizes[d], window[d]));
    counts.push_back(count);
  }
  return counts;
}

std::optional<int64_t> window_source(const WindowDimension& window, int64_t size, int64_t position, int64_t offset) {
  return source_in_window(window, size, position, offset);
}

bool is_trivial(const WindowDimension& window) { return window == WindowDimension(); }

void windows_rule(const Window& window, size_t arrays, RuleBuilder& builder) {
  for (size_t d = 0; d < window.size(); ++d) {
    const int factor = builder.factor(builder.operands[0].dimension(d),
                                      window[d] == WindowDimension{} ? FactorKind::kPass : FactorKind::kPermute);
    for (size_t i = 0; i < arrays; ++i) builder.operand(i, d, factor);
    for (size_t i = 0; i < builder.results.size(); ++i) builder.result(i, d, factor);
  }
}

}  // namespace hilo::hlo
