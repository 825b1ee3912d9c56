// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/scalar_program.h"

#include <algorithm>

#include "hilo/engine/region_ops.h"
#include "hilo/engine/register_loop.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::engine {

using hlo::attributes_of;
using hlo::Opcode;

namespace {

constexpr size_t kMaxOps = 4000;  // the code is one function; larger bodies run from the step list
constexpr int kMaxScalarDepth = 16;

bool is_scalar_shape(const Shape& shape) {
  return shape.is_tuple() ? std::ranges::all_of(shape.leaves(), &Shape::is_scalar) : shape.is_scalar();
}

bool casts_bits(const hlo::Computation& computation, const hlo::Instruction& i) {
  if (i.opcode != Opcode::kBitcastConvert) return false;
  const Shape& from = computation.instruction(i.operands[0]).shape;
  return from.is_scalar() && keeps_width(from.element_type(), i.shape.element_type());
}

bool is_scalar_op(Opcode opcode) {
  return is_lanewise(opcode) || opcode == Opcode::kParameter || opcode == Opcode::kConstant ||
         opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement || opcode == Opcode::kCall ||
         opcode == Opcode::kWhile || opcode == Opcode::kConditional || opcode == Opcode::kOptimizationBarrier ||
         opcode == Opcode::kReshape || opcode == Opcode::kBroadcast || opcode == Opcode::kIota;
}

bool is_scalar_program(const hlo::Computation& computation, size_t& ops, int depth) {
  ops += computation.size();
  if (ops > kMaxOps || depth > kMaxScalarDepth) return false;
  for (const hlo::Instruction& i : computation.instructions()) {
    if (!is_scalar_shape(i.shape) || (!is_scalar_op(i.opcode) && !casts_bits(computation, i))) return false;
    if (i.opcode == Opcode::kConstant && !splat_bits(attributes_of<hlo::ConstantAttributes>(i).value)) return false;
    for (const hlo::ComputationPtr& called : called_computations(i)) {
      if (!is_scalar_program(*called, ops, depth + 1)) return false;
    }
  }
  return true;
}

}  // namespace

bool is_scalar_program(const hlo::Computation& computation) {
  size_t ops = 0;
  return is_scalar_program(computation, ops, 0);
}

bool is_scalar_function(const hlo::Computation& computation) {
  if (is_scalar_program(computation)) return true;
  return is_scalar_shape(computation.result_shape()) &&
         std::ranges::all_of(computation.parameter_shapes(), is_scalar_shape) && is_register_program(computation);
}

}  // namespace hilo::engine
