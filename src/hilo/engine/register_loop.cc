// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/register_loop.h"

#include <algorithm>

#include "hilo/engine/region_ops.h"
#include "hilo/engine/scalar_program.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/product.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::engine {

using hlo::attributes_of;
using hlo::InstructionId;
using hlo::Opcode;

namespace {

constexpr int64_t kMaxElements = 16;  // elements of a value, for one index of the batch
constexpr int64_t kMaxAlone = 8;      // elements of an array without a batch; larger ones fill vectors without it
constexpr int64_t kMaxWork = 2000;    // per turn; the code is one function
constexpr int kMaxDepth = 16;

bool has_one_batch(const Shape& shape, int64_t batch) {
  return batch == 1 || std::ranges::count(shape.dimensions(), batch) <= 1;
}

bool is_small(const Shape& shape, int64_t batch) {
  if (!shape.is_array() || shape.element_count() == 0) return false;
  return has_one_batch(shape, batch) && elements_per_index(shape, batch) <= kMaxElements;
}

/// Finds the leaves of a carry that may stay in memory: a turn reads only slices of them, or it writes one slice and
/// returns the array as the same leaf.
class MemoryLeaves {
 public:
  MemoryLeaves(const hlo::Computation& condition, const hlo::Computation& body) {
    const hlo::Instruction& root = body.root();
    const std::vector<Shape> parameters = body.parameter_shapes();
    const bool flat = parameters.size() == 1 && parameters[0].is_tuple() && root.opcode == Opcode::kTuple &&
                      std::ranges::all_of(parameters[0].tuple_elements(), [](const Shape& leaf) {
                        return leaf.is_array() && leaf.has_default_layout();
                      });
    homes.assign(body.result_shape().leaves().size(), LeafHome::kRegisters);
    other_.resize(homes.size());
    reads_.resize(homes.size());
    updates_.resize(homes.size());
    if (!flat || !uses_leaves_only(condition) || !uses_leaves_only(body)) return;
    for (const hlo::Instruction& i : condition.instructions()) {
      if (const auto k = leaf_in(condition, i.id)) other_[*k] = true;
    }
    for (const hlo::Instruction& i : body.instructions()) {
      for (size_t p = 0; p < i.operands.size(); ++p) add_use(body, i, p);
    }
    for (size_t k = 0; k < homes.size(); ++k) homes[k] = home_of(body, k);
  }

  std::vector<LeafHome> homes;

 private:
  using Uses = std::vector<InstructionId>;

  static std::optional<size_t> leaf_in(const hlo::Computation& computation, InstructionId id) {
    const hlo::Instruction& i = computation.instruction(id);
    if (i.opcode != Opcode::kGetTupleElement || computation.instruction(i.operands[0]).opcode != Opcode::kParameter)
      return std::nullopt;
    return static_cast<size_t>(attributes_of<hlo::GetTupleElementAttributes>(i).index);
  }

  /// Whether no instruction uses the carry as a whole.
  static bool uses_leaves_only(const hlo::Computation& computation) {
    const auto is_carry = [&](InstructionId o) { return computation.instruction(o).opcode == Opcode::kParameter; };
    return std::ranges::all_of(computation.instructions(), [&](const hlo::Instruction& i) {
      return i.opcode == Opcode::kGetTupleElement || std::ranges::none_of(i.operands, is_carry);
    });
  }

  void add_use(const hlo::Computation& body, const hlo::Instruction& i, size_t p) {
    const InstructionId used = i.operands[p];
    if (body.instruction(used).opcode == Opcode::kDynamicUpdateSlice && i.id != body.root_id())
      read_updates_.push_back(used);
    const auto k = leaf_in(body, used);
    if (!k) return;
    if (i.opcode == Opcode::kDynamicSlice && p == 0) reads_[*k].push_back(i.id);
    else if (i.opcode == Opcode::kDynamicUpdateSlice && p == 0) updates_[*k].push_back(i.id);
    else if (i.id != body.root_id() || p != *k) other_[*k] = true;
  }

