// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/eval_trace.h"

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/trace/bad_values.h"
#include "hilo/trace/dispatch.h"
#include "hilo/trace/key_reuse.h"
#include "hilo/trace/settings.h"
#include "hilo/trace/sharded_program.h"
#include "hilo/trace/sharding_constraint.h"

namespace hilo {
namespace {

/// The mesh of the constraints in what the operation calls.
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

/// An operation on arrays that several devices share runs on these; so do its results lie there.
std::vector<Array> compute_on_mesh(const Operation& operation, const PrimitiveParams& params,
                                   std::optional<Mesh> stated) {
  std::vector<Shape> shapes;
  for (const Array& operand : operation.operands) shapes.push_back(operand.aval_shape());
  const LocalComputation computation = primitive_computation(primitive_of(operation.opcode), shapes, params);
  const ShardedCall call{.meaning = computation.module().entry->fingerprint(), .mesh = std::move(stated)};
  const std::optional<Mesh> mesh = mesh_of_call(call, operation.operands);
  std::vector<Array> results = run_on_mesh(call, *mesh, operation.operands, [&] { return computation.module(); });
  const bool weak = is_weak_result(operation.opcode, operation.operands);
  for (Array& result : results) result = with_weak_type(result, weak);
  return results;
}

class EvalTrace final : public Trace {
 public:
  EvalTrace() : Trace(nullptr, "eval") {}

  std::vector<Array> bind(const Operation& operation) override {
    if (operation.opcode == hlo::Opcode::kConstant) {
      return {Array::from_literal(static_cast<const hlo::ConstantAttributes&>(*operation.attributes).value)};
    }
    if (is_on(Setting::kNoExecution))
      refuse_under("no_execution", at_user_line(hlo::opcode_name(operation.opcode)) + ": the operation would run");
    return follows_keys() ? follow_keys(operation, [&] { return run(operation); }) : run(operation);
  }

 private:
  static std::vector<Array> run(const Operation& operation) {
    std::vector<Array> results = compute(operation);
    if (looks_for_bad_values() && any_bad_value(results, BadValues::wanted())) report_bad_values(operation);
    return results;
  }

  static std::vector<Array> compute(const Operation& operation) {
    const PrimitiveParams params{operation.attributes, operation.declared};
    if (std::optional<Mesh> mesh = mesh_within(operation); mesh || any_sharded(operation.operands))
      return compute_on_mesh(operation, params, std::move(mesh));
    const PrimitiveCallable callable =
        xla_primitive_callable(primitive_of(operation.opcode), operation.operands, params);
    return execute_compiled_primitive(*callable, operation.operands);
  }
};

}  // namespace

Trace& eval_trace() {
  static auto* trace = new EvalTrace;
  return *trace;
}

}  // namespace hilo
