// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/reducers.h -- reducers that have a name, as types whose loops a compiler turns into vector code.
#pragma once

#include <bit>
#include <complex>
#include <type_traits>

#include "hilo/hlo/ir/computation.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu {

/// f16 and bf16 are reduced in float; results round once.
template <typename T>
using ReducedIn = std::conditional_t<std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>, float, T>;

template <typename A>
using BitsOf = std::conditional_t<sizeof(A) == 8, uint64_t, uint32_t>;

struct AddReducer {
  template <typename A>
  static A apply(A a, A x) {
    if constexpr (std::is_same_v<A, bool>) return a || x;
    else if constexpr (std::is_integral_v<A>)
      return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(x));
    else return a + x;
  }
};

struct MultiplyReducer {
  template <typename A>
  static A apply(A a, A x) {
    if constexpr (std::is_same_v<A, bool>) return a && x;
    else if constexpr (std::is_integral_v<A>)
      return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(x));
    else return a * x;
  }
};

/// NaN wins, and 0 over -0: of equal numbers, the sign bits are and-ed.
struct MaximumReducer {
  template <typename A>
  static A apply(A a, A x) {
    const A greater = x > a ? x : a;
    if constexpr (std::is_floating_point_v<A>) {
      const A equal = std::bit_cast<A>(std::bit_cast<BitsOf<A>>(a) & std::bit_cast<BitsOf<A>>(x));
      const A ordered = x == a ? equal : greater;
      return x != x ? x : ordered;
    } else {
      return greater;
    }
  }
};

struct MinimumReducer {
  template <typename A>
  static A apply(A a, A x) {
    const A less = x < a ? x : a;
    if constexpr (std::is_floating_point_v<A>) {
      const A equal = std::bit_cast<A>(std::bit_cast<BitsOf<A>>(a) | std::bit_cast<BitsOf<A>>(x));
      const A ordered = x == a ? equal : less;
      return x != x ? x : ordered;
    } else {
      return less;
    }
  }
};

struct AndReducer {
  template <typename A>
  static A apply(A a, A x) {
    return static_cast<A>(a & x);
  }
};
struct OrReducer {
  template <typename A>
  static A apply(A a, A x) {
    return static_cast<A>(a | x);
  }
};
struct XorReducer {
  template <typename A>
  static A apply(A a, A x) {
    return static_cast<A>(a ^ x);
  }
};

/// Calls f.operator()<Reducer>() with what `kind` names on values of type A; false if there is none.
template <typename A, typename F>
bool visit_reducer(hlo::ReducerKind kind, F&& f) {
  switch (kind) {
    case hlo::ReducerKind::kAdd: f.template operator()<AddReducer>(); return true;
    case hlo::ReducerKind::kMultiply: f.template operator()<MultiplyReducer>(); return true;
    case hlo::ReducerKind::kMaximum: f.template operator()<MaximumReducer>(); return true;
    case hlo::ReducerKind::kMinimum: f.template operator()<MinimumReducer>(); return true;
    case hlo::ReducerKind::kAnd:
      if constexpr (std::is_integral_v<A>) f.template operator()<AndReducer>();
      return std::is_integral_v<A>;
    case hlo::ReducerKind::kOr:
      if constexpr (std::is_integral_v<A>) f.template operator()<OrReducer>();
      return std::is_integral_v<A>;
    case hlo::ReducerKind::kXor:
      if constexpr (std::is_integral_v<A>) f.template operator()<XorReducer>();
      return std::is_integral_v<A>;
    case hlo::ReducerKind::kArgMax:
    case hlo::ReducerKind::kArgMin:
    case hlo::ReducerKind::kGeneric: break;
  }
  return false;
}

/// Whether visit_reducer knows it, on elements of `type`: integers, pred, and real floats of 16 bits and more.
inline bool has_reducer(hlo::ReducerKind kind, ElementType type) {
  const ElementTypeInfo& info = element_type_info(type);
  if (is_complex(type) || (info.bits < 8 && type != ElementType::kPred)) return false;
  if (is_floating(type) && info.bits < 16) return false;
  switch (kind) {
    case hlo::ReducerKind::kAdd:
    case hlo::ReducerKind::kMultiply:
    case hlo::ReducerKind::kMaximum:
    case hlo::ReducerKind::kMinimum: return true;
    case hlo::ReducerKind::kAnd:
    case hlo::ReducerKind::kOr:
    case hlo::ReducerKind::kXor: return !is_floating(type);
    case hlo::ReducerKind::kArgMax:
    case hlo::ReducerKind::kArgMin:
    case hlo::ReducerKind::kGeneric: break;
  }
  return false;
}

}  // namespace hilo::cpu
