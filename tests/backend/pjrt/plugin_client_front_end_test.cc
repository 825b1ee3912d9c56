// SPDX-License-Identifier: Apache-2.0
// The front end on plugin platforms: selected by flag, together with Host in one process, and with failing plugin
// calls.
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "hilo/array/platform_devices.h"
#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"
#include "hilo/client/platforms.h"
#include "hilo/inspect/profile/profile.h"
#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/pmap.h"
#include "hilo/transform/vmap.h"
#include "hilo/tree/device_put.h"
#include "tests/support/fake_plugins.h"

namespace hilo {
namespace {

Array numbers() { return Array::from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3}); }

/// A short program that covers much of the front end. Returns all its numbers.
std::vector<float> all_in_short(const DevicePtr& device) {
  std::vector<float> got;
  const auto note = [&](const Array& x) {
    for (const float v : x.to_vector<float>()) got.push_back(v);
  };
  const Array x = device_put(numbers(), device);
  note(x + 1.0f);
  note(numpy::sum(x * x, 1));
  note(jit([](Array a) { return lax::exp(a) * 2.0f; })(x));
  note(grad([](Array a) { return numpy::sum(lax::sin(a) * a); })(x));
  note(vmap([](Array row) { return row / numpy::sum(row); })(x));
  note(lax::fori_loop(0, 5, [](Array i, Array a) { return a * 0.5f + i; }, x));
  note(x[1]);
  note(numpy::cumsum(x, 1));
  const auto donates = jit([](Array a) { return a - 1.0f; }, {.donate_argnums = {0}});
  Array state = x + 0.0f;
  for (int i = 0; i < 3; ++i) state = donates(state);
  note(state);
  const Array twice = x * 2.0f;
  EXPECT_EQ(twice.device(), x.device());
  note(twice);
  return got;
}

/// Runs each test with synchronous and with asynchronous calls.
class PluginPlatforms : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { use("Fake", 2); }
  void TearDown() override {
    plan_.fail_at = -1;
    reset_flags();
    clear_backends();
  }
  static void use(const char* name, int64_t replicas) {
    clear_backends();
    ASSERT_TRUE(config().update("hilo_pjrt_plugins", "Fake:" + tests::fake_plugin_path()).ok());
    ASSERT_TRUE(config().update("jax_platform_name", name).ok());
    ASSERT_TRUE(config().update("jax_replica_count", replicas).ok());
    ASSERT_TRUE(config().update("hilo_async_dispatch", GetParam()).ok());
  }
  tests::FakePluginPlan& plan_ = tests::fake_plugin_plan();
};

TEST_P(PluginPlatforms, ComputeWhatTheReferenceComputes) {
  std::vector<std::vector<float>> got;
  ASSERT_EQ(devices().size(), 2u);
  for (size_t k : {0u, 1u}) got.push_back(all_in_short(devices()[k]));
  EXPECT_EQ(devices()[0]->kind(), "fake");
  const auto total = pmap([](Array row) { return lax::psum(row, "i") - row; }, "i");
  EXPECT_EQ(total(numbers()).to_vector<float>(), (std::vector<float>{4, 5, 6, 1, 2, 3}));
  use("Reference", 2);
  const std::vector<float> wanted = all_in_short(devices()[1]);
  EXPECT_EQ(got[0], wanted);
  EXPECT_EQ(got[1], wanted);
}

TEST_P(PluginPlatforms, StandBesideTheDefaultOne) {
  use("Reference", 1);
  const std::vector<DevicePtr> fakes = devices("fake");
  ASSERT_EQ(fakes.size(), 2u);
  EXPECT_EQ(devices("Reference")[0], devices()[0]);
  const std::vector<float> wanted = all_in_short(devices()[0]);
  EXPECT_EQ(all_in_short(fakes[0]), wanted);
  EXPECT_EQ(all_in_short(fakes[1]), wanted);
  const Array here = device_put(numbers(), devices()[0]), there = device_put(numbers(), fakes[1]);
  EXPECT_EQ((there + numbers()).device(), fakes[1]) << "what is committed nowhere follows";
  for (const auto& mix : {std::function<void()>([&] { (void)(here + there); }), std::function<void()>([&] {
                            (void)jit([](Array a, Array b) { return a * b; })(there, here);
                          })}) {
    try {
      mix();
      ADD_FAILURE() << "a mix of platforms ran";
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("Reference:0"), std::string::npos) << text;
      EXPECT_NE(text.find("Fake:1"), std::string::npos) << text;
    }
  }
  EXPECT_THROW(devices("Nowhere"), Error);
}

TEST_P(PluginPlatforms, ADonatedArrayIsGone) {
  const Array x = device_put(numbers(), devices()[1]);
  const auto f = jit([](Array a) { return a * 2.0f; }, {.donate_argnums = {0}});
  EXPECT_EQ(f(x).to_string(), "[[ 2.  4.  6.]\n [ 8. 10. 12.]]");
  EXPECT_THROW(x + 1.0f, Error);
}

