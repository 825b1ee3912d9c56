// SPDX-License-Identifier: Apache-2.0
// base/output_place.h -- resolves the path of an output file.
#pragma once

#include <sys/stat.h>

#include <string>

#include "hilo/base/status.h"

namespace hilo {

struct OutputPlace {
  // kStream: a device, a fifo, or a file of another process under /proc. kDescriptor: an open file of this process.
  enum class Kind : uint8_t { kNothing, kRegular, kStream, kDescriptor };
  Kind kind = Kind::kNothing;
  std::string path;        // path after its links are resolved
  int descriptor = -1;     // for kDescriptor
  struct stat about = {};  // for kRegular and kStream
};

/// Follows symbolic links as open(path, O_CREAT) does, including dangling ones. Links of other users in a shared folder
/// such as /tmp are rejected, because they could redirect the output.
/// Errors    INVALID_ARGUMENT for a directory, a socket or a cycle of links; PERMISSION_DENIED for a link of another
///           user; those of errno_status
StatusOr<OutputPlace> find_output_place(const std::string& path);

/// Returns the folder of a path.
std::string directory_of(const std::string& path);

}  // namespace hilo
