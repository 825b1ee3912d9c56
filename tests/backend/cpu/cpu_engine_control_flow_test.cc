// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/control_flow.h"

#include <thread>

#include "hilo/backend/host/host_buffer.h"
#include "hilo/base/floating_point.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

const Shape kS32 = Shape::scalar(ElementType::kS32);

/// i < limit, where i is element 0 of the carry.
hlo::ComputationPtr below(const Shape& carry, int32_t limit) {
  Builder b("condition");
  const auto p = b.parameter(carry);
  const auto i = must(b.get_tuple_element(p, 0));
  const auto end = b.constant(Literal::scalar<int32_t>(limit));
  const auto less =
      must(b.add(Opcode::kCompare, {i, end},
                 with<hlo::CompareAttributes>([](auto& a) { a.direction = hlo::ComparisonDirection::kLt; })));
  return *std::move(b).build(less);
}

InstructionId next_index(Builder& b, InstructionId i) {
  return must(b.add(Opcode::kAdd, {i, b.constant(Literal::scalar<int32_t>(1))}));
}

InstructionId loop(Builder& b, InstructionId init, hlo::ComputationPtr condition, hlo::ComputationPtr body) {
  return must(b.add(Opcode::kWhile, {init}, with<hlo::WhileAttributes>([&](auto& a) {
                      a.condition = condition;
                      a.body = body;
                    })));
}

TEST(ControlFlow, RunsScalarLoopsInRegisters) {
  const Shape carry = Shape::tuple({kS32, Shape::scalar(ElementType::kF64), Shape::scalar(ElementType::kF32)});
  Builder body("body");
  const auto p = body.parameter(carry);
  const auto i = must(body.get_tuple_element(p, 0)), x = must(body.get_tuple_element(p, 1)),
             y = must(body.get_tuple_element(p, 2));
  const auto half = must(body.add(Opcode::kMultiply, {x, body.constant(Literal::scalar<double>(0.5))}));
  const auto wide = must(body.add(Opcode::kConvert, {y}, nullptr, Shape::scalar(ElementType::kF64)));
  const auto sum = must(body.add(Opcode::kAdd, {half, wide}));
  const auto sine = must(body.add(Opcode::kNegate, {y}));
  const auto next = body.tuple({next_index(body, i), sum, sine});
  const auto body_computation = *std::move(body).build(next);
  Builder c("main");
  const auto start = c.tuple({c.parameter(kS32), c.parameter(Shape::scalar(ElementType::kF64)),
                              c.parameter(Shape::scalar(ElementType::kF32))});
  const auto end = loop(c, start, below(carry, 37), body_computation);
  check(module_of(std::move(c), end, "scalar loop"));
}

/// Carry (i, x, history, constant): x = x * constant + roll(x); history[i] = x.
hlo::Module array_loop(int64_t n, int64_t steps) {
  const Shape row = Shape::array(ElementType::kF32, {n}), history = Shape::array(ElementType::kF32, {steps, n});
  const Shape carry = Shape::tuple({kS32, row, history, row});
  Builder body("body");
  const auto p = body.parameter(carry);
  const auto i = must(body.get_tuple_element(p, 0)), x = must(body.get_tuple_element(p, 1)),
             h = must(body.get_tuple_element(p, 2)), k = must(body.get_tuple_element(p, 3));
  const auto scaled = must(body.add(Opcode::kMultiply, {x, k}));
  const auto reversed =
      must(body.add(Opcode::kReverse, {x}, with<hlo::ReverseAttributes>([](auto& a) { a.dimensions = {0}; })));
  const auto moved = must(body.add(Opcode::kAdd, {scaled, reversed}));
  const auto tamed = must(body.add(Opcode::kTanh, {moved}));
  const auto as_row = must(body.add(Opcode::kReshape, {tamed}, nullptr, Shape::array(ElementType::kF32, {1, n})));
  const auto zero = body.constant(Literal::scalar<int32_t>(0));
  const auto written = must(body.add(Opcode::kDynamicUpdateSlice, {h, as_row, i, zero}));
  const auto next = body.tuple({next_index(body, i), tamed, written, k});
  const auto body_computation = *std::move(body).build(next);
  Builder b("main");
  const auto x0 = b.parameter(row), h0 = b.parameter(history), k0 = b.parameter(row);
  const auto start = b.tuple({b.constant(Literal::scalar<int32_t>(0)), x0, h0, k0});
  const auto end = loop(b, start, below(carry, static_cast<int32_t>(steps)), body_computation);
  return module_of(std::move(b), end, "array loop");
}

