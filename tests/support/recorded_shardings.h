// SPDX-License-Identifier: Apache-2.0
// tests/support/recorded_shardings.h -- tests/golden/shardings.txt: programs of JAX, and what XLA makes of their shardings.
#pragma once

#include <string>
#include <vector>

namespace hilo::tests {

struct RecordedSharding {
  std::string name;
  std::string wanted;  ///< "[{x}{y}] [{}]": of the results
  std::string code;    ///< StableHLO
};

std::vector<RecordedSharding> recorded_shardings();

}  // namespace hilo::tests
