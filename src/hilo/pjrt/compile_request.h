// SPDX-License-Identifier: Apache-2.0
// pjrt/compile_request.h -- reads the supported fields of CompileOptionsProto.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/device/compile_options.h"

namespace hilo::pjrt {

/// What XLA's flags xla_dump_to, xla_dump_hlo_as_text and xla_dump_hlo_as_proto request.
struct DumpRequest {
  std::string folder;  ///< empty: no dump
  bool as_text = false, as_proto = false;
};

struct CompileRequest {
  int64_t replicas = 1, partitions = 1;
  /// Row-major, the partitions of replica 0 first; empty if not specified.
  std::vector<int> devices;
  /// Flags 0 or 1, whether the compiler may choose the shardings: one for all, one per value, or none.
  std::vector<int64_t> free_parameters, free_results;
  bool uses_shardy = false;  ///< whether the caller's shardings are Shardy's, otherwise GSPMD's
  DumpRequest dump;
  std::optional<Effort> effort;  ///< empty: that of the flag hilo_effort
  int64_t count() const { return replicas * partitions; }
};

/// Parses the message. Dumps without a format are text. The effort is the last of optimization_level (O0 and O1 are
/// fastest, O3 is best), exec_time_optimization_effort (below 0 is fastest, above 0 best) and
/// xla_backend_optimization_level (0 is fastest). Other flags of XLA's code generation are ignored.
/// Errors    INVALID_ARGUMENT for an invalid message, counts below 1, a device assignment with other counts, and
///           compiler options that are unknown to XLA or have values of another type
StatusOr<CompileRequest> compile_request(std::string_view bytes);

/// Returns the DeviceAssignmentProto of the request's devices.
std::string device_assignment_proto(const CompileRequest& request);

}  // namespace hilo::pjrt
