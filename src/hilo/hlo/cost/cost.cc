// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/cost/cost.h"

#include <algorithm>
#include <bit>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/convolution.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/reduce_window.h"
#include "hilo/hlo/ops/select_and_scatter.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/hlo/passes/trip_count.h"

namespace hilo::hlo {
namespace {

double bytes_of(const Shape& shape) { return static_cast<double>(shape.byte_size()); }

double elements_of(const Shape& shape) {
  double count = 0;
  for (const Shape& leaf : shape.leaves()) count += leaf.is_array() ? static_cast<double>(leaf.element_count()) : 0;
  return count;
}

/// Returns the bytes of all operands and the result.
double bytes_through(const Instruction& i, const Computation& owner) {
  double bytes = bytes_of(i.shape);
  for (InstructionId operand : i.operands) bytes += bytes_of(owner.instruction(operand).shape);
  return bytes;
}

Cost elementwise_cost(const Instruction& i, const Computation& owner) {
  Cost cost{.bytes = bytes_through(i, owner)};
  if (has_trait(i.opcode, kMovesData)) return cost;
  (i.def().cost == CostClass::kTranscendental ? cost.transcendentals : cost.flops) = elements_of(i.shape);
  return cost;
}

Cost dot_cost(const Instruction& i, const Computation& owner) {
  const Shape& lhs = owner.instruction(i.operands[0]).shape;
  double contracted = 1;
  for (int64_t d : attributes_of<DotAttributes>(i).lhs_contracting_dimensions)
    contracted *= static_cast<double>(lhs.dimension(d));
  return {.flops = 2 * elements_of(i.shape) * contracted, .bytes = bytes_through(i, owner)};
}

Cost convolution_cost(const Instruction& i, const Computation& owner) {
  const auto& a = attributes_of<ConvolutionAttributes>(i);
  const Shape& kernel = owner.instruction(i.operands[1]).shape;
  const auto outputs = static_cast<double>(std::max<int64_t>(1, kernel.dimension(a.dimensions.kernel_output)));
  return {.flops = 2 * elements_of(i.shape) * elements_of(kernel) / outputs, .bytes = bytes_through(i, owner)};
}

/// Returns the cost of running `body` `count` times on values in registers, plus the instruction's own `bytes`.
Cost body_cost(const Cost& body, double count, double bytes) {
  Cost cost = body.times(count);
  cost.bytes = bytes;
  return cost;
}

/// Counts one reduction per element of each window; for a running reduction, one per element of the array.
Cost reduce_window_cost(const Instruction& i, const Computation& owner, const Cost& body) {
  const auto& a = attributes_of<ReduceWindowAttributes>(i);
  double steps = elements_of(i.shape) / static_cast<double>(i.operands.size() / 2);
  if (!cumulative_of(a.window, owner.instruction(i.operands[0]).shape.dimensions())) {
    for (const WindowDimension& w : a.window) steps *= static_cast<double>(w.size);
  }
  return body_cost(body, steps, bytes_through(i, owner));
}

/// Counts n - 1 comparisons and one combination for a window of n elements.
Cost select_and_scatter_cost(const Instruction& i, const Computation& owner, const Cost& select, const Cost& scatter) {
  double volume = 1;
  for (const WindowDimension& w : attributes_of<SelectAndScatterAttributes>(i).window)
    volume *= static_cast<double>(w.size);
  const double windows = elements_of(owner.instruction(i.operands[1]).shape);
  Cost cost = select.times(windows * (volume - 1));
  cost += scatter.times(windows);
  cost.bytes = bytes_through(i, owner);
  return cost;
}

Cost sort_cost(const Instruction& i, const Computation& owner, const Cost& comparator) {
  const Shape& keys = owner.instruction(i.operands[0]).shape;
  const int64_t length = std::max<int64_t>(1, keys.dimension(attributes_of<SortAttributes>(i).dimension()));
  const double rounds = std::bit_width(static_cast<uint64_t>(length - 1));
  return body_cost(comparator, elements_of(keys) * rounds, bytes_through(i, owner));
}

Cost while_cost(const Instruction& i, const Computation& owner, const Cost& condition, const Cost& body) {
  const std::optional<int64_t> trips = trip_count(i, owner);
  const double count = static_cast<double>(trips.value_or(1));
  Cost cost = body.times(count);
  cost += condition.times(count + 1);
  cost.exact = cost.exact && trips.has_value();
  return cost;
}

/// Returns the cost of the branch with the most operations.
Cost most_expensive(std::span<const ComputationPtr> branches,
                    const std::unordered_map<const Computation*, Cost>& costs) {
  Cost most;
  for (const ComputationPtr& branch : branches) {
    const Cost& cost = costs.at(branch.get());
    if (cost.flops + cost.transcendentals + cost.bytes >= most.flops + most.transcendentals + most.bytes) most = cost;
  }
  most.exact = most.exact && branches.size() < 2;
  return most;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  transcendentals += other.transcendentals;
  bytes += other.bytes;
  exact = exact && other.exact;
  return *this;
}

Cost Cost::times(double count) const { return {flops * count, transcendentals * count, bytes * count, exact}; }

CostAnalysis::CostAnalysis(ComputationPtr entry) : entry_(std::move(entry)), computations_(computations_of(entry_)) {
  for (const ComputationPtr& computation : computations_) {  // callees come first
    Cost total;
    for (const Instruction& i : computation->instructions()) total += of(i, *computation);
    costs_[computation.get()] = total;
  }
}

Cost CostAnalysis::of(const Instruction& i, const Computation& owner) const {
  if (is_elementwise(i.opcode)) return elementwise_cost(i, owner);
  const std::vector<ComputationPtr> called = called_computations(i);
  const auto operand = [&](size_t k) -> const Shape& { return owner.instruction(i.operands[k]).shape; };
  switch (i.opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAfterAll: return {};
    case Opcode::kDot: return dot_cost(i, owner);
    case Opcode::kConvolution: return convolution_cost(i, owner);
    case Opcode::kReduce: {
      const double gone = elements_of(operand(0)) - elements_of(i.shape) / static_cast<double>(i.operands.size() / 2);
      return body_cost(costs_.at(called[0].get()), std::max(0.0, gone), bytes_through(i, owner));
    }
    case Opcode::kReduceWindow: return reduce_window_cost(i, owner, costs_.at(called[0].get()));
    case Opcode::kSelectAndScatter:
      return select_and_scatter_cost(i, owner, costs_.at(called[0].get()), costs_.at(called[1].get()));
    case Opcode::kScatter: {
      const Shape& updates = operand(i.operands.size() - 1);
      const double bytes = 3 * bytes_of(updates) + bytes_of(operand(i.operands.size() / 2));
      return body_cost(costs_.at(called[0].get()), elements_of(updates), bytes);
    }
    case Opcode::kGather: return {.bytes = 2 * bytes_of(i.shape) + bytes_of(operand(1))};
    case Opcode::kSlice:
    case Opcode::kDynamicSlice: return {.bytes = 2 * bytes_of(i.shape)};
    case Opcode::kDynamicUpdateSlice: return {.bytes = 2 * bytes_of(operand(1))};
    case Opcode::kSort: return sort_cost(i, owner, costs_.at(called[0].get()));
    case Opcode::kWhile: {
      const auto& loop = attributes_of<WhileAttributes>(i);
      return while_cost(i, owner, costs_.at(loop.condition.get()), costs_.at(loop.body.get()));
    }
    case Opcode::kConditional: return most_expensive(called, costs_);
    case Opcode::kCall: return costs_.at(called[0].get());
    default: break;
  }
  Cost cost{.bytes = bytes_through(i, owner)};
  const bool moves = i.def().cost == CostClass::kFree || has_trait(i.opcode, kMovesData);
  cost.exact = moves && called.empty();
  return cost;
}

}  // namespace hilo::hlo
