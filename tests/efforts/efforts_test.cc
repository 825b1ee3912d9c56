// SPDX-License-Identifier: Apache-2.0
// Every effort computes the same bits: random programs under each, and programs whose code is replaced while threads
// run them.
//   HILO_EFFORT_PROGRAMS   number of random programs (default 100)
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "hilo/backend/cpu/load/tier.h"
#include "hilo/base/caches.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/types/literal_leaves.h"
#include "tests/support/clients.h"
#include "tests/support/number_from.h"
#include "tests/support/random_program.h"
#include "tests/support/run_literals.h"

namespace hilo::tests {
namespace {

CompileOptions with_effort(Effort effort, bool tiers = false) {
  CompileOptions options;
  options.effort = {.effort = effort, .tiers = tiers};
  return options;
}

template <typename T>
bool same_numbers(const std::byte* a, const std::byte* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    T x, y;
    std::memcpy(&x, a + i * sizeof(T), sizeof(T));
    std::memcpy(&y, b + i * sizeof(T), sizeof(T));
    if (std::memcmp(&x, &y, sizeof(T)) != 0 && (x == x || y == y)) return false;
  }
  return true;
}

/// `infinity`: the bits of the type's infinity.
bool same_halves(const Literal& a, const Literal& b, uint16_t infinity) {
  const auto is_nan = [&](uint16_t bits) { return (bits & 0x7fff) > infinity; };
  for (size_t i = 0; i < a.bytes().size(); i += 2) {
    uint16_t x = 0, y = 0;
    std::memcpy(&x, a.bytes().data() + i, 2);
    std::memcpy(&y, b.bytes().data() + i, 2);
    if (x != y && !(is_nan(x) && is_nan(y))) return false;
  }
  return true;
}

/// Whether all bits are equal. The bits of a NaN depend on the order of an instruction's operands.
bool same_bits(const Literal& a, const Literal& b) {
  if (a.shape().is_tuple() || a.identical(b)) return a.identical(b);
  const size_t bytes = a.bytes().size();
  switch (a.shape().element_type()) {  // NOLINT: other types have no NaN, or are compared by all of their bits
    case ElementType::kF32:
    case ElementType::kC64: return same_numbers<float>(a.bytes().data(), b.bytes().data(), bytes / 4);
    case ElementType::kF64:
    case ElementType::kC128: return same_numbers<double>(a.bytes().data(), b.bytes().data(), bytes / 8);
    case ElementType::kF16: return same_halves(a, b, 0x7c00);
    case ElementType::kBf16: return same_halves(a, b, 0x7f80);
    default: return false;
  }
}

bool same_bits(std::span<const Literal> a, std::span<const Literal> b) {
  return std::ranges::equal(a, b, [](const Literal& x, const Literal& y) { return same_bits(x, y); });
}

TEST(Efforts, ComputeTheSameBits) {
  Coverage coverage;
  int64_t quick = 0;
  const unsigned count = number_from("HILO_EFFORT_PROGRAMS", 100);
  for (unsigned seed = 0; seed < count; ++seed) {
    const RandomProgram program = random_program(seed, 4 + static_cast<int>(seed % 13), coverage);
    if (program.module.entry->has_effect()) continue;
    std::vector<std::vector<Literal>> results;
    for (const Effort effort : {Effort::kFastest, Effort::kDefault, Effort::kBest}) {
      clear_caches();  // a quick compilation would use good code of the caches
      auto executable = cpu_client()->compile(program.module, with_effort(effort), nullptr);
      ASSERT_TRUE(executable.ok()) << executable.status().to_string();
      if (effort == Effort::kFastest) quick += (*executable)->statistics().quick_count;
      else EXPECT_EQ((*executable)->statistics().quick_count, 0);
      StatusOr<std::vector<Literal>> values = run_literals(**executable, leaves_of(program.arguments));
      ASSERT_TRUE(values.ok()) << values.status().to_string();
      results.push_back(*std::move(values));
    }
    EXPECT_TRUE(same_bits(results[0], results[1])) << "seed " << seed << "\n" << hlo::print_module(program.module);
    EXPECT_TRUE(same_bits(results[1], results[2])) << "seed " << seed << "\n" << hlo::print_module(program.module);
  }
  EXPECT_GT(quick, count / 4);
}

/// Sums, products, functions and a loop, on arrays that are too large for a straight line.
constexpr const char* kProgram = R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY main {
  x = f32[40,300] parameter(0)
  y = f32[300,40] parameter(1)
  e = f32[40,300] exponential(x)
  t = f32[40,300] tanh(e)
  d = f32[40,40] dot(t, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  r = f32[40] reduce(t, zero), dimensions={1}, to_apply=sum
  b = f32[40,40] broadcast(r), dimensions={0}
  m = f32[40,40] multiply(b, d)
  ROOT s = f32[40,40] sine(m)
}
)";

std::vector<Literal> arguments_of(const hlo::Module& module) {
  std::vector<Literal> arguments;
  for (const Shape& shape : module.entry->parameter_shapes()) {
    Literal literal = *Literal::make(shape);
    const std::span<float> values = literal.data<float>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 37) % 101) / 101.0f - 0.5f;
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

TEST(Efforts, GoodCodeReplacesQuickCodeWhileThreadsRunIt) {
  const hlo::Module module = *hlo::parse_module(kProgram);
  const std::vector<Literal> arguments = arguments_of(module);
  clear_caches();
  auto executable = cpu_client()->compile(module, with_effort(Effort::kFastest, true), nullptr);
  ASSERT_TRUE(executable.ok()) << executable.status().to_string();
  EXPECT_GT((*executable)->statistics().quick_count, 0);
  const std::vector<Literal> expected = *run_literals(**executable, arguments);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int run = 0; run < 100000 && (*executable)->statistics().replacement_count == 0; ++run)
        EXPECT_TRUE(same_bits(*run_literals(**executable, arguments), expected));
    });
  }
  for (std::thread& thread : threads) thread.join();
  cpu::await_replacements();
  EXPECT_EQ((*executable)->statistics().replacement_count, 1);
  EXPECT_EQ((*executable)->statistics().quick_count, 0);
  EXPECT_TRUE(same_bits(*run_literals(**executable, arguments), expected));
}

