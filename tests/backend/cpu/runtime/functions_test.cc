// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/functions.h"

#include <gtest/gtest.h>

#include <set>

#include "hilo/backend/cpu/library/routine_hero.h"
#include "hilo/backend/cpu/runtime/moves.h"

namespace hilo::cpu::runtime {
namespace {

TEST(RuntimeFunctions, HaveNamesOfC) {
  std::set<std::string_view> names;
  for (const NamedFunction& f : kFunctions) {
    EXPECT_TRUE(f.name.starts_with("hilo_rt_")) << f.name;
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_NE(f.function, nullptr);
  }
  EXPECT_EQ(function_of(Routine::kSortCompared).name, "hilo_rt_sort_compared");
}

/// A problem is bytes without addresses: it can be anywhere.
TEST(RuntimeFunctions, ProblemsCanMove) {
  ProblemWriter<ConcatenateProblem> writer({.row_bytes = 5, .pieces = {}});
  writer.set(writer.problem.pieces, std::vector<int64_t>{2, 3});
  const std::vector<std::byte> first = std::move(writer).finish();
  const std::vector<std::byte> second = first;
  char a[] = "abcd", b[] = "123456", to[] = "..........";
  void* const buffers[] = {a, b, to};
  const uint32_t never = 0;
  const Call call{second.data(), buffers, nullptr, nullptr, &never};
  hilo_rt_concatenate(&call, 0, 2);
  EXPECT_STREQ(to, "ab123cd456");
}

TEST(RuntimeFunctions, StopWhenTheWordIsSet) {
  const CopyProblem problem{4};
  char from[] = "abcd", to[] = "....";
  void* const buffers[] = {from, to};
  const uint32_t stopped = 1;
  const Call call{&problem, buffers, nullptr, nullptr, &stopped};
  hilo_rt_copy(&call, 0, 4);
  EXPECT_STREQ(to, "....");
}

}  // namespace
}  // namespace hilo::cpu::runtime
