// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/instruction.h"

#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo {
namespace {

const std::string kX = "  x = f32[2]{0} parameter(0)\n";
const std::string kToken = "  t = token[] after-all()\n";
const std::string kAdd = "add { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT s = f32[] add(p, q) }\n";
const std::string kDouble = "double { p = f32[2]{0} parameter(0)\n ROOT s = f32[2]{0} add(p, p) }\n";
const std::vector<Literal> kArguments = {Literal::array<float>({2}, {1.5f, 4.0f})};

TEST(AddDependency, IsItsOperandAfterTheToken) {
  EXPECT_EQ(value_of_text(kX + kToken + "  u = token[] after-all(t, t)\n  ROOT r = f32[2]{0} add-dependency(x, u)",
                          kArguments),
            "f32[2] {1.5, 4}");
}

TEST(AddDependency, RefusesWhatIsNoToken) {
  expect_refused(kX + "  ROOT r = f32[2]{0} add-dependency(x, x)", "operand 1 is f32[2], wanted a token");
  expect_refused(kX + "  ROOT r = token[] after-all(x)", "operand 0 is f32[2], wanted a token");
}

TEST(CopyStart, HandsItsOperandToCopyDone) {
  const std::string body = kX +
                           "  s = (f32[2]{0}, f32[2]{0}, u32[]) copy-start(x)\n"
                           "  ROOT r = f32[2]{0} copy-done(s)";
  EXPECT_EQ(value_of_text(body, kArguments), "f32[2] {1.5, 4}");
}

TEST(CopyDone, RefusesWhatNoStartGives) {
  expect_refused(kX + "  ROOT r = f32[2]{0} copy-done(x)", "wanted the result of copy-start");
  expect_refused(kX + "  c = u32[] constant(0)\n  s = (f32[2]{0}, u32[], u32[]) tuple(x, c, c)\n"
                      "  ROOT r = f32[2]{0} copy-done(s)",
                 "copy-start returns its operand's shape twice");
}

TEST(AsyncStart, ComputesWhatAsyncDoneGives) {
  const std::string body = kX +
                           "  s = ((f32[2]{0}), f32[2]{0}, u32[]) async-start(x), calls=double\n"
                           "  u = ((f32[2]{0}), f32[2]{0}, u32[]) async-update(s)\n"
                           "  ROOT r = f32[2]{0} async-done(u)";
  EXPECT_EQ(value_of_text(body, kArguments, kDouble), "f32[2] {3, 8}");
}

TEST(AsyncStart, IsAlsoWrittenAsTheStartOfACallOrAnOp) {
  EXPECT_EQ(value_of_text(kX + "  s = ((f32[2]{0}), f32[2]{0}, u32[]) call-start(x), to_apply=double,"
                               " async_execution_thread=\"other\"\n  ROOT r = f32[2]{0} call-done(s)",
                          kArguments, kDouble),
            "f32[2] {3, 8}");
  EXPECT_EQ(value_of_text(kX + "  s = ((f32[2]{0}, f32[2]{0}), f32[2]{0}, u32[]) multiply-start(x, x)\n"
                               "  ROOT r = f32[2]{0} multiply-done(s)",
                          kArguments),
            "f32[2] {2.25, 16}");
}

TEST(AsyncStart, IsAlsoWrittenAsTheStartOfAnOpWithAttributes) {
  EXPECT_EQ(value_of_text(kX + "  s = ((f32[2]{0}), f32[2]{0}, u32[]) reverse-start(x), dimensions={0}\n"
                               "  ROOT r = f32[2]{0} reverse-done(s)",
                          kArguments),
            "f32[2] {4, 1.5}");
}

TEST(AsyncStart, RefusesWhatDoesntFitTheComputation) {
  expect_refused(kX + "  ROOT s = ((f32[2]{0}, f32[2]{0}), f32[2]{0}, u32[]) async-start(x, x), calls=double",
                 "takes 1 parameters, wanted 2", kDouble);
  expect_refused(kX + "  ROOT s = ((f32[2]{0}), f32[3]{0}, u32[]) async-start(x), calls=double", "declared shape",
                 kDouble);
  expect_refused(kX + "  ROOT s = ((f32[2]{0}), f32[2]{0}, f32[2]{0}) async-start(x), calls=double",
                 "element 2 of the result is f32[2], wanted a scalar", kDouble);
  expect_refused(kX + "  ROOT s = ((f32[2]{0}), f32[2]{0}, u32[]) async-start(x)", "calls: got 0 computations");
  expect_refused(kX + "  ROOT r = f32[2]{0} async-done(x)", "wanted the result of async-start");
  expect_refused(kX + "  s = (f32[2]{0}, f32[2]{0}) tuple(x, x)\n  ROOT r = f32[2]{0} async-done(s)",
                 "wanted ((operands), result, ...)");
}

TEST(AllReduceStart, IsTheAllReduceThatItsDoneGives) {
  const std::string body = kX +
                           "  s = f32[2]{0} all-reduce-start(x), replica_groups={}, to_apply=add\n"
                           "  ROOT r = f32[2]{0} all-reduce-done(s)";
  EXPECT_EQ(value_of_text(body, kArguments, kAdd), "f32[2] {1.5, 4}");
}

TEST(AllGatherStart, GivesOperandAndResult) {
  const std::string body = kX +
                           "  s = (f32[2]{0}, f32[2]{0}) all-gather-start(x), replica_groups={}, dimensions={0}\n"
                           "  ROOT r = f32[2]{0} all-gather-done(s)";
  EXPECT_EQ(value_of_text(body, kArguments), "f32[2] {1.5, 4}");
  expect_refused(kX + "  ROOT r = f32[2]{0} all-gather-done(x)", "wanted the result of the start");
  expect_refused(kX + "  ROOT s = (f32[2]{0}, f32[3]{0}) all-gather-start(x), replica_groups={{0}}, dimensions={0}",
                 "declared shape");
}

TEST(CollectivePermuteStart, CarriesContextsOrNone) {
  EXPECT_EQ(value_of_text(kX + "  s = (f32[2]{0}, f32[2]{0}, u32[], u32[]) collective-permute-start(x),"
                               " source_target_pairs={{0,0}}\n  ROOT r = f32[2]{0} collective-permute-done(s)",
                          kArguments),
            "f32[2] {1.5, 4}");
  EXPECT_EQ(value_of_text(kX + "  s = (f32[2]{0}, f32[2]{0}) collective-permute-start(x), source_target_pairs={}\n"
                               "  ROOT r = f32[2]{0} collective-permute-done(s)",
                          kArguments),
            "f32[2] {0, 0}");
}

}  // namespace
}  // namespace hilo::hlo
