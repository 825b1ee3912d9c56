// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/simulate/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "hilo/hlo/cost/cost.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/partition/report.h"
#include "hilo/hlo/passes/trip_count.h"

namespace hilo::hlo {
namespace {

constexpr size_t kShownSteps = 12;

/// The start and end of an instruction, and the instruction it waited for.
struct Run {
  double begin = 0, end = 0;
  InstructionId after = kNoInstruction;
  bool communicates = false;
};

/// Whether engines compute the op in its reader's loop.
bool joins_loops(const Instruction& instruction) {
  return is_elementwise(instruction.opcode) || instruction.opcode == Opcode::kBroadcast ||
         instruction.opcode == Opcode::kIota || instruction.opcode == Opcode::kConstant;
}

class Simulator {
 public:
  Simulator(const Module& module, int64_t devices, const Machine& machine)
      : module_(module), devices_(devices), machine_(machine), costs_(module.entry) {}
  Simulation run();

 private:
  Simulation walk(const Computation& computation);
  const Simulation& of(const ComputationPtr& computation) const { return done_.at(computation.get()); }
  Simulation inside(const Instruction& instruction, const Computation& owner) const;
  double computing(const Instruction& instruction, const Computation& owner, const std::vector<bool>& joined) const;
  int64_t members(const Instruction& collective) const;

  const Module& module_;
  int64_t devices_;
  const Machine& machine_;
  CostAnalysis costs_;
  std::unordered_map<const Computation*, Simulation> done_;
};

int64_t Simulator::members(const Instruction& collective) const {
  if (collective.opcode == Opcode::kCollectivePermute) return 2;
  const Int64Lists& groups = static_cast<const CollectiveAttributes&>(*collective.attributes).replica_groups;
  return groups.empty() ? devices_ : std::ssize(groups[0]);
}

/// Returns, by instruction, whether its result stays in its only reader's loop.
std::vector<bool> joined_results(const Computation& computation) {
  const auto users = users_of(computation);
  std::vector<bool> joined(computation.size());
  for (const Instruction& i : computation.instructions()) {
    if (!joins_loops(i) || i.id == computation.root_id()) continue;
    const bool free = i.opcode == Opcode::kConstant || i.opcode == Opcode::kIota || i.opcode == Opcode::kBroadcast;
    const auto reads_in_loop = [&](InstructionId user) {
      return joins_loops(computation.instruction(user)) || computation.instruction(user).opcode == Opcode::kReduce;
    };
    joined[i.id] = (free || users[i.id].size() == 1) && std::ranges::all_of(users[i.id], reads_in_loop);
  }
  return joined;
}

double Simulator::computing(const Instruction& instruction, const Computation& owner,
                            const std::vector<bool>& joined) const {
  const Cost cost = costs_.of(instruction, owner);
  double bytes = cost.bytes;
  if (joins_loops(instruction) || instruction.opcode == Opcode::kReduce) {
    bytes = joined[instruction.id] ? 0 : static_cast<double>(instruction.shape.byte_size());
    for (const InstructionId operand : instruction.operands) {
      const Instruction& read = owner.instruction(operand);
      if (!joined[operand]) bytes += static_cast<double>(read.shape.byte_size());
    }
    if (instruction.opcode == Opcode::kConstant) bytes = 0;
  }
  const double arithmetic = cost.flops / machine_.flops + cost.transcendentals / machine_.transcendentals;
  return std::max(arithmetic, bytes / machine_.memory_bandwidth);
}

void add_runs(const Simulation& body, double times, Simulation& sum) {
  sum.seconds += times * body.seconds;
  sum.computing += times * body.computing;
  sum.sending += times * body.sending;
  sum.exact &= body.exact;
  for (const auto& [opcode, bytes] : body.link_bytes) sum.link_bytes[opcode] += times * bytes;
}

/// Simulates an instruction's computations, one after the other.
Simulation Simulator::inside(const Instruction& instruction, const Computation& owner) const {
  Simulation created;
  if (instruction.opcode == Opcode::kWhile) {
    const auto& loop = attributes_of<WhileAttributes>(instruction);
    const std::optional<int64_t> trips = trip_count(instruction, owner);
    const auto times = static_cast<double>(trips.value_or(1));
    add_runs(of(loop.body), times, created);
    add_runs(of(loop.condition), times + 1, created);
    created.exact &= trips.has_value();
  } else if (instruction.opcode == Opcode::kConditional) {
    const auto& branches = attributes_of<ConditionalAttributes>(instruction).branches;
    const auto longest =
        std::ranges::max_element(branches, {}, [&](const ComputationPtr& branch) { return of(branch).seconds; });
    add_runs(of(*longest), 1, created);
    created.exact &= branches.size() < 2;
  } else if (instruction.opcode == kExtScan) {
    const auto& scan = attributes_of<ScanAttributes>(instruction);
    add_runs(of(scan.step), static_cast<double>(scan.length), created);
  } else {
    add_runs(of(attributes_of<CallAttributes>(instruction).to_apply), 1, created);
  }
  return created;
}

bool opens(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kConditional || opcode == Opcode::kCall || opcode == kExtScan;
}

/// Follows the dependencies from the last instruction back to the first; omits instructions without duration.
std::vector<PathStep> critical_path(const Computation& computation, const std::vector<Run>& runs) {
  std::vector<PathStep> path;
  const auto last = std::ranges::max_element(runs, {}, &Run::end);
  if (last == runs.end()) return path;
  for (auto id = static_cast<InstructionId>(last - runs.begin()); id != kNoInstruction; id = runs[id].after) {
    const Run& run = runs[id];
    if (run.end > run.begin)
      path.push_back({describe(computation.instruction(id)), run.end - run.begin, run.communicates});
  }
  std::ranges::reverse(path);
  return path;
}

Simulation Simulator::walk(const Computation& computation) {
  Simulation sum;
  std::vector<Run> runs(computation.size());
  const std::vector<bool> joined = joined_results(computation);
  InstructionId computed = kNoInstruction, sent = kNoInstruction;  // last instruction of each queue
  for (const Instruction& i : computation.instructions()) {
    Run& run = runs[i.id];
    const auto wait_for = [&](InstructionId id) {
      if (id == kNoInstruction || runs[id].end <= run.begin) return;
      run.begin = runs[id].end;
      run.after = id;
    };
    for (const InstructionId operand : i.operands) wait_for(operand);
    double seconds = 0;
    if (opens(i.opcode)) {
      wait_for(computed);
      wait_for(sent);
      const Simulation body = inside(i, computation);
      seconds = body.seconds;
      run.communicates = body.sending > body.computing;
      Simulation others = body;
      others.seconds = 0;
      add_runs(others, 1, sum);
      computed = sent = i.id;
    } else if (is_collective(i.opcode)) {
      wait_for(sent);
      const auto bytes = static_cast<double>(i.shape.byte_size());
      seconds = collective_seconds(machine_.links, i.opcode, members(i), bytes);
      sum.link_bytes[i.opcode] += link_bytes(i.opcode, members(i), bytes);
      sum.sending += seconds;
      run.communicates = true;
      sent = i.id;
    } else {
      seconds = computing(i, computation, joined);
      sum.exact &= costs_.of(i, computation).exact;
      if (seconds > 0) wait_for(computed);
      if (seconds > 0) computed = i.id;
      sum.computing += seconds;
    }
    run.end = run.begin + seconds;
    sum.seconds = std::max(sum.seconds, run.end);
  }
  sum.critical_path = critical_path(computation, runs);
  return sum;
}

Simulation Simulator::run() {
  for (const ComputationPtr& computation : computations_of(module_)) done_[computation.get()] = walk(*computation);
  return done_.at(module_.entry.get());
}

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} us", seconds * 1e6);
}

}  // namespace

