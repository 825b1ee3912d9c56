// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/combine.h"

#include "hilo/hlo/ops/elementwise_kernels.h"
#include "hilo/types/twins.h"

namespace hilo {
namespace {

using hlo::ReducerKind;
namespace kernels = hlo::kernels;

/// f16 and narrower floats are computed in float.
template <typename T>
using Computed = std::conditional_t<computes_in_float<T>, float, T>;

template <typename T, Computed<T> (*kOperation)(Computed<T>, Computed<T>)>
void fold(std::byte* accumulator, const std::byte* more, int64_t count) {
  T* a = reinterpret_cast<T*>(accumulator);
  const T* b = reinterpret_cast<const T*>(more);
  for (int64_t i = 0; i < count; ++i)
    a[i] = static_cast<T>(kOperation(static_cast<Computed<T>>(a[i]), static_cast<Computed<T>>(b[i])));
}

template <typename T>
T bit_and(T x, T y) {
  return static_cast<T>(x & y);
}
template <typename T>
T bit_or(T x, T y) {
  return static_cast<T>(x | y);
}
template <typename T>
T bit_xor(T x, T y) {
  return static_cast<T>(x ^ y);
}

template <typename T>
CombineFunction function_of(ReducerKind kind) {
  using C = Computed<T>;
  switch (kind) {
    case ReducerKind::kAdd: return fold<T, kernels::add<C>>;
    case ReducerKind::kMultiply: return fold<T, kernels::multiply<C>>;
    case ReducerKind::kMaximum:
      if constexpr (!kernels::is_complex<C>) return fold<T, kernels::maximum<C>>;
      break;
    case ReducerKind::kMinimum:
      if constexpr (!kernels::is_complex<C>) return fold<T, kernels::minimum<C>>;
      break;
    case ReducerKind::kAnd:
      if constexpr (is_integral_element<C>) return fold<T, bit_and<C>>;
      break;
    case ReducerKind::kOr:
      if constexpr (is_integral_element<C>) return fold<T, bit_or<C>>;
      break;
    case ReducerKind::kXor:
      if constexpr (is_integral_element<C>) return fold<T, bit_xor<C>>;
      break;
    case ReducerKind::kArgMax:
    case ReducerKind::kArgMin:
    case ReducerKind::kGeneric: break;
  }
  return nullptr;
}

}  // namespace

CombineFunction combine_function(ReducerKind kind, ElementType type) {
  return visit_array_type(
      type, [&]<typename T>() { return function_of<T>(kind); }, [] { return CombineFunction(nullptr); });
}

}  // namespace hilo
