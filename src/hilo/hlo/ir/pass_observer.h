// SPDX-License-Identifier: Apache-2.0
// hlo/ir/pass_observer.h -- who watches a module go through the passes: dumps, timing, progress.
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
};

}  // namespace hilo::hlo
