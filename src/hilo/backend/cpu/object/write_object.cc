// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/write_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "hilo/backend/cpu/emit/jit.h"
#include "hilo/backend/cpu/object/casadi.h"
#include "hilo/backend/cpu/object/driver.h"
#include "hilo/backend/cpu/object/header.h"
#include "hilo/backend/cpu/object/manifest.h"
#include "hilo/backend/cpu/object/math_code.h"
#include "hilo/backend/cpu/object/processor_level.h"
#include "hilo/backend/cpu/object/why_not_object.h"
#include "hilo/hlo/cost/cost.h"

namespace hilo::cpu {

using engine::Plan;

namespace {

/// Returns the functions of hilo's library that the code of the plans calls.
StatusOr<std::vector<std::string>> library_functions(std::span<const LevelPlan> levels) {
  std::set<std::string> names;
  for (const LevelPlan& level : levels) {
    for (const engine::ObjectPtr& object : level.plan->objects) {
      HILO_ASSIGN_OR_RETURN(const std::vector<std::string> undefined, undefined_names(*object));
      names.insert(undefined.begin(), undefined.end());
    }
  }
  std::erase_if(names, [](const std::string& name) { return is_c_function(name); });
  return std::vector(names.begin(), names.end());
}

std::string object_prefix(const std::string& prefix, size_t object) { return fmt::format("{}.{}.", prefix, object); }

/// What is written: plans for some levels, and their calls of libhilo_rt.a.
struct Source {
  std::span<const LevelPlan> levels;
  std::vector<Routines> routines;  ///< per level
  const CInterface& interface;
  const hlo::Module& optimized;
  ObjectRuntime runtime;
  const std::optional<CasadiFunction>& casadi;

  int64_t arena_bytes() const {
    int64_t bytes = 0;
    for (size_t k = 0; k < levels.size(); ++k) {
      const int64_t scratch = scratch_bytes(routines[k]);
      bytes = std::max(bytes, scratch == 0 ? levels[k].plan->arena_bytes : scratch_offset(*levels[k].plan) + scratch);
    }
    return bytes;
  }
  DriverSource driver(size_t level, std::string prefix) const {
    const Plan& plan = *levels[level].plan;
    std::vector<std::string> functions;
    for (const engine::PlannedFunction& f : plan.functions)
      functions.push_back(object_prefix(prefix, f.object) + f.name);
    return {plan, interface, arena_bytes(), std::move(prefix), std::move(functions), routines[level]};
  }
};

/// The objects that are joined, and what they are.
struct Parts {
  std::vector<std::string> drivers = {};
  std::vector<ObjectPart> objects = {};
  std::vector<PartRole> roles = {};
};

void add_objects(Parts& parts, const LevelPlan& level, size_t number, const std::string& prefix) {
  for (size_t k = 0; k < level.plan->objects.size(); ++k) {
    parts.objects.push_back({*level.plan->objects[k], object_prefix(prefix, k)});
    parts.roles.push_back({number, false});
  }
}

/// Compiles the drivers. The first one has NAME, NAME_call, and the functions that kernels of all levels call.
StatusOr<Parts> parts_of(const Source& source) {
  const std::span<const LevelPlan> levels = source.levels;
  const CInterface& interface = source.interface;
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string> called, library_functions(levels));
  std::vector<Isa> isas;
  for (const LevelPlan& level : levels) isas.push_back(level.isa);
  const bool one = levels.size() == 1;
  const auto emit = [&](llvm::Module& module) {
    for (const std::string& name : called) {
      if (!emit_math(module, name, source.runtime)) return refused_function(name, source.runtime, source.optimized);
    }
    if (one) emit_call(module, source.driver(0, interface.name));
    else emit_dispatch(module, interface, isas);
    emit_typed(module, interface);
    if (source.casadi) emit_casadi(module, *source.casadi, interface, source.arena_bytes());
    return ok_status();
  };
  Parts parts;
  parts.drivers.reserve(levels.size() + 1);  // the objects refer to them
  HILO_ASSIGN_OR_RETURN(parts.drivers.emplace_back(), object_code(interface.name.c_str(), isas[0], emit));
  parts.objects.push_back({parts.drivers[0]});
  parts.roles.push_back({});
  if (one) add_objects(parts, levels[0], 0, interface.name);
  for (size_t k = 0; k < levels.size() && !one; ++k) {
    const std::string prefix = level_prefix(interface, levels[k].isa);
    const auto emit_level = [&](llvm::Module& module) {
      emit_call(module, source.driver(k, prefix));
      return ok_status();
    };
    HILO_ASSIGN_OR_RETURN(parts.drivers.emplace_back(), object_code(interface.name.c_str(), levels[k].isa, emit_level));
    parts.objects.push_back({parts.drivers.back()});
    parts.roles.push_back({k, true});
    add_objects(parts, levels[k], k, prefix);
  }
  return parts;
}

/// Returns the names that stay visible.
std::vector<std::string> exported_names(const CInterface& interface, const ObjectOptions& options) {
  std::vector<std::string> names = {interface.name, interface.name + "_call"};
  if (!options.casadi) return names;
  for (const auto& more : {casadi_names(*options.casadi), options.casadi->functions})
    names.insert(names.end(), more.begin(), more.end());
  return names;
}

StatusOr<JoinedObject> joined(const Parts& parts, std::span<const std::string> exported, bool dispatches) {
  const std::array<RawFunction, 1> raw = {processor_level()};
  HILO_ASSIGN_OR_RETURN(JoinedObject object,
                        join_objects(parts.objects, exported, std::span(raw).first(dispatches ? 1 : 0)));
  for (const std::string& name : object.undefined) {
    if (!is_c_function(name) && !name.starts_with(kRuntimePrefix))
      return internal_error(fmt::format("writing an object: '{}' is undefined", name));
  }
  return object;
}

/// Returns the number of steps of a plan that are calls of libhilo_rt.a.
int64_t runtime_steps(const Plan& plan, const Routines& routines) {
  int64_t count = 0;
  const auto add = [&](const engine::StepList& steps) {
    for (const engine::Step& step : steps)
      count += step.kind == engine::StepKind::kLibrary && routines[step.index] ? 1 : 0;
  };
  for_each_list(plan, add);
  for (const engine::WholeLoop& loop : plan.whole_loops) add(loop.handed_out);
  return count;
}

StatusOr<ObjectFigures> figures_of(const JoinedObject& object, const Parts& parts, const Source& source) {
  const hlo::Module& optimized = source.optimized;
  ObjectFigures figures;
  figures.program = optimized.name;
  figures.runtime = source.runtime;
  figures.arena_bytes = source.arena_bytes();
  for (size_t k = 0; k < source.levels.size(); ++k) {
    const LevelPlan& level = source.levels[k];
    figures.isas.push_back(level.isa);
    figures.library_calls = std::max(figures.library_calls, runtime_steps(*level.plan, source.routines[k]));
    figures.kernels = std::max<int64_t>(figures.kernels, std::ssize(level.plan->kernels));
    figures.loops =
        std::max<int64_t>(figures.loops, std::ssize(level.plan->loops) + std::ssize(level.plan->whole_loops));
  }
  figures.text_bytes = object.text_bytes;
  figures.data_bytes = object.data_bytes;
  figures.undefined = object.undefined;
  HILO_ASSIGN_OR_RETURN(figures.stack_bytes, stack_bytes_of(object, parts.roles));
  if (!why_not_realtime(optimized).ok()) return figures;
  const hlo::Cost cost = hlo::CostAnalysis(optimized.entry).of(*optimized.entry);
  figures.work = CallWork{cost.flops + cost.transcendentals, cost.bytes};
  return figures;
}

std::string work_text(const CInterface& interface, const ObjectFigures& figures) {
  const std::string work = figures.work ? fmt::format("{:.0f} operations, {:.0f} bytes read and written",
                                                      figures.work->operations, figures.work->bytes)
                                        : "work that depends on its arguments";
  return fmt::format("{}: {}, {} kernels, {} loops, {} library calls, {} bytes of arena, at most {} of stack",
                     interface.name, work, figures.kernels, figures.loops, figures.library_calls, figures.arena_bytes,
                     figures.stack_bytes);
}

}  // namespace

