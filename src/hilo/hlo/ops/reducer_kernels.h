// SPDX-License-Identifier: Apache-2.0
// hlo/ops/reducer_kernels.h -- operations of recognized reducers on two values, for the reference kernels.
#pragma once

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/elementwise_kernels.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {

/// Returns the operation on values of type A; null if A doesn't support `kind`.
template <typename A>
A (*operation_of(ReducerKind kind))(A, A) {
  switch (kind) {
    case ReducerKind::kAdd: return kernels::add<A>;
    case ReducerKind::kMultiply: return kernels::multiply<A>;
    case ReducerKind::kMaximum:
      if constexpr (!kernels::is_complex<A>) return kernels::maximum<A>;
      break;
    case ReducerKind::kMinimum:
      if constexpr (!kernels::is_complex<A>) return kernels::minimum<A>;
      break;
    case ReducerKind::kAnd:
      if constexpr (is_integral_element<A>) return [](A x, A y) { return static_cast<A>(x & y); };
      break;
    case ReducerKind::kOr:
      if constexpr (is_integral_element<A>) return [](A x, A y) { return static_cast<A>(x | y); };
      break;
    case ReducerKind::kXor:
      if constexpr (is_integral_element<A>) return [](A x, A y) { return static_cast<A>(x ^ y); };
      break;
    case ReducerKind::kArgMax:
    case ReducerKind::kArgMin:
    case ReducerKind::kGeneric: break;
  }
  return nullptr;
}

/// f16 and narrower floats accumulate in float and round once.
template <typename T>
using Accumulator = std::conditional_t<computes_in_float<T>, float, T>;

}  // namespace hilo::hlo
