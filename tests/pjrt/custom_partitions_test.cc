// SPDX-License-Identifier: Apache-2.0
// A C++ caller that partitions custom calls by its own functions, without Python.
#include "hilo/pjrt/custom_partitions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "hilo/ffi.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/proto/sharding.h"
#include "tests/pjrt/compile_options.h"
#include "tests/pjrt/plugin_client.h"

namespace hilo::tests {
namespace {

using Floats = std::vector<float>;
using Texts = std::vector<std::string>;

std::string_view view(const JAX_CustomCallPartitioner_string& text) { return {text.data, text.size}; }
std::string proto_of(const std::string& sharding) {
  return sharding == "{replicated}" ? "" : hlo::proto::write_sharding(sharding)->view();
}

/// "{replicated}", "{devices=[4,1]0,1,2,3}", or "({..} {..})" for several results.
std::string text_of(std::string_view message) {
  if (message.empty()) return "{replicated}";
  const auto sharding = hlo::proto::WireMessage::read(message, "OpSharding");
  if (*sharding->integer(1) != 2) return *hlo::proto::read_sharding(message);
  std::string text;
  const std::vector<std::string_view> items = *sharding->items(5);
  for (const std::string_view item : items) text += (text.empty() ? "(" : " ") + text_of(item);
  return text + ")";
}

/// The information that a partitioner receives, and its answer.
struct Partitioner {
  JAX_CustomCallPartitioner_Callbacks callbacks{};
  std::string module;  ///< the program of each device
  Texts operands;      ///< operand shardings that it requests; empty: those that it received
  std::string result;  ///< result sharding; "": as received
  std::string error;   ///< the error that it returns
  std::atomic<int> asked = 0, results_asked = 0, users_asked = 0, cleaned = 0, given_back = 0;
  std::string told, told_config, told_shapes, told_users;
  std::function<std::string(std::string_view)> for_operand = [](std::string_view first) { return std::string(first); };
  std::function<std::string(std::string_view)> for_users = [](std::string_view wanted) { return std::string(wanted); };

  Partitioner() {
    callbacks.private_data = this;
    callbacks.dtor = [](JAX_CustomCallPartitioner_Callbacks* c) { ++self(c).given_back; };
    callbacks.partition = [](JAX_CustomCallPartitioner_Callbacks* c, JAX_CustomCallPartitioner_Partition_Args* args) {
      self(c).partition(*args);
    };
    callbacks.infer_sharding = [](JAX_CustomCallPartitioner_Callbacks* c,
                                  JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args) {
      Partitioner& own = self(c);
      ++own.results_asked;
      if (own.refuse(args->header)) return;
      args->has_result_sharding = true;
      args->result_sharding = own.keep(args->header, {own.for_operand(view(args->op_args[0].sharding))})[0];
    };
    callbacks.propagate_user_sharding = [](JAX_CustomCallPartitioner_Callbacks* c,
                                           JAX_CustomCallPartitioner_PropagateUserSharding_Args* args) {
      Partitioner& own = self(c);
      ++own.users_asked;
      if (own.told_users.empty()) own.told_users = text_of(view(args->result_sharding));
      args->result_sharding = own.keep(args->header, {own.for_users(view(args->result_sharding))})[0];
    };
  }
  static Partitioner& self(JAX_CustomCallPartitioner_Callbacks* c) {
    return *static_cast<Partitioner*>(c->private_data);
  }

