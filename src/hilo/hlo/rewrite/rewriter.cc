// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/rewrite/rewriter.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "hilo/base/sizes.h"
#include "hilo/base/stop.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {
namespace {

constexpr size_t kOperandChunk = 4096;  // operand ids per allocation
constexpr size_t kHashedBytes = 512;    // of a literal; equality compares all bytes

uint64_t mix(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9fb21c651e98df25u;
  return h ^ (h >> 32);
}

/// The hash of a large constant samples both ends; otherwise every sweep would be linear in its bytes.
uint64_t literal_hash(const Literal& literal) {
  const std::span<const std::byte> bytes = literal.bytes();
  uint64_t h = mix(literal.shape().hash(), bytes.size());
  const auto add = [&h](std::span<const std::byte> part) {
    for (size_t i = 0; i < part.size(); i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, part.data() + i, std::min<size_t>(8, part.size() - i));
      h = mix(h, word);
    }
  };
  const size_t half = std::min(bytes.size(), kHashedBytes);
  add(bytes.first(half));
  add(bytes.last(half));
  return h;
}

bool literals_equal(const Literal& a, const Literal& b) {
  if (a.shape() != b.shape()) return false;
  return (!a.is_tuple() && a.bytes().data() == b.bytes().data()) || a.identical(b);
}

uint64_t attributes_hash(Opcode opcode, const AttributesPtr& attributes) {
  if (attributes == nullptr) return 0;
  if (opcode == Opcode::kConstant) return literal_hash(static_cast<const ConstantAttributes&>(*attributes).value);
  return fields_hash(op_def(opcode).attributes.fields, *attributes);
}

uint32_t node_hash(const RewriteNode& node) {
  uint64_t h = mix(ordinal(node.opcode), node.shape.hash());
  if (node.operands.size() == 2 && has_trait(node.opcode, kCommutative)) {
    const auto [low, high] = std::minmax(node.operands[0], node.operands[1]);
    h = mix(h, (uint64_t{low} << 32) | high);
  } else {
    for (InstructionId operand : node.operands) h = mix(h, operand);
  }
  h = mix(h, attributes_hash(node.opcode, node.attributes));
  return static_cast<uint32_t>(h ^ (h >> 32));
}

bool calls_effect(Opcode opcode, const AttributesPtr& attributes) {
  if (attributes == nullptr) return false;
  for (const AttributeField& f : op_def(opcode).attributes.fields) {
    if (f.kind == FieldKind::kComputation) {
      const auto& called = field_value<ComputationPtr>(f, *attributes);
      if (called != nullptr && called->has_effect()) return true;
    } else if (f.kind == FieldKind::kComputations) {
      for (const ComputationPtr& called : field_value<std::vector<ComputationPtr>>(f, *attributes)) {
        if (called->has_effect()) return true;
      }
    }
  }
  return false;
}

bool is_stop(const Status& status) {
  return status.code() == StatusCode::kCancelled || status.code() == StatusCode::kDeadlineExceeded;
}

}  // namespace

bool attributes_equal(Opcode opcode, const AttributesPtr& a, const AttributesPtr& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  if (opcode == Opcode::kConstant) {
    return literals_equal(static_cast<const ConstantAttributes&>(*a).value,
                          static_cast<const ConstantAttributes&>(*b).value);
  }
  return fields_equal(op_def(opcode).attributes.fields, *a, *b);
}

bool has_opcode(const Computation& c, Opcode opcode) {
  const std::span<const Instruction> all = c.instructions();
  return std::ranges::any_of(all, [opcode](const Instruction& i) { return i.opcode == opcode; });
}

bool is_pinned(Opcode opcode, const AttributesPtr& attributes) {
  return has_trait(opcode, kEffect | kBarrier) || calls_effect(opcode, attributes);
}

bool is_kept_when_unused(Opcode opcode, const AttributesPtr& attributes) {
  return opcode == Opcode::kParameter || has_trait(opcode, kEffect) || calls_effect(opcode, attributes);
}

RewriteBuilder::RewriteBuilder(ComputationPtr source, RewriteOptions options)
    : source_(std::move(source)), options_(options), map_(source_->size(), kNoInstruction) {
  if (!options_.share) return;
  size_t slots = 16;
  while (slots < 2 * size_t{source_->size()}) slots *= 2;
  table_.resize(slots);
}

InstructionId RewriteBuilder::copy(const Instruction& instruction) { return copy(instruction, instruction.attributes); }

InstructionId RewriteBuilder::copy(const Instruction& instruction, AttributesPtr attributes) {
  current_ = &instruction;
  scratch_.clear();
  for (InstructionId operand : instruction.operands) scratch_.push_back(map_[operand]);
  const InstructionId id = emit({instruction.opcode, instruction.shape, scratch_, std::move(attributes), &instruction});
  map_[instruction.id] = id;
  return id;
}

void RewriteBuilder::copy_all() {
  for (const Instruction& i : source_->instructions()) copy(i);
}

