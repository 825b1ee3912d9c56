// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/run_frames.h -- the memory of a run and the addresses of its values, prepared once and reused.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "hilo/backend/cpu/load/program.h"
#include "hilo/base/buffer_pool.h"

namespace hilo::cpu {

/// The addresses that a run uses. Those of constants and of the arena are set when the frame is created.
struct RunFrame {
  AlignedBuffer arena;
  std::vector<void*> first_slots;  ///< per slot, its address when a run begins
  std::vector<void*> slots;        ///< the same, which loops change during a run
  std::vector<void*> arguments;    ///< per entry of Plan::argument_slots, its address, if the program is_straight
};

/// Frames of a program for the next runs: as many as threads have run it at once, at most kMaxSpare; one if the arena
/// is large.
class RunFrames {
 public:
  explicit RunFrames(const Program& program);
  ~RunFrames();
  RunFrames(const RunFrames&) = delete;
  RunFrames& operator=(const RunFrames&) = delete;

  /// Whether the steps only call kernels and the library and copy, on one thread, so that no address changes during a
  /// run.
  bool is_straight() const { return straight_; }
  /// Returns a frame for one run. Its addresses of arguments and results are unset.
  /// Errors    RESOURCE_EXHAUSTED
  StatusOr<std::unique_ptr<RunFrame>> take();
  void give_back(std::unique_ptr<RunFrame> frame);

  /// Sets the addresses in `slots`; `arguments` and `results` have one address each.
  void place(RunFrame& frame, const std::byte* const* arguments, std::byte* const* results) const;
  /// Sets the addresses in `arguments`, and in `slots` if a step copies. Precondition: is_straight()
  void place_straight(RunFrame& frame, const std::byte* const* arguments, std::byte* const* results) const;

 private:
  /// An address that differs from run to run.
  struct Place {
    uint32_t at;      ///< index in RunFrame::slots or RunFrame::arguments
    uint32_t number;  ///< of the argument or result
    int64_t offset;   ///< from its beginning, in bytes
  };
  struct Places {
    std::vector<Place> arguments, results;
  };
  static constexpr size_t kMaxSpare = 8;
  static constexpr int64_t kLargeArena = 1 << 20;  // bytes

  StatusOr<std::unique_ptr<RunFrame>> make() const;
  size_t max_spare() const { return program_.plan.arena_bytes < kLargeArena ? kMaxSpare : 1; }

  const Program& program_;
  bool straight_, copies_;
  Places slots_, straight_places_;
  std::array<std::atomic<RunFrame*>, kMaxSpare> spare_ = {};
};

}  // namespace hilo::cpu
