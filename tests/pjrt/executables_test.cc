// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "hilo/base/buffer_pool.h"
#include "hilo/ffi.h"
#include "tests/pjrt/compile_options.h"
#include "tests/pjrt/plugin_client.h"

namespace hilo::tests {
namespace {

using hlo::proto::WireWriter;
using Floats = std::vector<float>;

constexpr char kAdd[] = R"(module @add {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %a, %b : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";
constexpr char kDonating[] = R"(module @donating {
  func.func @main(%a: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {
    %0 = stablehlo.add %a, %a : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";
constexpr char kSharded[] = R"(module @sharded attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<2x4xf32>) {
    %0 = stablehlo.add %a, %a : tensor<4x2xf32>
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
    return %0, %1 : tensor<4x2xf32>, tensor<2x4xf32>
  }
})";
constexpr char kReplicas[] =
    R"(module @replicas attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

constexpr char kSums[] = R"(module @sums attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>})
      -> (tensor<4xf32>, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %a, %0 : tensor<4xf32>, tensor<4xf32>
  }
})";
constexpr char kDonor[] = R"(module @donor attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                  %b: tensor<4xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}]>})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

TEST(Programs, RunFromTextOfBothLanguages) {
  const Handle<PJRT_Client> client = make_client(2);
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3}), b = put(client.get(), {10, 20, 30}, {3});
  const auto mlir = compile(client.get(), kAdd);
  EXPECT_EQ(get(run(mlir.get(), {{a.get(), b.get()}}).results[0][0].get()), (Floats{11, 22, 33}));
  const auto hlo =
      compile(client.get(), "HloModule m\nENTRY e { a = f32[3] parameter(0) ROOT r = f32[3] negate(a) }", "", "hlo");
  EXPECT_EQ(get(run(hlo.get(), {{a.get()}}).results[0][0].get()), (Floats{-1, -2, -3}));
  EXPECT_EQ(compile_error(client.get(), kAdd, "", "llvm").code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(Programs, OfDeviceOneRunThere) {
  const Handle<PJRT_Client> client = make_client(2);
  const auto program = compile(client.get(), kAdd, options(1, 1, {{1}}));
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3}, 1), elsewhere = put(client.get(), {1, 2, 3}, {3}, 0);
  const Execution done = run(program.get(), {{a.get(), a.get()}});
  EXPECT_EQ(called(api().PJRT_Buffer_Device, {.buffer = done.results[0][0].get()}).device, devices_of(client.get())[1]);
  EXPECT_EQ(run(program.get(), {{a.get(), elsewhere.get()}}).outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(Programs, RefuseArgumentsThatDoNotFit) {
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), kAdd);
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3}), two = put(client.get(), {1, 2}, {2});
  EXPECT_EQ(run(program.get(), {{a.get()}}).outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(run(program.get(), {{a.get(), nullptr}}).outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(run(program.get(), {{a.get(), two.get()}}).outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(run(program.get(), {{a.get(), a.get()}, {a.get(), a.get()}}).outcome.code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  called(api().PJRT_Buffer_Delete, {.buffer = a.get()});
  EXPECT_EQ(run(program.get(), {{a.get(), a.get()}}).outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  called(api().PJRT_LoadedExecutable_Delete, {.executable = program.get()});
  EXPECT_EQ(run(program.get(), {{two.get(), two.get()}}).outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(Programs, TakeDonatedBuffersButNotWhatOthersRead) {
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), kDonating);
  const Handle<PJRT_Buffer> free = put(client.get(), {1, 2, 3}, {3}), read = put(client.get(), {1, 2, 3}, {3});
  called(api().PJRT_Buffer_IncreaseExternalReferenceCount, {.buffer = read.get()});
  const auto* const data = static_cast<const float*>(
      called(api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer, {.buffer = read.get()}).device_memory_ptr);
  for (const Handle<PJRT_Buffer>& buffer : {std::cref(free), std::cref(read)}) {
    EXPECT_EQ(get(run(program.get(), {{buffer.get()}}).results[0][0].get()), (Floats{2, 4, 6}));
    EXPECT_TRUE(called(api().PJRT_Buffer_IsDeleted, {.buffer = buffer.get()}).is_deleted);
    EXPECT_EQ(run(program.get(), {{buffer.get()}}).outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  }
  EXPECT_EQ(data[2], 3);
  called(api().PJRT_Buffer_DecreaseExternalReferenceCount, {.buffer = read.get()});
}

TEST(Programs, LeaveADonatedBufferThatTheCallerKeeps) {
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), kDonating);
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3});
  auto options = sized<PJRT_ExecuteOptions>();
  const int64_t kept[] = {0};
  options.non_donatable_input_indices = kept;
  options.num_non_donatable_input_indices = 1;
  PJRT_Buffer* argument = a.get();
  PJRT_Buffer* const* lists[] = {&argument};
  PJRT_Buffer* result = nullptr;
  PJRT_Buffer** outputs[] = {&result};
  called(api().PJRT_LoadedExecutable_Execute, {.executable = program.get(),
                                               .options = &options,
                                               .argument_lists = lists,
                                               .num_devices = 1,
                                               .num_args = 1,
                                               .output_lists = outputs});
  const Handle<PJRT_Buffer> made(result);
  EXPECT_EQ(get(a.get()), (Floats{1, 2, 3}));
  EXPECT_EQ(get(made.get()), (Floats{2, 4, 6}));
}

TEST(Programs, TakeOptionsOfOlderAndNewerCallers) {
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), kDonating);
  struct {
    PJRT_ExecuteOptions options;
    uint64_t newer[2];
  } memory;
  for (const size_t size : {offsetof(PJRT_ExecuteOptions, num_send_ops), sizeof(PJRT_ExecuteOptions), sizeof(memory)}) {
    std::memset(static_cast<void*>(&memory), 0x5a, sizeof(memory));  // fields that the caller's version doesn't have
    std::memset(static_cast<void*>(&memory), 0, size);
    memory.options.struct_size = size;
    const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3});
    PJRT_Buffer* argument = a.get();
    PJRT_Buffer* const* lists[] = {&argument};
    PJRT_Buffer* result = nullptr;
    PJRT_Buffer** outputs[] = {&result};
    called(api().PJRT_LoadedExecutable_Execute, {.executable = program.get(),
                                                 .options = &memory.options,
                                                 .argument_lists = lists,
                                                 .num_devices = 1,
                                                 .num_args = 1,
                                                 .output_lists = outputs});
    EXPECT_EQ(get(Handle<PJRT_Buffer>(result).get()), (Floats{2, 4, 6})) << size;
  }
}

