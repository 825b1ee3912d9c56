// SPDX-License-Identifier: Apache-2.0
// hlo/ir/pass_observer.h -- who watches a module being compiled: dumps, timing, progress.
#pragma once

#include <string_view>

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

class PassObserver {
 public:
  virtual ~PassObserver() = default;
  /// `pass` is about to run.
  virtual void before(std::string_view pass, const Module& module) {
    (void)pass;
    (void)module;
  }
  /// `pass` ran and did or didn't change the module.
  virtual void after(std::string_view pass, const Module& module, bool changed, double milliseconds) = 0;

  /// Whether kernels are to be generated one by one, each timed. It takes longer than together.
  virtual bool times_kernels() const { return false; }
  /// A kernel that wasn't in the cache was generated, `code_bytes` of mapped memory.
  virtual void generated(std::string_view kernel, int64_t code_bytes, double milliseconds) {
    (void)kernel;
    (void)code_bytes;
    (void)milliseconds;
  }
};

}  // namespace hilo::hlo
