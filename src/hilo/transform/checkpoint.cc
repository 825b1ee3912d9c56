// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/checkpoint.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "hilo/base/text.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/trace/ref.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/linearize.h"

namespace hilo {
namespace {

void check_name(std::string_view where, const std::string& name) {
  if (!name.empty() && name.find(',') == std::string::npos) return;
  or_throw(invalid_argument(at_user_line(where) + ": a name can't be empty or hold a comma; got \"" + name + "\""));
}

CheckpointPolicy policy_of_names(const std::string& policy, const std::vector<std::string>& names) {
  CheckpointPolicy created{policy + ":"};
  for (size_t i = 0; i < names.size(); ++i) {
    check_name(policy, names[i]);
    created.text += (i == 0 ? "" : ",") + names[i];
  }
  return created;
}

[[noreturn]] void refuse_offload(const std::string& policy) {
  or_throw(unimplemented("checkpoint policy " + policy +
                         ": arrays are in the host's memory, there is no other memory to offload to. Hint: "
                         "save_only_these_names keeps them, nothing_saveable computes them again"));
  __builtin_unreachable();
}

}  // namespace

namespace checkpoint_policies {

// Initialized before users' globals, also if hilo is linked statically.
#define HILO_POLICY(name, retained) [[gnu::init_priority(1000)]] const CheckpointPolicy name{retained};
HILO_POLICY(everything_saveable, "everything_saveable")
HILO_POLICY(nothing_saveable, "nothing_saveable")
HILO_POLICY(dots_saveable, "dots_saveable")
HILO_POLICY(checkpoint_dots, "dots_saveable")
HILO_POLICY(dots_with_no_batch_dims_saveable, "dots_with_no_batch_dims_saveable")
HILO_POLICY(checkpoint_dots_with_no_batch_dims, "dots_with_no_batch_dims_saveable")
#undef HILO_POLICY

CheckpointPolicy save_only_these_names(const std::vector<std::string>& names) {
  return policy_of_names("save_only_these_names", names);
}
CheckpointPolicy save_anything_except_these_names(const std::vector<std::string>& names) {
  return policy_of_names("save_anything_except_these_names", names);
}
CheckpointPolicy save_any_names_but_these(const std::vector<std::string>& names) {
  return policy_of_names("save_any_names_but_these", names);
}
CheckpointPolicy save_and_offload_only_these_names(const std::vector<std::string>&, const std::vector<std::string>&) {
  refuse_offload("save_and_offload_only_these_names");
}
CheckpointPolicy offload_dot_with_no_batch_dims(const std::string&, const std::string&) {
  refuse_offload("offload_dot_with_no_batch_dims");
}

}  // namespace checkpoint_policies

Array checkpoint_name(const Operand& x, const std::string& name) {
  const UserLocation here(x.location());
  check_name("checkpoint_name", name);
  if (runs_at_once(std::span(&x.array(), 1))) return x.array();
  return bind_identity(x.array(), kCheckpointName, name);
}

namespace {

/// Describes for the user where the value of an instruction originates.
std::string source_of(const hlo::Computation& computation, hlo::InstructionId id, size_t argument_count,
                      const std::function<std::string(size_t)>& path_of_leaf) {
  const hlo::Instruction* i = &computation.instruction(id);
  const auto is_passed_on = [](const hlo::Instruction& x) {
    return x.opcode == hlo::Opcode::kGetTupleElement ||
           (x.opcode == hlo::kExtCustomRules &&
            hlo::attributes_of<hlo::CustomRulesAttributes>(x).rules == kCheckpointSaved);
  };
  while (is_passed_on(*i)) i = &computation.instruction(i->operands[0]);
  if (i->opcode == hlo::Opcode::kParameter) {
    const size_t number = hlo::attributes_of<hlo::ParameterAttributes>(*i).number;
    if (number >= argument_count) return "from a constant";
    return "from the argument " + path_of_leaf(number);
  }
  if (i->opcode == hlo::Opcode::kConstant) return "from a constant";
  const std::string line = describe_location(user_line(*i));
  const std::string where = line.empty() ? "" : " (" + line + ")";
  if (i->opcode == hlo::kExtCustomRules) {
    const auto& own = hlo::attributes_of<hlo::CustomRulesAttributes>(*i);
    return (own.rules == kCheckpointName ? "named '" + own.detail + "'" : "output of " + own.rules) + where;
  }
  return "output of " + std::string(hlo::opcode_name(i->opcode)) + where;
}

}  // namespace

namespace checkpoint_detail {

namespace {

struct Predicates {
  std::mutex mutex;
  std::deque<Predicate> all;  // references to elements of a deque stay valid
};
Predicates& predicates() {
  static auto* const known = new Predicates;
  return *known;
}

const Predicate* predicate_of(const std::string& number) {
  const std::optional<int64_t> n = parse_int64(number);
  Predicates& known = predicates();
  std::lock_guard lock(known.mutex);
  if (!n || *n < 0 || *n >= std::ssize(known.all)) return nullptr;
  return &known.all[*n];
}

}  // namespace

std::string text_of_predicate(Predicate predicate) {
  Predicates& known = predicates();
  std::lock_guard lock(known.mutex);
  known.all.push_back(std::move(predicate));
  return std::string(kPredicate) + ":" + std::to_string(known.all.size() - 1);
}

bool ask_predicate(const std::string& number, const PolicyOperation& operation) {
  const Predicate* const predicate = predicate_of(number);
  if (predicate == nullptr) {
    or_throw(
        failed_precondition(at_user_line("checkpoint") +
                            ": the program's policy is a C++ function of another "
                            "process. Hint: a program that is written to a file takes one of checkpoint_policies"));
  }
  return (*predicate)(operation);
}

std::vector<Array> checkpoint(const FlatFunction& f, std::span<const Array> leaves, const CheckpointOptions& options) {
  const std::vector<Array> values = without_refs(leaves);
  if (runs_at_once(values)) return f(leaves);
  const FlatFunction of_values = [&](std::span<const Array> x) { return f(with_refs_of(leaves, x)); };
  const StagedFunction staged =
      stage(of_values, avals_of(values), "checkpoint", "checkpoint", CapturePlace::kLast, /*always_tuple=*/true);
  return bind_custom_rules(staged, values, std::string(kCheckpoint), 0, nullptr,
                           options.prevent_cse ? options.policy.text : std::string(kShares) + options.policy.text);
}

std::vector<SavedResidual> saved_residuals(const FlatFunction& f, std::span<const Array> leaves,
                                           const std::function<std::string(size_t)>& path_of_leaf) {
  const std::vector<Aval> avals = avals_of(leaves);
  const StagedFunction staged = stage(f, avals, "saved_residuals", "f", CapturePlace::kLast, /*always_tuple=*/true);
  std::vector<bool> nonzero;
  for (const Shape& s : staged.computation->parameter_shapes()) nonzero.push_back(has_tangent(s.element_type()));
  for (size_t i = leaves.size(); i < nonzero.size(); ++i) nonzero[i] = false;  // values that f captures are constant
  const SplitComputation linear = linearize_computation(staged.computation, nonzero, {});
  hlo::Module module;
  module.entry = linear.known;
  or_throw(hlo::inline_calls(module).status());
  const hlo::Instruction& root = module.entry->root();
  std::vector<hlo::InstructionId> seen;
  std::vector<SavedResidual> saved;
  for (size_t k = root.operands.size() - linear.residual_count; k < root.operands.size(); ++k) {
    const hlo::InstructionId id = root.operands[k];
    if (std::ranges::find(seen, id) != seen.end()) continue;
    seen.push_back(id);
    saved.push_back({module.entry->instruction(id).shape, source_of(*module.entry, id, leaves.size(), path_of_leaf)});
  }
  return saved;
}

}  // namespace checkpoint_detail

std::string to_string(std::span<const SavedResidual> residuals) {
  std::string text;
  for (const SavedResidual& r : residuals) text += r.shape.to_string() + " " + r.source + "\n";
  return text;
}

}  // namespace hilo
