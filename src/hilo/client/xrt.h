// SPDX-License-Identifier: Apache-2.0
// client/xrt.h -- compiles and runs programs on another machine.
#pragma once

#include <span>
#include <string_view>

#include "hilo/device/client.h"

namespace hilo {

/// Creates the client of the server ClientOptions::target, "rpc:host:port". The client of "local" has no devices, and
/// its compile() fails with UNIMPLEMENTED.
/// Errors    those of make_server_client
StatusOr<ClientPtr> make_xrt_client(ClientOptions options);

/// Compiles a module on the server `target` for arguments of these shapes.
/// Errors    those of make_xrt_client and the client
StatusOr<std::shared_ptr<Executable>> compile_for_xrt(const hlo::Module& module, std::span<const Shape> argument_shapes,
                                                      std::string_view target);

}  // namespace hilo
