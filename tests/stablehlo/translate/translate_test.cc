// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/translate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/stablehlo/text/reader.h"
#include "tests/support/tables.h"

namespace hilo::stablehlo {
namespace {

StatusOr<hlo::Module> program(std::string_view text, const TranslateOptions& options = {}) {
  HILO_ASSIGN_OR_RETURN(const ModuleTree tree, read_text(text, "t.mlir"));
  return translate(tree, options);
}

std::string hlo_of(std::string_view text) {
  const StatusOr<hlo::Module> module = program(text);
  return module.ok() ? hlo::print_module(*module) : module.status().to_string();
}

/// The error without its position in the text.
std::string error_of(std::string_view text, const std::string& function = {}) {
  const StatusOr<hlo::Module> module = program(text, {.function = function});
  static const std::regex kPlace("t\\.mlir:[0-9]+:[0-9]+: ");
  return module.ok() ? "no error" : std::regex_replace(module.status().to_string(), kPlace, "");
}

void holds(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << "wanted " << part << " in:\n" << text;
}

/// The tables next to this file: StableHLO, and its translation to HLO or the error.
/// A first line "// arguments: f32[3] s32[]" lists the arguments of the entry.
class TranslateTables : public testing::TestWithParam<tests::TableRow> {};

TEST_P(TranslateTables, GiveHlo) {
  constexpr std::string_view kArguments = "// arguments:";
  const std::string& text = GetParam().input;
  TranslateOptions options;
  if (text.starts_with(kArguments)) {
    std::istringstream shapes(text.substr(kArguments.size(), text.find('\n') - kArguments.size()));
    for (std::string shape; shapes >> shape;) options.arguments.push_back(hlo::parse_shape(shape).value());
  }
  const StatusOr<hlo::Module> module = program(text, options);
  tests::expect_output(GetParam(),
                       module.ok() ? hlo::print_module(*module, {.layouts = false}) : module.status().to_string());
}

INSTANTIATE_TEST_SUITE_P(Translate, TranslateTables, testing::ValuesIn(tests::table_rows("stablehlo/translate")),
                         [](const auto& info) { return tests::name_of(info.param); });

TEST(Translate, OpsThatTheEngineLacksKeepTheirAttributesAsText) {
  const std::string hlo = hlo_of(
      R"(func.func @f(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32> {
        %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>
        return %0 : tensor<1x2x2x5xf32>
      })");
  holds(hlo, "window={size=3x3}");
  holds(hlo, "dim_labels=b01f_01io->b01f");
}

/// A broadcast of f32[2] with these operands and types, for two replicas.
std::string broadcast(std::string_view operands, std::string_view types, std::string_view groups = "[[1, 0]]") {
  return fmt::format(
      "module attributes {{mhlo.num_replicas = 2 : i32}} {{ func.func @main(%x: tensor<2xf32>, %r: tensor<1xi32>) -> "
      "tensor<2xf32> {{\n%0 = \"stablehlo.collective_broadcast\"({}) {{replica_groups = dense<{}> : tensor<1x2xi64>, "
      "has_dynamic_root}} : ({}) -> tensor<2xf32>\nreturn %0 : tensor<2xf32>\n}} }}",
      operands, groups, types);
}

TEST(Translate, ABroadcastFromARootKnownAtRunTimeTakesItFromWhatAllHave) {
  const std::string hlo = hlo_of(broadcast("%x, %r", "tensor<2xf32>, tensor<1xi32>"));
  holds(hlo, "f32[2,2]{1,0} all-gather(");
  holds(hlo, "replica_groups={{1,0}}, dimensions={0}");
  holds(hlo, "dynamic_slice_sizes={1,2}");
}

TEST(Translate, RootsThatDontFitAreRefused) {
  holds(error_of(broadcast("%x", "tensor<2xf32>")),
        "stablehlo.collective_broadcast: has_dynamic_root: wanted at least an operand");
  holds(error_of(broadcast("%r, %x", "tensor<1xi32>, tensor<2xf32>")), "got roots f32[2]; wanted s32[1]");
  holds(error_of(broadcast("%x, %x, %r", "tensor<2xf32>, tensor<2xf32>, tensor<1xi32>")),
        "got roots s32[1]; wanted s32[2]");
}

TEST(Translate, ASortsDimensionCountsFromTheEndOrIsTheLast) {
  for (const std::string_view dimension : {"", "{dimension = -1 : i64}", "{dimension = 1 : i64}"}) {
    const std::string hlo = hlo_of(fmt::format(
        "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{\n%0 = \"stablehlo.sort\"(%x) ({{\n"
        "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> "
        "tensor<i1>\nstablehlo.return %c : tensor<i1>\n}}) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "return %0 : tensor<2x3xf32>\n}}",
        dimension));
    holds(hlo, "sort(%parameter.0), dimensions={1}");
  }
}

