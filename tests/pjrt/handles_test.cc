// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/handles.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/pjrt/plugin_client.h"

namespace hilo::tests {
namespace {

using pjrt::Handles;

struct Counted {
  int* live;
  explicit Counted(int* count) : live(count) { ++*live; }
  ~Counted() { --*live; }
};

TEST(Handles, EndOnce) {
  int live = 0;
  Counted* const one = Handles<Counted>::make(&live);
  EXPECT_TRUE(Handles<Counted>::lives(one));
  EXPECT_EQ(live, 1);
  EXPECT_TRUE(Handles<Counted>::destroy(one).ok());
  EXPECT_FALSE(Handles<Counted>::lives(one));
  EXPECT_EQ(Handles<Counted>::destroy(one).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(live, 0);
  EXPECT_EQ(Handles<Counted>::make(&live), one);  // the memory is reused for the next handle
  EXPECT_TRUE(Handles<Counted>::destroy(one).ok());
  EXPECT_TRUE(Handles<Counted>::destroy(nullptr).ok());
}

struct Throwing {
  Throwing() { throw 7; }
};
TEST(Handles, ThatAreNotMadeLeaveNothing) { EXPECT_THROW(Handles<Throwing>::make(), int); }

TEST(Handles, OfEightThreadsEndOnceEach) {
  std::atomic<int> ended = 0;
  std::vector<int*> shared(64);
  for (int*& handle : shared) handle = Handles<int>::make(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int* handle : shared) ended += Handles<int>::destroy(handle).ok();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 64);
}

// ---- of the C API ----

/// Destroys the handle twice.
template <class Args>
void expect_destroyed_once(PJRT_Error* (*destroy)(Args*), const Args& args) {
  EXPECT_TRUE(tried(destroy, args).ok());
  EXPECT_EQ(tried(destroy, args).code, PJRT_Error_Code_FAILED_PRECONDITION);
}

constexpr char kNegate[] = "HloModule m\nENTRY e { a = f32[3] parameter(0) ROOT r = f32[3] negate(a) }";

TEST(Handles, OfAllKindsAreDestroyedOnce) {
  PJRT_Client* const client = make_client().release();
  PJRT_Buffer* const buffer = put(client, {1, 2, 3}, {3}).release();
  called(api().PJRT_Buffer_IncreaseExternalReferenceCount, {.buffer = buffer});
  PJRT_LoadedExecutable* const loaded = compile(client, kNegate, "", "hlo").release();
  auto* const executable = called(api().PJRT_LoadedExecutable_GetExecutable, {.loaded_executable = loaded}).executable;
  expect_destroyed_once(api().PJRT_Event_Destroy, {.event = called(api().PJRT_Event_Create, {}).event});
  expect_destroyed_once(api().PJRT_Event_Destroy,
                        {.event = called(api().PJRT_Buffer_ReadyEvent, {.buffer = buffer}).event});
  expect_destroyed_once(api().PJRT_ExecuteContext_Destroy,
                        {.context = called(api().PJRT_ExecuteContext_Create, {}).context});
  expect_destroyed_once(api().PJRT_TopologyDescription_Destroy,
                        {.topology = called(api().PJRT_TopologyDescription_Create, {}).topology});
  expect_destroyed_once(api().PJRT_LoadedExecutable_Destroy, {.executable = loaded});
  expect_destroyed_once(api().PJRT_Executable_Destroy, {.executable = executable});
  expect_destroyed_once(api().PJRT_Buffer_Destroy, {.buffer = buffer});
  auto* const topology = called(api().PJRT_Client_TopologyDescription, {.client = client}).topology;
  // the topology belongs to the client
  for (int i = 0; i < 2; ++i) called(api().PJRT_TopologyDescription_Destroy, {.topology = topology});
  expect_destroyed_once(api().PJRT_Client_Destroy, {.client = client});
}

}  // namespace
}  // namespace hilo::tests
