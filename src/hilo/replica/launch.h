// SPDX-License-Identifier: Apache-2.0
// replica/launch.h -- whether this process was started as one of several that compute together.
#pragma once

#include <optional>
#include <string>

#include "hilo/base/status.h"

namespace hilo {

/// What a launcher told this process through its environment.
struct Launch {
  int index = 0;
  int count = 1;
  std::string launcher;   ///< "mpirun of Open MPI"
  bool is_mpich = false;  ///< its launcher belongs to MPICH or one of its kin
  bool operator==(const Launch&) const = default;
};

/// Nothing for a process that was started alone, or as the only one.
/// Errors    INVALID_ARGUMENT naming a variable that isn't a number, or an index that isn't below the count
StatusOr<std::optional<Launch>> launch_of_environment();

}  // namespace hilo
