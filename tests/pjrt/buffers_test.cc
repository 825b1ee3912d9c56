// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>

#include "tests/pjrt/plugin_client.h"

namespace hilo::tests {
namespace {

/// The arguments point to `dims`.
PJRT_Client_BufferFromHostBuffer_Args host_args(PJRT_Client* client, const void* data, PJRT_Buffer_Type type,
                                                const std::vector<int64_t>& dims) {
  return {.client = client,
          .data = data,
          .type = type,
          .dims = dims.data(),
          .num_dims = dims.size(),
          .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
          .memory = called(api().PJRT_Device_DefaultMemory, {.device = devices_of(client)[0]}).memory};
}

Handle<PJRT_Buffer> made(const PJRT_Client_BufferFromHostBuffer_Args& args) {
  const auto result = called(api().PJRT_Client_BufferFromHostBuffer, args);
  Destroy()(result.done_with_host_buffer);
  return Handle<PJRT_Buffer>(result.buffer);
}

TEST(Buffers, HoldEveryTypeAsItWas) {
  const Handle<PJRT_Client> client = make_client();
  std::vector<std::byte> bytes(16 * 3);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte{static_cast<uint8_t>(i % 2)};
  int types = 0;
  for (uint32_t t = PJRT_Buffer_Type_PRED; t <= PJRT_Buffer_Type_F4E2M1FN; ++t) {
    const auto type = static_cast<PJRT_Buffer_Type>(t);
    if (type == PJRT_Buffer_Type_TOKEN) continue;
    const Handle<PJRT_Buffer> buffer = made(host_args(client.get(), bytes.data(), type, {3}));
    EXPECT_EQ(called(api().PJRT_Buffer_ElementType, {.buffer = buffer.get()}).type, type);
    const size_t size = called(api().PJRT_Buffer_ToHostBuffer, {.src = buffer.get()}).dst_size;
    EXPECT_EQ(size, called(api().PJRT_Buffer_OnDeviceSizeInBytes, {.buffer = buffer.get()}).on_device_size_in_bytes);
    std::vector<std::byte> back(size);
    Destroy()(
        called(api().PJRT_Buffer_ToHostBuffer, {.src = buffer.get(), .dst = back.data(), .dst_size = size}).event);
    EXPECT_EQ(std::memcmp(back.data(), bytes.data(), size), 0) << type;
    ++types;
  }
  EXPECT_EQ(types, 28);
  for (const PJRT_Buffer_Type type :
       {PJRT_Buffer_Type_S1, PJRT_Buffer_Type_F6E2M3FN, static_cast<PJRT_Buffer_Type>(99)})
    EXPECT_EQ(tried(api().PJRT_Client_BufferFromHostBuffer, host_args(client.get(), bytes.data(), type, {3})).code,
              PJRT_Error_Code_UNIMPLEMENTED);
}

TEST(Buffers, TakeStridesOfAnyKind) {
  const Handle<PJRT_Client> client = make_client();
  std::vector<float> values(12);
  std::iota(values.begin(), values.end(), 0.0f);
  const auto from = [&](const void* data, std::vector<int64_t> dims, std::vector<int64_t> strides) {
    auto args = host_args(client.get(), data, PJRT_Buffer_Type_F32, dims);
    args.byte_strides = strides.data();
    args.num_byte_strides = strides.size();
    return get(made(args).get());
  };
  EXPECT_EQ(from(values.data(), {2, 3}, {4, 8}), (std::vector<float>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(from(values.data(), {2, 2}, {0, 0}), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(from(values.data() + 11, {3}, {-4}), (std::vector<float>{11, 10, 9}));
  EXPECT_TRUE(from(values.data(), {0, 3}, {12, 4}).empty());
  std::vector<std::byte> records(3 * 5);  // a byte, then a float
  for (size_t i = 0; i < 3; ++i) {
    const auto value = static_cast<float>(i) + 0.5f;
    std::memcpy(records.data() + 5 * i + 1, &value, sizeof(value));
  }
  EXPECT_EQ(from(records.data() + 1, {3}, {5}), (std::vector<float>{0.5f, 1.5f, 2.5f}));
}

TEST(Buffers, AreReadInTheLayoutThatIsAskedFor) {
  const Handle<PJRT_Client> client = make_client();
  const Handle<PJRT_Buffer> buffer = put(client.get(), {0, 1, 2, 3, 4, 5}, {2, 3});
  PJRT_Buffer_MemoryLayout layout = sized<PJRT_Buffer_MemoryLayout>();
  const std::vector<int64_t> columns = {0, 1}, none = {0, 0}, strides = {4, 8};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = columns.data();
  layout.tiled.minor_to_major_size = 2;
  std::vector<float> values(6);
  const auto read = [&] {
    auto args = sized<PJRT_Buffer_ToHostBuffer_Args>(
        {.src = buffer.get(), .host_layout = &layout, .dst = values.data(), .dst_size = 24});
    const Outcome outcome = outcome_of(api().PJRT_Buffer_ToHostBuffer(&args));
    if (outcome.ok()) Destroy()(args.event);
    return outcome;
  };
  EXPECT_TRUE(read().ok());
  EXPECT_EQ(values, (std::vector<float>{0, 3, 1, 4, 2, 5}));
  layout.tiled.minor_to_major = none.data();
  EXPECT_EQ(read().code, PJRT_Error_Code_INVALID_ARGUMENT);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides = {sizeof(layout.strides), nullptr, strides.data(), 2};
  EXPECT_TRUE(read().ok());
  EXPECT_EQ(values, (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(tried(api().PJRT_Buffer_ToHostBuffer, {.src = buffer.get(), .dst = values.data(), .dst_size = 23}).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(Buffers, BorrowedMemoryIsGivenBackWithThem) {
  const Handle<PJRT_Client> client = make_client();
  alignas(64) static const float values[16] = {1, 2, 3};
  const std::vector<int64_t> dims = {16};
  auto args = host_args(client.get(), values, PJRT_Buffer_Type_F32, dims);
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  const auto result = called(api().PJRT_Client_BufferFromHostBuffer, args);
  const Handle<PJRT_Event> done(result.done_with_host_buffer);
  Handle<PJRT_Buffer> buffer(result.buffer);
  EXPECT_EQ(called(api().PJRT_Buffer_UnsafePointer, {.buffer = buffer.get()}).buffer_pointer,
            reinterpret_cast<uintptr_t>(values));
  EXPECT_FALSE(called(api().PJRT_Event_IsReady, {.event = done.get()}).is_ready);
  buffer.reset();
  EXPECT_TRUE(called(api().PJRT_Event_IsReady, {.event = done.get()}).is_ready);
}

TEST(Buffers, AViewCallsItsOwnerWhenItEnds) {
  const Handle<PJRT_Client> client = make_client();
  alignas(64) static float values[16] = {1, 2, 3};
  const int64_t dims[] = {16};
  int ended = 0;
  Handle<PJRT_Buffer> view(called(api().PJRT_Client_CreateViewOfDeviceBuffer,
                                  {.client = client.get(),
                                   .device_buffer_ptr = values,
                                   .dims = dims,
                                   .num_dims = 1,
                                   .element_type = PJRT_Buffer_Type_F32,
                                   .device = devices_of(client.get())[0],
                                   .on_delete_callback = [](void*, void* to) { ++*static_cast<int*>(to); },
                                   .on_delete_callback_arg = &ended})
                               .buffer);
  EXPECT_EQ(get(view.get())[2], 3);
  EXPECT_EQ(ended, 0);
  view.reset();
  EXPECT_EQ(ended, 1);
}

TEST(Buffers, OutliveTheirClient) {
  Handle<PJRT_Client> client = make_client();
  const Handle<PJRT_Buffer> buffer = put(client.get(), {1, 2, 3}, {3});
  client.reset();
  EXPECT_EQ(get(buffer.get()), (std::vector<float>{1, 2, 3}));
  auto* const device = called(api().PJRT_Buffer_Device, {.buffer = buffer.get()}).device;
  EXPECT_TRUE(called(api().PJRT_Device_IsAddressable, {.device = device}).is_addressable);
}

TEST(Buffers, AreGoneOnceDeletedExceptForWhoReadsThem) {
  const Handle<PJRT_Client> client = make_client();
  const Handle<PJRT_Buffer> buffer = put(client.get(), {1, 2, 3}, {3});
  called(api().PJRT_Buffer_IncreaseExternalReferenceCount, {.buffer = buffer.get()});
  const auto* const data = static_cast<const float*>(
      called(api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer, {.buffer = buffer.get()}).device_memory_ptr);
  called(api().PJRT_Buffer_Delete, {.buffer = buffer.get()});
  EXPECT_TRUE(called(api().PJRT_Buffer_IsDeleted, {.buffer = buffer.get()}).is_deleted);
  EXPECT_EQ(data[2], 3);
  called(api().PJRT_Buffer_DecreaseExternalReferenceCount, {.buffer = buffer.get()});
  EXPECT_EQ(tried(api().PJRT_Buffer_DecreaseExternalReferenceCount, {.buffer = buffer.get()}).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  std::vector<float> values(3);
  EXPECT_EQ(tried(api().PJRT_Buffer_ToHostBuffer, {.src = buffer.get(), .dst = values.data(), .dst_size = 12}).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(tried(api().PJRT_Buffer_UnsafePointer, {.buffer = buffer.get()}).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(tried(api().PJRT_Buffer_IncreaseExternalReferenceCount, {.buffer = buffer.get()}).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  called(api().PJRT_Buffer_Delete, {.buffer = buffer.get()});
}

TEST(Buffers, AreCopiedToEveryMemory) {
  const Handle<PJRT_Client> client = make_client(2);
  const Handle<PJRT_Buffer> buffer = put(client.get(), {1, 2, 3}, {3});
  const auto memories = called(api().PJRT_Client_AddressableMemories, {.client = client.get()});
  EXPECT_EQ(memories.num_addressable_memories, 6u);
  for (size_t i = 0; i < memories.num_addressable_memories; ++i) {
    PJRT_Memory* const memory = memories.addressable_memories[i];
    const Handle<PJRT_Buffer> copy(
        called(api().PJRT_Buffer_CopyToMemory, {.buffer = buffer.get(), .dst_memory = memory}).dst_buffer);
    EXPECT_EQ(get(copy.get()), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(called(api().PJRT_Buffer_Memory, {.buffer = copy.get()}).memory, memory);
    const auto devices = called(api().PJRT_Memory_AddressableByDevices, {.memory = memory});
    EXPECT_EQ(called(api().PJRT_Buffer_Device, {.buffer = copy.get()}).device, devices.devices[0]);
  }
}

TEST(Buffers, SizesThatCannotBeAreErrors) {
  const Handle<PJRT_Client> client = make_client();
  const float value = 0;
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{-1}, {int64_t{1} << 62, 4}, std::vector<int64_t>(65, 1)})
    EXPECT_EQ(
        tried(api().PJRT_Client_BufferFromHostBuffer, host_args(client.get(), &value, PJRT_Buffer_Type_F32, dims)).code,
        PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(
      tried(api().PJRT_Client_BufferFromHostBuffer, host_args(client.get(), nullptr, PJRT_Buffer_Type_F32, {1})).code,
      PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_TRUE(get(made(host_args(client.get(), nullptr, PJRT_Buffer_Type_F32, {0})).get()).empty());
}

TEST(Buffers, AreMadeAndReadByEightThreads) {
  const Handle<PJRT_Client> client = make_client(2);
  const Handle<PJRT_Buffer> shared = put(client.get(), {1, 2, 3}, {3});
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (size_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const auto value = static_cast<float>(i);
        wrong += get(put(client.get(), {value, 2}, {2}, t % 2).get()) != std::vector<float>{value, 2};
        wrong += get(shared.get()) != std::vector<float>{1, 2, 3};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hilo::tests
