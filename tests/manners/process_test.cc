// SPDX-License-Identifier: Apache-2.0
// Process state that hilo doesn't change: signal handlers and floating-point control. Also, how programs end if memory
// is exhausted.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cfenv>
#include <cstdio>
#include <functional>

#include "hilo/base/caches.h"
#include "hilo/base/files.h"
#include "hilo/base/floating_point.h"
#include "hilo/fft/fft.h"
#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/passes/driver.h"
#include "hilo/hlo/passes/pass_list.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/io/csv.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"
#include "tests/support/in_child.h"

namespace hilo {
namespace {

/// Uses tracing, all passes, code generation, threads and eager operations.
float work() {
  const auto f = jit([](Array x) { return numpy::sum(numpy::tanh(numpy::matmul(x, x)) * 0.5f); });
  const Array x = numpy::full({64, 64}, 0.125f);
  return f(x).item<float>() + numpy::sum(grad([&](Array y) { return f(y); })(x)).item<float>();
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // sanitizers handle signals and map terabytes
TEST(Manners, TheLibraryInstallsNoSignalHandler) {
  work();
  const std::string status = *read_file("/proc/self/status");
  const size_t at = status.find("SigCgt:");
  ASSERT_NE(at, std::string::npos);
  const uint64_t caught = std::stoull(status.substr(at + 7, 32), nullptr, 16);
  const uint64_t of_libc = uint64_t{3} << 31;  // signals 32 and 33, which glibc's threads use
  EXPECT_EQ(caught & ~of_libc, 0u);
}

/// Returns 0 if `f` throws RESOURCE_EXHAUSTED in an address space of 2 GiB and hilo works afterwards.
int runs_out_of_memory(const std::function<void()>& f) {
  return in_child([&] {
    const rlimit limit = {rlim_t{2} << 30, rlim_t{2} << 30};
    ::setrlimit(RLIMIT_AS, &limit);
    const std::string text = error_of(f, StatusCode::kResourceExhausted);
    const bool said = text.find("out of memory; wanted ") != std::string::npos &&
                      text.find("address space is limited to 2.00 GiB") != std::string::npos;
    if (!said) std::fprintf(stderr, "%s\n", text.c_str());
    return said && !testing::Test::HasFailure() && work() != 0 ? 0 : 1;
  });
}

constexpr int64_t kMany = int64_t{600} << 20;  // floats: 2.3 GiB

TEST(Manners, JittedProgramsForWhichThereIsNotEnoughMemoryAreErrors) {
  EXPECT_EQ(runs_out_of_memory([] { jit([](Array x) { return numpy::broadcast_to(x, {kMany}); })(Array(1.0f)); }), 0);
}

TEST(Manners, TemporariesForWhichThereIsNotEnoughMemoryAreErrors) {
  const auto f = jit([](Array x) { return numpy::sort(numpy::broadcast_to(x, {kMany}))[0]; });
  EXPECT_EQ(runs_out_of_memory([&] { f(Array(1.0f)); }), 0);
}

TEST(Manners, EagerOperationsForWhichThereIsNotEnoughMemoryAreErrors) {
  EXPECT_EQ(runs_out_of_memory([] { numpy::arange(kMany) + 1; }), 0);
}

TEST(Manners, DerivativesForWhichThereIsNotEnoughMemoryAreErrors) {
  const auto f = [](Array x) { return numpy::sum(numpy::sort(numpy::broadcast_to(x, {kMany}))); };
  EXPECT_EQ(runs_out_of_memory([&] { jit(grad(f))(Array(1.0f)); }), 0);
}
#endif

/// Numbers that hilo rounds: in parsing, in C++, in constant folding, in the reference evaluator, in type conversions.
std::vector<std::string> rounded_numbers() {
  const std::string text =
      "HloModule m\n\nENTRY %main (x: f32[]) -> (f32[], f32[], f16[]) {\n  %x = f32[] parameter(0)\n  %c = f32[] "
      "constant(0.1)\n  %d = f32[] constant(3)\n  %q = f32[] divide(%c, %d)\n  %s = f32[] add(%x, %q)\n  %h = f16[] "
      "convert(%q)\n  ROOT %t = (f32[], f32[], f16[]) tuple(%c, %s, %h)\n}\n";
  std::vector<std::string> numbers;
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  numbers.push_back(hlo::evaluate(*module, {Literal::scalar(0.7f)})->to_string(9));
  hlo::Module folded = *module;
  EXPECT_TRUE(hlo::run_passes(folded, hlo::default_pipeline()).ok());
  numbers.push_back(hlo::print_module(folded));
  numbers.push_back(io::parse_csv("0.1,0.7\n1e-40,3.3\n", "numbers", {})->to_string(9));
  const Array x = numpy::array({0.3f, 1e-30f, 5.5f});
  for (const Array& y : {x * 0.1, x / 3, numpy::full({2}, 0.1), numpy::mean(x), numpy::astype(x, ElementType::kBf16),
                         fft::fftfreq(3), numpy::linspace(0, 1, 7), x * 1e-30})
    numbers.push_back(y.to_literal().to_string(9));
  const auto f = jit([](Array a) { return a * 0.1 + grad([](Array b) { return numpy::sum(b * b / 3); })(a); });
  numbers.push_back(f(x).to_literal().to_string(9));
  return numbers;
}

using floating_point_detail::kFlushToZero;
using floating_point_detail::modes;
using floating_point_detail::set_modes;

TEST(Manners, NumbersAreRoundedToNearestWhateverTheCallersMode) {
  const uint32_t before = modes();
  const std::vector<std::string> wanted = rounded_numbers();
  for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
    clear_caches();
    std::fesetround(mode);
    const std::vector<std::string> got = rounded_numbers();
    EXPECT_EQ(std::fegetround(), mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(got, wanted);
  }
  clear_caches();
  set_modes(kFlushToZero);
  const std::vector<std::string> got = rounded_numbers();
  EXPECT_EQ(modes(), kFlushToZero);
  set_modes(before);
  EXPECT_EQ(got, wanted);
}

TEST(Manners, CallsKeepTheFloatingPointControlWord) {
  const uint32_t before = modes();
  std::fesetround(FE_TOWARDZERO);
  const uint32_t to_zero = modes();
  std::fesetround(FE_TONEAREST);
  const float wanted = work();
  for (uint32_t control : {floating_point_detail::kNearest, kFlushToZero, to_zero}) {
    const auto f = jit([control](Array x) { return numpy::exp(x) * static_cast<float>(control); });
    set_modes(control);
    const float compiled_here = f(numpy::zeros({1000}))[0].item<float>();
    const uint32_t after_compiling = modes();
    const float got = work();
    const uint32_t after_working = modes();
    set_modes(before);
    EXPECT_EQ(after_compiling, control);
    EXPECT_EQ(after_working, control);
    EXPECT_EQ(compiled_here, static_cast<float>(control));
    EXPECT_NEAR(got, wanted, 1e-3 * wanted);
  }
}

}  // namespace
}  // namespace hilo
