// SPDX-License-Identifier: Apache-2.0
// Operator new fails at its n-th call, once or always: the result is an error, and the library continues to work.
//
// Each n runs in a new process that has not used the library, so the first use can fail too. HILO_OUT_OF_MEMORY_STEP=1
// (make sanitize) tries every n outside of LLVM, and one in a hundred inside, where all failures have the same path
// (backend/cpu/load/spare_memory.h). By default a few are tried, which takes seconds.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <sstream>
#include <string>

#include "hilo/backend/cpu/load/codegen_table.h"
#include "hilo/backend/cpu/load/spare_memory.h"
#include "hilo/base/caches.h"
#include "hilo/base/cpu_count.h"
#include "hilo/client/compile.h"
#include "hilo/hilo.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/import/program.h"
#include "tests/out_of_memory/failing_new.h"
#include "tests/support/in_child.h"

namespace hilo {
namespace {

using test::Failing;

constexpr unsigned kSeconds = 300;  // after which a process counts as hung
constexpr int64_t kFewTries = 12;   // per scenario
constexpr int64_t kCoarser = 100;   // factor of the steps inside of LLVM

/// A use of the library. Throws on failure; returns the same number each time.
struct Scenario {
  const char* name;
  float (*run)();
};

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

enum class Ended : int { kNotAtAll, kWell, kWithError, kWithAnotherError, kByThrowing, kNotUsableAfter };

std::string_view text_of(Ended ended) {
  switch (ended) {
    case Ended::kNotAtAll: return "the process died";
    case Ended::kWell: return "well";
    case Ended::kWithError: return "RESOURCE_EXHAUSTED";
    case Ended::kWithAnotherError: return "an error that is not RESOURCE_EXHAUSTED";
    case Ended::kByThrowing: return "a function that returns a Status threw";
    case Ended::kNotUsableAfter: return "afterwards the same failed";
  }
  return "";
}

/// The results of a process.
struct Report {
  Ended first = Ended::kNotAtAll;
  Ended again = Ended::kNotAtAll;
  float value = 0, value_again = 0;
  int64_t calls = 0;             ///< calls of operator new in the first run
  std::array<char, 200> text{};  ///< the text of the last error
};

float number_of(const Array& x) { return x.item<float>(); }

bool engine_threw = false;

/// Returns the result of `work`. Functions of the engine don't throw.
template <typename Work>
auto engine(const Work& work) {
  try {
    return work();
  } catch (...) {
    engine_threw = true;
    throw;
  }
}

/// Compiles and runs a module without the front end. Returns the first element of its first result.
float run_module(const hlo::Module& module) {
  const auto executable = or_throw(engine([&] { return compile_module(module, CompileOptions{}); }));
  std::vector<BufferPtr> arguments;
  for (const Shape& shape : executable->argument_shapes()) {
    Literal literal = or_throw(Literal::make(shape));
    std::ranges::fill(literal.data<float>(), 1.0f);
    arguments.push_back(or_throw(engine([&] { return buffer_from_literal(*executable->devices()[0], literal); })));
  }
  std::vector<BufferPtr> results(executable->result_shapes().size());
  or_throw(engine([&] { return executable->execute(arguments, results); }));
  return or_throw(engine([&] { return literal_from_buffer(*results[0]); })).data<float>()[0];
}

constexpr char kText[] = R"(HloModule m
ENTRY e { x = f32[2] parameter(0) y = f32[2] add(x, x) ROOT t = f32[2] tanh(y) })";

constexpr char kStableHlo[] = R"(module @m { func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  %1 = stablehlo.tanh %0 : tensor<2xf32>
  return %1 : tensor<2xf32> } })";

Array first_use_of(Array x) { return x * 2.0f; }

float first_use() { return number_of(Array(2.0f) + Array(3.0f)); }

float compile_and_run() {
  const auto f = jit([](Array x) { return numpy::sum(numpy::tanh(x) * 2.0f); });
  return number_of(f(numpy::full({3}, 0.0f))) + number_of(f(numpy::full({4}, 0.0f))) + 1.0f;
}

float transform() {
  const auto f = [](Array x) { return x * x * x; };
  const Array slopes = vmap(grad(f))(numpy::array({1.0f, 2.0f}));
  return number_of(numpy::sum(slopes));
}

float load_text() {
  return run_module(or_throw(engine([] { return hlo::parse_module(kText); })));
}

float load_proto() {
  const hlo::Module module = or_throw(hlo::parse_module(kText));
  const std::string bytes = or_throw(engine([&] { return hlo::to_proto(module); }));
  return run_module(or_throw(engine([&] { return hlo::from_proto(bytes); })));
}

