// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/bisect/bisect.h"

#include <gtest/gtest.h>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "tests/support/random_program.h"

namespace hilo::hlo {
namespace {

using tests::evaluator_with;

Invocation invocation(std::string_view text, std::vector<Literal> arguments) {
  StatusOr<Module> module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return {*std::move(module), std::move(arguments)};
}

Bisection bisected(const Invocation& program, const EngineFunction& engine) {
  StatusOr<Bisection> found = bisect(program, engine);
  EXPECT_TRUE(found.ok()) << found.status().to_string();
  return found.ok() ? *std::move(found) : Bisection();
}

const Literal kX = Literal::array<float>({3}, {1, -2, 4});
const Literal kY = Literal::array<float>({3}, {5, 6, 8});

constexpr std::string_view kChain = R"(HloModule chain
ENTRY main {
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  a = f32[3] add(x, y)
  b = f32[3] multiply(a, y)
  two = f32[3] constant({2, 2, 2})
  c = f32[3] subtract(b, two)
  d = f32[3] floor(c)
  n = s32[3] convert(d)
  e = f32[3] subtract(d, x)
  ROOT r = (f32[3], s32[3]) tuple(e, n)
})";

TEST(Bisect, CountsTheOpsOnWhichEnginesAgree) {
  const Bisection found = bisected(invocation(kChain, {kX, kY}), tests::run_evaluator);
  EXPECT_FALSE(found.parting);
  EXPECT_EQ(found.agreed, 7);  // including the constant
  EXPECT_EQ(found.not_compared, 0);
}

TEST(Bisect, NamesTheFirstOpOfAWrongKernelAndLeavesIt) {
  const EngineFunction engine = evaluator_with(Opcode::kSubtract, Opcode::kAdd);
  const Bisection found = bisected(invocation(kChain, {kX, kY}), engine);
  ASSERT_TRUE(found.parting);
  EXPECT_EQ(found.parting->op, "subtract 'c': f32[3] subtract(f32[3], f32[3])");
  EXPECT_EQ(found.parting->difference,
            "f32[3]: 3 of 3 elements differ; largest difference 4 at [0]: got 32, wanted 28");
  EXPECT_EQ(found.parting->operands, (std::vector<std::string>{"f32[3] {30, 24, 96}", "f32[3] {2, 2, 2}"}));
  EXPECT_TRUE(found.parting->alone);
  EXPECT_FALSE(found.parting->together);
  EXPECT_TRUE(found.parting->path.empty());
  EXPECT_EQ(found.agreed, 3);
  // The op, its constant, and a parameter with the engine's value.
  ASSERT_EQ(found.reduced.arguments.size(), 1u);
  EXPECT_EQ(found.reduced.arguments[0].to_string(), "f32[3] {30, 24, 96}");
  EXPECT_EQ(found.reduced.module.entry->size(), 3u) << print_module(found.reduced.module);
  EXPECT_NE(disagreement(found.reduced, engine), "");
}

TEST(Bisect, ARoundingThatALaterOpMakesLargeIsNoFaultOfTheLaterOp) {
  // The engine's exp is off by one ulp, which floor turns into an integer. For the engine's operand, floor is right.
  const Invocation program = invocation(R"(HloModule rounding
ENTRY main {
  x = f32[1] parameter(0)
  y = f32[1] exponential(x)
  ROOT z = f32[1] floor(y)
})",
                                        {Literal::array<float>({1}, {0})});
  const EngineFunction engine = [](const Module& module,
                                   const std::vector<Literal>& arguments) -> StatusOr<std::vector<Literal>> {
    EvaluateOptions options;
    std::vector<Literal> values;
    const float below = 0.99999994F;
    for (const Instruction& i : module.entry->instructions()) {
      if (i.opcode == Opcode::kParameter) values.push_back(arguments[0]);
      else if (i.opcode == Opcode::kExp) values.push_back(Literal::array<float>({1}, {below}));
      else if (i.opcode == Opcode::kFloor) values.push_back(Literal::array<float>({1}, {0}));
    }
    if (module.entry->root().opcode != Opcode::kTuple) return std::vector<Literal>{values[module.entry->root_id()]};
    std::vector<Literal> results;
    for (InstructionId id : module.entry->root().operands) results.push_back(values[id]);
    return results;
  };
  const Bisection found = bisected(program, engine);
  EXPECT_EQ(found.agreed, 2);
  ASSERT_TRUE(found.parting);  // the results differ nevertheless
  EXPECT_TRUE(found.parting->together);
  EXPECT_EQ(found.parting->op, "");
  EXPECT_EQ(found.parting->difference,
            "z: f32[1]: 1 of 1 elements differ; largest difference 1 at [0]: got 0, wanted 1");
}

