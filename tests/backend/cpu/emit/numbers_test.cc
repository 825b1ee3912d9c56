// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/numbers.h"

#include <gtest/gtest.h>

#include "hilo/backend/cpu/emit/jit_probe.h"
#include "tests/support/leaks.h"

namespace hilo::cpu {
namespace {

TEST(Numbers, HaveTheNarrowestTypeThatHoldsThemWithASign) {
  struct Row {
    int64_t greatest;
    unsigned bits;
  };
  constexpr Row kRows[] = {{0, 8},         {1, 8},      {127, 8},    {128, 16},       {255, 16},
                           {256, 16},      {32767, 16}, {32768, 32}, {INT32_MAX, 32}, {int64_t{INT32_MAX} + 1, 64},
                           {INT64_MAX, 64}};
  for (const Row& row : kRows) EXPECT_EQ(bits_of_numbers(row.greatest), row.bits) << row.greatest;
}

TEST(Numbers, OfLanesThatDontFitAreAnError) {
  const tests::LeaksAreMeant leaks_are_meant;
  const auto code = compile_probe(JitProbe::kShortNumbers, supported_isas().front());
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.status().code(), StatusCode::kInternal);
  EXPECT_NE(code.status().message().find("numbers up to 128 don't fit in 8 bits"), std::string::npos)
      << code.status().to_string();
}

}  // namespace
}  // namespace hilo::cpu
