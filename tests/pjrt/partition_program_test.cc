// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "hilo/ffi.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/text/printer.h"
#include "tests/pjrt/compile_options.h"
#include "tests/pjrt/plugin_client.h"
#include "tests/support/logged_texts.h"

namespace hilo::tests {
namespace {

using Floats = std::vector<float>;

/// A product whose contracting dimension is sharded over four devices of `mesh`; `result` is an attribute of its
/// result.
std::string product(const std::string& mesh, const std::string& result) {
  return R"(module @product attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <)" +
         mesh + R"(>
  func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                  %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xf32>)" +
         result + R"() {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
})";
}

struct Compiled {
  Handle<PJRT_LoadedExecutable> program;
  Handle<PJRT_Executable> executable;
};

Compiled compiled(PJRT_Client* client, const std::string& code, const std::string& with = options(1, 4)) {
  Compiled made;
  made.program = compile(client, code, with);
  made.executable.reset(
      called(api().PJRT_LoadedExecutable_GetExecutable, {.loaded_executable = made.program.get()}).executable);
  return made;
}

/// The text that compiled.as_text() of JAX shows.
std::string text_of(const Compiled& compiled) {
  PJRT_Program program = sized<PJRT_Program>();
  called(api().PJRT_Executable_OptimizedProgram, {.executable = compiled.executable.get(), .program = &program});
  std::string bytes(program.code_size, '\0');
  program.code = bytes.data();
  called(api().PJRT_Executable_OptimizedProgram, {.executable = compiled.executable.get(), .program = &program});
  const auto message = hlo::proto::WireMessage::read(bytes, "HloModuleProtoWithConfig");
  return hlo::print_module(*hlo::from_proto(*message->text(1)));
}

int64_t argument_bytes(const Compiled& compiled) {
  return called(api().PJRT_Executable_GetCompiledMemoryStats, {.executable = compiled.executable.get()})
      .argument_size_in_bytes;
}

/// Shard p of a: columns 2p and 2p+1; of b: rows 2p and 2p+1. a[i][k] = i + k, b[k][j] = k - j.
struct Parts {
  Parts(PJRT_Client* client, const std::vector<size_t>& device_of_part) : lists(device_of_part.size()) {
    for (size_t p = 0; p < 4; ++p) {
      const auto first = static_cast<float>(2 * p);
      Floats a, b;
      for (float i = 0; i < 4; ++i) a.insert(a.end(), {i + first, i + first + 1});
      for (float k = first; k < first + 2; ++k) b.insert(b.end(), {k, k - 1, k - 2, k - 3});
      held.push_back(put(client, a, {4, 2}, device_of_part[p]));
      held.push_back(put(client, b, {2, 4}, device_of_part[p]));
      lists[device_of_part[p]] = {held[2 * p].get(), held[2 * p + 1].get()};
    }
  }
  std::vector<Handle<PJRT_Buffer>> held;
  std::vector<std::vector<PJRT_Buffer*>> lists;  ///< by device
};

Floats row_of_product(int i) {
  Floats row(4);
  for (int j = 0; j < 4; ++j) {
    for (int k = 0; k < 8; ++k) row[static_cast<size_t>(j)] += static_cast<float>((i + k) * (k - j));
  }
  return row;
}

Floats product_by_hand() {
  Floats all;
  for (int i = 0; i < 4; ++i) {
    const Floats row = row_of_product(i);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

TEST(PartitionProgram, DevicesComputeTheirPartsAndMeet) {
  const Handle<PJRT_Client> client = make_client(4);
  const Compiled sum = compiled(client.get(), product(R"(["x"=4])", ""));
  const std::string text = text_of(sum);
  EXPECT_NE(text.find("f32[4,2]"), std::string::npos) << text;
  EXPECT_EQ(text.find("f32[4,8]"), std::string::npos) << text;
  EXPECT_NE(text.find("all-reduce"), std::string::npos) << text;
  EXPECT_EQ(argument_bytes(sum), 2 * 4 * 2 * 4);
  const Parts parts(client.get(), {0, 1, 2, 3});
  for (int round = 0; round < 3; ++round) {
    const Execution done = run(sum.program.get(), parts.lists);
    ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
    for (const auto& list : done.results) EXPECT_EQ(get(list[0].get()), product_by_hand());
  }
}

TEST(PartitionProgram, ResultsLieAsStatedOnDevicesInAnyOrder) {
  const Handle<PJRT_Client> client = make_client(4);
  const Compiled scattered = compiled(client.get(), product(R"(["x"=4], device_ids=[2, 0, 3, 1])",
                                                            R"( {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})"));
  EXPECT_NE(text_of(scattered).find("reduce-scatter"), std::string::npos) << text_of(scattered);
  const std::vector<size_t> device_of_part = {2, 0, 3, 1};
  const Parts parts(client.get(), device_of_part);
  const Execution done = run(scattered.program.get(), parts.lists);
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  for (size_t p = 0; p < 4; ++p)
    EXPECT_EQ(get(done.results[device_of_part[p]][0].get()), row_of_product(static_cast<int>(p)));
}

TEST(PartitionProgram, WhatIsMadeOfNothingIsMadePartByPart) {
  const Handle<PJRT_Client> client = make_client(4);
  const Compiled counted = compiled(client.get(), R"(module @counted attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main() -> (tensor<12x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<12x3xi32>
    %1 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<12x3xi32>
    %3 = stablehlo.remainder %0, %2 : tensor<12x3xi32>
    %4 = stablehlo.compare GT, %3, %0 : (tensor<12x3xi32>, tensor<12x3xi32>) -> tensor<12x3xi1>
    %5 = stablehlo.select %4, %2, %3 : tensor<12x3xi1>, tensor<12x3xi32>
    %6 = stablehlo.convert %5 : (tensor<12x3xi32>) -> tensor<12x3xf32>
    return %6 : tensor<12x3xf32>
  }
})");
  EXPECT_EQ(text_of(counted).find("[12,3]"), std::string::npos) << text_of(counted);
  const Execution done = run(counted.program.get(), std::vector<std::vector<PJRT_Buffer*>>(4));
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  for (int k = 0; k < 4; ++k) {
    Floats wanted;
    for (int i = 3 * k; i < 3 * k + 3; ++i) wanted.insert(wanted.end(), 3, static_cast<float>(i % 5));
    EXPECT_EQ(get(done.results[static_cast<size_t>(k)][0].get()), wanted);
  }
}

