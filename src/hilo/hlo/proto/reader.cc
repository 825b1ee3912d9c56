// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>

#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"
#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/proto/annotations.h"
#include "hilo/hlo/proto/fields.h"
#include "hilo/hlo/proto/header.h"
#include "hilo/hlo/proto/instruction_ids.h"
#include "hilo/hlo/proto/known_fields.h"
#include "hilo/hlo/proto/raw.h"
#include "hilo/hlo/proto/schedule.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/text/bounded.h"
#include "hilo/hlo/text/composite.h"
#include "hilo/hlo/text/frontend_fields.h"
#include "hilo/hlo/text/xla_forms.h"

namespace hilo::hlo {
namespace proto {
namespace {

/// A computation under construction.
struct Draft {
  explicit Draft(std::string name) : draft(std::move(name)) {}
  ComputationDraft draft;
  InstructionIds ids;
  text::BoundedSizes bounded;
};

/// The parts of an instruction that is being read.
struct Parts {
  Opcode opcode{};
  std::vector<InstructionId> operands;
  std::vector<Shape> operand_shapes;
  std::vector<ComputationPtr> called;
  std::shared_ptr<Attributes> attributes;
  AnnotationsPtr annotations;

  void clear() {
    operands.clear();
    operand_shapes.clear();
    called.clear();
    attributes.reset();
    annotations.reset();
  }
};

class Reader {
 public:
  StatusOr<Module> read(std::string_view bytes);

 private:
  Status read_computation(std::string_view bytes);
  Status read_instructions(const WireMessage& message, int64_t id, Draft& draft);
  Status read_instruction(const WireMessage& message, Draft& draft);
  Status read_parts(const WireMessage& message, const Draft& draft, Parts& parts);
  Status read_attributes(const WireMessage& message, Parts& parts);
  StatusOr<InstructionId> append(std::string_view shape_bytes, std::string_view name, Parts& parts, Draft& draft);
  Status restore_extension(InstructionId id, Parts& parts);
  StatusOr<AnnotationsPtr> annotations_of(const WireMessage& message, const Draft& draft);
  Status check_signature(const WireMessage& message, const Computation& computation);