  /// Stores texts until they are cleaned up.
  struct Kept {
    Partitioner* owner;
    Texts texts;
    std::vector<JAX_CustomCallPartitioner_string> list;
  };
  std::vector<JAX_CustomCallPartitioner_string>& keep(JAX_CustomCallPartitioner_version_and_error& header,
                                                      Texts texts) {
    auto* const kept = new Kept{this, std::move(texts), {}};
    for (const std::string& text : kept->texts) kept->list.push_back({text.data(), text.size()});
    header.data = kept;
    header.cleanup_fn = [](void* data) {
      ++static_cast<Kept*>(data)->owner->cleaned;
      delete static_cast<Kept*>(data);
    };
    return kept->list;
  }
  bool refuse(JAX_CustomCallPartitioner_version_and_error& header) {
    if (error.empty()) return false;
    header.has_error = true;
    header.code = PJRT_Error_Code_FAILED_PRECONDITION;
    header.error_msg = keep(header, {error})[0];
    return true;
  }
  void partition(JAX_CustomCallPartitioner_Partition_Args& args) {
    ++asked;
    if (refuse(args.header)) return;
    std::string shardings, shapes;
    Texts texts = {module};
    for (size_t i = 0; i < args.num_args; ++i) {
      shapes += hlo::proto::read_shape(view(args.op_args[i].shape))->to_string() + " ";
      shardings += (args.op_args[i].has_sharding ? text_of(view(args.op_args[i].sharding)) : "none") + " ";
      texts.push_back(operands.empty() ? std::string(view(args.op_args[i].sharding)) : proto_of(operands[i]));
    }
    told = shardings + "-> " + text_of(view(args.op_result.sharding));
    told_shapes = shapes + "-> " + hlo::proto::read_shape(view(args.op_result.shape))->to_string();
    told_config = view(args.backend_config);
    texts.push_back(result.empty() ? std::string(view(args.op_result.sharding)) : proto_of(result));
    auto& list = keep(args.header, std::move(texts));
    args.mlir_module = list[0];
    args.args_sharding = &list[1];
    args.result_sharding = list.back();
  }
};

const PJRT_Custom_Partitioner_Extension* extension() {
  for (const PJRT_Extension_Base* at = api().extension_start; at != nullptr; at = at->next) {
    if (at->type == PJRT_Extension_Type_Custom_Partitioner)
      return reinterpret_cast<const PJRT_Custom_Partitioner_Extension*>(at);
  }
  return nullptr;
}
Outcome try_to_register(std::string_view target, JAX_CustomCallPartitioner_Callbacks* callbacks) {
  return tried(extension()->register_custom_partitioner,
               {.name = target.data(), .name_size = target.size(), .callbacks = callbacks});
}
/// Registers a partitioner with the plugin, for the lifetime of the process.
Partitioner& registered(std::string_view target) {
  auto* const made = new Partitioner;
  EXPECT_TRUE(try_to_register(target, &made->callbacks).ok());
  return *made;
}

const std::string kShardy = options(1, 4, {}, true);
const std::string kRule = ", sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}, custom>";

/// A call with an argument f32[8,4], sharded over four devices by rows. `body` computes the result from %a.
std::string program_of(const std::string& body, const std::string& others = "") {
  return R"(module @calls attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
)" + others +
         R"(  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
)" + body +
         R"(    return %0 : tensor<8x4xf32>
  }
})";
}
std::string call_of(std::string_view target, std::string_view rest = kRule, std::string_view operand = "%a") {
  return fmt::format(
      "    %0 = stablehlo.custom_call @{0}({2}) {{api_version = 2 : i32, backend_config = \"own\"{1}}} : "
      "(tensor<8x4xf32>) -> tensor<8x4xf32>\n",
      target, rest, operand);
}

/// Each device adds its id and the sum of all shards.
const std::string kSums = R"(module @parts {
  func.func private @add_id(%p: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
    %all = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %0 = stablehlo.add %p, %all : tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func public @main(%p: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = call @add_id(%p) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x4xf32>
    return %2 : tensor<2x4xf32>
  }
})";

/// Shard p of the argument, two rows: elements 8p, 8p+1, ...
Floats part(size_t p) {
  Floats values;
  for (size_t i = 0; i < 8; ++i) values.push_back(static_cast<float>(8 * p + i));
  return values;
}
Floats sums(size_t p) {
  Floats values = part(p);
  for (size_t i = 0; i < 8; ++i) values[i] += static_cast<float>(p + 4 * i + 8 * (0 + 1 + 2 + 3));
  return values;
}

/// The shards of the results, by device.
std::vector<Floats> run_on_parts(PJRT_Client* client, PJRT_LoadedExecutable* program) {
  std::vector<Handle<PJRT_Buffer>> held;
  std::vector<std::vector<PJRT_Buffer*>> lists;
  for (size_t p = 0; p < 4; ++p) {
    held.push_back(put(client, part(p), {2, 4}, p));
    lists.push_back({held.back().get()});
  }
  const Execution done = run(program, lists);
  EXPECT_TRUE(done.outcome.ok()) << done.outcome.message;
  std::vector<Floats> made;
  for (const auto& list : done.results) made.push_back(get(list[0].get()));
  return made;
}
std::vector<Floats> all_sums() { return {sums(0), sums(1), sums(2), sums(3)}; }
std::vector<Floats> all_parts() { return {part(0), part(1), part(2), part(3)}; }

