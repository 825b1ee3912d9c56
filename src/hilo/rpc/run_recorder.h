// SPDX-License-Identifier: Apache-2.0
// rpc/run_recorder.h -- a run for somebody who watches it elsewhere: what ran when, written down.
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

/// Numbers the instructions of a program through: computation by computation, as computations_of() has them. A program
/// that was read from an HloModuleProto has the numbers of the one that was written.
class InstructionPlaces {
 public:
  /// The module must outlive it.
  explicit InstructionPlaces(const hlo::Module& module);
  /// -1 for an instruction of another program.
  int64_t of(const hlo::Instruction& instruction) const;
  /// Null for a number that none has.
  const hlo::Instruction* at(int64_t place) const;

 private:
  struct Stretch {
    int64_t place;  // of its first instruction
    std::span<const hlo::Instruction> instructions;
  };
  std::vector<Stretch> by_place_, by_address_;
};

/// Describes the units of an executable, and numbers them in the order in which they are asked for. Safe to use from
/// several threads at once.
class UnitDescriber {
 public:
  explicit UnitDescriber(std::shared_ptr<Executable> executable) : executable_(std::move(executable)) {}
  /// Errors    UNIMPLEMENTED where the executable shows no optimised program
  StatusOr<UnitDescription> describe(const ExecutionUnit& unit);
  /// All that the executable says it has.
  /// Errors    as of describe(); RESOURCE_EXHAUSTED for more units than a message has room for
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

  /// What was told, in order; of what ran after the first 2^16 units, the sum of each. To be called once, after the
  /// run.
  /// Errors    RESOURCE_EXHAUSTED for more units than a message has room for, or that ran more than 2^26 times in all;
  ///           those of UnitDescriber::describe
  StatusOr<RunReply> reply();

 private:
  struct Row {
    const ExecutionUnit* unit;
    std::optional<size_t> sum = {};  // its line among those beyond the first ones
  };
  void append(int64_t row, const UnitTimes& times);

  const std::shared_ptr<UnitDescriber> describer_;
  std::mutex mutex_;
  std::vector<Row> rows_;
  std::unordered_map<const ExecutionUnit*, size_t> row_of_;
  RunReply lines_;
};

/// The units of an executable that runs elsewhere. Safe to use from several threads at once.
class RemoteUnits {
 public:
  /// Tells the observer what a recorder wrote down. `module`: the optimised program; it and this outlive the observer's
  /// work.
  /// Errors    DATA_LOSS for what no recorder writes, of which the observer is told nothing
  Status replay(const RunReply& run, const hlo::Module& module, ExecutionObserver& observer);
  /// All units, as they were described.
  /// Errors    as of replay()
  StatusOr<std::vector<ExecutionUnit>> read_all(const UnitsReply& units, const hlo::Module& module);

 private:
  StatusOr<const ExecutionUnit*> unit_of(const UnitDescription& description, const hlo::Module& module);

  std::mutex mutex_;
  std::optional<InstructionPlaces> places_;
  std::map<int64_t, ExecutionUnit> units_;  // observers keep their addresses
};

}  // namespace hilo::rpc
