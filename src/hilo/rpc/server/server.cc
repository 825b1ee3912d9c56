// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/server.h"

#include "hilo/rpc/grpc_table.h"
#include "hilo/rpc/server/check_limits.h"

namespace hilo::rpc {

StatusOr<std::unique_ptr<Server>> start_server(const ServerOptions& options, StartWorker start_worker) {
  HILO_RETURN_IF_ERROR(check_listen(options));
  HILO_RETURN_IF_ERROR(check_limits(options));
  HILO_ASSIGN_OR_RETURN(const GrpcTable* const grpc, open_companion<GrpcTable>());
  return grpc->serve(options, std::move(start_worker));
}

}  // namespace hilo::rpc
