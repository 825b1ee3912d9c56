// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/straight_line.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <map>

#include "hilo/backend/cpu/emit/code_cache.h"
#include "hilo/backend/cpu/emit/elementwise.h"
#include "hilo/backend/cpu/emit/jit.h"
#include "hilo/base/sizes.h"
#include "hilo/engine/register_schedule.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::cpu {
namespace {

using engine::ElementPlace;
using engine::RegisterSchedule;
using engine::ScheduleAction;
using engine::ScheduleGroup;
using engine::ScheduleStep;
using engine::ValueHome;
using hlo::attributes_of;
using hlo::InstructionId;
using hlo::Opcode;
using llvm::Value;

constexpr int64_t kSlotBytes = 8;  // of one lane of a value
const llvm::Align kSlotAlignment(8);
constexpr size_t kStepsPerPart = 500;

/// Registers that a schedule may fill. The others are for operations of several instructions.
size_t schedulable_registers(Isa isa) { return has_32_registers(isa) ? 18 : 10; }

/// A function of the pointers to the leaves. Values that are the same for all indices of the batch are computed first,
/// as scalars. A loop computes the others, as many indices at once as a vector has lanes; the last vector overlaps the
/// one before it.
class StraightLineEmitter {
 public:
  StraightLineEmitter(llvm::IRBuilder<>& ir, Isa isa, const engine::StraightLine& line, llvm::Function* function)
      : ir_(ir),
        scalar_(ir, isa, 1),
        line_(line),
        program_(*line.computation),
        module_(*function->getParent()),
        buffers_(function->getArg(0)),
        begin_(function->getArg(1)),
        end_(function->getArg(2)),
        at_(begin_),
        frame_(pointer_none()),
        shared_frame_(pointer_none()),
        values_(program_.size()),
        in_lanes_(engine::depends_on_batch(line)),
        tables_(line.tables.size()) {}

  Status emit() {
    emit_uniform();
    if (std::ranges::count(in_lanes_, true) != 0) emit_lanes();
    return status_;
  }

 private:
  struct Root {
    InstructionId value;
    size_t element;  ///< of the root's tuple; kShared: a uniform value that the lanes need
  };
  static constexpr size_t kShared = ~size_t{0};
  using GroupOf = std::map<InstructionId, const ScheduleGroup*>;

  std::span<const InstructionId> elements() const { return program_.root().operands; }
  const hlo::Instruction& instruction(InstructionId id) const { return program_.instruction(id); }
  ElementType type_of(InstructionId id) const { return instruction(id).shape.element_type(); }
  bool is_constant(InstructionId id) const { return instruction(id).opcode == Opcode::kConstant; }
  bool is_parameter(InstructionId id) const { return instruction(id).opcode == Opcode::kParameter; }
  const ElementPlace& place_of(InstructionId id) const {
    return line_.parameters[attributes_of<hlo::ParameterAttributes>(instruction(id)).number];
  }

  ElementType operand_type(const hlo::Instruction& i) const {
    return type_of(i.operands[i.opcode == Opcode::kSelect ? 1 : 0]);
  }

  // Values that are the same in all lanes.

  void emit_uniform() {
    std::vector<Root> roots;
    for (size_t e = 0; e < elements().size(); ++e) {
      if (!in_lanes_[elements()[e]]) roots.push_back({elements()[e], e});
    }
    for (InstructionId id : shared_values()) roots.push_back({id, kShared});
    std::vector<ValueHome> homes;
    for (const hlo::Instruction& i : program_.instructions()) {
      homes.push_back(is_constant(i.id)    ? ValueHome::kImmediate
                      : is_parameter(i.id) ? ValueHome::kMemory
                                           : ValueHome::kNowhere);
    }
    perform(scalar_, roots, function_groups(), homes);
  }

  /// The computed uniform values that operations in lanes read. Each gets a place in the frame of shared values.
  std::vector<InstructionId> shared_values() {
    std::vector<InstructionId> shared;
    for (const hlo::Instruction& i : program_.instructions()) {
      if (!in_lanes_[i.id] || i.opcode == Opcode::kTuple) continue;
      for (InstructionId o : i.operands) {
        if (in_lanes_[o] || is_constant(o) || is_parameter(o) || shared_places_.contains(o)) continue;
        shared_places_.emplace(o, std::ssize(shared) * kSlotBytes);
        shared.push_back(o);
      }
    }
    if (!shared.empty()) shared_frame_ = scalar_.stack(std::ssize(shared) * kSlotBytes);
    return shared;
  }

