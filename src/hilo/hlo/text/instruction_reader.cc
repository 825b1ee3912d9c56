// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/instruction_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hilo/base/text.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/text/attribute_reader.h"
#include "hilo/hlo/text/composite.h"
#include "hilo/hlo/text/frontend_fields.h"
#include "hilo/hlo/text/literals.h"

namespace hilo::hlo::text {
namespace {

/// Returns the opcode of call-start, call-update or call-done, XLA's forms for async ops without own opcodes.
std::optional<Opcode> async_opcode(std::string_view name) {
  constexpr std::pair<std::string_view, Opcode> kForms[] = {
      {"-start", Opcode::kAsyncStart}, {"-update", Opcode::kAsyncUpdate}, {"-done", Opcode::kAsyncDone}};
  for (const auto& [ending, opcode] : kForms) {
    if (name.ends_with(ending) && opcode_from_name(name.substr(0, name.size() - ending.size()))) return opcode;
  }
  return std::nullopt;
}

/// Returns the op of `slice-start`, whose attributes are those of the op. For call-start the attributes name a
/// computation instead.
std::optional<Opcode> wrapped_with_attributes(Opcode opcode, std::string_view spelled) {
  constexpr std::string_view kStart = "-start";
  if (opcode != Opcode::kAsyncStart || spelled.empty() || spelled == "call-start") return std::nullopt;
  const std::optional<Opcode> wrapped = opcode_from_name(spelled.substr(0, spelled.size() - kStart.size()));
  return wrapped && op_def(*wrapped).attributes.make != nullptr ? wrapped : std::nullopt;
}

class Reader {
 public:
  Reader(Cursor& cursor, SharedState& shared, ParsedComputation& computation, bool alone)
      : cursor_(cursor), shared_(shared), computation_(computation), alone_(alone) {}

  /// Reads the only instruction of a text; its name is optional.
  Status read_alone() {
    if (!at_shape(cursor_)) return read_one();
    return read_definition(cursor_.position(), "root", true).status();
  }

  Status read_all() {
    while (!cursor_.at_end() && cursor_.peek() != '}') {
      Status status = read_one();
      if (!status.ok()) return undefined_.empty() ? status : explain_undefined();
    }
    return undefined_.empty() ? ok_status() : explain_undefined();
  }

 private:
  /// An operand whose definition has not been read yet; a valid program has none.
  struct Undefined {
    InstructionId user;
    std::string_view name;
    size_t position;
  };

  /// An instruction that is being read.
  struct Open {
    size_t position = 0;
    std::string_view name;  ///< "" for an instruction written as an operand
    std::optional<Shape> shape = {};
    bool bounded = false;  ///< the shape has dimensions of bounded size
    Opcode opcode{};
    std::shared_ptr<Attributes> attributes = {};
    AnnotationsPtr annotations = {};
    size_t first_operand = 0;                 ///< its operands begin here in operands_ and extend to the end
    std::string_view spelled = {};            ///< the opcode as written, if that differs from its name
    std::optional<ConstantText> sparse = {};  ///< a constant that the text abbreviates
  };

  Status read_one();
  Status read_name(size_t position, std::string_view& name, bool& root);
  StatusOr<InstructionId> read_definition(size_t position, std::string_view name, bool has_attributes);
  Status read_attributes(Open& open, bool has_attributes);
  Status read_wrapped_attributes(Open& open, Opcode wrapped);
  Status read_operand_field(const AttributeField& field, Open& open);
  Status read_operands();
  Status read_operand();
  StatusOr<InstructionId> read_named_operand(std::string_view name, size_t position,
                                             const std::optional<Shape>& stated);
  StatusOr<InstructionId> read_element(std::string_view name, InstructionId tuple, size_t position);
  Status state_shape(InstructionId id, std::string_view name, size_t position, const Shape& stated);
  InstructionId add_parameter(const Shape& shape, std::string_view name, size_t position);
  Status read_opcode(Open& open);
  void spread(Open& open);
  InstructionId append(Open&& open);
  std::span<const InstructionId> operands_of(const Open& open) const {
    return std::span(operands_).subspan(open.first_operand);
  }
  Status check_control_predecessors(const Annotations& annotations, size_t position) const;
  Status explain_undefined();
  std::string find_cycle() const;
  std::string described(InstructionId id) const;
  std::vector<std::string_view> names() const;