constexpr std::string_view kRows = "{devices=[4,1]0,1,2,3}";

TEST(CustomPartitions, EachDeviceRunsWhatThePartitionerGives) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("sums");
  own.module = kSums;
  const auto program = compile(client.get(), program_of(call_of("sums")), kShardy);
  EXPECT_EQ(own.told, fmt::format("{0} -> {0}", kRows));
  EXPECT_EQ(own.told_shapes, "f32[8,4] -> f32[8,4]");
  EXPECT_EQ(own.told_config, "own");
  EXPECT_EQ(own.asked, 1);
  EXPECT_EQ(own.cleaned, 1);
  EXPECT_EQ(own.results_asked + own.users_asked, 0);  // the sharding rule is sufficient
  for (int round = 0; round < 3; ++round) EXPECT_EQ(run_on_parts(client.get(), program.get()), all_sums());
}

TEST(CustomPartitions, OperandsAndResultsMoveToWhereThePartitionerWantsThem) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("columns");  // each device computes a column from the whole operand
  own.operands = {"{replicated}"};
  own.result = "{devices=[1,4]0,1,2,3}";
  own.module = R"(func.func @main(%p: tensor<8x4xf32>) -> tensor<8x1xf32> {
    %zero = stablehlo.constant dense<0> : tensor<ui32>
    %id = stablehlo.partition_id : tensor<ui32>
    %0 = stablehlo.dynamic_slice %p, %zero, %id, sizes = [8, 1] : (tensor<8x4xf32>, tensor<ui32>, tensor<ui32>) -> tensor<8x1xf32>
    return %0 : tensor<8x1xf32>
  })";
  const auto program = compile(client.get(), program_of(call_of("columns")), kShardy);
  EXPECT_EQ(run_on_parts(client.get(), program.get()), all_parts());
}

TEST(CustomPartitions, SeveralResultsHaveShardingsEach) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("two");
  own.module = R"(func.func @main(%p: tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2x4xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    return %0, %p : tensor<2xf32>, tensor<2x4xf32>
  })";
  const auto program = compile(client.get(), program_of(R"(
    %1:2 = stablehlo.custom_call @two(%a) {backend_config = "", sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i], [i, j]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x4xf32>)
    %2 = stablehlo.broadcast_in_dim %1#0, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
    %0 = stablehlo.add %2, %1#1 : tensor<8x4xf32>
)"),
                               kShardy);
  EXPECT_EQ(own.told, "{devices=[4,1]0,1,2,3} -> ({devices=[4]0,1,2,3} {devices=[4,1]0,1,2,3})");
  EXPECT_EQ(own.told_shapes, "f32[8,4] -> (f32[8], f32[8,4])");
  std::vector<Floats> wanted = all_parts();
  for (Floats& values : wanted) {
    const Floats before = values;
    for (size_t i = 0; i < 8; ++i) {
      for (size_t j = 0; j < 4; ++j) values[i] += before[i / 4 * 4 + j];
    }
  }
  EXPECT_EQ(run_on_parts(client.get(), program.get()), wanted);
}

TEST(CustomPartitions, FunctionsAndLoopsAroundACallAskOnceForIt) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("twice");
  own.module = R"(func.func @main(%p: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = stablehlo.add %p, %p : tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  })";
  const std::string function = "  func.func private @f(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {\n" + call_of("twice") +
                               "    return %0 : tensor<8x4xf32>\n  }\n";
  const auto program = compile(client.get(),
                               program_of(R"(
    %b = call @f(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %c = call @f(%b) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%i = %zero, %v = %c) : tensor<i32>, tensor<8x4xf32>
    cond {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %less = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %w = func.call @f(%v) : (tensor<8x4xf32>) -> tensor<8x4xf32>
      stablehlo.return %next, %w : tensor<i32>, tensor<8x4xf32>
    }
    %0 = stablehlo.negate %1#1 : tensor<8x4xf32>
)",
                                          function),
                               kShardy);
  EXPECT_EQ(own.asked, 1);
  std::vector<Floats> wanted = all_parts();
  for (Floats& values : wanted) {
    for (float& value : values) value *= -16;
  }
  EXPECT_EQ(run_on_parts(client.get(), program.get()), wanted);
}