  LeafHome home_of(const hlo::Computation& body, size_t k) const {
    if (other_[k]) return LeafHome::kRegisters;
    const InstructionId next = body.root().operands[k];
    if (updates_[k].empty()) return leaf_in(body, next) == k ? LeafHome::kRead : LeafHome::kRegisters;
    const InstructionId update = updates_[k][0];
    const bool once = updates_[k].size() == 1 && next == update &&
                      std::ranges::count(body.root().operands, update) == 1 &&
                      std::ranges::count(read_updates_, update) == 0;
    const auto is_before = [&](InstructionId read) { return read < update; };
    return once && std::ranges::all_of(reads_[k], is_before) ? LeafHome::kWritten : LeafHome::kRegisters;
  }

  std::vector<bool> other_;            // per leaf: whether it has other uses
  std::vector<Uses> reads_, updates_;  // per leaf: slices of it, and updates
  Uses read_updates_;                  // updates that the body reads
};

/// Returns the code size of an operation on an element, relative to one on a number in a register. Floats of at most 8
/// bits are widened and rounded.
int64_t parts_of(const hlo::Instruction& i) {
  if (!i.shape.is_array()) return 1;
  const ElementType type = i.shape.element_type();
  if (is_complex(type)) return 4;
  return is_floating(type) && element_type_info(type).bits <= 8 ? 8 : 1;
}

int64_t weight_of(const hlo::Instruction& i) {
  const int64_t parts = parts_of(i);
  if (i.opcode == Opcode::kPower && is_floating(i.shape.element_type())) return 32 * parts;
  switch (i.def().cost) {
    case hlo::CostClass::kFree: return 0;
    case hlo::CostClass::kCheap: return parts;
    case hlo::CostClass::kExpensive: return 4 * parts;
    case hlo::CostClass::kTranscendental:
    case hlo::CostClass::kHero: return 16 * parts;
  }
  return 16 * parts;
}

/// Checks that each index of the batch needs only this index of its operands. All shapes are small.
class Independence {
 public:
  Independence(const hlo::Computation& computation, int64_t batch) : computation_(computation), batch_(batch) {}

  bool holds(const hlo::Instruction& i) const {
    switch (i.opcode) {  // NOLINT: partial on purpose
      case Opcode::kConstant: return has_code(attributes_of<hlo::ConstantAttributes>(i).value);
      case Opcode::kIota: return true;
      case Opcode::kBroadcast: return broadcasts(i);
      case Opcode::kReshape: return reshapes(i);
      case Opcode::kTranspose: return true;
      case Opcode::kSlice: return slices(i);
      case Opcode::kReverse: return reverses(i);
      case Opcode::kConcatenate: return concatenates(i);
      case Opcode::kPad: return pads(i);
      case Opcode::kReduce: return reduces(i);
      case Opcode::kDot: return multiplies(i);
      case Opcode::kDynamicSlice: return slices_dynamically(i);
      case Opcode::kDynamicUpdateSlice: return updates(i);
      case Opcode::kBitcastConvert: return casts(i);
      case Opcode::kParameter:
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
      case Opcode::kCall:
      case Opcode::kWhile:
      case Opcode::kConditional:
      case Opcode::kOptimizationBarrier: return true;
      default: return is_lanewise(i.opcode);
    }
  }

 private:
  const Shape& operand(const hlo::Instruction& i, size_t k) const {
    return computation_.instruction(i.operands[k]).shape;
  }
  std::optional<size_t> batch_of(const Shape& shape) const { return batch_dimension(shape, batch_); }
  bool keeps_place(const hlo::Instruction& i, size_t k) const { return batch_of(operand(i, k)) == batch_of(i.shape); }

  bool has_code(const Literal& value) const {
    if (element_size_bytes(value.shape().element_type()) > 8) return false;
    return !batch_of(value.shape()) || splat_bits(value).has_value();
  }

