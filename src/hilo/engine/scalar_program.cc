// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/scalar_program.h"

#include "hilo/engine/region_ops.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::engine {

using hlo::attributes_of;
using hlo::Opcode;

namespace {

constexpr size_t kMaxOps = 4000;  // code is one function; larger bodies run from the step list
constexpr int kMaxDepth = 16;

bool is_scalar_shape(const Shape& shape) {
  if (shape.is_tuple()) {
    for (const Shape& leaf : shape.leaves()) {
      if (!is_scalar_shape(leaf)) return false;
    }
    return true;
  }
  return shape.is_scalar();
}

bool is_scalar_op(Opcode opcode) {
  return is_lanewise(opcode) || opcode == Opcode::kParameter || opcode == Opcode::kConstant ||
         opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement || opcode == Opcode::kCall ||
         opcode == Opcode::kWhile || opcode == Opcode::kConditional || opcode == Opcode::kOptimizationBarrier ||
         opcode == Opcode::kReshape || opcode == Opcode::kBroadcast || opcode == Opcode::kIota;
}

bool is_scalar_program(const hlo::Computation& computation, size_t& ops, int depth) {
  ops += computation.size();
  if (ops > kMaxOps || depth > kMaxDepth) return false;
  for (const hlo::Instruction& i : computation.instructions()) {
    if (!is_scalar_op(i.opcode) || !is_scalar_shape(i.shape)) return false;
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

}  // namespace hilo::engine
