// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/processes.h"

namespace hilo {

Status join_processes(ClientOptions& options) {
  HILO_ASSIGN_OR_RETURN(const std::optional<Launch> launch, launch_of_environment());
  if (!launch) return ok_status();
  HILO_ASSIGN_OR_RETURN(const ProcessesTable* const mpi, open_companion<ProcessesTable>());
  return mpi->join(options, *launch);
}

}  // namespace hilo
