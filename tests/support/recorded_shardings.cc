// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recorded_shardings.h"

#include <fstream>

#include "tests/paths.h"

namespace hilo::tests {

std::vector<RecordedSharding> recorded_shardings() {
  std::ifstream file(std::string(kSourceDir) + "/tests/golden/shardings.txt");
  std::vector<RecordedSharding> programs;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      programs.push_back({line.substr(4), {}, {}});
      std::getline(file, programs.back().wanted);
    } else {
      programs.back().code += line + "\n";
    }
  }
  return programs;
}

}  // namespace hilo::tests