TEST(Translate, AnAsyncStartRunsItsBodyWhereItStands) {
  const std::string hlo = hlo_of(
      R"(func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
        %0 = "stablehlo.async_start"(%x) ({
          %1 = stablehlo.slice %x [1:3] : (tensor<4xf32>) -> tensor<2xf32>
          stablehlo.return %1 : tensor<2xf32>
        }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
        %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
        return %2 : tensor<2xf32>
      })");
  holds(hlo, "slice={[1:3]}");
}

TEST(Translate, EqualBodiesAreOneComputation) {
  const auto reduce = [](int result, std::string_view body) {
    return fmt::format(
        "%{} = stablehlo.reduce(%x init: %0) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> "
        "tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) {{ {} }}\n",
        result, body);
  };
  const std::string text =
      "func.func @f(%x: tensor<4xf32>) -> tensor<f32> {\n%0 = stablehlo.constant dense<0.0> : tensor<f32>\n" +
      reduce(1, "%c = stablehlo.subtract %a, %b : tensor<f32> stablehlo.return %c : tensor<f32>") +
      reduce(2, "%d = stablehlo.subtract %a, %b : tensor<f32> stablehlo.return %d : tensor<f32>") +
      reduce(3, "%c = stablehlo.subtract %b, %a : tensor<f32> stablehlo.return %c : tensor<f32>") +
      reduce(4, "%c = stablehlo.constant dense<1.0> : tensor<f32> stablehlo.return %c : tensor<f32>") +
      reduce(5, "%c = stablehlo.constant dense<2.0> : tensor<f32> stablehlo.return %c : tensor<f32>") +
      "return %1 : tensor<f32>\n}";
  const StatusOr<hlo::Module> module = program(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  std::vector<hlo::ComputationPtr> bodies;
  for (const hlo::Instruction& instruction : module->entry->instructions()) {
    for (const hlo::ComputationPtr& body : hlo::called_computations(instruction)) bodies.push_back(body);
  }
  ASSERT_EQ(bodies.size(), 5);
  EXPECT_EQ(bodies[0], bodies[1]);
  for (size_t i = 1; i < 5; ++i) {
    for (size_t k = i + 1; k < 5; ++k) EXPECT_FALSE(bodies[i]->fingerprint() == bodies[k]->fingerprint()) << i << k;
  }
}

TEST(Translate, CustomCallsCarryTargetConfigAndAliases) {
  const std::string hlo = hlo_of(
      R"(func.func @f(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
        %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {api_version = 4 : i32, mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
        return %0#0 : tensor<3x3xf32>
      })");
  holds(hlo, "custom_call_target=\"lapack_spotrf_ffi\"");
  holds(hlo, "api_version=API_VERSION_TYPED_FFI");
  holds(hlo, "output_to_operand_aliasing={{0}: (0, {})}");
  holds(hlo, "operand_layout_constraints={f32[3,3]{0,1}}");
  holds(hlo, "backend_config={uplo = 76 : ui8}");
}

TEST(Translate, ShardingsAreKeptAsFrontendAttributes) {
  const std::string hlo = hlo_of(
      R"(module @m {
        sdy.mesh @mesh = <["x"=2]>
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
      })");
  holds(hlo, R"(frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}]>"})");
}

TEST(Translate, CompositesOfChloThatHloHasAreThatOp) {
  const std::string hlo = hlo_of(
      R"(func.func private @impl(%x: tensor<2xf32>) -> tensor<2xf32> {
        return %x : tensor<2xf32>
      }
      func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
        %0 = stablehlo.composite "chlo.erf" %x {decomposition = @impl, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
        %1 = stablehlo.composite "mine.op" %0 {composite_attributes = {k = 2 : i64}, decomposition = @impl} : (tensor<2xf32>) -> tensor<2xf32>
        return %0, %1 : tensor<2xf32>, tensor<2xf32>
      })");
  holds(hlo, " erf(");
  holds(
      hlo,
      R"(is_composite=true, frontend_attributes={composite.attributes={k = 2 : i64},composite.name="mine.op",composite.version="0"})");
}

