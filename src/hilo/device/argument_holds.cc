// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/argument_holds.h"

#include <algorithm>

namespace hilo {

std::string argument_text(size_t i, std::span<const std::string> names) {
  return "argument " + std::to_string(i) + (names[i].empty() ? "" : " '" + names[i] + "'");
}

bool ArgumentHolds::hold(const DeviceRun& run, size_t i) const {
  return is_donated(i) ? run.arguments[i]->try_donate() : run.arguments[i]->try_use();
}

Status ArgumentHolds::take(std::span<const std::string> names) {
  for (; held_runs_ < runs_.size(); ++held_runs_) {
    const DeviceRun& run = runs_[held_runs_];
    for (size_t i = 0; i < run.arguments.size(); ++i) {
      if (hold(run, i)) continue;
      Status reason = why_not(run, i, names);
      end_arguments(run, i);
      return reason;
    }
  }
  return ok_status();
}

void ArgumentHolds::end_arguments(const DeviceRun& run, size_t count) const {
  for (size_t i = 0; i < count; ++i) {
    if (is_donated(i)) run.arguments[i]->keep();
    else run.arguments[i]->end_use();
  }
}

void ArgumentHolds::end() {
  for (; held_runs_ > 0; --held_runs_) end_arguments(runs_[held_runs_ - 1], runs_[held_runs_ - 1].arguments.size());
}

void ArgumentHolds::donate() {
  for (const DeviceRun& run : runs_) {
    for (size_t i = 0; i < donated_.size(); ++i) {
      if (donated_[i]) run.arguments[i]->end_life(BufferState::kDonated);
    }
  }
}

Status ArgumentHolds::why_not(const DeviceRun& run, size_t i, std::span<const std::string> names) const {
  const std::span<const BufferPtr> arguments = run.arguments;
  const size_t k = std::ranges::find(arguments.first(i), arguments[i]) - arguments.begin();
  if (k == i || arguments[i]->state() != BufferState::kLive) return not_free(*arguments[i], argument_text(i, names));
  const bool twice = is_donated(i) && is_donated(k);
  return invalid_argument(
      std::string(twice ? "Attempt to donate the same buffer twice" : "a donated buffer is also a read-only argument") +
      " (arguments " + std::to_string(k) + " and " + std::to_string(i) + ")");
}

}  // namespace hilo
