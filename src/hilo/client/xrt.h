// SPDX-License-Identifier: Apache-2.0
// client/xrt.h -- compiling and running on another machine.
#pragma once

#include <span>
#include <string_view>

#include "hilo/device/client.h"

namespace hilo {

/// The client of the server ClientOptions::target, "rpc:host:port". For "local", where no server is named, it has no
/// devices, and its compile() is UNIMPLEMENTED saying so.
/// Errors    as make_server_client
StatusOr<ClientPtr> make_xrt_client(ClientOptions options);

/// The module compiled by the server `target` for arguments of these shapes.
/// Errors    those of make_xrt_client and the client
StatusOr<std::shared_ptr<Executable>> compile_for_xrt(const hlo::Module& module, std::span<const Shape> argument_shapes,
                                                      std::string_view target);

}  // namespace hilo