TEST(ControlFlow, RunsLoopsOverArrays) {
  for (int64_t n : {1, 16, 17, 40}) {
    for (int64_t steps : {1, 2, 5}) check(array_loop(n, steps), 1e-4);
  }
}

TEST(ControlFlow, SwapsCarriesAndNestsLoops) {
  const Shape row = Shape::array(ElementType::kF32, {19});
  const Shape inner_carry = Shape::tuple({kS32, row});
  Builder inner("inner");
  const auto q = inner.parameter(inner_carry);
  const auto j = must(inner.get_tuple_element(q, 0)), y = must(inner.get_tuple_element(q, 1));
  const auto doubled = must(inner.add(Opcode::kAdd, {y, y}));
  const auto inner_body = *[&] {
    const auto root = inner.tuple({next_index(inner, j), doubled});
    return std::move(inner).build(root);
  }();
  const Shape carry = Shape::tuple({kS32, row, row});
  Builder body("body");
  const auto p = body.parameter(carry);
  const auto i = must(body.get_tuple_element(p, 0)), a = must(body.get_tuple_element(p, 1)),
             c = must(body.get_tuple_element(p, 2));
  const auto inner_start = body.tuple({body.constant(Literal::scalar<int32_t>(0)), a});
  const auto inner_end = loop(body, inner_start, below(inner_carry, 2), inner_body);
  const auto grown = must(body.get_tuple_element(inner_end, 1));
  const auto next = body.tuple({next_index(body, i), c, grown});
  const auto outer_body = *std::move(body).build(next);
  Builder b("main");
  const auto start = b.tuple({b.constant(Literal::scalar<int32_t>(0)), b.parameter(row), b.parameter(row)});
  const auto end = loop(b, start, below(carry, 5), outer_body);
  const auto second = must(b.get_tuple_element(end, 2));
  const auto both = b.tuple({end, second});
  check(module_of(std::move(b), both, "nested"));
}

TEST(ControlFlow, TakesOneBranch) {
  const Shape row = Shape::array(ElementType::kF32, {21});
  const auto branch = [&](Opcode opcode) {
    Builder b("branch");
    const auto x = b.parameter(row);
    const auto y = must(b.add(opcode, {x, x}));
    return *std::move(b).build(y);
  };
  for (int32_t pick : {-1, 0, 1, 2, 7}) {
    Builder b("main");
    const auto x = b.parameter(row);
    const auto which = b.parameter(kS32);
    const auto chosen =
        must(b.add(Opcode::kConditional, {which, x, x, x}, with<hlo::ConditionalAttributes>([&](auto& a) {
                     a.branches = {branch(Opcode::kAdd), branch(Opcode::kMultiply), branch(Opcode::kSubtract)};
                   })));
    const hlo::Module module = module_of(std::move(b), chosen, "switch");
    check(module, {sample(row, 3), Literal::scalar<int32_t>(pick)});
  }
  for (bool pick : {false, true}) {
    Builder b("main");
    const auto x = b.parameter(row);
    const auto which = b.parameter(Shape::scalar(ElementType::kPred));
    const auto chosen = must(b.add(Opcode::kConditional, {which, x, x}, with<hlo::ConditionalAttributes>([&](auto& a) {
                                     a.branches = {branch(Opcode::kAdd), branch(Opcode::kMultiply)};
                                     a.predicated = true;
                                   })));
    const hlo::Module module = module_of(std::move(b), chosen, "if");
    check(module, {sample(row, 3), Literal::scalar<bool>(pick)});
  }
}

