// SPDX-License-Identifier: Apache-2.0
// hlo/ops/elementwise_rows.h -- typed loops over the rows of elementwise.inc; each class of types is instantiated in
// its own source file.
#pragma once

#include <array>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/elementwise_kernels.h"

namespace hilo::hlo {

/// Computes a row into `out`, a literal of the result's shape. Null if the row doesn't accept the type.
using RowFunction = void (*)(const EvaluateInput& input, Literal& out);
RowFunction integer_row(Opcode opcode, ElementType type);  ///< including pred
RowFunction float_row(Opcode opcode, ElementType type);
RowFunction narrow_float_row(Opcode opcode, ElementType type);  ///< 8 bits and fewer
RowFunction complex_row(Opcode opcode, ElementType type);

/// Ops whose kernels need more than one expression: compare, select, clamp, convert, complex, reduce-precision.
StatusOr<Literal> evaluate_compare(const EvaluateInput& input);
StatusOr<Literal> evaluate_select(const EvaluateInput& input);
StatusOr<Literal> evaluate_clamp(const EvaluateInput& input);
StatusOr<Literal> evaluate_convert(const EvaluateInput& input);
StatusOr<Literal> evaluate_complex(const EvaluateInput& input);
StatusOr<Literal> evaluate_reduce_precision(const EvaluateInput& input);

/// Returns the error for an op on an element type that it has no kernel for.
Status no_kernel(const EvaluateInput& input, ElementType type);

namespace rows {

struct Special {};
inline constexpr Special special;

#define HILO_ELEMENTWISE(enumerator, name, lax_name, arity, types, result, cost, traits, kernel) \
  struct enumerator##Row {                                                                       \
    static constexpr int kArity = arity;                                                         \
    static constexpr TypeSet kTypes = types;                                                     \
    static constexpr ResultType kResult = ResultType::result;                                    \
    static constexpr bool kSpecial = std::string_view(#kernel) == "special";                     \
    template <typename T>                                                                        \
    static auto apply([[maybe_unused]] T x, [[maybe_unused]] T y, [[maybe_unused]] T z) {        \
      return kernel;                                                                             \
    }                                                                                            \
  };
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE

/// f16 and narrower floats compute in float and round once, when stored.
template <typename S>
using Compute = std::conditional_t<computes_in_float<S>, float, S>;

template <typename S>
struct RealPart {
  using Type = S;
};
template <typename T>
struct RealPart<std::complex<T>> {
  using Type = T;
};

/// Rows whose c64 kernels compute in c128 and round, because the C library's errors are several units in c64.
template <typename Row>
inline constexpr bool kWidensComplex = std::is_same_v<Row, AcosRow> || std::is_same_v<Row, AcoshRow> ||
                                       std::is_same_v<Row, AsinRow> || std::is_same_v<Row, AsinhRow>;

template <typename Row, typename T>
auto apply_row(T x, T y) {
  if constexpr (kWidensComplex<Row> && std::is_same_v<T, std::complex<float>>)
    return static_cast<T>(Row::template apply<std::complex<double>>(x, y, {}));
  else return Row::template apply<T>(x, y, T{});
}

template <typename Row, typename S>
void run_row(const EvaluateInput& input, Literal& out) {
  using C = Compute<S>;
  using R =
      std::conditional_t<Row::kResult == ResultType::kPredicate, bool,
                         std::conditional_t<Row::kResult == ResultType::kRealPart, typename RealPart<S>::Type, S>>;
  const std::span<const S> x = input.operands[0]->data<S>();
  const std::span<R> result = out.data<R>();
  if constexpr (Row::kArity == 1) {
    for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<R>(apply_row<Row, C>(static_cast<C>(x[i]), C{}));
  } else {
    const std::span<const S> y = input.operands[1]->data<S>();
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<R>(apply_row<Row, C>(static_cast<C>(x[i]), static_cast<C>(y[i])));
  }
}

template <typename Row, typename S>
constexpr RowFunction row_function() {
  if constexpr (!Row::kSpecial && contains(Row::kTypes, element_type_of<S>)) return run_row<Row, S>;
  else return nullptr;
}

/// The row of `opcode` for element type S.
template <typename S>
RowFunction row_of(Opcode opcode) {
  static constexpr std::array<RowFunction, kElementwiseOpcodeCount> table = {
#define HILO_ELEMENTWISE(enumerator, ...) row_function<enumerator##Row, S>(),
#include "hilo/hlo/ir/elementwise.inc"
#include "hilo/types/twins.h"
#undef HILO_ELEMENTWISE
  };
  return table[ordinal(opcode)];
}

}  // namespace rows
}  // namespace hilo::hlo
