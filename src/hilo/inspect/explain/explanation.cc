// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hilo/backend/cpu/library/costs.h"
#include "hilo/base/time_text.h"
#include "hilo/hlo/cost/cost.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/owners.h"
#include "hilo/inspect/graph/unit_groups.h"

namespace hilo {
namespace {

constexpr double kDoubtFactor = 2;      // factor by which measured times must contradict a choice
constexpr double kBoundByProducts = 4;  // flops per byte; a product with fewer is always limited by memory

bool is_kernel(const ExecutionUnit& unit) { return unit.kind == "kernel"; }

bool is_product(const hlo::Instruction& i) {
  return i.opcode == hlo::Opcode::kDot || i.opcode == hlo::Opcode::kConvolution;
}

/// The plan's data about the steps of one entry of Plan::work.
struct Planned {
  int64_t tasks = 1;
  bool divides = false;    ///< its outermost dimension has several units
  double nanoseconds = 0;  ///< on one thread, by the costs that the plan was computed with
};

std::vector<Planned> planned(const engine::Plan& plan) {
  std::vector<Planned> all(plan.work.size());
  engine::for_each_list(plan, [&](const engine::StepList& steps) {
    for (const engine::Step& step : steps) {
      if (step.kind != engine::StepKind::kKernel) continue;
      Planned& one = all[step.work];
      one.nanoseconds = plan.work[step.work].nanoseconds;
      if (step.chunk != 0) one.tasks = std::max<int64_t>(step.units / step.chunk, 1);
      one.divides = step.units > 1;
    }
  });
  return all;
}

/// The producers and readers of a program's instructions.
class Readers {
 public:
  Readers(const hlo::Module& module, std::span<const ExecutionUnit> units) : owners_(hlo::owners_of(module)) {
    for (const ExecutionUnit& unit : units) {
      for (const hlo::Instruction* i : unit.instructions) makers_[i].push_back(&unit);
    }
    for (const ExecutionUnit& unit : units) {
      for (const hlo::Instruction* from : read_by(unit)) ++readers_[from];
    }
  }

  const hlo::Computation& owner(const hlo::Instruction& i) const { return *owners_.at(&i); }

  /// Returns the values that a unit reads from memory that other units wrote, each once.
  std::vector<const hlo::Instruction*> read_by(const ExecutionUnit& unit) const {
    std::vector<const hlo::Instruction*> all;
    for (const hlo::Instruction* i : unit.instructions) {
      for (const hlo::InstructionId id : i->operands) {
        const hlo::Instruction* from = &owner(*i).instruction(id);
        const auto makers = makers_.find(from);
        if (makers == makers_.end() || std::ranges::find(makers->second, &unit) != makers->second.end()) continue;
        if (std::ranges::find(all, from) == all.end()) all.push_back(from);
      }
    }
    return all;
  }

  /// Explains why a value that `reader` reads is in memory instead of being computed by `reader`.
  std::string why_in_memory(const hlo::Instruction& value, const ExecutionUnit& reader) const {
    const ExecutionUnit& maker = *makers_.at(&value).front();
    if (!is_kernel(maker)) return fmt::format("what a {} computes is left in memory", maker.kind);
    if (!is_kernel(reader)) return fmt::format("a {} reads memory", reader.kind);
    if (readers_.at(&value) > 1) return fmt::format("{} units read it", readers_.at(&value));
    if (value.opcode == hlo::Opcode::kReduce) return "it is complete only after its loop";
    return "its reader would compute elements of it more than once, or in an order that one loop can't have";
  }

 private:
  const hlo::Owners owners_;
  std::unordered_map<const hlo::Instruction*, std::vector<const ExecutionUnit*>> makers_;
  std::unordered_map<const hlo::Instruction*, int64_t> readers_;
};

UnitWork work_of(const ExecutionUnit& unit, const Planned& how, const hlo::CostAnalysis& costs,
                 const Readers& readers) {
  UnitWork work{.bytes = unit.bytes, .tasks = how.tasks};
  for (const hlo::Instruction* i : unit.instructions) {
    const hlo::Cost cost = costs.of(*i, readers.owner(*i));
    work.is_product |= !is_kernel(unit) && is_product(*i);
    work.is_f64 |= i->shape.is_array() &&
                   (i->shape.element_type() == ElementType::kF64 || i->shape.element_type() == ElementType::kC128);
    // The elementwise figures don't cover other library calls.
    if (!is_kernel(unit) && !is_product(*i)) continue;
    work.flops += cost.flops;
    work.transcendentals += cost.transcendentals;
  }
  return work;
}

std::vector<std::string> chosen(const ExecutionUnit& unit, const Planned& how, const Readers& readers) {
  std::vector<std::string> lines;
  if (is_kernel(unit))
    lines.push_back(
        fmt::format("{}; planned as {} of one thread",
                    how.tasks > 1 ? fmt::format("threads share it: {} tasks", how.tasks) : "runs on one thread",
                    time_text(how.nanoseconds)));
  for (const hlo::Instruction* i : unit.instructions) {
    if (is_kernel(unit) && is_product(*i))
      lines.push_back(fmt::format("{} in a loop: too small for a call, or bound by memory", i->name));
  }
  for (const hlo::Instruction* value : readers.read_by(unit))
    lines.push_back(fmt::format("reads {} {} from memory: {}", value->name, value->shape.to_string(),
                                readers.why_in_memory(*value, unit)));
  return lines;
}

/// Returns choices that measured times contradict by a factor of kDoubtFactor.
std::vector<std::string> doubtful(const ExplainedUnit& unit, const UnitWork& work, const ExecutionUnit& of,
                                  const Planned& how, const MachineFigures& figures) {
  std::vector<std::string> lines;
  if (!is_kernel(of)) return lines;
  const double threads = figures.threads;
  if (how.tasks == 1 && how.divides && threads > 1 && unit.nanoseconds > kDoubtFactor * cpu::kCpuCosts.fork)
    lines.push_back(fmt::format("one thread takes {}; threads share what is estimated at {} or more",
                                time_text(unit.nanoseconds), time_text(cpu::kCpuCosts.fork)));
  if (how.tasks > 1 && kDoubtFactor * unit.nanoseconds * threads < cpu::kCpuCosts.fork)
    lines.push_back(fmt::format("threads share it, and all of it takes {}", time_text(unit.nanoseconds)));
  if (!std::ranges::any_of(of.instructions, [](const hlo::Instruction* i) { return is_product(*i); })) return lines;
  if (work.flops < kBoundByProducts * work.bytes) return lines;
  UnitWork called = work;
  called.is_product = true;
  const double call = estimate(called, figures).nanoseconds + figures.call;
  if (unit.nanoseconds > kDoubtFactor * call)
    lines.push_back(fmt::format("a product in a loop takes {}; a call should take {}", time_text(unit.nanoseconds),
                                time_text(call)));
  return lines;
}

}  // namespace

void UnitClock::on_unit(const ExecutionUnit& unit, const UnitTimes& times) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, added] = fastest_.try_emplace(&unit, times.duration);
  if (!added) entry->second = std::min(entry->second, times.duration);
}

