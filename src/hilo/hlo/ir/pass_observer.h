// SPDX-License-Identifier: Apache-2.0
// hlo/ir/pass_observer.h -- the interface for observing a compilation: dumps, timing, progress.
#pragma once

#include <string_view>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

class PassObserver {
 public:
  virtual ~PassObserver() = default;
  /// Called before `pass` runs.
  virtual void before(std::string_view pass, const Module& module) {
    (void)pass;
    (void)module;
  }
  /// Called after `pass` ran.
  virtual void after(std::string_view pass, const Module& module, bool changed, double milliseconds) = 0;

  /// Returns whether kernels are generated one by one, each timed. This takes longer than generating them together.
  virtual bool times_kernels() const { return false; }
  /// Called when a kernel that wasn't in the cache was generated; `code_bytes` is its mapped memory.
  virtual void generated(std::string_view kernel, int64_t code_bytes, double milliseconds) {
    (void)kernel;
    (void)code_bytes;
    (void)milliseconds;
  }
};

}  // namespace hilo::hlo
