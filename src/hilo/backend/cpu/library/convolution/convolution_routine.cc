// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/convolution/convolution_routine.cc -- convolutions in objects.
#include <algorithm>

#include "hilo/backend/cpu/library/convolution/convolution_problem.h"
#include "hilo/backend/cpu/library/products/product_routine.h"

namespace hilo::cpu {
namespace {

/// All elements in the order of their memory.
runtime::ArrayPlaces whole(const Shape& shape) {
  runtime::ArrayPlaces places;
  places.count = shape.element_count();
  places.dimensions.back() = {places.count, 1};
  return places;
}

}  // namespace

std::optional<RoutineCall> convolution_routine(const RoutineRequest& request) {
  const auto& [instruction, operands, results] = request.problem;
  const auto& a = hlo::attributes_of<hlo::ConvolutionAttributes>(instruction);
  const Shape &lhs = operands[0], &rhs = operands[1], &result = results[0];
  const auto sum = sum_type_of(lhs.element_type(), rhs.element_type(), result.element_type());
  const auto parts = convolution_problems(a, lhs, rhs, result);
  if (!sum || !parts) return std::nullopt;
  return product_call({lhs.element_type(),
                       rhs.element_type(),
                       result.element_type(),
                       *sum,
                       request.isa,
                       whole(lhs),
                       whole(rhs),
                       whole(result),
                       {}},
                      *parts);
}

}  // namespace hilo::cpu