float load_stablehlo() {
  return run_module(or_throw(engine([] { return parse_program(kStableHlo, "m.mlir"); })));
}

float loop_and_sort() {
  const auto f = jit([](Array x) {
    const Array y = lax::fori_loop(0, 3, [](Array, Array c) { return numpy::sort(c * 0.5f); }, x);
    return numpy::sum(numpy::matmul(y, y)) + numpy::sum(numpy::take(x, numpy::array({1.0, 0}, ElementType::kS32), 0));
  });
  return number_of(f(numpy::array({8.0f, 16.0f})));
}

float replicas() {
  config().update("jax_replica_count", 2);
  const auto f = pmap([](Array x) { return lax::psum(x, "i"); }, "i");
  return number_of(f(numpy::array({1.0f, 2.0f}))[0]);
}

float draw_and_print() {
  std::ostringstream text;
  text << random::normal(random::key(0), {2, 2}) << fft::fft(numpy::ones({8}));
  return text.str().empty() ? 0.0f : 1.0f;
}

float donate() {
  const auto f = jit([](Array x) { return x + 1.0f; }, {.donate_argnums = {0}});
  return number_of(f(numpy::full({1}, 1.0f))[0]);
}

float forget() {
  const float before = first_use();
  clear_caches();
  return before + first_use();
}

float nested_calls() {
  const auto inner = jit([](Array x) { return x * 2.0f; });
  const auto outer = jit([inner](Array x) { return inner(inner(x)); });
  return number_of(grad(outer)(Array(1.0f)));
}

/// Nested branches and loops with library calls, kernels and calls.
constexpr char kControl[] = R"(HloModule control
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
left { p = f32[33] parameter(0) s = f32[33] sine(p) ROOT r = f32[33] sort(s), dimensions={0}, to_apply=less }
right { p = f32[33] parameter(0) z = f32[] constant(0.25) t = (f32[33], f32[]) tuple(p, z)
  w = (f32[33], f32[]) while(t), condition=small, body=step ROOT r = f32[33] get-tuple-element(w), index=0 }
small { c = (f32[33], f32[]) parameter(0) t = f32[] get-tuple-element(c), index=1 l = f32[] constant(40)
  ROOT r = pred[] compare(t, l), direction=LT }
step { c = (f32[33], f32[]) parameter(0) x = f32[33] get-tuple-element(c), index=0 t = f32[] get-tuple-element(c), index=1
  y = f32[33] call(x), to_apply=twice s = f32[] reduce(y, t), dimensions={0}, to_apply=sum
  z = f32[] constant(30) p = pred[] compare(s, z), direction=LT
  u = f32[33] conditional(p, y, x), true_computation=left, false_computation=twice ROOT r = (f32[33], f32[]) tuple(u, s) }
twice { p = f32[33] parameter(0) q = f32[33] tanh(p) ROOT r = f32[33] add(q, q) }
ENTRY e { v = f32[33] parameter(0) o = f32[1] slice(v), slice={[0:1]} x = f32[] reshape(o) h = f32[] constant(2)
  q = pred[] compare(x, h), direction=LT ROOT c = f32[33] conditional(q, v, v), true_computation=right, false_computation=left })";

float branches_and_loops() {
  return run_module(or_throw(engine([] { return hlo::parse_module(kControl); })));
}

