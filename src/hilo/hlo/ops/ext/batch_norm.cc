// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/batch_norm.h"

#include <fmt/format.h>

#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kFields[] = {
    field<&BatchNormAttributes::epsilon>("epsilon", FieldShow::kAlways),
    field<&BatchNormAttributes::feature_index>("feature_index", FieldShow::kAlways),
};

// ---- shapes

/// Operands by name, and whether each has the operand's shape or one element per feature.
struct Named {
  std::string_view name;
  bool whole;
};

/// batch_norm_*_c1: the feature's dimension; the rest: element types and sizes of all operands.
StatusOr<Shape> check_operands(const ShapeRuleInput& input, std::span<const Named> names) {
  const auto& a = attributes_of<BatchNormAttributes>(input);
  const Shape& operand = input.operands[0];
  HILO_RETURN_IF_ERROR(check_dimension("feature_index", a.feature_index, operand));
  const Shape feature = Shape::array(operand.element_type(), {operand.dimension(a.feature_index)});
  for (size_t i = 1; i < names.size(); ++i) {
    const Shape expected = names[i].whole ? operand.with_default_layout() : feature;
    if (input.operands[i].with_default_layout() == expected) continue;
    return invalid_argument(
        fmt::format("{} is {}, wanted {}", names[i].name, input.operands[i].to_string(), expected.to_string()));
  }
  return feature;
}

StatusOr<Shape> infer_training(const ShapeRuleInput& input) {
  constexpr Named kNames[] = {{"operand", true}, {"scale", false}, {"offset", false}};
  HILO_ASSIGN_OR_RETURN(const Shape feature, check_operands(input, kNames));  // batch_norm_training_c1..c7
  return Shape::tuple({input.operands[0].with_default_layout(), feature, feature});
}

StatusOr<Shape> infer_inference(const ShapeRuleInput& input) {
  constexpr Named kNames[] = {
      {"operand", true}, {"scale", false}, {"offset", false}, {"mean", false}, {"variance", false}};
  HILO_RETURN_IF_ERROR(check_operands(input, kNames).status());  // batch_norm_inference_c1..c7
  return input.operands[0].with_default_layout();
}

StatusOr<Shape> infer_grad(const ShapeRuleInput& input) {
  constexpr Named kNames[] = {
      {"operand", true}, {"scale", false}, {"mean", false}, {"variance", false}, {"grad_output", true}};
  HILO_ASSIGN_OR_RETURN(const Shape feature, check_operands(input, kNames));  // batch_norm_grad_c1..c4
  return Shape::tuple({input.operands[0].with_default_layout(), feature, feature});
}

// ---- values

/// f16, bf16 and narrower floats compute in f32 and round once.
ElementType wide_type(ElementType type) {
  return is_floating(type) && element_type_info(type).bits < 32 ? ElementType::kF32 : type;
}

/// Helpers of the three ops: the op's attributes, and expressions over all elements or one element per feature.
struct BatchNorm {
  BatchNorm(const Instruction& i, std::span<const Shape> operands)
      : d(i, operands), attributes(attributes_of<BatchNormAttributes>(i)), type(operands[0].element_type()) {}

  Decomposition d;
  const BatchNormAttributes& attributes;
  ElementType type;  ///< of operands and results

  Expr operand(size_t i) { return convert(d.operand(i), wide_type(type)); }
  /// Broadcasts one value per feature to all elements.
  Expr spread(Expr feature) {
    return broadcast(feature, d.operand(0).shape().dimensions(), {attributes.feature_index});
  }
  /// Returns the sum over all elements of a feature.
  Expr total(Expr whole) {
    Int64List others;
    for (int64_t d = 0; d < whole.shape().rank(); ++d) {
      if (d != attributes.feature_index) others.push_back(d);
    }
    return sum(whole, others);
  }
  double elements_per_feature() const {
    const Shape whole = d.operand(0).shape();
    const int64_t features = whole.dimension(attributes.feature_index);
    return features == 0 ? 0 : static_cast<double>(whole.element_count() / features);
  }
  Expr mean(Expr whole) { return total(whole) / elements_per_feature(); }
  /// Returns sqrt(variance + epsilon), one per feature.
  Expr deviation(Expr variance) const { return sqrt(variance + attributes.epsilon); }
  Expr centered(Expr mean) { return operand(0) - spread(mean); }
  Expr normalized(Expr mean, Expr variance) { return centered(mean) / spread(deviation(variance)); }

