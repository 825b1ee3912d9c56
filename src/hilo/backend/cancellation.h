// SPDX-License-Identifier: Apache-2.0
// backend/cancellation.h -- a word that running programs poll at loop back-edges and calls.
#pragma once

#include <atomic>
#include <cstdint>

namespace hilo {

/// Set from any thread or from a signal handler; a program that sees it stops and returns CANCELLED.
class CancellationToken {
 public:
  void cancel() { word_.store(1, std::memory_order_relaxed); }
  bool cancelled() const { return word_.load(std::memory_order_relaxed) != 0; }
  /// What generated code loads.
  const std::atomic<uint32_t>* word() const { return &word_; }

 private:
  std::atomic<uint32_t> word_{0};
};

}  // namespace hilo
