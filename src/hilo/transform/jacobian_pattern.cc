// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jacobian_pattern.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using hlo::Opcode;

/// Whether the opcode, if not elementwise, passes a NaN in an element of an operand to all results that depend on it.
bool passes_nan(Opcode opcode) {
  constexpr std::array kOpcodes = {Opcode::kBroadcast,
                                   Opcode::kCall,
                                   Opcode::kConcatenate,
                                   Opcode::kConditional,
                                   Opcode::kConstant,
                                   Opcode::kDot,
                                   Opcode::kDynamicSlice,
                                   Opcode::kDynamicUpdateSlice,
                                   Opcode::kGather,
                                   Opcode::kIota,
                                   Opcode::kGetTupleElement,
                                   Opcode::kOptimizationBarrier,
                                   Opcode::kPad,
                                   Opcode::kParameter,
                                   Opcode::kReduce,
                                   Opcode::kReshape,
                                   Opcode::kReverse,
                                   Opcode::kScatter,
                                   Opcode::kSlice,
                                   Opcode::kTranspose,
                                   Opcode::kTuple,
                                   Opcode::kWhile,
                                   hlo::kExtScan,
                                   hlo::kExtCustomRules,
                                   hlo::kExtCumsum,
                                   hlo::kExtStopGradient};
  return hlo::is_elementwise(opcode) || std::ranges::find(kOpcodes, opcode) != kOpcodes.end();
}

bool is_float(const Shape& shape) { return shape.is_array() && is_floating(shape.element_type()); }

/// Whether a value that isn't a float may depend on an argument: a predicate, an index.
bool chooses(const hlo::Computation& c) {
  std::vector<bool> constant(c.size(), false);
  for (const hlo::Instruction& i : c.instructions()) {
    const bool any = !i.operands.empty();
    constant[i.id] = i.opcode == Opcode::kConstant || i.opcode == Opcode::kIota ||
                     (any && std::ranges::all_of(i.operands, [&](hlo::InstructionId o) { return constant[o]; }));
    if (!i.shape.is_array() || is_float(i.shape) || constant[i.id]) continue;
    const auto from_float = [&](hlo::InstructionId o) { return is_float(c.instruction(o).shape); };
    if (std::ranges::any_of(i.operands, from_float)) return true;
  }
  return false;
}

bool nan_shows_dependence(const hlo::ComputationPtr& entry) {
  return std::ranges::all_of(hlo::computations_of(entry), [](const hlo::ComputationPtr& c) {
    const auto passes = [](const hlo::Instruction& i) { return passes_nan(i.opcode); };
    return std::ranges::all_of(c->instructions(), passes) && !chooses(*c);
  });
}

SparsityPattern dense(int64_t rows, int64_t columns) {
  SparsityPattern pattern{rows, columns, {}};
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t row = 0; row < rows; ++row) pattern.entries.emplace_back(row, column);
  }
  return pattern;
}

/// Returns points, a row each: for each column, one in which only that element is NaN. The other elements are between
/// 0.2 and 0.8 and all different.
Array points(int64_t columns, double start) {
  const int64_t sizes[] = {columns, columns};
  std::vector<double> values(static_cast<size_t>(columns * columns));
  double whole = 0;
  for (int64_t k = 0; k < columns * columns; ++k)
    values[static_cast<size_t>(k)] = k % (columns + 1) == 0
                                         ? std::numeric_limits<double>::quiet_NaN()
                                         : 0.2 + 0.6 * std::modf(start * double(1 + k % columns), &whole);
  return Array::from_literal(Literal::array<double>(sizes, values));
}

}  // namespace

SparsityPattern jacobian_pattern(const FlatFunction& f, int64_t columns) {
  const Aval aval{Shape::array(ElementType::kF64, {columns}), false};
  const StagedFunction staged = stage(f, std::span(&aval, 1), "jacobian_pattern", "f", CapturePlace::kNone);
  const int64_t rows = staged.results[0].shape.element_count();
  if (rows == 0 || columns == 0 || !nan_shows_dependence(staged.computation)) return dense(rows, columns);
  const auto one = [&f](const Array& x) { return f(std::span(&x, 1))[0]; };
  const auto batch = [&one](const Array& x) { return vmap(one)(x); };
  // Multiples of the golden ratio and of the square root of 2.
  const Array at_first = points(columns, 0.618033988749895), at_second = points(columns, 0.414213562373095);
  const auto all = jit(batch).lower(at_first).compile();
  const Literal first = all(at_first).to_literal(), second = all(at_second).to_literal();
  SparsityPattern pattern{rows, columns, {}};
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t row = 0; row < rows; ++row) {
      const auto at = static_cast<size_t>(column * rows + row);
      if (std::isnan(first.data<double>()[at]) && std::isnan(second.data<double>()[at]))
        pattern.entries.emplace_back(row, column);
    }
  }
  return pattern;
}

}  // namespace hilo
