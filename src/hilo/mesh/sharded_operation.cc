// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/sharded_operation.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/mesh/sharded_program.h"
#include "hilo/mesh/sharding_constraint.h"
#include "hilo/mesh/shards.h"
#include "hilo/trace/dispatch.h"

namespace hilo {
namespace {

/// Returns the mesh of the constraints in the operation's called computations.
std::optional<Mesh> mesh_within(const Operation& operation) {
  const bool calls = operation.opcode == hlo::Opcode::kCall || operation.opcode == hlo::Opcode::kWhile ||
                     operation.opcode == hlo::Opcode::kConditional || operation.opcode == hlo::kExtScan ||
                     operation.opcode == hlo::kExtCustomRules || operation.opcode == hlo::kExtCustomVjp;
  if (!calls) return std::nullopt;
  hlo::Instruction as_instruction;
  as_instruction.opcode = operation.opcode;
  as_instruction.attributes = operation.attributes;
  for (const hlo::ComputationPtr& called : hlo::called_computations(as_instruction)) {
    if (std::optional<Mesh> mesh = mesh_of_constraints(called)) return mesh;
  }
  return std::nullopt;
}

/// Runs on the devices of the constraints, or else of the operands; the results are sharded over them.
std::vector<Array> compute_on_mesh(const Operation& operation, std::optional<Mesh> stated) {
  std::vector<Shape> shapes;
  for (const Array& operand : operation.operands) shapes.push_back(operand.aval_shape());
  const PrimitiveParams params{operation.attributes, operation.declared};
  const LocalComputation computation = primitive_computation(primitive_of(operation.opcode), shapes, params);
  const ShardedCall call{.meaning = computation.module().entry->fingerprint(), .mesh = std::move(stated)};
  const std::optional<Mesh> mesh = mesh_of_call(call, operation.operands);
  std::vector<Array> results = run_on_mesh(call, *mesh, operation.operands, [&] { return computation.module(); });
  const bool weak = is_weak_result(operation.opcode, operation.operands);
  for (Array& result : results) result = with_weak_type(result, weak);
  return results;
}

}  // namespace

std::vector<Array> ShardedArray::run(const Operation& operation) const {
  return compute_on_mesh(operation, mesh_within(operation));
}

std::optional<std::vector<Array>> run_constrained(const Operation& operation) {
  std::optional<Mesh> mesh = mesh_within(operation);
  if (!mesh) return std::nullopt;
  return compute_on_mesh(operation, std::move(mesh));
}

}  // namespace hilo
