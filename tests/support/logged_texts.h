// SPDX-License-Identifier: Apache-2.0
// tests/support/logged_texts.h -- records log messages within a scope.
#pragma once

#include <string>
#include <vector>

#include "hilo/base/log.h"

namespace hilo {

/// The log messages during its lifetime.
class LoggedTexts {
 public:
  LoggedTexts() {
    set_log_sink([this](LogLevel, std::string_view text) { all.emplace_back(text); });
  }
  ~LoggedTexts() { set_log_sink({}); }
  LoggedTexts(const LoggedTexts&) = delete;
  LoggedTexts& operator=(const LoggedTexts&) = delete;
  std::vector<std::string> all;
};

}  // namespace hilo
