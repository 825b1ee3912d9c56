// SPDX-License-Identifier: Apache-2.0
// replica/launch.h -- detects whether a launcher started this process as one of several.
#pragma once

#include <optional>
#include <string>

#include "hilo/base/status.h"

namespace hilo {

/// The launcher's settings in the environment of this process.
struct Launch {
  int index = 0;
  int count = 1;
  std::string launcher;   ///< "mpirun of Open MPI"
  bool is_mpich = false;  ///< whether the launcher is that of MPICH or a derived library
  bool operator==(const Launch&) const = default;
};

/// Returns nothing for a process that was started alone or as the only one.
/// Errors    INVALID_ARGUMENT naming a variable that isn't a number, or an index that isn't below the count
StatusOr<std::optional<Launch>> launch_of_environment();

}  // namespace hilo