/// The program with this body, specialized to arguments of these shapes.
std::string for_shapes(std::string_view body, std::vector<Shape> arguments) {
  const StatusOr<hlo::Module> module = program(body, {.arguments = std::move(arguments)});
  return module.ok() ? hlo::print_module(*module) : module.status().to_string();
}
Shape f32(std::vector<int64_t> sizes) { return Shape::array(ElementType::kF32, sizes); }

constexpr std::string_view kSizedCall = R"(func.func @f(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %r = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<COLUMNS> : tensor<1xi32>
  %s = stablehlo.concatenate %r, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0:2 = stablehlo.custom_call @foo(%x, %s, %r) {indices_of_shape_operands = dense<[INDICES]> : tensor<2xi64>,
    operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>],
    result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]}
    : (tensor<?x3xf32>, tensor<2xi32>, tensor<1xi32>) -> (tensor<?x3xf32>, tensor<?xi32>)
  return %0#0 : tensor<?x3xf32>
})";

std::string sized_call(std::string_view columns, std::string_view indices) {
  std::string text(kSizedCall);
  text.replace(text.find("COLUMNS"), 7, columns);
  text.replace(text.find("INDICES"), 7, indices);
  return for_shapes(text, {f32({7, 3})});
}

TEST(Translate, TheLastOperandsOfACustomCallMayBeTheSizesOfItsResults) {
  const std::string hlo = sized_call("3", "1, 2");
  holds(hlo, "(f32[7,3]{1,0}, s32[7]{0}) custom-call(");
  holds(hlo, "custom_call_target=\"foo\", operand_layout_constraints={f32[7,3]{1,0}}");
  holds(sized_call("4", "1, 2"),
        "INVALID_ARGUMENT: t.mlir:6:10: stablehlo.custom_call: the sizes are [7,4], but the type is");
  holds(sized_call("3", "0, 2"), "shape operand 0; wanted the last operands, 1 to 2, in order");
}

TEST(Translate, SizesDontFollowFromOperandsThatDiffer) {
  holds(for_shapes("func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n  %p = stablehlo.constant "
                   "dense<true> : tensor<i1>\n  %0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<?xf32>\n  return "
                   "%0 : tensor<?xf32>\n}",
                   {f32({2}), f32({3})}),
        "stablehlo.select: operands f32[2] and f32[3] differ in size");
}

TEST(Translate, OpenSizesFollowFromBroadcastsAndFromDraws) {
  const auto spread = [](std::vector<Shape> arguments) {
    return for_shapes(
        "func.func @f(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {\n  %0 = chlo.broadcast_add %x, %y : "
        "(tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>\n  return %0 : tensor<?x?xf32>\n}",
        std::move(arguments));
  };
  holds(spread({f32({2, 1}), f32({7})}), "f32[2,7]{1,0} add(");
  holds(spread({f32({2, 3}), f32({7})}), "chlo.broadcast_add: dimension 1 is 3 and 7");
  holds(for_shapes(R"(func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.rng %z, %z, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
})",
                   {f32({7})}),
        "f32[7]{0} rng(");
}

TEST(Translate, ARegionMayUseASizeFromOutside) {
  holds(for_shapes(R"(func.func @f(%x: tensor<?xi32>) -> tensor<i32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
    ^a(%p: tensor<i32>, %q: tensor<i32>):
      %1 = stablehlo.add %p, %q : tensor<i32>
      %2 = stablehlo.minimum %1, %n : tensor<i32>
      stablehlo.return %2 : tensor<i32>
  }) : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
})",
                   {Shape::array(ElementType::kS32, {7})}),
        "s32[] constant(7)");
}

TEST(Translate, TheEntryIsMainOrTheNamedOrTheOnlyPublicFunction) {
  constexpr std::string_view kTwo =
      "func.func @g() -> tensor<i32> {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  return %0 : "
      "tensor<i32>\n}\n"
      "func.func @h() -> tensor<i32> {\n  %0 = stablehlo.constant dense<2> : tensor<i32>\n  return %0 : tensor<i32>\n}";
  holds(error_of(kTwo), "the module has 2 functions but no @main");
  holds(error_of(kTwo, "gg"), "NOT_FOUND: function @gg doesn't exist; the module has g, h");
  const StatusOr<hlo::Module> named = program(kTwo, {.function = "h"});
  ASSERT_TRUE(named.ok()) << named.status().to_string();
  EXPECT_EQ(hlo::evaluate(*named, {})->to_string(), "s32[] 2");
}