TEST(Programs, ShareArraysAsTheirShardingsSay) {
  const Handle<PJRT_Client> client = make_client(4);
  const auto program = compile(client.get(), kSharded, options(1, 4, {{3}, {2}, {1}, {0}}));
  std::vector<Handle<PJRT_Buffer>> parts;
  std::vector<std::vector<PJRT_Buffer*>> arguments;
  for (size_t p = 0; p < 4; ++p) {  // partition p is on device 3 - p; the array is 0 .. 7
    const auto first = static_cast<float>(p / 2 * 4 + p % 2);
    parts.push_back(put(client.get(), {first, first + 2}, {2, 1}, 3 - p));
    arguments.push_back({parts.back().get()});
  }
  const Execution done = run(program.get(), arguments, 2);
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  for (size_t p = 0; p < 4; ++p) {
    EXPECT_EQ(get(done.results[p][0].get()), p % 2 == 0 ? (Floats{0, 2, 4, 6}) : (Floats{8, 10, 12, 14}));
    EXPECT_EQ(get(done.results[p][1].get()).size(), 8u);
    EXPECT_EQ(called(api().PJRT_Buffer_Device, {.buffer = done.results[p][0].get()}).device,
              devices_of(client.get())[3 - p]);
  }
  EXPECT_EQ(run(program.get(), {arguments[0]}).outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(Programs, AddWhatDevicesHaveOfASum) {
  const Handle<PJRT_Client> client = make_client(4);
  const auto program = compile(client.get(), kSums, options(1, 4));
  std::vector<Handle<PJRT_Buffer>> parts;
  std::vector<std::vector<PJRT_Buffer*>> arguments;
  for (size_t k = 0; k < 4; ++k) {  // devices 0 and 1 have summands of the first half, 2 and 3 of the second
    const auto tens = static_cast<float>(10 * k);
    parts.push_back(put(client.get(), {tens, tens + 1}, {2}, k));
    arguments.push_back({parts.back().get()});
  }
  const Execution done = run(program.get(), arguments, 2);
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(get(done.results[k][0].get()), (Floats{10, 12, 50, 52}));
    EXPECT_EQ(get(done.results[k][1].get()), k < 2 ? (Floats{20, 24, 0, 0}) : (Floats{0, 0, 100, 104}));
  }
}

TEST(Programs, TakeADonorOnlyForAResultOfItsSize) {
  const Handle<PJRT_Client> client = make_client(2);
  const auto program = compile(client.get(), kDonor, options(1, 2));
  std::vector<Handle<PJRT_Buffer>> halves, wholes;
  std::vector<std::vector<PJRT_Buffer*>> arguments;
  for (size_t k = 0; k < 2; ++k) {
    halves.push_back(put(client.get(), {1, 2}, {2}, k));
    wholes.push_back(put(client.get(), {1, 2, 3, 4}, {4}, k));
    arguments.push_back({halves[k].get(), wholes[k].get()});
  }
  EXPECT_EQ(get(run(program.get(), arguments).results[1][0].get()), (Floats{2, 4, 4, 6}));
  EXPECT_FALSE(called(api().PJRT_Buffer_IsDeleted, {.buffer = halves[0].get()}).is_deleted);
  EXPECT_TRUE(called(api().PJRT_Buffer_IsDeleted, {.buffer = wholes[1].get()}).is_deleted);
}

TEST(Programs, OfReplicasMeet) {
  const Handle<PJRT_Client> client = make_client(2);
  const auto program = compile(client.get(), kReplicas, options(2, 1));
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3}, 0), b = put(client.get(), {10, 20, 30}, {3}, 1);
  const Execution done = run(program.get(), {{a.get()}, {b.get()}});
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  for (const auto& list : done.results) EXPECT_EQ(get(list[0].get()), (Floats{11, 22, 33}));
}

