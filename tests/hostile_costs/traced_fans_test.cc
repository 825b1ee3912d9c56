// SPDX-License-Identifier: Apache-2.0
// Functions that each call the previous one twice are traced and batched only once each. Loaded programs have bounded
// costs too.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include "hilo/hilo.h"

namespace hilo {
namespace {

using Function = std::function<Array(Array)>;

/// x -> x sin(x) under `levels` levels, each of which calls the level below twice.
Function fan(int levels) {
  Function f = jit([](Array x) { return x * numpy::sin(x); });
  for (int k = 0; k < levels; ++k) f = jit([f](Array x) { return f(f(x)); });
  return f;
}

Function gradient_of(const Function& f) { return grad(f); }
Function batched(const Function& f) { return vmap(f); }

StatusCode code_of(const Function& f, const Array& x) {
  try {
    (void)f(x);
  } catch (const Error& error) {
    return error.code();
  }
  return StatusCode::kOk;
}

TEST(TracedFans, OfFewLevelsRun) {
  const Array x(0.5f);
  EXPECT_FLOAT_EQ(fan(2)(x).item<float>(), fan(0)(fan(0)(fan(0)(fan(0)(x)))).item<float>());
  EXPECT_EQ(code_of(gradient_of(fan(3)), x), StatusCode::kOk);
}

TEST(TracedFans, OfManyLevelsAreRejectedOnceTraced) {
  EXPECT_EQ(code_of(fan(40), Array(0.5f)), StatusCode::kResourceExhausted);
  EXPECT_EQ(code_of(batched(fan(40)), numpy::ones({3})), StatusCode::kResourceExhausted);
}

/// The gradient of a loaded program with a chain of `levels` functions.
StatusCode slope_of_file(int levels) {
  std::string chain = "f0 { p = f32[] parameter(0) s = f32[] sine(p) ROOT r = f32[] multiply(p, s) }\n";
  for (int k = 1; k <= levels; ++k)
    chain += fmt::format(
        "f{0} {{ p = f32[] parameter(0) a = f32[] call(p), to_apply=f{1} ROOT b = f32[] call(a), to_apply=f{1} }}\n", k,
        k - 1);
  const std::string path = testing::TempDir() + fmt::format("fan_{}_{}.hlo", ::getpid(), levels);
  std::ofstream(path) << "HloModule fan\n"
                      << chain << "ENTRY e { p = f32[] parameter(0) ROOT r = f32[] call(p), to_apply=f" << levels
                      << " }\n";
  const StatusCode code =
      code_of([&](Array x) { return grad([&](Array y) { return load(path)(y); })(x); }, Array(0.5f));
  std::remove(path.c_str());
  return code;
}

TEST(TracedFans, OfFilesAreRejectedBeforeTheyAreTraced) {
  EXPECT_EQ(slope_of_file(3), StatusCode::kOk);
  EXPECT_EQ(slope_of_file(40), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace hilo
