// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/proto/annotations.h"
#include "hilo/hlo/proto/fields.h"
#include "hilo/hlo/proto/header.h"
#include "hilo/hlo/proto/raw.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/text/composite.h"
#include "hilo/hlo/text/frontend_fields.h"
#include "hilo/hlo/text/program_order.h"

namespace hilo::hlo {
namespace proto {
namespace {

constexpr std::string_view kCompositeOpcode = "call";

class Writer {
 public:
  explicit Writer(const Module& module) : module_(module) {}
  StatusOr<std::string> write();

 private:
  int64_t id_of(const Computation& c) const { return static_cast<int64_t>(numbers_.at(&c)); }
  /// Returns the id as XLA does: the computation in the upper half, the instruction in the lower half.
  int64_t id_of(const Computation& c, InstructionId i) const {
    const auto ranks = ranks_.find(&c);
    return id_of(c) << 32 | (ranks == ranks_.end() ? i : ranks->second[i]);
  }
  StatusOr<WireWriter> computation(const Computation& c);
  StatusOr<WireWriter> instruction(const Computation& c, const Instruction& i);
  Status attributes(const Instruction& i, InstructionFields& out);
  StatusOr<bool> composite(const Instruction& i, Annotations& annotations, InstructionFields& out);
  void control_predecessors(const Computation& c, const Annotations& annotations, WireWriter& out);
  void find_fused();
  void find_ranks();
  WireWriter schedule() const;

