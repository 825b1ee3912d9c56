// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/overwritten_carry.h"

#include <algorithm>
#include <optional>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/passes/loop_carry.h"
#include "hilo/hlo/passes/trip_count.h"

namespace hilo::hlo {
namespace {

std::optional<int64_t> integer(const Instruction& i) {
  if (i.opcode != Opcode::kConstant || !i.shape.is_scalar() || !is_integer(i.shape.element_type())) return std::nullopt;
  const double value = element_as_double(attributes_of<ConstantAttributes>(i).value, 0);
  return value >= -0x1p53 && value <= 0x1p53 ? std::optional(static_cast<int64_t>(value)) : std::nullopt;
}

/// Returns the first and last value of the index, if it is the counter or a constant minus the counter.
std::optional<std::pair<int64_t, int64_t>> range_of(const Computation& body, InstructionId index,
                                                    const CountedLoop& counted) {
  const auto is_counter = [&](InstructionId id) {
    return carry_element_read(body, body.instruction(id)) == counted.carry_index;
  };
  const int64_t first = counted.start, last = counted.start + (counted.trip_count - 1) * counted.step;
  if (is_counter(index)) return std::pair(first, last);
  const Instruction& i = body.instruction(index);
  if (i.opcode != Opcode::kSubtract || !is_counter(i.operands[1])) return std::nullopt;
  const std::optional<int64_t> from = integer(body.instruction(i.operands[0]));
  if (!from) return std::nullopt;
  return std::pair(*from - first, *from - last);
}

/// Returns whether the updates of all iterations write every row of an array of the element's shape, in order.
bool fills(const Computation& body, const Instruction& update, const CountedLoop& counted) {
  const Shape& all = update.shape;
  const Shape& row = body.instruction(update.operands[1]).shape;
  if (all.rank() == 0 || row.dimension(0) != 1 || counted.trip_count != all.dimension(0)) return false;
  for (int64_t d = 1; d < all.rank(); ++d) {
    if (row.dimension(d) != all.dimension(d)) return false;
  }
  const auto range = range_of(body, update.operands[2], counted);
  if (!range || (counted.step != 1 && counted.step != -1)) return false;
  return std::min(range->first, range->second) == 0 && std::max(range->first, range->second) == all.dimension(0) - 1;
}

bool reads_element(const Computation& c, int64_t element) {
  for (const Instruction& i : c.instructions()) {
    if (carry_element_read(c, i) == element) return true;
  }
  return false;
}

/// Returns the number of instructions that read the element.
int64_t uses_of(const Computation& c, int64_t element) {
  int64_t uses = 0;
  for (const Instruction& i : c.instructions()) {
    for (InstructionId operand : i.operands) uses += carry_element_read(c, c.instruction(operand)) == element;
  }
  return uses;
}

}  // namespace

std::vector<bool> overwritten_elements(const Instruction& loop, const Computation& computation) {
  const auto& attributes = attributes_of<WhileAttributes>(loop);
  const Computation& body = *attributes.body;
  if (!loop.shape.is_tuple()) return {};
  std::vector<bool> overwritten(loop.shape.tuple_size(), false);
  if (!reads_carry_by_element(*attributes.condition) || !reads_carry_by_element(body) ||
      body.root().opcode != Opcode::kTuple)
    return overwritten;
  const std::optional<CountedLoop> counted = counted_loop(loop, computation);
  if (!counted || counted->carry_index < 0 || counted->trip_count < 1) return overwritten;
  for (size_t k = 0; k < overwritten.size(); ++k) {
    const int64_t element = k;
    const Instruction& update = body.instruction(body.root().operands[k]);
    overwritten[k] = update.opcode == Opcode::kDynamicUpdateSlice &&
                     carry_element_read(body, body.instruction(update.operands[0])) == element &&
                     uses_of(body, element) == 1 && !reads_element(*attributes.condition, element) &&
                     fills(body, update, *counted);
  }
  return overwritten;
}

}  // namespace hilo::hlo
