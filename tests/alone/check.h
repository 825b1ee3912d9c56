// SPDX-License-Identifier: Apache-2.0
// tests/alone/check.h -- checks for programs without GoogleTest.
#pragma once

#include <iostream>

inline int failures = 0;

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::cout << __FILE__ << ":" << __LINE__ << ": not true: " #condition << "\n"; \
      ++failures;                                                                    \
    }                                                                                \
  } while (false)

#define CHECK_THROWS(expression, Kind)                                                        \
  do {                                                                                        \
    bool thrown = false;                                                                      \
    try {                                                                                     \
      static_cast<void>(expression);                                                          \
    } catch (const Kind&) {                                                                   \
      thrown = true;                                                                          \
    }                                                                                         \
    if (!thrown) {                                                                            \
      std::cout << __FILE__ << ":" << __LINE__ << ": throws no " #Kind ": " #expression "\n"; \
      ++failures;                                                                             \
    }                                                                                         \
  } while (false)
