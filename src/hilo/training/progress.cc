// SPDX-License-Identifier: Apache-2.0
#include "hilo/training/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "hilo/base/log.h"
#include "hilo/base/text.h"

namespace hilo::training {
namespace {

constexpr int kWidth = 30;         // width of the bar in characters
constexpr double kInterval = 0.1;  // minimum time between two updates, in seconds

int64_t now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

std::string clock_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::clamp(seconds, 0.0, 359999.0));  // below 100 hours
  if (whole < 3600) return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

std::string progress_text(const std::string& title, int64_t done, int64_t total, double seconds,
                          const std::string& note) {
  const double share = std::clamp(total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1.0, 0.0, 1.0);
  const auto filled = static_cast<size_t>(share * kWidth);
  const std::string left = share > 0 ? clock_text(seconds * (1 - share) / share) : "--:--";
  return printable(fmt::format("{} [{}{}] {:3}% {}<{} {}", title, std::string(filled, '#'),
                               std::string(kWidth - filled, '.'), static_cast<int>(100 * share), clock_text(seconds),
                               left, note));
}

Progress::Progress(std::string title, int64_t total)
    : title_(std::move(title)),
      total_(total),
      began_(now()),
      terminal_(::isatty(STDERR_FILENO) != 0),
      color_(may_colour(STDERR_FILENO)) {}

Progress::~Progress() { finish(); }

double Progress::seconds() const { return 1e-9 * static_cast<double>(now() - began_); }

void Progress::step(int64_t done, const std::string& note) {
  if (!terminal_) return;
  const double elapsed = seconds();
  if (done < total_ && drawn_ >= 0 && elapsed - drawn_ < kInterval) return;
  drawn_ = elapsed;
  open_ = true;
  const std::string text = progress_text(title_, done, total_, elapsed, note);
  std::fputs((color_ ? "\r\x1b[32m" + text + "\x1b[0m\x1b[K" : "\r" + text + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
}

void Progress::finish() {
  if (open_) std::fputc('\n', stderr);
  open_ = false;
}

}  // namespace hilo::training
