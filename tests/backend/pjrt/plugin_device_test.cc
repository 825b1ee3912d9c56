// SPDX-License-Identifier: Apache-2.0
// Devices and buffers of a plugin: layouts, borrowed memory, copies, asynchronous errors.
#include "hilo/backend/pjrt/plugin_device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "hilo/device/buffer.h"
#include "tests/support/fake_plugins.h"

namespace hilo::plugins {
namespace {

Literal numbers() { return Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6}); }

class Devices : public testing::Test {
 protected:
  void TearDown() override {
    plan_.fail_at = plan_.fail_events_at = -1;
    devices_.clear();
    client_.reset();
    while (plan_.live != 0) std::this_thread::yield();  // cancelled work ends asynchronously
  }
  tests::FakePluginPlan& plan_ = tests::fake_plugin_plan();
  ClientPtr client_ = tests::fake_plugin_client();
  std::vector<DevicePtr> devices_ = client_->devices();
};

TEST_F(Devices, SayWhatTheyAre) {
  ASSERT_EQ(devices_.size(), 2u);
  EXPECT_EQ(devices_[1]->to_string(), "Fake:1");
  EXPECT_EQ(devices_[1]->kind(), "fake");
  ASSERT_EQ(devices_[1]->memories().size(), 1u);
  EXPECT_EQ(devices_[1]->memories()[0].kind, "device");
  EXPECT_EQ(devices_[1]->memories()[0].id, 7);
  EXPECT_EQ(client_->process_index(), 0);
}

TEST_F(Devices, ValuesComeBackRowMajorHoweverTheyLie) {
  const BufferPtr x = *buffer_from_literal(*devices_[0], numbers());
  EXPECT_TRUE(literal_from_buffer(*x)->identical(numbers()));
  const int64_t columns[] = {0, 1};
  const BufferPtr y = *buffer_from_literal(*devices_[0], numbers(), numbers().shape().with_layout(columns));
  EXPECT_TRUE(literal_from_buffer(*y)->identical(numbers()));
  for (const Shape& shape :
       {Shape::scalar(ElementType::kF32), Shape::array(ElementType::kS64, {0}),
        Shape::array(ElementType::kC64, {2, 0, 3}), Shape::array(ElementType::kBf16, {1, 2, 1, 2})}) {
    const Literal value(shape);
    EXPECT_TRUE(literal_from_buffer(**buffer_from_literal(*devices_[1], value))->identical(value)) << shape.to_string();
  }
}

TEST_F(Devices, ElementsNarrowerThanAByteKeepTheirValues) {
  for (const ElementType type :
       {ElementType::kS2, ElementType::kS4, ElementType::kU2, ElementType::kU4, ElementType::kF4E2M1Fn}) {
    const int bits = element_type_info(type).bits;
    for (const Shape& shape : {Shape::scalar(type), Shape::array(type, {7, 3}), Shape::array(type, {0, 5})}) {
      Literal value(shape);
      for (size_t i = 0; i < value.bytes().size(); ++i) {
        const auto low =
            static_cast<uint8_t>((i + 3) % (1u << bits));  // the first element is negative if the type is signed
        const auto extended = static_cast<uint8_t>(static_cast<int8_t>(low << (8 - bits)) >> (8 - bits));
        value.mutable_bytes()[i] = static_cast<std::byte>(is_signed_integer(type) ? extended : low);
      }
      const auto x = buffer_from_literal(*devices_[0], value);
      ASSERT_TRUE(x.ok()) << shape.to_string() << ": " << x.status().to_string();
      EXPECT_TRUE(literal_from_buffer(**x)->identical(value)) << literal_from_buffer(**x)->to_string();
    }
  }
}