  /// Uniform functions of one kind that don't depend on each other: they are computed as the lanes of one vector.
  std::vector<ScheduleGroup> function_groups() const {
    std::vector<ScheduleGroup> groups;
    std::vector<uint32_t> depth(program_.size(), 0);  // counted in functions
    std::map<std::tuple<uint32_t, Opcode, ElementType, ElementType>, ScheduleGroup> open;
    const auto close = [&](ScheduleGroup& group) {
      if (group.size() > 1) groups.push_back(group);
      group.clear();
    };
    for (const hlo::Instruction& i : program_.instructions()) {
      for (InstructionId o : i.operands) depth[i.id] = std::max(depth[i.id], depth[o]);
      if (i.operands.empty() || in_lanes_[i.id] || i.opcode == Opcode::kTuple ||
          i.def().cost != hlo::CostClass::kTranscendental)
        continue;
      ScheduleGroup& group = open[{++depth[i.id], i.opcode, operand_type(i), i.shape.element_type()}];
      group.push_back(i.id);
      if (std::ssize(group) == natural_lanes(scalar_.isa(), operand_type(i))) close(group);
    }
    for (auto& [key, group] : open) close(group);
    return groups;
  }

  // Values of the lanes.

  void emit_lanes() {
    std::vector<Root> roots;
    for (size_t e = 0; e < elements().size(); ++e) {
      if (in_lanes_[elements()[e]]) roots.push_back({elements()[e], e});
    }
    std::vector<ValueHome> homes;
    for (const hlo::Instruction& i : program_.instructions()) {
      const bool is_loaded = is_parameter(i.id) || !in_lanes_[i.id];
      homes.push_back(is_constant(i.id) ? ValueHome::kImmediate : is_loaded ? ValueHome::kMemory : ValueHome::kNowhere);
    }
    SimdBuilder lanes = with_lanes(scalar_, static_cast<int>(engine::lane_count(line_, vector_bytes(scalar_.isa()))));
    Value* const last = ir_.CreateSub(end_, scalar_.index(lanes.lanes()));
    scalar_.for_each(begin_, end_, scalar_.index(lanes.lanes()), [&](Value* i) {
      at_ = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i, last);
      perform(lanes, roots, {}, homes);
    });
  }

  // Schedules.

  void perform(SimdBuilder& b, std::span<const Root> roots, std::span<const ScheduleGroup> groups,
               std::span<const ValueHome> homes) {
    std::vector<InstructionId> values;
    for (const Root& root : roots) values.push_back(root.value);
    const RegisterSchedule schedule =
        engine::schedule_registers({program_, values, groups, homes, schedulable_registers(b.isa()), kStepsPerPart});
    GroupOf group_of;
    for (const ScheduleGroup& group : groups) {
      for (InstructionId id : group) group_of[id] = &group;
    }
    const int64_t slot_bytes = kSlotBytes * b.lanes();
    frame_ = schedule.slot_count == 0 ? pointer_none() : b.stack(schedule.slot_count * slot_bytes);
    std::span<const ScheduleStep> steps = schedule.steps;
    while (!steps.empty()) {
      const auto end = std::ranges::find(steps, ScheduleAction::kPart, &ScheduleStep::action);
      const auto count = static_cast<size_t>(end - steps.begin());
      in_function_of_its_own(count < schedule.steps.size(), [&] {
        for (const ScheduleStep& step : steps.first(count)) perform(b, step, roots, group_of, slot_bytes);
      });
      steps = steps.subspan(std::min(count + 1, steps.size()));
    }
  }

