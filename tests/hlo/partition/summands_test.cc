// SPDX-License-Identifier: Apache-2.0
// Unreduced sums: each device has the same summand as in XLA, and no collective is unnecessary.
#include "hilo/hlo/partition/summands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "hilo/hlo/ops/collective.h"
#include "tests/support/clients.h"
#include "tests/support/partitioned.h"
#include "tests/support/recorded_shardings.h"

namespace hilo::hlo {
namespace {

using Floats = std::vector<float>;
using ByDevice = std::vector<Floats>;

StatusOr<PartitionedProgram> partitioned(const std::string& code) {
  HILO_ASSIGN_OR_RETURN(const auto program, tests::read_annotated(code));
  return partition(program->module, program->request);
}

/// A program on a mesh x=2 or x=2, y=2.
std::string program(const std::string& arguments, const std::string& results, const std::string& body,
                    bool has_y = false) {
  return "module @m attributes {mhlo.num_partitions = " + std::string(has_y ? "4" : "2") +
         " : i32} {\n sdy.mesh @mesh = <[\"x\"=2" + (has_y ? ", \"y\"=2" : "") + "]>\n func.func @main(" + arguments +
         ") -> (" + results + ") {\n" + body + "\n }\n}";
}
std::string laid(const std::string& type, const std::string& sharding) {
  return "tensor<" + type + "> {sdy.sharding = #sdy.sharding<@mesh, " + sharding + ">}";
}

/// The first result on each device. Arguments are lists of numbers, by device.
ByDevice results(const PartitionedProgram& program, const std::vector<ByDevice>& arguments) {
  const std::vector<Shape> shapes = program.module.entry->parameter_shapes();
  tests::OfReplicas lists(arguments[0].size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (size_t device = 0; device < lists.size(); ++device) {
      Literal literal(shapes[i]);
      EXPECT_EQ(static_cast<size_t>(shapes[i].element_count()), arguments[i][device].size());
      std::ranges::copy(arguments[i][device], literal.data<float>().begin());
      lists[device].push_back(std::move(literal));
    }
  }
  ByDevice got;
  for (const std::vector<Literal>& of_device : tests::run_on_replicas(*tests::cpu_client(), program.module, lists)) {
    const auto values = of_device[0].data<float>();
    got.emplace_back(values.begin(), values.end());
  }
  return got;
}

/// The collectives of a program whose results must equal the expected ones. There is one argument per device.
std::vector<Transfer> expect(const std::string& code, const std::vector<ByDevice>& arguments, const ByDevice& wanted) {
  const auto made = partitioned(code);
  EXPECT_TRUE(made.ok()) << made.status().to_string();
  if (!made.ok()) return {};
  EXPECT_EQ(results(*made, arguments), wanted);
  size_t meetings = 0;
  for (const ComputationPtr& computation : computations_of(made->module))
    meetings += static_cast<size_t>(std::ranges::count_if(
        computation->instructions(), [](const Instruction& i) { return is_collective(i.opcode); }));
  EXPECT_EQ(meetings, made->report.transfers.size()) << "no others are left over";
  return made->report.transfers;
}

std::string sum_of(const std::string& dimensions, const std::string& axes = "\"x\"") {
  return "[" + dimensions + "], unreduced={" + axes + "}";
}

TEST(Summands, OfAProductAreTheDevicesOwnProducts) {
  const std::string dot =
      R"(%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>)";
  const auto moved =
      expect(program("%a: " + laid("2x2xf32", R"([{}, {"x"}])") + ", %b: " + laid("2x2xf32", R"([{"x"}, {}])"),
                     laid("2x2xf32", sum_of("{}, {}")), dot),
             {{{0, 2}, {1, 3}}, {{0, 1}, {2, 3}}}, {{0, 0, 0, 2}, {2, 3, 6, 9}});
  EXPECT_TRUE(moved.empty());
}

TEST(Summands, OfASharedArrayAreItsPartsAmongZeros) {
  const auto moved =
      expect(program("%a: " + laid("4xf32", R"([{"x"}])"), laid("4xf32", sum_of("{}")), "return %a : tensor<4xf32>"),
             {{{1, 2}, {3, 4}}}, {{1, 2, 0, 0}, {0, 0, 3, 4}});
  EXPECT_TRUE(moved.empty());
}

TEST(Summands, OfAnArrayThatAllHaveTheFirstHasAll) {
  expect(program("%a: " + laid("2xf32", "[{}]"), laid("2xf32", sum_of("{}")), "return %a : tensor<2xf32>"),
         {{{1, 2}, {1, 2}}}, {{1, 2}, {0, 0}});
  expect(
      program("%a: " + laid("2xf32", "[{}]"), laid("2xf32", sum_of("{}", "\"y\"")), "return %a : tensor<2xf32>", true),
      {ByDevice(4, {1, 2})}, {{1, 2}, {0, 0}, {1, 2}, {0, 0}});
}

TEST(Summands, OfSumsAndDifferencesAndWhatMovesElementsAreThoseOfTheirOperands) {
  const std::string body = R"(
    %0 = stablehlo.add %a, %a : tensor<2x1xf32>
    %1 = stablehlo.negate %0 : tensor<2x1xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x1xf32>) -> tensor<1x2xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x2xf32>) -> tensor<2xf32>
    %4 = stablehlo.subtract %3, %b : tensor<2xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
    return %5 : tensor<2x2xf32>)";
  const auto moved =
      expect(program("%a: " + laid("2x1xf32", sum_of("{}, {}")) + ", %b: " + laid("2xf32", "[{}]"),
                     laid("2x2xf32", sum_of("{}, {}")), body),
             {{{1, 2}, {10, 20}}, {{100, 200}, {100, 200}}}, {{-102, -204, -102, -204}, {-20, -40, -20, -40}});
  EXPECT_TRUE(moved.empty());
}