  bool broadcasts(const hlo::Instruction& i) const {
    const auto from = batch_of(operand(i, 0));
    const auto& dimensions = attributes_of<hlo::BroadcastAttributes>(i).dimensions;
    return !from || static_cast<size_t>(dimensions[*from]) == batch_of(i.shape);
  }

  bool reshapes(const hlo::Instruction& i) const {
    const auto from = batch_of(operand(i, 0)), to = batch_of(i.shape);
    if (from.has_value() != to.has_value()) return false;
    return !from ||
           hlo::count_of(operand(i, 0).dimensions().first(*from)) == hlo::count_of(i.shape.dimensions().first(*to));
  }

  bool slices(const hlo::Instruction& i) const {
    const auto at = batch_of(i.shape);
    return keeps_place(i, 0) && (!at || attributes_of<hlo::SliceAttributes>(i).ranges[*at].stride == 1);
  }

  bool reverses(const hlo::Instruction& i) const {
    const auto at = batch_of(i.shape);
    const auto& dimensions = attributes_of<hlo::ReverseAttributes>(i).dimensions;
    return !at || std::ranges::count(dimensions, *at) == 0;
  }

  bool concatenates(const hlo::Instruction& i) const {
    for (size_t k = 0; k < i.operands.size(); ++k) {
      if (!keeps_place(i, k)) return false;
    }
    const auto at = batch_of(i.shape);
    return !at || attributes_of<hlo::ConcatenateAttributes>(i).dimension != static_cast<int64_t>(*at);
  }

  bool pads(const hlo::Instruction& i) const {
    const auto at = batch_of(i.shape);
    const auto& padding = attributes_of<hlo::PadAttributes>(i).padding;
    return keeps_place(i, 0) && (!at || padding[*at] == hlo::PaddingDimension{});
  }

  bool reduces(const hlo::Instruction& i) const {
    const auto& a = attributes_of<hlo::ReduceAttributes>(i);
    if (!is_scalar_body(*a.to_apply)) return false;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const ElementType type = operand(i, k).element_type();
      // sums of narrow floats are computed in f32
      if (is_floating(type) && element_type_info(type).bits < 32) return false;
    }
    const auto at = batch_of(operand(i, 0));
    return !at || std::ranges::count(a.dimensions, *at) == 0;
  }

  bool multiplies(const hlo::Instruction& i) const {
    const auto& a = attributes_of<hlo::DotAttributes>(i);
    const auto is_summed = [](const hlo::Int64List& dimensions, std::optional<size_t> at) {
      return at && std::ranges::count(dimensions, *at) != 0;
    };
    const auto lhs = batch_of(operand(i, 0)), rhs = batch_of(operand(i, 1));
    const ElementType type = i.shape.element_type();
    const bool plain = type == ElementType::kF32 || type == ElementType::kF64;
    for (size_t k = 0; k < 2; ++k) {
      if (!plain || operand(i, k).element_type() != type) return false;
    }
    return !is_summed(a.lhs_contracting_dimensions, lhs) && !is_summed(a.rhs_contracting_dimensions, rhs);
  }

  /// Whether it slices along at most one dimension, other than the batch's.
  bool slices_dynamically(const hlo::Instruction& i) const {
    return keeps_place(i, 0) && moves_along_one(operand(i, 0), i.shape) && has_wide_starts(i, 1);
  }
  bool updates(const hlo::Instruction& i) const {
    return batch_of(operand(i, 1)) == batch_of(i.shape) && moves_along_one(i.shape, operand(i, 1)) &&
           has_wide_starts(i, 2);
  }
  /// Whether all start indices are wide integers.
  bool has_wide_starts(const hlo::Instruction& i, size_t first) const {
    for (size_t k = first; k < i.operands.size(); ++k) {
      if (element_type_info(operand(i, k).element_type()).bits < 8) return false;
    }
    return true;
  }
  static bool moves_along_one(const Shape& whole, const Shape& part) {
    int64_t moving = 0;
    for (int64_t d = 0; d < whole.rank(); ++d) moving += whole.dimension(d) != part.dimension(d);
    return moving <= 1;
  }

