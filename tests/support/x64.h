// SPDX-License-Identifier: Apache-2.0
// tests/support/x64.h -- jax_enable_x64 for a scope.
#pragma once

#include <gtest/gtest.h>

#include "hilo/base/flags.h"

namespace hilo {

class X64Scope {
 public:
  X64Scope() { EXPECT_TRUE(config().update("jax_enable_x64", true).ok()); }
  ~X64Scope() { EXPECT_TRUE(config().update("jax_enable_x64", false).ok()); }
  X64Scope(const X64Scope&) = delete;
  X64Scope& operator=(const X64Scope&) = delete;
};

}  // namespace hilo
