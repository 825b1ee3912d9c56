// SPDX-License-Identifier: Apache-2.0
// tests/support/has.h -- looks for a part of a text.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace hilo {

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

#define EXPECT_HAS(text, part) EXPECT_TRUE(has(text, part)) << (text)

}  // namespace hilo