TEST(Programs, CompileErrorsAreErrors) {
  const Handle<PJRT_Client> client = make_client(2);
  for (const std::string code : {"", "module {", "ML\xefR", "ML\xefR\x06garbage", "\x0a\x03garbage"})
    EXPECT_FALSE(compile_error(client.get(), code).ok());
  EXPECT_FALSE(compile_error(client.get(), "HloModule", "", "hlo").ok());
  EXPECT_EQ(compile_error(client.get(), kAdd, "\x1a\xff").code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(compile_error(client.get(), kAdd, options(1, 1, {{7}})).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(compile_error(client.get(), kAdd, options(1, 1, {{0}, {1}})).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(compile_error(client.get(), kAdd, options(3, 1)).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(compile_error(client.get(), kAdd, options(-1, 1)).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(compile_error(client.get(), kAdd, options(1 << 30, 1 << 30)).code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(Programs, OptionsOfTheCompilerAreCheckedInJaxsWords) {
  const Handle<PJRT_Client> client = make_client();
  const auto with = [&](std::string_view key, std::string_view text) {
    WireWriter value, entry, all;
    value.text(1, text);
    entry.text(1, key);
    entry.message(2, value);
    all.message(7, entry);
    return compile_error(client.get(), kAdd, all.view()).message;
  };
  EXPECT_EQ(with("invalid_key", "x"), "No such compile option: 'invalid_key'");
  EXPECT_EQ(with("xla_embed_ir_in_executable", "maybe"),
            "While setting option xla_embed_ir_in_executable, 'maybe' is not a valid bool value.");
}

TEST(Programs, AreSavedAndLoaded) {
  const Handle<PJRT_Client> client = make_client();
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3});
  std::string bytes;
  {
    const auto program = compile(client.get(), kAdd);
    const Handle<PJRT_Executable> executable(
        called(api().PJRT_LoadedExecutable_GetExecutable, {.loaded_executable = program.get()}).executable);
    const auto saved = called(api().PJRT_Executable_Serialize, {.executable = executable.get()});
    bytes.assign(saved.serialized_bytes, saved.serialized_bytes_size);
    saved.serialized_executable_deleter(saved.serialized_executable);
  }
  const auto load = [&](const std::string& from) -> PJRT_Executable_DeserializeAndLoad_Args {
    return {.client = client.get(), .serialized_executable = from.data(), .serialized_executable_size = from.size()};
  };
  const Handle<PJRT_LoadedExecutable> loaded(
      called(api().PJRT_Executable_DeserializeAndLoad, load(bytes)).loaded_executable);
  EXPECT_EQ(get(run(loaded.get(), {{a.get(), a.get()}}).results[0][0].get()), (Floats{2, 4, 6}));
  for (size_t size = 0; size < bytes.size(); size += 97)
    EXPECT_FALSE(tried(api().PJRT_Executable_DeserializeAndLoad, load(bytes.substr(0, size))).ok()) << size;
}

TEST(Programs, SayWhatTheyAre) {
  const Handle<PJRT_Client> client = make_client(4);
  const auto program = compile(client.get(), kSharded, options(1, 4));
  const Handle<PJRT_Executable> e(
      called(api().PJRT_LoadedExecutable_GetExecutable, {.loaded_executable = program.get()}).executable);
  EXPECT_EQ(called(api().PJRT_Executable_NumOutputs, {.executable = e.get()}).num_outputs, 2u);
  EXPECT_EQ(called(api().PJRT_Executable_NumPartitions, {.executable = e.get()}).num_partitions, 4u);
  const auto name = called(api().PJRT_Executable_Name, {.executable = e.get()});
  EXPECT_EQ(std::string(name.executable_name, name.executable_name_size), "sharded");
  const auto dims = called(api().PJRT_Executable_OutputDimensions, {.executable = e.get()});
  EXPECT_EQ(std::vector<int64_t>(dims.dims, dims.dims + 4), (std::vector<int64_t>{2, 2, 2, 4}));
  const auto types = called(api().PJRT_Executable_OutputElementTypes, {.executable = e.get()});
  EXPECT_EQ(types.output_types[1], PJRT_Buffer_Type_F32);
  const auto kinds = called(api().PJRT_Executable_OutputMemoryKinds, {.executable = e.get()});
  EXPECT_EQ(std::string(kinds.memory_kinds[0], kinds.memory_kind_sizes[0]), "device");
  EXPECT_GT(called(api().PJRT_Executable_GetCompiledMemoryStats, {.executable = e.get()}).argument_size_in_bytes, 0);
  EXPECT_EQ(
      called(api().PJRT_LoadedExecutable_AddressableDevices, {.executable = program.get()}).num_addressable_devices,
      4u);
  PJRT_Program text = sized<PJRT_Program>();
  called(api().PJRT_Executable_OptimizedProgram, {.executable = e.get(), .program = &text});
  std::string code(text.code_size, '\0');
  text.code = code.data();
  called(api().PJRT_Executable_OptimizedProgram, {.executable = e.get(), .program = &text});
  EXPECT_EQ(std::string(text.format, text.format_size), "hlo_with_config");
  text.code_size = 3;
  EXPECT_FALSE(tried(api().PJRT_Executable_OptimizedProgram, {.executable = e.get(), .program = &text}).ok());
}

namespace {

/// The compiled module with its configuration, HloModuleProtoWithConfig.
std::string optimized(PJRT_LoadedExecutable* program) {
  const Handle<PJRT_Executable> e(
      called(api().PJRT_LoadedExecutable_GetExecutable, {.loaded_executable = program}).executable);
  PJRT_Program text = sized<PJRT_Program>();
  called(api().PJRT_Executable_OptimizedProgram, {.executable = e.get(), .program = &text});
  std::string code(text.code_size, '\0');
  text.code = code.data();
  called(api().PJRT_Executable_OptimizedProgram, {.executable = e.get(), .program = &text});
  return code;
}

/// The memory in the layout of an array's ShapeProto.
int64_t memory_of(const hlo::proto::WireMessage& shape) { return *shape.message(5, "LayoutProto")->integer(8); }

}  // namespace

/// XLA's number of a host's memory is 5.
TEST(Programs, SayInWhichMemoriesTheirArraysAre) {
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), R"(module @memories {
  func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32> {mhlo.memory_kind = "pinned_host"})
      -> (tensor<2x3xf32> {mhlo.memory_kind = "pinned_host"}, tensor<3xf32>) {
    return %a, %b : tensor<2x3xf32>, tensor<3xf32>
  }
})");
  const std::string code = optimized(program.get());
  const auto all = hlo::proto::WireMessage::read(code, "HloModuleProtoWithConfig");
  ASSERT_TRUE(all.ok());
  const auto layout = all->message(2, "HloModuleConfigProto")->message(1, "ProgramShapeProto");
  ASSERT_TRUE(layout.ok());
  const auto shape = [](std::string_view bytes) { return *hlo::proto::WireMessage::read(bytes, "ShapeProto"); };
  const auto parameters = *layout->items(1);
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(memory_of(shape(parameters[0])), 0);
  EXPECT_EQ(memory_of(shape(parameters[1])), 5);
  const auto result = *layout->message(2, "ShapeProto");
  const auto results = *result.items(4);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(memory_of(shape(results[0])), 5);
  EXPECT_EQ(memory_of(shape(results[1])), 0);
}

/// jax.lax.dce_sink(x, prevent_mlir_dce=True): its operand is computed.
TEST(Programs, ComputeTheOperandsOfSinks) {
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), R"(module @sink {
  func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %a, %a : tensor<3xf32>
    stablehlo.custom_call @dce_sink(%0) {backend_config = "", has_side_effect = true, mhlo.backend_config = {}} : (tensor<3xf32>) -> ()
    return %a : tensor<3xf32>
  }
})");
  const std::string code = optimized(program.get());
  EXPECT_NE(code.find("dce_sink"), std::string::npos);
  EXPECT_NE(code.find("add"), std::string::npos);
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3});
  EXPECT_EQ(get(run(program.get(), {{a.get()}}).results[0][0].get()), (Floats{1, 2, 3}));
}

