// SPDX-License-Identifier: Apache-2.0
// replica/processes.h -- connects the processes that a launcher started together.
#pragma once

#include "hilo/base/companion.h"
#include "hilo/device/client.h"
#include "hilo/replica/launch.h"

namespace hilo {

/// The functions of libhilo_mpi.so (replica/mpi).
struct ProcessesTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_mpi.so", "hilo_mpi",
                                         "a process that a launcher started as one of several",
                                         "build and install the target hilo_mpi"};
  Status (*join)(ClientOptions& options, const Launch& launch);
};

/// Extends `options` to several processes if a launcher (mpirun, srun) started this process as one of them. The client
/// then has the devices of all processes, replica_count in each. The first such call initializes MPI.
/// Errors    NOT_FOUND without an MPI library; INVALID_ARGUMENT for a library that isn't the launcher's, or for
///           processes that differ in their devices or in their build of hilo; UNAVAILABLE if the processes can't
///           connect to each other
Status join_processes(ClientOptions& options);

}  // namespace hilo
