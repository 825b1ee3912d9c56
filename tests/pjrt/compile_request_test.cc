// SPDX-License-Identifier: Apache-2.0
// JAX's options of optimization effort select hilo's effort.
#include <gtest/gtest.h>

#include "hilo/base/caches.h"
#include "hilo/base/flags.h"
#include "hilo/hlo/proto/wire.h"
#include "tests/pjrt/plugin_client.h"

namespace hilo::tests {
namespace {

using hlo::proto::WireWriter;

// Fields of compile_options.proto: of ExecutableBuildOptionsProto, and of its DebugOptions.
constexpr uint32_t kTimeEffort = 20, kOptimizationLevel = 24, kMemoryFittingLevel = 25, kBackendLevel = 31;
constexpr int64_t kO0 = 9, kO1 = 19, kO2 = 29, kO3 = 39;

/// A kernel whose code depends on the effort: functions of arrays that are too large for a straight line.
constexpr const char* kProgram =
    R"(func.func @main(%x: tensor<40x300xf32>, %y: tensor<300x40xf32>) -> tensor<40x40xf32> {
  %e = stablehlo.exponential %x : tensor<40x300xf32>
  %t = stablehlo.tanh %e : tensor<40x300xf32>
  %d = stablehlo.dot %t, %y : (tensor<40x300xf32>, tensor<300x40xf32>) -> tensor<40x40xf32>
  %s = stablehlo.sine %d : tensor<40x40xf32>
  %a = stablehlo.atan2 %s, %d : tensor<40x40xf32>
  return %a : tensor<40x40xf32>
})";

void compile_once(const std::string& options) {
  const Handle<PJRT_Client> client = make_client();
  compile(client.get(), kProgram, options);
}

/// The effort under which the plugin compiles: that whose code is all in the caches already.
std::string effort_of(const std::string& options) {
  for (const char* effort : {"fastest", "best", "default"}) {
    const std::string before = (*flags())->hilo_effort;
    clear_caches();
    EXPECT_TRUE(config().update("hilo_effort", effort).ok());
    compile_once("");
    EXPECT_TRUE(config().update("hilo_effort", before).ok());
    const int64_t bytes = kept_cache_bytes();
    compile_once(options);
    if (kept_cache_bytes() == bytes) return effort;
  }
  return "unknown";
}

WireWriter with_build(const WireWriter& build) {
  WireWriter all;
  all.message(3, build);
  return all;
}

/// Adds an entry of compiler_options.
void set_option(WireWriter& all, std::string_view name, const WireWriter& value) {
  WireWriter entry;
  entry.text(1, name);
  entry.message(2, value);
  all.message(7, entry);
}

WireWriter integer(int64_t value, uint32_t number = 3) {
  WireWriter out;
  out.item(number, value);  // also 0
  return out;
}
WireWriter real(double value) {
  WireWriter out;
  out.real64(4, value);
  return out;
}
WireWriter text(std::string_view value) {
  WireWriter out;
  out.text(1, value);
  return out;
}

std::string option(std::string_view name, const WireWriter& value) {
  WireWriter all;
  set_option(all, name, value);
  return std::move(all).take();
}

std::string build_level(int64_t level, uint32_t field = kOptimizationLevel) {
  return with_build(integer(level, field)).take();
}

std::string build_time(float effort) {
  WireWriter build;
  build.real(kTimeEffort, effort);
  return with_build(build).take();
}

std::string backend_level(int64_t level) {
  WireWriter build;
  build.message(3, integer(level, kBackendLevel));
  return with_build(build).take();
}

TEST(PluginEffort, IsThatOfTheConfigurationsLevel) {
  EXPECT_EQ(effort_of(build_level(kO0)), "fastest");
  EXPECT_EQ(effort_of(build_level(kO1)), "fastest");
  EXPECT_EQ(effort_of(build_level(0)), "default");
  EXPECT_EQ(effort_of(build_level(kO2)), "default");
  EXPECT_EQ(effort_of(build_level(kO3)), "best");
  EXPECT_EQ(effort_of(build_time(-0.5f)), "fastest");
  EXPECT_EQ(effort_of(build_time(0)), "default");
  EXPECT_EQ(effort_of(build_time(1)), "best");
  EXPECT_EQ(effort_of(backend_level(0)), "fastest");  // of jax_disable_most_optimizations
  EXPECT_EQ(effort_of(backend_level(3)), "default");
}

TEST(PluginEffort, IsThatOfCompilerOptions) {
  EXPECT_EQ(effort_of(option("exec_time_optimization_effort", real(-1))), "fastest");
  EXPECT_EQ(effort_of(option("exec_time_optimization_effort", real(0))), "default");
  EXPECT_EQ(effort_of(option("exec_time_optimization_effort", text("0.5"))), "best");
  EXPECT_EQ(effort_of(option("exec_time_optimization_effort", integer(-1))), "fastest");
  EXPECT_EQ(effort_of(option("optimization_level", integer(kO1))), "fastest");
  EXPECT_EQ(effort_of(option("optimization_level", text("39"))), "best");
  EXPECT_EQ(effort_of(option("xla_backend_optimization_level", integer(0))), "fastest");
  EXPECT_EQ(effort_of(option("xla_backend_optimization_level", integer(2))), "default");
}

TEST(PluginEffort, OfCompilerOptionsTakesPrecedence) {
  WireWriter all = with_build(integer(kO0, kOptimizationLevel));
  set_option(all, "optimization_level", integer(kO3));
  EXPECT_EQ(effort_of(std::move(all).take()), "best");
  ASSERT_TRUE(config().update("hilo_effort", "best").ok());
  EXPECT_EQ(effort_of(build_level(kO0)), "fastest");
  EXPECT_EQ(effort_of(build_level(kO2)), "default");
  EXPECT_EQ(effort_of(build_level(0)), "best");
  ASSERT_TRUE(config().update("hilo_effort", "default").ok());
}

TEST(PluginEffort, IsNotThatOfMemory) {
  EXPECT_EQ(effort_of(build_level(kO0, kMemoryFittingLevel)), "default");
  EXPECT_EQ(effort_of(option("memory_fitting_level", integer(kO0))), "default");
  EXPECT_EQ(effort_of(option("memory_fitting_effort", real(-1))), "default");
}

TEST(PluginEffort, OfAnotherTypeIsRejected) {
  const Handle<PJRT_Client> client = make_client();
  const auto message = [&](std::string_view name, std::string_view value) {
    return compile_error(client.get(), kProgram, option(name, text(value))).message;
  };
  EXPECT_EQ(message("optimization_level", "O1"),
            "While setting option optimization_level, 'O1' is not a valid integer value.");
  EXPECT_EQ(message("exec_time_optimization_effort", "high"),
            "While setting option exec_time_optimization_effort, 'high' is not a valid float value.");
}

}  // namespace
}  // namespace hilo::tests
