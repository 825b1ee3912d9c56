// SPDX-License-Identifier: Apache-2.0
// training/progress.h -- a progress bar on the terminal.
#pragma once

#include <cstdint>
#include <string>

namespace hilo::training {

/// A progress bar on stderr with the completed part, the remaining time and a note. It is updated at most ten times a
/// second, and only if stderr is a terminal; otherwise nothing is written. NO_COLOR turns colors off.
/// Example    Progress progress("training", steps);  ...  progress.step(i + 1, "loss 0.25");
class Progress {
 public:
  Progress(std::string title, int64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Reports that `done` steps are completed, with an optional note.
  void step(int64_t done, const std::string& note = "");
  /// Ends the line of the bar; the destructor does the same.
  void finish();

 private:
  double seconds() const;

  std::string title_;
  int64_t total_;
  int64_t began_ = 0;  ///< nanoseconds of the steady clock
  double drawn_ = -1;  ///< time of the last update, in seconds since the start
  bool terminal_ = false, color_ = false, open_ = false;
};

/// Returns the line of the bar after `done` of `total` steps and the given seconds, without colors.
std::string progress_text(const std::string& title, int64_t done, int64_t total, double seconds,
                          const std::string& note);

}  // namespace hilo::training
