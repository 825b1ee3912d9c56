// SPDX-License-Identifier: Apache-2.0
// rules/checkpoint.cc -- rules of checkpoint: the forward pass keeps what the policy says, the linear function of the
// tangents begins by computing the rest again.
#include <algorithm>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/lax/carry.h"
#include "hilo/rules/named_rules.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/linearize.h"
#include "hilo/transform/transpose.h"

namespace hilo {
namespace {

using hlo::ComputationPtr;
using hlo::InstructionId;
using Ids = std::vector<InstructionId>;

const hlo::CustomRulesAttributes& attributes(const Operation& operation) {
  return attributes_of<hlo::CustomRulesAttributes>(operation);
}

// ---- policies -------------------------------------------------------------------------------------------------------

/// A policy's text, taken apart.
struct Policy {
  std::string_view kind;
  std::vector<std::string> names;

  explicit Policy(std::string_view text) : kind(text.substr(0, text.find(':'))) {
    if (kind.size() == text.size()) return;
    for (size_t begin = kind.size() + 1; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) names.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  bool has(const std::string& name) const { return std::ranges::find(names, name) != names.end(); }
};

bool is_dot_to_keep(const hlo::Instruction& i, bool with_batch_dimensions) {
  if (i.opcode != hlo::Opcode::kDot) return false;
  return with_batch_dimensions || hlo::attributes_of<hlo::DotAttributes>(i).lhs_batch_dimensions.empty();
}

/// Happens something beside the result? That is not done again.
bool has_effect(const hlo::Instruction& i) {
  if (hlo::has_trait(i.opcode, hlo::kEffect)) return true;
  for (const ComputationPtr& called : hlo::called_computations(i)) {
    if (called->has_effect()) return true;
  }
  return false;
}

/// May the forward pass keep the value of `i`?
bool is_saveable(const Policy& policy, const hlo::Computation& c, const hlo::Instruction& i) {
  if (!i.shape.is_array()) return false;
  if (has_effect(i.opcode == hlo::Opcode::kGetTupleElement ? c.instruction(i.operands[0]) : i)) return true;
  std::optional<std::string> name;
  if (i.opcode == hlo::kExtCustomRules) {
    const auto& own = hlo::attributes_of<hlo::CustomRulesAttributes>(i);
    if (own.rules == kCheckpointName) name = own.detail;
  }
  if (policy.kind == "everything_saveable") return true;
  if (policy.kind == "dots_saveable") return is_dot_to_keep(i, true);
  if (policy.kind == "dots_with_no_batch_dims_saveable") return is_dot_to_keep(i, false);
  if (policy.kind == "save_only_these_names") return name && policy.has(*name);
  if (policy.kind == "save_anything_except_these_names") return !name || !policy.has(*name);
  if (policy.kind == "save_any_names_but_these") return name && !policy.has(*name);
  return false;  // nothing_saveable
}

// ---- what is kept and what is computed again ------------------------------------------------------------------------

/// Instructions that `outputs` need, walking back as far as `is_given`; the given ones that are met go to `given`.
std::vector<bool> needed_for(const hlo::Computation& c, std::span<const InstructionId> outputs,
                             const std::vector<bool>& is_given, Ids& given) {
  std::vector<bool> needed(c.size());
  for (InstructionId id : outputs) needed[id] = true;
  for (InstructionId id = c.size(); id-- > 0;) {
    if (!needed[id]) continue;
    if (is_given[id]) {
      given.push_back(id);
      continue;
    }
    for (InstructionId operand : c.instruction(id).operands) needed[operand] = true;
  }
  std::ranges::reverse(given);
  return needed;
}

/// The part of `c` that computes `outputs` from the values of `given`, as a computation: its parameters are these values
/// in order, its root a tuple. `also` has instructions that stay in it beside.
ComputationPtr part_of(const hlo::Computation& c, std::span<const InstructionId> given,
                       std::span<const InstructionId> outputs, const std::string& name,
                       std::span<const InstructionId> also = {}) {
  hlo::Builder builder(name);
  std::vector<InstructionId> mapped(c.size(), hlo::kNoInstruction);
  std::vector<bool> is_given(c.size());
  for (InstructionId id : given) {
    is_given[id] = true;
    mapped[id] = builder.parameter(c.instruction(id).shape);
  }
  Ids met, ends(outputs.begin(), outputs.end());
  ends.insert(ends.end(), also.begin(), also.end());
  const std::vector<bool> needed = needed_for(c, ends, is_given, met);
  for (const hlo::Instruction& i : c.instructions()) {
    if (!needed[i.id] || is_given[i.id]) continue;
    Ids operands;
    for (InstructionId operand : i.operands) operands.push_back(mapped[operand]);
    builder.set_annotations(i.annotations);
    mapped[i.id] = or_throw(builder.add(i.opcode, operands, i.attributes, i.shape));
  }
  builder.set_annotations(nullptr);
  Ids results;
  for (InstructionId id : outputs) results.push_back(mapped[id]);
  return or_throw(std::move(builder).build(builder.tuple(results)));
}

/// A linearised function whose forward pass gives (results, kept values) and whose linear part computes all residuals
/// from kept values and the arguments that it reads.
struct Rematerialized {
  ComputationPtr forward;          ///< arguments -> results, kept values
  ComputationPtr tangent;          ///< nonzero tangents, kept values, arguments that it reads -> result tangents
  std::vector<size_t> read_again;  ///< numbers of these arguments
  size_t result_count = 0;
  std::vector<bool> nonzero_results;
};

Rematerialized rematerialize(const ComputationPtr& computation, const std::vector<bool>& nonzero,
                             const Policy& policy) {
  const LinearizedComputation linear = linearize_computation(computation, nonzero, {});
  hlo::Module module;
  module.entry = linear.primal;
  or_throw(hlo::inline_calls(module).status());
  const hlo::Computation& primal = *module.entry;
  const std::span<const InstructionId> outputs = primal.root().operands;
  Rematerialized out;
  out.nonzero_results = linear.nonzero_results;
  out.result_count = outputs.size() - linear.residual_count;
  const auto results = outputs.first(out.result_count), residuals = outputs.subspan(out.result_count);

  std::vector<bool> is_given(primal.size());
  for (const hlo::Instruction& i : primal.instructions())
    is_given[i.id] =
        i.opcode == hlo::Opcode::kParameter || (i.opcode != hlo::Opcode::kConstant && is_saveable(policy, primal, i));
  Ids given;
  needed_for(primal, residuals, is_given, given);
  Ids kept, reread;
  for (InstructionId id : given)
    (primal.instruction(id).opcode == hlo::Opcode::kParameter ? reread : kept).push_back(id);
  for (InstructionId id : reread)
    out.read_again.push_back(
        static_cast<size_t>(hlo::attributes_of<hlo::ParameterAttributes>(primal.instruction(id)).number));

  Ids forward(results.begin(), results.end());
  forward.insert(forward.end(), kept.begin(), kept.end());
  Ids effects;
  for (const hlo::Instruction& i : primal.instructions()) {
    if (has_effect(i)) effects.push_back(i.id);
  }
  out.forward = part_of(primal, primal.parameters(), forward, computation->name() + ".forward", effects);
  Ids begin = kept;
  begin.insert(begin.end(), reread.begin(), reread.end());
  const ComputationPtr again = part_of(primal, begin, residuals, computation->name() + ".again");

  std::vector<Aval> avals = parameter_avals(*linear.tangent);
  const size_t tangent_count = avals.size() - linear.residual_count;
  avals.resize(tangent_count);
  for (InstructionId id : begin) avals.push_back({primal.instruction(id).shape, false});
  const FlatFunction tangent = [&](std::span<const Array> x) {
    std::vector<Array> arguments(x.begin(), x.begin() + static_cast<int64_t>(tangent_count));
    for (Array& residual : run_computation(*again, x.subspan(tangent_count))) arguments.push_back(std::move(residual));
    return run_computation(*linear.tangent, arguments);
  };
  out.tangent =
      stage(tangent, avals, "checkpoint", computation->name() + ".tangent", CapturePlace::kNone, true).computation;
  return out;
}

// ---- rules ----------------------------------------------------------------------------------------------------------

/// Calls what computes the function once more.
std::vector<Array> bind_tangent(hlo::ComputationPtr computation, std::vector<Array> operands) {
  auto own = std::make_shared<hlo::CustomRulesAttributes>();
  own->to_apply = std::move(computation);
  own->rules = kCheckpointTangent;
  return bind({hlo::kExtCustomRules, std::move(operands), std::move(own), std::nullopt});
}

LinearizeResult checkpoint_linearize(const Operation& operation, std::span<const bool> nonzero) {
  const Rematerialized split = rematerialize(attributes(operation).to_apply, {nonzero.begin(), nonzero.end()},
                                             Policy(attributes(operation).detail));
  std::vector<Array> primals = ops::call(split.forward, operation.operands);
  std::vector<Array> known(primals.begin() + static_cast<int64_t>(split.result_count), primals.end());
  primals.resize(split.result_count);
  for (size_t i : split.read_again) known.push_back(operation.operands[i]);
  return {std::move(primals), [split, known](std::span<const Tangent> tangents) {
            std::vector<Array> operands;
            lax::append_nonzero(operands, tangents);
            operands.insert(operands.end(), known.begin(), known.end());
            return lax::spread_tangents(bind_tangent(split.tangent, std::move(operands)), split.nonzero_results);
          }};
}

/// What is computed again waits for the cotangents, behind a barrier: else it would be found equal to what the forward
/// pass has computed, and kept.
void tangent_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  Mask linear;
  std::vector<Array> operands;
  for (const Array& a : operation.operands) {
    linear.push_back(is_linear_operand(a));
    if (!linear.back()) operands.push_back(a);
  }
  lax::append_nonzero(operands, cts);
  operands = bind({hlo::Opcode::kOptimizationBarrier, std::move(operands), nullptr, std::nullopt});
  const std::vector<Array> pulled = bind_tangent(
      transpose_computation(attributes(operation).to_apply, linear, lax::nonzero_mask(cts)), std::move(operands));
  for (size_t i = 0, next = 0; i < linear.size(); ++i) {
    if (linear[i]) out.add(i, pulled[next++]);
  }
}

JvpResult name_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  return {bind(operation), {tangents[0]}};
}

void name_transpose(const Operation&, std::span<const Tangent> cts, Cotangents& out) {
  if (!cts[0].is_zero()) out.add(0, cts[0].value());
}

BatchResult name_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext&) {
  return {{bind_identity(operation.operands[0], kCheckpointName, attributes(operation).detail)}, {dims[0]}};
}

}  // namespace

const CustomRules* rules::checkpoint_rules(std::string_view rules) {
  static const CustomRules kWhole{{}, checkpoint_linearize, {}, {}}, kTangent{{}, {}, tangent_transpose, {}},
      kName{name_jvp, {}, name_transpose, name_batch};
  if (rules == kCheckpoint) return &kWhole;
  if (rules == kCheckpointTangent) return &kTangent;
  return rules == kCheckpointName ? &kName : nullptr;
}

}  // namespace hilo