  void perform(SimdBuilder& b, const ScheduleStep& step, std::span<const Root> roots, const GroupOf& group_of,
               int64_t slot_bytes) {
    const auto slot = [&] { return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), frame_, step.slot * slot_bytes); };
    const InstructionId id = step.value;
    switch (step.action) {
      case ScheduleAction::kStore: save(b, id, slot()); break;
      case ScheduleAction::kLoad:
        values_[id] = step.slot == ScheduleStep::kNoSlot ? load_home(b, id) : restored(b, type_of(id), slot());
        break;
      case ScheduleAction::kCompute:
        if (const auto group = group_of.find(id); group != group_of.end()) emit_group(*group->second);
        else values_[id] = emit_one(b, instruction(id));
        break;
      case ScheduleAction::kWrite: write(b, roots[step.slot]); break;
      case ScheduleAction::kPart: break;
    }
  }

  /// Stores a value in a frame, and loads one: in the form of memory, because LLVM has no code for all vectors of bits.
  void save(SimdBuilder& b, InstructionId id, Value* slot) {
    ir_.CreateAlignedStore(b.to_memory(type_of(id), values_[id]), slot, kSlotAlignment);
  }
  Value* restored(SimdBuilder& b, ElementType type, Value* slot) {
    return b.from_memory(type, ir_.CreateAlignedLoad(b.wide(b.memory_scalar(type)), slot, kSlotAlignment));
  }

  Value* pointer_none() { return llvm::ConstantPointerNull::get(ir_.getPtrTy()); }

  /// Emits code that reads the members below, as a function that gets them, and its call; or in place.
  template <typename Emit>
  void in_function_of_its_own(bool is_own, const Emit& emit) {
    if (!is_own) return emit();
    std::array<Value**, 6> members = {&buffers_, &begin_, &end_, &at_, &frame_, &shared_frame_};
    std::array<Value*, 6> outer;
    std::array<llvm::Type*, 6> types;
    for (size_t k = 0; k < members.size(); ++k) {
      outer[k] = *members[k];
      types[k] = outer[k]->getType();
    }
    auto* const type = llvm::FunctionType::get(ir_.getVoidTy(), types, false);
    auto* const part = llvm::Function::Create(type, llvm::Function::InternalLinkage, "part", module_);
    ir_.CreateCall(part, outer);
    const auto place = ir_.saveIP();
    ir_.SetInsertPoint(llvm::BasicBlock::Create(ir_.getContext(), "entry", part));
    for (size_t k = 0; k < members.size(); ++k) *members[k] = part->getArg(k);
    emit();
    ir_.CreateRetVoid();
    ir_.restoreIP(place);
    for (size_t k = 0; k < members.size(); ++k) *members[k] = outer[k];
  }

  // Memory.

  Value* buffer(uint32_t leaf) {
    return ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstGEP1_64(ir_.getPtrTy(), buffers_, leaf));
  }
  Value* parameter_memory(uint32_t leaf) {
    if (leaf < line_.leaf_count) return buffer(leaf);
    llvm::GlobalVariable*& table = tables_[leaf - line_.leaf_count];
    if (table == nullptr) {
      const auto bytes = line_.tables[leaf - line_.leaf_count].bytes();
      const llvm::StringRef raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      auto* const value = llvm::ConstantDataArray::getRaw(raw, bytes.size(), ir_.getInt8Ty());
      table =
          new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage, value, "table");
      table->setAlignment(llvm::Align(64));
    }
    return table;
  }

  /// The index of the first lane's element.
  Value* element_of(const ElementPlace& place) {
    if (place.lane_stride == 0) return scalar_.index(place.element);
    return ir_.CreateAdd(ir_.CreateMul(at_, scalar_.index(place.lane_stride)), scalar_.index(place.element));
  }

  Value* load_home(SimdBuilder& b, InstructionId id) {
    const ElementType type = type_of(id);
    if (!is_parameter(id)) {
      Value* const from = ir_.CreateConstGEP1_64(ir_.getInt8Ty(), shared_frame_, shared_places_.at(id));
      return b.splat(restored(scalar_, type, from));
    }
    const ElementPlace& place = place_of(id);
    if (place.leaf == ElementPlace::kLaneIndex) return ir_.CreateAdd(b.splat(at_), b.lane_numbers(ir_.getInt64Ty()));
    if (place.lane_stride == 0) return b.splat(b.load_scalar(type, parameter_memory(place.leaf), element_of(place)));
    if (place.lane_stride == 1) return b.load(type, parameter_memory(place.leaf), element_of(place));
    return b.load_strided(type, parameter_memory(place.leaf), element_of(place), b.index(place.lane_stride), nullptr);
  }

  void write(SimdBuilder& b, const Root& root) {
    Value* const value = value_of(b, root.value);
    const ElementType type = type_of(root.value);
    if (root.element == kShared) {
      return save(b, root.value, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), shared_frame_, shared_places_.at(root.value)));
    }
    const ElementPlace& place = line_.results[root.element];
    Value* const memory = buffer(line_.leaf_count + place.leaf);
    if (root.element == line_.guard_element()) return write_guard(b, value, memory);
    if (place.lane_stride == 0) b.store_scalar(type, value, memory, element_of(place));
    else if (!in_lanes_[root.value]) write_in_all_lanes(value, type, memory, place);
    else if (place.lane_stride == 1) b.store(type, value, memory, element_of(place));
    else b.store_strided(type, value, memory, element_of(place), b.index(place.lane_stride));
  }

  /// Stores a uniform value for each index of the batch.
  void write_in_all_lanes(Value* value, ElementType type, Value* memory, const ElementPlace& place) {
    scalar_.for_each(begin_, end_, scalar_.index(1), [&](Value* i) {
      at_ = i;
      scalar_.store_scalar(type, value, memory, element_of(place));
    });
  }

  /// The guard is true before the call; several threads may clear it.
  void write_guard(SimdBuilder& b, Value* value, Value* memory) {
    Value* const failed = ir_.CreateNot(value);
    scalar_.branch(b.lanes() == 1 ? failed : b.any(failed), [&] { ir_.CreateStore(ir_.getInt8(0), memory); });
  }

  // Operations.

  Value* value_of(SimdBuilder& b, InstructionId id) {
    if (!is_constant(id)) return values_[id];
    uint64_t bits = 0;
    const Literal& literal = attributes_of<hlo::ConstantAttributes>(instruction(id)).value;
    std::memcpy(&bits, literal.bytes().data(), literal.bytes().size());
    return b.constant(literal.shape().element_type(), bits);
  }

  Value* emit_one(SimdBuilder& b, const hlo::Instruction& i) {
    Values operands;
    for (InstructionId o : i.operands) operands.push_back(value_of(b, o));
    return emit_op(b, i, operands);
  }

  void emit_group(const ScheduleGroup& group) {
    SimdBuilder b = with_lanes(scalar_, static_cast<int>(std::bit_ceil(group.size())));
    const hlo::Instruction& first = instruction(group[0]);
    Values operands;
    for (size_t k = 0; k < first.operands.size(); ++k) {
      Value* packed = b.splat(value_of(scalar_, first.operands[k]));
      for (size_t e = 1; e < group.size(); ++e)
        packed = ir_.CreateInsertElement(packed, value_of(scalar_, instruction(group[e]).operands[k]), e);
      operands.push_back(packed);
    }
    Value* const result = emit_op(b, first, operands);
    for (size_t e = 0; e < group.size(); ++e) values_[group[e]] = ir_.CreateExtractElement(result, e);
  }

  Value* emit_op(SimdBuilder& b, const hlo::Instruction& i, const Values& operands) {
    StatusOr<Value*> value =
        emit_elementwise(b, i.opcode, operand_type(i), i.shape.element_type(), i.attributes.get(), operands);
    if (value.ok()) return *value;
    if (status_.ok()) status_ = value.status().with_context(describe(i));
    return llvm::Constant::getNullValue(b.register_type(i.shape.element_type()));
  }

  llvm::IRBuilder<>& ir_;
  SimdBuilder scalar_;
  const engine::StraightLine& line_;
  const hlo::Computation& program_;
  llvm::Module& module_;
  Value *buffers_, *begin_, *end_;
  Value* at_;                   ///< the first index of the batch in the lanes
  Value* frame_;                ///< values that left their registers
  Value* shared_frame_;         ///< uniform values that the lanes need
  Values values_;               ///< by instruction: those in registers
  std::vector<bool> in_lanes_;  ///< by instruction
  std::map<InstructionId, int64_t> shared_places_;
  std::vector<llvm::GlobalVariable*> tables_;  ///< null until they are used
  Status status_;
};

