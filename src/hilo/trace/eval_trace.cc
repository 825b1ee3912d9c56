// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/eval_trace.h"

#include "hilo/hlo/ops/reshape.h"
#include "hilo/trace/bad_values.h"
#include "hilo/trace/dispatch.h"
#include "hilo/trace/key_reuse.h"
#include "hilo/trace/settings.h"

namespace hilo {
namespace {

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
    const PrimitiveParams params{operation.attributes, operation.declared};
    const PrimitiveCallable callable =
        xla_primitive_callable(primitive_of(operation.opcode), operation.operands, params);
    std::vector<Array> results = execute_compiled_primitive(*callable, operation.operands);
    if (looks_for_bad_values() && any_bad_value(results, BadValues::wanted())) report_bad_values(operation);
    return results;
  }
};

}  // namespace

Trace& eval_trace() {
  static auto* trace = new EvalTrace;
  return *trace;
}

}  // namespace hilo
