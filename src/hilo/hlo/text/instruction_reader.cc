// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/instruction_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/text/attribute_reader.h"
#include "hilo/hlo/text/composite.h"
#include "hilo/hlo/text/frontend_fields.h"
#include "hilo/hlo/text/literals.h"

namespace hilo::hlo::text {
namespace {

/// XLA writes the asynchronous form of an op without opcodes of its own as call-start, call-update, call-done.
std::optional<Opcode> async_opcode(std::string_view name) {
  constexpr std::pair<std::string_view, Opcode> kForms[] = {
      {"-start", Opcode::kAsyncStart}, {"-update", Opcode::kAsyncUpdate}, {"-done", Opcode::kAsyncDone}};
  for (const auto& [ending, opcode] : kForms) {
    if (name.ends_with(ending) && opcode_from_name(name.substr(0, name.size() - ending.size()))) return opcode;
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(Cursor& cursor, SharedState& shared, ParsedComputation& computation)
      : cursor_(cursor), shared_(shared), computation_(computation) {}

  Status read_all() {
    while (!cursor_.at_end() && cursor_.peek() != '}') {
      Status status = read_one();
      if (!status.ok()) return undefined_.empty() ? status : explain_undefined();
    }
    return undefined_.empty() ? ok_status() : explain_undefined();
  }

 private:
  /// An operand whose definition has not been seen yet; in a correct program there is none.
  struct Undefined {
    InstructionId user;
    std::string_view name;
    size_t position;
  };

  Status read_one();
  Status read_name(size_t position, std::string_view& name, bool& root);
  Status read_operand_field(const AttributeField& field, const Shape* shape, std::string_view name,
                            Attributes& attributes);
  Status read_operands();
  Status read_operand();
  StatusOr<Opcode> read_opcode();
  Status check_control_predecessors(const Annotations& annotations, size_t position) const;
  Status explain_undefined() const;
  std::string find_cycle() const;
  std::string described(InstructionId id) const;
  std::vector<std::string_view> names() const;

  Cursor& cursor_;
  SharedState& shared_;
  ParsedComputation& computation_;
  boost::unordered_flat_map<std::string_view, InstructionId> ids_;
  std::vector<InstructionId> operands_;
  std::vector<Undefined> undefined_;
  std::string_view spelled_;  // the opcode as written, if that is not its name
};

Status Reader::read_name(size_t position, std::string_view& name, bool& root) {
  root = cursor_.accept_word("ROOT");
  if (root && cursor_.peek() == '=') {  // an instruction that is called ROOT
    cursor_.set_position(position);
    root = false;
  }
  HILO_ASSIGN_OR_RETURN(name, cursor_.name("an instruction"));
  HILO_RETURN_IF_ERROR(cursor_.expect('=', "after the name of an instruction"));
  if (root && computation_.root != kNoInstruction) {
    return cursor_.error(position,
                         fmt::format("second ROOT in computation '{}'; the first is '%{}' at {}", computation_.name,
                                     computation_.draft.instruction(computation_.root).name,
                                     cursor_.place(computation_.places[computation_.root].position)));
  }
  const auto [it, fresh] = ids_.emplace(name, computation_.draft.size());
  if (fresh) return ok_status();
  return cursor_.error(position, fmt::format("'%{}' already defined at {}", name,
                                             cursor_.place(computation_.places[it->second].position)));
}

StatusOr<Opcode> Reader::read_opcode() {
  const size_t position = cursor_.position();
  const std::string_view name = cursor_.identifier();
  if (name.empty()) return cursor_.unexpected("an opcode", "");
  spelled_ = {};
  if (const std::optional<Opcode> opcode = opcode_from_name(name)) return *opcode;
  if (const std::optional<Opcode> opcode = async_opcode(name); opcode && has_raw_attributes(*opcode)) {
    spelled_ = name;
    return *opcode;
  }
  std::array<std::string_view, kOpcodeCount> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = opcode_name(static_cast<Opcode>(i));
  return cursor_.error(StatusCode::kUnimplemented, position,
                       fmt::format("unknown opcode {}.{}", quote(name), did_you_mean(name, names)));
}

Status Reader::read_operand_field(const AttributeField& field, const Shape* shape, std::string_view name,
                                  Attributes& attributes) {
  if (field.kind == FieldKind::kInt64) {
    HILO_ASSIGN_OR_RETURN(field_value<int64_t>(field, attributes), cursor_.integer(field.name));
    return ok_status();
  }
  if (shape == nullptr) return cursor_.error(cursor_.position(), "a constant's shape must be stated");
  HILO_ASSIGN_OR_RETURN(field_value<Literal>(field, attributes), read_literal(cursor_, *shape, name));
  return ok_status();
}

Status Reader::read_operand() {
  std::optional<Shape> stated;
  if (cursor_.peek() != '%' && at_shape(cursor_)) {
    HILO_ASSIGN_OR_RETURN(stated, shared_.shapes.read(cursor_));
  }
  const size_t position = cursor_.position();
  HILO_ASSIGN_OR_RETURN(const std::string_view name, cursor_.name("an operand"));
  const InstructionId user = computation_.draft.size();
  const auto it = ids_.find(name);
  if (it == ids_.end() || it->second == user) {
    undefined_.push_back({user, name, position});
    operands_.push_back(kNoInstruction);
    return ok_status();
  }
  operands_.push_back(it->second);
  const Shape& shape = computation_.draft.instruction(it->second).shape;
  if (!stated || !computation_.places[it->second].shape_stated || stated->compatible(shape)) return ok_status();
  return cursor_.error(position,
                       fmt::format("operand '%{}' is {}, not {}", name, shape.to_string(), stated->to_string()));
}

Status Reader::read_operands() {
  if (cursor_.accept(')')) return ok_status();
  do {
    HILO_RETURN_IF_ERROR(read_operand());
  } while (cursor_.accept(','));
  return cursor_.expect(')', "after the operands");
}

Status Reader::read_one() {
  const size_t position = cursor_.position();
  std::string_view name;
  bool root = false;
  HILO_RETURN_IF_ERROR(read_name(position, name, root));
  std::optional<Shape> shape;
  if (at_shape(cursor_)) {
    HILO_ASSIGN_OR_RETURN(shape, shared_.shapes.read(cursor_));
  }
  HILO_ASSIGN_OR_RETURN(Opcode opcode, read_opcode());
  const OpDef& def = op_def(opcode);
  std::shared_ptr<Attributes> attributes = def.make_attributes == nullptr ? nullptr : def.make_attributes();
  if (!spelled_.empty()) static_cast<RawAttributes&>(*attributes).spelled = spelled_;
  HILO_RETURN_IF_ERROR(cursor_.expect('(', "after an opcode"));
  operands_.clear();
  if (!def.fields.empty() && def.fields[0].show == FieldShow::kAsOperand) {
    Status status = read_operand_field(def.fields[0], shape ? &*shape : nullptr, name, *attributes);
    if (status.ok()) status = cursor_.expect(')', fmt::format("after the {} of a {}", def.fields[0].name, def.name));
    if (!status.ok()) return status;
  } else {
    HILO_RETURN_IF_ERROR(read_operands());
  }
  const InstructionId id = computation_.draft.size();
  AttributeReader reader{cursor_, shared_, computation_.calls, id, def, attributes};
  HILO_RETURN_IF_ERROR(reader.read_all(position, name));
  AnnotationsPtr annotations = std::move(reader.annotations);
  if (annotations != nullptr && !annotations->control_predecessors.empty()) {
    HILO_RETURN_IF_ERROR(check_control_predecessors(*annotations, position));
  }
  HILO_RETURN_IF_ERROR(
      read_frontend_fields(cursor_, reader.frontend_attributes_position, def, attributes.get(), annotations));
  HILO_RETURN_IF_ERROR(restore_composite(cursor_, id, reader.frontend_attributes_position, opcode, attributes,
                                         annotations, computation_.calls));
  if (opcode == Opcode::kCustomCall && shape)
    take_result_layouts(*shape, static_cast<CustomCallAttributes&>(*attributes));
  computation_.draft.append(opcode, shape.value_or(Shape()), operands_, std::move(attributes), std::string(name));
  computation_.draft.mutable_instruction(id).annotations = std::move(annotations);
  computation_.places.push_back({position, shape.has_value()});
  if (root) computation_.root = id;
  return ok_status();
}

std::vector<std::string_view> Reader::names() const {
  std::vector<std::string_view> names;
  for (const Instruction& i : computation_.draft.instructions()) names.push_back(i.name);
  return names;
}

Status Reader::check_control_predecessors(const Annotations& annotations, size_t position) const {
  for (const std::string& name : annotations.control_predecessors) {
    const auto it = ids_.find(name);
    if (it != ids_.end() && it->second < computation_.draft.size()) continue;
    return cursor_.error(
        StatusCode::kNotFound, position,
        fmt::format("control predecessor '%{}' is not defined before.{}", name, name_hint(name, names())));
  }
  return ok_status();
}

std::string Reader::described(InstructionId id) const {
  if (id >= computation_.draft.size()) return {};
  const Instruction& i = computation_.draft.instruction(id);
  return fmt::format("{} '{}': ", opcode_name(i.opcode), i.name);
}

Status Reader::explain_undefined() const {
  const Undefined& first = undefined_.front();
  const auto it = ids_.find(first.name);
  if (it == ids_.end()) {
    return cursor_.error(StatusCode::kNotFound, first.position,
                         fmt::format("{}operand '%{}' is not defined.{}", described(first.user), first.name,
                                     name_hint(first.name, names())));
  }
  if (const std::string cycle = find_cycle(); !cycle.empty()) {
    return cursor_.error(StatusCode::kFailedPrecondition, first.position, cycle);
  }
  const size_t definition =
      it->second < computation_.places.size() ? computation_.places[it->second].position : first.position;
  return cursor_.error(StatusCode::kNotFound, first.position,
                       fmt::format("{}operand '%{}' is used before its definition at {}", described(first.user),
                                   first.name, cursor_.place(definition)));
}

/// "a -> b -> a" for the first instructions that need themselves, else "": one depth-first search, on an explicit
/// stack.
std::string Reader::find_cycle() const {
  const InstructionId size = computation_.draft.size();
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(size, Mark::kNew);
  struct Frame {
    InstructionId id;
    size_t operand = 0;    // next operand to visit
    size_t undefined = 0;  // next of undefined_ to look at
  };
  std::vector<Frame> stack;
  const auto first_use = [&](InstructionId user) {
    return static_cast<size_t>(std::lower_bound(undefined_.begin(), undefined_.end(), user,
                                                [](const Undefined& u, InstructionId id) { return u.user < id; }) -
                               undefined_.begin());
  };
  const auto next_needed = [&](Frame& frame) {
    const std::span<const InstructionId> operands = computation_.draft.instruction(frame.id).operands;
    while (frame.operand < operands.size()) {
      if (const InstructionId id = operands[frame.operand++]; id < size) return id;
    }
    while (frame.undefined < undefined_.size() && undefined_[frame.undefined].user == frame.id) {
      const auto it = ids_.find(undefined_[frame.undefined++].name);
      if (it != ids_.end() && it->second < size) return it->second;
    }
    return kNoInstruction;
  };
  for (const Undefined& use : undefined_) {
    if (use.user >= size || marks[use.user] != Mark::kNew) continue;
    stack.push_back({use.user, 0, first_use(use.user)});
    marks[use.user] = Mark::kOpen;
    while (!stack.empty()) {
      const InstructionId next = next_needed(stack.back());
      if (next == kNoInstruction) {
        marks[stack.back().id] = Mark::kDone;
        stack.pop_back();
      } else if (marks[next] == Mark::kOpen) {
        std::vector<std::string> names = {computation_.draft.instruction(next).name};
        auto from = std::find_if(stack.begin(), stack.end(), [&](const Frame& f) { return f.id == next; });
        for (++from; from != stack.end(); ++from) names.push_back(computation_.draft.instruction(from->id).name);
        return cycle_text(names);
      } else if (marks[next] == Mark::kNew) {
        marks[next] = Mark::kOpen;
        stack.push_back({next, 0, first_use(next)});
      }
    }
  }
  return {};
}

}  // namespace

Status read_instructions(Cursor& cursor, SharedState& shared, ParsedComputation& computation) {
  return Reader(cursor, shared, computation).read_all();
}

std::string cycle_text(std::span<const std::string> names) {
  constexpr size_t kMost = 20;  // names shown of a long cycle
  std::string text = "cycle: ";
  for (const std::string& name : names.first(std::min(names.size(), kMost))) text += name + " -> ";
  if (names.size() > kMost) text += "... -> ";
  return text + names.front();
}

std::string name_hint(std::string_view name, std::span<const std::string_view> names) {
  constexpr size_t kMost = 2000;  // names worth comparing for a hint
  const std::optional<std::string_view> nearest = nearest_name(name, names.first(std::min(names.size(), kMost)));
  return nearest ? fmt::format(" Hint: did you mean '%{}'?", *nearest) : std::string();
}

}  // namespace hilo::hlo::text
