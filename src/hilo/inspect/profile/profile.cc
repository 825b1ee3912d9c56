// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/profile/profile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "hilo/base/files.h"
#include "hilo/base/log.h"
#include "hilo/base/process_end.h"
#include "hilo/base/text.h"
#include "hilo/device/transfers.h"
#include "hilo/hlo/cost/cost.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/owners.h"
#include "hilo/hlo/ir/source_lines.h"

namespace hilo {
namespace {

constexpr size_t kMaxEvents = 1 << 16;

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration d) { return std::chrono::duration<double, std::nano>(d).count(); }

/// The process-wide list of measurements. Never destroyed, because it is read at the end of the process.
struct Registry {
  std::mutex mutex;
  std::vector<std::shared_ptr<class Profiler>> profilers;
};
Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

/// Whether called computations are part of the program, as for loops, branches and calls, and not a detail like a
/// reduction's body.
bool is_control_flow(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kWhile || opcode == hlo::Opcode::kConditional || opcode == hlo::Opcode::kCall ||
         opcode == hlo::kExtScan;
}

/// Whether the op only passes values on.
bool is_structure(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kParameter || opcode == hlo::Opcode::kConstant || opcode == hlo::Opcode::kTuple ||
         opcode == hlo::Opcode::kGetTupleElement;
}

/// Returns every op of a unit with its line, each once; for control flow also the ops in called computations.
std::vector<std::string> lines_of(const ExecutionUnit& unit, const hlo::SourceLines& source) {
  std::vector<std::string> lines;
  std::unordered_set<const hlo::Computation*> seen;
  std::vector<const hlo::Instruction*> open(unit.instructions.rbegin(), unit.instructions.rend());
  while (!open.empty()) {
    const hlo::Instruction& i = *open.back();
    open.pop_back();
    lines.push_back(hlo::describe(i, source));
    if (!is_control_flow(i.opcode)) continue;
    std::vector<const hlo::Instruction*> inner;
    for (const hlo::ComputationPtr& called : hlo::called_computations(i)) {
      if (!seen.insert(called.get()).second) continue;
      for (const hlo::Instruction& k : called->instructions()) {
        if (!is_structure(k.opcode)) inner.push_back(&k);
      }
    }
    open.insert(open.end(), inner.rbegin(), inner.rend());
  }
  return lines;
}

/// Sums up the events of an executable. Outlives it, so rows hold texts instead of pointers.
class Profiler final : public ExecutionObserver {
 public:
  /// Precondition: the executable has an optimized_module()
  Profiler(const Executable& executable, std::vector<CompileStep> compile_steps)
      : costs_(executable.optimized_module()->entry),
        lines_(*executable.optimized_module()),
        owners_(hlo::owners_of(*executable.optimized_module())) {
    profile_.module = executable.name();
    profile_.evaluated_count = executable.statistics().evaluated_count;
    profile_.compile_steps = std::move(compile_steps);
  }

  void on_unit(const ExecutionUnit& unit, const UnitTimes& times) override {
    const std::scoped_lock lock(mutex_);
    const auto [entry, added] = rows_.try_emplace(&unit, profile_.rows.size());
    if (added) profile_.rows.push_back(row_of(unit));
    ProfileRow& row = profile_.rows[entry->second];
    ++row.calls;
    row.nanoseconds += static_cast<double>(times.duration);
    if (profile_.events.size() == kMaxEvents) {
      ++profile_.events_dropped;
      return;
    }
    const int lane = lanes_.try_emplace(times.lane, static_cast<int>(lanes_.size())).first->second;
    began_ = std::min(began_, times.begin);  // a loop is reported after the units inside of it
    begins_.push_back(times.begin);
    profile_.events.push_back({entry->second, lane, 0, static_cast<double>(times.duration)});
  }

  void on_run(Clock::duration wall) {
    const std::scoped_lock lock(mutex_);
    ++profile_.runs;
    profile_.wall_nanoseconds += nanoseconds(wall);
  }

  /// Returns a copy with the most expensive rows first.
  Profile snapshot() const {
    const std::scoped_lock lock(mutex_);
    Profile sorted = profile_;
    std::vector<size_t> order(sorted.rows.size()), place(order.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return profile_.rows[i].nanoseconds; });
    for (size_t i = 0; i < order.size(); ++i) {
      sorted.rows[i] = profile_.rows[order[i]];
      place[order[i]] = i;
    }
    for (size_t k = 0; k < sorted.events.size(); ++k) {
      sorted.events[k].row = place[sorted.events[k].row];
      sorted.events[k].begin_nanoseconds = static_cast<double>(begins_[k] - began_);
    }
    return sorted;
  }

 private:
  ProfileRow row_of(const ExecutionUnit& unit) const {
    ProfileRow row;
    row.kind = unit.kind;
    row.bytes = unit.bytes;
    row.lines = lines_of(unit, lines_);
    for (const hlo::Instruction* i : unit.instructions) {
      const hlo::Cost cost = costs_.of(*i, *owners_.at(i));
      row.flops += cost.flops;
      row.transcendentals += cost.transcendentals;
    }
    if (!unit.instructions.empty()) {
      const hlo::Instruction& last = *unit.instructions.back();
      row.name = last.name;
      if (last.annotations != nullptr) row.scope = last.annotations->op_name;
    }
    return row;
  }

  const hlo::CostAnalysis costs_;
  const hlo::SourceLines lines_;
  const hlo::Owners owners_;
  mutable std::mutex mutex_;
  Profile profile_;
  std::unordered_map<const ExecutionUnit*, size_t> rows_;
  std::unordered_map<uint64_t, int> lanes_;
  std::vector<int64_t> begins_;  // of the events, on the device's clock
  int64_t began_ = std::numeric_limits<int64_t>::max();
};

