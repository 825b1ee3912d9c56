// SPDX-License-Identifier: Apache-2.0
// Cancels every kind of step while it runs and before it starts. The program must end soon, and never with OK.
#include "hilo/backend/cpu/load/program.h"

#include <fmt/format.h>
#include <time.h>

#include <chrono>
#include <thread>

#include "hilo/backend/cpu/library/long_call.h"
#include "hilo/backend/cpu/library/products/blas.h"
#include "hilo/hlo/ops/custom_call_registry.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"

namespace hilo::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// The action of the call "test.begin", with which every program here begins.
std::function<void()>& at_begin() {
  static std::function<void()> action;
  return action;
}

Status begin(const CustomCallFrame& frame) {
  *static_cast<int32_t*>(frame.results[0].data) = *static_cast<const int32_t*>(frame.operands[0].data);
  at_begin()();
  return ok_status();
}

const bool kRegistered = register_custom_call("test.begin", begin).ok();

/// ENTRY main. Its lines may use `s`, an s32[] that is 0 once the program has started.
std::string program(const std::string& computations, const std::string& lines) {
  return "HloModule big\n\n" + computations +
         "\nENTRY main {\n  p = s32[] parameter(0)\n  s = s32[] custom-call(p), custom_call_target=\"test.begin\"\n" +
         lines + "}\n";
}

/// An array of `dimensions` that no pass folds: `name` = broadcast(convert(s)).
std::string filled(const std::string& name, const std::string& type, const std::string& dimensions) {
  return fmt::format("  {0}0 = {1}[] convert(s)\n  {0} = {1}[{2}] broadcast({0}0), dimensions={{}}\n", name, type,
                     dimensions);
}

/// Elements that differ: products of their positions, unordered.
std::string mixed(const std::string& name, const std::string& type, const std::string& dimensions) {
  return fmt::format(
      "  {0}i = u32[{2}] iota(), iota_dimension=0\n  {0}c = u32[] constant(2654435761)\n  {0}s = u32[] convert(s)\n"
      "  {0}f = u32[] add({0}c, {0}s)\n  {0}b = u32[{2}] broadcast({0}f), dimensions={{}}\n  {0}m = u32[{2}] "
      "multiply({0}i, "
      "{0}b)\n  {0} = {1}[{2}] convert({0}m)\n",
      name, type, dimensions);
}

/// The limit for the time after a cancel, in seconds. docs promise 0.05; busy machines and sanitizers take longer.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr double kMaxSeconds = 10;
#else
constexpr double kMaxSeconds = 1;
#endif

constexpr const char* kAdd =
    "sum {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n  ROOT c = {0}[] add(a, b)\n}}\n";
std::string adder(const std::string& type) { return fmt::format(fmt::runtime(kAdd), type); }

constexpr const char* kLess =
    "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), direction=LT\n}\n";
/// Not a plain order, so it is called for every comparison.
constexpr const char* kLessBySine =
    "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  x = f32[] sine(a)\n  y = f32[] sine(b)\n  ROOT c = "
    "pred[] "
    "compare(x, y), direction=LT\n}\n";

struct Step {
  std::string name, text;
};

std::string loop(const std::string& carry, const std::string& turn) {
  return fmt::format(
      "body {{\n  x = {0} parameter(0)\n{1}}}\ncondition {{\n  x = {0} parameter(0)\n  ROOT yes = pred[] "
      "constant(true)\n}}\n",
      carry, turn);
}

std::string endless(const std::string& carry, const std::string& turn, const std::string& computations = "") {
  const std::string type = carry.substr(0, carry.find('[')), dimensions = carry.substr(carry.find('[') + 1);
  return program(computations + loop(carry, turn),
                 filled("x", type, dimensions.substr(0, dimensions.size() - 1)) +
                     fmt::format("  ROOT w = {} while(x), condition=condition, body=body\n", carry));
}

/// Computations that add or compare two numbers after an endless loop.
const char* const kNeverDone =
    "turn {\n  i = f32[] parameter(0)\n  ROOT j = f32[] cosine(i)\n}\n"
    "forever {\n  i = f32[] parameter(0)\n  n = f32[] constant(2)\n  ROOT c = pred[] compare(i, n), direction=LT\n}\n"
    "add_late {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  z = f32[] constant(0)\n  w = f32[] while(z), "
    "condition=forever, body=turn\n  s = f32[] add(a, b)\n  ROOT r = f32[] add(s, w)\n}\n"
    "less_late {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  z = f32[] constant(0)\n  w = f32[] while(z), "
    "condition=forever, body=turn\n  s = f32[] add(a, w)\n  ROOT r = pred[] compare(s, b), direction=LT\n}\n";

