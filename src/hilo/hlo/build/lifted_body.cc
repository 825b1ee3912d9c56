// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/build/lifted_body.h"

#include <algorithm>

#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {

bool can_be_lifted(const Computation& body) {
  return std::ranges::all_of(body.instructions(), [&](const Instruction& i) {
    if (i.opcode == Opcode::kTuple) return i.id == body.root_id();
    const bool casts = i.opcode == Opcode::kBitcastConvert && body.instruction(i.operands[0]).shape.is_scalar();
    return i.shape.is_scalar() &&
           (i.opcode == Opcode::kParameter || i.opcode == Opcode::kConstant || is_elementwise(i.opcode) || casts);
  });
}

Exprs lifted(Sink& sink, const Computation& body, std::span<const int64_t> sizes, const Exprs& arguments) {
  Exprs values;
  for (const Instruction& i : body.instructions()) {
    Exprs operands;
    for (InstructionId operand : i.operands) operands.push_back(values[operand]);
    if (i.opcode == Opcode::kTuple) return operands;
    const Shape shape = Shape::array(i.shape.element_type(), sizes);
    if (i.opcode == Opcode::kParameter) values.push_back(arguments[parameter_number(i)]);
    else if (i.opcode == Opcode::kConstant)
      values.push_back(full(sink, shape, attributes_of<ConstantAttributes>(i).value));
    else values.push_back(sink.add(i.opcode, operands, i.attributes, shape));
  }
  return {values[body.root_id()]};
}

}  // namespace hilo::hlo
