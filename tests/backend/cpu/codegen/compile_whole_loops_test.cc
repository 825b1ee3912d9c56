// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/whole_loops.h"

#include <fmt/format.h>

#include <thread>

#include "hilo/backend/cpu/codegen/compile.h"
#include "hilo/backend/cpu/library/costs.h"
#include "hilo/backend/cpu/load/cpu_program.h"
#include "hilo/backend/host/host_executable.h"
#include "hilo/base/thread_pool.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/passes/pass_list.h"
#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

using engine::LoopForm, engine::Plan, engine::PlannedKernel, engine::Slot, engine::SlotSource;
using engine::Step, engine::StepKind, engine::WhileLoop;

constexpr int64_t kSizes[] = {0, 1, 3, 17, 40};

/// `text` with every N replaced by a size and every T by an iteration count.
std::string sized(std::string text, int64_t n, int64_t turns = 5) {
  for (const auto& [mark, value] : {std::pair('N', n), std::pair('T', turns)}) {
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const auto part_of_word = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
      if (part_of_word(text[at - 1]) || part_of_word(text[at + 1])) continue;
      text.replace(at, 1, std::to_string(value));
    }
  }
  return text;
}

/// A loop over `carry`, whose element 0 counts from 0 to T. The last line of `body` names the next elements; `entry`
/// computes `init`.
std::string loop_text(const std::string& carry, const std::string& body, const std::string& entry,
                      const std::string& others = "", const std::string& result = "ROOT w") {
  return "HloModule loops\n" + others + "\nbody {\n  p = " + carry +
         " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  one = s32[] constant(1)\n"
         "  next = s32[] add(i, one)\n" +
         body + "\n}\ncondition {\n  p = " + carry +
         " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(T)\n"
         "  ROOT c = pred[] compare(i, n), direction=LT\n}\nENTRY main {\n  zero = s32[] constant(0)\n" +
         entry + "\n  init = " + carry + " tuple(zero, " + "INIT" + ")\n  " + result + " = " + carry +
         " while(init), condition=condition, body=body\n}\n";
}

std::string with_init(std::string text, const std::string& init) { return text.replace(text.find("INIT"), 4, init); }

hlo::Module parsed(const std::string& text) {
  StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  return module.ok() ? *std::move(module) : hlo::Module{};
}

struct Planned {
  std::unique_ptr<Executable> executable;
  size_t whole_loops = 0;
  size_t stepwise_loops = 0;  ///< loops that still run as step lists
};

Planned plan(const hlo::Module& module, Isa isa, LoopForm form) {
  auto optimized = std::make_unique<hlo::Module>(module);
  EXPECT_TRUE(hlo::run_passes(*optimized, hlo::default_pipeline(), {}).ok());
  StatusOr<EmittedPlan> emitted = compile_plan(*optimized, isa, form);
  EXPECT_TRUE(emitted.ok()) << emitted.status().to_string();
  if (!emitted.ok()) return {};
  StatusOr<Program> program = load_program(std::move(emitted->plan), isa);
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  if (!program.ok()) return {};
  Planned planned;
  planned.whole_loops = program->plan.whole_loops.size();
  for (const WhileLoop& loop : program->plan.loops) planned.stepwise_loops += !loop.body.empty();
  planned.executable = std::make_unique<HostExecutable>(
      std::make_unique<CpuProgram>(host_signature(module, {}), std::make_unique<ProgramModule>(std::move(optimized)),
                                   *std::move(program), 0, 0),
      std::vector{*tests::cpu_client()->local_device(0)});
  return planned;
}

/// Compares with the reference evaluator, and bit for bit with the step list. Runs every instruction set with one
/// thread and with four.
void check_loop(const hlo::Module& module, const std::vector<Literal>& arguments, double tolerance = 1e-5,
                size_t whole_loops = 1) {
  ASSERT_NE(module.entry, nullptr);
  check(module, arguments, tolerance);
  for (const Isa isa : supported_isas()) {
    const Planned steps = plan(module, isa, LoopForm::kSteps), whole = plan(module, isa, LoopForm::kFunctions);
    ASSERT_NE(steps.executable, nullptr);
    ASSERT_NE(whole.executable, nullptr);
    EXPECT_EQ(whole.whole_loops, whole_loops);
    EXPECT_EQ(whole.stepwise_loops, 0u);
    const std::vector<Literal> wanted = run(*steps.executable, arguments);
    for (int threads : {1, 4}) {
      set_default_thread_count(threads);
      for (int turn = 0; turn < 2; ++turn) {
        const std::vector<Literal> got = run(*whole.executable, arguments);
        ASSERT_EQ(got.size(), wanted.size());
        for (size_t k = 0; k < got.size(); ++k) {
          EXPECT_TRUE(got[k].identical(wanted[k]))
              << isa_name(isa) << ", " << threads << " threads, result " << k << "\n"
              << got[k].to_string(64) << "\nwanted\n"
              << wanted[k].to_string(64);
        }
      }
    }
    set_default_thread_count(0);
  }
}

