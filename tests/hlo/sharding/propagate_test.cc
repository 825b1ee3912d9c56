// SPDX-License-Identifier: Apache-2.0
// JAX programs and the shardings that XLA infers: tests/golden/record_shardings.py.
#include "hilo/hlo/sharding/propagate.h"

#include <gtest/gtest.h>

#include "hilo/stablehlo/devices/propagation.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "tests/support/recorded_shardings.h"

namespace hilo::hlo {
namespace {

std::string text_of(const std::vector<Sharding>& shardings) {
  std::string text;
  for (const Sharding& sharding : shardings) {
    text += text.empty() ? "[" : " [";
    for (const DimensionSharding& dimension : sharding.dimensions) {
      text += "{";
      for (const AxisReference& axis : dimension.axes) text += (text.back() == '{' ? "" : ",") + axis.name;
      text += "}";
    }
    text += "]";
  }
  return text;
}

StatusOr<PropagatedShardings> propagated(const std::string& code, bool free_parameters = false) {
  HILO_ASSIGN_OR_RETURN(const stablehlo::ModuleTree tree, stablehlo::read_tree(code, "program"));
  HILO_ASSIGN_OR_RETURN(const Module module, stablehlo::translate(tree));
  stablehlo::EntryValues parameters, results;
  for (const InstructionId id : module.entry->parameters())
    parameters.shapes.push_back(module.entry->instruction(id).shape);
  const Shape& result = module.entry->result_shape();
  results.shapes = result.is_tuple()
                       ? std::vector<Shape>(result.tuple_elements().begin(), result.tuple_elements().end())
                       : std::vector<Shape>{result};
  parameters.free.assign(parameters.shapes.size(), free_parameters);
  results.free.assign(results.shapes.size(), true);
  HILO_ASSIGN_OR_RETURN(const PropagationRequest request,
                        stablehlo::propagation_request(tree, std::move(parameters), std::move(results)));
  return propagate_shardings(module, request);
}

TEST(Propagate, ResultsAreShardedAsXlaShardsThem) {
  const std::vector<tests::RecordedSharding> programs = tests::recorded_shardings();
  ASSERT_GE(programs.size(), 120u);
  for (const tests::RecordedSharding& program : programs) {
    const StatusOr<PropagatedShardings> made = propagated(program.code);
    ASSERT_TRUE(made.ok()) << program.name << ": " << made.status().to_string();
    EXPECT_EQ(text_of(made->results), program.wanted) << program.name;
  }
}

/// A program over x=2, y=4 with one f32[8,16] argument and one result of the same shape.
std::string with_body(const std::string& argument, const std::string& result, const std::string& body) {
  const auto attribute = [](const std::string& sharding) {
    return sharding.empty() ? "" : " {sdy.sharding = #sdy.sharding<" + sharding + ">}";
  };
  return "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\nsdy.mesh @other = <[\"a\"=8]>\nfunc.func @main(%v: tensor<8x16xf32>" +
         attribute(argument) + ") -> (tensor<8x16xf32>" + attribute(result) + ") {\n" + body + "}\n";
}

std::string result_of(const std::string& code) {
  const StatusOr<PropagatedShardings> made = propagated(code, true);
  return made.ok() ? text_of(made->parameters) + " -> " + text_of(made->results) : made.status().to_string();
}

constexpr char kNegate[] = "%r = stablehlo.negate %v : tensor<8x16xf32>\nreturn %r : tensor<8x16xf32>\n";

TEST(Propagate, ParametersThatAreFreeFollowResults) {
  EXPECT_EQ(result_of(with_body("", R"(@mesh, [{"x"}, {"y"}])", kNegate)), "[{x}{y}] -> [{x}{y}]");
  EXPECT_EQ(result_of(with_body("", "", kNegate)), "[{}{}] -> [{}{}]");
}

TEST(Propagate, ClosedDimensionsKeepWhatTheyHaveAndOpenOnesGrow) {
  EXPECT_EQ(result_of(with_body(R"(@mesh, [{"x"}, {}])", R"(@mesh, [{}, {"y", ?}])", kNegate)), "[{x}{}] -> [{}{y}]");
  EXPECT_EQ(result_of(with_body(R"(@mesh, [{"x", ?}, {?}])", R"(@mesh, [{"x", "y"}, {}])", kNegate)),
            "[{x,y}{}] -> [{x,y}{}]");
}

TEST(Propagate, ReplicatedAxesAreTakenByNoDimension) {
  EXPECT_EQ(result_of(with_body(R"(@mesh, [{"x"}, {"y"}])", R"(@mesh, [{?}, {?}], replicated={"y"})", kNegate)),
            "[{x}{y}] -> [{x}{}]");
}

TEST(Propagate, SmallPrioritiesGoFirst) {
  const std::string add = "%r = stablehlo.add %v, %w : tensor<8x16xf32>\nreturn %r : tensor<8x16xf32>\n";
  const auto program = [&](const std::string& left, const std::string& right) {
    return "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\nfunc.func @main(%v: tensor<8x16xf32> {sdy.sharding = "
           "#sdy.sharding<@mesh, " +
           left + ">}, %w: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, " + right +
           ">}) -> tensor<8x16xf32> {\n" + add + "}\n";
  };
  EXPECT_EQ(result_of(program(R"([{"x"}p1, {}])", R"([{}, {"x"}])")), "[{x}{}] [{}{x}] -> [{}{x}]");
  EXPECT_EQ(result_of(program(R"([{"x"}, {}])", R"([{}, {"x"}p2])")), "[{x}{}] [{}{x}] -> [{x}{}]");
}

TEST(Propagate, PartsOfAxesLeaveNoProgram) {
  EXPECT_EQ(result_of(with_body(R"(@mesh, [{"y":(1)2}, {}])", "", kNegate)), "[{}{}] -> [{}{}]");
}

TEST(Propagate, OtherMeshesAreSaidInTheFirstOrStayOut) {
  EXPECT_EQ(result_of(with_body(R"(@mesh, [{"x"}, {}])", R"(@other, [{"a"}, {}])", kNegate)), "[{x}{}] -> [{x,y}{}]");
  EXPECT_EQ(result_of(with_body(R"(@mesh, [{"x"}, {}])", R"(mesh<["b"=3]>, [{"b"}, {}])", kNegate)),
            "[{x}{}] -> [{}{}]");
}

TEST(Propagate, ShardingsThatCantBeAreRefused) {
  EXPECT_NE(result_of(with_body(R"(@mesh, [{"x"}])", "", kNegate)).find("a sharding of 1 dimensions on f32[8,16]"),
            std::string::npos);
  EXPECT_NE(result_of(with_body(R"(@mesh, [{"z"}, {}])", "", kNegate)).find("the mesh has no axis"), std::string::npos);
}

TEST(Propagate, GroupsAreSharedAlike) {
  const std::string group = R"(%z = stablehlo.constant dense<1.0> : tensor<8x16xf32>
    %w = stablehlo.dot_general %v, %z, contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
    %t = stablehlo.iota dim = 0 : tensor<8x16xf32>
    %r = stablehlo.reverse %t, dims = [0, 1] : tensor<8x16xf32>
    sdy.sharding_group %r group_id = 7 : tensor<8x16xf32>
    sdy.sharding_group %w group_id = 7 : tensor<8x8xf32>
    )";
  const std::string end = "return %r : tensor<8x16xf32>\n",
                    tie = "sdy.sharding_group %v group_id = 7 : tensor<8x16xf32>\n";
  EXPECT_EQ(result_of(with_body(R"(@mesh, [{"x"}, {"y"}])", "", group + end)), "[{x}{y}] -> [{}{}]");
  EXPECT_EQ(result_of(with_body(R"(@mesh, [{"x"}, {"y"}])", "", group + tie + end)), "[{x}{y}] -> [{x}{y}]");
}

TEST(Propagate, CustomCallsFollowRulesOfTheirOwn) {
  const auto program = [](const std::string& rule) {
    return with_body(R"(@mesh, [{"x"}, {"y"}])", "",
                     "%r = stablehlo.custom_call @own(%v) {sdy.sharding_rule = #sdy.op_sharding_rule<" + rule +
                         ">} : (tensor<8x16xf32>) -> tensor<8x16xf32>\nreturn %r : tensor<8x16xf32>\n");
  };
  EXPECT_EQ(result_of(program("([i, j])->([i, j]) {i=8, j=16}, custom")), "[{x}{y}] -> [{x}{y}]");
  EXPECT_EQ(result_of(program("([i, j])->([i, k]) {i=8, j=16, k=16} reduction={j}, custom")), "[{x}{y}] -> [{x}{}]");
  EXPECT_EQ(result_of(program("([i, j])->([{}, j]) {i=8, j=16} blocked_propagation={j}, custom")),
            "[{x}{y}] -> [{}{}]");
  EXPECT_NE(result_of(program("([i, j])->([i]) {i=8, j=16}")).find("doesn't match"), std::string::npos);
}

/// Nested calls: the number of expanded calls is bounded, and the others are replicated.
TEST(Propagate, ChainsOfCallsEnd) {
  std::string code =
      "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\nfunc.func @main(%v: tensor<8x16xf32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> tensor<8x16xf32> {\n%r = call @f0(%v) : (tensor<8x16xf32>) -> "
      "tensor<8x16xf32>\nreturn %r : tensor<8x16xf32>\n}\n";
  constexpr int kDepth = 40;  // 2^40 calls if all were expanded
  for (int i = 0; i < kDepth; ++i) {
    const std::string name = "f" + std::to_string(i), next = "@f" + std::to_string(i + 1);
    code += "func.func private @" + name + "(%v: tensor<8x16xf32>) -> tensor<8x16xf32> {\n%a = call " + next +
            "(%v) : (tensor<8x16xf32>) -> tensor<8x16xf32>\n%b = call " + next +
            "(%a) : (tensor<8x16xf32>) -> tensor<8x16xf32>\nreturn %b : tensor<8x16xf32>\n}\n";
  }
  code += "func.func private @f" + std::to_string(kDepth) + "(%v: tensor<8x16xf32>) -> tensor<8x16xf32> {\n" + kNegate +
          "}\n";
  EXPECT_EQ(result_of(code), "[{x}{}] -> [{}{}]");
}

}  // namespace
}  // namespace hilo::hlo
