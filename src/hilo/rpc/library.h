// SPDX-License-Identifier: Apache-2.0
// rpc/library.h -- libhilo_rpc.so, which has gRPC in it: 57 libraries come with it, so that it is opened when it is asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

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

/// What the library has.
struct Library {
  std::string_view version;  ///< of hilo
  StatusOr<std::unique_ptr<Connection>> (*connect)(const ChannelOptions& options, std::shared_ptr<Receiver> receiver);
  StatusOr<std::unique_ptr<Server>> (*serve)(const ServerOptions& options,
                                             std::function<StatusOr<WorkerFiles>()> start_worker);
  StatusOr<AskOverview> (*watch)(const ChannelOptions& options);
};

/// Opens the library that lies beside libhilo.so, or that the loader finds. It stays open.
/// Errors    NOT_FOUND if there is none; FAILED_PRECONDITION for one of another version
StatusOr<const Library*> open_library();

}  // namespace hilo::rpc
