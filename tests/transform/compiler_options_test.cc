// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/compiler_options.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "hilo/device/compile_options.h"
#include "hilo/device/executable.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

Array twice(const Array& x) { return x * 2.0f; }

TEST(CompilerOptions, SetWhatTheFlagsOfTheirNamesSet) {
  CompileOptions options;
  set_compiler_options({{"hilo_max_instructions", "7"},
                        {"hilo_max_memory", "8"},
                        {"hilo_compile_seconds", "9"},
                        {"hilo_run_seconds", "10"},
                        {"hilo_effort", "fastest"},
                        {"hilo_budget_milliseconds", "1500"},
                        {"hilo_tiers", "false"},
                        {"jax_hlo_profile", "true"},
                        {"jax_dump_hlo_graph", "f.*"}},
                       options);
  EXPECT_EQ(options.limits.instructions, 7);
  EXPECT_EQ(options.limits.memory_bytes, 8);
  EXPECT_EQ(options.limits.compile_seconds, 9);
  EXPECT_EQ(options.limits.run_seconds, 10);
  EXPECT_EQ(options.effort.effort, Effort::kFastest);
  EXPECT_EQ(options.effort.budget, 1.5);
  EXPECT_FALSE(options.effort.tiers);
  EXPECT_TRUE(options.hlo_profile);
  EXPECT_EQ(options.generate_hlo_graph, "f.*");
  const std::string folder = testing::TempDir() + "/compiler_options";
  set_compiler_options(
      {{"jax_dump_hlo_unoptimized", folder}, {"jax_dump_hlo_optimized", folder}, {"jax_dump_hlo_per_pass", folder}},
      options);
  EXPECT_EQ(options.dump_optimized_hlo_proto_to, folder + "/hlo_optimized");
  EXPECT_TRUE(std::filesystem::is_directory(folder + "/hlo_unoptimized"));
  EXPECT_TRUE(std::filesystem::is_directory(folder + "/hlo_per_pass"));
  std::filesystem::remove_all(folder);
}

TEST(CompilerOptions, OthersAreRefusedWithTheNearestName) {
  const Array x = numpy::ones({3});
  const std::string name =
      error_of([&] { jit(twice).lower(x).compile({{"hilo_max_memori", "1"}}); }, StatusCode::kInvalidArgument);
  EXPECT_NE(name.find("No such compile option: 'hilo_max_memori'"), std::string::npos) << name;
  EXPECT_NE(name.find("did you mean 'hilo_max_memory'?"), std::string::npos) << name;
  for (const CompilerOptions& wrong : std::vector<CompilerOptions>{{{"hilo_max_memory", "-1"}},
                                                                   {{"hilo_max_memory", "much"}},
                                                                   {{"jax_hlo_profile", "perhaps"}},
                                                                   {{"hilo_effort", "much"}}}) {
    const std::string value =
        error_of([&] { jit(twice, {.compiler_options = wrong})(x); }, StatusCode::kInvalidArgument);
    EXPECT_NE(value.find("got '" + wrong.begin()->second + "'"), std::string::npos) << value;
  }
  error_of([&] { jit(twice, {.compiler_options = {{"xla_no_such", "1"}}})(x); }, StatusCode::kInvalidArgument);
}

TEST(CompilerOptions, HoldForTheProgramAlone) {
  const Array x = numpy::ones({3});
  const auto narrow = jit(twice, {.compiler_options = {{"hilo_max_memory", "4"}}});
  error_of([&] { narrow(x); }, StatusCode::kResourceExhausted);
  EXPECT_EQ(jit(twice)(x).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  const auto wide = jit(twice, {.compiler_options = {{"hilo_max_memory", "4096"}}});
  for (int k = 0; k < 2; ++k) EXPECT_EQ(wide(x).to_vector<float>(), (std::vector<float>{2, 2, 2}));
}

TEST(CompilerOptions, OfCompileOutrankThoseOfJitEachTime) {
  const auto lowered = jit(twice, {.compiler_options = {{"hilo_max_memory", "4"}}}).lower(numpy::ones({3}));
  error_of([&] { lowered.compile(); }, StatusCode::kResourceExhausted);
  const auto compiled = lowered.compile({{"hilo_max_memory", "4096"}});
  EXPECT_EQ(compiled(numpy::ones({3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  error_of([&] { lowered.compile({{"hilo_max_memory", "5"}}); }, StatusCode::kResourceExhausted);
  EXPECT_EQ(compiled.args_info()[0].path, lowered.args_info()[0].path);
}

TEST(CompilerOptions, OfAFunctionInsideOfATransformationAreRefused) {
  const auto f = jit([](Array x) { return numpy::sum(x * x); }, {.compiler_options = {{"hilo_max_memory", "4096"}}});
  const Array x = numpy::ones({3});
  for (const auto& use : std::vector<std::function<void()>>{[&] { grad(f)(x); }, [&] { vmap(f)(numpy::ones({2, 3})); },
                                                            [&] { jit([&](Array v) { return f(v); })(x); }}) {
    const std::string text = error_of(use, StatusCode::kUnimplemented);
    EXPECT_NE(text.find("compiler_options"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hilo