  /// Whether the cast is between types of equal width, or of whole bytes. Complex numbers aren't one value.
  bool casts(const hlo::Instruction& i) const {
    const ElementType from = operand(i, 0).element_type(), to = i.shape.element_type();
    if (keeps_width(from, to)) return true;
    const auto is_whole = [](ElementType type) {
      return !is_complex(type) && type != ElementType::kPred && element_type_info(type).bits >= 8;
    };
    return batch_ == 1 && is_whole(from) && is_whole(to);
  }

  const hlo::Computation& computation_;
  int64_t batch_;
};

/// Returns the bytes of an element in a register. Floats have at least 32 bits.
int64_t register_bytes(const Shape& shape) {
  if (!shape.is_array()) return 0;
  const ElementType type = shape.element_type();
  return is_floating(type) ? std::max(element_size_bytes(type), 4) : element_size_bytes(type);
}

bool is_slice_access(const hlo::Instruction& i) {
  return i.opcode == Opcode::kDynamicSlice || i.opcode == Opcode::kDynamicUpdateSlice;
}

/// Adds up the work of computations. `homes`: of the leaves of the body's carry.
class WorkCounter {
 public:
  WorkCounter(int64_t batch, std::span<const LeafHome> homes) : batch_(batch), homes_(homes) {}

  LoopWork work;

  /// Returns false if the computation has other values than small ones, or too much work. `is_body`: its parameter is
  /// the carry.
  bool add(const hlo::Computation& computation, bool is_body, int depth = 0) {
    if (depth > kMaxDepth) return false;
    const Independence independence(computation, batch_);
    for (const hlo::Instruction& i : computation.instructions()) {
      if (!has_place(computation, i, is_body) || !independence.holds(i)) return false;
      const int64_t elements = elements_of(computation, i);
      int64_t bytes = register_bytes(i.shape);  // of the widest: a comparison of f64 fills registers as a sum does
      for (InstructionId operand : i.operands)
        bytes = std::max(bytes, register_bytes(computation.instruction(operand).shape));
      work.operations += elements * weight_of(i);
      work.bytes += elements * weight_of(i) * bytes;
      if (work.operations > kMaxWork) return false;
      if (i.opcode == Opcode::kReduce) continue;
      for (const hlo::ComputationPtr& called : called_computations(i)) {
        if (!add(*called, false, depth + 1)) return false;
      }
    }
    return true;
  }

 private:
  /// Whether the value is small, or in memory as a leaf of the carry or an update of one.
  bool has_place(const hlo::Computation& computation, const hlo::Instruction& i, bool is_body) const {
    if (i.shape.is_tuple() || is_small(i.shape, batch_)) return true;
    if (!i.shape.is_array() || !is_body || i.operands.empty()) return false;
    const hlo::Instruction& from = computation.instruction(i.operands[0]);
    if (i.opcode == Opcode::kGetTupleElement && from.opcode == Opcode::kParameter) {
      const auto k = static_cast<size_t>(attributes_of<hlo::GetTupleElementAttributes>(i).index);
      return k < homes_.size() && homes_[k] != LeafHome::kRegisters;
    }
    return i.opcode == Opcode::kDynamicUpdateSlice && from.opcode == Opcode::kGetTupleElement &&
           has_place(computation, from, is_body);
  }

  int64_t elements_of(const hlo::Computation& computation, const hlo::Instruction& i) const {
    if (i.shape.is_tuple()) return elements_per_index(i.shape, batch_);
    if (is_slice_access(i) && is_in_memory(computation.instruction(i.operands[0]).shape, batch_))
      return elements_per_index(
          i.opcode == Opcode::kDynamicSlice ? i.shape : computation.instruction(i.operands[1]).shape, batch_);
    const int64_t elements = elements_per_index(i.shape, batch_);
    const bool combines = i.opcode == Opcode::kDot || i.opcode == Opcode::kReduce || i.opcode == Opcode::kDynamicSlice;
    return combines ? elements * elements_per_index(computation.instruction(i.operands[0]).shape, batch_) : elements;
  }