TEST(Summands, OfSlicesAndUpdatesAndConcatenationsAreThoseOfTheirOperands) {
  const std::string body = R"(
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.dynamic_update_slice %a, %b, %one : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
    %1 = stablehlo.dynamic_slice %0, %one, sizes = [3] : (tensor<4xf32>, tensor<i32>) -> tensor<3xf32>
    %2 = stablehlo.slice %1 [1:3] : (tensor<3xf32>) -> tensor<2xf32>
    %3 = stablehlo.concatenate %2, %b, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>)";
  const auto moved = expect(program("%a: " + laid("4xf32", sum_of("{}")) + ", %b: " + laid("2xf32", sum_of("{}")),
                                    laid("4xf32", sum_of("{}")), body),
                            {{{1, 2, 3, 4}, {10, 20, 30, 40}}, {{5, 6}, {50, 60}}}, {{6, 4, 5, 6}, {60, 40, 50, 60}});
  EXPECT_TRUE(moved.empty());
}

TEST(Summands, OfWiderNumbersAreThoseOfTheNarrow) {
  const auto code = [](const char* from, const char* to) {
    const std::string narrow = std::string("tensor<2x") + from + ">", wide = std::string("tensor<2x") + to + ">";
    return program("%a: " + laid(std::string("2x") + from, sum_of("{}")), laid(std::string("2x") + to, sum_of("{}")),
                   "%0 = stablehlo.convert %a : (" + narrow + ") -> " + wide + "\n return %0 : " + wide);
  };
  const auto moved = [&](const char* from, const char* to) {
    return partitioned(code(from, to))->report.transfers.size();
  };
  EXPECT_EQ(moved("bf16", "f32"), 0u);
  EXPECT_EQ(moved("f32", "f64"), 0u);
  EXPECT_EQ(moved("f32", "bf16"), 1u) << "rounding isn't linear";
  EXPECT_EQ(moved("i8", "i32"), 1u) << "a sum of narrow ones wraps";
}

