// SPDX-License-Identifier: Apache-2.0
// inspect/explain/explanation.h -- the choices of a program's plan, the expected cost of each part on this machine, and
// its measured time.
#pragma once

#include <map>
#include <mutex>

#include "hilo/engine/plan.h"
#include "hilo/inspect/explain/machine_figures.h"

namespace hilo {

/// Records the fastest run of each unit.
class UnitClock final : public ExecutionObserver {
 public:
  void on_unit(const ExecutionUnit& unit, const UnitTimes& times) override;
  /// Returns nanoseconds; nullopt if the unit never ran.
  std::optional<double> fastest(const ExecutionUnit& unit) const;

 private:
  mutable std::mutex mutex_;
  std::map<const ExecutionUnit*, int64_t> fastest_;
};

/// The limit of a unit's speed.
enum class Bound : uint8_t { kCache, kMemory, kArithmetic, kTranscendentals, kProduct };
std::string_view bound_name(Bound bound);

struct Estimate {
  double nanoseconds = 0;
  Bound bound{};
};

/// A unit of the plan.
struct ExplainedUnit {
  std::string label;                  ///< "row kernel reduce.8", "dot dot.3"
  std::vector<std::string> chosen;    ///< a line each: how the unit runs, and why its operands or results are in memory
  std::vector<std::string> doubtful;  ///< choices that measured times contradict
  Estimate estimate;
  double nanoseconds = 0;
};

/// The cost of a unit's work. `tasks`: 1 if only the caller's thread runs it, otherwise all threads share it.
struct UnitWork {
  bool is_product = false, is_f64 = false;
  double bytes = 0, flops = 0, transcendentals = 0;
  int64_t tasks = 1;
};
Estimate estimate(const UnitWork& work, const MachineFigures& figures);

/// Returns the units that ran, most expensive first. `plan` is the one that the executable runs.
/// Errors     FAILED_PRECONDITION for a program without information about its instructions
StatusOr<std::vector<ExplainedUnit>> explained(const Executable& executable, const engine::Plan& plan,
                                               const UnitClock& clock, const MachineFigures& figures);

/// Returns a table, then the doubtful choices.
std::string explanation_text(const std::vector<ExplainedUnit>& units, const MachineFigures& figures);

}  // namespace hilo
