// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/platforms.h"

#include <gtest/gtest.h>

#include "hilo/base/flags.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"

namespace hilo {
namespace {

class Platforms : public testing::Test {
 protected:
  void TearDown() override { reset_flags(); }
};

TEST_F(Platforms, HostIsTheDefault) { EXPECT_EQ((*default_backend())->platform_name(), "Host"); }

TEST_F(Platforms, TheFlagChoosesForJitAndEagerOperations) {
  auto f = jit([](const Array& x) { return x * 2.0f; });
  EXPECT_EQ(f(Array(3.0f)).item<float>(), 6);
  ASSERT_TRUE(config().update("jax_platform_name", "Reference").ok());
  EXPECT_EQ((*default_backend())->platform_name(), "Reference");
  EXPECT_EQ((f(Array(3.0f)) + 1.0f).item<float>(), 7);
}

TEST_F(Platforms, AnUnknownOneIsRefusedWithTheKnown) {
  const Status status = backend_for_platform("CUDA").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "platform 'CUDA' is unknown; known: Host, Reference");
}

}  // namespace
}  // namespace hilo
