// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/custom_rules.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

/// Whether the op has a user. The id is compared and hashed. A program that states the id of another program's user is
/// therefore not equal to it, and doesn't get results computed by its rules. Readers don't set it, writers don't write
/// it.
constexpr AttributeField kHasUser = {"user", FieldKind::kBool, FieldShow::kAsOperand,
                                     [](const Attributes& a) -> const void* {
                                       static constexpr bool kAnswers[] = {false, true};
                                       return &kAnswers[static_cast<const CustomRulesAttributes&>(a).user != nullptr];
                                     },
                                     nullptr};

constexpr AttributeField kCustomRulesFields[] = {
    field<&CustomRulesAttributes::to_apply>("to_apply", FieldShow::kAlways),
    field<&CustomRulesAttributes::rules>("rules", FieldShow::kAlways),
    field<&CustomRulesAttributes::detail>("detail", FieldShow::kUnlessDefault),
    field<&CustomRulesAttributes::id>("id", FieldShow::kUnlessDefault),
    field<&CustomRulesAttributes::transpose_only>("transpose_only", FieldShow::kUnlessDefault),
    kHasUser,
};

const CustomRulesAttributes& attributes(const Instruction& i) { return attributes_of<CustomRulesAttributes>(i); }

StatusOr<Shape> infer_custom_rules(const ShapeRuleInput& input) {
  const auto& a = attributes_of<CustomRulesAttributes>(input);
  if (a.to_apply == nullptr) return invalid_argument("to_apply: the computation is missing");
  HILO_RETURN_IF_ERROR(check_called("to_apply", a.to_apply, input.operands, a.to_apply->result_shape()));
  return a.to_apply->result_shape();
}

StatusOr<Literal> evaluate_custom_rules(const EvaluateInput& input) {
  if (attributes(input.instruction).transpose_only) return unimplemented(kNoForwardMode);
  return input.run(*attributes(input.instruction).to_apply, input.operands);
}

StatusOr<ComputationPtr> decompose_custom_rules(const Instruction& i, std::span<const Shape> operands) {
  if (attributes(i).transpose_only) return unimplemented(kNoForwardMode);
  Decomposition d(i, operands);
  return std::move(d).finish(call(d, attributes(i).to_apply, d.operands()));
}

}  // namespace

HILO_DEFINE_OP(ext_custom_rules_op, {.opcode = kExtCustomRules,
                                     .name = "hilo.custom_rules",
                                     .arity = -1,
                                     .operand_types = kAnyArray,
                                     .traits = kExtension,
                                     .cost = CostClass::kHero,
                                     .sharding = kUnshared,
                                     .infer_shape = infer_custom_rules,
                                     .attributes = attributes_def<CustomRulesAttributes>(kCustomRulesFields),
                                     .evaluate = evaluate_custom_rules,
                                     .decompose = decompose_custom_rules,
                                     .spec = "jax.custom_jvp"})

}  // namespace hilo::hlo
