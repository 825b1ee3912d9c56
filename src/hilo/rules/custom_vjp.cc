// SPDX-License-Identifier: Apache-2.0
// rules/custom_vjp.cc -- rules of functions with a custom reverse-mode derivative, which is called instead of a
// computed one.
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/lax/carry.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {

using namespace lax;
namespace {

using hlo::ComputationPtr;

std::vector<bool> all_of(size_t count) { return std::vector<bool>(count, true); }

/// Binds the operation on tangents whose transpose is bwd.
std::vector<Tangent> push_tangents(const hlo::CustomVjpAttributes& function, std::span<const Array> residuals,
                                   std::span<const Tangent> tangents) {
  auto attributes = std::make_shared<hlo::CustomVjpTangentAttributes>();
  attributes->primal = function.primal;
  attributes->bwd = function.bwd;
  std::vector<Array> operands;
  for (size_t i = 0; i < tangents.size(); ++i) {
    if (tangents[i].is_zero()) continue;
    attributes->nonzero.push_back(i);
    operands.push_back(tangents[i].value());
  }
  operands.insert(operands.end(), residuals.begin(), residuals.end());
  std::vector<Array> pushed =
      bind({hlo::kExtCustomVjpTangent, std::move(operands), std::move(attributes), std::nullopt});
  std::vector<bool> nonzero;
  for (const Shape& s : function.primal->result_shape().leaves()) nonzero.push_back(has_tangent(s.element_type()));
  return spread_tangents(std::move(pushed), nonzero);
}

LinearizeResult custom_vjp_linearize(const Operation& operation, std::span<const bool>) {
  const auto& function = attributes_of<hlo::CustomVjpAttributes>(operation);
  std::vector<Array> primals = ops::call(function.fwd, operation.operands);
  const size_t count = function.primal->result_shape().leaves().size();
  const std::vector<Array> residuals(primals.begin() + count, primals.end());
  primals.resize(count);
  return {std::move(primals), [attributes = operation.attributes, residuals](std::span<const Tangent> tangents) {
            return push_tangents(static_cast<const hlo::CustomVjpAttributes&>(*attributes), residuals, tangents);
          }};
}

void tangent_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const auto& a = attributes_of<hlo::CustomVjpTangentAttributes>(operation);
  std::vector<Array> operands(operation.operands.begin() + a.nonzero.size(), operation.operands.end());
  const std::vector<Shape> results = hlo::leaves_with_tangents(a.primal->result_shape().leaves());
  for (size_t i = 0; i < cts.size(); ++i) operands.push_back(materialize(cts[i], {results[i], false}));
  const std::vector<Array> pulled = ops::call(a.bwd, std::move(operands));
  const std::vector<Shape> arguments = a.primal->parameter_shapes();
  for (size_t argument = 0, place = 0, next = 0; argument < arguments.size(); ++argument) {
    if (!has_tangent(arguments[argument].element_type())) continue;
    if (next < a.nonzero.size() && a.nonzero[next] == static_cast<int64_t>(argument)) out.add(next++, pulled[place]);
    ++place;
  }
}

/// Returns `computation` with a leading batch axis on all parameters and results.
ComputationPtr over_batch(const ComputationPtr& computation, const BatchContext& context) {
  return batch_computation(computation, all_of(parameter_leaves(*computation).size()),
                           all_of(computation->result_shape().leaves().size()), context)
      .computation;
}

/// Batches all operands; the cotangent of an unbatched operand is then correctly summed over the batch.
BatchResult custom_vjp_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const auto& function = attributes_of<hlo::CustomVjpAttributes>(operation);
  auto attributes = std::make_shared<hlo::CustomVjpAttributes>();
  attributes->primal = over_batch(function.primal, context);
  attributes->fwd = over_batch(function.fwd, context);
  attributes->bwd = over_batch(function.bwd, context);
  std::vector<Array> operands;
  for (size_t i = 0; i < dims.size(); ++i)
    operands.push_back(batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size));
  std::vector<Array> results = bind({hlo::kExtCustomVjp, std::move(operands), std::move(attributes), std::nullopt});
  const size_t count = results.size();
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

constexpr NotYet kRefused{hlo::kNoForwardMode};

}  // namespace

const Rules custom_vjp_rules = {kRefused, Nonlinear{}, custom_vjp_batch, custom_vjp_linearize};
const Rules custom_vjp_tangent_rules = {kRefused, tangent_transpose, kRefused};

}  // namespace hilo::rules
