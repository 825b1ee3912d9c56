// SPDX-License-Identifier: Apache-2.0
// tests/pjrt/compile_options.h -- CompileOptionsProto, as callers of the C API write it.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/proto/wire.h"

namespace hilo::tests {

/// Replicas, partitions, the devices of each partition (empty: unspecified), and whether shardings are Shardy's.
inline std::string options(int64_t replicas, int64_t partitions, const std::vector<std::vector<int64_t>>& devices = {},
                           bool shardy = false) {
  hlo::proto::WireWriter build, all;
  build.integer(4, replicas);
  build.integer(5, partitions);
  if (!devices.empty()) {
    hlo::proto::WireWriter assignment;
    assignment.integer(1, replicas);
    assignment.integer(2, partitions);
    for (const std::vector<int64_t>& ids : devices) {
      hlo::proto::WireWriter column;
      column.integers(1, ids);
      assignment.message(3, column);
    }
    build.message(9, assignment);
  }
  build.boolean(19, shardy);
  all.message(3, build);
  return std::move(all).take();
}

}  // namespace hilo::tests