/// A smaller program, each of whose plugin calls fails once.
std::vector<float> a_little(const DevicePtr& device) {
  const Array x = device_put(numbers(), device);
  const auto donates = jit([](Array a) { return lax::exp(a) * 2.0f; }, {.donate_argnums = {0}});
  return (donates(x + 1.0f) + device_put(x, devices()[0]).to_vector<float>()[2]).to_vector<float>();
}

TEST_P(PluginPlatforms, EveryCallMayFail) {
  const DevicePtr device = devices()[1];
  const std::vector<float> wanted = a_little(device);
  plan_.calls = 0;
  ASSERT_EQ(a_little(device), wanted);
  const int64_t calls = plan_.calls;
  ASSERT_GT(calls, 10);
  plan_.fail_code = 14;
  int64_t told = 0;
  for (int64_t n = 0; n < calls; ++n) {
    plan_.calls = 0;
    plan_.fail_at = n;
    try {
      // The failure of a result that is never read may be unseen. Results that are read must be right.
      EXPECT_EQ(a_little(device), wanted) << "call " << n << " failed and nobody was told";
    } catch (const Error& error) {
      EXPECT_EQ(error.status().code(), StatusCode::kUnavailable);
      EXPECT_NE(error.status().message().find("fake plugin: as planned"), std::string::npos)
          << error.status().to_string();
      ++told;
    }
    plan_.fail_at = -1;
  }
  EXPECT_GT(told, calls / 2);
  EXPECT_EQ(a_little(device), wanted);
}

TEST_P(PluginPlatforms, AProfileSaysWhatTheDeviceDid) {
  ASSERT_TRUE(config().update("jax_hlo_profile", true).ok());
  clear_profiles();
  const Array x = device_put(numbers(), devices()[0]);
  const auto f = jit([](Array a) { return lax::exp(a) * 2.0f; });
  for (int i = 0; i < 3; ++i) block_until_ready(f(x));
  ASSERT_FALSE(profiles().empty());
  while (profiles().back().runs < 3) std::this_thread::yield();  // the waiting thread is notified before the profile is
  const std::vector<Profile> all = profiles();
  ASSERT_EQ(all.back().rows.size(), 1u);
  EXPECT_EQ(all.back().rows[0].kind, "execute");
  EXPECT_EQ(all.back().rows[0].calls, 3);
  EXPECT_GT(all.back().rows[0].nanoseconds, 0);
  const Array y = device_put(numbers(), devices()[0]);
  (void)y.to_vector<float>();
  const auto transfers = [] {
    std::map<std::string, ProfileRow> rows;
    for (const Profile& one : profiles()) {
      for (const ProfileRow& row : one.rows) rows.emplace(row.kind + " " + row.name, row);
    }
    return rows;
  };
  for (const char* what : {"to device Fake:0", "from device Fake:0"}) {
    while (!transfers().contains(what))
      std::this_thread::yield();  // the waiting thread is notified before the profile is
    const ProfileRow row = transfers()[what];
    EXPECT_GE(row.calls, 1);
    EXPECT_EQ(row.bytes, 24) << "of one call";
    EXPECT_GT(row.nanoseconds, 0);
  }
  EXPECT_NE(profile_table(profiles()[0]).find("to device Fake:0"), std::string::npos) << profile_table(profiles()[0]);
  clear_profiles();
}

INSTANTIATE_TEST_SUITE_P(Calls, PluginPlatforms, testing::Values(false, true),
                         [](const auto& info) { return std::string(info.param ? "Return" : "Wait"); });

/// The platform of a program that doesn't select one.
TEST(PluginNamedCuda, IsTheGpuIfItHasADevice) {
  for (const char* variable : {"", "none", "abort"}) {
    clear_backends();
    const tests::FakePluginCopy copy(variable);
    ASSERT_TRUE(config().update("hilo_pjrt_plugins", "cuda:" + copy.path()).ok());
    EXPECT_EQ(default_platform_name(), *variable == '\0' ? "CUDA" : "Host");
    ASSERT_TRUE(config().update("jax_platform_name", "CUDA").ok());
    clear_backends();
    EXPECT_EQ(default_platform_name(), *variable == '\0' ? "CUDA" : "none");
    reset_flags();
    clear_backends();
  }
}

TEST(PluginNames, AreKnownAndNotThoseOfHilo) {
  ASSERT_TRUE(config().update("hilo_pjrt_plugins", "Fake:" + tests::fake_plugin_path()).ok());
  EXPECT_EQ(check_platform("Fale").status().to_string(),
            "NOT_FOUND: platform 'Fale' is unknown; known: Host, CUDA, Reference, Fake. Hint: did you mean 'Fake'?");
  ASSERT_TRUE(config().update("hilo_pjrt_plugins", "host:" + tests::fake_plugin_path()).ok());
  EXPECT_EQ(check_platform("Host").status().code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(config().update("hilo_pjrt_plugins", "nonsense").ok());
  EXPECT_EQ(check_platform("Host").status().code(), StatusCode::kInvalidArgument);
  reset_flags();
}

}  // namespace
}  // namespace hilo