void check_loop(const std::string& text, double tolerance = 1e-5) {
  const hlo::Module module = parsed(text);
  ASSERT_NE(module.entry, nullptr) << text;
  check_loop(module, samples(module), tolerance);
}

/// The same loops with the counter's start as the last argument: they run T iterations, one, and none.
void check_turns(std::string text, int32_t turns) {
  const size_t entry = text.find("ENTRY");
  int parameters = 0;
  for (size_t at = text.find(" parameter(", entry); at != std::string::npos; at = text.find(" parameter(", at + 1))
    ++parameters;
  const std::string fixed = "zero = s32[] constant(0)";
  text.replace(text.find(fixed, entry), fixed.size(), fmt::format("zero = s32[] parameter({})", parameters));
  const hlo::Module module = parsed(text);
  ASSERT_NE(module.entry, nullptr) << text;
  for (int32_t start : {0, turns - 1, turns, turns + 3}) {
    std::vector<Literal> arguments = samples(module);
    arguments.back() = Literal::scalar<int32_t>(start);
    check_loop(module, arguments);
  }
}

const std::string kMap = with_init(loop_text("(s32[], f32[N])", R"(
  x = f32[N] get-tuple-element(p), index=1
  half = f32[] constant(0.5)
  halves = f32[N] broadcast(half), dimensions={}
  y = f32[N] multiply(x, halves)
  z = f32[N] tanh(y)
  r = f32[N] reverse(z), dimensions={0}
  s = f32[N] add(y, r)
  ROOT t = (s32[], f32[N]) tuple(next, s))",
                                             "  a = f32[N] parameter(0)"),
                                   "a");

TEST(WholeLoops, RunAMapOverAnArray) {
  for (int64_t n : kSizes) {
    check_loop(sized(kMap, n, 5));
    check_turns(sized(kMap, n, 4), 4);
  }
}

TEST(WholeLoops, RunReductionsAndSeveralKernels) {
  const std::string sum = R"(
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
)";
  const std::string text = with_init(loop_text("(s32[], f32[3,N], f32[], f32[N])", R"(
  x = f32[3,N] get-tuple-element(p), index=1
  total = f32[] get-tuple-element(p), index=2
  k = f32[N] get-tuple-element(p), index=3
  e = f32[3,N] exponential(x)
  none = f32[] constant(0)
  rows = f32[3] reduce(e, none), dimensions={1}, to_apply=sum
  columns = f32[N] reduce(e, none), dimensions={0}, to_apply=sum
  all = f32[] reduce(e, none), dimensions={0,1}, to_apply=sum
  across = f32[3,N] broadcast(rows), dimensions={0}
  down = f32[3,N] broadcast(k), dimensions={1}
  soft = f32[3,N] divide(e, across)
  y = f32[3,N] add(soft, down)
  more = f32[] add(total, all)
  kept = f32[N] multiply(k, columns)
  tamed = f32[N] tanh(kept)
  ROOT t = (s32[], f32[3,N], f32[], f32[N]) tuple(next, y, more, tamed))",
                                               "  a = f32[3,N] parameter(0)\n  b = f32[] parameter(1)\n"
                                               "  c = f32[N] parameter(2)",
                                               sum),
                                     "a, b, c");
  for (int64_t n : kSizes) check_loop(sized(text, n, 4), 1e-4);
}

