// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/assertions.h"

#include <cstdio>
#include <cstdlib>

namespace hilo {

void assertion_failed(const std::string& what) {
  std::fprintf(stderr, "hilo: assertion failed: %s\n", what.c_str());
  std::abort();
}

}  // namespace hilo