/// The product of a sum is not distributed: infinity times a zero summand would be NaN.
TEST(Summands, OfOtherOpsTheFirstHasAll) {
  const std::string body = "%0 = stablehlo.multiply %a, %b : tensor<2xf32>\n return %0 : tensor<2xf32>";
  const float infinity = std::numeric_limits<float>::infinity();
  const auto moved = expect(program("%a: " + laid("2xf32", sum_of("{}")) + ", %b: " + laid("2xf32", "[{}]"),
                                    laid("2xf32", sum_of("{}")), body),
                            {{{1, 2}, {0, 20}}, {{infinity, 2}, {infinity, 2}}}, {{infinity, 44}, {0, 0}});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].opcode, Opcode::kAllReduce);
  EXPECT_EQ(moved[0].reason, "an unreduced argument");
}

TEST(Summands, OverSomeAxesAreSumsOverTheOthers) {
  const std::string body = R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>)";
  const std::string code =
      program("%a: " + laid("4xf32", R"([{"x", "y"}])"), laid("f32", R"([], unreduced={"x"})"), body, true);
  const auto moved = expect(code, {{{1}, {10}, {100}, {1000}}}, {{11}, {11}, {1100}, {1100}});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].members, 2);
  const std::string both =
      program("%a: " + laid("4xf32", R"([{"x", "y"}])"), laid("f32", R"([], unreduced={"x", "y"})"), body, true);
  EXPECT_TRUE(expect(both, {{{1}, {10}, {100}, {1000}}}, {{1}, {10}, {100}, {1000}}).empty());
}

TEST(Summands, AreFinishedWhereTheyArentWanted) {
  const auto moved =
      expect(program("%a: " + laid("2xf32", sum_of("{}")), laid("2xf32", "[{}]"), "return %a : tensor<2xf32>"),
             {{{1, 2}, {10, 20}}}, {{11, 22}, {11, 22}});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].opcode, Opcode::kAllReduce);
}

TEST(Summands, OfComputationsByHandAreWhatDevicesGive) {
  const std::string body =
      R"(%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}], unreduced={"x"}>] out_shardings=[<@mesh, [{}], unreduced={"x"}>] manual_axes={"x"} (%p: tensor<2xf32>) {
      %1 = stablehlo.multiply %p, %p : tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>)";
  EXPECT_TRUE(expect(program("%a: " + laid("2xf32", sum_of("{}")), laid("2xf32", sum_of("{}")), body),
                     {{{1, 2}, {3, 4}}}, {{1, 4}, {9, 16}})
                  .empty());
  const auto moved = expect(program("%a: " + laid("2xf32", sum_of("{}")), laid("2xf32", "[{}]"), body),
                            {{{1, 2}, {3, 4}}}, {{10, 20}, {10, 20}});
  EXPECT_EQ(moved.size(), 1u);
  // A replicated value is the summand of the first device.
  expect(program("%a: " + laid("2xf32", "[{}]"), laid("2xf32", sum_of("{}")), body), {{{3, 4}, {3, 4}}},
         {{9, 16}, {0, 0}});
}

/// Each step adds the device's summand. One collective follows the loop, or none.
TEST(Summands, AreCarriedByLoopsAndAddedUpAtTheEnd) {
  const std::string body = R"(%zero = stablehlo.constant dense<0.0> : tensor<f32>
    %first = sdy.sharding_constraint %zero <@mesh, [], unreduced={"x"}> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %r:2 = stablehlo.while(%i = %none, %sum = %first) : tensor<i32>, tensor<f32>
      cond {
        %less = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      } do {
        %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        %more = stablehlo.add %sum, %s : tensor<f32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %more : tensor<i32>, tensor<f32>
      }
    return %r#1 : tensor<f32>)";
  const std::string argument = "%a: " + laid("4xf32", R"([{"x"}])");
  const auto moved = expect(program(argument, laid("f32", "[]"), body), {{{1, 2}, {10, 20}}}, {{99}, {99}});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].times, 1);
  EXPECT_EQ(moved[0].reason, "the unreduced result of a loop");
  EXPECT_TRUE(expect(program(argument, laid("f32", R"([], unreduced={"x"})"), body), {{{1, 2}, {10, 20}}}, {{9}, {90}})
                  .empty());
}

