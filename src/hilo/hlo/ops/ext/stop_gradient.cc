// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/stop_gradient.cc -- the extension op stop_gradient: the identity, whose tangent is zero.
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/op_def.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

StatusOr<Shape> infer_stop_gradient(const ShapeRuleInput& input) { return input.operands[0].with_default_layout(); }

StatusOr<Literal> evaluate_stop_gradient(const EvaluateInput& input) { return *input.operands[0]; }

StatusOr<ComputationPtr> decompose_stop_gradient(const Instruction&, std::span<const Shape> operands) {
  Builder builder("stop_gradient");
  const InstructionId x = builder.parameter(operands[0], "x");
  return std::move(builder).build(x);
}

}  // namespace

HILO_DEFINE_OP(ext_stop_gradient_op, {.opcode = kExtStopGradient,
                                      .name = "hilo.stop_gradient",
                                      .arity = 1,
                                      .operand_types = kAnyArray,
                                      .traits = kExtension | kMovesData,
                                      .cost = CostClass::kFree,
                                      .sharding = kPointwise,
                                      .infer_shape = infer_stop_gradient,
                                      .evaluate = evaluate_stop_gradient,
                                      .decompose = decompose_stop_gradient,
                                      .spec = "jax.lax.stop_gradient"})

}  // namespace hilo::hlo