std::vector<InstructionId> RewriteBuilder::mapped(std::span<const InstructionId> old) const {
  std::vector<InstructionId> ids(old.size());
  std::transform(old.begin(), old.end(), ids.begin(), [this](InstructionId id) { return map_[id]; });
  return ids;
}

void RewriteBuilder::replace(InstructionId old, InstructionId id) {
  if (id == kNoInstruction) return;
  if (!shape(id).compatible(source_->instruction(old).shape)) {
    fail(internal_error(fmt::format("rewrite: {} in '{}' is replaced by a value of another shape; got {}, wanted {}",
                                    describe(source_->instruction(old)), source_->name(), shape(id).to_string(),
                                    source_->instruction(old).shape.to_string())));
    return;
  }
  map_[old] = id;
}

InstructionId RewriteBuilder::add(Opcode opcode, std::span<const InstructionId> operands, AttributesPtr attributes,
                                  const std::optional<Shape>& declared) {
  if (!status_.ok() && !is_stop(status_)) return kNoInstruction;
  std::vector<Shape> shapes;
  shapes.reserve(operands.size());
  for (InstructionId id : operands) {
    if (id >= size()) {
      fail(internal_error(
          fmt::format("rewrite: {} in '{}' takes a value that doesn't exist", opcode_name(opcode), source_->name())));
      return kNoInstruction;
    }
    shapes.push_back(shape(id));
  }
  StatusOr<Shape> result = check_instruction(op_def(opcode), shapes, attributes.get(), declared);
  if (!result.ok()) {
    fail(internal_error(
        fmt::format("rewrite: {} in '{}': {}", opcode_name(opcode), source_->name(), result.status().message())));
    return kNoInstruction;
  }
  return emit({opcode, *result, operands, std::move(attributes), current_});
}

InstructionId RewriteBuilder::constant(Literal value) {
  auto attributes = std::make_shared<ConstantAttributes>();
  attributes->value = std::move(value);
  const Shape shape = attributes->value.shape();
  return emit({Opcode::kConstant, shape, {}, std::move(attributes), current_});
}

InstructionId RewriteBuilder::tuple(std::span<const InstructionId> elements) { return add(Opcode::kTuple, elements); }

InstructionId RewriteBuilder::get_tuple_element(InstructionId tuple, int64_t index) {
  auto attributes = std::make_shared<GetTupleElementAttributes>();
  attributes->index = index;
  return add(Opcode::kGetTupleElement, {tuple}, std::move(attributes));
}

InstructionId RewriteBuilder::splat(const Shape& shape, Literal value) {
  const InstructionId scalar = constant(std::move(value));
  if (shape.is_scalar()) return scalar;
  return add(Opcode::kBroadcast, {scalar}, std::make_shared<BroadcastAttributes>(), shape);
}

InstructionId RewriteBuilder::splice(const ComputationPtr& callee, std::span<const InstructionId> arguments) {
  if (std::ssize(arguments) != callee->parameter_count()) {
    fail(internal_error(fmt::format("rewrite: '{}' takes {} arguments; got {}", callee->name(),
                                    callee->parameter_count(), arguments.size())));
    return kNoInstruction;
  }
  spliced_.push_back(callee);
  const Instruction* caller = current_;
  std::vector<InstructionId> map(callee->size(), kNoInstruction);
  for (size_t i = 0; i < arguments.size(); ++i) map[callee->parameters()[i]] = arguments[i];
  std::vector<InstructionId> operands;
  for (const Instruction& i : callee->instructions()) {
    if (i.opcode == Opcode::kParameter) continue;
    operands.clear();
    for (InstructionId operand : i.operands) operands.push_back(map[operand]);
    current_ = &i;
    map[i.id] = emit({i.opcode, i.shape, operands, i.attributes, &i});
  }
  current_ = caller;
  return map[callee->root_id()];
}

void RewriteBuilder::fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

InstructionId RewriteBuilder::emit(RewriteNode node) {
  // A running rule uses the ids of its additions. After a stop they are added without rules until the sweep ends.
  if (status_.ok() && stop_requested()) fail(stop_status());
  if (!status_.ok()) return is_stop(status_) ? append(node) : kNoInstruction;
  if (options_.rule != nullptr && depth_ < kMaxRuleDepth) {
    ++depth_;
    const InstructionId replacement = options_.rule(*this, node);
    --depth_;
    // A rule may drop a layout. Then the instruction stays, because the program determines the layouts of its results.
    if (replacement != kNoInstruction && shape(replacement) == node.shape) return replacement;
    if (!status_.ok()) return kNoInstruction;
  }
  if (!options_.share || is_pinned(node.opcode, node.attributes)) return append(node);
  return find_or_append(node);
}