TEST(PartitionProgram, WhatIsDonatedIsTaken) {
  const Handle<PJRT_Client> client = make_client(2);
  const Compiled twice = compiled(client.get(), R"(module @twice attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})",
                                  options(1, 2));
  std::vector<Handle<PJRT_Buffer>> halves;
  std::vector<uintptr_t> places;
  const auto place = [](PJRT_Buffer* buffer) {
    return called(api().PJRT_Buffer_UnsafePointer, {.buffer = buffer}).buffer_pointer;
  };
  for (size_t k = 0; k < 2; ++k) {
    const auto first = static_cast<float>(2 * k);
    halves.push_back(put(client.get(), {first, first + 1}, {2}, k));
    places.push_back(place(halves[k].get()));
  }
  const Execution done = run(twice.program.get(), {{halves[0].get()}, {halves[1].get()}});
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  for (size_t k = 0; k < 2; ++k) {
    const auto first = static_cast<float>(4 * k);
    EXPECT_EQ(get(done.results[k][0].get()), (Floats{first, first + 2}));
    EXPECT_EQ(place(done.results[k][0].get()), places[k]);
    EXPECT_TRUE(called(api().PJRT_Buffer_IsDeleted, {.buffer = halves[k].get()}).is_deleted);
  }
}

TEST(PartitionProgram, ProgramsByHandGiveWhatTheySay) {
  const Handle<PJRT_Client> client = make_client(2);
  const Compiled by_hand = compiled(client.get(), R"(module @by_hand attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%p: tensor<2xf32>) {
      %1 = stablehlo.add %p, %p : tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})",
                                    options(1, 2));
  const Handle<PJRT_Buffer> low = put(client.get(), {0, 1}, {2}, 0), high = put(client.get(), {2, 3}, {2}, 1);
  const Execution done = run(by_hand.program.get(), {{low.get()}, {high.get()}});
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  EXPECT_EQ(get(done.results[0][0].get()), (Floats{0, 2}));
  EXPECT_EQ(get(done.results[1][0].get()), (Floats{4, 6}));
}

/// A program that runs whole, because it draws random numbers: x + noise of 0. `reduction`: of its partial results,
/// "max"; "" is a sum.
std::string noise_program(std::string_view reduction) {
  return fmt::format(R"(module @noise attributes {{mhlo.num_partitions = 2 : i32}} {{
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<2xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}], unreduced={0}{{"x"}}>}})
      -> (tensor<2xf32>, tensor<2xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}], unreduced={0}{{"x"}}>}}) {{
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sizes = stablehlo.constant dense<2> : tensor<1xi64>
    %none = stablehlo.rng %zero, %zero, %sizes, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
    %0 = stablehlo.add %a, %none : tensor<2xf32>
    return %0, %0 : tensor<2xf32>, tensor<2xf32>
  }}
}})",
                     reduction);
}

TEST(PartitionProgram, WhatThePartitionerRefusesRunsWholeAndTheLogSaysSo) {
  const Handle<PJRT_Client> client = make_client(2);
  const LogLevel before = log_level();
  set_log_level(LogLevel::kInfo);
  const LoggedTexts logged;
  const Compiled noise = compiled(client.get(), noise_program(""), options(1, 2));
  set_log_level(before);
  EXPECT_EQ(std::ranges::count_if(logged.all,
                                  [](const std::string& text) {
                                    return text.starts_with(
                                        "compile 'noise': it is not partitioned and runs on gathered arguments: ");
                                  }),
            1);
  const Handle<PJRT_Buffer> one = put(client.get(), {1, 2}, {2}, 0), other = put(client.get(), {10, 20}, {2}, 1);
  const Execution done = run(noise.program.get(), {{one.get()}, {other.get()}}, 2);
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  for (const auto& list : done.results) EXPECT_EQ(get(list[0].get()), (Floats{11, 22}));
  EXPECT_EQ(get(done.results[0][1].get()), (Floats{11, 22}));
  EXPECT_EQ(get(done.results[1][1].get()), (Floats{0, 0}));
}