Simulation simulate(const Module& module, int64_t devices, const Machine& machine) {
  return Simulator(module, devices, machine).run();
}

std::string to_string(const Simulation& simulation) {
  std::string text = fmt::format("step {}: devices compute {}, links are busy {}\n", time_text(simulation.seconds),
                                 time_text(simulation.computing), time_text(simulation.sending));
  double bytes = 0;
  for (const auto& [opcode, sent] : simulation.link_bytes) bytes += sent;
  text += fmt::format("each device sends {:.0f} bytes", bytes);
  for (const auto& [opcode, sent] : simulation.link_bytes)
    text += fmt::format("{} {:.0f} in {}", &sent == &simulation.link_bytes.begin()->second ? ":" : ",", sent,
                        opcode_name(opcode));
  text += "\ncritical path, its longest steps:\n";
  std::vector<PathStep> steps = simulation.critical_path;
  std::ranges::stable_sort(steps, std::greater<>{}, &PathStep::seconds);
  if (steps.size() > kShownSteps) steps.resize(kShownSteps);
  for (const PathStep& step : steps)
    text += fmt::format("  {:>12} {} {}\n", time_text(step.seconds), step.communicates ? "links  " : "compute",
                        step.instruction);
  if (!simulation.exact)
    text +=
        "not exact: loops of unknown length count once, conditionals as their longest branch, some ops as their "
        "bytes\n";
  return text;
}

}  // namespace hilo::hlo
