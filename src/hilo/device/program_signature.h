// SPDX-License-Identifier: Apache-2.0
// device/program_signature.h -- what a caller must know of a compiled program: no module is needed for it.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Leaves are in order; tuples are flattened.
struct ProgramSignature {
  std::string name;
  std::vector<Shape> argument_shapes;
  std::vector<std::string> argument_names;  ///< of the parameter that the leaf belongs to
  std::vector<Shape> result_shapes;
  Shape result_shape;  ///< as the program has it, tuples and all
  int64_t replica_count = 1;
  bool meets_others = false;  ///< there is something in it by which replicas meet or differ
  uint64_t fingerprint = 0;   ///< of one by which replicas meet: a hash of what it computes, equal in all processes
  double run_seconds = 0;     ///< what a run may take if it isn't told otherwise; 0: forever
};

/// The signature of the module's entry; of what the module doesn't say, nothing is set.
ProgramSignature signature_of(const hlo::Module& module);

}  // namespace hilo
