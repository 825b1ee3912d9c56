// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/fma.cc -- the extension op fma: x * y + z with one rounding. Engines run it natively.
#include <fmt/format.h>

#include <cmath>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/op_def.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

StatusOr<Shape> infer_shape(const ShapeRuleInput& input) {
  const Shape first = input.operands[0].with_default_layout();
  if (!is_floating(first.element_type()) || element_size_bytes(first.element_type()) < 2) {
    return invalid_argument(
        fmt::format("wrong element type; got {}; wanted bf16, f16, f32 or f64. Hint: convert", first.to_string()));
  }
  for (const Shape& other : input.operands.subspan(1)) {
    if (other.with_default_layout() == first) continue;
    return invalid_argument(fmt::format("operands differ; got {} and {}; wanted one shape. Hint: convert or broadcast",
                                        first.to_string(), other.to_string()));
  }
  return first;
}

/// f16 and bf16 compute in float and are rounded once more.
template <typename T>
void run(const EvaluateInput& input, Literal& out) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto element = [&](size_t operand, size_t i) { return static_cast<C>(input.operands[operand]->data<T>()[i]); };
  const std::span<T> result = out.data<T>();
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<T>(std::fma(element(0, i), element(1, i), element(2, i)));
}

StatusOr<Literal> evaluate(const EvaluateInput& input) {
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(input.instruction.shape.with_default_layout()));
  switch (out.shape().element_type()) {  // NOLINT: the types that the shape rule lets pass
    case ElementType::kF64: run<double>(input, out); break;
    case ElementType::kF32: run<float>(input, out); break;
    case ElementType::kF16: run<float16>(input, out); break;
    default: run<bfloat16>(input, out); break;
  }
  return out;
}

/// For engines without the op; the product is rounded, too.
StatusOr<ComputationPtr> decompose_fma(const Instruction& instruction, std::span<const Shape> operands) {
  const ElementType type = operands[0].element_type();
  Decomposition d(instruction, operands);
  const auto operand = [&](size_t i) {
    return convert(d.operand(i), element_size_bytes(type) < 4 ? ElementType::kF32 : type);
  };
  const Expr sum = operand(0) * operand(1) + operand(2);
  return std::move(d).finish(convert(sum, type));
}

}  // namespace

HILO_DEFINE_OP(ext_fma_op, {.opcode = kExtFma,
                            .name = "hilo.fma",
                            .arity = 3,
                            .operand_types = kFloating,
                            .traits = kExtension,
                            .cost = CostClass::kCheap,
                            .sharding = kPointwise,
                            .infer_shape = infer_shape,
                            .evaluate = evaluate,
                            .decompose = decompose_fma,
                            .spec = "fusedMultiplyAdd of IEEE 754"})

}  // namespace hilo::hlo
