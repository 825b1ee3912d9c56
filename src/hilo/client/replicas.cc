// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/replicas.h"

namespace hilo {

StatusOr<std::vector<std::vector<BufferPtr>>> execute_per_replica(const LocalComputation& computation,
                                                                  std::span<const std::vector<BufferPtr>> arguments,
                                                                  const ExecuteOptions& options) {
  if (!computation.is_compiled()) return failed_precondition("Attempt to execute an uncompiled local XLA computation.");
  return execute_replicas(*computation.executable(), arguments, options);
}

StatusOr<std::vector<std::vector<BufferPtr>>> execute_per_replica(Executable& executable,
                                                                  std::span<const std::vector<BufferPtr>> arguments,
                                                                  const ExecuteOptions& options) {
  return execute_replicas(executable, arguments, options);
}

}  // namespace hilo