TEST(Efforts, WithoutTiersQuickCodeStays) {
  const hlo::Module module = *hlo::parse_module(kProgram);
  const std::vector<Literal> arguments = arguments_of(module);
  clear_caches();
  auto executable = cpu_client()->compile(module, with_effort(Effort::kFastest), nullptr);
  for (int run = 0; run < 2000; ++run) ASSERT_TRUE(run_literals(**executable, arguments).ok());
  cpu::await_replacements();
  EXPECT_EQ((*executable)->statistics().replacement_count, 0);
  EXPECT_GT((*executable)->statistics().quick_count, 0);
}

TEST(Efforts, AProgramMayEndBeforeItsCodeIsReplaced) {
  const hlo::Module module = *hlo::parse_module(kProgram);
  const std::vector<Literal> arguments = arguments_of(module);
  clear_caches();
  for (int round = 0; round < 3; ++round) {
    auto executable = cpu_client()->compile(module, with_effort(Effort::kFastest, true), nullptr);
    for (int run = 0; run < 300; ++run) ASSERT_TRUE(run_literals(**executable, arguments).ok());
    executable->reset();
  }
  cpu::await_replacements();
}

/// Kernels that can't be fused, since a sort is between them.
std::string many_kernels(int count) {
  std::string text =
      "HloModule m\nless {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] compare(a, b), "
      "direction=LT\n}\nENTRY main {\n  x0 = f32[300] parameter(0)\n";
  for (int k = 0; k < count; ++k) {
    const std::string i = std::to_string(k), next = std::to_string(k + 1);
    text += "  c" + i + " = f32[] constant(" + next + ")\n  b" + i + " = f32[300] broadcast(c" + i +
            "), dimensions={}\n  t" + i + " = f32[300] tan(x" + i + ")\n  p" + i + " = f32[300] atan2(t" + i + ", b" +
            i + ")\n  x" + next + " = f32[300] sort(p" + i + "), dimensions={0}, to_apply=less\n";
  }
  return text + "  ROOT r = f32[300] negate(x" + std::to_string(count) + ")\n}\n";
}

TEST(Efforts, ABudgetIsKept) {
  const hlo::Module module = *hlo::parse_module(many_kernels(80));
  const auto seconds = [&](CompileOptions options, ExecutableStatistics& statistics) {
    clear_caches();
    const auto began = std::chrono::steady_clock::now();
    auto executable = cpu_client()->compile(module, options, nullptr);
    EXPECT_TRUE(executable.ok());
    statistics = (*executable)->statistics();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  ExecutableStatistics all, quick, some;
  CompileOptions options;
  const double good_time = seconds(options, all), quick_time = seconds(with_effort(Effort::kFastest), quick);
  options.effort.budget = quick_time + (good_time - quick_time) / 2;
  const double budget_time = seconds(options, some);
  EXPECT_EQ(all.quick_count, 0);
  EXPECT_GT(some.quick_count, 0);
  EXPECT_LT(some.quick_count, quick.quick_count);
  EXPECT_LT(budget_time, good_time);
}

}  // namespace
}  // namespace hilo::tests
