// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/handle.h"

#include <cstring>

#include "hilo/base/random_key.h"

namespace hilo::rpc {

std::string Handle::bytes() const {
  std::string bytes(sizeof(Handle), '\0');
  std::memcpy(bytes.data(), this, sizeof(Handle));
  return bytes;
}

Handle random_handle() {
  const std::array<uint64_t, 2> words = random_words();
  return {words[0], words[1]};
}

}  // namespace hilo::rpc
