// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/policy_cut.h"

#include <algorithm>
#include <map>

#include "hilo/base/text.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/ext/custom_rules.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/trace/primitive_name.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/part_of.h"

namespace hilo::rules {
namespace {

using hlo::ComputationPtr;
using hlo::InstructionId;
using Ids = std::vector<InstructionId>;

bool is_dot(const hlo::Instruction& i, bool with_batch_dimensions) {
  if (i.opcode != hlo::Opcode::kDot) return false;
  return with_batch_dimensions || hlo::attributes_of<hlo::DotAttributes>(i).lhs_batch_dimensions.empty();
}

/// Returns the name from checkpoint_name; empty if none exists.
std::string checkpoint_name_of(const hlo::Instruction& i) {
  if (i.opcode != hlo::kExtCustomRules) return {};
  const auto& own = hlo::attributes_of<hlo::CustomRulesAttributes>(i);
  return own.rules == kCheckpointName ? own.detail : std::string();
}

/// Returns whether the op marks a value that an inner checkpoint saves. Policies of users don't see it.
bool is_saved_mark(const hlo::Instruction& i) {
  return i.opcode == hlo::kExtCustomRules &&
         hlo::attributes_of<hlo::CustomRulesAttributes>(i).rules == kCheckpointSaved;
}

PolicyOperation operation_of(const hlo::Computation& c, const hlo::Instruction& i, const std::string& name) {
  PolicyOperation operation{std::string(primitive_name(i.opcode)), name, i.shape, {}};
  for (InstructionId operand : i.operands) operation.operands.push_back(c.instruction(operand).shape);
  return operation;
}

}  // namespace

Policy::Policy(std::string_view text) {
  if (text.starts_with(checkpoint_detail::kShares)) {
    prevent_cse = false;
    text.remove_prefix(checkpoint_detail::kShares.size());
  }
  kind_ = text.substr(0, text.find(':'));
  for (size_t begin = kind_.size() + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) names_.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

bool Policy::keeps(const hlo::Computation& c, const hlo::Instruction& i) const {
  if (!i.shape.is_array() || i.opcode == hlo::Opcode::kParameter || i.opcode == hlo::Opcode::kConstant) return false;
  // Side effects aren't repeated.
  if (has_effect(i.opcode == hlo::Opcode::kGetTupleElement ? c.instruction(i.operands[0]) : i)) return true;
  return keeps_array(i, checkpoint_name_of(i), c);
}

bool Policy::keeps_array(const hlo::Instruction& i, const std::string& name, const hlo::Computation& c) const {
  if (is_saved_mark(i)) return kind_ == "everything_saveable" || kind_ == "save_anything_except_these_names";
  const bool is_named = std::ranges::find(names_, name) != names_.end();
  if (kind_ == "everything_saveable") return true;
  if (kind_ == "dots_saveable") return is_dot(i, true);
  if (kind_ == "dots_with_no_batch_dims_saveable") return is_dot(i, false);
  if (kind_ == "save_only_these_names") return is_named;
  if (kind_ == "save_anything_except_these_names") return !is_named;
  if (kind_ == "save_any_names_but_these") return !name.empty() && !is_named;
  if (kind_ == checkpoint_detail::kPredicate)
    return i.opcode != hlo::Opcode::kGetTupleElement &&
           checkpoint_detail::ask_predicate(names_.empty() ? "" : names_[0], operation_of(c, i, name));
  return false;  // nothing_saveable
}

namespace {

/// A saved value: that of an instruction, or the stacked values of one in a scan's step.
struct Kept {
  InstructionId id;
  std::optional<int64_t> result;  ///< result of the scan in the forward pass
};

class Cutter {
 public:
  Cutter(const hlo::Computation& c, const Policy& policy, size_t first) : c_(c), first_(first) {
    for (const hlo::Instruction& i : c.instructions()) {
      if (policy.keeps(c, i)) kept_.push_back({i.id, std::nullopt});
      if (i.opcode == hlo::kExtScan && !has_effect(i)) cut_scan(i, policy);
    }
  }

  PolicyCut cut() {
    PolicyCut out;
    out.again = again();
    out.forward = forward();
    out.kept_count = kept_.size();
    return out;
  }

 private:
  void cut_scan(const hlo::Instruction& scan, const Policy& policy) {
    const auto& attributes = hlo::attributes_of<hlo::ScanAttributes>(scan);
    PolicyCut step = cut_by_policy(*attributes.step, policy);
    const int64_t count = scan.shape.leaves().size();
    for (size_t k = 0; k < step.kept_count; ++k) kept_.push_back({scan.id, count + static_cast<int64_t>(k)});
    if (step.kept_count > 0) scans_.emplace(scan.id, std::move(step));
  }

  Shape shape_of(const Kept& retained) const {
    const hlo::Instruction& i = c_.instruction(retained.id);
    if (!retained.result) return i.shape;
    const Shape& slice = scans_.at(retained.id).forward->result_shape().tuple_element(*retained.result);
    std::vector<int64_t> sizes(slice.dimensions().begin(), slice.dimensions().end());
    sizes.insert(sizes.begin(), hlo::attributes_of<hlo::ScanAttributes>(i).length);
    return Shape::array(slice.element_type(), sizes);
  }

  /// Copies `i`; a scan whose step is cut gets `step`, and `stacks` as further slices.
  InstructionId copy(hlo::Builder& builder, const hlo::Instruction& i, Ids operands, const ComputationPtr& step,
                     const Ids& stacks) const {
    builder.set_annotations(i.annotations);
    if (step == nullptr) return or_throw(builder.add(i.opcode, operands, i.attributes, i.shape));
    auto scan = std::make_shared<hlo::ScanAttributes>(hlo::attributes_of<hlo::ScanAttributes>(i));
    scan->step = step;
    operands.insert(operands.end(), stacks.begin(), stacks.end());
    return or_throw(builder.add(i.opcode, operands, std::move(scan)));
  }

  Ids mapped_operands(const hlo::Instruction& i, const Ids& mapped) const {
    Ids operands;
    for (InstructionId operand : i.operands) operands.push_back(mapped[operand]);
    return operands;
  }

  /// Removes values from kept_ that aren't read again.
  ComputationPtr again() {
    hlo::Builder builder(c_.name() + ".again");
    Ids mapped(c_.size(), hlo::kNoInstruction);
    Ids parameters;
    std::map<InstructionId, Ids> stacks;
    for (InstructionId id : c_.parameters()) {
      mapped[id] = builder.parameter(c_.instruction(id).shape);
      parameters.push_back(mapped[id]);
    }
    for (const Kept& retained : kept_) {
      parameters.push_back(builder.parameter(shape_of(retained)));
      if (retained.result) stacks[retained.id].push_back(parameters.back());
      else mapped[retained.id] = parameters.back();
    }
    for (const hlo::Instruction& i : c_.instructions()) {
      if (mapped[i.id] != hlo::kNoInstruction) continue;
      const auto scan = scans_.find(i.id);
      mapped[i.id] = copy(builder, i, mapped_operands(i, mapped), scan == scans_.end() ? nullptr : scan->second.again,
                          stacks[i.id]);
    }
    const ComputationPtr whole = or_throw(std::move(builder).build(mapped[c_.root_id()]));
    const auto outputs = whole->root().operands.subspan(first_);
    std::vector<bool> is_parameter(whole->size());
    for (InstructionId id : parameters) is_parameter[id] = true;
    Ids read;
    needed_for(*whole, outputs, is_parameter, read);
    return without_unread(*whole, parameters, read);
  }

  ComputationPtr without_unread(const hlo::Computation& whole, const Ids& parameters, const Ids& read) {
    const size_t own = c_.parameters().size();
    Ids given(parameters.begin(), parameters.begin() + own);
    std::vector<Kept> needed;
    for (size_t k = 0; k < kept_.size(); ++k) {
      if (std::ranges::find(read, parameters[own + k]) == read.end()) continue;
      given.push_back(parameters[own + k]);
      needed.push_back(kept_[k]);
    }
    kept_ = std::move(needed);
    return part_of(whole, given, whole.root().operands.subspan(first_), whole.name());
  }

  ComputationPtr forward() const {
    hlo::Builder builder(c_.name() + ".forward");
    Ids mapped(c_.size(), hlo::kNoInstruction);
    for (InstructionId id : c_.parameters()) mapped[id] = builder.parameter(c_.instruction(id).shape);
    for (const hlo::Instruction& i : c_.instructions()) {
      if (i.opcode == hlo::Opcode::kParameter) continue;
      const auto scan = scans_.find(i.id);
      mapped[i.id] =
          copy(builder, i, mapped_operands(i, mapped), scan == scans_.end() ? nullptr : scan->second.forward, {});
    }
    Ids results = mapped_operands(c_.root(), mapped);
    for (const Kept& retained : kept_)
      results.push_back(retained.result ? or_throw(builder.get_tuple_element(mapped[retained.id], *retained.result))
                                        : mapped[retained.id]);
    builder.set_annotations(nullptr);
    return or_throw(std::move(builder).build(builder.tuple(results)));
  }

  const hlo::Computation& c_;
  size_t first_;
  std::vector<Kept> kept_;
  std::map<InstructionId, PolicyCut> scans_;
};

}  // namespace

PolicyCut cut_by_policy(const hlo::Computation& computation, const Policy& policy, size_t first) {
  return Cutter(computation, policy, first).cut();
}

}  // namespace hilo::rules
