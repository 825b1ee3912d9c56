// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/run_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace hilo::rpc {
namespace {

constexpr size_t kMaxLines = size_t{1} << 16;  // number of units that a profile shows individually
// maximum number of units of one run, so that the reply fits in a message
constexpr size_t kMaxUnits = size_t{1} << 18;

constexpr int64_t kMaxRuns = int64_t{1} << 26;  // maximum number of runs of units that are reported to an observer

/// Returns the total number of unit runs, or nothing if the reply is invalid or exceeds the limit.
std::optional<int64_t> total_runs(const RunReply& run) {
  int64_t total = 0;
  for (const int64_t count : run.counts) {
    if (count < 1 || count > kMaxRuns - total) return std::nullopt;
    total += count;
  }
  return total;
}

Status check_count(std::string_view where, size_t units) {
  if (units <= kMaxUnits) return ok_status();
  return resource_exhausted(fmt::format("{}: the program has {} units; limit is {}. Hint: run it without a profile",
                                        where, units, kMaxUnits));
}

}  // namespace

// ---- InstructionPlaces.

InstructionPlaces::InstructionPlaces(const hlo::Module& module) {
  int64_t place = 0;
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    by_place_.push_back({place, computation->instructions()});
    place += std::ssize(computation->instructions());
  }
  by_address_ = by_place_;
  std::ranges::sort(by_address_, std::less<>(), [](const Stretch& one) { return one.instructions.data(); });
}

int64_t InstructionPlaces::of(const hlo::Instruction& instruction) const {
  const auto after = std::ranges::upper_bound(by_address_, &instruction, std::less<>(),
                                              [](const Stretch& one) { return one.instructions.data(); });
  if (after == by_address_.begin()) return -1;
  const Stretch& stretch = *std::prev(after);
  const hlo::Instruction* const first = stretch.instructions.data();
  const bool is_inside = std::less<>()(&instruction, first + stretch.instructions.size());
  return is_inside ? stretch.place + (&instruction - first) : -1;
}

const hlo::Instruction* InstructionPlaces::at(int64_t place) const {
  const auto after = std::ranges::upper_bound(by_place_, place, std::less<>(), &Stretch::place);
  if (after == by_place_.begin()) return nullptr;
  const Stretch& stretch = *std::prev(after);
  const int64_t index = place - stretch.place;
  return index < std::ssize(stretch.instructions) ? &stretch.instructions[index] : nullptr;
}

// ---- Recording.

StatusOr<UnitDescription> UnitDescriber::describe(const ExecutionUnit& unit) {
  const std::scoped_lock lock(mutex_);
  if (!places_) {
    HILO_ASSIGN_OR_RETURN(const hlo::Module* const module, optimized_module_of(*executable_));
    places_.emplace(*module);
  }
  const auto number = numbers_.try_emplace(&unit, std::ssize(numbers_)).first->second;
  UnitDescription description{.number = number, .kind = unit.kind, .bytes = unit.bytes, .form = unit.form};
  for (const hlo::Instruction* const instruction : unit.instructions)
    description.instructions.push_back(places_->of(*instruction));
  return description;
}

StatusOr<UnitsReply> UnitDescriber::describe_all() {
  const std::span<const ExecutionUnit> units = executable_->units();
  HILO_RETURN_IF_ERROR(check_count("Units", units.size()));
  UnitsReply reply;
  for (const ExecutionUnit& unit : units) {
    HILO_ASSIGN_OR_RETURN(UnitDescription description, describe(unit));
    reply.units.push_back(std::move(description));
  }
  return reply;
}

void RunRecorder::append(int64_t row, const UnitTimes& times) {
  lines_.rows.push_back(row);
  lines_.begins.push_back(times.begin);
  lines_.durations.push_back(times.duration);
  lines_.lanes.push_back(times.lane);
  lines_.counts.push_back(1);
}

