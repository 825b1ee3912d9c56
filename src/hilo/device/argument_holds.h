// SPDX-License-Identifier: Apache-2.0
// device/argument_holds.h -- holds on the arguments of a run for as long as it uses them.
#pragma once

#include <span>
#include <string>

#include "hilo/device/buffer.h"

namespace hilo {

/// The part of a run that belongs to one device: its arguments and the slots for its results.
struct DeviceRun {
  std::span<const BufferPtr> arguments;
  std::span<BufferPtr> results;
};

/// Holds the arguments of runs until the runs end. Donated arguments are held exclusively: the run consumes them or
/// leaves them alive. The lists passed to the constructor must outlive this object.
class ArgumentHolds {
 public:
  /// `donated` has one flag per argument, valid for every run; empty means that no argument is donated.
  ArgumentHolds(std::span<const DeviceRun> runs, std::span<const bool> donated) : runs_(runs), donated_(donated) {}
  ArgumentHolds(const ArgumentHolds&) = delete;
  ArgumentHolds& operator=(const ArgumentHolds&) = delete;
  ~ArgumentHolds() { end(); }

  /// Holds all arguments, or none of them.
  /// Errors    INVALID_ARGUMENT naming the argument (from `names`) that has another holder or occurs twice in a run
  Status take(std::span<const std::string> names);
  /// Ends the holds. Donated arguments that have not been consumed stay alive.
  void end();
  /// Marks donated arguments as donated; their new owner frees the memory. Precondition: take() succeeded.
  void donate();

 private:
  bool is_donated(size_t i) const { return i < donated_.size() && donated_[i]; }
  bool hold(const DeviceRun& run, size_t i) const;
  void end_arguments(const DeviceRun& run, size_t count) const;
  Status why_not(const DeviceRun& run, size_t i, std::span<const std::string> names) const;

  std::span<const DeviceRun> runs_;
  std::span<const bool> donated_;
  size_t held_runs_ = 0;  // number of runs with all arguments held
};

/// Returns "argument 2 'x'".
std::string argument_text(size_t i, std::span<const std::string> names);

}  // namespace hilo