/// Steps of each kind that would take many seconds.
std::vector<Step> long_steps() {
  const std::string big_sum = mixed("x", "f32", "1099511627776") +
                              "  z = f32[] constant(0)\n  ROOT r = f32[] reduce(x, z), dimensions={0}, "
                              "to_apply=sum\n";
  std::vector<Step> steps = {
      {"kernel that is one sum", program(adder("f32"), big_sum)},
      {"kernel of few long sums",
       program(adder("f32"), mixed("x", "f32", "34359738368,3") +
                                 "  z = f32[] constant(0)\n  ROOT r = f32[3] reduce(x, z), dimensions={0}, "
                                 "to_apply=sum\n")},
      {"kernel of many sums",
       program(adder("f32"), mixed("x", "f32", "65536,33554432") +
                                 "  z = f32[] constant(0)\n  ROOT r = f32[65536] reduce(x, z), dimensions={1}, "
                                 "to_apply=sum\n")},
      {"kernel of a matrix of sums",
       program(adder("f32"), mixed("x", "f32", "2,65536,16777216") +
                                 "  z = f32[] constant(0)\n  ROOT r = f32[2,65536] reduce(x, z), dimensions={2}, "
                                 "to_apply=sum\n")},
      {"kernel of arg-max",
       program("most {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n  b = f32[] parameter(2)\n  j = s32[] "
               "parameter(3)\n  g = pred[] compare(a, b), direction=GE\n  x = f32[] select(g, a, b)\n  k = s32[] "
               "select(g, i, j)\n  ROOT t = (f32[], s32[]) tuple(x, k)\n}\n",
               mixed("x", "f32", "1099511627776") +
                   "  n = s32[1099511627776] iota(), iota_dimension=0\n  z = f32[] constant(0)\n  o = s32[] "
                   "constant(0)\n  ROOT r = (f32[], s32[]) reduce(x, n, z, o), dimensions={0}, to_apply=most\n")},
      {"conditional", program(adder("f32") + "then {\n  s = s32[] parameter(0)\n" + big_sum +
                                  "}\nelse {\n  s = s32[] parameter(0)\n  ROOT f = f32[] convert(s)\n}\n",
                              "  o = s32[] constant(1)\n  q = pred[] compare(s, o), direction=LT\n  ROOT r = f32[] "
                              "conditional(q, s, s), true_computation=then, false_computation=else\n")},
      {"window whose reducer doesn't end",
       program(kNeverDone, filled("x", "f32", "40") +
                               "  z = f32[] constant(0)\n  ROOT r = f32[38] reduce-window(x, z), window={size=3}, "
                               "to_apply=add_late\n")},
      {"running reduction whose reducer doesn't end",
       program(kNeverDone, filled("x", "f32", "40") +
                               "  z = f32[] constant(0)\n  ROOT r = f32[40] reduce-window(x, z), window={size=40 "
                               "pad=39_0}, to_apply=add_late\n")},
      {"sort whose comparator doesn't end",
       program(kNeverDone,
               filled("x", "f32", "40") + "  ROOT r = f32[40] sort(x), dimensions={0}, to_apply=less_late\n")},
      {"loop in registers", endless("s32[]", "  o = s32[] constant(1)\n  ROOT y = s32[] add(x, o)\n")},
      {"whole loop", endless("f32[40]", "  ROOT y = f32[40] cosine(x)\n")},
      {"loop of steps", endless("f32[2097152]", "  ROOT y = f32[2097152] cosine(x)\n")},
      {"loop of library calls",
       endless("f32[1000000]", "  ROOT y = f32[1000000] sort(x), dimensions={0}, to_apply=less\n", kLess)},
      {"dot by the reference's kernel",
       program("", filled("a", "s8", "4000,4000") +
                       "  ROOT r = s8[4000,4000] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n")},
      {"convolution by the reference's kernel",
       program("", filled("a", "s32", "8,64,64,64") + filled("k", "s32", "7,7,64,64") +
                       "  ROOT r = s32[8,64,64,64] convolution(a, k), window={size=7x7 pad=3_3x3_3}, "
                       "dim_labels=b01f_01io->b01f\n")},
      {"convolution",
       program("", filled("a", "f32", "32,128,128,64") + filled("k", "f32", "15,15,64,64") +
                       "  ROOT r = f32[32,128,128,64] convolution(a, k), window={size=15x15 pad=7_7x7_7}, "
                       "dim_labels=b01f_01io->b01f\n")},
      {"convolution to few positions",
       program("", filled("a", "f32", "128,128,128,16") + filled("k", "f32", "120,120,16,64") +
                       "  ROOT r = f32[128,9,9,64] convolution(a, k), window={size=120x120}, "
                       "dim_labels=b01f_01io->b01f\n")},
      {"stable sort by a comparator",
       program(kLessBySine, mixed("x", "f32", "16777216") +
                                "  ROOT r = f32[16777216] sort(x), dimensions={0}, is_stable=true, to_apply=less\n")},
      {"sort by a comparator",
       program(kLessBySine, mixed("x", "f32", "16777216") + "  ROOT r = f32[16777216] sort(x), dimensions={0}, "
                                                            "to_apply=less\n")},
      {"window sums",
       program(adder("f32"), filled("x", "f32", "4096,4096") +
                                 "  z = f32[] constant(0)\n  ROOT r = f32[3842,3842] reduce-window(x, z), "
                                 "window={size=255x255}, to_apply=sum\n")},
      {"window sums by a body",
       program(
           "odd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  t = f32[] tanh(a)\n  ROOT c = f32[] add(t, "
           "b)\n}\n",
           filled("x", "f32", "2048,2048") +
               "  z = f32[] constant(0)\n  ROOT r = f32[1922,1922] reduce-window(x, z), window={size=127x127}, "
               "to_apply=odd\n")},
      {"select and scatter",
       program(adder("f32") +
                   "more {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), "
                   "direction=GE\n}\n",
               filled("x", "f32", "2048,2048") + filled("y", "f32", "1922,1922") +
                   "  z = f32[] constant(0)\n  ROOT r = f32[2048,2048] select-and-scatter(x, y, z), "
                   "window={size=127x127}, select=more, scatter=sum\n")},
  };
  if (std::string(blas_name()) == "none") return steps;
  const auto add = [&](std::string name, std::string text) { steps.push_back({std::move(name), std::move(text)}); };
  add("dot of complex numbers",
      program("", filled("a", "c128", "4000,4000") +
                      "  ROOT r = c128[4000,4000] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"));
  const std::string definite =
      "  i = s32[5000,5000] iota(), iota_dimension=0\n  j = s32[5000,5000] iota(), iota_dimension=1\n  e = "
      "pred[5000,5000] "
      "compare(i, j), direction=EQ\n  d = f64[5000,5000] convert(e)\n" +
      filled("x", "f64", "5000,5000") + "  a = f64[5000,5000] add(d, x)\n";
  add("Cholesky", program("", definite + "  ROOT r = f64[5000,5000] cholesky(a), lower=true\n"));
  add("triangular solve",
      program("", definite + "  ROOT r = f64[5000,5000] triangular-solve(a, d), left_side=true, lower=true, "
                             "unit_diagonal=false, transpose_a=NO_TRANSPOSE\n"));
  add("singular values",
      program("",
              "  i = s32[1500,1500] iota(), iota_dimension=0\n  j = s32[1500,1500] iota(), iota_dimension=1\n  k = "
              "s32[1500,1500] multiply(i, j)\n  m = s32[1500,1500] add(k, i)\n" +
                  filled("x", "f32", "1500,1500") +
                  "  f = f32[1500,1500] convert(m)\n  n = f32[1500,1500] sine(f)\n  a = f32[1500,1500] add(n, x)\n"
                  "  ROOT r = (f32[1500,1500]{0,1}, f32[1500]{0}, f32[1500,1500]{0,1}, f32[1500,1500]{0,1}, s32[]) "
                  "custom-call(a), custom_call_target=\"lapack_sgesdd_ffi\", "
                  "operand_layout_constraints={f32[1500,1500]{0,1}}, output_to_operand_aliasing={{0}: (0, {})}, "
                  "backend_config={mode = 65 : ui8}\n"));
  return steps;
}

