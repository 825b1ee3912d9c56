// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/ext/special_functions.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {

namespace formulas {

// Formulas of the ops in terms of jax.lax, with the same names as the rows. Those of special functions are in
// ext/special_functions.cc.

// logistic(x) logistic(-x), the derivative of logistic. For negative x, 1 - y is as accurate as y; for positive x, e^-x
// y is logistic(-x). Next to logistic(x) in a loop, it needs no additional exponential or division.
Expr logistic_slope(Expr x) {
  const Expr y = logistic(x);
  return y * select(x < 0.0, 1.0 - y, exp(-abs(x)) * y);
}

}  // namespace formulas

namespace {

/// The element types that a row accepts, and those that it computes in.
struct Types {
  bool (*accepts)(ElementType);
  std::string_view words;
  bool widens = false;  ///< types narrower than f32 compute in f32
};
[[maybe_unused]] constexpr Types kFloats = {[](ElementType type) { return is_floating(type); }, "floats"};
constexpr Types kIeeeFloats = {[](ElementType type) { return is_floating(type) && element_size_bytes(type) > 1; },
                               "bf16, f16, f32 or f64"};
constexpr Types kWideFloats = {kIeeeFloats.accepts, kIeeeFloats.words, true};

/// Row has kOpcode, kName, kArity, kTypes and formula().
template <typename Row>
StatusOr<Shape> infer_shape(const ShapeRuleInput& input) {
  const Shape first = input.operands[0].with_default_layout();
  if (!Row::kTypes.accepts(first.element_type())) {
    return invalid_argument(
        fmt::format("wrong element type; got {}; wanted {}. Hint: convert", first.to_string(), Row::kTypes.words));
  }
  for (const Shape& other : input.operands.subspan(1)) {
    if (other.with_default_layout() == first) continue;
    return invalid_argument(fmt::format("operands differ; got {} and {}; wanted one shape. Hint: convert or broadcast",
                                        first.to_string(), other.to_string()));
  }
  return first;
}

template <typename Row>
StatusOr<ComputationPtr> decompose(const Instruction& instruction, std::span<const Shape> operands) {
  const ElementType type = operands[0].element_type();
  const bool widens = Row::kTypes.widens && element_size_bytes(type) < 4;
  Decomposition d(instruction, operands);
  std::array<Expr, Row::kArity> x;
  std::ranges::transform(d.operands(), x.begin(),
                         [&](Expr operand) { return convert(operand, widens ? ElementType::kF32 : type); });
  const Expr result = std::apply(Row::formula, x);
  return std::move(d).finish(convert(result, type));
}

template <typename Row>
const OpDef& definition() {
  static constexpr OpDef kDef = {.opcode = Row::kOpcode,
                                 .name = Row::kName,
                                 .arity = Row::kArity,
                                 .operand_types = kFloating,
                                 .traits = kExtension,
                                 .cost = CostClass::kTranscendental,
                                 .sharding = kPointwise,
                                 .infer_shape = infer_shape<Row>,
                                 .decompose = decompose<Row>,
                                 .spec = Row::kName};
  return kDef;
}

}  // namespace

#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, arity, types)                  \
  namespace {                                                                       \
  struct enumerator##Row {                                                          \
    static constexpr Opcode kOpcode = kExt##enumerator;                             \
    static constexpr std::string_view kName = "hilo." #name;                        \
    static constexpr int kArity = arity;                                            \
    static constexpr Types kTypes = types;                                          \
    static constexpr auto formula = [](auto... x) { return formulas::name(x...); }; \
  };                                                                                \
  }                                                                                 \
  const OpDef& ext_##name##_op() { return definition<enumerator##Row>(); }
#include "hilo/hlo/ir/extensions.inc"

}  // namespace hilo::hlo