/// A recurrent cell that reads x[i] and writes y[i]; `at` is the index expression.
std::string cell(const std::string& at) {
  return with_init(loop_text("(s32[], f32[N], f32[T,N], f32[T,N], f32[N,N])", R"(
  h = f32[N] get-tuple-element(p), index=1
  xs = f32[T,N] get-tuple-element(p), index=2
  ys = f32[T,N] get-tuple-element(p), index=3
  w = f32[N,N] get-tuple-element(p), index=4
  none = s32[] constant(0)
)" + at + R"(
  x = f32[1,N] dynamic-slice(xs, at, none), dynamic_slice_sizes={1,N}
  row = f32[N] reshape(x)
  product = f32[N] dot(h, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  sum = f32[N] add(product, row)
  g = f32[N] tanh(sum)
  out = f32[1,N] reshape(g)
  all = f32[T,N] dynamic-update-slice(ys, out, at, none)
  ROOT t = (s32[], f32[N], f32[T,N], f32[T,N], f32[N,N]) tuple(next, g, xs, all, w))",
                             "  a = f32[N] parameter(0)\n  b = f32[T,N] parameter(1)\n  c = f32[T,N] parameter(2)\n"
                             "  d = f32[N,N] parameter(3)"),
                   "a, b, c, d");
}

TEST(WholeLoops, ReadSlicesAndWriteThemInPlace) {
  for (int64_t n : kSizes) {
    check_loop(sized(cell("  at = s32[] copy(i)"), n, 6), 1e-4);
    check_loop(sized(cell("  last = s32[] constant(5)\n  at = s32[] subtract(last, i)"), n, 6), 1e-4);
  }
}

TEST(WholeLoops, StartTheStackOfAScanWithWhatIsThere) {
  hlo::Module module = parsed(sized(cell("  at = s32[] copy(i)"), 40, 6));
  ASSERT_TRUE(hlo::run_passes(module, hlo::default_pipeline(), {}).ok());
  for (const LoopForm form : {LoopForm::kFunctions, LoopForm::kSteps}) {
    const StatusOr<EmittedPlan> emitted = compile_plan(module, *selected_isa(), form);
    ASSERT_TRUE(emitted.ok()) << emitted.status().to_string();
    for (const Step& step : emitted->plan.steps) {
      EXPECT_NE(step.kind, StepKind::kKernel);
      if (step.kind != StepKind::kCopy) continue;
      const Slot& from = emitted->plan.slots[step.a];
      EXPECT_FALSE(from.source == SlotSource::kArgument && from.index == 2) << "the stack is copied";
    }
  }
}

TEST(WholeLoops, HandOutLibraryCalls) {
  check_loop(sized(R"(HloModule sorts
less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = pred[] compare(a, b), direction=LT }
body {
  p = (s32[], f32[64,64], f32[64,64], u64[2], f32[64]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[64,64] get-tuple-element(p), index=1
  w = f32[64,64] get-tuple-element(p), index=2
  key = u64[2] get-tuple-element(p), index=3
  last = f32[64] get-tuple-element(p), index=4
  one = s32[] constant(1)
  next = s32[] add(i, one)
  product = f32[64,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  tamed = f32[64,64] tanh(product)
  noise = (u64[2], u32[64]) rng-bit-generator(key), algorithm=rng_three_fry
  new_key = u64[2] get-tuple-element(noise), index=0
  bits = u32[64] get-tuple-element(noise), index=1
  eight = u32[] constant(24)
  shift = u32[64] broadcast(eight), dimensions={}
  small = u32[64] shift-right-logical(bits, shift)
  float = f32[64] convert(small)
  sorted = f32[64] sort(float), dimensions={0}, to_apply=less
  spread = f32[64,64] broadcast(sorted), dimensions={1}
  ratio = f32[] constant(0.001)
  ratios = f32[64,64] broadcast(ratio), dimensions={}
  scaled = f32[64,64] multiply(spread, ratios)
  y = f32[64,64] add(tamed, scaled)
  ROOT t = (s32[], f32[64,64], f32[64,64], u64[2], f32[64]) tuple(next, y, w, new_key, sorted)
}
condition {
  p = (s32[], f32[64,64], f32[64,64], u64[2], f32[64]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(T)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  zero = s32[] constant(0)
  a = f32[64,64] parameter(0)
  b = f32[64,64] parameter(1)
  k = u64[2] parameter(2)
  l = f32[64] parameter(3)
  init = (s32[], f32[64,64], f32[64,64], u64[2], f32[64]) tuple(zero, a, b, k, l)
  ROOT w = (s32[], f32[64,64], f32[64,64], u64[2], f32[64]) while(init), condition=condition, body=body
}
)",
                   0, 3),
             1e-3);
}

TEST(WholeLoops, ForkWhereAKernelIsWorthIt) {
  check_loop(sized(kMap, 1 << 16, 3), 1e-5);
  check_loop(sized(kMap, 1 << 13, 3), 1e-5);  // called by address
}

TEST(WholeLoops, ExchangeTheirCarries) {
  const std::string text = with_init(loop_text("(s32[], f32[N], f32[N], f32[N], f32[], f32[])", R"(
  a = f32[N] get-tuple-element(p), index=1
  b = f32[N] get-tuple-element(p), index=2
  c = f32[N] get-tuple-element(p), index=3
  u = f32[] get-tuple-element(p), index=4
  v = f32[] get-tuple-element(p), index=5
  d = f32[N] add(a, c)
  w = f32[] add(u, v)
  ROOT t = (s32[], f32[N], f32[N], f32[N], f32[], f32[]) tuple(next, b, d, a, v, w))",
                                               "  a = f32[N] parameter(0)\n  b = f32[N] parameter(1)\n"
                                               "  c = f32[N] parameter(2)\n  u = f32[] parameter(3)\n"
                                               "  v = f32[] parameter(4)"),
                                     "a, b, c, u, v");
  for (int64_t n : kSizes) {
    check_loop(sized(text, n, 6));
    check_turns(sized(text, n, 3), 3);
  }
}

