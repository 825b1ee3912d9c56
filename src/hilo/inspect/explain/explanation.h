// SPDX-License-Identifier: Apache-2.0
// inspect/explain/explanation.h -- what a program's plan chose, what each part should cost on this machine, and what
// the clock says.
#pragma once

#include <map>
#include <mutex>

#include "hilo/engine/plan.h"
#include "hilo/inspect/explain/machine_figures.h"

namespace hilo {

/// The fastest run of each unit.
class UnitClock final : public ExecutionObserver {
 public:
  void on_unit(const ExecutionUnit& unit, const UnitTimes& times) override;
  /// Nanoseconds; nothing if it never ran.
  std::optional<double> fastest(const ExecutionUnit& unit) const;

 private:
  mutable std::mutex mutex_;
  std::map<const ExecutionUnit*, int64_t> fastest_;
};

/// What keeps a unit from being faster.
enum class Bound : uint8_t { kCache, kMemory, kArithmetic, kTranscendentals, kProduct };
std::string_view bound_name(Bound bound);

struct Estimate {
  double nanoseconds = 0;
  Bound bound{};
};

/// A unit of the plan.
struct ExplainedUnit {
  std::string label;                  ///< "row kernel reduce.8", "dot dot.3"
  std::vector<std::string> chosen;    ///< a line each: how it runs, and why what it reads or leaves is in memory
  std::vector<std::string> doubtful;  ///< choices that the clock speaks against
  Estimate estimate;
  double nanoseconds = 0;
};

/// What so much work costs. `tasks`: 1 on the caller's thread alone, else shared by all threads.
struct UnitWork {
  bool is_product = false, is_f64 = false;
  double bytes = 0, flops = 0, transcendentals = 0;
  int64_t tasks = 1;
};
Estimate estimate(const UnitWork& work, const MachineFigures& figures);

/// The units that ran, dearest first. `plan` is the one that the executable runs.
/// Errors    FAILED_PRECONDITION for a program that doesn't know its instructions
StatusOr<std::vector<ExplainedUnit>> explained(const Executable& executable, const engine::Plan& plan,
                                               const UnitClock& clock, const MachineFigures& figures);

/// A table, then the doubtful choices.
std::string explanation_text(const std::vector<ExplainedUnit>& units, const MachineFigures& figures);

}  // namespace hilo
