// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/platforms.h"

#include <gtest/gtest.h>

#include "hilo/backend/cuda/driver.h"
#include "hilo/base/flags.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

class Platforms : public testing::Test {
 protected:
  void TearDown() override {
    reset_flags();
    clear_backends();
  }
};

TEST_F(Platforms, HostIsTheDefault) { EXPECT_EQ(default_platform_name(), "Host"); }

TEST_F(Platforms, TheFlagChoosesForJitAndEagerOperations) {
  auto f = jit([](const Array& x) { return x * 2.0f; });
  EXPECT_EQ(f(Array(3.0f)).item<float>(), 6);
  ASSERT_TRUE(config().update("jax_platform_name", "Reference").ok());
  clear_backends();  // because a client's platform is fixed
  EXPECT_EQ((f(Array(3.0f)) + 1.0f).item<float>(), 7);
  EXPECT_EQ(platform_name(), "Reference");
}

TEST_F(Platforms, AClientKeepsItsPlatformWhateverTheFlagSays) {
  EXPECT_EQ(default_platform_name(), "Host");
  ASSERT_TRUE(config().update("jax_platform_name", "Reference").ok());
  EXPECT_EQ((Array(3.0f) + 1.0f).item<float>(), 4);
  EXPECT_EQ(platform_name(), "Host");
}

TEST_F(Platforms, AnErrorOfTheClientIsTheErrorOfTheFirstOperation) {
  ASSERT_TRUE(config().update("jax_platform_name", "Abacus").ok());
  EXPECT_EQ(default_platform_name(), "none");
  const auto add = [] { return Array(3.0f) + 1.0f; };
  EXPECT_NE(error_of(add, StatusCode::kNotFound).find("platform 'Abacus' is unknown"), std::string::npos);
  EXPECT_NE(error_of([&] { jit(add)(); }, StatusCode::kNotFound).find("platform 'Abacus'"), std::string::npos);
}

TEST_F(Platforms, XrtIsRefusedByJitAndEagerOperationsWithItsTarget) {
  ASSERT_TRUE(config().update("jax_xla_backend", "xrt").ok());
  const auto add = [] { return Array(3.0f) + 1.0f; };
  EXPECT_NE(error_of(add, StatusCode::kUnimplemented).find("xrt with target 'local'"), std::string::npos);
  EXPECT_NE(error_of([&] { jit(add)(); }, StatusCode::kUnimplemented).find("xrt with target 'local'"),
            std::string::npos);
}

TEST_F(Platforms, WithReplicasProgramsRunOnTheFirst) {
  ASSERT_TRUE(config().update("jax_replica_count", 2).ok());
  EXPECT_EQ(jit([](const Array& x) { return x * 2.0f; })(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ((*get_xla_client())->device_count(), 2);
}

TEST_F(Platforms, AnUnknownOneIsRefusedWithTheKnown) {
  EXPECT_EQ(check_platform("Hots").status().to_string(),
            "NOT_FOUND: platform 'Hots' is unknown; known: Host, CUDA, Reference. Hint: did you mean 'Host'?");
}

TEST_F(Platforms, AMachineWithoutTheDriverHasNoCudaDevices) {
  const Status status = cuda::count_devices("libno_such_driver.so.1").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("libno_such_driver.so.1"), std::string_view::npos) << status.to_string();
}

TEST_F(Platforms, ALibraryThatIsNoDriverHasNoCudaDevices) {
  EXPECT_EQ(cuda::count_devices("libm.so.6").status().to_string(),
            "NOT_FOUND: libm.so.6 isn't an NVIDIA driver: it lacks cuInit or cuDeviceGetCount");
}

}  // namespace
}  // namespace hilo
