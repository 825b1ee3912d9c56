// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/computation.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ir/reducer_kind.h"

namespace hilo::hlo {
namespace {

constexpr size_t kChunkSize = 4096;  // operand ids per allocation

uint64_t mix(uint64_t h, uint64_t value, uint64_t multiplier) {
  h = (h ^ value) * multiplier;
  return h ^ (h >> 29);
}

Fingerprint fingerprint_of(std::span<const Instruction> instructions, InstructionId root) {
  Fingerprint f{instructions.size(), root};
  const auto add = [&f](uint64_t value) {
    f.low = mix(f.low, value, 0x9fb21c651e98df25u);
    f.high = mix(f.high, value ^ 0xa5a5a5a5a5a5a5a5u, 0xd6e8feb86659fd93u);
  };
  for (const Instruction& i : instructions) {
    add(ordinal(i.opcode));
    add(i.shape.hash());
    for (InstructionId operand : i.operands) add(operand + 1);
    if (i.attributes != nullptr) add(fields_hash(i.def().attributes.fields, *i.attributes));
  }
  return f;
}

/// Calls visit(computation) for each computation that an instruction calls, in field order.
template <typename Visit>
void for_each_called(const Instruction& instruction, const Visit& visit) {
  if (instruction.attributes == nullptr) return;
  for (const AttributeField& f : instruction.def().attributes.fields) {
    if (f.kind == FieldKind::kComputation) {
      const auto& computation = field_value<ComputationPtr>(f, *instruction.attributes);
      if (computation != nullptr) visit(computation);
    } else if (f.kind == FieldKind::kComputations) {
      for (const ComputationPtr& c : field_value<std::vector<ComputationPtr>>(f, *instruction.attributes)) visit(c);
    }
  }
}

bool computes_effect(std::span<const Instruction> instructions) {
  bool effect = false;
  for (const Instruction& i : instructions) {
    effect |= has_trait(i.opcode, kEffect);
    for_each_called(i, [&](const ComputationPtr& called) { effect |= called->has_effect(); });
  }
  return effect;
}

void make_names_unique(std::span<Instruction> instructions) {
  const bool all_generated = std::ranges::all_of(instructions, [](const Instruction& i) { return i.name.empty(); });
  boost::unordered_flat_set<std::string_view> used;  // views of the names, whose storage doesn't move
  if (!all_generated) used.reserve(instructions.size());
  for (Instruction& i : instructions) {
    if (i.name.empty()) i.name.append(opcode_name(i.opcode)).append(".").append(std::to_string(i.id));
    if (all_generated || used.insert(i.name).second) continue;  // generated names end in their id
    const std::string stem = i.name;
    for (InstructionId suffix = i.id; !used.insert(i.name).second; ++suffix)
      i.name = stem + "." + std::to_string(suffix);
  }
}

}  // namespace

Computation::~Computation() = default;

std::vector<Shape> Computation::parameter_shapes() const {
  std::vector<Shape> shapes;
  shapes.reserve(parameters_.size());
  for (InstructionId id : parameters_) shapes.push_back(instructions_[id].shape);
  return shapes;
}

ComputationDraft::ComputationDraft(std::string name) {
  // A computation whose last reference is dropped while another one is destroyed is queued and destroyed after it. The
  // queue is a linked list without its own memory: the pointer to the next one is stored in half of the fingerprint,
  // which is unused by then.
  const auto bury = [](Computation* dead) {
    thread_local Computation* waiting = nullptr;
    thread_local bool digging = false;
    dead->fingerprint_.low = reinterpret_cast<uintptr_t>(waiting);
    waiting = dead;
    if (digging) return;
    digging = true;
    while (waiting != nullptr) {
      const std::unique_ptr<Computation> next(waiting);
      waiting = reinterpret_cast<Computation*>(next->fingerprint_.low);
    }
    digging = false;
  };
  computation_ = std::shared_ptr<Computation>(new Computation, bury);
  computation_->name_ = std::move(name);
}
ComputationDraft::~ComputationDraft() = default;
ComputationDraft::ComputationDraft(ComputationDraft&&) noexcept = default;
ComputationDraft& ComputationDraft::operator=(ComputationDraft&&) noexcept = default;

InstructionId ComputationDraft::append(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                                       AttributesPtr attributes, std::string name) {
  if (chunk_ == nullptr || chunk_->size() + operands.size() > chunk_->capacity()) {
    chunk_ = &computation_->operand_chunks_.emplace_back();
    // The first chunk is small because most computations are short, such as reducers.
    chunk_->reserve(std::max(operands.size(), computation_->operand_chunks_.size() == 1 ? size_t{16} : kChunkSize));
  }
  const size_t begin = chunk_->size();
  chunk_->insert(chunk_->end(), operands.begin(), operands.end());
  const Shape own_shape = shape;  // a copy: `shape` may refer to an instruction of this list, and appending moves those
  const InstructionId id = size();
  Instruction& instruction = computation_->instructions_.emplace_back();
  instruction.opcode = opcode;
  instruction.shape = own_shape;
  instruction.id = id;
  instruction.operands = std::span<const InstructionId>(chunk_->data() + begin, operands.size());
  instruction.attributes = std::move(attributes);
  instruction.name = std::move(name);
  instruction.origin = id;
  return id;
}

InstructionId ComputationDraft::append_copy(const Instruction& from, std::span<const InstructionId> operands) {
  const InstructionId id = append(from.opcode, from.shape, operands, from.attributes, from.name);
  Instruction& copy = computation_->instructions_[id];
  copy.origin = from.origin;
  copy.annotations = from.annotations;
  return id;
}

Instruction& ComputationDraft::mutable_instruction(InstructionId id) { return computation_->instructions_[id]; }
const Instruction& ComputationDraft::instruction(InstructionId id) const { return computation_->instructions_[id]; }
std::span<const Instruction> ComputationDraft::instructions() const { return computation_->instructions_; }
InstructionId ComputationDraft::size() const { return computation_->size(); }
const std::string& ComputationDraft::name() const { return computation_->name_; }

StatusOr<ComputationPtr> ComputationDraft::finish(InstructionId root) && {
  Computation& c = *computation_;
  if (root >= c.size()) return invalid_argument("computation '" + c.name_ + "' has no instructions");
  c.root_ = root;
  c.parameters_.assign(c.instructions_.size(), kNoInstruction);
  size_t count = 0;
  for (const Instruction& i : c.instructions_) {
    if (i.opcode != Opcode::kParameter) continue;
    const int64_t number = parameter_number(i);
    if (number < 0 || number >= std::ssize(c.parameters_) || c.parameters_[number] != kNoInstruction) {
      return invalid_argument(
          "computation '" + c.name_ + "': parameter number " + std::to_string(number) +
          (number < 0 || number >= std::ssize(c.parameters_) ? " is out of range" : " is used twice"));
    }
    c.parameters_[number] = i.id;
    ++count;
  }
  c.parameters_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (c.parameters_[i] == kNoInstruction) {
      return invalid_argument("computation '" + c.name_ + "': parameter number " + std::to_string(i) + " is missing");
    }
  }
  make_names_unique(c.instructions_);
  c.fingerprint_ = fingerprint_of(c.instructions_, root);
  c.reducer_kind_ = reducer_kind_of(c);
  c.has_effect_ = computes_effect(c.instructions_);
  chunk_ = nullptr;
  return ComputationPtr(std::move(computation_));
}

