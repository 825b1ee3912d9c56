// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/device_put.h"

#include <gtest/gtest.h>

#include "hilo/array/platform_devices.h"
#include "hilo/base/buffer_pool.h"
#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"
#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/tree/device_put.h"

namespace hilo {
namespace {

/// A fixture with two devices on Host.
class DevicePut : public testing::Test {
 protected:
  void SetUp() override {
    clear_backends();
    ASSERT_TRUE(config().update("jax_platform_name", "Host").ok());
    ASSERT_TRUE(config().update("jax_replica_count", 2).ok());
  }
  void TearDown() override {
    reset_flags();
    clear_backends();
  }
};

Array one_two_three() { return Array::from_vector<float>({1, 2, 3}, {3}); }

TEST_F(DevicePut, ThereAreAsManyDevicesAsReplicas) {
  ASSERT_EQ(devices().size(), 2u);
  EXPECT_EQ(local_devices().size(), 2u);
  EXPECT_EQ(default_backend(), "Host");
  EXPECT_EQ(devices(default_backend()), devices());
  EXPECT_EQ(devices()[1]->to_string(), "Host:1");
  EXPECT_EQ(devices()[1]->process_index(), 0);
  EXPECT_EQ(devices()[0]->memories()[0].kind, "device");
#if defined(__aarch64__)
  EXPECT_EQ(devices()[0]->kind(), "AArch64, neon");
#else
  EXPECT_EQ(devices()[0]->kind().substr(0, 8), "x86-64, ");
#endif
  EXPECT_GT(devices()[0]->statistics().live_bytes + 1, 0);
}

TEST_F(DevicePut, ArraysAreOnTheFirstDeviceUntilTheyArePutElsewhere) {
  const Array x = one_two_three();
  EXPECT_EQ(x.device(), devices()[0]);
  EXPECT_EQ(Array(2.0f).device(), devices()[0]);
  EXPECT_EQ(x.devices(), std::vector{devices()[0]});
  EXPECT_EQ(Array(2.0f).devices(), std::vector{devices()[0]});
  const Array y = device_put(x, devices()[1]);
  EXPECT_EQ(y.device(), devices()[1]);
  EXPECT_EQ(x.device(), devices()[0]);
  EXPECT_EQ(y.to_string(), "[1. 2. 3.]");
  EXPECT_EQ(device_put(Array(2.0f), devices()[1]).device(), devices()[1]);
  EXPECT_TRUE(device_put(Array(2.0f), devices()[1]).weak_type());
}

TEST_F(DevicePut, WithoutADeviceItIsTheFirstAndCommitsToNothing) {
  const Array far = device_put(one_two_three(), devices()[1]), home = device_put(far);
  EXPECT_EQ(home.device()->id(), 0);
  EXPECT_EQ((home + far).device()->id(), 1);
  EXPECT_EQ(device_put(2.0f).item<float>(), 2);
}

TEST_F(DevicePut, WhatIsComputedWithACommittedArrayIsComputedThere) {
  const Array x = one_two_three(), y = device_put(x, devices()[1]);
  const auto f = jit([](Array a, Array b) { return a * b + 1.0f; });
  for (const Array& z : {y + 2.0f, x + y, y + x, f(x, y), f(y, 2.0f), (y * y) * x}) EXPECT_EQ(z.device()->id(), 1);
  EXPECT_EQ((x + 1.0f).device()->id(), 0);
  EXPECT_EQ(f(x, y).to_string(), "[ 2.  5. 10.]");
  const Array home = device_put(y, devices()[0]);
  EXPECT_EQ((home + x).device()->id(), 0);
}

TEST_F(DevicePut, ArraysCommittedToTwoDevicesDontMeet) {
  const Array x = device_put(one_two_three(), devices()[0]), y = device_put(x, devices()[1]);
  const auto f = jit([](Array a, Array b) { return a * b; });
  try {
    f(x, y);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(error.status().message().find("received incompatible devices: one argument is committed to Host:0, "
                                            "another to Host:1"),
              std::string::npos)
        << error.status().to_string();
  }
  EXPECT_THROW(x + y, Error);
}

TEST_F(DevicePut, IsTheIdentityInsideOfTransformations) {
  const DevicePtr other = devices()[1];
  const auto square = [&](Array x) { return device_put(x, other) * x; };
  EXPECT_EQ(grad(square)(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(jit(square)(Array(3.0f)).item<float>(), 9);
}

TEST_F(DevicePut, TakesTrees) {
  const std::pair<Array, std::vector<Array>> tree{one_two_three(), {Array(1.0f), Array(2)}};
  const auto there = device_put(tree, devices()[1]);
  EXPECT_EQ(there.first.device()->id(), 1);
  EXPECT_EQ(there.second[1].device()->id(), 1);
  EXPECT_EQ(block_until_ready(there).second[1].item<int>(), 2);
}

TEST_F(DevicePut, ArraysOfAForgottenClientGoToTheNewOne) {
  const Array x = one_two_three(), y = device_put(x, devices()[1]);
  clear_backends();
  EXPECT_EQ((x + y).to_string(), "[2. 4. 6.]");
  EXPECT_EQ(jit([](Array a) { return a * 2.0f; })(y).to_string(), "[2. 4. 6.]");
}

TEST_F(DevicePut, ANumberAllocatesNothingUntilADeviceAsksForIt) {
  one_two_three();  // so that the client already exists
  const auto allocations = [] { return buffer_statistics().hits + buffer_statistics().misses; };
  const int64_t before = allocations();
  const Array number = 2.0f, another = 3, zero;
  const std::string traced = jit([&](Array x) { return x * number + 1.0f; }).hlo_text(one_two_three());
  EXPECT_EQ(allocations(), before + 1 + 2);  // the argument, and two literals of the program
  EXPECT_EQ(number.item<float>() + zero.item<float>(), 2);
  EXPECT_EQ(number.to_string(), "2.0");
}

TEST_F(DevicePut, ANumberThatIsDonatedIsLostToNobody) {
  const auto f = jit([](Array x) { return x * 2.0f; }, {.donate_argnums = {0}});
  const Array number = 3.0f, zero;
  EXPECT_EQ(f(number).item<float>(), 6);
  EXPECT_EQ(f(number).item<float>(), 6);
  EXPECT_EQ(f(zero).item<float>() + Array().item<float>(), 0);
}

TEST_F(DevicePut, AViewShowsTheElementsWhereTheyLieAndKeepsThemThere) {
  const Array x = one_two_three();
  const auto f = jit([](Array a) { return a * 2.0f; }, {.donate_argnums = {0}});
  {
    const ArrayView<float> view = x.data<float>();
    EXPECT_EQ(view.size(), 3u);
    EXPECT_EQ(view[2], 3);
    EXPECT_EQ(view.data(), x.data<float>().data());  // no copy
    EXPECT_THROW(f(x), Error);                       // donation would overwrite borrowed memory
  }
  EXPECT_EQ(f(x).to_string(), "[2. 4. 6.]");
  EXPECT_THROW((void)x.data<float>(), Error);
  EXPECT_THROW((void)Array(1.0f).data<double>(), Error);
  EXPECT_EQ(Array(2.5f).data<float>()[0], 2.5f);
}

TEST_F(DevicePut, DeletedArraysAreGoneForAllHandles) {
  const Array x = one_two_three(), same = x;
  {
    const ArrayView<float> view = x.data<float>();
    EXPECT_THROW(x.delete_(), Error);  // another thread reads it
  }
  EXPECT_FALSE(x.is_deleted());
  x.delete_();
  EXPECT_TRUE(same.is_deleted());
  same.delete_();
  EXPECT_THROW((void)same.to_literal(), Error);
  EXPECT_THROW((void)(same + 1.0f), Error);
  const Array number(1.0f);
  number.delete_();
  EXPECT_EQ(number.item<float>(), 1);
  EXPECT_THROW((void)jit([](Array a) {
                 a.delete_();
                 return a;
               })(one_two_three()),
               ConcretizationError);
}

TEST_F(DevicePut, BorrowedMemoryIsReadWhereItLiesAndGivenBackOnce) {
  alignas(64) static const float numbers[] = {1, 2, 3, 4};
  int released = 0;
  {
    const Array x = Array::borrow(numbers, {2, 2}, [&] { ++released; });
    EXPECT_EQ(x.data<float>().data(), kGuardPages ? x.data<float>().data() : numbers);
    EXPECT_EQ((x + 1.0f).to_string(), "[[2. 3.]\n [4. 5.]]");
    const auto f = jit([](Array a) { return a * 2.0f; }, {.donate_argnums = {0}});
    EXPECT_EQ(f(x).to_string(), "[[2. 4.]\n [6. 8.]]");  // a result must not alias borrowed memory
    EXPECT_EQ(numbers[3], 4);
  }
  EXPECT_EQ(released, 1);
  {
    const Array x = Array::borrow(numbers + 1, {3}, [&] { ++released; });
  }  // unaligned memory is copied
  EXPECT_EQ(released, 2);
  EXPECT_THROW(Array::borrow(numbers, {-1}, [&] { ++released; }), Error);
  EXPECT_EQ(released, 3);
}

TEST_F(DevicePut, AsynchronousCallsGiveTheSameValues) {
  ASSERT_TRUE(config().update("hilo_async_dispatch", true).ok());
  const auto step = jit([](Array x) { return numpy::sum(lax::sin(x)) + x; });
  Array x = numpy::zeros({100, 1000});
  for (int i = 0; i < 20; ++i) x = step(x + 1.0f);
  block_until_ready(x);
  const float got = numpy::sum(x).item<float>();
  clear_backends();
  ASSERT_TRUE(config().update("hilo_async_dispatch", false).ok());
  Array y = numpy::zeros({100, 1000});
  for (int i = 0; i < 20; ++i) y = step(y + 1.0f);
  EXPECT_EQ(got, numpy::sum(y).item<float>());
}

TEST_F(DevicePut, AScopeMayNameAnotherDefaultDevice) {
  const Array before = one_two_three(), fixed = device_put(before, devices()[0]);
  const auto f = jit([](Array a) { return a * 2.0f; });
  {
    const auto scope = default_device(devices()[1]);
    for (const Array& x : {one_two_three(), before + 1.0f, f(before), numpy::ones({2}), device_put(before)})
      EXPECT_EQ(x.device()->id(), 1);
    EXPECT_EQ((fixed + before).device()->id(), 0);  // a committed array stays on its device
    EXPECT_EQ(f(before).to_string(), "[2. 4. 6.]");
    const auto inner = default_device(devices()[0]);
    EXPECT_EQ(f(before).device()->id(), 0);
  }
  EXPECT_EQ(f(before).device()->id(), 0);
  const auto scope = default_device(devices()[1]);
  EXPECT_EQ((f(before) + fixed).device()->id(), 0);  // results of a scope aren't committed
  const auto none = default_device(nullptr);
  EXPECT_EQ(one_two_three().device()->id(), 0);
}

}  // namespace
}  // namespace hilo
