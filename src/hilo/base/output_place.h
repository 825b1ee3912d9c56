// SPDX-License-Identifier: Apache-2.0
// base/output_place.h -- where a path that is to be written to leads: what is there, at the end of its links.
#pragma once

#include <sys/stat.h>

#include <string>

#include "hilo/base/status.h"

namespace hilo {

struct OutputPlace {
  // kStream: a device, a fifo, or what another process has open under /proc. kDescriptor: what this process has open.
  enum class Kind : uint8_t { kNothing, kRegular, kStream, kDescriptor };
  Kind kind = Kind::kNothing;
  std::string path;        // without links at its end
  int descriptor = -1;     // kDescriptor
  struct stat about = {};  // kRegular, kStream
};

/// Follows links as open(path, O_CREAT) does, those to nothing too, except what another user put into a folder of all, such
/// as /tmp: a program that writes there would be led astray.
/// Errors    INVALID_ARGUMENT for a directory, a socket, a circle of links; PERMISSION_DENIED for such a link; those of
///           errno_status
StatusOr<OutputPlace> find_output_place(const std::string& path);

/// The folder that a path's last name is in.
std::string directory_of(const std::string& path);

}  // namespace hilo