std::vector<ComputationPtr> called_computations(const Instruction& instruction) {
  std::vector<ComputationPtr> called;
  for_each_called(instruction, [&](const ComputationPtr& computation) { called.push_back(computation); });
  return called;
}

AttributesPtr map_called_computations(const Instruction& instruction,
                                      const std::function<ComputationPtr(const ComputationPtr&)>& map) {
  if (called_computations(instruction).empty()) return instruction.attributes;
  std::shared_ptr<Attributes> copy = instruction.def().attributes.copy(*instruction.attributes);
  bool changed = false;
  const auto replace = [&](ComputationPtr& computation) {
    if (computation == nullptr) return;
    ComputationPtr mapped = map(computation);
    changed |= mapped != computation;
    computation = std::move(mapped);
  };
  for (const AttributeField& f : instruction.def().attributes.fields) {
    if (f.kind == FieldKind::kComputation) replace(field_value<ComputationPtr>(f, *copy));
    if (f.kind == FieldKind::kComputations) {
      for (ComputationPtr& c : field_value<std::vector<ComputationPtr>>(f, *copy)) replace(c);
    }
  }
  return changed ? copy : instruction.attributes;
}

std::vector<std::vector<InstructionId>> users_of(const Computation& computation) {
  std::vector<std::vector<InstructionId>> users(computation.size());
  for (const Instruction& i : computation.instructions()) {
    for (InstructionId operand : i.operands) {
      if (users[operand].empty() || users[operand].back() != i.id) users[operand].push_back(i.id);
    }
  }
  return users;
}

}  // namespace hilo::hlo