TEST(Bisect, GoesIntoCallsBranchesAndTheFirstIterationThatParts) {
  const Invocation program = invocation(R"(HloModule nested
inner {
  x = f32[] parameter(0)
  one = f32[] constant(1)
  ROOT s = f32[] maximum(x, one)
}
other {
  ROOT x = f32[] parameter(0)
}
body {
  carry = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(carry), index=0
  v = f32[] get-tuple-element(carry), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  two = s32[] constant(2)
  late = pred[] compare(i, two), direction=GE
  w = f32[] conditional(late, v, v), true_computation=inner, false_computation=other
  ROOT t = (s32[], f32[]) tuple(next, w)
}
condition {
  carry = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(carry), index=0
  five = s32[] constant(5)
  ROOT c = pred[] compare(i, five), direction=LT
}
called {
  v = f32[] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[]) tuple(zero, v)
  loop = (s32[], f32[]) while(start), condition=condition, body=body
  ROOT r = f32[] get-tuple-element(loop), index=1
}
ENTRY main {
  x = f32[] parameter(0)
  n = f32[] negate(x)
  ROOT y = f32[] call(n), to_apply=called
})",
                                        {Literal::scalar<float>(-3)});
  const Bisection found = bisected(program, evaluator_with(Opcode::kMaximum, Opcode::kMinimum));
  ASSERT_TRUE(found.parting);
  EXPECT_EQ(found.parting->op, "maximum 's': f32[] maximum(f32[], f32[])");
  EXPECT_EQ(found.parting->path,
            (std::vector<std::string>{"call 'y'", "while 'loop', body in iteration 2", "conditional 'w', branch 0"}));
  EXPECT_EQ(found.parting->operands, (std::vector<std::string>{"f32[] 3", "f32[] 1"}));
  EXPECT_EQ(found.agreed, 1);
  EXPECT_EQ(op_count(*found.reduced.module.entry), 2) << print_module(found.reduced.module);
}

/// An engine with a wrong fusion: it adds instead of subtracting if the product operand has no other use.
StatusOr<std::vector<Literal>> wrong_where_fused(const Module& module, const std::vector<Literal>& arguments) {
  const Computation& entry = *module.entry;
  const std::vector<std::vector<InstructionId>> users = users_of(entry);
  ComputationDraft draft("main");
  for (const Instruction& i : entry.instructions()) {
    const bool fused = i.opcode == Opcode::kSubtract && entry.instruction(i.operands[0]).opcode == Opcode::kMultiply &&
                       users[i.operands[0]].size() == 1;
    if (fused) draft.append(Opcode::kAdd, i.shape, i.operands, nullptr, i.name);
    else draft.append_copy(i, i.operands);
  }
  Module planted = module;
  HILO_ASSIGN_OR_RETURN(planted.entry, std::move(draft).finish(entry.root_id()));
  return tests::run_evaluator(planted, arguments);
}

TEST(Bisect, SaysWhatPartsOnlyTogetherAndReducesToThat) {
  const Bisection found = bisected(invocation(kChain, {kX, kY}), wrong_where_fused);
  EXPECT_EQ(found.agreed, 7);
  ASSERT_TRUE(found.parting);
  EXPECT_TRUE(found.parting->together);
  EXPECT_EQ(found.parting->op, "");
  EXPECT_LE(op_count(*found.reduced.module.entry), 4) << print_module(found.reduced.module);
  EXPECT_NE(found.reduced_difference, "");
}

TEST(Bisect, FindsAPlantedWrongKernelInARandomProgram) {
  const EngineFunction engine = evaluator_with(Opcode::kMaximum, Opcode::kMinimum);
  tests::Coverage coverage;
  bool found = false;
  for (unsigned seed = 0; seed < 3000 && !found; ++seed) {  // in few programs a maximum affects the result
    const Invocation program = tests::random_program(seed, 12, coverage);
    if (disagreement(program, engine, tests::by_names()).empty()) continue;
    found = true;
    StatusOr<Bisection> bisection = bisect(program, engine, tests::by_names());
    ASSERT_TRUE(bisection.ok()) << "seed " << seed << ": " << bisection.status().to_string();
    ASSERT_TRUE(bisection->parting) << "seed " << seed;
    EXPECT_LE(op_count(*bisection->reduced.module.entry), 5) << print_module(bisection->reduced.module);
    EXPECT_NE(disagreement(bisection->reduced, engine, tests::by_names()), "");
  }
  EXPECT_TRUE(found);
}

TEST(Bisect, PassesOnTheErrorsOfTheEngine) {
  const EngineFunction engine = [](const Module&, const std::vector<Literal>&) -> StatusOr<std::vector<Literal>> {
    return unimplemented("no such engine");
  };
  const StatusOr<Bisection> found = bisect(invocation(kChain, {kX, kY}), engine);
  EXPECT_EQ(found.status().to_string(), "UNIMPLEMENTED: no such engine");
}

TEST(WithConstants, ArgumentsStandBehindBarriersInTheProgramThatGivesTheSame) {
  const Invocation program = invocation(R"(HloModule pair
ENTRY main {
  p = (f32[3], f32[3]) parameter(0)
  z = f32[3] parameter(1)
  x = f32[3] get-tuple-element(p), index=0
  y = f32[3] get-tuple-element(p), index=1
  a = f32[3] add(x, y)
  ROOT b = f32[3] subtract(a, z)
})",
                                        {Literal::tuple({kX, kY}), kX});
  const StatusOr<Invocation> all = with_constants(program, [](const Literal&) { return true; });
  ASSERT_TRUE(all.ok()) << all.status().to_string();
  EXPECT_TRUE(all->arguments.empty());
  const StatusOr<Invocation> none = with_constants(program, [](const Literal&) { return false; });
  ASSERT_TRUE(none.ok()) << none.status().to_string();
  EXPECT_EQ(none->arguments.size(), 3u);
  for (const Invocation& written : {*all, *none}) {
    const StatusOr<Module> read = parse_module(print_module(written.module));
    ASSERT_TRUE(read.ok()) << read.status().to_string();
    const StatusOr<Literal> value = evaluate(*read, std::span<const Literal>(written.arguments));
    ASSERT_TRUE(value.ok()) << value.status().to_string();
    EXPECT_EQ(value->to_string(), "f32[3] {5, 6, 8}");
  }
}

}  // namespace
}  // namespace hilo::hlo
