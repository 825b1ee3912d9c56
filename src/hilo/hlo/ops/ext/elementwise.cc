// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/elementwise.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "hilo/hlo/ops/ext/formula.h"
#include "hilo/hlo/ops/extensions.h"

namespace hilo::hlo {

namespace formulas {

// Each says what its op computes, in the ops of jax.lax. Same names as the rows.

// Source    Giles, "Approximating the erfinv function" (2010), single precision
constexpr double kErfInvCentral[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                     -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
constexpr double kErfInvTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                  -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};

Value erf_inv(Value x) {
  const Value w = -log1p(x * -x);
  const Value central = polynomial(w + -2.5, kErfInvCentral);
  const Value tail = polynomial(sqrt(w) + -3.0, kErfInvTail);
  const Value inside = select(w < 5.0, central, tail) * x;
  return select(abs(x) == 1.0, x * std::numeric_limits<double>::infinity(), inside);
}

}  // namespace formulas

namespace {

/// The element types that a row takes.
struct Types {
  bool (*accepts)(ElementType);
  std::string_view words;
};
constexpr Types kFloats = {[](ElementType type) { return is_floating(type); }, "floats"};
constexpr Types kSinglePrecision = {[](ElementType type) { return type == ElementType::kF32; }, "f32"};

/// Row gives kOpcode, kName, kArity, kTypes and formula().
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
  Formula formula(std::string(Row::kName), operands[0].with_default_layout(), instruction.annotations);
  std::array<Value, Row::kArity> x;
  for (Value& value : x) value = {&formula, formula.parameter()};
  const Value root = std::apply(Row::formula, x);
  return std::move(formula).finish(root.id);
}

template <typename Row>
const OpDef& definition() {
  static constexpr OpDef kDef = {.opcode = Row::kOpcode,
                                 .name = Row::kName,
                                 .arity = Row::kArity,
                                 .operand_types = kFloating,
                                 .traits = kExtension,
                                 .cost = CostClass::kTranscendental,
                                 .infer_shape = infer_shape<Row>,
                                 .fields = {},
                                 .make_attributes = nullptr,
                                 .copy_attributes = nullptr,
                                 .evaluate = nullptr,
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
#include "hilo/hlo/ops/extensions.inc"

}  // namespace hilo::hlo
