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

double dot_flops(const Instruction& i, const Computation& owner) {
  const Shape& lhs = owner.instruction(i.operands[0]).shape;
  double contracted = 1;
  for (int64_t d : attributes_of<DotAttributes>(i).lhs_contracting_dimensions)
    contracted *= static_cast<double>(lhs.dimension(d));
  return 2 * elements_of(i.shape) * contracted;
}

double convolution_flops(const Instruction& i, const Computation& owner) {
  const auto& a = attributes_of<ConvolutionAttributes>(i);
  const Shape& kernel = owner.instruction(i.operands[1]).shape;
  const auto outputs = static_cast<double>(std::max<int64_t>(1, kernel.dimension(a.dimensions.kernel_output)));
  return 2 * elements_of(i.shape) * elements_of(kernel) / outputs;
}

double reductions_of(const Instruction& i, const Computation& owner) {
  const double results = elements_of(i.shape) / static_cast<double>(i.operands.size() / 2);
  return std::max(0.0, elements_of(owner.instruction(i.operands[0]).shape) - results);
}

/// Counts one reduction per element of each window; for a running reduction, one per element of the array.
double window_reductions_of(const Instruction& i, const Computation& owner) {
  const auto& a = attributes_of<ReduceWindowAttributes>(i);
  double steps = elements_of(i.shape) / static_cast<double>(i.operands.size() / 2);
  if (!cumulative_of(a.window, owner.instruction(i.operands[0]).shape.dimensions())) {
    for (const WindowDimension& w : a.window) steps *= static_cast<double>(w.size);
  }
  return steps;
}

double comparisons_of(const Instruction& sort, const Computation& owner) {
  const Shape& keys = owner.instruction(sort.operands[0]).shape;
  const int64_t length = std::max<int64_t>(1, keys.dimension(attributes_of<SortAttributes>(sort).dimension()));
  return elements_of(keys) * std::bit_width(static_cast<uint64_t>(length - 1));
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

double product_flops(const Instruction& i, const Computation& owner) {
  return i.opcode == Opcode::kDot ? dot_flops(i, owner) : convolution_flops(i, owner);
}

std::vector<RepeatedComputation> repetitions(const Instruction& i, const Computation& owner) {
  const std::vector<ComputationPtr> called = called_computations(i);
  switch (i.opcode) {
    case Opcode::kReduce: return {{called[0].get(), reductions_of(i, owner)}};
    case Opcode::kReduceWindow: return {{called[0].get(), window_reductions_of(i, owner)}};
    case Opcode::kSelectAndScatter: {  // n - 1 comparisons and one combination for a window of n elements
      double volume = 1;
      for (const WindowDimension& w : attributes_of<SelectAndScatterAttributes>(i).window)
        volume *= static_cast<double>(w.size);
      const double windows = elements_of(owner.instruction(i.operands[1]).shape);
      return {{called[0].get(), windows * (volume - 1)}, {called[1].get(), windows}};
    }
    case Opcode::kScatter: return {{called[0].get(), elements_of(owner.instruction(i.operands.back()).shape)}};
    case Opcode::kSort: return {{called[0].get(), comparisons_of(i, owner)}};
    case Opcode::kWhile: {
      const auto& loop = attributes_of<WhileAttributes>(i);
      const auto trips = static_cast<double>(trip_count(i, owner).value_or(1));
      return {{loop.condition.get(), trips + 1}, {loop.body.get(), trips}};
    }
    case Opcode::kCall: return {{called[0].get(), 1}};
    default: return {};
  }
}

Cost CostAnalysis::of(const Instruction& i, const Computation& owner) const {
  if (is_elementwise(i.opcode)) return elementwise_cost(i, owner);
  const auto operand = [&](size_t k) -> const Shape& { return owner.instruction(i.operands[k]).shape; };
  Cost cost;
  for (const RepeatedComputation& part : repetitions(i, owner)) cost += costs_.at(part.computation).times(part.times);
  switch (i.opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAfterAll:
    case Opcode::kCall: return cost;
    case Opcode::kDot:
    case Opcode::kConvolution: return {.flops = product_flops(i, owner), .bytes = bytes_through(i, owner)};
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
    case Opcode::kSort: cost.bytes = bytes_through(i, owner); return cost;  // bodies work in registers
    case Opcode::kScatter:
      cost.bytes = 3 * bytes_of(operand(i.operands.size() - 1)) + bytes_of(operand(i.operands.size() / 2));
      return cost;
    case Opcode::kGather: return {.bytes = 2 * bytes_of(i.shape) + bytes_of(operand(1))};
    case Opcode::kSlice:
    case Opcode::kDynamicSlice: return {.bytes = 2 * bytes_of(i.shape)};
    case Opcode::kDynamicUpdateSlice: return {.bytes = 2 * bytes_of(operand(1))};
    case Opcode::kWhile: cost.exact = cost.exact && trip_count(i, owner).has_value(); return cost;
    case Opcode::kConditional: return most_expensive(called_computations(i), costs_);
    default: break;
  }
  cost.bytes = bytes_through(i, owner);
  const bool moves = i.def().cost == CostClass::kFree || has_trait(i.opcode, kMovesData);
  cost.exact = moves && called_computations(i).empty();
  return cost;
}

}  // namespace hilo::hlo
