// SPDX-License-Identifier: Apache-2.0
// tests/support/number_from.h -- reads a number of programs from the environment.
#pragma once

#include <cstdlib>

namespace hilo::tests {

/// Returns the number in the environment variable, or `otherwise` if it isn't set.
inline unsigned number_from(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

}  // namespace hilo::tests
