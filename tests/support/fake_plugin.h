// SPDX-License-Identifier: Apache-2.0
// tests/support/fake_plugin.h -- settings and counts of the fake plugin. Its programs run on the reference evaluator,
// its events are late, and its arrays are column-major. It aborts in the same cases as XLA's plugins.
#pragma once

#include <atomic>
#include <cstdint>

namespace hilo::tests {

struct FakePluginPlan {
  std::atomic<int64_t> calls{0};            ///< number of calls that can fail
  std::atomic<int64_t> fail_at{-1};         ///< the call that fails, counted from 0; -1: none
  std::atomic<uint32_t> fail_code{14};      ///< its PJRT_Error_Code
  std::atomic<int64_t> fail_events_at{-1};  ///< the piece of late work that fails, counted from 0
  std::atomic<int64_t> work{0};             ///< number of pieces of late work
  std::atomic<bool> holds_work{false};      ///< late work waits until this is false
  std::atomic<int64_t> taken{0};            ///< number of arguments whose memory was donated to runs
  std::atomic<int64_t> live{0};             ///< number of live errors, events, buffers, executables and clients
};

/// Type of the exported function hilo_fake_plugin().
using FakePluginPlanFunction = FakePluginPlan* (*)();

/// Name of an environment variable that GetPjrtApi reads. Its values:
/// - "null:PJRT_Buffer_CopyToDevice": a table without that function
/// - "size:600": a table of 600 bytes
/// - "major:1", "minor:81": a table of another version
/// - "abort": the plugin's clients end the process
/// - "throw": its compiler throws
/// - "none": it has no devices
/// - "gpu": its devices aren't processors
/// - "cuda": it calls functions with addresses of the fake driver's device
/// - "nothing": no table
inline constexpr char kFakePluginVariable[] = "HILO_FAKE_PLUGIN";

}  // namespace hilo::tests