TEST(WholeLoops, PutOneValueIntoTwoCarriesAndKeepOthers) {
  const std::string text = with_init(loop_text("(s32[], f32[N], f32[N], f32[N], f32[N], f32[], f32[])", R"(
  a = f32[N] get-tuple-element(p), index=1
  b = f32[N] get-tuple-element(p), index=2
  c = f32[N] get-tuple-element(p), index=3
  d = f32[N] get-tuple-element(p), index=4
  u = f32[] get-tuple-element(p), index=5
  v = f32[] get-tuple-element(p), index=6
  x = f32[N] add(a, c)
  y = f32[N] subtract(b, x)
  w = f32[] multiply(u, v)
  five = f32[] constant(5)
  fives = f32[N] broadcast(five), dimensions={}
  ROOT t = (s32[], f32[N], f32[N], f32[N], f32[N], f32[], f32[]) tuple(next, x, x, c, fives, w, w))",
                                               "  a = f32[N] parameter(0)\n  c = f32[N] parameter(1)\n"
                                               "  u = f32[] parameter(2)"),
                                     "a, a, c, a, u, u");
  for (int64_t n : kSizes) check_loop(sized(text, n));
}

TEST(WholeLoops, HoldScalarsOfEveryWidth) {
  check_loop(sized(with_init(loop_text("(s32[], pred[], bf16[], f64[], u8[1], f32[1,1], s64[], f32[N])", R"(
  b = pred[] get-tuple-element(p), index=1
  h = bf16[] get-tuple-element(p), index=2
  d = f64[] get-tuple-element(p), index=3
  u = u8[1] get-tuple-element(p), index=4
  f = f32[1,1] get-tuple-element(p), index=5
  l = s64[] get-tuple-element(p), index=6
  x = f32[N] get-tuple-element(p), index=7
  nb = pred[] not(b)
  small = f32[] reshape(f)
  hf = f32[] convert(h)
  mix = f32[] add(small, hf)
  nh = bf16[] convert(mix)
  wide = f64[] convert(mix)
  nd = f64[] add(d, wide)
  nu = u8[1] add(u, u)
  picked = f32[] select(b, mix, small)
  nf = f32[1,1] reshape(picked)
  ul = u8[] reshape(nu)
  long = s64[] convert(ul)
  nl = s64[] add(l, long)
  spread = f32[N] broadcast(picked), dimensions={}
  nx = f32[N] add(x, spread)
  ROOT t = (s32[], pred[], bf16[], f64[], u8[1], f32[1,1], s64[], f32[N]) tuple(next, nb, nh, nd, nu, nf, nl, nx))",
                                       R"(  b = pred[] parameter(0)
  h = bf16[] parameter(1)
  d = f64[] parameter(2)
  u = u8[1] parameter(3)
  f = f32[1,1] parameter(4)
  l = s64[] parameter(5)
  x = f32[N] parameter(6))"),
                             "b, h, d, u, f, l, x"),
                   17));
}

