// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/client.h"

#include <dirent.h>
#include <gtest/gtest.h>

#include <thread>

#include "hilo/base/buffer_pool.h"
#include "hilo/client/platforms.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"
#include "tests/support/fake_client.h"

namespace hilo {
namespace {

const char* const kNegation = "HloModule f\nENTRY main {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] negate(x)\n}\n";

int64_t entries(const char* folder) {
  DIR* const all = ::opendir(folder);
  int64_t count = 0;
  while (::readdir(all) != nullptr) ++count;
  ::closedir(all);
  return count;
}

TEST(Client, LivesAsLongAsItsDevicesBuffersAndPrograms) {
  ClientPtr client = *make_platform_client("Host", {.replica_count = 2});
  const std::weak_ptr<Client> watched = client;
  DevicePtr device = *client->local_device(1);
  BufferPtr buffer = tests::buffer_on(*client, Literal::array<float>({3}, {1, 2, 3}));
  std::unique_ptr<Executable> program = *client->compile(*hlo::parse_module(kNegation), {}, nullptr);
  client.reset();
  EXPECT_EQ(device->to_string(), "Host:1");
  device.reset();
  BufferPtr result;
  ASSERT_TRUE(program->execute({&buffer, 1}, {&result, 1}).ok());
  program.reset();
  buffer.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(literal_from_buffer(*result)->to_string(), "f32[3] {-1, -2, -3}");
  result.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(Client, HasNoDeviceThatItDoesNotHave) {
  const ClientPtr client = *make_platform_client("Host", {.replica_count = 2});
  EXPECT_EQ(
      client->local_device(2).status().to_string(),
      "INVALID_ARGUMENT: device 2: platform Host has no such device in this process; its total number of devices is 2");
  EXPECT_EQ(client->local_device(-1).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(client->process_index(), 0);
  EXPECT_EQ(client->process_count(), 1);
  EXPECT_EQ(make_platform_client("Host", {.replica_count = 0}).status().code(), StatusCode::kInvalidArgument);
}

TEST(Client, RunsReplicasOnTheDevicesOfAnAssignment) {
  const ClientPtr& client = tests::cpu_client();
  const hlo::Module id = *hlo::parse_module("HloModule f\nENTRY main {\n  ROOT id = u32[] replica-id()\n}\n");
  CompileOptions options;
  options.replica_count = 2;
  options.device_assignment = *DeviceAssignment::make(2, 1, {5, 3});
  const auto program = client->compile(id, options, nullptr);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  const auto results = execute_replicas(**program, std::vector<std::vector<BufferPtr>>(2));
  ASSERT_TRUE(results.ok()) << results.status().to_string();
  EXPECT_EQ((*results)[0][0]->device()->id(), 5);
  EXPECT_EQ((*results)[1][0]->device()->id(), 3);
  EXPECT_EQ(literal_from_buffer(*(*results)[1][0])->to_string(), "u32[] 1");  // a replica is not a device
  options.device_assignment = *DeviceAssignment::make(1, 2, {0, 1});
  EXPECT_EQ(client->compile(id, options, nullptr).status().code(), StatusCode::kInvalidArgument);
  options.device_assignment = *DeviceAssignment::make(2, 1, {0, 99});
  EXPECT_EQ(client->compile(id, options, nullptr).status().code(), StatusCode::kInvalidArgument);
}

TEST(Client, SaysWhereProgramsCannotBeSaved) {
  const auto program = tests::reference_client()->compile(*hlo::parse_module(kNegation), {}, nullptr);
  EXPECT_EQ((*program)->serialize().status().to_string(),
            "UNIMPLEMENTED: serialize 'f': its platform can't save programs");
  EXPECT_EQ(tests::reference_client()->load("bytes").status().to_string(),
            "UNIMPLEMENTED: load: platform Reference can't save programs");
}

TEST(Client, LoadsWhatItSaved) {
  const ClientPtr client = tests::cpu_client();
  const auto program = client->compile(*hlo::parse_module(kNegation), {}, nullptr);
  const StatusOr<std::string> bytes = (*program)->serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  const StatusOr<std::unique_ptr<Executable>> loaded = client->load(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().to_string();
  EXPECT_EQ((*loaded)->name(), (*program)->name());
  EXPECT_EQ((*loaded)->statistics().kernels_compiled, 0);
  EXPECT_EQ(*(*loaded)->serialize(), *bytes);
}

/// Creates a client, computes with it, and destroys it.
void use_once(std::string_view platform, bool asynchronous) {
  const ClientPtr client = *make_platform_client(platform, {.replica_count = 2, .asynchronous = asynchronous});
  const std::unique_ptr<Executable> program = *client->compile(*hlo::parse_module(kNegation), {}, nullptr);
  const BufferPtr x = tests::argument_of(*program, Literal::array<float>({3}, {1, 2, 3}));
  BufferPtr y;
  const DeviceRun run{{&x, 1}, {&y, 1}};
  ASSERT_TRUE(program->launch({&run, 1}, {.asynchronous = asynchronous}).ok());
  ASSERT_EQ(literal_from_buffer(*y)->to_string(), "f32[3] {-1, -2, -3}");
}

TEST(Client, TenThousandMadeAndDroppedLeaveNothingBehind) {
  tests::register_fake_platform();
  // creates the objects that live as long as the process
  for (const char* platform : {"Host", "Host2"}) use_once(platform, true);
  const int64_t threads = entries("/proc/self/task"), files = entries("/proc/self/fd");
  const int64_t buffers = buffer_statistics().live_buffers;
  for (int i = 0; i < 9000; ++i) use_once("Host", i % 2 == 0);
  for (int i = 0; i < 1000; ++i) use_once("Host2", i % 2 == 0);
  EXPECT_EQ(entries("/proc/self/fd"), files);
  EXPECT_EQ(buffer_statistics().live_buffers, buffers);
  EXPECT_EQ(tests::fake_plan().live_blocks, 0);
  // A queue destroyed by its own last task ends asynchronously.
  while (entries("/proc/self/task") > threads) std::this_thread::yield();
}

}  // namespace
}  // namespace hilo