  Cursor& cursor_;
  SharedState& shared_;
  ParsedComputation& computation_;
  bool alone_;                                                      // the text is a single instruction
  boost::unordered_flat_map<std::string_view, InstructionId> ids_;  // kNoInstruction: is being read
  boost::unordered_flat_map<std::pair<InstructionId, int64_t>, InstructionId> elements_;  // tuple elements, by `%x#1`
  std::vector<InstructionId> operands_;  // of all open instructions, outermost first
  std::vector<Undefined> undefined_;
};

Status Reader::read_name(size_t position, std::string_view& name, bool& root) {
  root = cursor_.accept_word("ROOT");
  if (root && cursor_.peek() == '=') {  // an instruction whose name is ROOT
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
  const auto [it, fresh] = ids_.emplace(name, kNoInstruction);
  if (fresh) return ok_status();
  return cursor_.error(position, fmt::format("'%{}' already defined at {}", name,
                                             cursor_.place(computation_.places[it->second].position)));
}

Status Reader::read_opcode(Open& open) {
  const size_t position = cursor_.position();
  const std::string_view name = cursor_.identifier();
  if (name.empty()) return cursor_.unexpected("an opcode", "");
  std::optional<Opcode> opcode = opcode_from_name(name);
  if (!opcode) {
    opcode = async_opcode(name);
    if (opcode && has_raw_attributes(*opcode)) open.spelled = name;
    else opcode.reset();
  }
  if (!opcode) {
    std::array<std::string_view, kOpcodeCount> names;
    for (size_t i = 0; i < names.size(); ++i) names[i] = opcode_name(static_cast<Opcode>(i));
    return cursor_.error(StatusCode::kUnimplemented, position,
                         fmt::format("unknown opcode {}.{}", quote(name), did_you_mean(name, names)));
  }
  open.opcode = *opcode;
  const OpDef& def = op_def(open.opcode);
  if (def.attributes.make != nullptr) open.attributes = def.attributes.make();
  if (!open.spelled.empty()) static_cast<RawAttributes&>(*open.attributes).spelled = open.spelled;
  return cursor_.expect('(', "after an opcode");
}

Status Reader::read_operand_field(const AttributeField& field, Open& open) {
  if (field.kind == FieldKind::kInt64) {
    HILO_ASSIGN_OR_RETURN(field_value<int64_t>(field, *open.attributes), cursor_.integer(field.name));
  } else if (!open.shape) {
    return cursor_.error(cursor_.position(), "a constant's shape must be stated");
  } else {
    HILO_ASSIGN_OR_RETURN(ConstantText text, read_constant(cursor_, *open.shape, open.name));
    if (text.kind == ConstantText::Kind::kWhole) field_value<Literal>(field, *open.attributes) = std::move(text.value);
    else open.sparse = std::move(text);
  }
  return cursor_.expect(')', fmt::format("after the {} of a {}", field.name, opcode_name(open.opcode)));
}

/// Returns the id of a named operand; kNoInstruction if the name isn't defined yet.
StatusOr<InstructionId> Reader::read_named_operand(std::string_view name, size_t position,
                                                   const std::optional<Shape>& stated) {
  const auto it = ids_.find(name);
  if (it == ids_.end() && alone_) {
    if (stated) return add_parameter(*stated, name, position);
    return cursor_.error(position, fmt::format("operand '%{}' of a single instruction has no shape", name));
  }
  if (it == ids_.end() || it->second == kNoInstruction) {
    undefined_.push_back({kNoInstruction, name, position});
    return kNoInstruction;
  }
  return it->second;
}

InstructionId Reader::add_parameter(const Shape& shape, std::string_view name, size_t position) {
  auto attributes = std::make_shared<ParameterAttributes>();
  attributes->number = std::ranges::count(computation_.draft.instructions(), Opcode::kParameter, &Instruction::opcode);
  const std::string own = name.empty() ? fmt::format("_{}", attributes->number) : std::string(name);
  computation_.places.push_back({position, true});
  const InstructionId id = computation_.draft.append(Opcode::kParameter, shape, {}, std::move(attributes), own);
  if (!name.empty()) ids_.insert_or_assign(name, id);
  return id;
}

/// `#1` after the name of a tuple: the get-tuple-element that XLA names `NAME_1`, one for all uses.
StatusOr<InstructionId> Reader::read_element(std::string_view name, InstructionId tuple, size_t position) {
  HILO_ASSIGN_OR_RETURN(const int64_t index, cursor_.integer("the index of an element"));
  if (tuple == kNoInstruction) return tuple;
  const auto [it, fresh] = elements_.emplace(std::pair(tuple, index), computation_.draft.size());
  if (!fresh) return it->second;
  auto attributes = std::make_shared<GetTupleElementAttributes>();
  attributes->index = index;
  computation_.places.push_back({position, false});
  const InstructionId operands[] = {tuple};
  return computation_.draft.append(Opcode::kGetTupleElement, Shape(), operands, std::move(attributes),
                                   fmt::format("{}_{}", name, index));
}

/// Checks an operand's stated shape. An element without a shape gets it, for its shape rule to check.
Status Reader::state_shape(InstructionId id, std::string_view name, size_t position, const Shape& stated) {
  Instruction& operand = computation_.draft.mutable_instruction(id);
  bool& known = computation_.places[id].shape_stated;
  if (known && !stated.compatible(operand.shape)) {
    return cursor_.error(
        position, fmt::format("operand '%{}' is {}, not {}", name, operand.shape.to_string(), stated.to_string()));
  }
  if (!known && operand.opcode == Opcode::kGetTupleElement) {
    operand.shape = stated;
    known = true;
  }
  return ok_status();
}

/// `%x`, `f32[2] x`, an element of a tuple, `%x#1`, or an instruction: `f32[2] negate(x)`.
Status Reader::read_operand() {
  const size_t begin = cursor_.position();
  std::optional<Shape> stated;
  if (cursor_.peek() != '%' && at_shape(cursor_)) {
    HILO_ASSIGN_OR_RETURN(stated, shared_.shapes.read(cursor_));
  }
  const char next = cursor_.peek();
  if (stated && (next == ',' || next == ')')) {  // XLA ignores a shape without a name
    if (alone_) operands_.push_back(add_parameter(*stated, "", begin));
    return ok_status();
  }
  const size_t position = cursor_.position();
  HILO_ASSIGN_OR_RETURN(const std::string_view name, cursor_.name("an operand"));
  if (next != '%' && cursor_.peek() == '(') {
    cursor_.set_position(begin);
    HILO_ASSIGN_OR_RETURN(const InstructionId id, read_definition(begin, {}, false));
    operands_.push_back(id);
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(InstructionId id,
                        read_named_operand(name, position, cursor_.peek() == '#' ? std::nullopt : stated));
  std::string path(name);
  while (cursor_.accept('#')) {
    HILO_ASSIGN_OR_RETURN(id, read_element(path, id, position));
    if (id != kNoInstruction) path = computation_.draft.instruction(id).name;
  }
  if (stated && id != kNoInstruction) HILO_RETURN_IF_ERROR(state_shape(id, path, position, *stated));
  operands_.push_back(id);
  return ok_status();
}

Status Reader::read_operands() {
  if (cursor_.accept(')')) return ok_status();
  do {
    HILO_RETURN_IF_ERROR(read_operand());
  } while (cursor_.accept(','));
  return cursor_.expect(')', "after the operands");
}

Status Reader::read_attributes(Open& open, bool has_attributes) {
  const InstructionId id = computation_.draft.size();
  const OpDef& def = op_def(open.opcode);
  AttributeReader reader{cursor_, shared_, computation_.calls, id, def, open.attributes};
  if (!has_attributes) return reader.check_complete(open.position, open.name);
  HILO_RETURN_IF_ERROR(reader.read_all(open.position, open.name));
  open.annotations = std::move(reader.annotations);
  if (open.annotations != nullptr && !open.annotations->control_predecessors.empty()) {
    HILO_RETURN_IF_ERROR(check_control_predecessors(*open.annotations, open.position));
  }
  HILO_RETURN_IF_ERROR(
      read_frontend_fields(cursor_, reader.frontend_attributes_position, def, open.attributes.get(), open.annotations));
  return restore_composite(cursor_, id, reader.frontend_attributes_position, open.opcode, open.attributes,
                           open.annotations, computation_.calls);
}

/// Reads `slice-start(x), slice={[0:2]}` as an async-start of a computation that contains the slice.
Status Reader::read_wrapped_attributes(Open& open, Opcode wrapped) {
  const bool stated = open.shape && open.shape->is_tuple() && open.shape->tuple_size() >= 2 &&
                      open.shape->tuple_element(0).is_tuple() &&
                      open.shape->tuple_element(0).tuple_size() == std::ssize(operands_of(open));
  if (!stated) {
    return cursor_.error(open.position, fmt::format("{} '{}': the result must be stated as ((operands), result, ...)",
                                                    open.spelled, open.name));
  }
  ParsedComputation c("async_wrapped");
  c.position = open.position;
  std::vector<InstructionId> operands;
  for (const Shape& shape : open.shape->tuple_element(0).tuple_elements()) {
    auto parameter = std::make_shared<ParameterAttributes>();
    parameter->number = std::ssize(operands);
    operands.push_back(c.draft.append(Opcode::kParameter, shape, {}, std::move(parameter)));
    c.places.push_back({open.position, true});
  }
  const OpDef& def = op_def(wrapped);
  auto& start = static_cast<RawAttributes&>(*open.attributes);
  AttributeReader reader{cursor_, shared_, c.calls, c.draft.size(), def, def.attributes.make()};
  reader.of_start = &start.raw;
  HILO_RETURN_IF_ERROR(reader.read_all(open.position, open.name));
  open.annotations = reader.annotations;
  HILO_RETURN_IF_ERROR(read_frontend_fields(cursor_, reader.frontend_attributes_position, def, reader.attributes.get(),
                                            reader.annotations));
  c.root = c.draft.append(wrapped, open.shape->tuple_element(1), operands, std::move(reader.attributes));
  c.places.push_back({open.position, true});
  shared_.inlined.push_back(std::move(c));
  const auto called = std::ranges::find(raw_fields(), FieldKind::kComputations, &AttributeField::kind);
  computation_.calls.push_back({computation_.draft.size(),
                                open.attributes,
                                &*called,
                                start.called.size(),
                                {},
                                open.position,
                                shared_.inlined.size() - 1});
  start.called.emplace_back();
  start.called_names.emplace_back("calls");
  start.spelled.clear();
  return ok_status();
}

/// Replaces a constant of one value and zeros, or of zeros, by instructions, so that it needs no memory here.
void Reader::spread(Open& open) {
  const auto constant = [&](Literal value) {
    auto attributes = std::make_shared<ConstantAttributes>();
    attributes->value = std::move(value);
    const Shape scalar = attributes->value.shape();
    computation_.places.push_back({open.position, true});
    return computation_.draft.append(Opcode::kConstant, scalar, {}, std::move(attributes));
  };
  const Shape& shape = *open.shape;
  const InstructionId zero = constant(Literal(Shape::scalar(shape.element_type())));
  if (open.sparse->kind == ConstantText::Kind::kZeros) {
    open.opcode = Opcode::kBroadcast;
    open.attributes = std::make_shared<BroadcastAttributes>();
    operands_.push_back(zero);
    return;
  }
  const std::vector<int64_t> ones(shape.dimensions().size(), 1);
  const InstructionId value[] = {constant(std::move(open.sparse->value))};
  computation_.places.push_back({open.position, true});
  const InstructionId first = computation_.draft.append(Opcode::kReshape, shape.with_dimensions(ones), value);
  auto pad = std::make_shared<PadAttributes>();
  for (int64_t size : shape.dimensions()) pad->padding.push_back({0, size - 1, 0});
  open.opcode = Opcode::kPad;
  open.attributes = std::move(pad);
  operands_.insert(operands_.end(), {first, zero});
}

InstructionId Reader::append(Open&& open) {
  if (open.opcode == Opcode::kCustomCall && open.shape)
    take_result_layouts(*open.shape, static_cast<CustomCallAttributes&>(*open.attributes));
  const InstructionId id = computation_.draft.append(open.opcode, open.shape.value_or(Shape()), operands_of(open),
                                                     std::move(open.attributes), std::string(open.name));
  computation_.draft.mutable_instruction(id).annotations = std::move(open.annotations);
  computation_.places.push_back({open.position, open.shape.has_value(), open.bounded});
  operands_.resize(open.first_operand);
  return id;
}

/// Reads what follows the name: `shape opcode(operands), key=value, ...`.
StatusOr<InstructionId> Reader::read_definition(size_t position, std::string_view name, bool has_attributes) {
  const NestedScope scope(shared_);
  HILO_RETURN_IF_ERROR(scope.check(cursor_));
  Open open{.position = position, .name = name, .first_operand = operands_.size()};
  if (at_shape(cursor_)) {
    HILO_ASSIGN_OR_RETURN(open.shape, shared_.shapes.read(cursor_));
    open.bounded = shared_.shapes.was_bounded();
  }
  HILO_RETURN_IF_ERROR(read_opcode(open));
  const size_t first_undefined = undefined_.size();
  const std::span<const AttributeField> fields = op_def(open.opcode).attributes.fields;
  const bool has_value = !fields.empty() && fields[0].show == FieldShow::kAsOperand;
  HILO_RETURN_IF_ERROR(has_value ? read_operand_field(fields[0], open) : read_operands());
  const std::optional<Opcode> wrapped = wrapped_with_attributes(open.opcode, open.spelled);
  HILO_RETURN_IF_ERROR(wrapped ? read_wrapped_attributes(open, *wrapped) : read_attributes(open, has_attributes));
  if (open.sparse) spread(open);
  const InstructionId id = append(std::move(open));
  for (size_t k = first_undefined; k < undefined_.size(); ++k) {
    if (undefined_[k].user == kNoInstruction) undefined_[k].user = id;
  }
  return id;
}

Status Reader::read_one() {
  const size_t position = cursor_.position();
  std::string_view name;
  bool root = false;
  HILO_RETURN_IF_ERROR(read_name(position, name, root));
  HILO_ASSIGN_OR_RETURN(const InstructionId id, read_definition(position, name, true));
  ids_.insert_or_assign(name, id);
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
    if (it != ids_.end() && it->second != kNoInstruction) continue;
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

Status Reader::explain_undefined() {
  const Undefined first = *std::ranges::min_element(undefined_, {}, &Undefined::position);
  std::ranges::stable_sort(undefined_, {}, &Undefined::user);
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

/// Returns "a -> b -> a" for the first cyclic instructions, else "". A depth-first search on an explicit stack.
std::string Reader::find_cycle() const {
  const InstructionId size = computation_.draft.size();
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(size, Mark::kNew);
  struct Frame {
    InstructionId id;
    size_t operand = 0;    // next operand to visit
    size_t undefined = 0;  // next entry of undefined_ to visit
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
        auto from = std::ranges::find_if(stack, [&](const Frame& f) { return f.id == next; });
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
  return Reader(cursor, shared, computation, false).read_all();
}

Status read_instruction_alone(Cursor& cursor, SharedState& shared, ParsedComputation& computation) {
  return Reader(cursor, shared, computation, true).read_alone();
}

std::string cycle_text(std::span<const std::string> names) {
  constexpr size_t kMax = 20;  // names shown of a long cycle
  std::string text = "cycle: ";
  for (const std::string& name : names.first(std::min(names.size(), kMax))) text += name + " -> ";
  if (names.size() > kMax) text += "... -> ";
  return text + names.front();
}

std::string name_hint(std::string_view name, std::span<const std::string_view> names) {
  constexpr size_t kMax = 2000;  // names compared for a hint
  const std::optional<std::string_view> nearest = nearest_name(name, names.first(std::min(names.size(), kMax)));
  return nearest ? fmt::format(" Hint: did you mean '%{}'?", *nearest) : std::string();
}

}  // namespace hilo::hlo::text
