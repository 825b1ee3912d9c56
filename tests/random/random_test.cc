// SPDX-License-Identifier: Apache-2.0
// Golden values recorded from jax 0.10.2 by tests/golden/record_random.py.
#include "hilo/random/random.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/error_of.h"
#include "tests/support/x64.h"

namespace hilo::random {
namespace {

TEST(Random, KeysHoldTheSeedsLowWord) {
  EXPECT_EQ(key(42).data.to_vector<uint32_t>(), (std::vector<uint32_t>{0, 42}));
  EXPECT_EQ(key(-7).data.to_vector<uint32_t>(), (std::vector<uint32_t>{0, 4294967289}));
}

TEST(Random, SplitsAsJax) {
  const std::vector<Key> keys = split(key(42), 3);
  EXPECT_EQ(keys[0].data.to_vector<uint32_t>(), (std::vector<uint32_t>{1832780943, 270669613}));
  EXPECT_EQ(keys[1].data.to_vector<uint32_t>(), (std::vector<uint32_t>{64467757, 2916123636}));
  EXPECT_EQ(keys[2].data.to_vector<uint32_t>(), (std::vector<uint32_t>{2465931498, 255383827}));
}

TEST(Random, FoldsInAsJax) {
  EXPECT_EQ(fold_in(key(42), 5).data.to_vector<uint32_t>(), (std::vector<uint32_t>{2765691542, 824333390}));
}

TEST(Random, BitsAreThoseOfJax) {
  EXPECT_EQ(bits(key(42), {5}).to_vector<uint32_t>(),
            (std::vector<uint32_t>{2098992034, 2919706841, 2646866425, 2409546199, 1935504149}));
}

TEST(Random, UniformFloatsAreThoseOfJaxBitForBit) {
  EXPECT_EQ(
      uniform(key(42), {4}).to_vector<float>(),
      (std::vector<float>{0x1.f470480000000p-2f, 0x1.5c0e600000000p-1f, 0x1.3b87f00000000p-1f, 0x1.1f3d800000000p-1f}));
  const std::vector<float> scaled = uniform(key(42), {3}, -2.0f, 3.0f).to_vector<float>();
  EXPECT_FLOAT_EQ(scaled[0], 0.4435478448867798f);
  EXPECT_FLOAT_EQ(scaled[1], 1.3989858627319336f);
  EXPECT_FLOAT_EQ(scaled[2], 1.081357479095459f);
}

TEST(Random, NormalFloatsAreThoseOfJax) {
  const std::vector<float> expected = {-0.02830461598932743f, 0.4671318531036377f,   0.2957029640674591f,
                                       0.15354591608047485f,  -0.12403281778097153f, 0.21692314743995667f};
  const std::vector<float> got = normal(key(42), {2, 3}).to_vector<float>();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 2e-7f) << i;
}

TEST(Random, BitsOfEveryWidthAreThoseOfJax) {
  using enum ElementType;
  EXPECT_EQ(bits(key(42), {5}, kU8).to_vector<int>(), (std::vector<int>{162, 217, 249, 215, 21}));
  EXPECT_EQ(bits(key(42), {5}, kU16).to_vector<int>(), (std::vector<int>{5026, 12505, 63993, 49623, 29461}));
  const X64Scope x64;
  EXPECT_EQ(bits(key(42), {2}, kU32).to_vector<uint32_t>(), (std::vector<uint32_t>{2098992034, 2919706841}));
  EXPECT_EQ(bits(key(42), {2}).to_vector<uint64_t>(),
            (std::vector<uint64_t>{7871734211187709741u, 276886910877598708u}));
}

TEST(Random, UniformFloatsOfEveryTypeAreThoseOfJax) {
  using enum ElementType;
  EXPECT_EQ(uniform(key(42), {4}, kF16).to_vector<float>(),
            (std::vector<float>{0x1.38p-4f, 0x1.86p-3f, 0x1.f38p-1f, 0x1.838p-1f}));
  EXPECT_EQ(uniform(key(42), {4}, kBf16).to_vector<float>(),
            (std::vector<float>{0x1.44p-1f, 0x1.bp-1f, 0x1.fp-1f, 0x1.acp-1f}));
  EXPECT_EQ(uniform(key(42), {2}, kF16, 2.0f, 5.0f).to_vector<float>(), (std::vector<float>{0x1.1d4p+1f, 0x1.49p+1f}));
  const X64Scope x64;
  EXPECT_EQ(
      uniform(key(42), {4}).to_vector<double>(),
      (std::vector<double>{0x1.b4f8123c40884p-2, 0x1.ebd996d6e8400p-7, 0x1.25f641d41e71ap-1, 0x1.75aad28c6a974p-1}));
}

TEST(Random, NormalFloatsOfEveryTypeAreNearThoseOfJax) {
  using enum ElementType;
  const auto expect_near = [](const Array& got, const std::vector<double>& wanted, double relative) {
    const std::vector<double> values = got.to_vector<double>();
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], relative * std::abs(wanted[i])) << i;
  };
  expect_near(normal(key(42), {4}, kF16), {-0x1.6ep+0, -0x1.c04p-1, 0x1.f98p+0, 0x1.64cp-1}, 0x1p-9);
  expect_near(normal(key(42), {4}, kBf16), {0x1.6p-2, 0x1.04p+0, 0x1.e4p+0, 0x1.f8p-1}, 0x1p-6);
  const X64Scope x64;
  expect_near(normal(key(42), {4}),
              {-0x1.7a4a26c962159p-3, -0x1.15bccfaa7ba3ap+1, 0x1.7ed8110b50460p-3, 0x1.397ad84a04356p-1}, 1e-14);
}

TEST(Random, RefusesTypesThatItCannotDraw) {
  for (const ElementType type : {ElementType::kS32, ElementType::kC64}) {
    EXPECT_NE(
        error_of([&] { uniform(key(0), {2}, type); }, StatusCode::kInvalidArgument).find("uniform (random_test.cc:"),
        std::string::npos);
    EXPECT_NE(
        error_of([&] { normal(key(0), {2}, type); }, StatusCode::kInvalidArgument).find("normal (random_test.cc:"),
        std::string::npos);
    EXPECT_NE(error_of([&] { bits(key(0), {2}, type); }, StatusCode::kInvalidArgument).find("bits (random_test.cc:"),
              std::string::npos);
  }
}

TEST(Random, KeysKeepTheHighWordUnderX64) {
  const X64Scope x64;
  EXPECT_EQ(key((int64_t{1} << 40) + 5).data.to_vector<uint32_t>(), (std::vector<uint32_t>{256, 5}));
  EXPECT_EQ(permutation(key(42), 7).to_vector<int64_t>(), (std::vector<int64_t>{4, 2, 5, 3, 6, 0, 1}));
}

TEST(Random, PermutesAsJax) {
  EXPECT_EQ(permutation(key(42), 10).to_vector<int>(), (std::vector<int>{7, 4, 2, 5, 3, 6, 8, 9, 0, 1}));
  const std::vector<int> two_rounds = permutation(key(42), 2000).to_vector<int>();
  EXPECT_EQ(std::vector<int>(two_rounds.begin(), two_rounds.begin() + 8),
            (std::vector<int>{1474, 815, 539, 874, 1693, 84, 995, 1191}));
}

TEST(Random, RefusesWhatIsNoKey) {
  try {
    bits(Key{Array(3)}, {2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("a key is u32[2]; got s32[]"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hilo::random