const std::string kNested = R"(HloModule nested
inner_body {
  p = (s32[], f32[N], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[N] get-tuple-element(p), index=1
  n = s32[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[N] add(x, x)
  z = f32[N] tanh(y)
  ROOT t = (s32[], f32[N], s32[]) tuple(next, z, n)
}
inner_condition {
  p = (s32[], f32[N], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=2
  ROOT c = pred[] compare(i, n), direction=LT
}
count_body {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  three = s32[] constant(3)
  next = s32[] add(i, three)
  ROOT t = (s32[], s32[]) tuple(next, n)
}
count_condition {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[N], f32[N], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[N] get-tuple-element(p), index=1
  b = f32[N] get-tuple-element(p), index=2
  s = s32[] get-tuple-element(p), index=3
  one = s32[] constant(1)
  none = s32[] constant(0)
  next = s32[] add(i, one)
  inner_init = (s32[], f32[N], s32[]) tuple(none, a, i)
  inner = (s32[], f32[N], s32[]) while(inner_init), condition=inner_condition, body=inner_body
  count_init = (s32[], s32[]) tuple(s, i)
  count = (s32[], s32[]) while(count_init), condition=count_condition, body=count_body
  counted = s32[] get-tuple-element(count), index=0
  grown = f32[N] get-tuple-element(inner), index=1
  c = f32[N] add(grown, a)
  ROOT t = (s32[], f32[N], f32[N], s32[]) tuple(next, b, c, counted)
}
condition {
  p = (s32[], f32[N], f32[N], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(T)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  zero = s32[] constant(0)
  a = f32[N] parameter(0)
  b = f32[N] parameter(1)
  s = s32[] parameter(2)
  init = (s32[], f32[N], f32[N], s32[]) tuple(zero, a, b, s)
  ROOT w = (s32[], f32[N], f32[N], s32[]) while(init), condition=condition, body=body
}
)";

TEST(WholeLoops, Nest) {
  for (int64_t n : kSizes) {
    check_loop(sized(kNested, n, 5));
    check_turns(sized(kNested, n, 2), 2);
  }
}

TEST(WholeLoops, HoldLoopsInTheirCondition) {
  std::string text = sized(kNested, 17, 9);
  // The counted loop moves into the condition, which runs it once more than there are iterations.
  const size_t at = text.find("  n = s32[] constant(9)");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string("  n = s32[] constant(9)").size(), R"(  s = s32[] get-tuple-element(p), index=3
  nine = s32[] constant(9)
  x = f32[17] get-tuple-element(p), index=1
  again_init = (s32[], f32[17], s32[]) tuple(i, x, nine)
  again = (s32[], f32[17], s32[]) while(again_init), condition=inner_condition, body=inner_body
  n = s32[] get-tuple-element(again), index=0)");
  check_loop(text);
}

TEST(WholeLoops, Branch) {
  const std::string branches = R"(
double { x = f32[N] parameter(0)  ROOT y = f32[N] add(x, x) }
square { x = f32[N] parameter(0)  ROOT y = f32[N] multiply(x, x) }
keep { ROOT x = f32[N] parameter(0) }
up { s = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  f = f32[] get-tuple-element(s), index=1
     g = f32[] add(f, f)  ROOT t = (f32[], s32[]) tuple(g, i) }
down { s = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0  f = f32[] get-tuple-element(s), index=1
     j = s32[] negate(i)  ROOT t = (f32[], s32[]) tuple(f, j) }
)";
  const std::string text = with_init(loop_text("(s32[], f32[N], f32[], s32[])", R"(
  x = f32[N] get-tuple-element(p), index=1
  f = f32[] get-tuple-element(p), index=2
  j = s32[] get-tuple-element(p), index=3
  y = f32[N] conditional(i, x, x, x), branch_computations={double, square, keep}
  two = s32[] constant(2)
  odd = s32[] remainder(i, two)
  is_odd = pred[] compare(odd, one), direction=EQ
  pair = (s32[], f32[]) tuple(next, f)
  both = (f32[], s32[]) conditional(is_odd, pair, pair), true_computation=up, false_computation=down
  g = f32[] get-tuple-element(both), index=0
  k = s32[] get-tuple-element(both), index=1
  sum = s32[] add(j, k)
  spread = f32[N] broadcast(g), dimensions={}
  z = f32[N] add(y, spread)
  tamed = f32[N] tanh(z)
  ROOT t = (s32[], f32[N], f32[], s32[]) tuple(next, tamed, g, sum))",
                                               "  a = f32[N] parameter(0)\n  f = f32[] parameter(1)\n"
                                               "  j = s32[] parameter(2)",
                                               branches),
                                     "a, f, j");
  for (int64_t n : kSizes) check_loop(sized(text, n));
}

