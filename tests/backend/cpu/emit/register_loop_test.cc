// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/register_loop.h"

#include <algorithm>
#include <limits>
#include <thread>

#include "hilo/backend/host/host_buffer.h"
#include "hilo/base/thread_pool.h"
#include "tests/backend/cpu/loop_check.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kBatches[] = {17, 777};

/// A loop of `turns` iterations over (s32[], x's type). `body` computes y from x and the iteration i. B is replaced by
/// the batch size.
struct LoopText {
  std::string type, body, others = {};
  int turns = 4;
};

std::string with_size(std::string text, int64_t size) {
  for (size_t at = text.find('B'); at != std::string::npos; at = text.find('B', at + 1))
    text.replace(at, 1, std::to_string(size));
  return text;
}

std::string text_of(const LoopText& loop, int64_t batch) {
  return with_size(fmt::format(R"(HloModule loop
sum {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }}
{2}
body {{
  p = (s32[], {0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = {0} get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  zero = f32[] constant(0)
  {1}
  ROOT t = (s32[], {0}) tuple(next, y)
}}
condition {{
  p = (s32[], {0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant({3})
  ROOT c = pred[] compare(i, n), direction=LT
}}
ENTRY main {{
  start = s32[] parameter(0)
  a = {0} parameter(1)
  init = (s32[], {0}) tuple(start, a)
  ROOT w = (s32[], {0}) while(init), condition=condition, body=body
}}
)",
                               loop.type, loop.body, loop.others, loop.turns),
                   batch);
}

/// Compares with the reference on every instruction set: all iterations, one, and none.
void check_loop(const LoopText& loop, int64_t batch, double tolerance = 1e-5) {
  SCOPED_TRACE(text_of(loop, batch));
  const hlo::Module module = parsed(text_of(loop, batch));
  ASSERT_NE(module.entry, nullptr);
  EXPECT_TRUE(lives_in_registers(module));
  for (int32_t start : {0, loop.turns - 1, loop.turns}) {
    std::vector<Literal> arguments = samples(module);
    arguments[0] = Literal::scalar<int32_t>(start);
    check(module, arguments, tolerance);
  }
}

void check_batches(const LoopText& loop, double tolerance = 1e-5) {
  for (int64_t batch : kBatches) check_loop(loop, batch, tolerance);
}

const LoopText kOscillators{"f32[3,B]", R"(
  u2 = f32[1,B] slice(x), slice={[0:1], [0:B]}
  v2 = f32[1,B] slice(x), slice={[1:2], [0:B]}
  w2 = f32[1,B] slice(x), slice={[2:3], [0:B]}
  u = f32[B] reshape(u2)
  v = f32[B] reshape(v2)
  w = f32[B] reshape(w2)
  d = f32[B] subtract(v, u)
  q = f32[B] multiply(u, w)
  e = f32[B] subtract(u, q)
  f = f32[B] multiply(u, v)
  d2 = f32[1,B] reshape(d)
  e2 = f32[1,B] reshape(e)
  f2 = f32[1,B] reshape(f)
  rate = f32[3,B] concatenate(d2, e2, f2), dimensions={0}
  h = f32[] constant(0.01)
  hs = f32[3,B] broadcast(h), dimensions={}
  step = f32[3,B] multiply(rate, hs)
  y = f32[3,B] add(x, step))",
                            "", 7};

TEST(RegisterLoop, SolvesEquationsOfAFewValues) {
  check_loop({"f32[3]", R"(
  u = f32[1] slice(x), slice={[0:1]}
  v = f32[1] slice(x), slice={[1:2]}
  w = f32[1] slice(x), slice={[2:3]}
  d = f32[1] subtract(v, u)
  e = f32[1] multiply(u, w)
  rate = f32[3] concatenate(d, e, w), dimensions={0}
  h = f32[] constant(0.01)
  hs = f32[3] broadcast(h), dimensions={}
  step = f32[3] multiply(rate, hs)
  y = f32[3] add(x, step))",
              "", 50},
             0);
  check_batches(kOscillators);
}

