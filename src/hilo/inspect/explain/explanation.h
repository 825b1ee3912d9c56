// SPDX-License-Identifier: Apache-2.0
// inspect/explain/explanation.h -- the choices of a program's plan, the expected cost of each part on this machine, and
// its measured time.
#pragma once

#include <map>
#include <mutex>

#include "hilo/engine/plan.h"
#include "hilo/inspect/explain/work.h"

namespace hilo {

/// Records the fastest run of each unit, and how often it ran.
class UnitClock final : public ExecutionObserver {
 public:
  void on_unit(const ExecutionUnit& unit, const UnitTimes& times) override;
  struct Runs {
    int64_t fastest = 0;  ///< nanoseconds
    int64_t count = 0;
  };
  /// Returns nullopt if the unit never ran.
  std::optional<Runs> of(const ExecutionUnit& unit) const;

 private:
  mutable std::mutex mutex_;
  std::map<const ExecutionUnit*, Runs> runs_;
};

/// The least time of a unit on this machine, and what takes it.
struct Floor {
  double nanoseconds = 1;
  std::string_view bound;  ///< "memory", "products", ...
  bool exact = true;       ///< false if the program doesn't determine its work, so that the floor may be far too low
};

/// A unit of the plan.
struct ExplainedUnit {
  std::string label;                  ///< "row kernel reduce.8", "dot dot.3"
  std::vector<std::string> chosen;    ///< a line each: how the unit runs, and why its operands or results are in memory
  std::vector<std::string> doubtful;  ///< choices that measured times contradict
  Floor floor;
  double nanoseconds = 0;  ///< the fastest run
  int64_t runs = 0;

  double total() const { return nanoseconds * static_cast<double>(runs); }
  double ratio() const { return nanoseconds / floor.nanoseconds; }
};

/// Returns the floor of work that moves `bytes`, shared by `threads`: each of them either moves or computes.
Floor floor_of(const Work& work, double bytes, double threads, const MachineFigures& figures);

/// Returns the units that ran, most expensive first. `plan` is the one that the executable runs.
/// Errors     FAILED_PRECONDITION for a program without information about its instructions
StatusOr<std::vector<ExplainedUnit>> explained(const Executable& executable, const engine::Plan& plan,
                                               const UnitClock& clock, const MachineFigures& figures);

/// Ratios above are slow: the unit's code is bad, or its floor is.
inline constexpr double kSlowRatio = 4;

/// Returns a table, the share of time that slow units take, then the doubtful choices.
std::string explanation_text(const std::vector<ExplainedUnit>& units, const MachineFigures& figures);

}  // namespace hilo
