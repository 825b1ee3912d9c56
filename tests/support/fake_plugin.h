// SPDX-License-Identifier: Apache-2.0
// tests/support/fake_plugin.h -- what tests tell the fake plugin, and what it has seen. Its programs run on the
// reference evaluator; its events are late, its arrays lie column by column, and it ends the process where XLA's
// plugins do.
#pragma once

#include <atomic>
#include <cstdint>

namespace hilo::tests {

struct FakePluginPlan {
  std::atomic<int64_t> calls{0};            ///< that could have failed
  std::atomic<int64_t> fail_at{-1};         ///< the number of the call that fails, from 0 on; -1: none
  std::atomic<uint32_t> fail_code{14};      ///< with which PJRT_Error_Code
  std::atomic<int64_t> fail_events_at{-1};  ///< the number of the piece of late work that fails
  std::atomic<int64_t> work{0};             ///< pieces of late work
  std::atomic<bool> holds_work{false};      ///< late work waits until this is over
  std::atomic<int64_t> taken{0};            ///< arguments whose memory runs have taken
  std::atomic<int64_t> live{0};  ///< errors, events, buffers, executables and clients that have not been destroyed
};

/// What the library exports as hilo_fake_plugin().
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
