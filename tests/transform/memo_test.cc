// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/memo.h"

#include <gtest/gtest.h>

#include "hilo/base/caches.h"
#include "hilo/hlo/build/builder.h"

namespace hilo {
namespace {

hlo::ComputationPtr doubled(int64_t size) {
  hlo::Builder b("doubled");
  const hlo::InstructionId x = b.parameter(Shape::array(ElementType::kF32, {size}));
  return *std::move(b).build(*b.add(hlo::Opcode::kAdd, {x, x}));
}

TEST(ComputationMemo, KeepsByMeaningAndParts) {
  ComputationMemo<int, Mask, std::string> memo;
  int made = 0;
  const auto get = [&](int64_t size, bool mask, const std::string& name) {
    return memo.get(doubled(size), Mask{mask}, name, [&] { return ++made; });
  };
  EXPECT_EQ(get(1, false, ""), 1);
  EXPECT_EQ(get(1, false, ""), 1);
  EXPECT_EQ(get(1, true, ""), 2);
  EXPECT_EQ(get(2, false, ""), 3);
  EXPECT_EQ(get(1, false, "i"), 4);
  EXPECT_EQ(get(1, false, "j"), 5);
  EXPECT_EQ(get(1, false, "i"), 4);
  EXPECT_EQ(get(1, false, ""), 1);
}

TEST(ComputationMemo, FullOneDropsTheOldestAlone) {
  ComputationMemo<int64_t> memo;
  int made = 0;
  const auto get = [&](int64_t size) {
    return memo.get(doubled(size), [&] {
      ++made;
      return size;
    });
  };
  for (int64_t size = 1; size <= kMemoizedEntries + 1; ++size) get(size);
  const int all = made;
  get(2);
  get(kMemoizedEntries + 1);
  EXPECT_EQ(made, all);
  get(1);
  EXPECT_EQ(made, all + 1);
}

TEST(ComputationMemo, IsReachedByClearCaches) {
  ComputationMemo<hlo::ComputationPtr> memo;
  int made = 0;
  const auto get = [&] {
    return memo.get(doubled(1), [&] {
      ++made;
      return doubled(3);
    });
  };
  const int64_t before = kept_cache_bytes();
  get();
  EXPECT_GT(kept_cache_bytes(), before + hlo::held_bytes(doubled(3)));
  clear_caches();
  get();
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace hilo
