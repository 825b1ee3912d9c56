// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/handle.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hilo::rpc {
namespace {

/// Handles that the system has made and nobody has taken, of one thread and one process: a child must not hand out its
/// parent's.
struct Supply {
  std::array<Handle, 256> handles;
  size_t left = 0;
  pid_t owner = 0;

  void refill() {
    char* to = reinterpret_cast<char*>(handles.data());
    size_t missing = sizeof(handles);
    while (missing > 0) {
      const ssize_t got = ::getrandom(to, missing, 0);
      if (got < 0 && errno != EINTR) std::abort();  // the kernel promises these bytes
      if (got < 0) continue;
      to += got;
      missing -= static_cast<size_t>(got);
    }
    left = handles.size();
    owner = ::getpid();
  }
};

}  // namespace

std::string Handle::bytes() const {
  std::string bytes(sizeof(Handle), '\0');
  std::memcpy(bytes.data(), this, sizeof(Handle));
  return bytes;
}

Handle random_handle() {
  thread_local Supply supply;
  if (supply.left == 0 || supply.owner != ::getpid()) supply.refill();
  return supply.handles[--supply.left];
}

}  // namespace hilo::rpc
