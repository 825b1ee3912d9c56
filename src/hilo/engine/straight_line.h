// SPDX-License-Identifier: Apache-2.0
// engine/straight_line.h -- programs over small arrays as one computation over their elements: contractions and loops
// are unrolled, moves disappear, and constants are known element by element.
#pragma once

#include <optional>

#include "hilo/engine/costs.h"
#include "hilo/engine/lane_program.h"

namespace hilo::engine {

/// An element of an array: `element` is its number for index 0 of the batch, `lane_stride` the distance to that of the
/// next index; 0 if all indices have the same element.
struct ElementPlace {
  static constexpr uint32_t kLaneIndex = ~0u;  ///< a leaf: the index of the batch itself, s64

  uint32_t leaf = 0;  ///< of the parameters, behind which are the tables, or of the results
  int64_t element = 0;
  int64_t lane_stride = 0;
  bool operator==(const ElementPlace&) const = default;
};

/// A computation over scalars. Parameter k is `parameters[k]` of the original. Element k of the root, a tuple, is
/// `results[k]` of the original; the last one, if `has_guard`, is a leaf behind the results: whether they are right.
struct StraightLine {
  hlo::ComputationPtr computation;
  std::vector<ElementPlace> parameters, results;
  uint32_t leaf_count = 0;      ///< of the parameters
  std::vector<Literal> tables;  ///< constants that differ between the indices of the batch
  /// Products with a zero that is known at compile time were left out. They are zero only if the other factor is
  /// finite: the guard is false if one isn't.
  bool has_guard = false;
  int64_t batch = 1;  ///< the computation is done for each index

  size_t guard_element() const { return has_guard ? results.size() - 1 : results.size(); }
};

/// Whether the value of each instruction differs between indices of the batch.
std::vector<bool> depends_on_batch(const StraightLine& line);

/// Returns the number of indices that vectors of that size hold: at most the batch.
int64_t lane_count(const StraightLine& line, int64_t vector_bytes);

/// The largest array, which bounds the time of expansion, and the number of operations on elements of one function.
inline constexpr int64_t kMaxStraightElements = 8192;
inline constexpr uint32_t kMaxStraightOperations = 20'000;

struct StraightLineOptions {
  bool fused = true;      ///< terms of products are fma, as in regions on a target that has it
  int vector_bytes = 16;  ///< size of a register
  bool guarded = true;    ///< products with a known zero may be left out, under a guard
  uint32_t max_operations = kMaxStraightOperations;
};

/// Returns the computation as a straight line; nullopt if it has larger arrays, more operations, loops whose trips
/// aren't known at compile time, or ops that act on whole arrays.
/// Cost    linear in the operations on elements, about 1 us each
std::optional<StraightLine> straight_line(const hlo::ComputationPtr& computation,
                                          const StraightLineOptions& options = {});
/// Returns the computation as a program without a batch.
LaneProgram whole_program(const hlo::ComputationPtr& computation);
/// Returns the straight line of a program for one index of a batch.
std::optional<StraightLine> straight_line(const LaneProgram& program, const StraightLineOptions& options = {});

}  // namespace hilo::engine
