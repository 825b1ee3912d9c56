// SPDX-License-Identifier: Apache-2.0
// engine/lane_program.h -- a program that does the same for each index of a batch, as the program for one index.
#pragma once

#include <optional>

#include "hilo/hlo/ir/computation.h"

namespace hilo::engine {

/// A leaf of the parameters or the result of the whole program.
struct LaneLeaf {
  Shape whole;
  std::optional<int64_t> batch_dimension;  ///< nullopt: all indices have the same elements
};

/// The computation for one index of the batch: batch dimensions have extent 1. A replica-id is the index.
struct LaneProgram {
  hlo::ComputationPtr computation;
  int64_t batch = 1;
  std::vector<LaneLeaf> parameters, results;
};

/// Finds the dimensions that only pass through the computation's ops (loops, branches and calls included): no op
/// reduces them, mixes their indices or depends on which index it is, except iotas and constants. Returns the program
/// for one index of those with the most elements; nullopt without such a dimension.
/// Example   vmap of f: f64[3] -> f64[3] over 1024, which may store the batch last: the computation of f
/// Cost      linear in the instructions, calls included once
std::optional<LaneProgram> lane_program(const hlo::ComputationPtr& computation);

}  // namespace hilo::engine
