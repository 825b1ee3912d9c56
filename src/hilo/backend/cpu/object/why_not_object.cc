// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/why_not_object.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/source_lines.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/passes/trip_count.h"

namespace hilo::cpu {

using engine::LibraryCall, engine::Plan, engine::Step, engine::StepKind, engine::StepList;

namespace {

/// Returns how messages name what a step computes.
std::string described(const Plan& plan, const Step& step, const hlo::Module& optimized) {
  const std::vector<hlo::ComputationPtr> computations = computations_of(optimized);
  for (const engine::InstructionPlace& place : plan.work[step.work].instructions) {
    if (place.computation < computations.size())
      return hlo::describe(computations[place.computation]->instruction(place.id), hlo::SourceLines(optimized));
  }
  return plan.library_calls[step.index].symbol;
}

/// Returns the function that a call needs: of a custom call, its target.
std::string called(const LibraryCall& call) {
  if (call.call == nullptr || call.call->root().opcode != hlo::Opcode::kCustomCall) return call.symbol;
  return hlo::custom_call_target(hlo::attributes_of<hlo::CustomCallAttributes>(call.call->root()));
}

Status check_steps(const Plan& plan, const Routines& routines, ObjectRuntime runtime, const StepList& steps,
                   const hlo::Module& optimized) {
  for (const Step& step : steps) {
    if (step.kind != StepKind::kLibrary) continue;
    const bool is_in_runtime = routines[step.index].has_value();
    if (is_in_runtime && runtime == ObjectRuntime::kLibrary) continue;
    const std::string& symbol = plan.library_calls[step.index].symbol;
    if (symbol == engine::kRegisterLoop || symbol == engine::kStraightLine) continue;
    if (symbol == engine::kToRowMajor || symbol == engine::kFromRowMajor)
      return unimplemented("writing an object: an argument or a result isn't row-major, and its copies are hilo's");
    const std::string_view hint = is_in_runtime ? "--runtime rt, and a program that links libhilo_rt.a"
                                                : "`hilo plan FILE` lists the steps of a program";
    return unimplemented(
        fmt::format("writing an object: {} calls '{}' of hilo's library; wanted ops that become code "
                    "of their own{}. Hint: {}",
                    described(plan, step, optimized), called(plan.library_calls[step.index]),
                    runtime == ObjectRuntime::kLibrary ? " or functions of libhilo_rt.a" : "", hint));
  }
  return ok_status();
}

Status refused_replicas(const ProgramSignature& signature, const hlo::Module& optimized) {
  for (const hlo::ComputationPtr& computation : computations_of(optimized)) {
    for (const hlo::Instruction& i : computation->instructions()) {
      if (!hlo::differs_between_replicas(i.opcode)) continue;
      return unimplemented(fmt::format("writing an object: {} needs the other replicas of {}; wanted a program of one",
                                       hlo::describe(i, hlo::SourceLines(optimized)), signature.replica_count));
    }
  }
  return unimplemented(
      fmt::format("writing an object: the program is for {} replicas; wanted one", signature.replica_count));
}

}  // namespace

Status why_not_object(const Plan& plan, const Routines& routines, ObjectRuntime runtime,
                      const ProgramSignature& signature, const hlo::Module& optimized) {
  if (signature.replica_count != 1 || signature.meets_others) return refused_replicas(signature, optimized);
  Status status;
  const auto check = [&](const StepList& steps) {
    if (status.ok()) status = check_steps(plan, routines, runtime, steps, optimized);
  };
  for_each_list(plan, check);
  for (const engine::WholeLoop& loop : plan.whole_loops) check(loop.handed_out);
  return status;
}

Status why_not_realtime(const hlo::Module& optimized) {
  for (const hlo::ComputationPtr& computation : computations_of(optimized)) {
    for (const hlo::Instruction& i : computation->instructions()) {
      if (i.opcode != hlo::Opcode::kWhile || hlo::trip_count(i, *computation)) continue;
      return failed_precondition(
          fmt::format("writing an object for real time: the number of turns of {} isn't known "
                      "before a call; wanted loops that count to a constant",
                      hlo::describe(i, hlo::SourceLines(optimized))));
    }
  }
  return ok_status();
}

Status refused_function(std::string_view symbol, ObjectRuntime runtime, const hlo::Module& optimized) {
  const std::string_view hint =
      runtime == ObjectRuntime::kNone ? ". Hint: --runtime rt, and a program that links libhilo_rt.a" : "";
  // "hilo_sqrt" and a type
  const size_t end = symbol.rfind('_');
  if (symbol.starts_with("hilo_") && end > 5 && end != std::string_view::npos) {
    const std::string_view op = symbol.substr(5, end - 5), type = symbol.substr(end + 1);
    for (const hlo::ComputationPtr& computation : computations_of(optimized)) {
      for (const hlo::Instruction& i : computation->instructions()) {
        if (hlo::opcode_name(i.opcode) != op || !i.shape.is_array() ||
            element_type_name(i.shape.element_type()) != type)
          continue;
        return unimplemented(fmt::format("writing an object: {} of {} calls '{}' of hilo's library{}",
                                         hlo::describe(i, hlo::SourceLines(optimized)), type, symbol, hint));
      }
    }
  }
  return unimplemented(fmt::format("writing an object: a kernel calls '{}' of hilo's library{}", symbol, hint));
}

}  // namespace hilo::cpu
