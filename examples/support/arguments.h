// SPDX-License-Identifier: Apache-2.0
// examples/support/arguments.h -- the command line of the digits program.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace examples {

struct Arguments {
  std::string report;    ///< path of the report; empty: no report
  int64_t replicas = 1;  ///< that share each batch
  bool mesh = false;     ///< they share it by a mesh, not by pmap
  std::string losses;    ///< where the loss of each epoch goes; empty: nowhere
};

/// Reads `digits [report.html] [--replicas N] [--mesh] [--losses FILE]`; ends the program with 2 for anything else.
inline Arguments arguments(int argc, char** argv) {
  Arguments found;
  bool good = true;
  for (int i = 1; i < argc && good; ++i) {
    if (std::string_view(argv[i]) == "--replicas") {
      const std::string_view count = ++i < argc ? argv[i] : "";
      good = count == "1" || count == "2" || count == "4";  // what divides a batch, and a small machine runs well
      if (good) found.replicas = count[0] - '0';
    } else if (std::string_view(argv[i]) == "--mesh") {
      found.mesh = true;
    } else if (std::string_view(argv[i]) == "--losses") {
      good = ++i < argc;
      if (good) found.losses = argv[i];
    } else {
      good = found.report.empty() && argv[i][0] != '-';
      found.report = argv[i];
    }
  }
  if (good) return found;
  std::fputs("usage: digits [report.html] [--replicas 1|2|4] [--mesh] [--losses FILE]\n", stderr);
  std::exit(2);
}

}  // namespace examples