hlo::Module endless() {
  const Shape carry = Shape::tuple({kS32, Shape::array(ElementType::kF32, {40})});
  Builder body("body");
  const auto p = body.parameter(carry);
  const auto i = must(body.get_tuple_element(p, 0)), x = must(body.get_tuple_element(p, 1));
  const auto same = must(body.add(Opcode::kMultiply, {i, i}));
  const auto y = must(body.add(Opcode::kNegate, {x}));
  const auto next = body.tuple({same, y});
  const auto body_computation = *std::move(body).build(next);
  Builder b("main");
  const auto start = b.tuple({b.parameter(kS32), b.parameter(Shape::array(ElementType::kF32, {40}))});
  const auto root = loop(b, start, below(carry, 5), body_computation);
  return module_of(std::move(b), root, "endless");
}

TEST(ControlFlow, StopsWhenCancelled) {
  Builder scalar_body("body");
  const Shape carry = Shape::tuple({kS32});
  const auto p = scalar_body.parameter(carry);
  const auto i = must(scalar_body.get_tuple_element(p, 0));
  const auto same = must(scalar_body.add(Opcode::kMultiply, {i, i}));
  const auto next = scalar_body.tuple({same});
  const auto scalar_computation = *std::move(scalar_body).build(next);
  Builder b("main");
  const auto start = b.tuple({b.parameter(kS32)});
  const auto end = loop(b, start, below(carry, 5), scalar_computation);
  for (const hlo::Module& module : {endless(), module_of(std::move(b), end, "endless")}) {
    auto executable = tests::cpu_client()->compile(module, {}, nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    CancellationToken token;
    ExecuteOptions options;
    options.cancellation = &token;
    std::vector<BufferPtr> arguments, results((*executable)->result_shapes().size());
    for (const Literal& argument : samples(module)) arguments.push_back(tests::cpu_buffer(argument));
    arguments[0] = tests::cpu_buffer(Literal::scalar<int32_t>(1));
    std::thread canceller([&] { token.cancel(); });
    const Status status = (*executable)->execute(arguments, results, options);
    canceller.join();
    EXPECT_EQ(status.code(), StatusCode::kCancelled);
    EXPECT_NE(status.message().find("Execute 'endless': the program was cancelled"), std::string::npos)
        << status.to_string();
  }
}

TEST(ControlFlow, ManyThreadsShareAnExecutable) {
  const hlo::Module module = array_loop(40, 5);
  const std::vector<Literal> arguments = samples(module);
  auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  ASSERT_TRUE(executable.ok());
  const std::vector<Literal> wanted = run(**executable, arguments);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20; ++turn) {
        const std::vector<Literal> got = run(**executable, arguments);
        for (size_t k = 0; k < got.size(); ++k) wrong += !got[k].identical(wanted[k]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ControlFlow, ResultsTakeDonatedMemory) {
  Builder b("main");
  const Shape shape = Shape::array(ElementType::kF32, {64});
  const auto x = b.parameter(shape), y = b.parameter(shape);
  const auto i = b.parameter(kS32);
  const auto sum = must(b.add(Opcode::kAdd, {x, y}));
  const auto piece = b.constant(Literal::array<float>({2}, {7, 8}));
  const auto changed = must(b.add(Opcode::kDynamicUpdateSlice, {y, piece, i}));
  const auto both = b.tuple({sum, changed});
  const hlo::Module module = module_of(std::move(b), both, "donation");
  auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  ASSERT_TRUE(executable.ok());
  const std::vector<Literal> arguments = {sample(shape, 1), sample(shape, 2), Literal::scalar<int32_t>(60)};
  const std::vector<Literal> wanted = run(**executable, arguments);
  std::vector<BufferPtr> buffers, results(2);
  for (const Literal& argument : arguments) buffers.push_back(tests::cpu_buffer(argument));
  const void* first = host(buffers[0]).data();
  const void* second = host(buffers[1]).data();
  const bool donated[] = {true, true, false};
  ExecuteOptions options;
  options.donated = donated;
  ASSERT_TRUE((*executable)->execute(buffers, results, options).ok());
  EXPECT_EQ(host(results[0]).data(), first);
  EXPECT_EQ(host(results[1]).data(), second);
  EXPECT_EQ(buffers[0]->state(), BufferState::kDonated);
  for (size_t k = 0; k < 2; ++k) EXPECT_TRUE(literal_from_buffer(*results[k])->identical(wanted[k]));
}

TEST(ControlFlow, KeepsDenormalsAndTheCallersControlWord) {
  Builder b("main");
  const Shape shape = Shape::array(ElementType::kF32, {3});
  const auto x = b.parameter(shape), y = b.parameter(shape);
  const auto product = must(b.add(Opcode::kMultiply, {x, y}));
  auto executable = tests::cpu_client()->compile(module_of(std::move(b), product, "denormal"), {}, nullptr);
  ASSERT_TRUE(executable.ok());
  using floating_point_detail::modes, floating_point_detail::set_modes, floating_point_detail::kFlushToZero;
  const uint32_t before = modes();
  set_modes(kFlushToZero);
  const std::vector<Literal> got =
      run(**executable, {Literal::array<float>({3}, {1.5e-38f, 1, 2}), Literal::array<float>({3}, {0.5f, 1, 2})});
  EXPECT_EQ(modes(), kFlushToZero);
  set_modes(before);
  EXPECT_GT(got[0].data<float>()[0], 0);
}

/// x = tanh(reverse(x) * s[3]), so large that the loop hands its kernel to the host's threads.
TEST(ControlFlow, KernelsOfLoopsReadPartsOfArrays) {
  check(*hlo::parse_module(R"(HloModule parts

condition {
  p = (s32[], f32[40000], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}

body {
  p = (s32[], f32[40000], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[40000] get-tuple-element(p), index=1
  s = f32[4] get-tuple-element(p), index=2
  last = f32[1] slice(s), slice={[3:4]}
  scale = f32[] reshape(last)
  scales = f32[40000] broadcast(scale), dimensions={}
  turned = f32[40000] reverse(x), dimensions={0}
  scaled = f32[40000] multiply(turned, scales)
  y = f32[40000] tanh(scaled)
  ROOT r = (s32[], f32[40000], f32[4]) tuple(next, y, s)
}

ENTRY main {
  x = f32[40000] parameter(0)
  s = f32[4] parameter(1)
  zero = s32[] constant(0)
  t = (s32[], f32[40000], f32[4]) tuple(zero, x, s)
  loop = (s32[], f32[40000], f32[4]) while(t), condition=condition, body=body
  ROOT y = f32[40000] get-tuple-element(loop), index=1
}
)"));
}

/// y = sort(y + x[k]) for three rows of x, whose kernels have the same code.
TEST(ControlFlow, UnrolledLoopsReadRowAfterRow) {
  check(*hlo::parse_module(R"(HloModule rows

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}

ENTRY main {
  x = f32[4,9] parameter(0)
  y = f32[9] parameter(1)
  s1 = f32[1,9] slice(x), slice={[1:2],[0:9]}
  r1 = f32[9] reshape(s1)
  a1 = f32[9] add(y, r1)
  o1 = f32[9] sort(a1), dimensions={0}, to_apply=less
  s2 = f32[1,9] slice(x), slice={[3:4],[0:9]}
  r2 = f32[9] reshape(s2)
  a2 = f32[9] add(o1, r2)
  o2 = f32[9] sort(a2), dimensions={0}, to_apply=less
  s3 = f32[1,9] slice(x), slice={[2:3],[0:9]}
  r3 = f32[9] reshape(s3)
  a3 = f32[9] add(o2, r3)
  o3 = f32[9] sort(a3), dimensions={0}, to_apply=less
  both = f32[18] concatenate(o2, o3), dimensions={0}
  ROOT all = (f32[18], f32[9]) tuple(both, o1)
}
)"));
}

}  // namespace
}  // namespace hilo::cpu
