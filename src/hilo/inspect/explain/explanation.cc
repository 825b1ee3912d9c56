// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/explain/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hilo/backend/cpu/library/costs.h"
#include "hilo/base/time_text.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/owners.h"
#include "hilo/inspect/graph/unit_groups.h"

namespace hilo {
namespace {

constexpr double kDoubtFactor = 2;  // factor by which measured times must contradict a choice

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

Work work_of(const ExecutionUnit& unit, const WorkAnalysis& analysis, const Readers& readers) {
  Work work;
  for (const hlo::Instruction* i : unit.instructions) work += analysis.of(*i, readers.owner(*i));
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
std::vector<std::string> doubtful(const ExplainedUnit& unit, const ExecutionUnit& of, const Planned& how,
                                  const MachineFigures& figures) {
  std::vector<std::string> lines;
  if (!is_kernel(of)) return lines;
  const double threads = figures.threads;
  if (how.tasks == 1 && how.divides && threads > 1 && unit.nanoseconds > kDoubtFactor * cpu::kCpuCosts.fork)
    lines.push_back(fmt::format("one thread takes {}; threads share what is estimated at {} or more",
                                time_text(unit.nanoseconds), time_text(cpu::kCpuCosts.fork)));
  if (how.tasks > 1 && kDoubtFactor * unit.nanoseconds * threads < cpu::kCpuCosts.fork)
    lines.push_back(fmt::format("threads share it, and all of it takes {}", time_text(unit.nanoseconds)));
  const bool computes = unit.floor.bound == work_name(WorkKind::kProducts);  // not: moves bytes
  const double call = unit.floor.nanoseconds + figures.call;
  if (computes && unit.nanoseconds > kDoubtFactor * call)
    lines.push_back(fmt::format("a product in a loop takes {}; a call should take {}", time_text(unit.nanoseconds),
                                time_text(call)));
  return lines;
}

}  // namespace

void UnitClock::on_unit(const ExecutionUnit& unit, const UnitTimes& times) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, added] = runs_.try_emplace(&unit, Runs{times.duration, 0});
  entry->second.fastest = std::min(entry->second.fastest, times.duration);
  ++entry->second.count;
}

std::optional<UnitClock::Runs> UnitClock::of(const ExecutionUnit& unit) const {
  const std::scoped_lock lock(mutex_);
  const auto entry = runs_.find(&unit);
  return entry == runs_.end() ? std::nullopt : std::optional(entry->second);
}

Floor floor_of(const Work& work, double bytes, double threads, const MachineFigures& figures) {
  const bool in_cache = bytes <= kCacheBytes;
  const double memory = threads > 1 ? figures.memory_bytes_all : figures.memory_bytes;
  const double rate = in_cache ? figures.cache_rate(bytes) * threads : memory;
  const Floor all[] = {{figures.unit, "unit", work.exact},
                       {bytes / rate, in_cache ? "cache" : "memory", work.exact},
                       {work.sum() / threads, work_name(work.largest()), work.exact}};
  return *std::ranges::max_element(all, {}, &Floor::nanoseconds);
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
  const WorkAnalysis analysis(module->entry, figures);
  std::vector<ExplainedUnit> all;
  for (size_t k = 0; k < units.size(); ++k) {
    const std::optional<UnitClock::Runs> runs = clock.of(units[k]);
    if (!runs) continue;
    // Library calls share their work themselves.
    const double threads = is_kernel(units[k]) && how[k].tasks == 1 ? 1 : figures.threads;
    const Floor floor = floor_of(work_of(units[k], analysis, readers), units[k].bytes, threads, figures);
    ExplainedUnit& one =
        all.emplace_back(label_of(units[k]), chosen(units[k], how[k], readers), std::vector<std::string>(), floor,
                         static_cast<double>(runs->fastest), runs->count);
    one.doubtful = doubtful(one, units[k], how[k], figures);
  }
  std::ranges::stable_sort(all, std::greater<>(), &ExplainedUnit::total);
  return all;
}

namespace {

std::string slow_text(const std::vector<ExplainedUnit>& units) {
  double all = 0, slow = 0, unknown = 0;
  for (const ExplainedUnit& unit : units) {
    const double took = unit.total();
    all += took;
    if (!unit.floor.exact) unknown += took;
    else if (unit.ratio() > kSlowRatio) slow += took;
  }
  const double whole = std::max(all, 1.0) / 100;
  return fmt::format("{:.1f} % of the time in units above {} times their floor, {:.1f} % in loops of unknown length\n",
                     slow / whole, kSlowRatio, unknown / whole);
}

}  // namespace

std::string explanation_text(const std::vector<ExplainedUnit>& units, const MachineFigures& figures) {
  std::string text = fmt::format(
      "one of {} threads: caches {:.1f}, {:.1f} and {:.1f} GB/s, memory {:.1f}; arithmetic {:.0f} GFLOP/s of f32, "
      "{:.0f} "
      "of f64; products {:.0f} of f32, {:.0f} of f64\nall: memory {:.1f} GB/s\n"
      "   fastest      floor  ratio     runs  bound by        unit\n",
      figures.threads, figures.l1_bytes, figures.l2_bytes, figures.l3_bytes, figures.memory_bytes, figures.flops_f32,
      figures.flops_f64, figures.product_f32, figures.product_f64, figures.memory_bytes_all);
  std::string doubts;
  for (const ExplainedUnit& unit : units) {
    text += fmt::format("{:>10} {:>10} {:>6.2f} {:>8}  {:<14}  {}\n", time_text(unit.nanoseconds),
                        time_text(unit.floor.nanoseconds), unit.ratio(), unit.runs,
                        unit.floor.exact ? unit.floor.bound : "unknown length", unit.label);
    for (const std::string& line : unit.chosen) text += fmt::format("{:56}{}\n", "", line);
    for (const std::string& line : unit.doubtful) doubts += fmt::format("  {}: {}\n", unit.label, line);
  }
  return text + slow_text(units) +
         (doubts.empty() ? "no choice that measured times contradict\n"
                         : "choices that measured times contradict:\n" + doubts);
}

}  // namespace hilo