/// Memory-bound steps, which are too fast to be cancelled while they run.
std::vector<Step> quick_steps() {
  const auto sorted = [](const std::string& attributes) {
    return program(kLess,
                   mixed("x", "f32", "4194304") +
                       fmt::format("  ROOT r = f32[4194304] sort(x), dimensions={{0}}, {}to_apply=less\n", attributes));
  };
  return {
      {"elementwise kernel", program("", mixed("x", "f32", "4194304") + "  ROOT r = f32[4194304] tan(x)\n")},
      {"copy",
       program("",
               "  w = s32[4194304] broadcast(s), dimensions={}\n  ROOT t = (s32[4194304], s32[4194304]) tuple(w, "
               "w)\n")},
      {"radix sort", sorted("is_stable=true, ")},
      {"sort of keys", sorted("")},
      {"running sums",
       program(adder("f32"), mixed("x", "f32", "4194304") +
                                 "  z = f32[] constant(0)\n  ROOT r = f32[4194304] reduce-window(x, z), "
                                 "window={size=4194304 pad=4194303_0}, to_apply=sum\n")},
      {"fft", program("", filled("x", "c64", "4194304") + "  ROOT r = c64[4194304] fft(x), fft_type=FFT, "
                                                          "fft_length={4194304}\n")},
      {"scatter",
       program(adder("f32"),
               filled("x", "f32", "4194304") + mixed("u", "f32", "4194304") +
                   "  i0 = s32[4194304] iota(), iota_dimension=0\n  i = s32[4194304,1] reshape(i0)\n  ROOT r = "
                   "f32[4194304] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
                   "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum\n")},
      {"top k", program("", mixed("x", "f32", "4194304") + "  ROOT r = (f32[9], s32[9]) topk(x), k=9, largest=true\n")},
      {"pad",
       program("", filled("x", "f32", "2097152") +
                       "  z = f32[] constant(1)\n  c = f32[2097152] cosine(x)\n  ROOT r = f32[4194304] pad(c, z), "
                       "padding=0_1_1\n")},
      {"random bits", program("",
                              "  c = u64[] convert(s)\n  t = u64[2] broadcast(c), dimensions={}\n  ROOT r = (u64[2], "
                              "u32[4194304]) rng-bit-generator(t), algorithm=rng_three_fry\n")},
  };
}