StatusOr<ObjectFiles> write_object(std::span<const LevelPlan> levels, const ProgramSignature& signature,
                                   const hlo::Module& optimized, const ObjectOptions& options) {
  HILO_ASSIGN_OR_RETURN(const CInterface interface, c_interface(signature, options));
  Source source{levels, {}, interface, optimized, options.runtime, options.casadi};
  for (const LevelPlan& level : levels) {
    HILO_ASSIGN_OR_RETURN(source.routines.emplace_back(), routines_of(*level.plan, level.isa));
    HILO_RETURN_IF_ERROR(why_not_object(*level.plan, source.routines.back(), options.runtime, signature, optimized));
  }
  if (options.realtime) HILO_RETURN_IF_ERROR(why_not_realtime(optimized));
  if (options.casadi) HILO_RETURN_IF_ERROR(check_casadi(*options.casadi, interface));
  HILO_ASSIGN_OR_RETURN(const Parts parts, parts_of(source));
  const std::vector<std::string> exported = exported_names(interface, options);
  HILO_ASSIGN_OR_RETURN(JoinedObject object, joined(parts, exported, levels.size() > 1));
  HILO_ASSIGN_OR_RETURN(ObjectFigures figures, figures_of(object, parts, source));
  if (options.casadi && !options.casadi->objects.empty()) {
    std::vector<ObjectPart> whole = {{object.bytes}};
    for (const std::string& more : options.casadi->objects) whole.push_back({more});
    HILO_ASSIGN_OR_RETURN(JoinedObject all, join_objects(whole, exported));
    object.bytes = std::move(all.bytes);
    figures.text_bytes = all.text_bytes;
    figures.data_bytes = all.data_bytes;
    figures.undefined = std::move(all.undefined);
  }
  return ObjectFiles{std::move(object.bytes),
                     object_header(interface, figures),
                     object_manifest(interface, figures),
                     "",
                     work_text(interface, figures),
                     exported};
}

}  // namespace hilo::cpu
