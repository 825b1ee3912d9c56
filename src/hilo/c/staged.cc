// SPDX-License-Identifier: Apache-2.0
#include "hilo/c/staged.h"

#include <fmt/format.h>

#include "hilo/import/callable.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/staging_trace.h"

namespace hilo::c {

StatusOr<hlo::ComputationPtr> staged(const Program& program) {
  if (program.executable != nullptr)
    return unimplemented(fmt::format("{}: the file has a compiled program, which can't be transformed", program.name));
  for (const LoadedValue& argument : program.arguments) {
    if (!argument.shape.is_array())
      return invalid_argument(fmt::format("{}: argument '{}' is {}, with open sizes. Hint: hilo_load_options.shapes",
                                          program.name, argument.name, argument.type));
  }
  return stage(program.run, avals_of(program.arguments), "compile", program.name, CapturePlace::kNone).computation;
}

StatusOr<std::vector<LoadedValue>> results_of(const Program& program) {
  HILO_ASSIGN_OR_RETURN(const hlo::ComputationPtr computation, staged(program));
  return outputs_of(computation->result_shape());
}

Status stage_in_place(Program& program) {
  HILO_ASSIGN_OR_RETURN(const hlo::ComputationPtr computation, staged(program));
  program.run = [computation](std::span<const Array> x) { return ops::call(computation, {x.begin(), x.end()}); };
  program.results = outputs_of(computation->result_shape());
  return ok_status();
}

}  // namespace hilo::c