TEST(WholeLoops, StandInBranchesAndAfterEachOther) {
  const std::string text = R"(HloModule branches
body {
  p = (s32[], f32[N]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[N] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[N] add(x, x)
  z = f32[N] tanh(y)
  ROOT t = (s32[], f32[N]) tuple(next, z)
}
condition {
  p = (s32[], f32[N]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(T)
  ROOT c = pred[] compare(i, n), direction=LT
}
loops {
  s = (s32[], f32[N]) parameter(0)
  first = (s32[], f32[N]) while(s), condition=condition, body=body
  i = s32[] get-tuple-element(first), index=0
  x = f32[N] get-tuple-element(first), index=1
  j = s32[] negate(i)
  init = (s32[], f32[N]) tuple(j, x)
  ROOT w = (s32[], f32[N]) while(init), condition=condition, body=body
}
nothing { ROOT s = (s32[], f32[N]) parameter(0) }
ENTRY main {
  a = f32[N] parameter(0)
  i = s32[] parameter(1)
  which = pred[] parameter(2)
  init = (s32[], f32[N]) tuple(i, a)
  ROOT r = (s32[], f32[N]) conditional(which, init, init), true_computation=loops, false_computation=nothing
}
)";
  for (int64_t n : {1, 17}) {
    const hlo::Module module = parsed(sized(text, n));
    const Literal x = sample(Shape::array(ElementType::kF32, {n}), 1);
    for (bool which : {false, true})
      check_loop(module, {x, Literal::scalar<int32_t>(2), Literal::scalar<bool>(which)}, 1e-5, 2);
  }
}

TEST(WholeLoops, UpdateDonatedMemoryInPlace) {
  const int64_t n = 1 << 10;
  const hlo::Module module = parsed(sized(with_init(loop_text("(s32[], f32[N])", R"(
  x = f32[N] get-tuple-element(p), index=1
  y = f32[N] negate(x)
  piece = f32[1] constant({7})
  z = f32[N] dynamic-update-slice(y, piece, i)
  ROOT t = (s32[], f32[N]) tuple(next, z))",
                                                              "  a = f32[N] parameter(0)"),
                                                    "a"),
                                          n, 7));
  const Planned planned = plan(module, *selected_isa(), LoopForm::kFunctions);
  ASSERT_EQ(planned.whole_loops, 1u);
  const std::vector<Literal> arguments = samples(module);
  const std::vector<Literal> wanted = run(*planned.executable, arguments);
  std::vector<BufferPtr> buffers = {tests::cpu_buffer(arguments[0])}, results(2);
  const void* memory = host(buffers[0]).data();
  const bool donated[] = {true};
  ExecuteOptions options;
  options.donated = donated;
  ASSERT_TRUE(planned.executable->execute(buffers, results, options).ok());
  EXPECT_EQ(host(results[1]).data(), memory);
  for (size_t k = 0; k < 2; ++k) EXPECT_TRUE(literal_from_buffer(*results[k])->identical(wanted[k]));
}

TEST(WholeLoops, AreCompiledOncePerMeaning) {
  const hlo::Module module = parsed(sized(kMap, 23, 4));
  auto first = tests::cpu_client()->compile(module, {}, nullptr),
       second = tests::cpu_client()->compile(module, {}, nullptr);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*first)->statistics().kernel_count, (*second)->statistics().kernel_count);
  EXPECT_GE((*first)->statistics().kernels_compiled, 1);
  EXPECT_EQ((*second)->statistics().kernels_compiled, 0);
}

