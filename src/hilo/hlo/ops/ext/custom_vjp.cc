// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/custom_vjp.h"

#include <fmt/format.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kCustomVjpFields[] = {
    field<&CustomVjpAttributes::primal>("primal", FieldShow::kAlways),
    field<&CustomVjpAttributes::fwd>("fwd", FieldShow::kAlways),
    field<&CustomVjpAttributes::bwd>("bwd", FieldShow::kAlways),
};
constexpr AttributeField kTangentFields[] = {
    field<&CustomVjpTangentAttributes::primal>("primal", FieldShow::kAlways),
    field<&CustomVjpTangentAttributes::bwd>("bwd", FieldShow::kAlways),
    field<&CustomVjpTangentAttributes::nonzero>("nonzero", FieldShow::kAlways),
};

Status check_present(std::string_view field, const ComputationPtr& computation) {
  return computation == nullptr ? invalid_argument(fmt::format("{}: the computation is missing", field)) : ok_status();
}

bool all_compatible(std::span<const Shape> a, std::span<const Shape> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].compatible(b[i])) return false;
  }
  return true;
}

/// Returns fwd's residuals: its results after those of primal.
StatusOr<std::vector<Shape>> residuals_of(const Computation& primal, const Computation& fwd) {
  const std::vector<Shape> results = primal.result_shape().leaves(), all = fwd.result_shape().leaves();
  const size_t count = results.size();
  if (all.size() < count || !all_compatible(std::span(all).first(count), results)) {
    return invalid_argument(fmt::format("fwd '{}': returns {}, wanted the results of primal, {}, and residuals",
                                        fwd.name(), fwd.result_shape().to_string(), primal.result_shape().to_string()));
  }
  return std::vector<Shape>(all.begin() + count, all.end());
}

/// Checks that bwd maps the residuals and cotangents of the results to those of the arguments.
Status check_bwd(const Computation& primal, const ComputationPtr& bwd, std::vector<Shape> residuals) {
  for (const Shape& s : leaves_with_tangents(primal.result_shape().leaves())) residuals.push_back(s);
  HILO_RETURN_IF_ERROR(check_called("bwd", bwd, residuals, bwd->result_shape()));
  const std::vector<Shape> expected = leaves_with_tangents(primal.parameter_shapes());
  if (bwd->result_shape().is_tuple() && all_compatible(bwd->result_shape().leaves(), expected)) return ok_status();
  return invalid_argument(fmt::format("bwd '{}': returns {}, wanted {}: a cotangent for each floating argument",
                                      bwd->name(), bwd->result_shape().to_string(),
                                      Shape::tuple(expected).to_string()));
}

StatusOr<Shape> infer_custom_vjp(const ShapeRuleInput& input) {
  const auto& a = attributes_of<CustomVjpAttributes>(input);
  HILO_RETURN_IF_ERROR(check_present("primal", a.primal));
  HILO_RETURN_IF_ERROR(check_present("fwd", a.fwd));
  HILO_RETURN_IF_ERROR(check_present("bwd", a.bwd));
  HILO_RETURN_IF_ERROR(check_called("primal", a.primal, input.operands, a.primal->result_shape()));
  HILO_RETURN_IF_ERROR(check_called("fwd", a.fwd, input.operands, a.fwd->result_shape()));
  HILO_ASSIGN_OR_RETURN(const std::vector<Shape> residuals, residuals_of(*a.primal, *a.fwd));
  HILO_RETURN_IF_ERROR(check_bwd(*a.primal, a.bwd, residuals));
  return a.primal->result_shape();
}

StatusOr<Shape> infer_tangent(const ShapeRuleInput& input) {
  const auto& a = attributes_of<CustomVjpTangentAttributes>(input);
  HILO_RETURN_IF_ERROR(check_present("primal", a.primal));
  HILO_RETURN_IF_ERROR(check_present("bwd", a.bwd));
  const std::vector<Shape> arguments = a.primal->parameter_shapes();
  if (input.operands.size() < a.nonzero.size())
    return invalid_argument(
        fmt::format("got {} operands, wanted {} tangents first", input.operands.size(), a.nonzero.size()));
  for (size_t i = 0; i < a.nonzero.size(); ++i) {
    const int64_t k = a.nonzero[i];
    if (k < 0 || k >= std::ssize(arguments))
      return invalid_argument(fmt::format("nonzero: got {}, wanted an argument of {}", k, arguments.size()));
    if (!input.operands[i].compatible(arguments[k]))
      return invalid_argument(
          fmt::format("tangent {} is {}, wanted {}", i, input.operands[i].to_string(), arguments[k].to_string()));
  }
  const std::span<const Shape> residuals = input.operands.subspan(a.nonzero.size());
  HILO_RETURN_IF_ERROR(check_bwd(*a.primal, a.bwd, {residuals.begin(), residuals.end()}));
  return Shape::tuple(leaves_with_tangents(a.primal->result_shape().leaves()));
}

StatusOr<Literal> evaluate_custom_vjp(const EvaluateInput& input) {
  return input.run(*attributes_of<CustomVjpAttributes>(input.instruction).primal, input.operands);
}

StatusOr<Literal> reject_evaluation(const EvaluateInput&) { return unimplemented(kNoForwardMode); }

StatusOr<ComputationPtr> decompose_custom_vjp(const Instruction& i, std::span<const Shape> operands) {
  Decomposition d(i, operands);
  return std::move(d).finish(call(d, attributes_of<CustomVjpAttributes>(i).primal, d.operands()));
}

StatusOr<ComputationPtr> reject_decomposition(const Instruction&, std::span<const Shape>) {
  return unimplemented(kNoForwardMode);
}

}  // namespace

std::vector<Shape> leaves_with_tangents(std::span<const Shape> shapes) {
  std::vector<Shape> out;
  for (const Shape& s : shapes) {
    if (s.is_array() && (is_floating(s.element_type()) || is_complex(s.element_type())))
      out.push_back(s.with_default_layout());
  }
  return out;
}

HILO_DEFINE_OP(ext_custom_vjp_op, {.opcode = kExtCustomVjp,
                                   .name = "hilo.custom_vjp",
                                   .arity = -1,
                                   .operand_types = kAnyArray,
                                   .traits = kExtension,
                                   .cost = CostClass::kHero,
                                   .sharding = kUnshared,
                                   .infer_shape = infer_custom_vjp,
                                   .attributes = attributes_def<CustomVjpAttributes>(kCustomVjpFields),
                                   .evaluate = evaluate_custom_vjp,
                                   .decompose = decompose_custom_vjp,
                                   .spec = "jax.custom_vjp"})

HILO_DEFINE_OP(ext_custom_vjp_tangent_op, {.opcode = kExtCustomVjpTangent,
                                           .name = "hilo.custom_vjp_tangent",
                                           .arity = -1,
                                           .operand_types = kAnyArray,
                                           .traits = kExtension,
                                           .cost = CostClass::kHero,
                                           .sharding = kUnshared,
                                           .infer_shape = infer_tangent,
                                           .attributes = attributes_def<CustomVjpTangentAttributes>(kTangentFields),
                                           .evaluate = reject_evaluation,
                                           .decompose = reject_decomposition,
                                           .spec = "jax.custom_vjp"})

}  // namespace hilo::hlo