TEST(Programs, OutliveTheirClientAndAreRunByEightThreads) {
  Handle<PJRT_Client> client = make_client();
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3});
  std::atomic<int> wrong = 0;
  {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        const auto program = compile(client.get(), kAdd);
        for (int i = 0; i < 100; ++i)
          wrong += get(run(program.get(), {{a.get(), a.get()}}).results[0][0].get()) != Floats{2, 4, 6};
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(wrong, 0);
  const auto program = compile(client.get(), kAdd);
  client.reset();
  EXPECT_EQ(get(run(program.get(), {{a.get(), a.get()}}).results[0][0].get()), (Floats{2, 4, 6}));
}

TEST(Programs, LeaveNothingBehindInTwoHundredThousandRuns) {
  const Handle<PJRT_Client> client = make_client();
  const auto adding = compile(client.get(), kAdd), donating = compile(client.get(), kDonating);
  const auto once = [&] {
    const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3});
    const Execution sum = run(adding.get(), {{a.get(), a.get()}});
    const Execution doubled = run(donating.get(), {{sum.results[0][0].get()}});
    const bool refused = !run(donating.get(), {{sum.results[0][0].get()}}).outcome.ok();
    return refused && get(doubled.results[0][0].get()) == Floats{4, 8, 12};
  };
  ASSERT_TRUE(once());
  const auto before = buffer_statistics();
  const size_t heap = mallinfo2().uordblks;  // the handles already exist
  constexpr int kRuns = 100000;              // runs of each of two programs
  int right = 0;
  for (int i = 0; i < kRuns; ++i) right += once();
  EXPECT_EQ(right, kRuns);
  EXPECT_EQ(buffer_statistics().live_buffers, before.live_buffers);
  EXPECT_EQ(buffer_statistics().live_bytes, before.live_bytes);
  EXPECT_LT(mallinfo2().uordblks, heap + size_t{kRuns});  // less than a byte a run
}

