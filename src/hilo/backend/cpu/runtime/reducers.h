// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/reducers.h -- reducers that have a name, as types whose loops a compiler vectorizes.
#pragma once

#include <bit>
#include <complex>
#include <type_traits>

#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ops/long_sums.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu {

/// f16 and bf16 are reduced in float; results are rounded once.
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

/// NaN propagates, and 0 is greater than -0: for equal numbers, the maximum combines the sign bits by and, the minimum
/// by or.
template <bool kGreatest>
struct ExtremeReducer {
  template <typename A>
  static A apply(A a, A x) {
    const A better = (kGreatest ? x > a : x < a) ? x : a;
    if constexpr (std::is_floating_point_v<A>) {
      const auto p = std::bit_cast<BitsOf<A>>(a), q = std::bit_cast<BitsOf<A>>(x);
      const A equal = std::bit_cast<A>(kGreatest ? p & q : p | q);
      const A ordered = x == a ? equal : better;
      return x != x ? x : ordered;
    } else {
      return better;
    }
  }
};
using MaximumReducer = ExtremeReducer<true>;
using MinimumReducer = ExtremeReducer<false>;

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

/// Calls f.operator()<Reducer>() with the reducer of `kind` on values of type A. Returns false if none exists.
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

/// Maps integer types with the same bit operations to the unsigned one, which halves the compiled code.
template <typename T, typename Reducer>
struct CombinedAs {
  using Type = T;
};
template <typename T, typename Reducer>
  requires(std::is_signed_v<T> && std::is_integral_v<T> && !std::is_same_v<Reducer, MaximumReducer> &&
           !std::is_same_v<Reducer, MinimumReducer>)
struct CombinedAs<T, Reducer> {
  using Type = std::make_unsigned_t<T>;
};

/// Calls f.operator()<T, Reducer>() with the elements' type (or one with the same bit operations) and the reducer of
/// `kind`. Returns false for kinds without a name, for complex numbers except sums, for types of less than 8 bits, and
/// for floats narrower than f16.
template <typename F>
bool visit_reducer_of(hlo::ReducerKind kind, ElementType type, F&& f) {
  return visit_element_type(
      type,
      [&]<typename T>() {
        if constexpr (is_complex(element_type_of<T>)) {
          if (kind == hlo::ReducerKind::kAdd) f.template operator()<T, AddReducer>();
          return kind == hlo::ReducerKind::kAdd;
        } else
          return visit_reducer<ReducedIn<T>>(kind, [&]<typename Reducer>() {
            f.template operator()<typename CombinedAs<T, Reducer>::Type, Reducer>();
          });
      },
      [] { return false; });
}

/// A reduction step by step: in a type that contains the elements' type, or, with kRounds, rounded to that type at each
/// step.
template <typename T, typename Reducer, typename A, bool kRounds>
struct ReducerState {
  A now{};
  ReducerState() = default;
  explicit ReducerState(T initial) : now(static_cast<A>(initial)) {}
  void take(T x) {
    now = Reducer::apply(now, static_cast<A>(x));
    if constexpr (kRounds) now = static_cast<A>(static_cast<T>(now));
  }
  T value() const { return static_cast<T>(now); }
};

/// Short reductions round as their bodies specify. In long ones, the error of sums and products of floats grows little
/// or not at all with their length.
template <typename T, typename Reducer, bool kShort>
struct StateOf {
  static constexpr bool kLong = !kShort && (is_floating(element_type_of<T>) || is_complex(element_type_of<T>));
  static constexpr bool kSum = std::is_same_v<Reducer, AddReducer>, kProduct = std::is_same_v<Reducer, MultiplyReducer>;
  using In = std::conditional_t<kLong && kProduct, double, ReducedIn<T>>;
  using Type = std::conditional_t<kLong && kSum, hlo::RunningSum<T>,
                                  ReducerState<T, Reducer, In, kShort && !std::is_same_v<In, T>>>;
};

inline bool has_reducer(hlo::ReducerKind kind, ElementType type) {
  return visit_reducer_of(kind, type, []<typename T, typename Reducer>() {});
}

}  // namespace hilo::cpu
