// SPDX-License-Identifier: Apache-2.0
// device/argument_holds.h -- the arguments of a run, held while it needs them.
#pragma once

#include <span>
#include <string>

#include "hilo/device/buffer.h"

namespace hilo {

/// One device's part of a run: its arguments, and room for its results.
struct DeviceRun {
  std::span<const BufferPtr> arguments;
  std::span<BufferPtr> results;
};

/// Holds the arguments of runs until they have ended: alone those that are donated, which a run takes or leaves alive. The
/// lists that it is given must outlive it.
class ArgumentHolds {
 public:
  /// `donated`: a flag per argument, of every run; empty: none is.
  ArgumentHolds(std::span<const DeviceRun> runs, std::span<const bool> donated) : runs_(runs), donated_(donated) {}
  ArgumentHolds(const ArgumentHolds&) = delete;
  ArgumentHolds& operator=(const ArgumentHolds&) = delete;
  ~ArgumentHolds() { end(); }

  /// Holds them all, or none.
  /// Errors    INVALID_ARGUMENT naming the argument (of `names`) that someone else holds or that a run gets twice
  Status take(std::span<const std::string> names);
  /// Ends the holds; donated arguments that haven't been taken live on.
  void end();
  /// Ends the lives of donated arguments, whose memory waits for who was handed them. Precondition: take() held them.
  void donate();

 private:
  bool is_donated(size_t i) const { return i < donated_.size() && donated_[i]; }
  bool hold(const DeviceRun& run, size_t i) const;
  void end_arguments(const DeviceRun& run, size_t count) const;
  Status why_not(const DeviceRun& run, size_t i, std::span<const std::string> names) const;

  std::span<const DeviceRun> runs_;
  std::span<const bool> donated_;
  size_t held_runs_ = 0;  // all of whose arguments are held
};

/// "argument 2 'x'"
std::string argument_text(size_t i, std::span<const std::string> names);

}  // namespace hilo
