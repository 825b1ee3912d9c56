// SPDX-License-Identifier: Apache-2.0
// device/program_signature.h -- the interface of a compiled program for callers that don't have its module.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Argument and result leaves in order; tuples are flattened.
struct ProgramSignature {
  std::string name;
  std::vector<Shape> argument_shapes;
  std::vector<std::string> argument_names;  ///< name of the parameter that each leaf belongs to
  std::vector<Shape> result_shapes;
  Shape result_shape;  ///< shape of the program's result, with tuples
  int64_t replica_count = 1;
  bool meets_others = false;  ///< whether the program has collectives or depends on the replica's number
  uint64_t fingerprint = 0;   ///< hash of a program with collectives, equal in all processes
  double run_seconds = 0;     ///< default timeout of a run in seconds; 0 means none
};

/// Returns the signature of the module's entry computation. Fields without information in the module keep their
/// defaults.
ProgramSignature signature_of(const hlo::Module& module);

}  // namespace hilo
