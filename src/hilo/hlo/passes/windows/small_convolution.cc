// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/windows/small_convolution.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/passes/windows/window_slices.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kMaxGroups = 15;          // from a register of f32 on, the library's lanes are groups
constexpr int64_t kMaxGradientGroups = 32;  // beyond, the library is as fast

/// Returns the window over all dimensions of a convolution's input.
Window window_over_input(const Window& spatial, const ConvolutionDimensions& d) {
  Window window(spatial.size() + 2);
  for (size_t k = 0; k < spatial.size(); ++k) window[d.input_spatial[k]] = spatial[k];
  return window;
}

/// Returns the counts of windows in the input's dimensions.
std::vector<int64_t> counts_over_input(const ConvolutionDimensions& d, const Shape& input, const Shape& result) {
  std::vector<int64_t> counts(input.dimensions().begin(), input.dimensions().end());
  for (size_t k = 0; k < d.input_spatial.size(); ++k)
    counts[d.input_spatial[k]] = result.dimension(d.output_spatial[k]);
  return counts;
}

/// Returns the window in which positions are elements and elements are positions: both are steps through the array.
Window turned(const ConvolutionAttributes& a, const Shape& result) {
  Window turned = a.window;
  for (size_t k = 0; k < turned.size(); ++k) {
    turned[k].size = result.dimension(a.dimensions.output_spatial[k]);
    std::swap(turned[k].stride, turned[k].window_dilation);
  }
  return turned;
}

/// Returns the sizes of the window in its dimensions, and those of the array in the others.
std::vector<int64_t> sizes_over_input(const ConvolutionAttributes& a, const Shape& input) {
  std::vector<int64_t> sizes(input.dimensions().begin(), input.dimensions().end());
  for (size_t k = 0; k < a.window.size(); ++k) sizes[a.dimensions.input_spatial[k]] = a.window[k].size;
  return sizes;
}

bool is_unrolled(const Window& window, const Shape& input, std::span<const int64_t> counts) {
  return volume_of(window) <= kMaxElements && (!pads(window) || pads_little(window, input.dimensions(), counts));
}

/// Returns the kernel's dimension for each dimension of the input.
Int64List kernel_over_input(const ConvolutionDimensions& d) {
  Int64List permutation(d.input_spatial.size() + 2);
  permutation[d.input_batch] = d.kernel_output;
  permutation[d.input_feature] = d.kernel_input;
  for (size_t k = 0; k < d.input_spatial.size(); ++k) permutation[d.input_spatial[k]] = d.kernel_spatial[k];
  return permutation;
}

/// Sums over all dimensions but one. If that is the last one and short, the dimension before is summed at the end:
/// until then vectors run along both.
Expr sum_of_others(Expr x, int64_t kept) {
  constexpr int64_t kFew = 4;
  const Shape shape = x.shape();
  const int64_t rank = shape.rank();
  Int64List others;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != kept) others.push_back(d);
  }
  if (kept != rank - 1 || rank < 3 || shape.dimension(kept) == 1 || shape.dimension(kept) >= kFew)
    return sum(x, others);
  others.pop_back();
  return sum(sum(x, others), {0});
}

}  // namespace

SmallConvolution small_convolution(const ConvolutionAttributes& a, const Shape& input, const Shape& kernel,
                                   const Shape& result) {
  const ElementType type = result.element_type();
  const bool is_plain = (type == ElementType::kF32 || type == ElementType::kF64) && input.element_type() == type &&
                        kernel.element_type() == type && result.element_count() > 0 && input.element_count() > 0;
  const auto is_dilated = [](const WindowDimension& w) { return w.base_dilation != 1; };
  if (!is_plain || std::ranges::any_of(a.window, is_dilated)) return SmallConvolution::kNone;

  const Window window = window_over_input(a.window, a.dimensions);
  const std::vector<int64_t> counts = counts_over_input(a.dimensions, input, result);
  const int64_t groups = kernel.dimension(a.dimensions.kernel_output);
  if (a.batch_group_count == 1 && a.feature_group_count == groups && groups <= kMaxGroups &&
      input.dimension(a.dimensions.input_feature) == groups && is_unrolled(window, input, counts))
    return SmallConvolution::kSlices;

  const Window positions = window_over_input(turned(a, result), a.dimensions);
  const auto is_reversed = [](const WindowDimension& w) { return w.reversal; };
  if (a.feature_group_count == 1 && a.batch_group_count == groups && groups <= kMaxGradientGroups &&
      input.dimension(a.dimensions.input_batch) == groups && volume_of(window) > volume_of(positions) &&
      std::ranges::none_of(a.window, is_reversed) && is_unrolled(positions, input, sizes_over_input(a, input)))
    return SmallConvolution::kGradient;
  return SmallConvolution::kNone;
}