/// Sums up copies to and from devices, as a separate program.
class TransferProfiler final : public TransferObserver {
 public:
  void on_transfer(const Transfer& transfer) override {
    const std::scoped_lock lock(mutex_);
    const std::string kind = transfer.direction == Direction::kToDevice ? "to device" : "from device";
    auto row = std::ranges::find_if(
        profile_.rows, [&](const ProfileRow& one) { return one.kind == kind && one.name == transfer.device; });
    if (row == profile_.rows.end()) row = profile_.rows.insert(row, {.kind = kind, .name = transfer.device});
    const double bytes = row->bytes * static_cast<double>(row->calls) + static_cast<double>(transfer.bytes);
    row->bytes = bytes / static_cast<double>(++row->calls);  // of one call
    row->nanoseconds += static_cast<double>(transfer.nanoseconds);
    ++profile_.runs;
    profile_.wall_nanoseconds += static_cast<double>(transfer.nanoseconds);
  }

  /// Returns a copy with the most expensive rows first.
  Profile snapshot() const {
    const std::scoped_lock lock(mutex_);
    Profile sorted = profile_;
    std::ranges::stable_sort(sorted.rows, std::greater<>(), &ProfileRow::nanoseconds);
    return sorted;
  }

  void clear() {
    const std::scoped_lock lock(mutex_);
    profile_ = {.module = "transfers"};
  }

 private:
  mutable std::mutex mutex_;
  Profile profile_ = {.module = "transfers"};
};

/// Never destroyed, because copies may end late.
TransferProfiler& transfer_profiler() {
  static auto* instance = new TransferProfiler;
  return *instance;
}

/// Forwards calls and profiles them.
class ProfiledExecutable final : public Executable {
 public:
  ProfiledExecutable(std::unique_ptr<Executable> inner, std::shared_ptr<Profiler> profiler)
      : Executable(inner->signature(), {inner->devices().begin(), inner->devices().end()}),
        inner_(std::move(inner)),
        profiler_(std::move(profiler)) {}
  ExecutableStatistics statistics() const override { return inner_->statistics(); }
  const hlo::Module* optimized_module() const override { return inner_->optimized_module(); }
  std::span<const ExecutionUnit> units() const override { return inner_->units(); }

 protected:
  StatusOr<Event> start(std::span<const DeviceRun> runs, std::span<const DevicePtr> devices,
                        const ExecuteOptions& options, ArgumentHolds& holds) override {
    ExecuteOptions observed = options;
    observed.observer = profiler_.get();
    const Clock::time_point began = Clock::now();
    HILO_ASSIGN_OR_RETURN(const Event event, start_inner(*inner_, runs, devices, observed, holds));
    event.on_ready([profiler = profiler_, began](const Status& status) {
      if (status.ok()) profiler->on_run(Clock::now() - began);
    });
    return event;
  }

 private:
  std::unique_ptr<Executable> inner_;
  std::shared_ptr<Profiler> profiler_;
};

void report() {
  for (const Profile& profile : profiles()) {
    if (profile.runs > 0) std::fputs(printable(profile_table(profile)).c_str(), stderr);
  }
  const char* directory = std::getenv("HILO_PROFILE_DIR");
  if (directory == nullptr || *directory == '\0') return;
  if (const Status status = write_profiles(directory); !status.ok()) log_warning("{}", status.to_string());
}

}  // namespace

std::unique_ptr<Executable> profiled(std::unique_ptr<Executable> executable, std::vector<CompileStep> compile_steps) {
  if (executable->optimized_module() == nullptr) return executable;  // its units can't be described
  auto profiler = std::make_shared<Profiler>(*executable, std::move(compile_steps));
  {
    const std::scoped_lock lock(registry().mutex);
    registry().profilers.push_back(profiler);
  }
  observe_transfers(&transfer_profiler());
  report_profiles_at_exit();
  return std::make_unique<ProfiledExecutable>(std::move(executable), std::move(profiler));
}

std::vector<Profile> profiles() {
  const std::scoped_lock lock(registry().mutex);
  std::vector<Profile> all;
  if (Profile transfers = transfer_profiler().snapshot(); transfers.runs > 0) all.push_back(std::move(transfers));
  for (const std::shared_ptr<Profiler>& profiler : registry().profilers) all.push_back(profiler->snapshot());
  return all;
}

void clear_profiles() {
  const std::scoped_lock lock(registry().mutex);
  registry().profilers.clear();
  observe_transfers(nullptr);  // until the next profiled()
  transfer_profiler().clear();
}

Status write_profiles(const std::string& directory) {
  const std::vector<Profile> all = profiles();
  std::string tables;
  for (const Profile& profile : all) tables += profile_table(profile);
  HILO_RETURN_IF_ERROR(make_directories(directory));
  HILO_RETURN_IF_ERROR(write_file_atomic(directory + "/profile.txt", tables));
  HILO_RETURN_IF_ERROR(write_file_atomic(directory + "/profile.json", profile_json(all)));
  HILO_RETURN_IF_ERROR(write_file_atomic(directory + "/trace.json", profile_trace(all)));
  HILO_RETURN_IF_ERROR(write_file_atomic(directory + "/stacks.folded", profile_stacks(all)));
  return write_file_atomic(directory + "/flame.svg", profile_flame(all));
}

void report_profiles_at_exit() {
  static const bool registered = at_process_end(report);
  (void)registered;
}

}  // namespace hilo