InstructionId RewriteBuilder::append(const RewriteNode& node) {
  const size_t count = node.operands.size();
  if (operand_chunks_.empty() || chunk_used_ + count > chunk_size_) {
    chunk_size_ = std::max(count, kOperandChunk);
    chunk_used_ = 0;
    operand_chunks_.push_back(std::make_unique_for_overwrite<InstructionId[]>(chunk_size_));
  }
  InstructionId* operands = operand_chunks_.back().get() + chunk_used_;
  std::copy(node.operands.begin(), node.operands.end(), operands);
  chunk_used_ += count;
  nodes_.push_back(node);
  nodes_.back().operands = {operands, count};
  return size() - 1;
}

bool RewriteBuilder::equal(const RewriteNode& a, const RewriteNode& b) const {
  if (a.opcode != b.opcode || a.shape != b.shape || a.operands.size() != b.operands.size()) return false;
  const bool same_order = std::equal(a.operands.begin(), a.operands.end(), b.operands.begin());
  const bool swapped = !same_order && a.operands.size() == 2 && has_trait(a.opcode, kCommutative) &&
                       a.operands[0] == b.operands[1] && a.operands[1] == b.operands[0];
  return (same_order || swapped) && attributes_equal(a.opcode, a.attributes, b.attributes);
}

InstructionId RewriteBuilder::find_or_append(const RewriteNode& node) {
  if (2 * (table_used_ + 1) > table_.size()) grow_table();
  const uint32_t hash = node_hash(node);
  const size_t mask = table_.size() - 1;
  size_t slot = hash & mask;
  for (; table_[slot].id != kNoInstruction; slot = (slot + 1) & mask) {
    if (table_[slot].hash == hash && equal(nodes_[table_[slot].id], node)) return table_[slot].id;
  }
  const InstructionId id = append(node);
  table_[slot] = {hash, id};
  ++table_used_;
  return id;
}

void RewriteBuilder::grow_table() {
  std::vector<Slot> old(std::max<size_t>(16, 2 * table_.size()));
  old.swap(table_);
  const size_t mask = table_.size() - 1;
  for (const Slot& entry : old) {
    if (entry.id == kNoInstruction) continue;
    size_t slot = entry.hash & mask;
    while (table_[slot].id != kNoInstruction) slot = (slot + 1) & mask;
    table_[slot] = entry;
  }
}

std::vector<bool> RewriteBuilder::live_nodes(InstructionId root) const {
  std::vector<bool> live(nodes_.size());
  live[root] = true;
  for (size_t i = nodes_.size(); i-- > 0;) {
    const RewriteNode& node = nodes_[i];
    if (!live[i] && is_kept_when_unused(node.opcode, node.attributes)) live[i] = true;
    if (!live[i]) continue;
    for (InstructionId operand : node.operands) live[operand] = true;
  }
  return live;
}

/// Checks that node k is instruction k for every k. Dead nodes that a rule left shift the ids and are skipped.
bool RewriteBuilder::is_source(const std::vector<bool>& live, InstructionId root) const {
  std::vector<InstructionId> final_id(nodes_.size(), kNoInstruction);
  InstructionId next = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!live[i]) continue;
    if (next == source_->size()) return false;
    const Instruction& s = source_->instruction(next);
    const RewriteNode& n = nodes_[i];
    if (n.opcode != s.opcode || n.shape != s.shape || n.attributes != s.attributes ||
        n.operands.size() != s.operands.size())
      return false;
    for (size_t k = 0; k < s.operands.size(); ++k) {
      if (final_id[n.operands[k]] != s.operands[k]) return false;
    }
    final_id[i] = next++;
  }
  return next == source_->size() && final_id[root] == source_->root_id();
}

StatusOr<ComputationPtr> RewriteBuilder::finish(InstructionId root) {
  if (!status_.ok()) return status_;
  if (root >= size()) return internal_error(fmt::format("rewrite: '{}' has no root", source_->name()));
  const std::vector<bool> live = live_nodes(root);
  if (is_source(live, root)) return source_;
  ComputationDraft draft(source_->name());
  std::vector<InstructionId> final_id(nodes_.size(), kNoInstruction);
  std::vector<InstructionId> operands;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!live[i]) continue;
    const RewriteNode& node = nodes_[i];
    operands.clear();
    for (InstructionId operand : node.operands) operands.push_back(final_id[operand]);
    // An instruction that became another op is renamed after it.
    const bool keeps_name = node.from != nullptr && node.from->opcode == node.opcode;
    final_id[i] =
        draft.append(node.opcode, node.shape, operands, node.attributes, keeps_name ? node.from->name : std::string());
    if (node.from == nullptr) continue;
    Instruction& result = draft.mutable_instruction(final_id[i]);
    result.origin = node.from->origin;
    result.annotations = node.from->annotations;
  }
  return std::move(draft).finish(final_id[root]);
}

StatusOr<ComputationPtr> RewriteBuilder::finish() {
  if (!status_.ok()) return status_;
  return finish(mapped(source_->root_id()));
}

StatusOr<ComputationPtr> rewrite(const ComputationPtr& source, const RewriteOptions& options) {
  RewriteBuilder builder(source, options);
  builder.copy_all();
  return builder.finish();
}

}  // namespace hilo::hlo