TEST(RegisterLoop, MovesElements) {
  check_loop({"f32[2,4]", R"(
  a = f32[4,2] transpose(x), dimensions={1,0}
  b = f32[4,2] reverse(a), dimensions={0,1}
  c = f32[8] reshape(b)
  d = f32[4] slice(c), slice={[0:8:2]}
  e = f32[7] pad(d, zero), padding=0_0_1
  f = f32[4] pad(e, zero), padding=-2_-1
  g = f32[2,4] broadcast(f), dimensions={1}
  k = f32[2,4] constant({{1,2,3,4},{5,6,7,8}})
  y0 = f32[2,4] add(g, k)
  n = f32[2,4] iota(), iota_dimension=1
  y = f32[2,4] subtract(y0, n))"},
             0);
  check_batches({"f32[2,B,3]", R"(
  a = f32[3,2,B] transpose(x), dimensions={2,0,1}
  b = f32[3,2,B] reverse(a), dimensions={0}
  c = f32[6,B] reshape(b)
  d = f32[3,B] slice(c), slice={[1:6:2], [0:B]}
  e = f32[5,B] pad(d, zero), padding=1_1x0_0
  f = f32[2,B] slice(e), slice={[1:3], [0:B]}
  g = f32[2,B,3] broadcast(f), dimensions={0,1}
  n = f32[2,B,3] iota(), iota_dimension=1
  m = s32[B] iota(), iota_dimension=0
  mf = f32[B] convert(m)
  mw = f32[2,B,3] broadcast(mf), dimensions={1}
  k = f32[3] constant({1,2,3})
  kw = f32[2,B,3] broadcast(k), dimensions={2}
  y0 = f32[2,B,3] add(g, n)
  y1 = f32[2,B,3] subtract(y0, mw)
  y = f32[2,B,3] add(y1, kw))"});
}

/// Many batch elements fill whole registers; the last ones of a batch fill part of one.
TEST(RegisterLoop, TakesBytes) {
  check_batches({"u8[5,B]", "y = u8[5,B] add(x, x)"}, 0);
  check_batches({"u8[B,5]", "y = u8[B,5] add(x, x)"}, 0);
  check_batches({"u8[2,B,3]", "y = u8[2,B,3] reverse(x), dimensions={2}"}, 0);
  check_batches({"pred[5,B]", "y = pred[5,B] not(x)"}, 0);
  check_batches({"f16[B,5]", "y = f16[B,5] add(x, x)"}, 0);
  check_batches({"c64[B,2]", "y = c64[B,2] add(x, x)"}, 0);
  check_batches({"s64[B,2]", "y = s64[B,2] add(x, x)"}, 0);
}

TEST(RegisterLoop, SlicesWhereTheTurnSays) {
  const char* const kBody = R"(
  three = s32[] constant(3)
  at = s32[] subtract(i, three)
  none = s32[] constant(0)
  row = f32[2,B] dynamic-slice(x, at, none), dynamic_slice_sizes={2,B}
  more = f32[2,B] add(row, row)
  back = u8[] convert(i)
  zeros = u8[] constant(0)
  y = f32[5,B] dynamic-update-slice(x, more, back, zeros))";
  check_batches({"f32[5,B]", kBody, "", 9}, 0);
  check_loop({"f32[5,B]", kBody, "", 9}, 1, 0);
}

TEST(RegisterLoop, SumsAndMultiplies) {
  const char* const kBody = R"(
  s = f32[B] reduce(x, zero), dimensions={0}, to_apply=sum
  m = f32[3,3] constant({{0.5,-0.25,0.125},{0.25,0.5,-0.125},{-0.5,0.25,0.25}})
  p1 = f32[3,B] dot(m, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  p2 = f32[B,3] dot(x, m), lhs_contracting_dims={0}, rhs_contracting_dims={1}
  p3 = f32[B] dot(x, x), lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={0}, rhs_contracting_dims={0}
  back = f32[3,B] transpose(p2), dimensions={1,0}
  q0 = f32[B] tanh(p3)
  q1 = f32[B] add(q0, s)
  q2 = f32[B] tanh(q1)
  q = f32[3,B] broadcast(q2), dimensions={1}
  y0 = f32[3,B] add(p1, back)
  y1 = f32[3,B] tanh(y0)
  y = f32[3,B] add(y1, q))";
  check_batches({"f32[3,B]", kBody, "", 3});
  check_loop({"f32[3,B]", kBody, "", 3}, 2);
}