  StatusOr<ComputationPtr> finish(Exprs results) && {
    for (Expr& result : results) result = convert(result, type);
    return std::move(d).finish(results.size() == 1 ? results[0] : tuple(d, results));
  }
};

StatusOr<ComputationPtr> decompose_training(const Instruction& i, std::span<const Shape> operands) {
  BatchNorm b(i, operands);
  const Expr scale = b.operand(1), offset = b.operand(2);
  const Expr mean = b.mean(b.operand(0)), centered = b.centered(mean);
  const Expr variance = b.mean(centered * centered);
  const Expr output = b.normalized(mean, variance) * b.spread(scale) + b.spread(offset);
  return std::move(b).finish({output, mean, variance});
}

StatusOr<ComputationPtr> decompose_inference(const Instruction& i, std::span<const Shape> operands) {
  BatchNorm b(i, operands);
  const Expr scale = b.operand(1), offset = b.operand(2);
  const Expr normalized = b.normalized(b.operand(3), b.operand(4));
  return std::move(b).finish({normalized * b.spread(scale) + b.spread(offset)});
}

StatusOr<ComputationPtr> decompose_grad(const Instruction& i, std::span<const Shape> operands) {
  BatchNorm b(i, operands);
  const Expr scale = b.operand(1), mean = b.operand(2), variance = b.operand(3), grad_output = b.operand(4);
  const double count = b.elements_per_feature();
  const Expr centered = b.centered(mean), grad_offset = b.total(grad_output);
  const Expr slope = b.total(grad_output * centered) / (variance + b.attributes.epsilon);
  const Expr rest = grad_output * count - b.spread(grad_offset) - b.spread(slope) * centered;
  const Expr factor = scale / b.deviation(variance) / count;
  const Expr grad_scale = b.total(grad_output * b.normalized(mean, variance));
  return std::move(b).finish({b.spread(factor) * rest, grad_scale, grad_offset});
}

/// Adds a factor for the feature dimension of the array and of the vectors.
void batch_norm_rule(RuleBuilder& builder) {
  const int64_t feature = attributes_of<BatchNormAttributes>(builder.instruction).feature_index;
  const Shape array = builder.operands[0];
  const bool sums = builder.instruction.opcode != Opcode::kBatchNormInference;
  for (int64_t d = 0; d < array.rank(); ++d) {
    const int factor =
        builder.factor(array.dimension(d), sums && d != feature ? FactorKind::kReduction : FactorKind::kPass);
    for (size_t i = 0; i < builder.operands.size(); ++i) {
      if (builder.operands[i].rank() == array.rank()) builder.operand(i, d, factor);
      else if (d == feature) builder.operand(i, 0, factor);
    }
    for (size_t i = 0; i < builder.results.size(); ++i) {
      if (builder.results[i].rank() == array.rank()) builder.result(i, d, factor);
      else if (d == feature) builder.result(i, 0, factor);
    }
  }
}

OpDef batch_norm_op(Opcode opcode, std::string_view name, int arity, StatusOr<Shape> (*infer)(const ShapeRuleInput&),
                    StatusOr<ComputationPtr> (*decompose)(const Instruction&, std::span<const Shape>),
                    std::string_view spec) {
  return {.opcode = opcode,
          .name = name,
          .arity = arity,
          .operand_types = kFloating,
          .cost = CostClass::kHero,
          .sharding = {batch_norm_rule, passing_factors},
          .infer_shape = infer,
          .attributes = attributes_def<BatchNormAttributes>(kFields),
          .decompose = decompose,
          .spec = spec};
}

}  // namespace

HILO_DEFINE_OP(batch_norm_training_op, batch_norm_op(Opcode::kBatchNormTraining, "batch-norm-training", 3,
                                                     infer_training, decompose_training, "batch_norm_training"))
HILO_DEFINE_OP(batch_norm_inference_op, batch_norm_op(Opcode::kBatchNormInference, "batch-norm-inference", 5,
                                                      infer_inference, decompose_inference, "batch_norm_inference"))
HILO_DEFINE_OP(batch_norm_grad_op, batch_norm_op(Opcode::kBatchNormGrad, "batch-norm-grad", 5, infer_grad,
                                                 decompose_grad, "batch_norm_grad"))

}  // namespace hilo::hlo
