// SPDX-License-Identifier: Apache-2.0
// hlo/text/program_order.h -- order and names of a stored module's computations, and decompositions of extension ops.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo::text {

/// Returns each name once: "x", "x.1", "x.2".
class UniqueNames {
 public:
  std::string unique(const std::string& base);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;
};

struct ProgramOrder {
  std::vector<ComputationPtr> order;                                      ///< callees first, the entry last
  std::unordered_map<const Computation*, std::string> names;              ///< valid in HLO text and unique
  std::unordered_map<const Instruction*, ComputationPtr> decompositions;  ///< of extension ops
  std::unordered_map<const Instruction*, Status> refusals;  ///< why other extension ops have no decomposition
};

enum class ProgramNames : uint8_t { kOwn, kNumbers };
/// Returns every computation that the entry needs; those of a stored program in its order. With `decompose_extensions`
/// also the decompositions of extension ops.
ProgramOrder program_order(const Module& module, bool decompose_extensions, ProgramNames names = ProgramNames::kOwn);

}  // namespace hilo::hlo::text
