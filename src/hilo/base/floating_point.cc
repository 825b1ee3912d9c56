// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/floating_point.h"

#include <cstdlib>
#include <string_view>

#include "hilo/base/log.h"
#include "hilo/base/text.h"

namespace hilo::floating_point_detail {

constinit thread_local Underflow current = Underflow::kGradual;
constinit std::atomic<int> of_programs{kUnread};

Underflow read_of_programs() {
  static const Underflow underflow = [] {
    const char* text = std::getenv("HILO_DENORMALS");
    const std::string_view value = text == nullptr ? "keep" : text;
    if (value != "keep" && value != "flush")
      log_warning_once("HILO_DENORMALS", "HILO_DENORMALS: got {}; wanted keep or flush; ignored", quote(value));
    return value == "flush" ? Underflow::kToZero : Underflow::kGradual;
  }();
  of_programs.store(static_cast<int>(underflow), std::memory_order_relaxed);
  return underflow;
}

}  // namespace hilo::floating_point_detail
