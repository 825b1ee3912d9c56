// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/inspect_sharding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/hlo/proto/sharding.h"
#include "tests/pjrt/compile_options.h"
#include "tests/pjrt/plugin_client.h"

namespace hilo::tests {
namespace {

/// The struct that the caller of a program passes, as in jaxlib.
struct Args {
  const char* sharding;
  size_t sharding_size;
  const char* error;
  void* error_memory;
  void (*free_error)(Args*);
};
struct Looker {
  void (*call)(void*, Args*);
  void* data;
};

struct Seen {
  std::vector<std::string> shardings;
  bool refuses = false;
  int freed = 0;
};
void look(void* data, Args* args) {
  auto& seen = *static_cast<Seen*>(data);
  seen.shardings.push_back(*hlo::proto::read_sharding({args->sharding, args->sharding_size}));
  if (!seen.refuses) return;
  args->error = "not so";
  args->error_memory = &seen.freed;
  args->free_error = [](Args* done) { ++*static_cast<int*>(done->error_memory); };
}

/// As an MLIR string.
std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("\\{:02X}", static_cast<uint8_t>(byte));
  return text;
}
std::string config_of(Seen& seen) {
  const Looker looker{look, &seen};
  return escaped({reinterpret_cast<const char*>(&looker), sizeof(looker)});
}

/// Inspects an argument, its sum along the unsharded dimension, and an argument inside a manual computation.
std::string program(const std::string& config) {
  const auto call = [&](std::string_view value, std::string_view type) {
    return fmt::format(
        "stablehlo.custom_call @InspectSharding({0}) {{backend_config = \"{2}\", has_side_effect = true}} : ({1}) -> "
        "{1}\n",
        value, type, config);
  };
  return R"(module @looks attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func private @inner(%a: tensor<4x2xf32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
    %l = )" +
         call("%0", "tensor<4xf32>") + R"(    return %0 : tensor<4xf32>
  }
  func.func @main(%a: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
    %l = )" +
         call("%a", "tensor<4x2xf32>") + R"(    %0 = call @inner(%a) : (tensor<4x2xf32>) -> tensor<4xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%p: tensor<2xf32>) {
      %m = )" +
         call("%p", "tensor<2xf32>") + R"(      sdy.return %p : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
})";
}

TEST(InspectSharding, SaysHowArraysAreShared) {
  const Handle<PJRT_Client> client = make_client(4);
  Seen seen;
  const auto compiled = compile(client.get(), program(config_of(seen)), options(1, 4));
  EXPECT_EQ(seen.shardings, (std::vector<std::string>{"{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}",
                                                      "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}", "{manual}"}));
}

TEST(InspectSharding, WhatTheFunctionRefusesIsTheErrorOfTheProgram) {
  const Handle<PJRT_Client> client = make_client(4);
  Seen seen;
  seen.refuses = true;
  const Outcome refused = compile_error(client.get(), program(config_of(seen)), options(1, 4));
  EXPECT_EQ(refused.code, PJRT_Error_Code_INTERNAL);
  EXPECT_NE(refused.message.find("not so"), std::string::npos) << refused.message;
  EXPECT_EQ(seen.shardings.size(), 1u);
  EXPECT_EQ(seen.freed, 1);
}

TEST(InspectSharding, TextsThatAreNoFunctionAreErrors) {
  const Handle<PJRT_Client> client = make_client(4);
  for (const std::string& bytes : {std::string("short"), std::string(16, '\0'), std::string(17, 'x')})
    EXPECT_EQ(compile_error(client.get(), program(escaped(bytes)), options(1, 4)).code,
              PJRT_Error_Code_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace hilo::tests
