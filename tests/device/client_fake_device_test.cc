// SPDX-License-Identifier: Apache-2.0
// The front end on devices without host-accessible memory, with asynchronous work, where every call can fail.
#include <gtest/gtest.h>

#include <thread>

#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"
#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/pmap.h"
#include "hilo/transform/vmap.h"
#include "hilo/tree/device_put.h"
#include "tests/support/fake_client.h"

namespace hilo {
namespace {

/// Host2 with two devices: the host can view the memory of 1, not of 0. Runs each test with synchronous and with
/// asynchronous calls.
class FakeDevice : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    tests::register_fake_platform();
    use_platform("Host2", GetParam());
  }
  void TearDown() override {
    reset_flags();
    clear_backends();
    while (tests::fake_plan().live_blocks != 0) std::this_thread::yield();  // cancelled work ends asynchronously
  }
  static void use_platform(const char* name, bool asynchronous) {
    clear_backends();
    ASSERT_TRUE(config().update("jax_platform_name", name).ok());
    ASSERT_TRUE(config().update("jax_replica_count", 2).ok());
    ASSERT_TRUE(config().update("hilo_async_dispatch", asynchronous).ok());
  }
};

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
  const auto total = pmap([](Array row) { return lax::psum(row, "i") - row; }, "i");
  note(total(numbers()));
  const auto donates = jit([](Array a) { return a - 1.0f; }, {.donate_argnums = {0}});
  Array state = x + 0.0f;
  for (int i = 0; i < 3; ++i) state = donates(state);
  note(state);
  const Array twice = x * 2.0f;
  EXPECT_EQ(twice.device(), x.device());
  note(twice);
  return got;
}

TEST_P(FakeDevice, ComputesWhatHostComputesNearAndFar) {
  std::vector<std::vector<float>> got;
  for (size_t k : {0u, 1u}) got.push_back(all_in_short(devices()[k]));
  EXPECT_EQ(devices()[0]->kind(), "far");
  use_platform("Host", false);
  const std::vector<float> wanted = all_in_short(devices()[1]);
  EXPECT_EQ(got[0], wanted);
  EXPECT_EQ(got[1], wanted);
}

TEST_P(FakeDevice, ShowsNoPointerOfFarMemory) {
  const Array near = device_put(numbers(), devices()[1]), far = device_put(numbers(), devices()[0]);
  EXPECT_EQ(near.data<float>()[5], 6);
  EXPECT_EQ(far.data<float>()[5], 6);  // of a copy on the host
  EXPECT_NE(far.data<float>().data(), far.data<float>().data());
}

TEST_P(FakeDevice, ADonatedArrayIsGone) {
  const Array x = device_put(numbers(), devices()[0]);
  const auto f = jit([](Array a) { return a * 2.0f; }, {.donate_argnums = {0}});
  EXPECT_EQ(f(x).to_string(), "[[ 2.  4.  6.]\n [ 8. 10. 12.]]");
  EXPECT_THROW(x + 1.0f, Error);
  EXPECT_THROW((void)x.to_literal(), Error);
}

/// Every call of the device fails in turn. The front end reports the error at the use, other work continues, and
/// nothing leaks.
TEST_P(FakeDevice, EveryCallMayFail) {
  tests::FakePlan& plan = tests::fake_plan();
  const DevicePtr far = devices()[0];
  const std::vector<float> wanted = all_in_short(far);  // so that everything is compiled
  plan.calls = 0;
  ASSERT_EQ(all_in_short(far), wanted);
  const int64_t calls = plan.calls;
  ASSERT_GT(calls, 50);
  int64_t told = 0;
  for (int64_t n = 0; n < calls; ++n) {
    plan.calls = 0;
    plan.fail_at = n;
    try {
      // With asynchronous calls, the failure of a result that is never read may be unseen. Results that are read must
      // be right.
      EXPECT_EQ(all_in_short(far), wanted) << "call " << n << " failed and nobody was told";
    } catch (const Error& error) {
      EXPECT_NE(error.status().message().find("fake device: no "), std::string::npos) << error.status().to_string();
      ++told;
    }
    plan.fail_at = -1;
  }
  EXPECT_GT(told, calls / 2);
  EXPECT_TRUE(GetParam() || told == calls);
  EXPECT_EQ(all_in_short(far), wanted);
}

TEST_P(FakeDevice, ACompilationMayFailAndIsTriedAgain) {
  tests::FakePlan& plan = tests::fake_plan();
  const Array x = numbers();
  const auto f = jit([](Array a) { return a * 2.0f; });
  plan.calls = 0;
  plan.fail_at = 0;
  EXPECT_THROW(f(x), Error);
  plan.fail_at = -1;
  EXPECT_EQ(f(x).shape(0), 2);
}

INSTANTIATE_TEST_SUITE_P(Calls, FakeDevice, testing::Values(false, true),
                         [](const auto& info) { return std::string(info.param ? "Return" : "Wait"); });

}  // namespace
}  // namespace hilo