/// Random numbers without a key would differ between devices, so the program runs replicated.
TEST(CustomPartitions, AProgramThatRunsWholeMeetsInsideTheCall) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("whole");
  own.module = kSums;
  const auto program = compile(client.get(), program_of(R"(
    %low = stablehlo.constant dense<0.0> : tensor<f32>
    %high = stablehlo.constant dense<1.0> : tensor<f32>
    %shape = stablehlo.constant dense<[8, 4]> : tensor<2xi64>
    %noise = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<8x4xf32>
    %none = stablehlo.floor %noise : tensor<8x4xf32>
    %b = stablehlo.add %a, %none : tensor<8x4xf32>
)" + call_of("whole", kRule, "%b")),
                               kShardy);
  EXPECT_EQ(run_on_parts(client.get(), program.get()), all_sums());
}

TEST(CustomPartitions, WithoutRulesTheyAreAskedForShardings) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("follows");
  own.module = kSums;
  const auto program = compile(client.get(), program_of(call_of("follows", "")), options(1, 4));
  EXPECT_GE(own.results_asked, 1);
  EXPECT_EQ(own.told, fmt::format("{0} -> {0}", kRows));
  EXPECT_EQ(run_on_parts(client.get(), program.get()), all_sums());
}

TEST(CustomPartitions, WithoutRulesTheyAreAskedWhatUsersGet) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("for_users");
  own.for_operand = [](std::string_view) { return std::string(); };
  own.for_users = [](std::string_view) { return proto_of("{devices=[1,4]0,1,2,3}"); };
  own.module = kSums;
  own.operands = {std::string(kRows)};
  own.result = kRows;
  const auto program = compile(client.get(), program_of(call_of("for_users", "")), options(1, 4));
  EXPECT_EQ(own.told_users, kRows);
  EXPECT_EQ(own.told, fmt::format("{} -> {{devices=[1,4]0,1,2,3}}", kRows));
  EXPECT_EQ(run_on_parts(client.get(), program.get()), all_sums());
}

TEST(CustomPartitions, WhatAPartitionerSaysIsTheError) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("refuses");
  own.error = "Traceback: not this way";
  for (const auto& [rest, with] : {std::pair(kRule, kShardy), std::pair(std::string(), options(1, 4))}) {
    const Outcome refused = compile_error(client.get(), program_of(call_of("refuses", rest)), with);
    EXPECT_EQ(refused.code, PJRT_Error_Code_FAILED_PRECONDITION);
    EXPECT_NE(refused.message.find("Traceback: not this way"), std::string::npos) << refused.message;
  }
  EXPECT_EQ(own.cleaned, 2);
}

TEST(CustomPartitions, WhatDoesntFitTheCallIsRefused) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("unfit");
  const auto refused = [&](const std::string& module, std::string_view words, const std::string& result = "") {
    own.module = module;
    own.result = result;
    const Outcome outcome = compile_error(client.get(), program_of(call_of("unfit")), kShardy);
    EXPECT_FALSE(outcome.ok());
    EXPECT_NE(outcome.message.find(words), std::string::npos) << outcome.message;
    EXPECT_NE(outcome.message.find("unfit"), std::string::npos) << outcome.message;
  };
  const auto of_type = [](const std::string& type) {
    return "func.func @main(%p: " + type + ") -> " + type + " {\n  return %p : " + type + "\n}";
  };
  refused("", "no function");
  refused("ML\xefR", "custom partition");
  refused("func.func @main() {\n  return\n}", "with 0 parameters");
  refused(of_type("tensor<8x4xf32>"), "doesn't match the whole array f32[8,4]");
  refused(of_type("tensor<2x4xf64>"), "doesn't match the whole array f32[8,4]");
  refused(
      "func.func @main(%p: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {\n  return %p, %p : "
      "tensor<2x4xf32>, "
      "tensor<2x4xf32>\n}",
      "with 2 results");
  refused(of_type("tensor<2x4xf32>"), "doesn't match", "{devices=[1,4]0,1,2,3}");
  refused(of_type("tensor<2x4xf32>"), "a manual sharding", "{manual}");
  own.result.clear();
  const Outcome rule = compile_error(
      client.get(),
      program_of(call_of("unfit", ", sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>")), kShardy);
  EXPECT_EQ(rule.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(rule.message.find("sharding rule"), std::string::npos) << rule.message;
}