std::optional<double> UnitClock::fastest(const ExecutionUnit& unit) const {
  const std::scoped_lock lock(mutex_);
  const auto entry = fastest_.find(&unit);
  if (entry == fastest_.end()) return std::nullopt;
  return static_cast<double>(entry->second);
}

std::string_view bound_name(Bound bound) {
  switch (bound) {
    case Bound::kCache: return "cache";
    case Bound::kMemory: return "memory";
    case Bound::kArithmetic: return "arithmetic";
    case Bound::kTranscendentals: return "exponentials";
    case Bound::kProduct: return "product";
  }
  return "";
}

Estimate estimate(const UnitWork& work, const MachineFigures& figures) {
  const double threads = work.tasks > 1 ? figures.threads : 1;
  const bool in_cache = work.bytes <= kCacheBytes;
  const double memory = work.tasks > 1 || work.is_product ? figures.memory_bytes_all : figures.memory_bytes;
  const double flops = work.is_f64 ? figures.flops_f64 : figures.flops_f32;
  const double product = work.is_f64 ? figures.product_f64 : figures.product_f32;
  const Estimate all[] = {
      {work.bytes / (in_cache ? figures.cache_bytes * threads : memory), in_cache ? Bound::kCache : Bound::kMemory},
      {work.is_product ? work.flops / product : work.flops / (flops * threads),
       work.is_product ? Bound::kProduct : Bound::kArithmetic},
      {work.transcendentals / (figures.transcendentals * threads), Bound::kTranscendentals}};
  return *std::ranges::max_element(all, {}, &Estimate::nanoseconds);
}

StatusOr<std::vector<ExplainedUnit>> explained(const Executable& executable, const engine::Plan& plan,
                                               const UnitClock& clock, const MachineFigures& figures) {
  HILO_ASSIGN_OR_RETURN(const hlo::Module* const module, optimized_module_of(executable));
  const std::span<const ExecutionUnit> units = executable.units();
  const std::vector<Planned> how = planned(plan);
  if (how.size() != units.size())
    return invalid_argument(
        fmt::format("plan: of another program: has {} units, the program {}", how.size(), units.size()));
  const Readers readers(*module, units);
  const hlo::CostAnalysis costs(module->entry);
  std::vector<ExplainedUnit> all;
  for (size_t k = 0; k < units.size(); ++k) {
    const std::optional<double> fastest = clock.fastest(units[k]);
    if (!fastest) continue;
    const UnitWork work = work_of(units[k], how[k], costs, readers);
    ExplainedUnit& one = all.emplace_back(label_of(units[k]), chosen(units[k], how[k], readers),
                                          std::vector<std::string>(), estimate(work, figures), *fastest);
    one.doubtful = doubtful(one, work, units[k], how[k], figures);
  }
  std::ranges::stable_sort(all, std::greater<>(), &ExplainedUnit::nanoseconds);
  return all;
}

std::string explanation_text(const std::vector<ExplainedUnit>& units, const MachineFigures& figures) {
  std::string text = fmt::format(
      "one of {} threads: cache {:.1f} GB/s, memory {:.1f}, arithmetic {:.0f} GFLOP/s of f32, {:.0f} of f64, {:.2f} "
      "exponentials a nanosecond\nall: memory {:.1f} GB/s, products {:.0f} GFLOP/s of f32, {:.0f} of f64\n"
      "   fastest   estimate  ratio  bound by      unit\n",
      figures.threads, figures.cache_bytes, figures.memory_bytes, figures.flops_f32, figures.flops_f64,
      figures.transcendentals, figures.memory_bytes_all, figures.product_f32, figures.product_f64);
  std::string doubts;
  for (const ExplainedUnit& unit : units) {
    const double least = std::max(unit.estimate.nanoseconds, 1.0);
    text += fmt::format("{:>10} {:>10} {:>6.2f}  {:<12}  {}\n", time_text(unit.nanoseconds), time_text(least),
                        unit.nanoseconds / least, bound_name(unit.estimate.bound), unit.label);
    for (const std::string& line : unit.chosen) text += fmt::format("{:45}{}\n", "", line);
    for (const std::string& line : unit.doubtful) doubts += fmt::format("  {}: {}\n", unit.label, line);
  }
  return text + (doubts.empty() ? "no choice that measured times contradict\n"
                                : "choices that measured times contradict:\n" + doubts);
}

}  // namespace hilo
