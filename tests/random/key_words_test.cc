// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/key_words.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "tests/support/error_of.h"

namespace hilo::random {
namespace {

TEST(KeyWords, AreMovedOneByOne) {
  const Key keys = split(key(1), 4);
  const Key turned = of_words([](const Array& words) { return numpy::flip(words); }, keys);
  const std::vector<uint32_t> before = keys.data.to_vector<uint32_t>(), after = turned.data.to_vector<uint32_t>();
  ASSERT_EQ(after.size(), 8u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(after[2 * i], before[2 * (3 - i)]);
    EXPECT_EQ(after[2 * i + 1], before[2 * (3 - i) + 1]);
  }
}

TEST(KeyWords, OfTwoArraysGoTogether) {
  const Key a = split(key(1), 2), b = split(key(2), 3);
  const Key both = of_words([](const Array& x, const Array& y) { return numpy::concatenate({x, y}); }, a, b);
  EXPECT_EQ(both.size(), 5);
  EXPECT_EQ(both[4].data.to_vector<uint32_t>(), b[2].data.to_vector<uint32_t>());
}

TEST(KeyWords, OfTwoGeneratorsAreAnError) {
  const auto first = [](const Array& x, const Array&) { return x; };
  const std::string text =
      error_of([&] { of_words(first, Key(key(1)), Key(key(1, {.impl = "rbg"}))); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("keys of two generators"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo::random