/// A step that isn't linear in its carry would need an all-reduce per iteration, so the sum is reduced before the loop.
TEST(Summands, ThatAStepMultipliesAreFinishedBefore) {
  const std::string body = R"(%first = sdy.sharding_constraint %a <@mesh, [], unreduced={"x"}> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %r:2 = stablehlo.while(%i = %none, %x = %first) : tensor<i32>, tensor<f32>
      cond {
        %less = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      } do {
        %more = stablehlo.multiply %x, %x : tensor<f32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %more : tensor<i32>, tensor<f32>
      }
    return %r#1 : tensor<f32>)";
  EXPECT_TRUE(
      expect(program("%a: " + laid("f32", "[]"), laid("f32", "[]"), body), {{{2}, {2}}}, {{256}, {256}}).empty());
}

std::string maximum_of(const std::string& dimensions, const std::string& axes = "\"x\"") {
  return "[" + dimensions + "], unreduced=max{" + axes + "}";
}

/// A maximum over the devices' rows, then `rest`, which defines %r.
std::string maximum(const std::string& rest) {
  return R"(%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %m = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    )" + rest +
         "\n    return %r : tensor<2xf32>";
}

TEST(PartialMaxima, AreThoseOfTheDevicesOwnParts) {
  const std::string rows = "%a: " + laid("4x2xf32", R"([{"x"}, {}])");
  const std::vector<ByDevice> a = {{{1, -2, 3, -4}, {-5, 6, -7, -8}}};
  const auto stays = [&](const std::string& rest) {
    return program(rows, laid("2xf32", maximum_of("{}")), maximum(rest));
  };
  const std::string same = "%r = stablehlo.reshape %m : (tensor<2xf32>) -> tensor<2xf32>";
  EXPECT_TRUE(expect(stays(same), a, {{3, -2}, {-5, 6}}).empty());
  // The maximum with a value that all devices have, and the elements in another order
  EXPECT_TRUE(expect(stays(R"(%one = stablehlo.constant dense<1.0> : tensor<2xf32>
    %s = stablehlo.maximum %m, %one : tensor<2xf32>
    %last = stablehlo.slice %s [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    %first = stablehlo.slice %s [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %r = stablehlo.concatenate %last, %first, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>)"),
                     a, {{1, 3}, {6, 1}})
                  .empty());
  // After other operations each device has the whole maximum.
  EXPECT_EQ(expect(stays("%r = stablehlo.negate %m : tensor<2xf32>"), a, {{-3, -6}, {-3, -6}}).size(), 1u);
  // A maximum is no summand of a sum.
  EXPECT_EQ(expect(program(rows, laid("2xf32", sum_of("{}")), maximum(same)), a, {{3, 6}, {0, 0}}).size(), 1u);
}

TEST(PartialMaxima, OfAValueThatAllHaveAreTheValue) {
  EXPECT_TRUE(
      expect(program("%a: " + laid("2xf32", "[{}]"), laid("2xf32", maximum_of("{}")), "return %a : tensor<2xf32>"),
             {{{-1, 2}, {-1, 2}}}, {{-1, 2}, {-1, 2}})
          .empty());
}

TEST(PartialMaxima, AreReducedWhereTheyArentWanted) {
  for (const bool is_max : {true, false}) {
    const std::string over = R"([{}], unreduced=)" + std::string(is_max ? "max" : "min") + R"({"x"})";
    const Floats wanted = is_max ? Floats{-1, 20} : Floats{-10, 2};
    const auto moved = expect(program("%a: " + laid("2xf32", over), laid("2xf32", "[{}]"), "return %a : tensor<2xf32>"),
                              {{{-1, 2}, {-10, 20}}}, {wanted, wanted});
    ASSERT_EQ(moved.size(), 1u);
    EXPECT_EQ(moved[0].opcode, Opcode::kAllReduce);
  }
}

TEST(PartialMaxima, OverSomeAxesAreMaximaOverTheOthers) {
  const std::string body = R"(%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %1 = sdy.sharding_constraint %0 <@mesh, [], unreduced=max{"x", "y"}> : tensor<f32>
    return %1 : tensor<f32>)";
  const auto moved =
      expect(program("%a: " + laid("4xf32", R"([{"x", "y"}])"), laid("f32", R"([], unreduced=max{"x"})"), body, true),
             {{{-1}, {-10}, {-100}, {-1000}}}, {{-1}, {-1}, {-100}, {-100}});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].members, 2);
}

