// SPDX-License-Identifier: Apache-2.0
// examples/support/progress.h -- a progress bar on a terminal, a line every tenth in a pipe.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hilo/client/platform_name.h"

namespace examples {

/// Shows on stderr how far a loop of `total` steps has come.
class Progress {
 public:
  Progress(std::string title, int total) : title_(std::move(title)), total_(total > 0 ? total : 1) {
    const char* no_color = std::getenv("NO_COLOR");
    terminal_ = isatty(STDERR_FILENO) != 0;
    color_ = terminal_ && (no_color == nullptr || *no_color == '\0');
  }

  /// `done` steps have been taken; `note` says how it goes.
  void step(int done, const std::string& note) {
    if (terminal_) draw(done, note);
    else print_tenth(done, note);
  }

  /// Ends the bar's line.
  void finish() {
    if (terminal_) std::fputc('\n', stderr);
  }

 private:
  static constexpr int kWidth = 30;  // characters of the bar

  void draw(int done, const std::string& note) const {
    const int filled = static_cast<int>(static_cast<long long>(kWidth) * done / total_);
    const std::string bar =
        std::string(static_cast<size_t>(filled), '#') + std::string(static_cast<size_t>(kWidth - filled), '.');
    std::fprintf(stderr, "\r%s [%s%s%s] %3d%% %s\x1b[K", title_.c_str(), color_ ? "\x1b[32m" : "", bar.c_str(),
                 color_ ? "\x1b[0m" : "", percent(done), note.c_str());
    std::fflush(stderr);
  }

  void print_tenth(int done, const std::string& note) {
    const int tenth = percent(done) / 10;
    if (tenth == last_tenth_) return;
    last_tenth_ = tenth;
    std::fprintf(stderr, "%s %d%% %s\n", title_.c_str(), percent(done), note.c_str());
  }

  int percent(int done) const { return static_cast<int>(100LL * done / total_); }

  std::string title_;
  int total_;
  int last_tenth_ = 0;
  bool terminal_ = false, color_ = false;
};

/// The platform that the example runs on.
inline std::string platform() { return hilo::default_platform_name(); }

}  // namespace examples