TEST_F(Devices, StridesAreFollowed) {
  const float all[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const int64_t strides[] = {-2, 0};
  const BufferPtr x = *devices_[0]->from_host(
      {Shape::array(ElementType::kF32, {3, 2}), reinterpret_cast<const std::byte*>(all + 6), strides});
  EXPECT_TRUE(literal_from_buffer(*x)->identical(Literal::array<float>({3, 2}, {7, 7, 5, 5, 3, 3})));
}

TEST_F(Devices, MemoryThatIsLentComesBackOnceAndIsNoBuffersOwn) {
  std::atomic<int> released{0};
  std::vector<float> mine = {1, 2, 3};
  {
    const BufferPtr x = *devices_[0]->from_host({Shape::array(ElementType::kF32, {3}),
                                                 reinterpret_cast<const std::byte*>(mine.data()),
                                                 {},
                                                 HostMemory::kBorrowed,
                                                 [&] { ++released; }});
    ASSERT_TRUE(x->ready().await().ok());
    while (released == 0) std::this_thread::yield();
    mine[0] = 100;
    EXPECT_EQ(literal_from_buffer(*x)->data<float>()[0], 1);
  }
  EXPECT_EQ(released, 1);
  plan_.calls = 0;
  plan_.fail_at = 0;
  EXPECT_FALSE(devices_[0]
                   ->from_host({Shape::array(ElementType::kF32, {3}),
                                reinterpret_cast<const std::byte*>(mine.data()),
                                {},
                                HostMemory::kBorrowed,
                                [&] { ++released; }})
                   .ok());
  EXPECT_EQ(released, 2);
}

TEST_F(Devices, CopyToEachOtherAndFromElsewhere) {
  const BufferPtr x = *buffer_from_literal(*devices_[0], numbers());
  for (const DevicePtr& device : devices_) {
    const BufferPtr copy = *device->copy(x);
    EXPECT_EQ(copy->device(), device);
    EXPECT_TRUE(literal_from_buffer(*copy)->identical(numbers()));
  }
  const ClientPtr other = tests::fake_plugin_client(1);
  EXPECT_TRUE(literal_from_buffer(**other->devices()[0]->copy(x))->identical(numbers()));
  EXPECT_TRUE(literal_from_buffer(**devices_[0]->slice(x, 1))->identical(Literal::array<float>({3}, {4, 5, 6})));
}

TEST_F(Devices, ADeletedBufferIsRefusedHere) {
  const BufferPtr x = *buffer_from_literal(*devices_[0], numbers());
  EXPECT_EQ(devices_[0]->statistics().live_buffers, 1);
  EXPECT_EQ(devices_[0]->statistics().live_bytes, 24);
  ASSERT_TRUE(x->remove().ok());
  EXPECT_EQ(literal_from_buffer(*x).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(devices_[1]->copy(x).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(devices_[0]->statistics().live_buffers, 0);
  EXPECT_EQ(devices_[0]->statistics().live_bytes, 0);
}

TEST_F(Devices, WhatFailsLateFailsTheBuffer) {
  plan_.work = 0;
  plan_.fail_events_at = 0;
  const BufferPtr x = *buffer_from_literal(*devices_[0], numbers());
  EXPECT_EQ(x->ready().await().to_string(), "DATA_LOSS: copy to Fake:0: fake plugin: the work was lost");
  EXPECT_EQ(literal_from_buffer(*x).status().code(), StatusCode::kDataLoss);
  const BufferPtr y = *buffer_from_literal(*devices_[0], numbers());
  plan_.work = 0;
  EXPECT_EQ(literal_from_buffer(*y).status().to_string(),
            "DATA_LOSS: copy from Fake:0: fake plugin: the work was lost");
}

TEST_F(Devices, TokensAreRefused) {
  EXPECT_EQ(devices_[0]->from_host({Shape::token(), nullptr}).status().code(), StatusCode::kUnimplemented);
}

TEST_F(Devices, AClientEndsWithWhatIsOnItsWay) {
  plan_.holds_work = true;
  std::vector<BufferPtr> buffers;
  for (int i = 0; i < 20; ++i) buffers.push_back(*buffer_from_literal(*devices_[0], numbers()));
  std::atomic<int> told{0};
  for (const BufferPtr& buffer : buffers)
    buffer->ready().on_ready([&told, keeps = buffer->device()](const Status&) { ++told; });
  buffers.clear();
  devices_.clear();
  client_.reset();  // the last device is destroyed on the plugin's own thread
  plan_.holds_work = false;
  while (told != 20) std::this_thread::yield();
}

TEST(PluginClients, AreRefusedWithWhatIsWrong) {
  PluginPlatform platform{.name = "Fake", .path = tests::fake_plugin_path()};
  EXPECT_EQ(make_plugin_client(platform, {.replica_count = 3}).status().to_string(),
            "INVALID_ARGUMENT: platform 'Fake': plugin '" + tests::fake_plugin_path() +
                "' has 2 devices; got jax_replica_count 3. Hint: its create_options may set the number of devices");
  platform.options.emplace_back("device_count", std::string("two"));
  EXPECT_EQ(
      make_plugin_client(platform, {}).status().to_string(),
      "INVALID_ARGUMENT: platform 'Fake': plugin '" + tests::fake_plugin_path() + "': fake plugin: no such option");
  EXPECT_EQ(check_plugin_client(platform).code(), StatusCode::kInvalidArgument);
  platform.options.clear();
  ASSERT_TRUE(check_plugin_client(platform).ok());
  ASSERT_TRUE(check_plugin_client(platform).ok());
  const int64_t live = tests::fake_plugin_plan().live;
  {
    const ClientPtr client = *make_plugin_client(platform, {});
    EXPECT_EQ(tests::fake_plugin_plan().live, live) << "it is the one that was there";
  }
  EXPECT_EQ(tests::fake_plugin_plan().live, live - 1);
}

}  // namespace
}  // namespace hilo::plugins
