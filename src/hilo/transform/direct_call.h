// SPDX-License-Identifier: Apache-2.0
// transform/direct_call.h -- calls of a jitted function that has run with such arguments before: without a lock, and
// without an allocation. Not for users.
#pragma once

#include "hilo/device/buffer.h"
#include "hilo/device/direct_run.h"
#include "hilo/transform/call_leaves.h"

namespace hilo {

class JitCache;
struct JitEntry;

namespace jit_detail {

/// One call. Its entry stays alive until the object is destroyed.
class DirectCall {
 public:
  explicit DirectCall(JitCache& cache);
  ~DirectCall();
  DirectCall(const DirectCall&) = delete;
  DirectCall& operator=(const DirectCall&) = delete;

  /// Runs the program. Returns false, without an effect, if the call needs more than the program's run: a trace, a
  /// transformation, a copy to a device, a debugging flag, a donation, an error.
  /// Errors     throws those of the program
  bool run(std::span<const CallArgument> arguments);
  /// The same, with results in the caller's memory. Also returns false if a result doesn't fit into its memory.
  bool run_into(std::span<const CallArgument> arguments, const CallLeaves& results);

  // After run():
  /// Returns the only result.
  Array result() { return take(0); }
  /// Fills the tree of the results.
  void fill(WalkRef walk_result);
  const void* prototype() const;

  Array take(size_t i);

 private:
  bool find(std::span<const CallArgument> arguments);
  bool start(std::span<std::byte*> results);
  bool place_results(const CallLeaves& results, std::span<std::byte*> addresses) const;
  void copy_results(const CallLeaves& results);

  JitCache& cache_;
  JitEntry* entry_ = nullptr;
  bool committed_ = false;
  size_t result_count_ = 0;
  CallLeaves leaves_;
  alignas(BufferPtr) std::byte room_[DirectRun::kMax * sizeof(BufferPtr)];  // not initialized
  std::span<BufferPtr> buffers() { return {reinterpret_cast<BufferPtr*>(room_), result_count_}; }
};

/// Marks the entry as one that DirectCall can run, after a run, if its program allows that.
void allow_direct_calls(JitEntry& entry);

}  // namespace jit_detail

}  // namespace hilo
