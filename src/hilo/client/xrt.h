// SPDX-License-Identifier: Apache-2.0
// client/xrt.h -- compiling on another machine.
#pragma once

#include <span>
#include <string_view>

#include "hilo/backend/backend.h"

namespace hilo {

/// The module compiled by the server `target` ("local" or "rpc:address") for arguments of these shapes.
/// Errors    UNIMPLEMENTED naming the target: this build has no connection to a server
StatusOr<std::shared_ptr<Executable>> compile_for_xrt(const hlo::Module& module, std::span<const Shape> argument_shapes,
                                                      std::string_view target);

}  // namespace hilo
