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
using hlo::Opcode;

namespace {

constexpr int64_t kMaxElements = 16;  // elements of a value, for one index of the batch
constexpr int64_t kMaxAlone = 8;      // elements of an array without a batch; larger ones fill vectors without it
constexpr int64_t kMaxWork = 2000;    // per turn; the code is one function
constexpr int kMaxDepth = 16;

bool is_small(const Shape& shape, int64_t batch) {
  if (shape.is_tuple())
    return std::ranges::all_of(shape.tuple_elements(), [&](const Shape& s) { return is_small(s, batch); });
  if (!shape.is_array() || shape.element_count() == 0) return false;
  if (batch > 1 && std::ranges::count(shape.dimensions(), batch) > 1) return false;
  return elements_per_index(shape, batch) <= kMaxElements;
}

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

/// Adds up the work of a computation. Returns false if it has other values than small ones, or too much work.
bool add_work(const hlo::Computation& computation, int64_t batch, int depth, LoopWork& work) {
  if (depth > kMaxDepth) return false;
  const Independence independence(computation, batch);
  for (const hlo::Instruction& i : computation.instructions()) {
    if (!is_small(i.shape, batch) || !independence.holds(i)) return false;
    int64_t elements = elements_per_index(i.shape, batch);
    if (i.opcode == Opcode::kDot || i.opcode == Opcode::kReduce || i.opcode == Opcode::kDynamicSlice)
      elements *= elements_per_index(computation.instruction(i.operands[0]).shape, batch);
    int64_t bytes = register_bytes(i.shape);  // of the widest: a comparison of f64 fills registers as a sum does
    for (hlo::InstructionId operand : i.operands)
      bytes = std::max(bytes, register_bytes(computation.instruction(operand).shape));
    work.operations += elements * weight_of(i);
    work.bytes += elements * weight_of(i) * bytes;
    if (work.operations > kMaxWork) return false;
    if (i.opcode == Opcode::kReduce) continue;
    for (const hlo::ComputationPtr& called : called_computations(i)) {
      if (!add_work(*called, batch, depth + 1, work)) return false;
    }
  }
  return true;
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

std::optional<LoopWork> register_loop_work(const hlo::Computation& condition, const hlo::Computation& body,
                                           int64_t batch) {
  LoopWork work;
  if (batch == 1 && is_scalar_program(condition) && is_scalar_program(body)) return work;
  if (add_work(condition, batch, 0, work) && add_work(body, batch, 0, work)) return work;
  return std::nullopt;
}

bool is_register_program(const hlo::Computation& computation) {
  LoopWork work;
  return add_work(computation, 1, 0, work);
}

}  // namespace hilo::engine
