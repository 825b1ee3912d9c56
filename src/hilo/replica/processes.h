// SPDX-License-Identifier: Apache-2.0
// replica/processes.h -- the processes that a launcher started together: how many, which one this is, and how they
// meet.
#pragma once

#include "hilo/base/companion.h"
#include "hilo/device/client.h"
#include "hilo/replica/launch.h"

namespace hilo {

/// What libhilo_mpi.so has (replica/mpi).
struct ProcessesTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_mpi.so", "hilo_mpi",
                                         "a process that a launcher started as one of several",
                                         "build and install the target hilo_mpi"};
  Status (*join)(ClientOptions& options, const Launch& launch);
};

/// Makes the client that `options` describe one of several processes', if a launcher (mpirun, srun) started this
/// process as one of several: its devices are then those of all, replica_count of them in each. MPI begins here, at the
/// first such call.
/// Errors    NOT_FOUND without a library of MPI; INVALID_ARGUMENT for a library that isn't the launcher's, or for
///           processes that differ in their devices or in their build of hilo; UNAVAILABLE if they can't hear each
///           other
Status join_processes(ClientOptions& options);

}  // namespace hilo
