// SPDX-License-Identifier: Apache-2.0
// Golden values recorded from jax 0.10.2 by tests/golden/record_random.py.
#include "hilo/random/keys.h"

#include <gtest/gtest.h>

#include "hilo/random/random.h"
#include "hilo/trace/dispatch.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/x64.h"

namespace hilo::random {
namespace {

bool same(const Key& a, const Key& b) {
  return a.data.to_vector<uint32_t>() == b.data.to_vector<uint32_t>() && a.impl == b.impl;
}

TEST(Keys, KeysHoldTheSeedsLowWord) {
  EXPECT_EQ(key(42).data.to_vector<uint32_t>(), (std::vector<uint32_t>{0, 42}));
  EXPECT_EQ(key(-7).data.to_vector<uint32_t>(), (std::vector<uint32_t>{0, 4294967289}));
}

TEST(Keys, SplitsAsJax) {
  const std::vector<Key> keys = split(key(42), 3);
  EXPECT_EQ(keys[0].data.to_vector<uint32_t>(), (std::vector<uint32_t>{1832780943, 270669613}));
  EXPECT_EQ(keys[1].data.to_vector<uint32_t>(), (std::vector<uint32_t>{64467757, 2916123636}));
  EXPECT_EQ(keys[2].data.to_vector<uint32_t>(), (std::vector<uint32_t>{2465931498, 255383827}));
}

TEST(Keys, AnArrayOfKeysHoldsThemOneByOne) {
  const Key all = split(key(42), 5);
  EXPECT_EQ(all.shape(), (std::vector<int64_t>{5}));
  EXPECT_EQ(all.ndim(), 1);
  EXPECT_EQ(all.size(), 5);
  const std::vector<uint32_t> words = all.data.to_vector<uint32_t>();
  const std::vector<Key> list = all;
  ASSERT_EQ(list.size(), 5u);
  size_t i = 0;
  for (const Key& each : all) {
    const std::vector<uint32_t> own(words.begin() + 2 * i, words.begin() + 2 * i + 2);
    EXPECT_EQ(each.data.to_vector<uint32_t>(), own);
    EXPECT_EQ(list[i].data.to_vector<uint32_t>(), own);
    EXPECT_EQ(all[static_cast<int64_t>(i)].data.to_vector<uint32_t>(), own);
    ++i;
  }
  EXPECT_EQ(i, 5u);
  EXPECT_EQ(split(key(1), 0).size(), 0);
  EXPECT_TRUE(std::vector<Key>(split(key(1), 0)).empty());
}

TEST(Keys, PlacesOfKeysTakeTheHintsOfPlacesOfArrays) {
  const Key all = split(key(42), 5), other = key(7);
  const Array two = numpy::array({0, 3});
  const Key changed = all.at(two).set(other, {.indices_are_sorted = true, .unique_indices = true, .mode = "drop"});
  for (int64_t i = 0; i < 5; ++i) EXPECT_TRUE(same(changed[i], i == 0 || i == 3 ? other : all[i])) << i;
  EXPECT_TRUE(same(all.at(numpy::array({9})).set(other, {.mode = "drop"}), all));
  EXPECT_TRUE(same(all.at(numpy::array({9})).get({.mode = "clip"})[0], all[4]));
  EXPECT_EQ(all.at(numpy::array({9})).get({.mode = "fill"}).data.to_vector<uint32_t>(),
            (std::vector<uint32_t>{0xffffffff, 0xffffffff}));
  EXPECT_THROW(all.at(two).set(other, {.mode = "no such mode"}), Error);
}

TEST(Keys, AKeyOfNoneIsOutOfRange) {
  const auto expect = [](const char* part, StatusCode code, const auto& f) {
    EXPECT_NE(error_of(f, code).find(part), std::string::npos);
  };
  expect("no key 2 of 2", StatusCode::kOutOfRange, [] { (void)split(key(0), 2)[2]; });
  expect("no key -3 of 2", StatusCode::kOutOfRange, [] { (void)split(key(0), 2)[-3]; });
  error_of([] { (void)key(0)[0]; }, StatusCode::kInvalidArgument);
}

TEST(Keys, SplitKeysCanBeTakenApart) {
  const Key all = split(key(42), 3);
  const auto [first, second] = split(key(42));
  EXPECT_TRUE(same(first, split(key(42), 2)[0]));
  EXPECT_TRUE(same(second, split(key(42), 2)[1]));
  const auto [a, b, c] = split<3>(key(42));
  EXPECT_TRUE(same(a, all[0]) && same(b, all[1]) && same(c, all[2]));
  Key state = key(42), use;
  std::tie(state, use) = split(state);
  EXPECT_TRUE(same(state, first) && same(use, second));
}

TEST(Keys, RawSplitKeysCanBeTakenApart) {
  const auto [first, second] = split(PRNGKey(42));
  EXPECT_TRUE(same(first, split(PRNGKey(42), 2)[0]) && same(second, split(PRNGKey(42), 2)[1]));
  const auto [a, b, c] = split<3>(PRNGKey(42));
  EXPECT_TRUE(same(c, split(PRNGKey(42), 3)[2]));
  Array state = PRNGKey(42), use;
  std::tie(state, use) = split(state);
  EXPECT_TRUE(same(state, first) && same(use, second));
  const Array both = jit([](const Array& k) { return split(k); })(PRNGKey(42));  // an ordinary array
  EXPECT_EQ(both.to_vector<uint32_t>(), split(PRNGKey(42), 2).to_vector<uint32_t>());
  const auto of_each = vmap([](const Array& k) { return split(k); })(split(PRNGKey(42), 5));
  EXPECT_EQ(std::vector<int64_t>(of_each.shape().begin(), of_each.shape().end()), (std::vector<int64_t>{5, 2, 2}));
}

TEST(Keys, KeysGoThroughTransformations) {
  const auto of_pair = [](const Key& k) {
    const auto [a, b] = split(k);
    return uniform(a, {2}) + uniform(b, {2});
  };
  const std::vector<float> plain = of_pair(key(3)).to_vector<float>();
  EXPECT_EQ(jit(of_pair)(key(3)).to_vector<float>(), plain);
  const auto of_all = [](const Key& keys) { return uniform(keys[1], {2}) + uniform(keys[-1], {2}); };
  EXPECT_EQ(jit(of_all)(split(key(3), 4)).to_vector<float>(), of_all(split(key(3), 4)).to_vector<float>());
  const Key nested = vmap([](const Key& k) { return split(k, 3); })(split(key(3), 2));
  EXPECT_EQ(nested.shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(nested(1, 2).data.to_vector<uint32_t>(), split(split(key(3), 2)[1], 3)[2].data.to_vector<uint32_t>());
}

TEST(Keys, SplitIntoManyCompilesNothingForEach) {
  (void)std::vector<Key>(split(key(0), 1000));
  const int64_t before = xla_primitive_callable_cache_info().misses;
  (void)std::vector<Key>(split(key(0), 1001));  // another shape, so that everything that depends on it is compiled
  EXPECT_LT(xla_primitive_callable_cache_info().misses - before, 200);
}

TEST(Keys, KeysBatchUnderVmap) {
  const auto draw = [](Key k) {
    const std::vector<Key> two = split(k);
    return normal(two[0], {3}) + uniform(fold_in(two[1], 7), {3});
  };
  const std::vector<float> together = vmap(draw)(split(key(42), 4)).to_vector<float>();
  std::vector<float> one_by_one;
  for (const Key& k : split(key(42), 4)) {
    for (float value : draw(k).to_vector<float>()) one_by_one.push_back(value);
  }
  EXPECT_EQ(together, one_by_one);
}

TEST(Keys, BatchOfKeysNamesVmap) {
  try {
    bits(split(key(0), 2), {2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a key is u32[2]; got u32[2,2]. Hint: vmap"), std::string::npos)
        << error.what();
  }
}

TEST(Keys, FoldsInAsJax) {
  EXPECT_EQ(fold_in(key(42), 5).data.to_vector<uint32_t>(), (std::vector<uint32_t>{2765691542, 824333390}));
}

TEST(Keys, KeysKeepTheHighWordUnderX64) {
  const X64Scope x64;
  EXPECT_EQ(key((int64_t{1} << 40) + 5).data.to_vector<uint32_t>(), (std::vector<uint32_t>{256, 5}));
  EXPECT_EQ(permutation(key(42), 7).to_vector<int64_t>(), (std::vector<int64_t>{4, 2, 5, 3, 6, 0, 1}));
}

TEST(Keys, RefusesWhatIsNoKey) {
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
