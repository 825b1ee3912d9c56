// SPDX-License-Identifier: Apache-2.0
// tests/support/eight_devices.h -- eight devices for all tests of a suite.
#pragma once

#include <gtest/gtest.h>

#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"

namespace hilo::tests {

class EightDevices : public testing::Test {
 protected:
  void SetUp() override {
    clear_backends();
    ASSERT_TRUE(config().update("jax_replica_count", 8).ok());
  }
  void TearDown() override {
    ASSERT_TRUE(config().clear("jax_replica_count").ok());
    clear_backends();
  }
};

}  // namespace hilo::tests