TEST(PartitionProgram, PartialMaximaOfAProgramThatRunsWholeAreGathered) {
  const Handle<PJRT_Client> client = make_client(2);
  const Compiled noise = compiled(client.get(), noise_program("max"), options(1, 2));
  const Handle<PJRT_Buffer> one = put(client.get(), {-1, 2}, {2}, 0), other = put(client.get(), {-10, 20}, {2}, 1);
  const Execution done = run(noise.program.get(), {{one.get()}, {other.get()}}, 2);
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  for (const auto& list : done.results) {
    EXPECT_EQ(get(list[0].get()), (Floats{-1, 20}));
    EXPECT_EQ(get(list[1].get()), (Floats{-1, 20}));
  }
}

TEST(PartitionProgram, ArraysThatAllDevicesHaveAreComputedOnce) {
  const Handle<PJRT_Client> client = make_client(4);
  const Compiled once = compiled(client.get(), R"(module @once attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %a : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})");
  std::vector<Handle<PJRT_Buffer>> wholes;
  std::vector<std::vector<PJRT_Buffer*>> arguments;
  for (size_t k = 0; k < 4; ++k) {
    wholes.push_back(put(client.get(), {1, 2}, {2}, k));
    arguments.push_back({wholes[k].get()});
  }
  const Execution done = run(once.program.get(), arguments);
  ASSERT_TRUE(done.outcome.ok()) << done.outcome.message;
  const auto place = [](PJRT_Buffer* buffer) {
    return called(api().PJRT_Buffer_UnsafePointer, {.buffer = buffer}).buffer_pointer;
  };
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(get(done.results[k][0].get()), (Floats{2, 4}));
    EXPECT_EQ(place(done.results[k][0].get()), place(done.results[0][0].get()));
  }
}

// ---- calls that each device makes ----

/// Records the calls and their arguments, in any order.
struct Calls {
  std::mutex mutex;
  std::multiset<Floats> all;
};
Calls& calls() {
  static auto* const instance = new Calls;
  return *instance;
}
extern "C" HiloFfi_Error* note_what_is_there(HiloFfi_CallFrame* frame) {
  if (hilo_ffi_answer_metadata(frame) != 0) return nullptr;
  const auto* const in = static_cast<const HiloFfi_Buffer*>(frame->args.args[0]);
  const auto* const values = static_cast<const float*>(in->data);
  const std::scoped_lock lock(calls().mutex);
  calls().all.emplace(values, values + in->dims[0]);
  return nullptr;
}

/// Calls a function with an array sharded by `sharding` over two devices. Returns the arguments of the calls.
std::multiset<Floats> called_with(const std::string& sharding, const Floats& first, const Floats& second) {
  const Handle<PJRT_Client> client = make_client(2);
  const Compiled compiled_program = compiled(client.get(),
                                             R"(module @calls attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, )" +
                                                 sharding + R"(>}) -> tensor<4xf32> {
    stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%a) {api_version = 4 : i32, has_side_effect = true, mhlo.backend_config = {index = 0 : ui64}, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (tensor<4xf32>) -> ()
    return %a : tensor<4xf32>
  }
})",
                                             options(1, 2));
  const Handle<PJRT_Buffer> a = put(client.get(), first, {std::ssize(first)}, 0);
  const Handle<PJRT_Buffer> b = put(client.get(), second, {std::ssize(second)}, 1);
  calls().all.clear();
  const Execution done = run(compiled_program.program.get(), {{a.get()}, {b.get()}});
  EXPECT_TRUE(done.outcome.ok()) << done.outcome.message;
  return calls().all;
}

TEST(PartitionProgram, CallsOfEachDeviceGetItsParts) {
  const PJRT_Extension_Base* e = api().extension_start;
  while (e->type != PJRT_Extension_Type_FFI) e = e->next;
  constexpr std::string_view kTarget = "xla_ffi_partitioned_python_cpu_callback";
  called(reinterpret_cast<const PJRT_FFI_Extension*>(e)->register_handler,
         {.target_name = kTarget.data(),
          .target_name_size = kTarget.size(),
          .handler = reinterpret_cast<void*>(note_what_is_there),
          .platform_name = "Host",
          .platform_name_size = 4});
  EXPECT_EQ(called_with(R"([{"x"}])", {0, 1}, {2, 3}), (std::multiset<Floats>{{0, 1}, {2, 3}}));
  const Floats whole = {0, 1, 2, 3};
  EXPECT_EQ(called_with("[{}]", whole, whole), (std::multiset<Floats>{whole, whole}));
}

}  // namespace
}  // namespace hilo::tests