  int64_t batch_;
  std::span<const LeafHome> homes_;
};

/// Returns the form with these homes; nullopt if registers can't hold the rest.
std::optional<RegisterLoopForm> form_with(const hlo::Computation& condition, const hlo::Computation& body,
                                          std::vector<LeafHome> homes) {
  const std::vector<Shape> leaves = body.result_shape().leaves();
  std::vector<Shape> in_registers;
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (homes[k] == LeafHome::kRegisters) in_registers.push_back(leaves[k]);
  }
  const int64_t batch = loop_batch(in_registers);
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (homes[k] == LeafHome::kRegisters) continue;
    if (is_small(leaves[k], batch)) homes[k] = LeafHome::kRegisters;
    else if (!is_in_memory(leaves[k], batch) || !has_one_batch(leaves[k], batch)) return std::nullopt;
    // threads share the batch, so none may write what all indices have
    else if (homes[k] == LeafHome::kWritten && batch > 1 && !batch_dimension(leaves[k], batch)) return std::nullopt;
  }
  WorkCounter counter(batch, homes);
  if (!counter.add(condition, false) || !counter.add(body, true)) return std::nullopt;
  return RegisterLoopForm{batch, std::move(homes), counter.work};
}

}  // namespace

int64_t loop_batch(std::span<const Shape> leaves) {
  int64_t longest = 1, largest = 0;
  for (const Shape& leaf : leaves) {
    if (!leaf.is_array()) return 1;
    largest = std::max(largest, leaf.element_count());
    for (int64_t extent : leaf.dimensions()) longest = std::max(longest, extent);
  }
  const auto fits = [&](const Shape& leaf) { return is_small(leaf, longest); };
  return largest > kMaxAlone && std::ranges::all_of(leaves, fits) ? longest : 1;
}

std::optional<size_t> batch_dimension(const Shape& shape, int64_t batch) {
  const auto place = std::ranges::find(shape.dimensions(), batch);
  if (batch == 1 || place == shape.dimensions().end()) return std::nullopt;
  return static_cast<size_t>(place - shape.dimensions().begin());
}

std::vector<int64_t> extents_per_index(const Shape& shape, int64_t batch) {
  std::vector<int64_t> extents(shape.dimensions().begin(), shape.dimensions().end());
  if (const auto d = batch_dimension(shape, batch)) extents[*d] = 1;
  return extents;
}

int64_t elements_per_index(const Shape& shape, int64_t batch) {
  if (!shape.is_tuple()) return hlo::count_of(extents_per_index(shape, batch));
  int64_t elements = 0;
  for (const Shape& element : shape.tuple_elements()) elements += elements_per_index(element, batch);
  return elements;
}

bool is_in_memory(const Shape& shape, int64_t batch) {
  return shape.is_array() && elements_per_index(shape, batch) > kMaxElements;
}

int64_t registers_of(const Shape& shape, int64_t batch) {
  if (!shape.is_tuple()) return is_in_memory(shape, batch) ? 1 : elements_per_index(shape, batch);
  int64_t registers = 0;
  for (const Shape& element : shape.tuple_elements()) registers += registers_of(element, batch);
  return registers;
}

std::optional<RegisterLoopForm> register_loop_form(const hlo::Computation& condition, const hlo::Computation& body) {
  const std::vector<LeafHome> all(body.result_shape().leaves().size(), LeafHome::kRegisters);
  if (is_scalar_program(condition) && is_scalar_program(body)) return RegisterLoopForm{1, all, {}};
  const std::vector<LeafHome> homes = MemoryLeaves(condition, body).homes;
  std::optional<RegisterLoopForm> form = form_with(condition, body, homes);
  return form || homes == all ? form : form_with(condition, body, all);
}

bool is_register_program(const hlo::Computation& computation) { return WorkCounter(1, {}).add(computation, false); }

}  // namespace hilo::engine