/// A program that runs forever, optionally with a sort in every iteration.
std::string endless(bool sorts) {
  return std::string("HloModule endless\nless { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = pred[] ") +
         "compare(a, b), direction=LT }\nbody {\n  p = (s32[], f32[40]) parameter(0)\n"
         "  i = s32[] get-tuple-element(p), index=0\n  x = f32[40] get-tuple-element(p), index=1\n"
         "  same = s32[] multiply(i, i)\n  y = f32[40] negate(x)\n" +
         (sorts ? "  z = f32[40] sort(y), dimensions={0}, to_apply=less\n" : "  z = f32[40] tanh(y)\n") +
         "  ROOT t = (s32[], f32[40]) tuple(same, z)\n}\ncondition {\n  p = (s32[], f32[40]) parameter(0)\n"
         "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(5)\n"
         "  ROOT c = pred[] compare(i, n), direction=LT\n}\nENTRY main {\n  i = s32[] parameter(0)\n"
         "  x = f32[40] parameter(1)\n  init = (s32[], f32[40]) tuple(i, x)\n"
         "  ROOT w = (s32[], f32[40]) while(init), condition=condition, body=body\n}\n";
}

TEST(WholeLoops, StopWhenCancelled) {
  for (bool sorts : {false, true}) {
    const hlo::Module module = parsed(endless(sorts));
    const Planned planned = plan(module, *selected_isa(), LoopForm::kFunctions);
    ASSERT_EQ(planned.whole_loops, 1u);
    for (bool before : {false, true}) {
      CancellationToken token;
      ExecuteOptions options;
      options.cancellation = &token;
      if (before) token.cancel();
      std::vector<BufferPtr> arguments, results(2);
      for (const Literal& argument : samples(module)) arguments.push_back(tests::cpu_buffer(argument));
      arguments[0] = tests::cpu_buffer(Literal::scalar<int32_t>(1));
      std::thread canceller([&] { token.cancel(); });
      const Status status = planned.executable->execute(arguments, results, options);
      canceller.join();
      EXPECT_EQ(status.code(), StatusCode::kCancelled);
      EXPECT_TRUE(status.message().starts_with("Execute 'endless': the program was cancelled")) << status.to_string();
    }
  }
}

TEST(WholeLoops, StayStepsBecauseATurnIsLong) {
  const hlo::Module module = parsed(sized(kMap, 1 << 20, 2));
  const Planned planned = plan(module, *selected_isa(), LoopForm::kFunctions);
  EXPECT_EQ(planned.whole_loops, 0u);
  EXPECT_EQ(planned.stepwise_loops, 1u);
  check(module);
}

TEST(WholeLoops, StayStepsBecauseThereAreTooMany) {
  std::string body = "  x0 = f32[3,5] get-tuple-element(p), index=1\n";
  for (int k = 0; k < 300; ++k) {
    body += fmt::format("  x{} = f32[3,5] sort(x{}), dimensions={{{}}}, to_apply=less\n", k + 1, k, k % 2);
  }
  body += "  ROOT t = (s32[], f32[3,5]) tuple(next, x300)";
  const std::string text =
      with_init(loop_text("(s32[], f32[3,5])", body, "  a = f32[3,5] parameter(0)",
                          "less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = pred[] compare(a, b), "
                          "direction=LT }"),
                "a");
  const hlo::Module module = parsed(sized(text, 1, 2));
  const Planned planned = plan(module, *selected_isa(), LoopForm::kFunctions);
  EXPECT_EQ(planned.whole_loops, 0u);
  EXPECT_EQ(planned.stepwise_loops, 1u);
  check(module);
}

TEST(WholeLoops, SayWhyTheyStaySteps) {
  const Plan plan;
  WhileLoop loop;
  EXPECT_EQ(why_not_whole(plan, loop, {}, cpu::kCpuCosts), "");
  loop.body.assign(1000, Step{StepKind::kCopy});
  EXPECT_EQ(why_not_whole(plan, loop, {}, cpu::kCpuCosts), "it has too many steps for one function");
  std::vector<PlannedKernel> kernels(1);
  kernels[0].nanoseconds = 1e9;
  loop.body = {Step{StepKind::kKernel}};
  EXPECT_EQ(why_not_whole(plan, loop, kernels, cpu::kCpuCosts), "a turn takes so long that dispatch is negligible");
}

TEST(WholeLoops, ShareAnExecutableAmongThreads) {
  const hlo::Module module = parsed(sized(kNested, 40, 5));
  const Planned planned = plan(module, *selected_isa(), LoopForm::kFunctions);
  const std::vector<Literal> arguments = samples(module);
  const std::vector<Literal> wanted = run(*planned.executable, arguments);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20; ++turn) {
        const std::vector<Literal> got = run(*planned.executable, arguments);
        for (size_t k = 0; k < got.size(); ++k) wrong += !got[k].identical(wanted[k]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hilo::cpu