TEST(CustomPartitions, SavedProgramsRememberTheAnswers) {
  const Handle<PJRT_Client> client = make_client(4);
  Partitioner& own = registered("saved");
  own.module = kSums;
  const auto program = compile(client.get(), program_of(call_of("saved")), kShardy);
  const Handle<PJRT_Executable> executable(
      called(api().PJRT_LoadedExecutable_GetExecutable, {.loaded_executable = program.get()}).executable);
  const auto bytes = called(api().PJRT_Executable_Serialize, {.executable = executable.get()});
  std::string saved(bytes.serialized_bytes, bytes.serialized_bytes_size);
  bytes.serialized_executable_deleter(bytes.serialized_executable);
  own.error = "whoever asked before is gone";
  const Handle<PJRT_LoadedExecutable> loaded(
      called(
          api().PJRT_Executable_DeserializeAndLoad,
          {.client = client.get(), .serialized_executable = saved.data(), .serialized_executable_size = saved.size()})
          .loaded_executable);
  EXPECT_EQ(own.asked, 1);
  EXPECT_EQ(run_on_parts(client.get(), loaded.get()), all_sums());
}

TEST(CustomPartitions, OneInThePlaceOfAnotherGivesThatBack) {
  Partitioner& first = registered("place");
  Partitioner& second = registered("place");
  EXPECT_EQ(first.given_back, 1);
  EXPECT_EQ(second.given_back, 0);
  Partitioner newer;
  newer.callbacks.version = 1;
  EXPECT_EQ(try_to_register("place", &newer.callbacks).code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_EQ(try_to_register("place", nullptr).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(newer.given_back + second.given_back, 0);
}

TEST(CustomPartitions, ManyThreadsCompileTogether) {
  const Handle<PJRT_Client> client = make_client(4);
  registered("shared").module = kSums;
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const auto program = compile(client.get(), program_of(call_of("shared")), kShardy);
      right += run_on_parts(client.get(), program.get()) == all_sums() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

/// Copies rows, possibly a shard of them.
std::atomic<int64_t> most_rows = 0;
extern "C" HiloFfi_Error* copy_rows(HiloFfi_CallFrame* frame) {
  if (hilo_ffi_answer_metadata(frame) != 0) return nullptr;
  const auto* const in = static_cast<const HiloFfi_Buffer*>(frame->args.args[0]);
  const auto* const out = static_cast<const HiloFfi_Buffer*>(frame->rets.rets[0]);
  std::memcpy(out->data, in->data, static_cast<size_t>(in->dims[0] * in->dims[1]) * sizeof(float));
  for (int64_t seen = most_rows; seen < in->dims[0] && !most_rows.compare_exchange_weak(seen, in->dims[0]);) {}
  return nullptr;
}

TEST(CustomPartitions, CallsOverABatchAreMadeWithParts) {
  constexpr std::string_view kTarget = "copy_rows";
  const PJRT_Extension_Base* e = api().extension_start;
  while (e->type != PJRT_Extension_Type_FFI) e = e->next;
  called(reinterpret_cast<const PJRT_FFI_Extension*>(e)->register_handler,
         {.target_name = kTarget.data(),
          .target_name_size = kTarget.size(),
          .handler = reinterpret_cast<void*>(copy_rows),
          .platform_name = "Host",
          .platform_name_size = 4});
  const Handle<PJRT_Client> client = make_client(4);
  const std::string code = program_of(
      R"(    %0 = stablehlo.custom_call @copy_rows(%a) {api_version = 4 : i32, mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
)");
  const auto rows = [&] {
    most_rows = 0;
    const auto program = compile(client.get(), code, kShardy);
    EXPECT_EQ(run_on_parts(client.get(), program.get()), all_parts());
    return most_rows.load();
  };
  EXPECT_EQ(rows(), 8);
  for (int round = 0; round < 2; ++round)
    called(extension()->register_batch_partitionable, {.name = kTarget.data(), .name_size = kTarget.size()});
  EXPECT_EQ(rows(), 2);
  EXPECT_EQ(tried(extension()->register_batch_partitionable, {}).code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(CustomPartitions, CallsOfNobodyAreUnknownAsBefore) {
  const Handle<PJRT_Client> client = make_client(4);
  EXPECT_EQ(compile_error(client.get(), program_of(call_of("nobody")), kShardy).code, PJRT_Error_Code_NOT_FOUND);
}

}  // namespace
}  // namespace hilo::tests
