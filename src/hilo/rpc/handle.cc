// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/handle.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hilo::rpc {

std::string Handle::bytes() const {
  std::string bytes(sizeof(Handle), '\0');
  std::memcpy(bytes.data(), this, sizeof(Handle));
  return bytes;
}

Handle random_handle() {
  Handle handle;
  ssize_t got = 0;
  do got = ::getrandom(&handle, sizeof(handle), 0);
  while (got < 0 && errno == EINTR);
  if (got != sizeof(handle)) std::abort();  // the kernel guarantees this few bytes
  return handle;
}

}  // namespace hilo::rpc