  boost::unordered_flat_map<int64_t, ComputationPtr> computations_;
  boost::unordered_flat_map<std::string, ComputationPtr> by_name_;
  boost::unordered_flat_map<int64_t, uint32_t> first_origins_;  // by computation id, if there is a schedule
  Schedule schedule_;
  boost::unordered_flat_map<std::string, AnnotationsPtr> annotations_;  // by their bytes
  ShapeReader shapes_;
  std::string key_;  // of the annotations that are being read
  // One of each for all instructions, to reuse their memory.
  Parts parts_;                             // of the instruction that is being read
  WireMessage nested_{std::string_view()};  // nested in it
  std::vector<int64_t> numbers_;            // of the list that is being read
};

StatusOr<Opcode> read_opcode(const WireMessage& message) {
  HILO_ASSIGN_OR_RETURN(const std::string_view name, message.text(kOpcode));
  const std::optional<Opcode> opcode = opcode_from_name(name);
  if (opcode && !has_trait(*opcode, kExtension)) return *opcode;
  return unimplemented(fmt::format("unknown opcode {}", quote(name)));
}

Status read_comparison_order(const WireMessage& message, const Parts& parts) {
  if (parts.opcode != Opcode::kCompare) return ok_status();
  HILO_ASSIGN_OR_RETURN(const std::string_view word, message.text(kComparisonOrder));
  if (word.empty()) return ok_status();
  const std::optional<ComparisonType> type = comparison_type_of_order(word);
  if (!type) return invalid_argument(fmt::format("comparison_order: got {}, wanted PARTIAL or TOTAL", quote(word)));
  // XLA also writes the order of integers, which have only one
  const bool has_other = !parts.operand_shapes.empty() && is_floating(parts.operand_shapes[0].element_type());
  if (has_other) static_cast<CompareAttributes&>(*parts.attributes).type = *type;
  return ok_status();
}

/// Removes the type of a comparison if it follows from the operands; XLA always states it.
void drop_implied_comparison_type(const Parts& parts) {
  if (parts.opcode != Opcode::kCompare || parts.operand_shapes.empty()) return;
  auto& compare = static_cast<CompareAttributes&>(*parts.attributes);
  const ElementType type = parts.operand_shapes[0].element_type();
  const ComparisonType usual = is_floating(type) || is_complex(type) ? ComparisonType::kFloat
                               : is_signed_integer(type)             ? ComparisonType::kSigned
                                                                     : ComparisonType::kUnsigned;
  if (compare.type == usual) compare.type = ComparisonType::kDefault;
}

/// Stores the configuration of a custom call, which is part of its meaning.
void configure_custom_call(Parts& parts) {
  if (parts.opcode != Opcode::kCustomCall || parts.annotations == nullptr) return;
  if (parts.annotations->backend_config.empty()) return;
  auto rest = std::make_shared<Annotations>(*parts.annotations);
  static_cast<CustomCallAttributes&>(*parts.attributes).backend_config = std::exchange(rest->backend_config, {});
  parts.annotations = *rest == Annotations() ? nullptr : AnnotationsPtr(std::move(rest));
}

void tell_predicated(const Parts& parts) {
  if (parts.opcode != Opcode::kConditional || has_raw_attributes(parts.opcode) || parts.operand_shapes.empty()) return;
  static_cast<ConditionalAttributes&>(*parts.attributes).predicated =
      parts.operand_shapes[0] == Shape::scalar(ElementType::kPred);
}

Status Reader::read_attributes(const WireMessage& message, Parts& parts) {
  HILO_RETURN_IF_ERROR(check_all_known(message, parts.opcode));
  const OpDef& def = op_def(parts.opcode);
  if (def.attributes.make == nullptr) return ok_status();
  parts.attributes = def.attributes.make();
  InstructionMessage in{message, parts.called, nested_};
  if (has_raw_attributes(parts.opcode))
    return read_raw(parts.opcode, in, static_cast<RawAttributes&>(*parts.attributes));
  for (const auto& [field, place] : placed_fields(parts.opcode)) {
    if (place == nullptr)
      return unimplemented(fmt::format("attribute {} can't be represented in HloModuleProto", quote(field->name)));
    HILO_RETURN_IF_ERROR(read_field(*place, *field, in, *parts.attributes));
  }
  HILO_RETURN_IF_ERROR(read_comparison_order(message, parts));
  drop_implied_comparison_type(parts);
  tell_predicated(parts);
  return ok_status();
}

/// Moves frontend attributes of fields to those fields, and converts a composite call that represents an extension op
/// to that op.
Status Reader::restore_extension(InstructionId id, Parts& parts) {
  if (parts.annotations == nullptr) return ok_status();
  const std::string text = " " + parts.annotations->frontend_attributes;  // a position of 0 means none
  if (text.size() == 1) return ok_status();
  HILO_RETURN_IF_ERROR(text::read_frontend_fields(text::Cursor(text, "frontend_attributes"), 1, op_def(parts.opcode),
                                                  parts.attributes.get(), parts.annotations));
  if (parts.opcode != Opcode::kCall) return ok_status();
  std::vector<text::CallSite> calls;
  HILO_RETURN_IF_ERROR(text::restore_composite(text::Cursor(text, "frontend_attributes"), id, 1, parts.opcode,
                                               parts.attributes, parts.annotations, calls));
  for (const text::CallSite& call : calls) {
    const auto callee = by_name_.find(std::string(call.callee));
    if (callee == by_name_.end())
      return not_found(fmt::format("computation {} is not defined before its use", quote(call.callee)));
    text::fill(call, callee->second);
  }
  return ok_status();
}

StatusOr<AnnotationsPtr> Reader::annotations_of(const WireMessage& message, const Draft& draft) {
  static const FieldSet own = [] {
    FieldSet set;
    for (uint32_t number : annotation_fields()) set.set(number);
    return set;
  }();
  std::string& key = key_;
  key.clear();
  const bool any = (message.present() & own).any();
  for (const WireField& field : any ? message.fields() : std::span<const WireField>()) {
    if (!own[place_in_set(field.number)]) continue;
    if (field.type != WireType::kBytes) return wrong_type("HloInstructionProto", field, WireType::kBytes);
    for (uint64_t part : {uint64_t{field.number}, uint64_t{field.bytes.size()}})
      key.append(reinterpret_cast<const char*>(&part), sizeof part);
    key += field.bytes;
  }
  HILO_RETURN_IF_ERROR(message.read_integers(kPredecessors, numbers_));
  AnnotationsPtr shared;
  if (!key.empty()) {
    const auto [known, is_new] = annotations_.try_emplace(key);
    if (is_new) {
      HILO_ASSIGN_OR_RETURN(Annotations annotations, read_annotations(message));
      if (annotations != Annotations()) known->second = std::make_shared<const Annotations>(std::move(annotations));
    }
    shared = known->second;
  }
  if (numbers_.empty()) return shared;
  auto with_predecessors = shared == nullptr ? std::make_shared<Annotations>() : std::make_shared<Annotations>(*shared);
  for (int64_t id : numbers_) {
    const InstructionId predecessor = draft.ids.find(id);
    if (predecessor == kNoInstruction)
      return not_found(fmt::format("control predecessor {} is not defined before its use", id));
    with_predecessors->control_predecessors.push_back(draft.draft.instruction(predecessor).name);
  }
  return AnnotationsPtr(std::move(with_predecessors));
}

Status Reader::read_parts(const WireMessage& message, const Draft& draft, Parts& parts) {
  HILO_ASSIGN_OR_RETURN(parts.opcode, read_opcode(message));
  HILO_RETURN_IF_ERROR(message.read_integers(kOperands, numbers_));
  for (int64_t id : numbers_) {
    const InstructionId operand = draft.ids.find(id);
    if (operand == kNoInstruction) return not_found(fmt::format("operand {} is not defined before its use", id));
    parts.operands.push_back(operand);
    parts.operand_shapes.push_back(draft.draft.instruction(operand).shape);
  }
  HILO_RETURN_IF_ERROR(message.read_integers(kCalledIds, numbers_));
  for (int64_t id : numbers_) {
    const auto it = computations_.find(id);
    if (it == computations_.end()) return not_found(fmt::format("computation {} is not defined before its use", id));
    parts.called.push_back(it->second);
  }
  HILO_ASSIGN_OR_RETURN(parts.annotations, annotations_of(message, draft));
  HILO_RETURN_IF_ERROR(read_attributes(message, parts));
  configure_custom_call(parts);
  return restore_extension(draft.draft.size(), parts);
}

/// Appends the instruction, or its replacement by hilo's ops. The declared shape is its own.
StatusOr<InstructionId> Reader::append(std::string_view shape_bytes, std::string_view name, Parts& parts,
                                       Draft& draft) {
  HILO_ASSIGN_OR_RETURN(const Shape declared, shapes_.read(shape_bytes));
  const std::optional<Shape> stated_shape = declared;
  const text::StatedInstruction stated{parts.opcode, stated_shape, parts.operand_shapes, parts.attributes.get(),
                                       shapes_.was_bounded()};
  const bool bounded = draft.bounded.concerns(stated, parts.operands);
  if (bounded || text::has_xla_form(stated)) {
    const InstructionId first = draft.draft.size();
    HILO_ASSIGN_OR_RETURN(const InstructionId value, bounded
                                                         ? draft.bounded.append(stated, parts.operands, draft.draft)
                                                         : text::append_xla_form(stated, parts.operands, draft.draft));
    if (value >= first) draft.draft.mutable_instruction(value).name = name;
    return value;
  }
  HILO_ASSIGN_OR_RETURN(
      Shape shape, check_instruction(op_def(parts.opcode), parts.operand_shapes, parts.attributes.get(), declared));
  if (parts.opcode == Opcode::kCustomCall)
    take_result_layouts(shape, static_cast<CustomCallAttributes&>(*parts.attributes));
  return draft.draft.append(parts.opcode, shape, parts.operands, std::move(parts.attributes), std::string(name));
}

Status Reader::read_instruction(const WireMessage& message, Draft& draft) {
  HILO_ASSIGN_OR_RETURN(const std::string_view name, message.text(kName));
  HILO_ASSIGN_OR_RETURN(const int64_t id, message.integer(kId));
  HILO_ASSIGN_OR_RETURN(const std::string_view shape_bytes, message.text(kResultShape));
  Parts& parts = parts_;
  parts.clear();
  const Status status = read_parts(message, draft, parts);
  const InstructionId first = draft.draft.size();
  const StatusOr<InstructionId> at =
      status.ok() ? append(shape_bytes, name, parts, draft) : StatusOr<InstructionId>(status);
  if (!at.ok()) return at.status().with_context(fmt::format("instruction {}", quote(name)));
  if (*at >= first) draft.draft.mutable_instruction(*at).annotations = std::move(parts.annotations);
  if (draft.ids.insert(id, *at)) return ok_status();
  return invalid_argument(fmt::format("instruction {}: id {} appears twice", quote(name), id));
}

/// Numbers origins in the order of the ids, which a schedule permutes. Replacements of an instruction have its origin.
void number_origins(uint32_t first, std::vector<int64_t> ids, Draft& draft) {
  std::vector<uint32_t> origins(draft.draft.size(), first);
  std::ranges::sort(ids);
  for (int64_t id : ids) origins[draft.ids.find(id)] = first++;
  std::vector<bool> listed(origins.size());
  for (int64_t id : ids) listed[draft.ids.find(id)] = true;
  for (size_t at = origins.size(); at-- > 1;) {
    if (!listed[at - 1]) origins[at - 1] = origins[at];
  }
  for (InstructionId at = 0; at < draft.draft.size(); ++at) draft.draft.mutable_instruction(at).origin = origins[at];
}

Status Reader::read_instructions(const WireMessage& message, int64_t id, Draft& draft) {
  HILO_ASSIGN_OR_RETURN(std::vector<std::string_view> items, message.items(2));
  std::vector<int64_t> ids;  // if there is a schedule
  if (!schedule_.empty()) {
    HILO_ASSIGN_OR_RETURN(ids, instruction_ids(items));
    order_by_schedule(schedule_, id, items, ids);
  }
  draft.ids.reserve(items.size());
  WireMessage instruction("HloInstructionProto");
  for (std::string_view item : items) {
    HILO_RETURN_IF_ERROR(instruction.assign(item));
    HILO_RETURN_IF_ERROR(read_instruction(instruction, draft));
  }
  if (const auto first = first_origins_.find(id); first != first_origins_.end())
    number_origins(first->second, ids, draft);
  return ok_status();
}

Status Reader::check_signature(const WireMessage& message, const Computation& computation) {
  const WireField* const field = message.find(4);
  if (field == nullptr) return ok_status();
  HILO_ASSIGN_OR_RETURN(const ProgramShape stated, read_program_shape(field->bytes, shapes_));
  const std::vector<Shape> parameters = computation.parameter_shapes();
  const bool fits = stated.result.compatible(computation.result_shape()) &&
                    std::equal(stated.parameters.begin(), stated.parameters.end(), parameters.begin(), parameters.end(),
                               [](const Shape& a, const Shape& b) { return a.compatible(b); });
  return fits ? ok_status() : invalid_argument("program_shape doesn't fit the parameters and the root");
}

Status Reader::read_computation(std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(const WireMessage message, WireMessage::read(bytes, "HloComputationProto"));
  HILO_ASSIGN_OR_RETURN(const std::string_view name, message.text(1));
  HILO_ASSIGN_OR_RETURN(const int64_t id, message.integer(5));
  HILO_ASSIGN_OR_RETURN(const int64_t root, message.integer(6));
  const auto in_here = [&, name](const Status& status) {
    return status.with_context(fmt::format("computation {}", quote(name)));
  };
  Draft draft{std::string(name)};
  if (const Status status = read_instructions(message, id, draft); !status.ok()) return in_here(status);
  const InstructionId root_id = draft.ids.find(root);
  if (root_id == kNoInstruction) return in_here(not_found(fmt::format("root {} is not defined", root)));
  const StatusOr<InstructionId> whole = draft.bounded.zero_beyond(root_id, draft.draft);
  if (!whole.ok()) return in_here(whole.status());
  StatusOr<ComputationPtr> computation = std::move(draft.draft).finish(*whole);
  if (!computation.ok()) return in_here(computation.status());
  if (const Status status = check_signature(message, **computation); !status.ok()) return in_here(status);
  by_name_.emplace(name, *computation);
  if (computations_.emplace(id, *computation).second) return ok_status();
  return in_here(invalid_argument(fmt::format("id {} appears twice", id)));
}

/// Returns the HloModuleProto in an HloProto, or the bytes themselves. Both begin with field 1. In an HloProto this is
/// a message, whose first byte is a tag; in an HloModuleProto it is a name, without control characters.
StatusOr<std::string_view> module_bytes(std::string_view bytes) {
  if (bytes.empty()) return invalid_argument("HloModuleProto: no bytes");
  WireField first;
  HILO_RETURN_IF_ERROR(WireReader(bytes, "HloModuleProto").next(first));
  const bool wrapped = first.number == 1 && first.type == WireType::kBytes && !first.bytes.empty() &&
                       static_cast<unsigned char>(first.bytes[0]) < ' ';
  return wrapped ? first.bytes : bytes;
}

StatusOr<Module> Reader::read(std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(const std::string_view own, module_bytes(bytes));
  HILO_ASSIGN_OR_RETURN(const WireMessage message, WireMessage::read(own, "HloModuleProto"));
  HILO_ASSIGN_OR_RETURN(schedule_, read_schedule(message));
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> computations, message.items(3));
  HILO_ASSIGN_OR_RETURN(const int64_t entry, message.integer(6));
  if (!schedule_.empty()) {
    HILO_ASSIGN_OR_RETURN(first_origins_, first_origins(computations, entry));
  }
  for (std::string_view computation : computations) HILO_RETURN_IF_ERROR(read_computation(computation));
  const auto it = computations_.find(entry);
  if (it == computations_.end()) return not_found(fmt::format("HloModuleProto: entry {} is not defined", entry));
  Module module;
  module.entry = it->second;
  if (!schedule_.empty()) module.other_attributes.emplace_back("is_scheduled", "true");
  HILO_RETURN_IF_ERROR(read_header(message, module));
  HILO_RETURN_IF_ERROR(check_entry_facts(module));
  return module;
}

}  // namespace
}  // namespace proto

bool is_proto(std::string_view bytes) {
  // Text has no control characters except blanks; the first bytes of a message contain tags and lengths.
  constexpr size_t kLookAhead = 4096;
  const std::string_view begin = bytes.substr(0, kLookAhead);
  const bool control = std::ranges::any_of(begin, [](char c) {
    return static_cast<unsigned char>(c) < ' ' && std::string_view("\t\n\v\f\r").find(c) == std::string_view::npos;
  });
  if (!control || trimmed(begin).starts_with("HloModule")) return false;
  size_t position = 0;
  uint64_t tag = 0, length = 0;  // of the first field, which may end behind `bytes`
  if (!proto::take_varint(bytes, position, tag) || !proto::take_varint(bytes, position, length)) return false;
  const uint64_t number = tag >> 3;
  return number >= 1 && number <= 3 && static_cast<proto::WireType>(tag & 7) == proto::WireType::kBytes;
}

StatusOr<Module> from_proto(std::string_view bytes) try {
  const FloatingPointScope nearest;
  return proto::Reader().read(bytes);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::hlo
