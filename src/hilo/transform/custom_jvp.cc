// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/custom_jvp.h"

#include "hilo/transform/batch.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/symbolic_zeros.h"

namespace hilo {

namespace nondiff {

void refuse_tracers(std::string_view kind, std::span<const Array> leaves) {
  for (const Array& a : leaves) {
    if (is_concrete(a)) continue;
    or_throw(failed_precondition(at_user_line(kind) + ": a tracer, " + a.aval_shape().to_string() +
                                 ", was passed as an argument that nondiff_argnums names. Tracers cannot be passed as "
                                 "non-differentiable arguments to " +
                                 std::string(kind) +
                                 " functions; nondiff_argnums is for arguments that can't be or hold tracers, like "
                                 "functions. Hint: pass it as an ordinary argument"));
  }
}

}  // namespace nondiff

namespace custom_jvp_detail {
namespace {

constexpr char kKind[] = "custom_jvp";

void check_outputs(const Outputs& out, std::span<const Aval> expected) {
  const auto check = [&](const char* what, const std::vector<Array>& got) {
    if (got.size() != expected.size())
      or_throw(invalid_argument(at_user_line(kKind) + ": " + what + ": the rule gave " + std::to_string(got.size()) +
                                " arrays, the function gives " + std::to_string(expected.size())));
    for (size_t i = 0; i < got.size(); ++i) {
      if (got[i].aval_shape() == expected[i].shape) continue;
      or_throw(invalid_argument(at_user_line(kKind) +
                                ": Custom JVP rule must produce primal and tangent outputs with equal shapes and "
                                "dtypes as the function's result; " +
                                what + " " + std::to_string(i) + " is " + got[i].aval_shape().to_string() +
                                ", wanted " + expected[i].shape.to_string()));
    }
  };
  check("primal output", out.primals);
  check("tangent output", out.tangents);
}

JvpResult apply(const FlatRule& rule, const Operation& operation, std::span<const Tangent> tangents, size_t count,
                std::span<const Aval> results) {
  std::unique_ptr<bool[]> nonzero(new bool[tangents.size()]);
  for (size_t i = 0; i < tangents.size(); ++i) nonzero[i] = !tangents[i].is_zero();
  refuse_closed_over_tangents(kKind, {nonzero.get(), tangents.size()}, count,
                              "pass the closed-over value into the custom_jvp function as an argument, and adapt the "
                              "custom_jvp rule");
  std::vector<Array> directions;
  ArrayMarks marks;
  for (size_t i = 0; i < count; ++i) {
    directions.push_back(materialize(tangents[i], {operation.operands[i].aval_shape(), false}));
    if (tangents[i].is_zero()) marks.add(ArrayMarks::kZero, directions.back());
  }
  Outputs out = rule(std::span(operation.operands).first(count), directions);
  if (out.tangents.empty() && !results.empty()) {  // all functions of defjvps are nullptr
    for (const Aval& a : results) out.tangents.push_back(zeros_like_aval({a.shape, false}));
  }
  check_outputs(out, results);
  JvpResult result{std::move(out.primals), {}};
  for (Array& t : out.tangents) result.tangents.push_back(has_tangent(t.dtype()) ? Tangent(std::move(t)) : Tangent());
  return result;
}

std::shared_ptr<const CustomRules> rules_with(const FlatRule& rule, size_t count, const std::vector<Aval>& results,
                                              const std::source_location& location);

/// The rule of a batched call: the user's rule, batched. All results have the axis in front.
FlatRule batched_rule(const FlatRule& rule, const std::vector<BatchDim>& dims, const BatchContext& axis) {
  return [rule, dims, axis](std::span<const Array> primals, std::span<const Array> tangents) {
    const size_t count = primals.size();
    std::vector<Array> both(primals.begin(), primals.end());
    both.insert(both.end(), tangents.begin(), tangents.end());
    std::vector<BatchDim> of_both(dims.begin(), dims.begin() + count);
    of_both.insert(of_both.end(), dims.begin(), dims.begin() + count);
    size_t primal_count = 0;
    const FlatFunction flat = [&](std::span<const Array> x) {
      ArrayMarks marks;
      marks.inherit(both, x);
      Outputs out = rule(x.first(count), x.subspan(count));
      primal_count = out.primals.size();
      out.primals.insert(out.primals.end(), out.tangents.begin(), out.tangents.end());
      return out.primals;
    };
    const std::vector<Array> all = in_front(run_batched(flat, both, of_both, axis), axis.axis_size);
    const auto middle = all.begin() + primal_count;
    return Outputs{{all.begin(), middle}, {middle, all.end()}};
  };
}

BatchResult batch(const FlatRule& rule, const Operation& operation, std::span<const BatchDim> dims,
                  const BatchContext& context, size_t count, const std::vector<Aval>& results,
                  const std::source_location& location) {
  const BatchedCall call = batched_call(operation, dims, context);
  const FlatRule over_batch = batched_rule(rule, call.dims, call.axis);
  return call.bind(rules_with(over_batch, count, with_axis_in_front(results, context.axis_size), location));
}

std::shared_ptr<const CustomRules> rules_with(const FlatRule& rule, size_t count, const std::vector<Aval>& results,
                                              const std::source_location& location) {
  auto rules = std::make_shared<CustomRules>();
  rules->jvp = [=](const Operation& operation, std::span<const Tangent> tangents) {
    const TransformationLocation here(location);
    return apply(rule, operation, tangents, count, results);
  };
  rules->batch = [=](const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
    return batch(rule, operation, dims, context, count, results, location);
  };
  return rules;
}

}  // namespace

std::vector<Array> call(const FlatFunction& f, std::span<const Array> leaves, FlatRule rule, int64_t id,
                        const std::source_location& location) {
  if (runs_at_once(leaves)) return f(leaves);
  const StagedFunction staged = stage(f, avals_of(leaves), kKind, kKind, CapturePlace::kLast, /*always_tuple=*/true);
  return bind_custom_rules(staged, leaves, kKind, id, rules_with(rule, leaves.size(), staged.results, location));
}

void refuse_tree(std::string_view what, const std::string& difference) {
  or_throw(invalid_argument(at_user_line(kKind) + ": " + std::string(what) + ": " + difference));
  __builtin_unreachable();
}

int64_t new_id() { return next_custom_rules_id(); }

Array add(const Array& a, const Array& b) { return bind_one(hlo::Opcode::kAdd, {a, b}); }

}  // namespace custom_jvp_detail
}  // namespace hilo