TEST(PartialMaxima, OfComputationsByHandAreWhatDevicesGive) {
  const std::string body =
      R"(%r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}], unreduced=max{"x"}>] out_shardings=[<@mesh, [{}], unreduced=max{"x"}>] manual_axes={"x"} (%p: tensor<2xf32>) {
      %1 = stablehlo.negate %p : tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>)";
  const std::string partial = laid("2xf32", maximum_of("{}"));
  EXPECT_TRUE(
      expect(program("%a: " + laid("2xf32", "[{}]"), partial, body), {{{3, 4}, {3, 4}}}, {{-3, -4}, {-3, -4}}).empty());
  EXPECT_EQ(expect(program("%a: " + laid("2xf32", "[{}]"), laid("2xf32", "[{}]"), body), {{{3, 4}, {3, 4}}},
                   {{-3, -4}, {-3, -4}})
                .size(),
            1u);
}

/// A loop reduces a partial maximum before its first step.
TEST(PartialMaxima, AreReducedBeforeALoop) {
  const std::string body = R"(%first = sdy.sharding_constraint %a <@mesh, [], unreduced=max{"x"}> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %r:2 = stablehlo.while(%i = %none, %x = %first) : tensor<i32>, tensor<f32>
      cond {
        %less = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      } do {
        %more = stablehlo.add %x, %x : tensor<f32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %more : tensor<i32>, tensor<f32>
      }
    return %r#1 : tensor<f32>)";
  expect(program("%a: " + laid("f32", maximum_of("")), laid("f32", "[]"), body), {{{-2}, {-3}}}, {{-8}, {-8}});
}

TEST(PartialMaxima, OfTypesWithoutAnOrderAreRefused) {
  const auto made =
      partitioned(program("%a: " + laid("2xcomplex<f32>", "[{}]"), laid("2xcomplex<f32>", maximum_of("{}")),
                          "return %a : tensor<2xcomplex<f32>>"));
  EXPECT_EQ(made.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(made.status().to_string().find("its type has no order"), std::string::npos) << made.status().to_string();
}

TEST(Summands, OfTypesThatNothingAddsAreRefused) {
  const auto made =
      partitioned(program("%a: " + laid("2xi1", "[{}]"), laid("2xi1", sum_of("{}")), "return %a : tensor<2xi1>"));
  EXPECT_EQ(made.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(made.status().to_string().find("its type has no addition"), std::string::npos) << made.status().to_string();
}

TEST(Summands, OfAnEmptyArrayAreEmpty) {
  expect(program("%a: " + laid("0x2xf32", R"([{}, {"x"}])"), laid("0x2xf32", sum_of("{}, {}")),
                 "return %a : tensor<0x2xf32>"),
         {{{}, {}}}, {{}, {}});
}

/// A chain longer than recursion allows: the result is correct, and the sum is reduced first.
TEST(Summands, OfALongChainAddUp) {
  std::string body;
  for (int i = 0; i < 300; ++i)
    body += "%" + std::to_string(i) + " = stablehlo.add " + (i == 0 ? "%a" : "%" + std::to_string(i - 1)) +
            ", %b : tensor<1xf32>\n";
  body += "return %299 : tensor<1xf32>";
  const auto made = partitioned(program("%a: " + laid("1xf32", sum_of("{}")) + ", %b: " + laid("1xf32", "[{}]"),
                                        laid("1xf32", sum_of("{}")), body));
  ASSERT_TRUE(made.ok()) << made.status().to_string();
  const ByDevice got = results(*made, {{{1}, {10}}, {{1}, {1}}});
  EXPECT_EQ(got[0][0] + got[1][0], 311.0f);
}

}  // namespace
}  // namespace hilo::hlo
