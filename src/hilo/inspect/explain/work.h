// SPDX-License-Identifier: Apache-2.0
// inspect/explain/work.h -- the least time of a program's instructions on this machine, by kind of work.
#pragma once

#include <array>
#include <unordered_map>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/explain/machine_figures.h"

namespace hilo {

/// What the processor does. Moved bytes aren't among them: they depend on which values stay in registers.
enum class WorkKind : uint8_t {
  kArithmetic,
  kFunctions,  ///< elementwise: exponentials, divisions, ...
  kProducts,
  kSorting,
  kFourier,
  kFactorizations,
  kPlaces,  ///< gathers and scatters
  kScans,
};
inline constexpr size_t kWorkKinds = 8;
std::string_view work_name(WorkKind kind);

/// Nanoseconds of one thread.
struct Work {
  std::array<double, kWorkKinds> nanoseconds{};
  bool exact = true;  ///< false if the program doesn't determine it: a loop of unknown length counts once

  double& operator[](WorkKind kind) { return nanoseconds[ordinal(kind)]; }
  double operator[](WorkKind kind) const { return nanoseconds[ordinal(kind)]; }
  double sum() const;
  WorkKind largest() const;
  Work& operator+=(const Work& other);
  Work times(double count) const;
};

/// Computes the work of all computations that are reachable from an entry. Each instruction takes what its operations
/// take at the speed of the machine's figures: no code of the same algorithm should be much faster.
class WorkAnalysis {
 public:
  /// Cost      linear in the program
  WorkAnalysis(hlo::ComputationPtr entry, const MachineFigures& figures);

  /// Returns the work of one run of an instruction of `owner`, with the computations that it calls; of a conditional,
  /// that of its shortest branch.
  Work of(const hlo::Instruction& instruction, const hlo::Computation& owner) const;

 private:
  Work own(const hlo::Instruction& instruction, const hlo::Computation& owner) const;

  hlo::ComputationPtr entry_;
  MachineFigures figures_;
  std::unordered_map<const hlo::Computation*, Work> of_computations_;
};

}  // namespace hilo