Status emit_function(llvm::Module& module, Isa isa, const engine::StraightLine& line) {
  llvm::IRBuilder<> ir(module.getContext());
  auto* function = begin_function(ir, module, StraightLineCode::kName, ir.getVoidTy(),
                                  {ir.getPtrTy(), ir.getInt64Ty(), ir.getInt64Ty()});
  HILO_RETURN_IF_ERROR(StraightLineEmitter(ir, isa, line, function).emit());
  ir.CreateRetVoid();
  return ok_status();
}

std::string key_of(const engine::StraightLine& line, Isa isa) {
  const hlo::Fingerprint print = line.computation->fingerprint();
  std::string key = fmt::format("{} {:x} {:x} {} {} {}", isa_name(isa), print.high, print.low, line.leaf_count,
                                line.batch, line.has_guard);
  for (const Literal& table : line.tables) {
    key += table.shape().to_string();
    key.append(reinterpret_cast<const char*>(table.bytes().data()), table.bytes().size());
  }
  for (const auto* places : {&line.parameters, &line.results}) {
    for (const ElementPlace& p : *places) key += fmt::format(" {}.{}.{}", p.leaf, p.element, p.lane_stride);
  }
  return key;
}

}  // namespace

StatusOr<StraightLineCode> compile_straight_line(const engine::StraightLine& line, Isa isa) {
  const double seconds = kSecondsAnOperation * static_cast<double>(line.computation->size());
  static auto* const cache = new CodeCache<StraightLineCode>;
  return find_or_compile(*cache, key_of(line, isa), seconds, [&](CodeLevel level) -> StatusOr<StraightLineCode> {
    const auto write = [&](llvm::Module& module) { return emit_function(module, isa, line); };
    StraightLineCode compiled;
    HILO_ASSIGN_OR_RETURN(compiled.code, compile_code(StraightLineCode::kName, isa, level, write));
    return compiled;
  });
}

}  // namespace hilo::cpu