TEST(RegisterLoop, ReducesSeveralArraysAtOnce) {
  check_batches({"f32[B,4]", R"(
  n = s32[B,4] iota(), iota_dimension=1
  none = s32[] constant(-1)
  low = f32[] constant(-inf)
  best = (f32[B], s32[B]) reduce(x, n, low, none), dimensions={1}, to_apply=larger
  value = f32[B] get-tuple-element(best), index=0
  place = s32[B] get-tuple-element(best), index=1
  as_float = f32[B] convert(place)
  both = f32[B] add(value, as_float)
  wide = f32[B,4] broadcast(both), dimensions={0}
  y = f32[B,4] subtract(wide, x))",
                 R"(larger {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  g = pred[] compare(b, a), direction=GT
  v = f32[] select(g, b, a)
  k = s32[] select(g, j, i)
  ROOT t = (f32[], s32[]) tuple(v, k)
})"},
                0);
}

TEST(RegisterLoop, HoldsEveryType) {
  for (const char* type : {"f64", "f16", "bf16", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "c64", "c128"}) {
    const std::string t = type;
    const std::string body = "\n  r = " + t + "[B,2] reverse(x), dimensions={1}\n  s = " + t +
                             "[B,2] add(x, r)\n  y = " + t + "[B,2] subtract(s, x)";
    check_loop({t + "[B,2]", body}, 33, 0);
    check_loop({t + "[B,2]", body}, 3, 0);
  }
  check_loop({"pred[B,2]", "r = pred[B,2] reverse(x), dimensions={1}\n  y = pred[B,2] xor(x, r)"}, 33, 0);
  check_loop({"s4[B,2]", "r = s4[B,2] reverse(x), dimensions={1}\n  y = s4[B,2] add(x, r)"}, 33, 0);
  check_loop({"u32[B]", "f = f32[B] bitcast-convert(x)\n  g = f32[B] negate(f)\n  y = u32[B] bitcast-convert(g)"}, 33,
             0);
}

TEST(RegisterLoop, CallsFunctionsOfSeveralElementsAtOnce) {
  for (int64_t n : {2, 3, 4, 5, 7, 8}) {
    check_loop({"f32[B]", "e = f32[B] exponential(x)\n  l = f32[B] log-plus-one(e)\n  y = f32[B] tanh(l)"}, n);
    check_loop({"f64[B]", "a = f64[B] tanh(x)\n  b = f64[B] power(a, a)\n  y = f64[B] cosine(b)"}, n);
  }
}

TEST(RegisterLoop, BranchesAndLoopsWithin) {
  const std::string others = R"(
inner {
  p = (s32[], s32[], f32[B]) parameter(0)
  k = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  z = f32[B] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(k, one)
  half = f32[] constant(0.5)
  halves = f32[B] broadcast(half), dimensions={}
  r = f32[B] multiply(z, halves)
  ROOT t = (s32[], s32[], f32[B]) tuple(next, n, r)
}
more {
  p = (s32[], s32[], f32[B]) parameter(0)
  k = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT c = pred[] compare(k, n), direction=LT
}
double { x = f32[B] parameter(0)  ROOT y = f32[B] add(x, x) }
ones { x = f32[B] parameter(0)  one = f32[] constant(1)  ROOT y = f32[B] broadcast(one), dimensions={} }
keep { ROOT x = f32[B] parameter(0) }
)";
  const std::string body = R"(
  none = s32[] constant(0)
  init = (s32[], s32[], f32[B]) tuple(none, i, x)
  halved = (s32[], s32[], f32[B]) while(init), condition=more, body=inner
  h = f32[B] get-tuple-element(halved), index=2
  two = s32[] constant(2)
  odd = s32[] remainder(i, two)
  is_odd = pred[] compare(odd, one), direction=EQ
  a = f32[B] conditional(is_odd, h, x), true_computation=double, false_computation=ones
  b = f32[B] conditional(i, a, h, x), branch_computations={double, keep, ones}
  picked = f32[B] select(is_odd, a, b)
  low = f32[] constant(-2)
  high = f32[] constant(3)
  y = f32[B] clamp(low, picked, high))";
  check_batches({"f32[B]", body, others, 5}, 0);
  check_loop({"f32[B]", body, others, 5}, 4, 0);
}

