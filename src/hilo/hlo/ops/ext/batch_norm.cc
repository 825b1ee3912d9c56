// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/batch_norm.h"

#include <fmt/format.h>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/dimension_checks.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kFields[] = {
    field<&BatchNormAttributes::epsilon>("epsilon", FieldShow::kAlways),
    field<&BatchNormAttributes::feature_index>("feature_index", FieldShow::kAlways),
};

// ---- shapes ---------------------------------------------------------------------------------------------------------

/// Operands by name; of each, whether it has the operand's shape or one element a feature.
struct Named {
  std::string_view name;
  bool whole;
};

/// batch_norm_*_c1: the feature's dimension; the rest: element types and sizes of all operands.
StatusOr<Shape> check_operands(const ShapeRuleInput& input, std::span<const Named> names) {
  const auto& a = static_cast<const BatchNormAttributes&>(*input.attributes);
  const Shape& operand = input.operands[0];
  HILO_RETURN_IF_ERROR(check_dimension("feature_index", a.feature_index, operand));
  const Shape feature = Shape::array(operand.element_type(), {operand.dimension(a.feature_index)});
  for (size_t i = 1; i < names.size(); ++i) {
    const Shape wanted = names[i].whole ? operand.with_default_layout() : feature;
    if (input.operands[i].with_default_layout() == wanted) continue;
    return invalid_argument(
        fmt::format("{} is {}, wanted {}", names[i].name, input.operands[i].to_string(), wanted.to_string()));
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

// ---- what they compute ----------------------------------------------------------------------------------------------

/// f16, bf16 and narrower floats compute in f32 and round once.
ElementType wide_type(ElementType type) {
  return is_floating(type) && element_type_info(type).bits < 32 ? ElementType::kF32 : type;
}

/// Arithmetic on whole arrays and on features. Remembers the first error.
class Steps {
 public:
  Steps(std::string name, const Instruction& i, std::span<const Shape> operands)
      : builder_(std::move(name)),
        attributes_(attributes_of<BatchNormAttributes>(i)),
        type_(operands[0].element_type()),
        whole_(operands[0].with_element_type(wide_type(type_)).with_default_layout()),
        feature_(Shape::array(whole_.element_type(), {whole_.dimension(attributes_.feature_index)})) {
    builder_.set_annotations(i.annotations);
    for (const Shape& operand : operands) parameters_.push_back(wide(builder_.parameter(operand)));
  }

  InstructionId operand(size_t i) const { return parameters_[i]; }
  InstructionId binary(Opcode opcode, InstructionId x, InstructionId y) { return take(builder_.add(opcode, {x, y})); }
  InstructionId add(InstructionId x, InstructionId y) { return binary(Opcode::kAdd, x, y); }
  InstructionId subtract(InstructionId x, InstructionId y) { return binary(Opcode::kSubtract, x, y); }
  InstructionId multiply(InstructionId x, InstructionId y) { return binary(Opcode::kMultiply, x, y); }
  InstructionId divide(InstructionId x, InstructionId y) { return binary(Opcode::kDivide, x, y); }

  /// A number beside every feature.
  InstructionId number(double value) {
    const InstructionId scalar = builder_.constant(filled(Shape::scalar(feature_.element_type()), value));
    return take(builder_.add(Opcode::kBroadcast, {scalar}, std::make_shared<BroadcastAttributes>(), feature_));
  }
  /// A feature beside all of its elements.
  InstructionId spread(InstructionId feature) {
    auto attributes = std::make_shared<BroadcastAttributes>();
    attributes->dimensions = {attributes_.feature_index};
    return take(builder_.add(Opcode::kBroadcast, {feature}, std::move(attributes), whole_));
  }
  /// The sum over all elements of a feature.
  InstructionId sum(InstructionId whole) {
    auto attributes = std::make_shared<ReduceAttributes>();
    for (int64_t d = 0; d < whole_.rank(); ++d) {
      if (d != attributes_.feature_index) attributes->dimensions.push_back(d);
    }
    StatusOr<ComputationPtr> body = scalar_binary_computation(Opcode::kAdd, whole_.element_type());
    if (!body.ok()) return take(body.status());
    attributes->to_apply = *body;
    const InstructionId zero = builder_.constant(Literal(Shape::scalar(whole_.element_type())));
    return take(builder_.add(Opcode::kReduce, {whole, zero}, std::move(attributes)));
  }
  double elements_per_feature() const {
    const int64_t features = feature_.element_count();
    return features == 0 ? 0 : static_cast<double>(whole_.element_count() / features);
  }
  /// sqrt(variance + epsilon), one a feature.
  InstructionId deviation(InstructionId variance) {
    return take(builder_.add(Opcode::kSqrt, {add(variance, number(attributes_.epsilon))}));
  }
  InstructionId centered(InstructionId mean) { return subtract(operand(0), spread(mean)); }
  InstructionId normalized(InstructionId mean, InstructionId variance) {
    return divide(centered(mean), spread(deviation(variance)));
  }
  InstructionId mean(InstructionId whole) { return divide(sum(whole), number(elements_per_feature())); }
  InstructionId variance_plus_epsilon(InstructionId variance) { return add(variance, number(attributes_.epsilon)); }

  StatusOr<ComputationPtr> finish(std::initializer_list<InstructionId> results) && {
    std::vector<InstructionId> narrow;
    for (InstructionId id : results) narrow.push_back(converted(id, type_));
    if (!status_.ok()) return status_;
    const InstructionId root = narrow.size() == 1 ? narrow[0] : builder_.tuple(narrow);
    return std::move(builder_).build(root);
  }

 private:
  InstructionId wide(InstructionId id) { return converted(id, whole_.element_type()); }
  InstructionId converted(InstructionId id, ElementType type) {
    const Shape shape = builder_.shape(id);
    if (shape.element_type() == type) return id;
    return take(builder_.add(Opcode::kConvert, {id}, nullptr, shape.with_element_type(type)));
  }
  InstructionId take(StatusOr<InstructionId> id) {
    if (id.ok()) return *id;
    if (status_.ok()) status_ = id.status();
    return 0;
  }

  Builder builder_;
  const BatchNormAttributes& attributes_;
  ElementType type_;
  Shape whole_, feature_;
  std::vector<InstructionId> parameters_;
  Status status_;
};

StatusOr<ComputationPtr> decompose_training(const Instruction& i, std::span<const Shape> operands) {
  Steps s("batch_norm_training", i, operands);
  const InstructionId mean = s.mean(s.operand(0));
  const InstructionId centered = s.centered(mean);
  const InstructionId variance = s.mean(s.multiply(centered, centered));
  const InstructionId output =
      s.add(s.multiply(s.normalized(mean, variance), s.spread(s.operand(1))), s.spread(s.operand(2)));
  return std::move(s).finish({output, mean, variance});
}

StatusOr<ComputationPtr> decompose_inference(const Instruction& i, std::span<const Shape> operands) {
  Steps s("batch_norm_inference", i, operands);
  const InstructionId normalized = s.normalized(s.operand(3), s.operand(4));
  return std::move(s).finish({s.add(s.multiply(normalized, s.spread(s.operand(1))), s.spread(s.operand(2)))});
}

StatusOr<ComputationPtr> decompose_grad(const Instruction& i, std::span<const Shape> operands) {
  Steps s("batch_norm_grad", i, operands);
  const InstructionId scale = s.operand(1), mean = s.operand(2), variance = s.operand(3), grad_output = s.operand(4);
  const InstructionId centered = s.centered(mean), count = s.number(s.elements_per_feature());
  const InstructionId grad_offset = s.sum(grad_output);
  const InstructionId product = s.sum(s.multiply(grad_output, centered));
  const InstructionId slope = s.divide(product, s.variance_plus_epsilon(variance));
  const InstructionId all = s.multiply(grad_output, s.spread(count));
  const InstructionId rest = s.subtract(s.subtract(all, s.spread(grad_offset)), s.multiply(s.spread(slope), centered));
  const InstructionId factor = s.divide(s.divide(scale, s.deviation(variance)), count);
  const InstructionId grad_scale = s.sum(s.multiply(grad_output, s.normalized(mean, variance)));
  return std::move(s).finish({s.multiply(s.spread(factor), rest), grad_scale, grad_offset});
}

OpDef batch_norm_op(Opcode opcode, std::string_view name, int arity, StatusOr<Shape> (*infer)(const ShapeRuleInput&),
                    StatusOr<ComputationPtr> (*decompose)(const Instruction&, std::span<const Shape>),
                    std::string_view spec) {
  return {.opcode = opcode,
          .name = name,
          .arity = arity,
          .operand_types = kFloating,
          .traits = kNoTraits,
          .cost = CostClass::kHero,
          .infer_shape = infer,
          .fields = kFields,
          .make_attributes = make_attributes_of<BatchNormAttributes>,
          .copy_attributes = copy_attributes_of<BatchNormAttributes>,
          .evaluate = nullptr,
          .decompose = decompose,
          .spec = spec};
}

}  // namespace

const OpDef& batch_norm_training_op() {
  static const OpDef definition = batch_norm_op(Opcode::kBatchNormTraining, "batch-norm-training", 3, infer_training,
                                                decompose_training, "batch_norm_training");
  return definition;
}

const OpDef& batch_norm_inference_op() {
  static const OpDef definition = batch_norm_op(Opcode::kBatchNormInference, "batch-norm-inference", 5, infer_inference,
                                                decompose_inference, "batch_norm_inference");
  return definition;
}

const OpDef& batch_norm_grad_op() {
  static const OpDef definition =
      batch_norm_op(Opcode::kBatchNormGrad, "batch-norm-grad", 5, infer_grad, decompose_grad, "batch_norm_grad");
  return definition;
}

}  // namespace hilo::hlo