Expr sum_of_slices(const ConvolutionAttributes& a, const Shape& result, Expr input, Expr kernel, bool fused) {
  Sink& sink = *input.sink;
  const Window window = window_over_input(a.window, a.dimensions);
  const std::vector<int64_t> counts = counts_over_input(a.dimensions, input.shape(), result);
  const Expr zero = sink.constant(Literal(Shape::scalar(result.element_type())));
  const Expr x = pads(window) ? padded(input, window, zero) : input;
  const int64_t groups = kernel.shape().dimension(a.dimensions.kernel_output);
  Expr sum = broadcast(zero, counts, {});
  std::vector<int64_t> sizes, offset(a.window.size(), 0);
  for (const WindowDimension& w : a.window) sizes.push_back(w.size);
  do {
    std::vector<int64_t> places(window.size(), 0);
    Expr factor = kernel;
    for (size_t d = 0; d < offset.size(); ++d) {
      places[a.dimensions.input_spatial[d]] = offset[d];
      const int64_t k = a.window[d].reversal ? sizes[d] - 1 - offset[d] : offset[d];
      factor = slice(factor, a.dimensions.kernel_spatial[d], k, k + 1);
    }
    const Expr factors = groups == 1
                             ? broadcast(reshape(factor, {}), counts, {})
                             : broadcast(reshape(factor, std::array{groups}), counts, {a.dimensions.input_feature});
    const Expr part = element_at(x, window, counts, places);
    sum = fused ? mul_add(part, factors, sum) : part * factors + sum;
  } while (next_index(sizes, offset));
  return transpose(sum, input_dimensions(a.dimensions));
}

Expr sums_at_positions(const ConvolutionAttributes& a, const Shape& result, Expr input, Expr kernel) {
  Sink& sink = *input.sink;
  const ConvolutionDimensions& d = a.dimensions;
  const std::vector<int64_t> sizes = sizes_over_input(a, input.shape());
  const Window window = window_over_input(turned(a, result), d);
  const Expr zero = sink.constant(Literal(Shape::scalar(result.element_type())));
  const Expr x = pads(window) ? padded(input, window, zero) : input;
  const Expr factors = transpose(kernel, kernel_over_input(d));
  const int64_t groups = input.shape().dimension(d.input_batch);
  std::vector<int64_t> positions, offset(a.window.size(), 0);
  for (const int64_t place : d.output_spatial) positions.push_back(result.dimension(place));
  Exprs parts;
  do {
    std::vector<int64_t> places(window.size(), 0);
    for (size_t k = 0; k < offset.size(); ++k) places[d.input_spatial[k]] = offset[k];
    const Expr product = element_at(x, window, sizes, places) * factors;
    parts.push_back(reshape(sum_of_others(product, d.input_batch), std::array{int64_t{1}, groups}));
  } while (next_index(positions, offset));

  Int64List permutation(positions.size() + 2);
  for (size_t k = 0; k < positions.size(); ++k) permutation[d.output_spatial[k]] = static_cast<int64_t>(k);
  permutation[d.output_batch] = std::ssize(positions);
  permutation[d.output_feature] = std::ssize(positions) + 1;
  positions.insert(positions.end(), {1, groups});
  return transpose(reshape(concatenate(parts, 0), positions), permutation);
}

}  // namespace hilo::hlo
