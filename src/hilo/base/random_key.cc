// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/random_key.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

namespace hilo {

std::array<uint64_t, 2> random_words() {
  std::array<uint64_t, 2> words = {};
  ssize_t got = 0;
  do got = ::getrandom(words.data(), sizeof(words), 0);
  while (got < 0 && errno == EINTR);
  if (got != sizeof(words)) std::abort();  // the kernel guarantees this few bytes
  return words;
}

std::string random_key() {
  const std::array<uint64_t, 2> words = random_words();
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

}  // namespace hilo
