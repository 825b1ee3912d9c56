// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/options.h -- writes the required fields of CompileOptionsProto.
#pragma once

#include <span>
#include <string>

namespace hilo::plugins {

/// Returns options of a program that runs alone, on any device: each run specifies the device.
std::string portable_options();

/// Returns options of a program whose replica r runs on devices[r]. With empty options, XLA's plugins end the process.
/// Precondition: there is a device.
/// Source    xla/pjrt/proto/compile_options.proto, xla/xla_data.proto
std::string replica_options(std::span<const int64_t> devices);

}  // namespace hilo::plugins