TEST(Programs, RunInAChildAfterAFork) {
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), kAdd);
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3});
  const pid_t child = fork();
  if (child == 0) _exit(get(run(program.get(), {{a.get(), a.get()}}).results[0][0].get()) == Floats{2, 4, 6} ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// ---- handlers ----

constexpr int64_t kTypeId = 7;
extern "C" HiloFfi_Error* add_what_the_caller_gave(HiloFfi_CallFrame* frame) {
  if (hilo_ffi_answer_metadata(frame) != 0) return nullptr;
  HiloFfi_TypeId type{kTypeId};
  HiloFfi_ContextArgs args{sizeof(args), nullptr, frame->ctx, &type, nullptr};
  if (HiloFfi_Error* const error = frame->api->context_get(&args); error != nullptr) return error;
  const auto* const in = static_cast<const HiloFfi_Buffer*>(frame->args.args[0]);
  const auto* const out = static_cast<const HiloFfi_Buffer*>(frame->rets.rets[0]);
  for (int i = 0; i < 3; ++i)
    static_cast<float*>(out->data)[i] = static_cast<const float*>(in->data)[i] + *static_cast<const float*>(args.data);
  return nullptr;
}

const PJRT_FFI_Extension& ffi() {
  const PJRT_Extension_Base* e = api().extension_start;
  while (e->type != PJRT_Extension_Type_FFI) e = e->next;
  return *reinterpret_cast<const PJRT_FFI_Extension*>(e);
}

HiloFfi_Error* refuse_all(HiloFfi_CallFrame* frame) {
  if (hilo_ffi_answer_metadata(frame) != 0) return nullptr;
  HiloFfi_ErrorCreateArgs args{sizeof(args), nullptr, "the caller's handler", HILO_FFI_INTERNAL};
  return frame->api->error_create(&args);
}

/// Schur forms are those of the caller's LAPACK; other factorizations are hilo's.
TEST(Handlers, OfSchurFormsTakeTheirPlace) {
  PJRT_FFI_Register_Handler_Args handler{.target_name = "lapack_sgees_ffi",
                                         .target_name_size = 16,
                                         .handler = reinterpret_cast<void*>(refuse_all),
                                         .platform_name = "Host",
                                         .platform_name_size = 4};
  called(ffi().register_handler, handler);
  called(ffi().register_handler, handler);
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), R"(func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0:6 = "stablehlo.custom_call"(%a) <{call_target_name = "lapack_sgees_ffi", api_version = 4 : i32, backend_config = {mode = 86 : ui8, sort = 78 : ui8}}> : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>)
    return %0#0 : tensor<2x2xf32>
  })");
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3, 4}, {2, 2});
  const Outcome outcome = run(program.get(), {{a.get()}}).outcome;
  EXPECT_NE(outcome.message.find("the caller's handler"), std::string::npos) << outcome.message;
  handler.target_name = "lapack_sgeev_ffi";
  EXPECT_EQ(tried(ffi().register_handler, handler).code, PJRT_Error_Code_ALREADY_EXISTS);
}

