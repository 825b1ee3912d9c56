// SPDX-License-Identifier: Apache-2.0
// rpc/secret_file.h -- reads files that only this user may read: tokens and private keys.
#pragma once

#include <string>

#include "hilo/base/status.h"

namespace hilo::rpc {

/// Reads a file that belongs to this user or to root and that no other user can read. Files in systemd's
/// $CREDENTIALS_DIRECTORY may have group bits, which are the mask of an access list.
/// Errors    PERMISSION_DENIED if others can read it; RESOURCE_EXHAUSTED above 1 MiB; those of read_file
StatusOr<std::string> read_secret(const std::string& path);

}  // namespace hilo::rpc