TEST(Translate, AProcessByItselfHasAnEntry) {
  constexpr std::string_view kProcess = R"(module {
    func.func @p(%x: tensor<i64>) -> tensor<i64> { return %x : tensor<i64> }
    func.func @main(%x: tensor<i64>) -> tensor<i64> {
      %0 = "interpreter.run_parallel"(%x) {programs = [[@p]]} : (tensor<i64>) -> tensor<i64>
      return %0 : tensor<i64>
    } })";
  const StatusOr<hlo::Module> process = program(kProcess, {.function = "p"});
  ASSERT_TRUE(process.ok()) << process.status().to_string();
  EXPECT_NE(process->entry, nullptr);
}

TEST(Translate, WhatHloCantSayIsRefusedByName) {
  holds(error_of("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}"),
        "UNIMPLEMENTED: func.func: argument 0: type tensor<?xf32> has an unknown dimension");
  holds(error_of("func.func @f(%x: tensor<2x!quant.any<i8:f32>>) {\n  return\n}"),
        "type tensor<2x!quant.any<i8:f32>> has no counterpart in HLO");
  holds(error_of("func.func @f(%x: tensor<f32>) {\n  %0 = stablehlo.convert %x : (tensor<f32>) -> tensor<f6E2M3FN>\n"
                 "  return\n}"),
        "UNIMPLEMENTED: stablehlo.convert: tensor<f6E2M3FN>: HLO has no floats of 6 bits, so nothing can be computed");
  holds(error_of("func.func @f(%x: tensor<f32>) -> tensor<f32> {\n  %0 = \"a.b\"(%x) : (tensor<f32>) -> tensor<f32>\n"
                 "  return %0 : tensor<f32>\n}"),
        "UNIMPLEMENTED: a.b: this operation is not supported");
  holds(error_of("func.func @f(%x: tensor<f32>) {\n  check.expect_eq %x, %x : tensor<f32>\n  return\n}"),
        "Hint: hilo check runs them");
}

TEST(Translate, ProgramsThatBreakTheirOpsRulesAreErrorsOfThatOp) {
  holds(error_of("func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {\n"
                 "  %0 = stablehlo.add %x, %y : tensor<2xf32> loc(\"f.py\":4:1)\n  return %0 : tensor<2xf32>\n}"),
        "INVALID_ARGUMENT: stablehlo.add (f.py:4): ");
  holds(error_of("func.func @f(%x: tensor<f32>) -> tensor<f32> {\n"
                 "  %0 = call @f(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}"),
        "FAILED_PRECONDITION: function @f calls itself");
  holds(error_of("func.func @f(%x: tensor<f32>) -> tensor<f32> {\n"
                 "  %0 = call @g(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}"),
        "NOT_FOUND: function @g doesn't exist");
}

TEST(Translate, AChainOfCallsNeedsNoRecursion) {
  std::string text = "func.func @f0(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n";
  constexpr int kFunctions = 20000;
  for (int i = 1; i <= kFunctions; ++i) {
    text += fmt::format(
        "func.func private @f{}(%x: tensor<f32>) -> tensor<f32> {{\n  %0 = call @f{}(%x) : (tensor<f32>) -> "
        "tensor<f32>\n"
        "  return %0 : tensor<f32>\n}}\n",
        i, i - 1);
  }
  const StatusOr<hlo::Module> module = program(text, {.function = fmt::format("f{}", kFunctions)});
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_EQ(hlo::computations_of(*module).size(), static_cast<size_t>(kFunctions + 1));
}

TEST(Translate, ChecksOfProbesCompareWithWhatTheProbeSaw) {
  std::vector<Check> checks;
  const StatusOr<hlo::Module> module = program(
      "func.func @main() {\n  %0 = stablehlo.constant dense<7> : tensor<i32>\n"
      "  %1 = interpreter.probe %0, probe_id = \"p\" : tensor<i32>\n  %2 = stablehlo.add %1, %1 : tensor<i32>\n"
      "  check.expect_serialized_eq %2, probe_id = \"p\", iter = 0 : tensor<i32>\n  return\n}",
      {.function = {}, .checks = &checks});
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_EQ(hlo::evaluate(*module, {})->to_string(), "(s32[] 14, s32[] 7)");
}

TEST(Translate, ChecksBecomeResults) {
  std::vector<Check> checks;
  const StatusOr<hlo::Module> module = program(
      "func.func @main() {\n  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
      "  check.expect_almost_eq_const %0, dense<3.0> : tensor<2xf32> {tolerance = 0.5 : f32}\n  return\n}",
      {.function = {}, .checks = &checks});
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].kind, CheckKind::kAlmostEqual);
  EXPECT_EQ(checks[0].tolerance, 0.5);
  EXPECT_EQ(hlo::evaluate(*module, {})->to_string(), "(f32[2] {1, 2}, f32[2] {3, 3})");
}

