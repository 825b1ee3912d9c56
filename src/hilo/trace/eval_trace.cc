// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/eval_trace.h"

#include <atomic>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/trace/bad_values.h"
#include "hilo/trace/dispatch.h"
#include "hilo/trace/key_reuse.h"
#include "hilo/trace/settings.h"

namespace hilo {
namespace {

constinit std::atomic<ConstrainedRun> stated_run{nullptr};

class EvalTrace final : public Trace {
 public:
  EvalTrace() : Trace(nullptr, "eval") {}

  std::vector<Array> bind(const Operation& operation) override {
    if (operation.opcode == hlo::Opcode::kConstant) {
      return {Array::from_literal(static_cast<const hlo::ConstantAttributes&>(*operation.attributes).value)};
    }
    if (is_on(Setting::kNoExecution))
      refuse_under("no_execution", at_user_line(hlo::opcode_name(operation.opcode)) + ": the operation would run");
    return tracks_keys() ? track_keys(operation, [&] { return run(operation); }) : run(operation);
  }

 private:
  static std::vector<Array> run(const Operation& operation) {
    std::vector<Array> results = compute(operation);
    if (checks_bad_values() && any_bad_value(results, BadValues::enabled())) report_bad_values(operation);
    return results;
  }

  static std::vector<Array> compute(const Operation& operation) {
    for (const Array& operand : operation.operands) {
      if (operand.impl().kind == ArrayImpl::Kind::kSpread)
        return static_cast<const SpreadArray&>(operand.impl()).run(operation);
    }
    if (const ConstrainedRun run_constrained = stated_run.load(std::memory_order_acquire)) {
      if (std::optional<std::vector<Array>> results = run_constrained(operation)) return *std::move(results);
    }
    const PrimitiveCallable callable = xla_primitive_callable(primitive_of(operation.opcode), operation.operands,
                                                              {operation.attributes, operation.declared});
    return execute_compiled_primitive(*callable, operation.operands);
  }
};

}  // namespace

Trace& eval_trace() {
  static auto* trace = new EvalTrace;
  return *trace;
}

void run_constrained_by(ConstrainedRun run) { stated_run.store(run, std::memory_order_release); }
bool uses_sharding_constraints() { return stated_run.load(std::memory_order_acquire) != nullptr; }

}  // namespace hilo
