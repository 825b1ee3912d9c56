// SPDX-License-Identifier: Apache-2.0
// tests/support/number_from.h -- how many programs a generator runs, by the environment.
#pragma once

#include <cstdlib>

namespace hilo::tests {

/// The number in the environment's variable, or `otherwise` if it isn't set.
inline unsigned number_from(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

}  // namespace hilo::tests
