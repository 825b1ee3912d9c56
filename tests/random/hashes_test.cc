// SPDX-License-Identifier: Apache-2.0
// Known answers from the authors' test vectors.
#include "hilo/random/hashes.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"

namespace hilo::random {
namespace {

using Numbers = std::vector<uint32_t>;

Words words(const Numbers& numbers) {
  Words all;
  for (const uint32_t n : numbers) all.push_back(Array::from_vector<uint32_t>({n}, {1}));
  return all;
}

Numbers numbers(const Words& all) {
  Numbers values;
  for (const Array& word : all) values.push_back(word.to_vector<uint32_t>()[0]);
  return values;
}

constexpr uint32_t kOnes = 0xffffffff;

TEST(Threefry, OfTwoWords) {
  EXPECT_EQ(numbers(threefry(words({0, 0}), words({0, 0}))), (Numbers{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(numbers(threefry(words({kOnes, kOnes}), words({kOnes, kOnes}))), (Numbers{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(numbers(threefry(words({0x13198a2e, 0x03707344}), words({0x243f6a88, 0x85a308d3}))),
            (Numbers{0xc4923a9c, 0x483df7a0}));
}

TEST(Threefry, OfFourWords) {
  EXPECT_EQ(numbers(threefry(words({0, 0, 0, 0}), words({0, 0, 0, 0}))),
            (Numbers{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}));
}

TEST(Philox, OfTwoAndFourWords) {
  EXPECT_EQ(numbers(philox(words({0}), words({0, 0}))), (Numbers{0xff1dae59, 0x6cd10df2}));
  EXPECT_EQ(numbers(philox(words({0, 0}), words({0, 0, 0, 0}))),
            (Numbers{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(numbers(philox(words({kOnes, kOnes}), words({kOnes, kOnes, kOnes, kOnes}))),
            (Numbers{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Hashes, OfNoneAreNone) {
  const Array none = numpy::zeros({0}, uint32);
  EXPECT_EQ(threefry({none, none}, {none, none})[1].size(), 0);
}

}  // namespace
}  // namespace hilo::random