std::unique_ptr<Executable> compiled(Client& engine, const std::string& text) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string() << "\n" << text;
  if (!module.ok()) return nullptr;
  StatusOr<std::unique_ptr<Executable>> executable = engine.compile(*module, {}, nullptr);
  EXPECT_TRUE(executable.ok()) << executable.status().to_string();
  return executable.ok() ? *std::move(executable) : nullptr;
}

Status execute(Executable& executable, const CancellationToken& token) {
  ExecuteOptions options;
  options.cancellation = &token;
  const std::vector<BufferPtr> arguments = {tests::argument_of(executable, Literal::scalar<int32_t>(0))};
  std::vector<BufferPtr> results(executable.result_shapes().size());
  return executable.execute(arguments, results, options);
}

double processor_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Waits until the other threads have worked for `seconds`, or until `over`.
void wait_for_work(double seconds, const std::atomic<bool>& over) {
  const auto worked = [] {
    return processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - processor_seconds(CLOCK_THREAD_CPUTIME_ID);
  };
  const double end = worked() + seconds;
  while (worked() < end && !over) std::this_thread::yield();
}

/// Cancels a program from another thread while its long step runs. Returns the program's status and the seconds until
/// it ended.
std::pair<Status, double> cancelled_at_work(Executable& executable) {
  CancellationToken token;
  std::atomic<bool> begun = false, over = false;
  Clock::time_point cancelled_at;
  at_begin() = [&] { begun = true; };
  std::thread canceller([&] {
    while (!begun && !over) std::this_thread::yield();
    wait_for_work(0.1, over);
    cancelled_at = Clock::now();
    token.cancel();
  });
  const Status status = execute(executable, token);
  const Clock::time_point ended = Clock::now();
  over = true;
  canceller.join();
  return {status, std::chrono::duration<double>(ended - cancelled_at).count()};
}