void RunRecorder::on_unit(const ExecutionUnit& unit, const UnitTimes& times) {
  const std::scoped_lock lock(mutex_);
  const size_t row = row_of_.try_emplace(&unit, rows_.size()).first->second;
  if (row == rows_.size()) rows_.push_back({&unit});
  std::optional<size_t>& sum = rows_[row].sum;
  if (sum) {
    lines_.durations[*sum] += times.duration;
    ++lines_.counts[*sum];
    return;
  }
  if (lines_.rows.size() >= kMaxLines) sum = lines_.rows.size();
  append(row, times);
}

StatusOr<RunReply> RunRecorder::reply() {
  const std::scoped_lock lock(mutex_);
  HILO_RETURN_IF_ERROR(check_count("Execute.is_observed", rows_.size()));
  if (!total_runs(lines_)) {
    return resource_exhausted(
        fmt::format("Execute.is_observed: units of the program ran more than {} times, which is the limit. Hint: run "
                    "it without a profile",
                    kMaxRuns));
  }
  for (const Row& row : rows_) {
    HILO_ASSIGN_OR_RETURN(UnitDescription description, describer_->describe(*row.unit));
    lines_.units.push_back(std::move(description));
  }
  return std::move(lines_);
}

// ---- Replaying.

StatusOr<const ExecutionUnit*> RemoteUnits::unit_of(const UnitDescription& description, const hlo::Module& module) {
  const std::scoped_lock lock(mutex_);
  const auto [found, is_new] = units_.try_emplace(description.number);
  ExecutionUnit& unit = found->second;
  if (!is_new) return &unit;
  if (!places_) places_.emplace(module);
  unit = {.kind = description.kind, .instructions = {}, .bytes = description.bytes, .form = description.form};
  for (const int64_t place : description.instructions) {
    const hlo::Instruction* const instruction = places_->at(place);
    if (instruction == nullptr) {
      units_.erase(found);
      return data_loss(fmt::format("UnitDescription.instructions: the program has no instruction {}", place));
    }
    unit.instructions.push_back(instruction);
  }
  return &unit;
}

StatusOr<std::vector<ExecutionUnit>> RemoteUnits::read_all(const UnitsReply& units, const hlo::Module& module) {
  std::vector<ExecutionUnit> all;
  for (const UnitDescription& description : units.units) {
    HILO_ASSIGN_OR_RETURN(const ExecutionUnit* const unit, unit_of(description, module));
    all.push_back(*unit);
  }
  return all;
}

Status RemoteUnits::replay(const RunReply& run, const hlo::Module& module, ExecutionObserver& observer) {
  const size_t lines = run.rows.size();
  for (const auto* const column : {&run.begins, &run.durations, &run.lanes, &run.counts}) {
    if (column->size() != lines)
      return data_loss(fmt::format("RunReply: columns of different length: {} and {}", column->size(), lines));
  }
  std::vector<const ExecutionUnit*> units;
  for (const UnitDescription& description : run.units) {
    HILO_ASSIGN_OR_RETURN(const ExecutionUnit* const unit, unit_of(description, module));
    units.push_back(unit);
  }
  for (const int64_t row : run.rows) {
    if (row < 0 || row >= std::ssize(units))
      return data_loss(fmt::format("RunReply.rows: {}; there are {} units", row, units.size()));
  }
  if (!total_runs(run))
    return data_loss(fmt::format("RunReply.counts: a count is not positive, or the sum exceeds {}", kMaxRuns));
  for (size_t k = 0; k < lines; ++k) {
    const int64_t row = run.rows[k], count = run.counts[k];
    const auto lane = static_cast<uint64_t>(run.lanes[k]);
    // each run gets an equal part of the sum; the first one also gets the remainder
    for (int64_t i = 0; i < count; ++i) {
      const int64_t rest = i == 0 ? run.durations[k] % count : 0;
      observer.on_unit(*units[row], {run.begins[k], run.durations[k] / count + rest, lane});
    }
  }
  return ok_status();
}

}  // namespace hilo::rpc