constexpr char kLibrary[] = R"(HloModule library
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[8,8] parameter(0) d = f32[8,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  i = f32[1,8,8,1] reshape(d) k = f32[3,3,1,1] parameter(1)
  c = f32[1,8,8,1] convolution(i, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  z = f32[] constant(0) w = f32[1,8,8,1] reduce-window(c, z), window={size=1x5x7x1 pad=0_0x2_2x3_3x0_0}, to_apply=sum
  m = f32[8,8] reshape(w) e = c64[8,8] convert(m) f = c64[8,8] fft(e), fft_type=FFT, fft_length={8} r = f32[8,8] real(f)
  t = f32[100003] broadcast(z), dimensions={} tc = c64[100003] convert(t) tf = c64[100003] fft(tc), fft_type=FFT, fft_length={100003}
  ts = c64[8] slice(tf), slice={[0:8]} tr = f32[8] real(ts) tb = f32[8,8] broadcast(tr), dimensions={0}
  ix = s32[2,1] constant({{1}, {5}}) u = f32[2,8] slice(r), slice={[0:2], [0:8]} a = f32[8,8] add(r, tb)
  s = f32[8,8] scatter(a, ix, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
  y = f32[8,8] transpose(s), dimensions={1,0} ROOT o = f32[64] reshape(y) })";

float library_calls() {
  return run_module(or_throw(engine([] { return hlo::parse_module(kLibrary); })));
}

float callbacks() {
  const auto f = jit([](Array x) {
    return pure_callback([](Array v) { return v * 2.0f; }, ShapeDtypeStruct({}, ElementType::kF32), x) + 1.0f;
  });
  return number_of(f(Array(3.0f)));
}

const Scenario kScenarios[] = {
    {"FirstUse", first_use},
    {"CompileAndRun", compile_and_run},
    {"Transform", transform},
    {"LoadText", load_text},
    {"LoadProto", load_proto},
    {"LoadStableHlo", load_stablehlo},
    {"LoopAndSort", loop_and_sort},
    {"Replicas", replicas},
    {"DrawAndPrint", draw_and_print},
    {"Donate", donate},
    {"Forget", forget},
    {"NestedCalls", nested_calls},
    {"BranchesAndLoops", branches_and_loops},
    {"LibraryCalls", library_calls},
    {"Callbacks", callbacks},
};

Ended run_once(const Scenario& scenario, float& value, std::array<char, 200>& text) {
  try {
    value = scenario.run();
    return Ended::kWell;
  } catch (const Error& error) {
    std::strncpy(text.data(), error.what(), text.size() - 1);
    // A replica that waits for one without memory gets this error.
    const bool told =
        error.code() == StatusCode::kAborted && std::strstr(error.what(), "RESOURCE_EXHAUSTED") != nullptr;
    return told || error.code() == StatusCode::kResourceExhausted ? Ended::kWithError : Ended::kWithAnotherError;
  } catch (const std::bad_alloc&) {
    return engine_threw ? Ended::kByThrowing : Ended::kWithError;
  }
}

/// The calls of operator new that count.
enum class Where { kOutsideOfLlvm, kInLlvm };

/// Runs the scenario with failing operator new, and again without. Writes both outcomes to `report`.
void run_failing(const Scenario& scenario, Where where, int64_t call, Failing how, Report& report) {
  // No exception can pass through the callers of static constructors. The engine checks that memory is available for
  // them.
  if (!open_companion<cpu::CodegenTable>().ok()) return;
  const auto outside = +[] { return !cpu::SpareMemory::active(); };
  test::fail_new_at(call, how, where == Where::kInLlvm ? cpu::SpareMemory::active : outside);
  report.first = run_once(scenario, report.value, report.text);
  report.calls = test::fail_no_more();
  report.again = run_once(scenario, report.value_again, report.text);
}

/// A page shared by a process and its children.
template <typename T>
class Shared {
 public:
  Shared() : value_(new(::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) T) {}
  ~Shared() { ::munmap(value_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T* operator->() { return value_; }
  T& operator*() { return *value_; }

 private:
  T* value_;
};

/// One process for one failure. The parent must not have used the library.
class Attempt {
 public:
  Attempt(const Scenario& scenario, Where where, int64_t call, Failing how)
      : call_(call), how_(how), process_(::fork()) {
    if (process_ != 0) return;
    ::alarm(kSeconds);
    run_failing(scenario, where, call, how, *report_);
    ::_exit(0);
  }

  /// Waits until the process has ended.
  const Report& report() {
    if (process_ > 0) ::waitpid(std::exchange(process_, 0), &status_, 0);
    return *report_;
  }

  /// The error, or "".
  std::string verdict(float wanted) {
    report();
    const bool fell = report_->first != Ended::kWell && report_->first != Ended::kWithError;
    std::string what;
    if (fell) what = text_of(report_->first);
    else if (report_->first == Ended::kWell && report_->value != wanted) what = "the value was wrong";
    else if (report_->again != Ended::kWell) what = "afterwards: " + std::string(text_of(report_->again));
    else if (report_->value_again != wanted) what = "afterwards the value was wrong";
    if (what.empty()) return what;
    return "call " + std::to_string(call_) + (how_ == Failing::kOnce ? " once" : " and all after it") + ": " + what +
           (WIFSIGNALED(status_) ? ", signal " + std::to_string(WTERMSIG(status_)) : "") + " " + report_->text.data();
  }

 private:
  int64_t call_;
  Failing how_;
  Shared<Report> report_;
  int status_ = 0;
  pid_t process_;
};

/// The distance between failing calls: HILO_OUT_OF_MEMORY_STEP, or a step for about kFewTries tries.
int64_t step_for(Where where, int64_t calls) {
  const char* text = std::getenv("HILO_OUT_OF_MEMORY_STEP");
  if (text == nullptr) return std::max<int64_t>(calls / (where == Where::kInLlvm ? kFewTries / 3 : kFewTries), 1);
  return std::max(std::atoll(text), 1LL) * (where == Where::kInLlvm ? kCoarser : 1);
}

class OutOfMemory : public testing::TestWithParam<Scenario> {
 protected:
  static void SetUpTestSuite() { ::setenv("HILO_LOG", "error", 1); }
};

void sweep(const Scenario& scenario, Where where, Failing how) {
  Attempt whole(scenario, where, INT64_MAX, how);
  const float wanted = whole.report().value;
  ASSERT_EQ(whole.verdict(wanted), "");
  const int64_t calls = whole.report().calls, step = step_for(where, calls);
  ASSERT_GT(calls, 10);
  const auto at_once = static_cast<size_t>(default_thread_count());
  std::deque<std::unique_ptr<Attempt>> running;
  int64_t attempts = 0;
  std::string problems;
  const auto finish_one = [&] {
    if (const std::string problem = running.front()->verdict(wanted); !problem.empty()) problems += problem + "\n";
    running.pop_front();
  };
  for (int64_t call = step / 2; call < calls; call += step, ++attempts) {
    if (running.size() == at_once) finish_one();
    running.push_back(std::make_unique<Attempt>(scenario, where, call, how));
  }
  while (!running.empty()) finish_one();
  EXPECT_EQ(problems, "") << attempts << " of " << calls << " calls were tried";
}

TEST_P(OutOfMemory, OnceIsAnErrorAndTheLibraryGoesOn) { sweep(GetParam(), Where::kOutsideOfLlvm, Failing::kOnce); }
TEST_P(OutOfMemory, OnceInLlvmIsAnErrorAndTheLibraryGoesOn) { sweep(GetParam(), Where::kInLlvm, Failing::kOnce); }
TEST_P(OutOfMemory, ForEverIsAnErrorAndTheLibraryGoesOnWhenThereIsSome) {
  sweep(GetParam(), Where::kOutsideOfLlvm, Failing::kForEver);
}
TEST_P(OutOfMemory, ForEverFromWithinLlvmIsAnErrorAndTheLibraryGoesOnWhenThereIsSome) {
  sweep(GetParam(), Where::kInLlvm, Failing::kForEver);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, OutOfMemory, testing::ValuesIn(kScenarios),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Destructors, TakeNoMemory) {
  const auto work = [] {
    auto things = std::make_unique<std::tuple<Array, decltype(jit(first_use_of)), std::vector<BufferPtr>>>(
        Array(1.0f) + Array(2.0f), jit(first_use_of), std::vector<BufferPtr>());
    (void)std::get<1> (*things)(Array(1.0f));
    test::fail_new_at(0, Failing::kForEver);
    things.reset();
    clear_caches();
    const int64_t calls = test::fail_no_more();
    return calls == 0 && first_use() == 5.0f ? 0 : 1;
  };
  EXPECT_EQ(in_child(work), 0);
}

/// A static object whose destructor computes when the process ends.
struct AtTheEnd {
  explicit AtTheEnd(Shared<float>* result) : result(result) {}
  ~AtTheEnd() {
    const auto f = jit([](Array x) { return numpy::sum(numpy::cos(x) + 3.0f); });
    **result = number_of(f(numpy::zeros({2}))) + number_of(fft::irfft(fft::rfft(numpy::ones({4})))[0] * 4.0f);
  }
  Shared<float>* result;
};

float computed_at_the_end(bool made_first, bool used_before) {
  Shared<float> result;
  *result = 0;
  const auto work = [&]() -> int {
    if (!made_first && used_before) (void)first_use();
    static const AtTheEnd at_the_end(&result);
    if (made_first && used_before) (void)(first_use() + draw_and_print());
    std::exit(0);
  };
  EXPECT_EQ(in_child(work), 0);
  return *result;
}

TEST(StaticDestructors, ComputeWhereTheLibraryWasUsedBeforeTheObjectWasMade) {
  EXPECT_EQ(computed_at_the_end(false, true), 12.0f);
}
TEST(StaticDestructors, ComputeWhereTheLibraryWasUsedAfterTheObjectWasMade) {
  EXPECT_EQ(computed_at_the_end(true, true), 12.0f);
}
TEST(StaticDestructors, ComputeWhereTheLibraryWasNeverUsedBefore) {
  EXPECT_EQ(computed_at_the_end(true, false), 12.0f);
}

}  // namespace
}  // namespace hilo
