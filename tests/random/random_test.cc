// SPDX-License-Identifier: Apache-2.0
// Golden values recorded from jax 0.10.2 by tests/golden/record_random.py.
#include "hilo/random/random.h"

#include <gtest/gtest.h>

#include "hilo/trace/dispatch.h"
#include "hilo/transform/vmap.h"

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

TEST(Random, SplitBatchHoldsTheKeysOfSplit) {
  const std::vector<Key> keys = split(key(42), 5);
  const std::vector<uint32_t> batch = split_batch(key(42), 5).data.to_vector<uint32_t>();
  ASSERT_EQ(batch.size(), 10u);
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(keys[i].data.to_vector<uint32_t>(),
              std::vector<uint32_t>(batch.begin() + 2 * i, batch.begin() + 2 * i + 2));
  }
  EXPECT_TRUE(split(key(1), 0).empty());
  EXPECT_EQ(split_batch(key(1), 0).data.shape(0), 0);
}

TEST(Random, SplitIntoManyCompilesNothingForEach) {
  (void)split(key(0), 1000);
  const int64_t before = xla_primitive_callable_cache_info().misses;
  (void)split(key(0), 1001);  // another shape, so all is compiled that depends on it
  EXPECT_LT(xla_primitive_callable_cache_info().misses - before, 200);
}

TEST(Random, KeysBatchUnderVmap) {
  const auto draw = [](Key k) {
    const std::vector<Key> two = split(k);
    return normal(two[0], {3}) + uniform(fold_in(two[1], 7), {3});
  };
  const std::vector<float> together = vmap(draw)(split_batch(key(42), 4)).to_vector<float>();
  std::vector<float> one_by_one;
  for (const Key& k : split(key(42), 4)) {
    for (float value : draw(k).to_vector<float>()) one_by_one.push_back(value);
  }
  EXPECT_EQ(together, one_by_one);
}

TEST(Random, BatchOfKeysNamesVmap) {
  try {
    bits(split_batch(key(0), 2), {2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a key is u32[2]; got u32[2,2]. Hint: vmap"), std::string::npos)
        << error.what();
  }
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
