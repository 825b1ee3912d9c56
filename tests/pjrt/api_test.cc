// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "tests/pjrt/plugin_client.h"

namespace hilo::tests {
namespace {

template <class Args>
void destroy_what_it_made(const Args&) {}
void destroy_what_it_made(const PJRT_Client_Create_Args& args) { Destroy()(args.client); }
void destroy_what_it_made(const PJRT_Event_Create_Args& args) { Destroy()(args.event); }
void destroy_what_it_made(const PJRT_ExecuteContext_Create_Args& args) {
  called(api().PJRT_ExecuteContext_Destroy, {.context = args.context});
}
void destroy_what_it_made(const PJRT_TopologyDescription_Create_Args& args) {
  called(api().PJRT_TopologyDescription_Destroy, {.topology = args.topology});
}

/// Calls a function with null, with arguments without a size, and with arguments whose pointers are all null.
template <class Args>
void walk(PJRT_Error* (*function)(Args*), const char* name) {
  SCOPED_TRACE(name);
  ASSERT_NE(function, nullptr);
  const Outcome null = outcome_of(function(nullptr));
  EXPECT_EQ(null.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(null.message.find(name), std::string::npos) << null.message;
  Args args{};
  EXPECT_EQ(outcome_of(function(&args)).code, PJRT_Error_Code_INVALID_ARGUMENT);
  args.struct_size = kPjrtStructSize<Args>;
  const Outcome empty = outcome_of(function(&args));
  if (empty.ok()) destroy_what_it_made(args);
  if (empty.code == PJRT_Error_Code_UNIMPLEMENTED) {
    EXPECT_NE(empty.message.find(name), std::string::npos) << empty.message;
  } else if (!empty.ok()) {
    EXPECT_EQ(empty.code, PJRT_Error_Code_INVALID_ARGUMENT) << empty.message;
  }
}
template <class Args>
void walk(void (*function)(Args*), const char*) {
  ASSERT_NE(function, nullptr);
  function(nullptr);
  Args args{};
  args.struct_size = kPjrtStructSize<Args>;
  function(&args);
}

TEST(Slots, AreAllFilledAndTakeNull) {
#define HILO_PJRT_SLOT(result, name) walk(api().name, #name);
#include "hilo/pjrt_abi/slots.inc"
}

constexpr unsigned char kCanary = 0x5a;

/// Calls a function with a struct of `size` zero bytes, which is shorter or longer than hilo's. Checks that the memory
/// after it isn't written.
template <class Result, class Args>
void call_with_size(Result (*function)(Args*), const char* name, size_t size) {
  SCOPED_TRACE(std::string(name) + " of " + std::to_string(size) + " bytes");
  constexpr size_t kBehind = 64;
  std::vector<std::max_align_t> memory((std::max(size, sizeof(Args)) + kBehind) / sizeof(std::max_align_t) + 1);
  auto* const bytes = reinterpret_cast<unsigned char*>(memory.data());
  std::memset(bytes, kCanary, memory.size() * sizeof(std::max_align_t));
  std::memset(bytes, 0, size);
  auto* const args = reinterpret_cast<Args*>(bytes);
  args->struct_size = size;
  if constexpr (std::is_void_v<Result>) {
    function(args);
  } else if (outcome_of(function(args)).ok()) {
    destroy_what_it_made(*args);
  }
  EXPECT_EQ(args->struct_size, size);
  for (const unsigned char* byte = bytes + size; byte != bytes + memory.size() * sizeof(std::max_align_t); ++byte)
    ASSERT_EQ(*byte, kCanary) << "at " << byte - bytes;
}

/// Whether a call with zeros succeeds and creates an object, which it returns in the last field of the struct.
template <class Args>
constexpr bool kMakesSomething =
    std::is_same_v<Args, PJRT_Client_Create_Args> || std::is_same_v<Args, PJRT_Event_Create_Args> ||
    std::is_same_v<Args, PJRT_ExecuteContext_Create_Args> || std::is_same_v<Args, PJRT_TopologyDescription_Create_Args>;

template <class Result, class Args>
void call_with_all_sizes(Result (*function)(Args*), const char* name) {
  for (size_t size = kMakesSomething<Args> ? kPjrtStructSize<Args> : sizeof(size_t); size <= sizeof(Args) + 64;
       size += 8)
    call_with_size(function, name, size);
}

TEST(Slots, StructsOfAnySizeAreWrittenUpToTheirEnd) {
#define HILO_PJRT_SLOT(result, name) call_with_all_sizes(api().name, #name);
#include "hilo/pjrt_abi/slots.inc"
}

TEST(Slots, StateTheVersionTheyAreOf) {
  EXPECT_EQ(api().struct_size, kPjrtStructSize<PJRT_Api>);
  EXPECT_EQ(api().pjrt_api_version.major_version, kPjrtMajorVersion);
  EXPECT_EQ(api().pjrt_api_version.minor_version, kPjrtMinorVersion);
}

TEST(Slots, AnOlderCallersStructIsNotWrittenBeyondItsEnd) {
  const Handle<PJRT_Client> client = make_client();
  struct {
    PJRT_Client_Devices_Args args;
  } memory;
  std::memset(&memory, 0x5a, sizeof(memory));
  // an older version, without the last field
  memory.args.struct_size = offsetof(PJRT_Client_Devices_Args, num_devices);
  memory.args.client = client.get();
  EXPECT_TRUE(outcome_of(api().PJRT_Client_Devices(&memory.args)).ok());
  EXPECT_EQ(memory.args.devices, devices_of(client.get()).empty() ? nullptr : memory.args.devices);
  EXPECT_EQ(memory.args.num_devices, size_t{0x5a5a5a5a5a5a5a5a});
  EXPECT_EQ(memory.args.struct_size, offsetof(PJRT_Client_Devices_Args, num_devices));
}

TEST(Slots, ANewerCallersStructIsTaken) {
  const Handle<PJRT_Client> client = make_client(3);
  struct {
    PJRT_Client_Devices_Args args{};
    uint64_t newer = 7;
  } memory;
  memory.args.struct_size = sizeof(memory);
  memory.args.client = client.get();
  EXPECT_TRUE(outcome_of(api().PJRT_Client_Devices(&memory.args)).ok());
  EXPECT_EQ(memory.args.num_devices, 3u);
  EXPECT_EQ(memory.newer, 7u);
}

TEST(Slots, ExtensionsFormAListAndTakeNull) {
  std::vector<int> types;
  for (const PJRT_Extension_Base* e = api().extension_start; e != nullptr; e = e->next) {
    types.push_back(e->type);
    const auto* const functions = reinterpret_cast<PJRT_Error* (*const*)(void*)>(e + 1);
    for (size_t i = 0; i < (e->struct_size - sizeof(*e)) / sizeof(void*); ++i)
      EXPECT_EQ(outcome_of(functions[i](nullptr)).code, PJRT_Error_Code_INVALID_ARGUMENT);
  }
  EXPECT_EQ(types, (std::vector<int>{PJRT_Extension_Type_Layouts, PJRT_Extension_Type_FFI,
                                     PJRT_Extension_Type_MemoryDescriptions, PJRT_Extension_Type_Shardings,
                                     PJRT_Extension_Type_Custom_Partitioner}));
}

Outcome create_error(PJRT_NamedValue option) {
  option.struct_size = kPjrtStructSize<PJRT_NamedValue>;
  return tried(api().PJRT_Client_Create, {.create_options = &option, .num_options = 1});
}

TEST(Clients, RefuseOptionsThatTheyDoNotKnow) {
  PJRT_NamedValue option{.name = "cpu_devices", .name_size = 11, .type = PJRT_NamedValue_kInt64};
  EXPECT_NE(create_error(option).message.find("cpu_devices"), std::string::npos);
  option.name = "cpu_device_count";
  option.name_size = 16;
  for (const int64_t count : {int64_t{0}, int64_t{-1}, int64_t{1} << 40}) {
    option.int64_value = count;
    EXPECT_EQ(create_error(option).code, PJRT_Error_Code_INVALID_ARGUMENT);
  }
  option.type = PJRT_NamedValue_kString;
  option.string_value = "two";
  option.value_size = 3;
  EXPECT_EQ(create_error(option).code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(Clients, LookUpOnlyDevicesThatAreThere) {
  const Handle<PJRT_Client> client = make_client(2);
  EXPECT_EQ(called(api().PJRT_Client_LookupDevice, {.client = client.get(), .id = 1}).device,
            devices_of(client.get())[1]);
  for (const int id : {-1, 2, 1 << 30})
    EXPECT_EQ(tried(api().PJRT_Client_LookupDevice, {.client = client.get(), .id = id}).code,
              PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(Events, AreSetOnceAndTellWhoAsked) {
  const Handle<PJRT_Event> event(called(api().PJRT_Event_Create, {}).event);
  EXPECT_FALSE(called(api().PJRT_Event_IsReady, {.event = event.get()}).is_ready);
  EXPECT_EQ(tried(api().PJRT_Event_Error, {.event = event.get()}).code, PJRT_Error_Code_FAILED_PRECONDITION);
  Outcome seen;
  called(api().PJRT_Event_OnReady,
         {.event = event.get(),
          .callback = [](PJRT_Error* error, void* to) { *static_cast<Outcome*>(to) = outcome_of(error); },
          .user_arg = &seen});
  const PJRT_Event_Set_Args set = {
      .event = event.get(), .error_code = PJRT_Error_Code_ABORTED, .error_message = "gone", .error_message_size = 4};
  called(api().PJRT_Event_Set, set);
  EXPECT_EQ(seen.code, PJRT_Error_Code_ABORTED);
  EXPECT_EQ(seen.message, "gone");
  EXPECT_EQ(tried(api().PJRT_Event_Await, {.event = event.get()}).message, "gone");
  EXPECT_EQ(tried(api().PJRT_Event_Set, set).code, PJRT_Error_Code_FAILED_PRECONDITION);
}

TEST(Topologies, AreReadBackAsTheyWereWritten) {
  PJRT_NamedValue count{.struct_size = kPjrtStructSize<PJRT_NamedValue>,
                        .name = "cpu_device_count",
                        .name_size = 16,
                        .type = PJRT_NamedValue_kInt64,
                        .value_size = 1};
  count.int64_value = 5;
  auto* const made =
      called(api().PJRT_TopologyDescription_Create, {.create_options = &count, .num_options = 1}).topology;
  const auto bytes = called(api().PJRT_TopologyDescription_Serialize, {.topology = made});
  auto* const read =
      called(api().PJRT_TopologyDescription_Deserialize,
             {.serialized_topology = bytes.serialized_bytes, .serialized_topology_size = bytes.serialized_bytes_size})
          .topology;
  bytes.serialized_topology_deleter(bytes.serialized_topology);
  EXPECT_EQ(called(api().PJRT_TopologyDescription_GetDeviceDescriptions, {.topology = read}).num_descriptions, 5u);
  EXPECT_EQ(called(api().PJRT_TopologyDescription_Fingerprint, {.topology = read}).fingerprint,
            called(api().PJRT_TopologyDescription_Fingerprint, {.topology = made}).fingerprint);
  called(api().PJRT_TopologyDescription_Destroy, {.topology = made});
  called(api().PJRT_TopologyDescription_Destroy, {.topology = read});
  for (const std::string text : {"", "hilo topology 1 cpu ", "hilo topology 1 cpu 1x", "hilo topology 1 tpu 1"})
    EXPECT_EQ(tried(api().PJRT_TopologyDescription_Deserialize,
                    {.serialized_topology = text.c_str(), .serialized_topology_size = text.size()})
                  .code,
              PJRT_Error_Code_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace hilo::tests