TEST(Program, EveryLongStepIsCancelledWhileItWorks) {
  ASSERT_TRUE(kRegistered);
  const ClientPtr engine = tests::cpu_client();
  for (const Step& step : long_steps()) {
    const std::unique_ptr<Executable> executable = compiled(*engine, step.text);
    ASSERT_NE(executable, nullptr) << step.name;
    const auto [status, seconds] = cancelled_at_work(*executable);
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << step.name << ": " << status.to_string();
    EXPECT_LT(seconds, kMaxSeconds) << step.name;
    if (std::getenv("HILO_TEST_TIMES") != nullptr) fmt::print("{:40} {:8.1f} ms\n", step.name, 1000 * seconds);
  }
}

TEST(Program, EveryStepIsCancelledWhenItIsAboutToBegin) {
  const ClientPtr engine = tests::cpu_client();
  std::vector<Step> steps = quick_steps();
  for (Step& step : long_steps()) steps.push_back(std::move(step));
  for (const Step& step : steps) {
    const std::unique_ptr<Executable> executable = compiled(*engine, step.text);
    ASSERT_NE(executable, nullptr) << step.name;
    CancellationToken token;
    Clock::time_point cancelled_at;
    at_begin() = [&] {
      cancelled_at = Clock::now();
      token.cancel();
    };
    EXPECT_EQ(execute(*executable, token).code(), StatusCode::kCancelled) << step.name;
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - cancelled_at).count(), 1) << step.name;
  }
}

TEST(Program, QuickStepsAreTheSameUnderATokenAndWithout) {
  at_begin() = [] {};
  const ClientPtr engine = tests::cpu_client();
  for (const Step& step : quick_steps()) {
    const std::unique_ptr<Executable> executable = compiled(*engine, step.text);
    ASSERT_NE(executable, nullptr) << step.name;
    const std::vector<BufferPtr> arguments = {tests::cpu_buffer(Literal::scalar<int32_t>(0))};
    std::vector<BufferPtr> alone(executable->result_shapes().size()), watched(alone.size());
    const CancellationToken token;
    ASSERT_TRUE(executable->execute(arguments, alone).ok()) << step.name;
    ASSERT_TRUE(executable->execute(arguments, watched, {.cancellation = &token}).ok()) << step.name;
    for (size_t k = 0; k < alone.size(); ++k)
      EXPECT_TRUE(literal_from_buffer(*alone[k])->identical(*literal_from_buffer(*watched[k]))) << step.name;
  }
}

TEST(Program, TheReferenceIsCancelledInsideOfAnInstruction) {
  const ClientPtr engine = tests::reference_client();
  const std::vector<Step> steps = {
      {"dot",
       program("", filled("a", "s32", "1500,1500") +
                       "  ROOT r = s32[1500,1500] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n")},
      {"convolution", program("", filled("a", "f32", "8,64,64,64") + filled("k", "f32", "7,7,64,64") +
                                      "  ROOT r = f32[8,64,64,64] convolution(a, k), window={size=7x7 pad=3_3x3_3}, "
                                      "dim_labels=b01f_01io->b01f\n")},
      {"window sums", program(adder("f32"), filled("x", "f32", "1024,1024") +
                                                "  z = f32[] constant(0)\n  ROOT r = f32[898,898] reduce-window(x, z), "
                                                "window={size=127x127}, to_apply=sum\n")},
      {"sort", program(kLessBySine, mixed("x", "f32", "4194304") +
                                        "  ROOT r = f32[4194304] sort(x), dimensions={0}, to_apply=less\n")},
      {"loop", endless("s32[]", "  o = s32[] constant(1)\n  ROOT y = s32[] add(x, o)\n")},
      {"Cholesky",
       program("", filled("a", "f32", "4000,4000") + "  ROOT r = f32[4000,4000] cholesky(a), lower=true\n")},
  };
  for (const Step& step : steps) {
    const std::unique_ptr<Executable> executable = compiled(*engine, step.text);
    ASSERT_NE(executable, nullptr) << step.name;
    const auto [status, seconds] = cancelled_at_work(*executable);
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << step.name << ": " << status.to_string();
    EXPECT_LT(seconds, kMaxSeconds) << step.name;
  }
}

}  // namespace
}  // namespace hilo::cpu
