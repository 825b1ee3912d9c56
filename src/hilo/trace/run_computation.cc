// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/not_yet.h"
#include "hilo/trace/annotations.h"
#include "hilo/trace/trace.h"

namespace hilo {
namespace {

using Leaves = std::vector<Array>;

int64_t leaf_count(const Shape& shape) { return shape.is_tuple() ? std::ssize(shape.leaves()) : 1; }

/// Returns the first leaf of tuple element `index`.
int64_t leaf_offset(const Shape& tuple, int64_t index) {
  int64_t offset = 0;
  for (int64_t i = 0; i < index; ++i) offset += leaf_count(tuple.tuple_element(i));
  return offset;
}

/// Returns `branch` as a function of all branches' operands, of which it uses its own slice.
hlo::ComputationPtr over_all_operands(const hlo::ComputationPtr& branch, std::span<const Shape> all, size_t begin) {
  hlo::Builder builder(branch->name() + ".over_all");
  builder.set_annotations(annotations_here());
  const hlo::InstructionId parameter = builder.parameter(pack_shapes(all));
  const std::vector<hlo::InstructionId> leaves = unpack(builder, parameter);
  const Shape& own = branch->parameter(0).shape;
  const auto slice = std::span(leaves).subspan(begin, leaf_count(own));
  auto attributes = std::make_shared<hlo::CallAttributes>();
  attributes->to_apply = branch;
  const hlo::InstructionId argument = own.is_tuple() ? builder.tuple(slice) : slice[0];
  const hlo::InstructionId call = or_throw(builder.add(hlo::Opcode::kCall, {argument}, attributes));
  return or_throw(std::move(builder).build(call));
}

/// Merges the operands of all branches into one list, which bind requires; loaded programs may have separate operands
/// for each branch.
void share_branch_operands(const hlo::Instruction& instruction, std::span<const Leaves> values, Operation& operation) {
  const auto& attributes = hlo::attributes_of<hlo::ConditionalAttributes>(instruction);
  bool same = true;
  for (hlo::InstructionId id : instruction.operands.subspan(1)) same = same && id == instruction.operands[1];
  operation.operands = values[instruction.operands[0]];
  if (same) {
    for (const Array& a : values[instruction.operands[1]]) operation.operands.push_back(a);
    return;
  }
  std::vector<Shape> all;
  std::vector<size_t> begins;
  for (hlo::InstructionId id : instruction.operands.subspan(1)) {
    begins.push_back(all.size());
    for (const Array& a : values[id]) {
      operation.operands.push_back(a);
      all.push_back(a.aval_shape());
    }
  }
  auto shared = std::make_shared<hlo::ConditionalAttributes>(attributes);
  for (size_t i = 0; i < shared->branches.size(); ++i) {
    shared->branches[i] = over_all_operands(shared->branches[i], all, begins[i]);
  }
  operation.attributes = std::move(shared);
}

/// Whether the op has several results, some of which don't follow from the operands.
bool declares_its_tuple(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kRngBitGenerator || hlo::has_raw_attributes(opcode) || hlo::is_collective(opcode);
}

/// Whether the op represents others (fusion, async pairs, bitcast, ...). It is traced as those, so that transformations
/// only see ops with rules.
bool represents_other_ops(const hlo::OpDef& def) {
  return def.decompose != nullptr && (def.traits & hlo::kExtension) == 0;
}

/// Traces the computation that an instruction calls in its place. The number of instructions is limited, because bodies
/// that run the previous one twice grow exponentially.
Leaves run_in_place(const hlo::Computation& called, std::span<const Array> operands) {
  constexpr int64_t kMaxTraced = 1 << 20;  // traced instructions per instruction of the program
  thread_local int depth = 0;
  thread_local int64_t traced = 0;
  if (depth == 0) traced = 0;
  traced += called.size();
  if (traced > kMaxTraced)
    throw Error(resource_exhausted(fmt::format(
        "'{}': too many instructions where computations are traced in their callers' place; wanted at most {}",
        called.name(), kMaxTraced)));
  struct Inside {
    Inside() { ++depth; }
    ~Inside() { --depth; }
  } inside;
  return run_computation(called, operands);
}

bool takes_tuples(const hlo::Computation& callee) {
  return std::ranges::any_of(callee.parameters(),
                             [&](hlo::InstructionId id) { return callee.instruction(id).shape.is_tuple(); });
}

Leaves run_decomposed(const hlo::Computation& computation, const hlo::Instruction& instruction,
                      std::span<const Leaves> values) {
  const InstructionLocation here(user_line(instruction));
  const InstructionNames names(instruction);
  std::vector<Shape> shapes;
  Leaves operands;
  for (hlo::InstructionId id : instruction.operands) {
    shapes.push_back(computation.instruction(id).shape);
    operands.insert(operands.end(), values[id].begin(), values[id].end());
  }
  const hlo::ComputationPtr body = or_throw(instruction.def().decompose(instruction, shapes));
  if (instruction.opcode != hlo::Opcode::kFusion || takes_tuples(*body)) return run_in_place(*body, operands);
  auto call = std::make_shared<hlo::CallAttributes>();  // the callee is used unchanged and traced once
  call->to_apply = body;
  return bind({hlo::Opcode::kCall, std::move(operands), std::move(call), std::nullopt});
}

/// Whether the callee has tuple parameters, which bind doesn't support; such calls are traced in place.
bool calls_with_tuples(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::kCall &&
         takes_tuples(*hlo::attributes_of<hlo::CallAttributes>(instruction).to_apply);
}

Leaves run_instruction(const hlo::Instruction& instruction, std::span<const Leaves> values) {
  if (instruction.opcode == hlo::Opcode::kTuple) {
    Leaves leaves;
    for (hlo::InstructionId id : instruction.operands)
      leaves.insert(leaves.end(), values[id].begin(), values[id].end());
    return leaves;
  }
  Operation operation{instruction.opcode, {}, instruction.attributes, std::nullopt};
  if (instruction.shape.is_array() || declares_its_tuple(instruction.opcode))
    operation.declared = instruction.shape.with_default_layout();
  if (instruction.opcode == hlo::Opcode::kConditional) {
    share_branch_operands(instruction, values, operation);
  } else {
    for (hlo::InstructionId id : instruction.operands) {
      operation.operands.insert(operation.operands.end(), values[id].begin(), values[id].end());
    }
  }
  if (calls_with_tuples(instruction))
    return run_in_place(*hlo::attributes_of<hlo::CallAttributes>(instruction).to_apply, operation.operands);
  const InstructionLocation here(user_line(instruction));
  const InstructionNames names(instruction);
  return bind(operation);
}

std::vector<hlo::InstructionId> last_users(const hlo::Computation& computation) {
  std::vector<hlo::InstructionId> last(computation.size());
  for (const hlo::Instruction& i : computation.instructions()) {
    last[i.id] = i.id;
    for (hlo::InstructionId operand : i.operands) last[operand] = i.id;
  }
  last[computation.root_id()] = hlo::kNoInstruction;
  return last;
}

}  // namespace

SourceLine user_line(const hlo::Instruction& instruction) {
  if (instruction.annotations == nullptr) return {};
  return {instruction.annotations->source_file.c_str(), instruction.annotations->source_line};
}

hlo::AnnotationsPtr annotations_here() {
  const SourceLine here = UserLocation::current();
  const std::string& names = NamedScope::current();
  if (here.line == 0 && names.empty()) return nullptr;
  auto annotations = std::make_shared<hlo::Annotations>();
  annotations->op_name = names;
  if (here.line == 0) return annotations;
  const std::string place = describe_location(here);
  annotations->source_file = place.substr(0, place.rfind(':'));
  annotations->source_line = here.line;
  return annotations;
}

std::vector<Array> run_computation(const hlo::Computation& computation, std::span<const Array> arguments) {
  std::vector<Leaves> values(computation.size());
  size_t next = 0;
  for (hlo::InstructionId id : computation.parameters()) {
    const size_t count = leaf_count(computation.instruction(id).shape);
    values[id].assign(arguments.begin() + next, arguments.begin() + next + count);
    next += count;
  }
  const std::vector<hlo::InstructionId> last = last_users(computation);
  for (const hlo::Instruction& i : computation.instructions()) {
    if (i.opcode == hlo::Opcode::kGetTupleElement) {
      const int64_t index = hlo::attributes_of<hlo::GetTupleElementAttributes>(i).index;
      const Shape& tuple = computation.instruction(i.operands[0]).shape;
      const auto begin = values[i.operands[0]].begin() + leaf_offset(tuple, index);
      values[i.id].assign(begin, begin + leaf_count(i.shape));
    } else if (represents_other_ops(i.def())) {
      values[i.id] = run_decomposed(computation, i, values);
    } else if (i.opcode != hlo::Opcode::kParameter) {
      values[i.id] = run_instruction(i, values);
    }
    for (hlo::InstructionId operand : i.operands) {
      if (last[operand] == i.id) values[operand].clear();
    }
  }
  return std::move(values[computation.root_id()]);
}

}  // namespace hilo
