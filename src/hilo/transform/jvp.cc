// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jvp.h"

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/lifts.h"
#include "hilo/transform/linearize.h"
#include "hilo/transform/memo.h"

namespace hilo {
namespace {

/// Whether `split` stages these tangents. Rules push tangents with known values forward as usual.
bool stages_apart(SplitTrace* split, std::span<const Tangent> tangents) {
  return split != nullptr && std::ranges::any_of(tangents, [&](const Tangent& t) {
           return !t.is_zero() && split->staging().owns(t.value());
         });
}

bool has_spectrum(const hlo::ComputationPtr& function) {
  return std::ranges::any_of(hlo::computations_of(function), [](const hlo::ComputationPtr& computation) {
    return std::ranges::any_of(computation->instructions(), [](const hlo::Instruction& i) {
      return i.opcode == hlo::kExtEigh || i.opcode == hlo::kExtSvd;
    });
  });
}

/// Whether a called function returns eigenvectors or similar values. Later operations on them need their lifts, which
/// aren't results.
bool returns_lifts(const Operation& operation, std::span<const Tangent> tangents) {
  if (operation.opcode != hlo::Opcode::kCall) return false;
  const hlo::ComputationPtr& callee = attributes_of<hlo::CallAttributes>(operation).to_apply;
  if (!has_spectrum(callee)) return false;
  Mask nonzero;
  for (const Tangent& t : tangents) nonzero.push_back(!t.is_zero());
  return jvp_computation(callee, nonzero, {}).returns_lifts;
}

}  // namespace

std::shared_ptr<const ArrayImpl> JvpTracer::with_weak_type(bool weak_type) const {
  auto copy = std::make_shared<JvpTracer>(*this);
  copy->aval.weak_type = weak_type;
  copy->primal = hilo::with_weak_type(primal, weak_type);
  return copy;
}

JvpTrace::JvpTrace(Trace* parent) : Trace(parent, "jvp"), split_(dynamic_cast<SplitTrace*>(parent)) {}

Array JvpTrace::wrap(Array primal, Tangent tangent, Lifts lifts) {
  if (tangent.is_zero()) return primal;
  return Array(std::make_shared<JvpTracer>(record(), std::move(primal), std::move(tangent), std::move(lifts)));
}

const Array& JvpTrace::primal_of(const Array& array) const {
  return owns(array) ? tracer<JvpTracer>(array).primal : array;
}

Tangent JvpTrace::tangent_of(const Array& array) const {
  return owns(array) ? tracer<JvpTracer>(array).tangent : Tangent();
}

const Lifts& JvpTrace::lifts_of(const Array& array) const {
  static const Lifts kNone;
  return owns(array) ? tracer<JvpTracer>(array).lifts : kNone;
}

JvpResult JvpTrace::push(const Operation& operation, std::span<const Tangent> tangents) const {
  if (returns_lifts(operation, tangents)) {
    const hlo::Computation& callee = *attributes_of<hlo::CallAttributes>(operation).to_apply;
    return jvp_flat([&](std::span<const Array> x) { return run_computation(callee, x); }, operation.operands, tangents);
  }
  return stages_apart(split_, tangents) ? apply_linearize_rule(*split_, operation, tangents)
                                        : apply_jvp_rule(operation, tangents);
}

std::vector<Array> JvpTrace::bind(const Operation& operation) {
  Operation primal_operation{operation.opcode, {}, operation.attributes, operation.declared};
  std::vector<Tangent> tangents;
  bool any = false, lifted = false;
  for (const Array& a : operation.operands) {
    primal_operation.operands.push_back(primal_of(a));
    tangents.push_back(tangent_of(a));
    any |= !tangents.back().is_zero();
    lifted |= !lifts_of(a).empty();
  }
  TraceScope scope(*parent());
  if (!any) return parent()->bind(primal_operation);
  JvpResult result = push(primal_operation, tangents);
  if (lifted) {
    std::vector<const Lifts*> lifts;
    for (const Array& a : operation.operands) lifts.push_back(&lifts_of(a));
    const auto again = [&](std::span<const Tangent> turned) { return push(primal_operation, turned); };
    carry_lifts(primal_operation, lifts, again, result);
  }
  std::vector<Array> out;
  out.reserve(result.primals.size());
  for (size_t i = 0; i < result.primals.size(); ++i) {
    // A dot of floats, for example, may have an integer result.
    Tangent tangent = has_tangent(result.primals[i].dtype()) ? std::move(result.tangents[i]) : Tangent();
    Lifts lifts = result.lifts.empty() ? Lifts() : std::move(result.lifts[i]);
    out.push_back(wrap(std::move(result.primals[i]), std::move(tangent), std::move(lifts)));
  }
  return out;
}

JvpResult apply_jvp_rule(const Operation& operation, std::span<const Tangent> tangents) {
  const Rules& rules = rules_of(operation.opcode);
  if (const JvpFunction* rule = rules.jvp.function()) return (*rule)(operation, tangents);
  if (const NotYet* missing = rules.jvp.missing()) {
    or_throw(unimplemented("jvp of " + at_user_line(hlo::opcode_name(operation.opcode)) + ": " + missing->why));
  }
  if (rules.jvp.nonlinear() == nullptr) {
    or_throw(internal_error("jvp of " + std::string(hlo::opcode_name(operation.opcode)) + ": its rule is Unreachable"));
  }
  JvpResult result;
  result.primals = bind(operation);
  result.tangents.resize(result.primals.size());
  return result;
}

JvpResult apply_linearize_rule(SplitTrace& split, const Operation& operation, std::span<const Tangent> tangents) {
  const LinearizeFunction rule = rules_of(operation.opcode).linearize;
  if (rule == nullptr || has_custom_jvp(operation)) return apply_jvp_rule(operation, tangents);
  std::unique_ptr<bool[]> nonzero(new bool[tangents.size()]);
  for (size_t i = 0; i < tangents.size(); ++i) nonzero[i] = !tangents[i].is_zero();
  LinearizeResult linear = rule(operation, {nonzero.get(), tangents.size()});
  const TraceScope linear_part(split.staging());
  return {std::move(linear.primals), linear.tangent_function(tangents)};
}

JvpResult jvp_flat(const FlatFunction& f, std::span<const Array> primals, std::span<const Tangent> tangents) {
  JvpTrace trace(&current_trace());
  std::vector<Array> inputs;
  for (size_t i = 0; i < primals.size(); ++i) inputs.push_back(trace.wrap(primals[i], tangents[i]));
  JvpResult result;
  for (const Array& out : call_under(trace, f, inputs)) {
    result.primals.push_back(trace.primal_of(out));
    result.tangents.push_back(trace.tangent_of(out));
    result.lifts.push_back(trace.lifts_of(out));
  }
  return result;
}

namespace {

JvpComputation trace_jvp(const hlo::ComputationPtr& computation, const std::vector<bool>& nonzero,
                         const std::vector<bool>& instantiate) {
  std::vector<Aval> avals = parameter_avals(*computation);
  const size_t count = avals.size();
  for (size_t i = 0; i < count; ++i) {
    if (nonzero[i]) avals.push_back(avals[i]);
  }
  JvpComputation result;
  const FlatFunction both = [&](std::span<const Array> arguments) {
    std::vector<Tangent> tangents(count);
    for (size_t i = 0, next = count; i < count; ++i) {
      if (nonzero[i]) tangents[i] = arguments[next++];
    }
    const JvpResult jvp = jvp_flat([&](std::span<const Array> x) { return run_computation(*computation, x); },
                                   arguments.first(count), tangents);
    std::vector<Array> out = jvp.primals;
    result.returns_lifts = std::ranges::any_of(jvp.lifts, [](const Lifts& lifts) { return !lifts.empty(); });
    result.nonzero_results.resize(jvp.primals.size());
    for (size_t i = 0; i < jvp.primals.size(); ++i) {
      result.nonzero_results[i] = !jvp.tangents[i].is_zero() || (i < instantiate.size() && instantiate[i]);
      if (result.nonzero_results[i]) out.push_back(materialize(jvp.tangents[i], jvp.primals[i].aval()));
    }
    return out;
  };
  result.computation =
      stage(both, avals, "jvp", computation->name() + ".jvp", CapturePlace::kNone, /*always_tuple=*/true).computation;
  return result;
}

}  // namespace

JvpComputation jvp_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& nonzero,
                               const std::vector<bool>& instantiate) {
  static ComputationMemo<JvpComputation, Mask, Mask> memo;
  return memo.get(computation, nonzero, instantiate, [&] { return trace_jvp(computation, nonzero, instantiate); });
}

}  // namespace hilo
