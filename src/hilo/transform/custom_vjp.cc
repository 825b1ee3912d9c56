// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/custom_vjp.h"

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/custom_vjp.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/ref.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/symbolic_zeros.h"
#include "hilo/transform/transpose.h"

namespace hilo::custom_vjp_detail {
namespace {

constexpr char kKind[] = "custom_vjp";

/// The data of one call that its rules need.
struct Call {
  FlatFwd fwd;
  std::vector<Aval> arguments, results;
  PathOfLeaf path;
  std::source_location location;
  bool optimize_remat = false;
};

void check_forward(const Forward& forward, const Call& call) {
  for (size_t i = 0; i < call.results.size() || i < forward.results.size(); ++i) {
    const bool both = i < call.results.size() && i < forward.results.size();
    if (both && forward.results[i].aval_shape() == call.results[i].shape) continue;
    or_throw(invalid_argument(
        at_user_line(kKind) +
        ": Custom VJP fwd rule must produce a pair whose first element represents the primal output, equal in type to "
        "that of the function; result " +
        std::to_string(i) + " is " + (both ? forward.results[i].aval_shape().to_string() : "there in one alone") +
        ", wanted " + (i < call.results.size() ? call.results[i].shape.to_string() : "none")));
  }
}

std::vector<std::optional<Array>> checked_cotangents(std::vector<std::optional<Array>> cotangents, const Call& call) {
  for (size_t i = 0; i < call.arguments.size() && i < cotangents.size(); ++i) {
    const Shape& expected = call.arguments[i].shape;
    if (!has_tangent(expected.element_type())) cotangents[i] = std::nullopt;
    if (!cotangents[i] || cotangents[i]->aval_shape() == expected) continue;
    if (cotangents[i]->weak_type() && cotangents[i]->ndim() == expected.rank()) {
      cotangents[i] = ops::convert_element_type(*cotangents[i], expected.element_type());
      if (cotangents[i]->aval_shape() == expected) continue;
    }
    or_throw(invalid_argument(at_user_line(kKind) +
                              ": Custom VJP bwd rule must produce cotangents of the shapes and dtypes of the primal "
                              "inputs; that of " +
                              call.path(i) + " is " + cotangents[i]->aval_shape().to_string() + ", wanted " +
                              expected.to_string()));
  }
  return cotangents;
}

/// Returns cotangents of all results; missing ones are zeros that are marked as such.
std::vector<Array> all_cotangents(std::span<const Tangent> cts, const Call& call, ArrayMarks& marks) {
  std::vector<Array> all;
  size_t next = 0;
  for (const Aval& a : call.results) {
    const bool has = has_tangent(a.shape.element_type());
    all.push_back(has ? materialize(cts[next], {a.shape, false}) : zeros_like_aval({a.shape, false}));
    if (!has || cts[next].is_zero()) marks.add(ArrayMarks::kZero, all.back());
    next += has ? 1 : 0;
  }
  return all;
}

/// Binds the operation on tangents whose transpose is bwd. Its operands are the nonzero tangents, then the residuals.
std::vector<Tangent> push(const std::shared_ptr<const Call>& call, const FlatBwd& bwd, std::span<const Array> residuals,
                          std::span<const Tangent> tangents) {
  std::vector<Array> operands;
  std::vector<size_t> nonzero;
  for (size_t i = 0; i < call->arguments.size(); ++i) {
    if (tangents[i].is_zero()) continue;
    nonzero.push_back(i);
    operands.push_back(tangents[i].value());
  }
  operands.insert(operands.end(), residuals.begin(), residuals.end());
  std::vector<Shape> results;
  for (const Aval& a : call->results) {
    if (has_tangent(a.shape.element_type())) results.push_back(a.shape);
  }
  auto rules = std::make_shared<CustomRules>();
  rules->reverse_only = true;
  rules->transpose = [=](const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
    const TransformationLocation here(call->location);
    ArrayMarks marks;
    const std::vector<std::optional<Array>> pulled = checked_cotangents(
        bwd(std::span(operation.operands).subspan(nonzero.size()), all_cotangents(cts, *call, marks)), *call);
    for (size_t k = 0; k < nonzero.size(); ++k) {
      if (pulled[nonzero[k]]) out.add(k, *pulled[nonzero[k]]);
    }
  };
  auto attributes = std::make_shared<hlo::CustomRulesAttributes>();
  attributes->to_apply = computation_of_zeros(avals_of(operands), results);
  attributes->rules = kKind;
  attributes->id = next_custom_rules_id();
  attributes->transpose_only = true;
  attributes->user = std::move(rules);
  const std::vector<Array> pushed = bind({hlo::kExtCustomRules, std::move(operands), attributes, std::nullopt});
  std::vector<Tangent> out;
  size_t next = 0;
  for (const Aval& a : call->results)
    out.push_back(has_tangent(a.shape.element_type()) ? Tangent(pushed[next++]) : Tangent());
  return out;
}

/// Runs fwd and the function itself, in a call from which the compiler removes the unused one.
Forward optimizable_forward(const Call& call, const Operation& operation) {
  const hlo::ComputationPtr function = attributes_of<hlo::CustomRulesAttributes>(operation).to_apply;
  Forward forward;
  const FlatFunction both = [&](std::span<const Array> x) {
    ArrayMarks marks;
    marks.inherit(operation.operands, x);
    forward = call.fwd(x.first(call.arguments.size()));
    check_forward(forward, call);
    std::vector<Array> all = run_computation(*function, x);
    all.insert(all.end(), forward.results.begin(), forward.results.end());
    all.insert(all.end(), forward.residuals.begin(), forward.residuals.end());
    return all;
  };
  const StagedFunction staged =
      stage(both, avals_of(operation.operands), kKind, hlo::kOptimizeRemat, CapturePlace::kLast, /*always_tuple=*/true);
  const std::vector<Array> all = bind_custom_rules(staged, operation.operands, hlo::kOptimizeRemat, 0, nullptr,
                                                   std::to_string(call.results.size()));
  const auto results = all.begin() + call.results.size();
  const auto residuals = results + std::ssize(call.results);
  forward.results.assign(results, residuals);
  forward.residuals.assign(residuals, all.end());
  return forward;
}

LinearizeResult linearize(const std::shared_ptr<const Call>& call, const Operation& operation,
                          std::span<const bool> nonzero) {
  const TransformationLocation here(call->location);
  const size_t count = call->arguments.size();
  refuse_closed_over_tangents(kKind, nonzero, count,
                              "pass the closed-over value into the custom_vjp function as an argument, and adapt the "
                              "custom_vjp fwd and bwd rules");
  ArrayMarks marks;
  for (size_t i = 0; i < count; ++i) {
    if (nonzero[i]) marks.add(ArrayMarks::kPerturbed, operation.operands[i]);
  }
  const bool optimizable = call->optimize_remat && !runs_at_once(operation.operands);
  Forward forward =
      optimizable ? optimizable_forward(*call, operation) : call->fwd(std::span(operation.operands).first(count));
  check_forward(forward, *call);
  return {std::move(forward.results),
          [call, bwd = std::move(forward.bwd), residuals = std::move(forward.residuals)](
              std::span<const Tangent> tangents) { return push(call, bwd, residuals, tangents); }};
}

/// Returns bwd over a batch. The cotangent of an unbatched argument is the sum over the batch.
FlatBwd batched_bwd(const FlatBwd& bwd, const std::vector<BatchDim>& residual_dims,
                    const std::vector<BatchDim>& argument_dims, const BatchContext& axis) {
  return [=](std::span<const Array> residuals, std::span<const Array> cotangents) {
    std::vector<Array> both(residuals.begin(), residuals.end());
    both.insert(both.end(), cotangents.begin(), cotangents.end());
    std::vector<BatchDim> dims = residual_dims;
    dims.resize(both.size(), 0);
    std::vector<bool> given;
    const FlatFunction flat = [&](std::span<const Array> x) {
      std::vector<Array> nonzero;
      given.clear();
      ArrayMarks marks;
      marks.inherit(both, x);
      for (const std::optional<Array>& cotangent : bwd(x.first(residuals.size()), x.subspan(residuals.size()))) {
        given.push_back(cotangent.has_value());
        if (cotangent) nonzero.push_back(*cotangent);
      }
      return nonzero;
    };
    const std::vector<Array> pulled = in_front(run_batched(flat, both, dims, axis), axis.axis_size);
    std::vector<std::optional<Array>> out(given.size());
    for (size_t i = 0, next = 0; i < given.size(); ++i) {
      if (!given[i]) continue;
      const Array& one = pulled[next++];
      out[i] = argument_dims[i] || !has_tangent(one.dtype()) ? one : ops::reduce_sum(one, {0});
    }
    return out;
  };
}

FlatFwd batched_fwd(const FlatFwd& fwd, const std::vector<BatchDim>& argument_dims, const BatchContext& axis) {
  return [=](std::span<const Array> leaves) {
    Forward forward;
    size_t result_count = 0;
    const FlatFunction flat = [&](std::span<const Array> x) {
      ArrayMarks marks;
      marks.inherit(leaves, x);
      Forward one = fwd(x);
      result_count = one.results.size();
      forward.bwd = std::move(one.bwd);
      one.results.insert(one.results.end(), one.residuals.begin(), one.residuals.end());
      return one.results;
    };
    const BatchResult all = run_batched(flat, leaves, argument_dims, axis);
    std::vector<BatchDim> residual_dims;
    for (size_t i = 0; i < all.results.size(); ++i) {
      const bool is_result = i < result_count;
      const bool moves = is_result || all.dims[i].has_value();
      Array placed = moves ? batch_axis_at(all.results[i], all.dims[i], 0, axis.axis_size) : all.results[i];
      (is_result ? forward.results : forward.residuals).push_back(std::move(placed));
      if (!is_result) residual_dims.push_back(moves ? BatchDim(0) : std::nullopt);
    }
    forward.bwd = batched_bwd(forward.bwd, residual_dims, argument_dims, axis);
    return forward;
  };
}

std::shared_ptr<const CustomRules> rules_of_call(std::shared_ptr<const Call> call);

BatchResult batch(const Call& call, const Operation& operation, std::span<const BatchDim> dims,
                  const BatchContext& context) {
  const BatchedCall over = batched_call(operation, dims, context);
  const std::vector<BatchDim> argument_dims(over.dims.begin(), over.dims.begin() + call.arguments.size());
  auto batched = std::make_shared<Call>(call);
  batched->fwd = batched_fwd(call.fwd, argument_dims, over.axis);
  batched->arguments = avals_of(std::span(over.operands).first(call.arguments.size()));
  batched->results = with_axis_in_front(call.results, context.axis_size);
  return over.bind(rules_of_call(std::move(batched)));
}

std::shared_ptr<const CustomRules> rules_of_call(std::shared_ptr<const Call> call) {
  auto rules = std::make_shared<CustomRules>();
  rules->reverse_only = true;
  rules->linearize = [call](const Operation& operation, std::span<const bool> nonzero) {
    return linearize(call, operation, nonzero);
  };
  rules->batch = [call](const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
    return batch(*call, operation, dims, context);
  };
  return rules;
}

}  // namespace

namespace {

/// Returns `fwd` as a function of the arguments without refs. Refs among the residuals stay refs for bwd; they are not
/// operands.
FlatFwd over_values(FlatFwd fwd, std::vector<Array> leaves) {
  return [fwd = std::move(fwd), leaves = std::move(leaves)](std::span<const Array> values) {
    for (const Array& leaf : leaves) {
      if (as_ref(leaf) == nullptr || is_reachable(leaf)) continue;
      or_throw(unimplemented(at_user_line(kKind) +
                             ": rules that take a ref can't be used where a traced loop or branch is differentiated; "
                             "got " +
                             describe_ref(leaf) + ". Hint: unroll the loop in C++, or return the values"));
    }
    Forward forward = fwd(with_refs_of(leaves, values));
    refuse_refs(kKind, "the value of fwd", forward.results, "return its value, ref.get()");
    for (const Array& residual : forward.residuals) {
      const bool known = as_ref(residual) == nullptr ||
                         std::ranges::any_of(leaves, [&](const Array& leaf) { return is_same_ref(leaf, residual); });
      if (!known) refuse_refs(kKind, "a residual that isn't an argument of fwd", {&residual, 1}, "return its value");
    }
    forward.bwd = [bwd = std::move(forward.bwd), residuals = forward.residuals, leaves](
                      std::span<const Array> known, std::span<const Array> cotangents) {
      const std::vector<std::optional<Array>> all = bwd(with_refs_of(residuals, known), cotangents);
      std::vector<std::optional<Array>> of_values;
      for (size_t i = 0; i < all.size(); ++i) {
        if (as_ref(leaves[i]) == nullptr) of_values.push_back(all[i]);
      }
      return of_values;
    };
    forward.residuals = without_refs(forward.residuals);
    return forward;
  };
}

}  // namespace

std::vector<Array> call(const FlatFunction& f, std::span<const Array> leaves, FlatFwd fwd, int64_t id,
                        const PathOfLeaf& path, const std::source_location& location, bool optimize_remat) {
  const std::vector<Array> values = without_refs(leaves);
  if (values.size() != leaves.size()) {
    RefArguments(kKind, leaves);  // checks that each ref is passed once
    id = new_id();                // the rules write to these refs
    fwd = over_values(std::move(fwd), {leaves.begin(), leaves.end()});
  }
  if (runs_at_once(values)) return f(leaves);
  if (values.size() != leaves.size()) ++staged_ref_rules();
  const FlatFunction of_values = [&](std::span<const Array> x) { return f(with_refs_of(leaves, x)); };
  const StagedFunction staged =
      stage(of_values, avals_of(values), kKind, kKind, CapturePlace::kLast, /*always_tuple=*/true);
  auto created =
      std::make_shared<Call>(Call{std::move(fwd), avals_of(values), staged.results, path, location, optimize_remat});
  return bind_custom_rules(staged, values, kKind, id, rules_of_call(std::move(created)));
}

Forward forward_of_closure(std::vector<Array> results, const FlatFunction& pull) {
  const StagedFunction staged =
      stage(pull, avals_of(results), "custom_gradient", "pull", CapturePlace::kLast, /*always_tuple=*/true);
  Forward forward{std::move(results), staged.captures, {}};
  forward.bwd = [computation = staged.computation](std::span<const Array> residuals,
                                                   std::span<const Array> cotangents) {
    std::vector<Array> operands(cotangents.begin(), cotangents.end());
    operands.insert(operands.end(), residuals.begin(), residuals.end());
    std::vector<std::optional<Array>> out;
    for (Array& a : run_computation(*computation, operands)) out.push_back(std::move(a));
    return out;
  };
  return forward;
}

Array zeros_like(const Array& x) { return zeros_like_aval({x.aval_shape(), false}); }

void append(std::vector<std::optional<Array>>& all, const std::vector<Array>& cotangents) {
  all.insert(all.end(), cotangents.begin(), cotangents.end());
}
void append_none(std::vector<std::optional<Array>>& all, size_t count) { all.resize(all.size() + count); }

void refuse_tree(std::string_view what, const std::string& difference) {
  or_throw(invalid_argument(at_user_line(kKind) + ": " + std::string(what) + ": " + difference));
  __builtin_unreachable();
}

int64_t new_id() { return next_custom_rules_id(); }

}  // namespace hilo::custom_vjp_detail
