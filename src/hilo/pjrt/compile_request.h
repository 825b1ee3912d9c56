// SPDX-License-Identifier: Apache-2.0
// pjrt/compile_request.h -- CompileOptionsProto, as far as it means something here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::pjrt {

struct CompileRequest {
  int64_t replicas = 1, partitions = 1;
  /// Row-major, the partitions of replica 0 first; empty: nothing is said.
  std::vector<int> devices;
  /// Which shardings the compiler may choose, 0 or 1 each: one for all, one a value, or none.
  std::vector<int64_t> free_parameters, free_results;
  bool uses_shardy = false;  ///< the caller's shardings are Shardy's; else GSPMD's
  int64_t count() const { return replicas * partitions; }
};

/// Reads the message; flags of XLA's code generation are passed over.
/// Errors    INVALID_ARGUMENT for bytes that are no such message, counts below 1, a device assignment of other counts,
///           and compiler options that aren't XLA's or have values of another type
StatusOr<CompileRequest> compile_request(std::string_view bytes);

/// DeviceAssignmentProto of as many devices as the request has.
std::string device_assignment_proto(const CompileRequest& request);

}  // namespace hilo::pjrt