constexpr std::string_view kManual =
    R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
      sdy.mesh @mesh = <["x"=2]>
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xf32>) {
          %1 = stablehlo.negate %a : tensor<2xf32>
          sdy.return %1 : tensor<2xf32>
        } : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    })";

std::string changed(std::string_view text, std::string_view from, std::string_view to) {
  std::string copy(text);
  const size_t at = copy.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return copy.replace(at, from.size(), to);
}

TEST(Translate, AManualComputationCutsByReplicaAndJoins) {
  const std::string hlo = hlo_of(kManual);
  holds(hlo, "replica_count=2");
  holds(hlo, "replica-id()");
  holds(hlo, "dynamic_slice_sizes={2}");
  holds(hlo, "all-gather(");
  holds(hlo, "replica_groups={{0,1}}");
}

TEST(Translate, ProgramsThatOnlyAnnotateRunWhole) {
  const std::string hlo = hlo_of(
      R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
        sdy.mesh @mesh = <["x"=2]>
        func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
          %0 = stablehlo.negate %x : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
      })");
  EXPECT_EQ(hlo.find("replica_count"), std::string::npos) << hlo;
}

TEST(Translate, ManualComputationsThatDontFitTheirShardingsAreRefused) {
  holds(error_of(changed(kManual, "[{\"x\"}]>] manual", "[{}]>] manual")),
        "f32[2] on each device doesn't match the whole array f32[4] and its sharding");
  holds(error_of(changed(kManual, "[<@mesh, [{\"x\"}]>] out", "[] out")), "in_shardings has 0 entries; wanted 1");
  holds(error_of(changed(kManual, "num_partitions = 2", "num_partitions = 3")),
        "UNIMPLEMENTED: a manual computation is for 2 devices, the program for 1 replicas of 3 partitions");
  holds(error_of(changed(kManual, "@mesh = ", "@other = ")), "NOT_FOUND: mesh @mesh doesn't exist");
}

constexpr std::string_view kByHand =
    R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
        %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
        %2 = stablehlo.negate %1 : tensor<2xf32>
        %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<2xf32>) -> tensor<2xf32>
        %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xf32>) -> tensor<4xf32>
        return %4 : tensor<4xf32>
      }
    })";

TEST(Translate, CallsOfGspmdAreAManualComputationToo) {
  const std::string hlo = hlo_of(kByHand);
  holds(hlo, "replica_count=2");
  holds(hlo, "dynamic_slice_sizes={2}");
  holds(hlo, "all-gather(");
  holds(hlo, R"(xla.sdy.sharding="#sdy.sharding<mesh<[\"_0\"=2]>, [{\"_0\"}]>")");
}

TEST(Translate, ANoteOfGspmdStatesAShardingAndOpensDimensions) {
  const std::string hlo = hlo_of(
      R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
        func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
          %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
          return %0 : tensor<4x2xf32>
        }
      })");
  holds(hlo, R"([{\"_0\"}, {?}])");
  EXPECT_EQ(hlo.find("replica_count"), std::string::npos) << hlo;
}

TEST(Translate, CallsOfGspmdThatDontSayWhoHasWhatAreRefused) {
  holds(error_of(changed(kByHand, "@Sharding(%x) {mhlo.sharding = \"{devices=[2]<=[2]}\"}", "@Sharding(%x)")),
        "UNIMPLEMENTED: stablehlo.custom_call: the operand must be a result of @Sharding, which specifies the parts");
  holds(error_of(changed(kByHand, "devices=[2]<=[2]", "replicated")),
        "f32[2] on each device doesn't match the whole array f32[4] and its sharding");
  holds(error_of(changed(kByHand, "devices=[2]<=[2]", "devices=[3]<=[3]")), "a sharding over 3 of 2 devices");
}

TEST(Translate, QueuesAreThereInTheBodiesOfProcessesOnly) {
  holds(error_of("func.func @f(%t: !stablehlo.token) -> !stablehlo.token {\n"
                 "  %0:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)\n"
                 "  return %0#1 : !stablehlo.token\n}"),
        "UNIMPLEMENTED: stablehlo.infeed: outside of a process's body of interpreter.run_parallel");
}

}  // namespace
}  // namespace hilo::stablehlo
