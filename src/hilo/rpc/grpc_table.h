// SPDX-License-Identifier: Apache-2.0
// rpc/grpc_table.h -- libhilo_grpc.so: gRPC brings 57 libraries, so that it is opened when it is needed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "hilo/base/companion.h"
#include "hilo/rpc/overview.h"

namespace hilo::rpc {

class Connection;
class Receiver;
class Server;
struct WorkerFiles;
struct ServerOptions;

/// What a client needs beside the address. Files are PEM.
struct ChannelOptions {
  std::string address;                     ///< "127.0.0.1:8470"
  std::string token = {};                  ///< "": none
  std::string ca = {};                     ///< of the server's certificate; "": no TLS
  std::string certificate = {}, key = {};  ///< the client's own; "": none
};

/// What libhilo_grpc.so has.
struct GrpcTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_grpc.so", "hilo_grpc", "the backend xrt",
                                         "install libgrpc++-dev and protobuf-compiler-grpc, and build again"};
  StatusOr<std::unique_ptr<Connection>> (*connect)(const ChannelOptions& options, std::shared_ptr<Receiver> receiver);
  StatusOr<std::unique_ptr<Server>> (*serve)(const ServerOptions& options,
                                             std::function<StatusOr<WorkerFiles>()> start_worker);
  StatusOr<AskOverview> (*watch)(const ChannelOptions& options);
};

}  // namespace hilo::rpc
