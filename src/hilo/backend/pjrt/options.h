// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/options.h -- CompileOptionsProto, of which a few numbers are enough.
#pragma once

#include <span>
#include <string>

namespace hilo::plugins {

/// Options of a program that runs alone, on any device: each run says on which.
std::string portable_options();

/// Options of a program whose replica r runs on devices[r]. Empty options aren't possible: XLA's plugins end the process.
/// Precondition: there is a device.
/// Source    xla/pjrt/proto/compile_options.proto, xla/xla_data.proto
std::string replica_options(std::span<const int64_t> devices);

}  // namespace hilo::plugins