TEST(Handlers, GetWhatTheCallerHandsToARun) {
  PJRT_FFI_Register_Handler_Args handler{.target_name = "test_pjrt_add",
                                         .target_name_size = 13,
                                         .handler = reinterpret_cast<void*>(add_what_the_caller_gave),
                                         .platform_name = "Host",
                                         .platform_name_size = 4};
  called(ffi().register_handler, handler);
  EXPECT_EQ(tried(ffi().register_handler, handler).code, PJRT_Error_Code_ALREADY_EXISTS);
  handler.platform_name = "CUDA";
  EXPECT_EQ(tried(ffi().register_handler, handler).code, PJRT_Error_Code_INVALID_ARGUMENT);
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.custom_call"(%a) <{call_target_name = "test_pjrt_add", api_version = 4 : i32}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })");
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3});
  EXPECT_EQ(run(program.get(), {{a.get()}}).outcome.code, PJRT_Error_Code_NOT_FOUND);
  float given = 100;
  auto* const context = called(api().PJRT_ExecuteContext_Create, {}).context;
  called(ffi().user_data_add, {.context = context, .user_data = {kTypeId, &given}});
  EXPECT_EQ(tried(ffi().user_data_add, {.context = context, .user_data = {kTypeId, &given}}).code,
            PJRT_Error_Code_ALREADY_EXISTS);
  auto options = sized<PJRT_ExecuteOptions>();
  options.context = context;
  PJRT_Buffer* argument = a.get();
  PJRT_Buffer* const* lists[] = {&argument};
  PJRT_Buffer* result = nullptr;
  PJRT_Buffer** outputs[] = {&result};
  called(api().PJRT_LoadedExecutable_Execute, {.executable = program.get(),
                                               .options = &options,
                                               .argument_lists = lists,
                                               .num_devices = 1,
                                               .num_args = 1,
                                               .output_lists = outputs});
  called(api().PJRT_ExecuteContext_Destroy, {.context = context});
  EXPECT_EQ(get(Handle<PJRT_Buffer>(result).get()), (Floats{101, 102, 103}));
}

}  // namespace
}  // namespace hilo::tests
