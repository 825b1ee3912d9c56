// SPDX-License-Identifier: Apache-2.0
// A program outside of the project, for every way to install hilo.
#include <hilo/version.h>

#include <cstdio>

int main() {
  const std::string_view running = hilo::version();
  std::printf("hilo %.*s\n", static_cast<int>(running.size()), running.data());
  return running == HILO_VERSION_STRING ? 0 : 1;
}