TEST(RegisterLoop, KeepsSpecialValues) {
  const hlo::Module module =
      parsed(text_of({"f32[B]", "n = f32[B] negate(x)\n  y = f32[B] multiply(n, n)", "", 1}, 19));
  Literal x(Shape::array(ElementType::kF32, {19}));
  const float inf = std::numeric_limits<float>::infinity();
  const float values[] = {inf, -inf, std::numeric_limits<float>::quiet_NaN(), 0.0f, -0.0f, 1e-40f, 1e-20f, 3e38f};
  for (size_t k = 0; k < 19; ++k) x.data<float>()[k] = values[k % 8];
  EXPECT_TRUE(lives_in_registers(module));
  check(module, {Literal::scalar<int32_t>(0), x}, 0);
}

TEST(RegisterLoop, GivesTheSameBitsWithAnyThreads) {
  LoopText loop = kOscillators;
  loop.turns = 3000;
  const hlo::Module module = parsed(text_of(loop, 3001));
  auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  std::vector<Literal> arguments = samples(module);
  arguments[0] = Literal::scalar<int32_t>(0);
  expect_same_bits_with_any_threads(**executable, arguments);
}

TEST(RegisterLoop, WritesOverADonatedArgument) {
  const hlo::Module module = parsed(text_of(kOscillators, 1000));
  auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  std::vector<Literal> arguments = samples(module);
  arguments[0] = Literal::scalar<int32_t>(0);
  const std::vector<Literal> wanted = run(**executable, arguments);
  std::vector<BufferPtr> buffers, results(2);
  for (const Literal& argument : arguments) buffers.push_back(tests::cpu_buffer(argument));
  const void* const memory = host(buffers[1]).data();
  const bool donated[] = {false, true};
  ExecuteOptions options;
  options.donated = donated;
  ASSERT_TRUE((*executable)->execute(buffers, results, options).ok());
  EXPECT_EQ(host(results[1]).data(), memory);
  for (size_t k = 0; k < 2; ++k) EXPECT_TRUE(literal_from_buffer(*results[k])->identical(wanted[k]));
}

TEST(RegisterLoop, StopsWhenCancelled) {
  const hlo::Module module = parsed(with_size(R"(HloModule endless
body { p = (s32[], f32[B]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f32[B] get-tuple-element(p), index=1
  j = s32[] multiply(i, i)  y = f32[B] negate(x)  ROOT t = (s32[], f32[B]) tuple(j, y) }
condition { p = (s32[], f32[B]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT }
ENTRY main { i = s32[] parameter(0)  x = f32[B] parameter(1)  init = (s32[], f32[B]) tuple(i, x)
  ROOT w = (s32[], f32[B]) while(init), condition=condition, body=body }
)",
                                              300));
  EXPECT_TRUE(lives_in_registers(module));
  auto executable = tests::cpu_client()->compile(module, {}, nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  std::vector<BufferPtr> buffers, results(2);
  for (const Literal& argument : samples(module)) buffers.push_back(tests::cpu_buffer(argument));
  buffers[0] = tests::cpu_buffer(Literal::scalar<int32_t>(1));
  CancellationToken token;
  ExecuteOptions options;
  options.cancellation = &token;
  std::thread canceller([&] { token.cancel(); });
  const Status status = (*executable)->execute(buffers, results, options);
  canceller.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace hilo::cpu
