// SPDX-License-Identifier: Apache-2.0
// rpc/grpc_table.h -- the functions of libhilo_grpc.so. gRPC consists of 57 libraries, so it is opened on first use.
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

/// How a client connects to a server. File contents are PEM.
struct ChannelOptions {
  std::string address;                     ///< "127.0.0.1:8470"
  std::string token = {};                  ///< token of the client; "" means none
  std::string ca = {};                     ///< CA of the server's certificate; "" means no TLS
  std::string certificate = {}, key = {};  ///< the client's certificate and key; "" means none
};

/// The functions that libhilo_grpc.so exports.
struct GrpcTable : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_grpc.so", "hilo_grpc", "the backend xrt",
                                         "install libgrpc++-dev and protobuf-compiler-grpc, and build again"};
  StatusOr<std::unique_ptr<Connection>> (*connect)(const ChannelOptions& options, std::shared_ptr<Receiver> receiver);
  StatusOr<std::unique_ptr<Server>> (*serve)(const ServerOptions& options,
                                             std::function<StatusOr<WorkerFiles>()> start_worker);
  StatusOr<AskOverview> (*watch)(const ChannelOptions& options);
};

}  // namespace hilo::rpc