  const Module& module_;
  text::ProgramOrder program_;
  std::unordered_map<const Computation*, size_t> numbers_;
  std::unordered_set<const Computation*> fused_;
  // Order of a scheduled computation's instructions by origin.
  std::unordered_map<const Computation*, std::vector<InstructionId>> ranks_;
  text::UniqueNames names_;  // of all instructions: XLA requires unique names in the module
};

Status Writer::attributes(const Instruction& i, InstructionFields& out) {
  if (i.attributes == nullptr) return ok_status();
  if (has_raw_attributes(i.opcode)) return write_raw(i.opcode, attributes_of<RawAttributes>(i), out);
  for (const auto& [field, place] : placed_fields(i.opcode)) {
    if (place == nullptr)
      return unimplemented(fmt::format("attribute {} can't be represented in HloModuleProto", quote(field->name)));
    HILO_RETURN_IF_ERROR(write_field(*place, *field, *i.attributes, out));
  }
  return ok_status();
}

/// Writes an extension op as the composite call that represents it; returns false for any other op.
StatusOr<bool> Writer::composite(const Instruction& i, Annotations& annotations, InstructionFields& out) {
  if (!text::is_stored_as_composite(i.opcode)) return false;
  const auto refusal = program_.refusals.find(&i);
  if (refusal != program_.refusals.end()) return refusal->second;
  const auto decomposition = program_.decompositions.find(&i);
  const std::string attributes =
      text::composite_attributes(i, [&](const Computation& c) { return program_.names.at(&c); });
  if (decomposition == program_.decompositions.end() || attributes.empty())
    return unimplemented("an extension op without decomposition can't be represented in HloModuleProto");
  annotations.frontend_attributes = attributes;
  out.own.text(2, kCompositeOpcode);
  out.own.boolean(find_place(Opcode::kCall, "is_composite")->number, true);
  out.called = {decomposition->second};
  return true;
}

void Writer::control_predecessors(const Computation& c, const Annotations& annotations, WireWriter& out) {
  Int64List ids;
  for (const std::string& name : annotations.control_predecessors) {
    for (const Instruction& i : c.instructions()) {  // rare, and few in number
      if (i.name == name) ids.push_back(id_of(c, i.id));
    }
  }
  out.integers(37, ids);
}

StatusOr<WireWriter> Writer::instruction(const Computation& c, const Instruction& i) {
  InstructionFields out;
  out.shape = i.shape;
  Annotations annotations = i.annotations == nullptr ? Annotations() : *i.annotations;
  out.own.text(1, names_.unique(text::plain_name(i.name)));
  HILO_ASSIGN_OR_RETURN(const bool is_composite, composite(i, annotations, out));
  if (!is_composite) {
    out.own.text(2, i.def().name);
    HILO_RETURN_IF_ERROR(attributes(i, out));
    text::add_frontend_fields(text::frontend_fields(i), annotations);
  }
  if (i.opcode == Opcode::kTopK) out.own.boolean(kIsStable, true);
  if (i.opcode == Opcode::kCustomCall && i.attributes != nullptr)
    annotations.backend_config = attributes_of<CustomCallAttributes>(i).backend_config;
  out.own.message(3, write_shape(shown_shape(i)));
  out.own.integer(35, id_of(c, i.id));
  Int64List operands;
  for (InstructionId operand : i.operands) operands.push_back(id_of(c, operand));
  out.own.integers(36, operands);
  control_predecessors(c, annotations, out.own);
  Int64List called;
  for (const ComputationPtr& callee : out.called) {
    if (callee == nullptr) return internal_error("a called computation is missing");
    called.push_back(id_of(*callee));
  }
  out.own.integers(38, called);
  HILO_RETURN_IF_ERROR(write_annotations(annotations, out.own));
  for (const auto& [outer, message] : out.nested) {
    if (inner_of(outer) != 0) out.nested[outermost_of(outer)].message(inner_of(outer), message);
  }
  for (const auto& [outer, message] : out.nested) {
    if (inner_of(outer) == 0) out.own.message(outer, message);
  }
  return std::move(out.own);
}

StatusOr<WireWriter> Writer::computation(const Computation& c) {
  WireWriter out;
  out.text(1, program_.names.at(&c));
  std::vector<InstructionId> order(c.size());
  for (InstructionId i = 0; i < c.size(); ++i) order[id_of(c, i) & UINT32_MAX] = i;
  for (const InstructionId i : order) {
    StatusOr<WireWriter> message = instruction(c, c.instruction(i));
    if (!message.ok()) return message.status().with_context(describe(c.instruction(i)));
    out.message(2, *message);
  }
  std::vector<std::string> parameter_names;
  for (int64_t n = 0; n < c.parameter_count(); ++n) parameter_names.push_back(text::plain_name(c.parameter(n).name));
  out.message(4, write_program_shape({c.parameter_shapes(), c.result_shape()}, parameter_names));
  out.integer(5, id_of(c));
  out.integer(6, id_of(c, c.root_id()));
  out.boolean(7, fused_.contains(&c));
  return out;
}

void Writer::find_fused() {
  for (const ComputationPtr& c : program_.order) {
    for (const Instruction& i : c->instructions()) {
      if (i.opcode != Opcode::kFusion) continue;
      for (const ComputationPtr& called : called_computations(i)) fused_.insert(called.get());
    }
  }
}

/// XLA derives the order of a scheduled program's computations from the ids of their instructions. These keep the
/// original order of the program, if operands come first in it.
void Writer::find_ranks() {
  for (const ComputationPtr& c : program_.order) {
    std::vector<InstructionId> order(c->size()), ranks(c->size());
    for (InstructionId i = 0; i < c->size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](InstructionId i) { return c->instruction(i).origin; });
    for (InstructionId k = 0; k < c->size(); ++k) ranks[order[k]] = k;
    const auto follows_operands = [&](const Instruction& i) {
      return std::ranges::all_of(i.operands, [&](InstructionId operand) { return ranks[operand] < ranks[i.id]; });
    };
    if (std::ranges::all_of(c->instructions(), follows_operands)) ranks_.emplace(c.get(), std::move(ranks));
  }
}

WireWriter Writer::schedule() const {
  WireWriter out;
  for (const ComputationPtr& c : program_.order) {
    if (fused_.contains(c.get())) continue;
    Int64List ids;
    for (const Instruction& i : c->instructions()) ids.push_back(id_of(*c, i.id));
    WireWriter sequence, entry;
    sequence.integers(1, ids);
    entry.integer(1, id_of(*c));
    entry.message(2, sequence);
    out.message(1, entry);
  }
  return out;
}

StatusOr<std::string> Writer::write() {
  program_ = text::program_order(module_, true);
  for (size_t i = 0; i < program_.order.size(); ++i) numbers_.emplace(program_.order[i].get(), i);
  find_fused();
  if (is_scheduled(module_)) find_ranks();
  WireWriter out;
  out.text(1, module_.name.empty() ? "module" : text::plain_name(module_.name));
  out.text(2, program_.names.at(module_.entry.get()));
  for (const ComputationPtr& c : program_.order) {
    HILO_ASSIGN_OR_RETURN(const WireWriter message, computation(*c));
    out.message(3, message);
  }
  HILO_RETURN_IF_ERROR(write_header(module_, out));
  out.integer(6, id_of(*module_.entry));
  if (is_scheduled(module_)) out.message(7, schedule());
  return std::move(out).take();
}

}  // namespace
}  // namespace proto

StatusOr<std::string> to_proto(const Module& module) try {
  return proto::Writer(module).write();
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::hlo
