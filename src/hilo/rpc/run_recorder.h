// SPDX-License-Identifier: Apache-2.0
// rpc/run_recorder.h -- records the times of units in a run for an observer in another process.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "hilo/device/executable.h"
#include "hilo/rpc/messages.h"

namespace hilo::rpc {

/// Numbers the instructions of a program, computation by computation in the order of computations_of(). A program that
/// is read from an HloModuleProto has the same numbers as the original.
class InstructionPlaces {
 public:
  /// Precondition: `module` outlives this object.
  explicit InstructionPlaces(const hlo::Module& module);
  /// Returns an instruction's number, or -1 if it belongs to another program.
  int64_t of(const hlo::Instruction& instruction) const;
  /// Returns the instruction with this number, or null.
  const hlo::Instruction* at(int64_t place) const;

 private:
  struct Stretch {
    int64_t place;  // number of its first instruction
    std::span<const hlo::Instruction> instructions;
  };
  std::vector<Stretch> by_place_, by_address_;
};

/// Describes the units of an executable, numbered in the order of the first calls. Thread-safe.
class UnitDescriber {
 public:
  explicit UnitDescriber(std::shared_ptr<Executable> executable) : executable_(std::move(executable)) {}
  /// Returns the description of a unit.
  /// Errors    UNIMPLEMENTED if the executable doesn't provide its optimized program
  StatusOr<UnitDescription> describe(const ExecutionUnit& unit);
  /// Returns the descriptions of all units of the executable.
  /// Errors    those of describe(); RESOURCE_EXHAUSTED if they exceed the size of a message
  StatusOr<UnitsReply> describe_all();

 private:
  const std::shared_ptr<Executable> executable_;
  std::mutex mutex_;
  std::optional<InstructionPlaces> places_;
  std::unordered_map<const ExecutionUnit*, int64_t> numbers_;
};

/// Observes one run.
class RunRecorder final : public ExecutionObserver {
 public:
  explicit RunRecorder(std::shared_ptr<UnitDescriber> describer) : describer_(std::move(describer)) {}

  void on_unit(const ExecutionUnit& unit, const UnitTimes& times) override;

  /// Returns the recorded runs of units in order. After the first 2^16 runs only the sum per unit is recorded. Must be
  /// called once, after the run.
  /// Errors    RESOURCE_EXHAUSTED for more units than a message can contain, or for more than 2^26 runs of units; those
  ///           of UnitDescriber::describe
  StatusOr<RunReply> reply();

 private:
  struct Row {
    const ExecutionUnit* unit;
    std::optional<size_t> sum = {};  // index of its entry among the sums
  };
  void append(int64_t row, const UnitTimes& times);

  const std::shared_ptr<UnitDescriber> describer_;
  std::mutex mutex_;
  std::vector<Row> rows_;
  std::unordered_map<const ExecutionUnit*, size_t> row_of_;
  RunReply lines_;
};

/// The units of a remote executable. Thread-safe.
class RemoteUnits {
 public:
  /// Passes the recorded runs to the observer. `module` is the optimized program; it and this object must outlive the
  /// observer's use.
  /// Errors    DATA_LOSS for an invalid reply; then the observer isn't called
  Status replay(const RunReply& run, const hlo::Module& module, ExecutionObserver& observer);
  /// Returns all units as described.
  /// Errors    those of replay()
  StatusOr<std::vector<ExecutionUnit>> read_all(const UnitsReply& units, const hlo::Module& module);

 private:
  StatusOr<const ExecutionUnit*> unit_of(const UnitDescription& description, const hlo::Module& module);

  std::mutex mutex_;
  std::optional<InstructionPlaces> places_;
  std::map<int64_t, ExecutionUnit> units_;  // a map, because observers store addresses of units
};

}  // namespace hilo::rpc
