// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/product_routine.h"

#include <algorithm>
#include <numeric>

#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/hlo/ops/dot.h"

namespace hilo::cpu {

using runtime::ArrayPlaces, runtime::SumType;

namespace {

using Dimension = ArrayPlaces::Dimension;

/// Joins dimensions that are one in memory, and leaves out those of one element.
std::vector<Dimension> joined(const std::vector<Dimension>& dimensions) {
  std::vector<Dimension> all;
  for (const Dimension& d : dimensions) {
    if (d.extent == 1) continue;
    if (!all.empty() && all.back().stride == d.stride * d.extent) all.back() = {all.back().extent * d.extent, d.stride};
    else all.push_back(d);
  }
  return all;
}

std::vector<int64_t> others(int64_t rank, std::span<const int64_t> first, std::span<const int64_t> second) {
  std::vector<int64_t> rest;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::ranges::find(first, d) == first.end() && std::ranges::find(second, d) == second.end()) rest.push_back(d);
  }
  return rest;
}

std::vector<int64_t> chained(std::span<const int64_t> a, std::span<const int64_t> b, std::span<const int64_t> c) {
  std::vector<int64_t> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

int64_t extent_of(const Shape& shape, std::span<const int64_t> dimensions) {
  int64_t extent = 1;
  for (const int64_t d : dimensions) extent *= shape.dimension(d);
  return extent;
}

bool is_float(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBf16 || type == ElementType::kF32 ||
         type == ElementType::kF64;
}

}  // namespace

std::optional<SumType> sum_type_of(ElementType lhs, ElementType rhs, ElementType result) {
  if (is_integer(lhs) && is_integer(rhs) && is_integer(result)) return SumType::kInteger;
  if (is_complex(result)) {
    const bool fits = (lhs == result || lhs == real_type_of(result)) && (rhs == result || rhs == real_type_of(result));
    if (!fits) return std::nullopt;
    return result == ElementType::kC64 ? SumType::kC64 : SumType::kC128;
  }
  if (!is_float(lhs) || !is_float(rhs) || !is_float(result)) return std::nullopt;
  const bool wide = lhs == ElementType::kF64 || rhs == ElementType::kF64 || result == ElementType::kF64;
  return wide ? SumType::kF64 : SumType::kF32;
}

std::optional<ArrayPlaces> places_of(const Shape& shape, const OperandView& view, std::span<const int64_t> order) {
  const std::vector<int64_t> strides = view.strides.empty() ? row_major_strides(shape.dimensions()) : view.strides;
  std::vector<Dimension> dimensions;
  for (const int64_t d : order) dimensions.push_back({shape.dimension(d), strides[static_cast<size_t>(d)]});
  ArrayPlaces places;
  places.offset = view.offset;
  places.count = shape.element_count();
  if (places.count == 0) return places;
  dimensions = joined(dimensions);
  if (dimensions.size() > ArrayPlaces::kMaxDimensions) return std::nullopt;
  places.is_dense = dimensions.empty() || (dimensions.size() == 1 && dimensions[0].stride == 1);
  std::ranges::copy_backward(dimensions, places.dimensions.end());
  return places;
}

RoutineCall product_call(const runtime::ProductProblem& problem, std::span<const runtime::ConvolutionProblem> parts) {
  ProblemWriter<runtime::ProductProblem> writer(problem);
  writer.set(writer.problem.parts, parts);
  const size_t scratch = runtime::product_scratch(problem, parts);
  return {runtime::Routine::kProduct, std::move(writer).finish(), 1, scratch};
}

std::optional<RoutineCall> dot_routine(const RoutineRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const auto& a = hlo::attributes_of<hlo::DotAttributes>(instruction);
  const Shape &lhs = operands[0], &rhs = operands[1], &result = results[0];
  const std::optional<SumType> sum = sum_type_of(lhs.element_type(), rhs.element_type(), result.element_type());
  if (!sum) return std::nullopt;
  const std::vector<int64_t> rows = others(lhs.rank(), a.lhs_batch_dimensions, a.lhs_contracting_dimensions);
  const std::vector<int64_t> columns = others(rhs.rank(), a.rhs_batch_dimensions, a.rhs_contracting_dimensions);
  std::vector<int64_t> all(static_cast<size_t>(result.rank()));
  std::iota(all.begin(), all.end(), 0);
  const auto left =
      places_of(lhs, request.view(0), chained(a.lhs_batch_dimensions, rows, a.lhs_contracting_dimensions));
  const auto right =
      places_of(rhs, request.view(1), chained(a.rhs_batch_dimensions, a.rhs_contracting_dimensions, columns));
  const auto out = places_of(result, request.view(2), all);
  if (!left || !right || !out) return std::nullopt;
  const int64_t m = extent_of(lhs, rows), n = extent_of(rhs, columns), k = extent_of(lhs, a.lhs_contracting_dimensions);
  runtime::ConvolutionProblem part;
  part.groups = {extent_of(lhs, a.lhs_batch_dimensions), m * k, k * n, m * n};
  part.batch = {m, k, 0, n};
  part.inputs = {k, 1, n, 0};
  part.outputs = {n, 0, 1, 1};
  return product_call(
      {lhs.element_type(), rhs.element_type(), result.element_type(), *sum, request.isa, *left, *right, *out, {}},
      std::span(&part, 1));
}

}  // namespace hilo::cpu
