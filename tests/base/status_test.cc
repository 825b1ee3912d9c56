// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace hilo {
namespace {

StatusOr<int> half(int x) {
  if (x % 2 != 0) return invalid_argument("half: got " + std::to_string(x) + "; wanted an even number");
  return x / 2;
}

StatusOr<int> quarter(int x) {
  HILO_ASSIGN_OR_RETURN(const int h, half(x));
  return half(h);
}

TEST(StatusOr, HoldsAValueOrAnError) {
  EXPECT_TRUE(half(4).ok());
  EXPECT_EQ(half(4).value(), 2);
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).status().to_string(), "INVALID_ARGUMENT: half: got 3; wanted an even number");
  StatusOr<std::unique_ptr<int>> owner(std::make_unique<int>(5));
  **owner += 1;
  const std::unique_ptr<int> taken = std::move(owner).value();
  EXPECT_EQ(*taken, 6);
  const StatusOr<std::string> text(std::string("abc"));
  EXPECT_EQ(text->size(), 3u);
}

TEST(StatusOrDeathTest, EndsTheProcessWhereAssertionsSeeAMisuse) {
#if HILO_ASSERTIONS
  EXPECT_DEATH(static_cast<void>(StatusOr<int>(ok_status())),
               "hilo: assertion failed: a StatusOr was created from an OK Status; wanted a value or an error");
  const StatusOr<std::string> failed = not_found("no such thing");
  EXPECT_DEATH(static_cast<void>(failed.value()), "of a StatusOr with an error: NOT_FOUND: no such thing");
  EXPECT_DEATH(static_cast<void>(*failed), "of a StatusOr with an error: NOT_FOUND: no such thing");
  EXPECT_DEATH(static_cast<void>(failed->size()), "of a StatusOr with an error: NOT_FOUND: no such thing");
#else
  bool evaluated = false;
  HILO_ASSERT([&] { return evaluated = true; }(), "not evaluated");
  EXPECT_FALSE(evaluated);
#endif
}

}  // namespace
}  // namespace hilo
