// SPDX-License-Identifier: Apache-2.0
// tests/support/recorded_shardings.h -- reads files of tests/golden with programs of JAX over a mesh, and XLA's results
// for them.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hilo/hlo/sharding/propagate.h"
#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::tests {

struct RecordedSharding {
  std::string name;
  std::string wanted;  ///< shardings.txt: "[{x}{y}] [{}]" of the results; link_bytes.txt: "all-gather 4 262144, ..."
  std::string code;    ///< StableHLO
};

std::vector<RecordedSharding> recorded_shardings(const std::string& file = "shardings.txt");

/// A program with shardings, ready for the partitioner.
struct AnnotatedProgram {
  stablehlo::ModuleTree tree;
  hlo::Module module;
  hlo::PropagationRequest request;  ///< points into the tree
};

/// Shardings of results are inferred, those of parameters are fixed.
StatusOr<std::unique_ptr<AnnotatedProgram>> read_annotated(const std::string& code);

/// Floats between -1 and 1, small consecutive integers.
Literal random_array(const Shape& shape, std::mt19937& random);

}  // namespace hilo::tests
