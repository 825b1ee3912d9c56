// SPDX-License-Identifier: Apache-2.0
// training/progress.h -- how far a loop has come, on a terminal.
#pragma once

#include <cstdint>
#include <string>

namespace hilo::training {

/// A bar on stderr with what is done, how long the rest takes, and a note: drawn at most ten times a second, and only where
/// stderr is a terminal. Elsewhere nothing is written. NO_COLOR turns colours off.
/// Example    Progress progress("training", steps);  ...  progress.step(i + 1, "loss 0.25");
class Progress {
 public:
  Progress(std::string title, int64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// `done` steps have been taken; `note` says how it goes.
  void step(int64_t done, const std::string& note = "");
  /// Ends the bar's line; the destructor does too.
  void finish();

 private:
  double seconds() const;

  std::string title_;
  int64_t total_;
  int64_t began_ = 0;  ///< nanoseconds of the steady clock
  double drawn_ = -1;  ///< seconds since the beginning
  bool terminal_ = false, color_ = false, open_ = false;
};

/// The bar's line as it stands after `done` of `total` steps and so many seconds, without colour.
std::string progress_text(const std::string& title, int64_t done, int64_t total, double seconds,
                          const std::string& note);

}  // namespace hilo::training
