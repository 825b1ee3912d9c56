// SPDX-License-Identifier: Apache-2.0
// debug_key_reuse: a key that is used twice is an error, wherever the uses are.
#include <gtest/gtest.h>

#include <functional>

#include "hilo/array/device_put.h"
#include "hilo/base/flags.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/map.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/key_arrays.h"
#include "hilo/random/random.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using random::Key;

/// The error that a call throws for a reused key; "" if it throws none.
template <typename F>
std::string reuse(F&& f) {
  const auto scope = debug_key_reuse(true);
  try {
    f();
  } catch (const KeyReuseError& error) {
    return error.what();
  }
  return "";
}

Array drawn(const Key& key) { return random::uniform(key); }
Array drawn_twice(const Key& key) { return random::uniform(key) + random::uniform(key); }

TEST(KeyReuse, NamesBothLines) {
  const std::string text = reuse([] {
    const Key key = random::key(0);
    random::uniform(key);
    random::split(key);
  });
  EXPECT_TRUE(has(text, "random_split (key_reuse_test.cc:")) << text;
  EXPECT_TRUE(has(text, "the key is already used, by random_bits (key_reuse_test.cc:")) << text;
  EXPECT_TRUE(has(text, "Hint: ")) << text;
}

TEST(KeyReuse, NothingIsSaidWithoutIt) {
  const Key key = random::key(0);
  EXPECT_NO_THROW(drawn_twice(key));
  const auto on = debug_key_reuse(true);
  const auto off = debug_key_reuse(false);
  EXPECT_NO_THROW(drawn_twice(key));
}

TEST(KeyReuse, IsAFlag) {
  ASSERT_TRUE(config().update("jax_debug_key_reuse", true).ok());
  EXPECT_THROW(drawn_twice(random::key(0)), KeyReuseError);
  ASSERT_TRUE(config().clear("jax_debug_key_reuse").ok());
  EXPECT_NO_THROW(drawn_twice(random::key(0)));
}

TEST(KeyReuse, KeysThatAreSplitOffAreNew) {
  EXPECT_EQ(reuse([] {
              const auto [a, b] = random::split(random::key(0));
              return drawn(a) + drawn(b);
            }),
            "");
  EXPECT_NE(reuse([] {
              const Key key = random::key(0);
              const auto [a, b] = random::split(key);
              return drawn(a) + drawn(key);
            }),
            "");
}

TEST(KeyReuse, FoldingInUsesNothing) {
  EXPECT_EQ(reuse([] {
              const Key key = random::key(0);
              for (int i = 0; i < 3; ++i) drawn(random::fold_in(key, i));
              return drawn(key);
            }),
            "");
}

TEST(KeyReuse, AskingForTheWordsOrComparingUsesNothing) {
  EXPECT_EQ(reuse([] {
              const Key a = random::key(0), b = random::key(1);
              random::key_data(a);
              numpy::equal(a, b);
              return drawn(a) + drawn(b);
            }),
            "");
}

TEST(KeyReuse, ACloneMayBeUsedToo) {
  EXPECT_EQ(reuse([] {
              const Key key = random::key(0);
              drawn(key);
              return drawn(random::clone(key));
            }),
            "");
  const Key key = random::key(0);
  const auto scope = debug_key_reuse(true);
  EXPECT_EQ(drawn(random::clone(key)).item<float>(), drawn(key).item<float>());
}

TEST(KeyReuse, WrappedWordsAreANewKey) {
  const Array words = random::PRNGKey(0);
  EXPECT_EQ(reuse([&] { return drawn(random::wrap_key_data(words)) + drawn(random::wrap_key_data(words)); }), "");
}

TEST(KeyReuse, RawKeysAreFollowedToo) {
  EXPECT_NE(reuse([] {
              const Array key = random::PRNGKey(0);
              return drawn(key) + drawn(key);
            }),
            "");
}

TEST(KeyReuse, WhatIsMovedStaysTheKey) {
  const auto twice = [](auto move) {
    return reuse([&] {
      const Key key = random::key(0);
      const Key moved = move(key);
      return drawn(key) + drawn(moved);
    });
  };
  EXPECT_NE(twice([](const Key& k) { return k.reshape({1})[0]; }), "");
  EXPECT_NE(twice([](const Key& k) { return numpy::squeeze(numpy::expand_dims(k, 0)); }), "");
  EXPECT_NE(twice([](const Key& k) { return numpy::broadcast_to(k, {3})[1]; }), "");
  EXPECT_NE(twice([](const Key& k) { return Key(device_put(k.data)); }), "");
  EXPECT_NE(twice([](const Key& k) { return numpy::stack({k, random::key(1)})[0]; }), "");
  EXPECT_EQ(twice([](const Key& k) { return numpy::stack({k, random::key(1)})[1]; }), "");
}

TEST(KeyReuse, ElementsOfArraysAreKeysOfTheirOwn) {
  EXPECT_EQ(reuse([] {
              const Key keys = random::split(random::key(0), 3);
              return drawn(keys[0]) + drawn(keys[2]) + drawn(keys[-2]);
            }),
            "");
  EXPECT_NE(reuse([] {
              const Key keys = random::split(random::key(0), 3);
              return drawn(keys[0]) + drawn(keys[-3]);
            }),
            "");
  EXPECT_NE(reuse([] {
              const Key keys = random::split(random::key(0), {2, 3});
              return drawn(keys[1][2]) + drawn(numpy::flip(numpy::ravel(keys))[0]);
            }),
            "");
}

TEST(KeyReuse, AnElementWhosePlaceIsNotKnownUsesAll) {
  EXPECT_NE(reuse([] {
              const Key keys = random::split(random::key(0), 3);
              return jit([](Key keys, Array i) { return drawn(keys[i]) + drawn(keys[0]); })(keys, 1);
            }),
            "");
}

TEST(KeyReuse, JitUsesItsArguments) {
  const Key key = random::key(0);
  const auto f = jit([](Key key) { return drawn(key); });
  EXPECT_EQ(reuse([&] { f(key); }), "");
  EXPECT_TRUE(has(reuse([&] { f(key); }), "already used"));
  EXPECT_NE(reuse([&] { drawn(key); }), "");
}

TEST(KeyReuse, JitUsesWhatItClosesOver) {
  const Key key = random::key(0);
  const auto f = jit([&] { return drawn(key); });
  EXPECT_EQ(reuse([&] { f(); }), "");
  EXPECT_NE(reuse([&] { f(); }), "");
}

TEST(KeyReuse, AKeyMadeInsideOfJitIsNewAtEachCall) {
  const auto f = jit([] { return drawn(random::key(0)); });
  EXPECT_EQ(reuse([&] { f(), f(); }), "");
  EXPECT_NE(reuse([] { jit([] { return drawn_twice(random::key(0)); })(); }), "");
}

TEST(KeyReuse, WhatWasTracedWithoutItIsTracedAnew) {
  const auto f = jit([](Key key) { return drawn_twice(key); });
  f(random::key(0));
  EXPECT_NE(reuse([&] { f(random::key(0)); }), "");
}

TEST(KeyReuse, JitGivesBackTheKeyItIsGiven) {
  EXPECT_NE(reuse([] {
              const Key key = random::key(0);
              const Key same = jit([](Key key) { return key; })(key);
              return drawn(key) + drawn(same);
            }),
            "");
  EXPECT_EQ(reuse([] {
              const Key key = random::key(0);
              jit([](Key, Array x) { return x; })(key, drawn(key));
            }),
            "");
}

TEST(KeyReuse, JitTakesAndGivesBackAKeyTwice) {
  const Key key = random::key(0);
  EXPECT_EQ(reuse([&] { jit([](Key a, Key) { return drawn(a); })(key, key); }), "");
  EXPECT_NE(reuse([&] { drawn(key); }), "");
  EXPECT_NE(reuse([] {
              const auto [a, b] = jit([](Key key) { return std::pair(key, key); })(random::key(0));
              return drawn(a) + drawn(b);
            }),
            "");
}

TEST(KeyReuse, JitGivesBackAUsedKey) {
  EXPECT_NE(reuse([] {
              const auto [x, key] = jit([] {
                const Key key = random::key(0);
                return std::pair(drawn(key), key);
              })();
              return x + drawn(key);
            }),
            "");
}

TEST(KeyReuse, IsFoundWithoutJit) {
  const auto scope = disable_jit();
  EXPECT_NE(reuse([] { jit([](Key key) { return drawn_twice(key); })(random::key(0)); }), "");
}

TEST(KeyReuse, NestedJitsAreOneProgram) {
  const auto inner = jit([](Key key) { return drawn(key); });
  EXPECT_NE(reuse([&] { jit([&](Key key) { return inner(key) + inner(key); })(random::key(0)); }), "");
}

TEST(KeyReuse, VmapTakesAKeyEach) {
  const Key keys = random::split(random::key(0), 4);
  EXPECT_EQ(reuse([&] { vmap(drawn)(keys); }), "");
  EXPECT_NE(reuse([&] { vmap(drawn)(keys); }), "");
  EXPECT_NE(reuse([] { vmap(drawn_twice)(random::split(random::key(0), 4)); }), "");
  EXPECT_NE(reuse([] { jit(vmap(drawn_twice))(random::split(random::key(0), 4)); }), "");
  EXPECT_EQ(reuse([] { vmap([](Array seed) { return drawn(random::key(seed)); })(numpy::arange(4)); }), "");
}

TEST(KeyReuse, VmapOfNoKeysUsesNone) {
  EXPECT_EQ(reuse([] {
              const Key keys = random::split(random::key(0), 0);
              vmap(drawn)(keys);
              vmap(drawn)(keys);
            }),
            "");
}

TEST(KeyReuse, BranchesUseAKeyOnce) {
  const auto choose = [](auto f, auto g) { return [=](Array flag, Key key) { return lax::cond(flag, f, g, key); }; };
  const auto other = [](Key key) { return random::normal(key); };
  const auto none = [](Key) { return Array(1.0f); };
  EXPECT_EQ(reuse([&] { jit(choose(drawn, other))(true, random::key(0)); }), "");
  EXPECT_NE(reuse([&] {
              jit([&](Array flag, Key key) { return choose(drawn, other)(flag, key) + drawn(key); })(true,
                                                                                                     random::key(0));
            }),
            "");
  EXPECT_NE(reuse([&] {
              jit([&](Array flag, Key key) { return choose(none, drawn)(flag, key) + drawn(key); })(true,
                                                                                                    random::key(0));
            }),
            "");
  EXPECT_EQ(reuse([&] {
              jit([&](Array flag, Key key) { return choose(none, none)(flag, key) + drawn(key); })(true,
                                                                                                   random::key(0));
            }),
            "");
}

TEST(KeyReuse, ScanSplitsWhatItCarries) {
  EXPECT_EQ(reuse([] {
              return lax::scan(
                  [](Key key, Array) {
                    const auto [next, use] = random::split(key);
                    return std::pair(Key(next), drawn(use));
                  },
                  random::key(0), numpy::arange(10));
            }),
            "");
}

TEST(KeyReuse, ScanMaySplitOneOfTheKeysItCarries) {
  EXPECT_EQ(reuse([] {
              return lax::scan(
                  [](std::pair<Key, Key> keys, Array x) {
                    const auto [a, b] = random::split(keys.first);
                    return std::pair(std::pair(Key(a), Key(b)), x);
                  },
                  std::pair(random::key(0), random::key(1)), numpy::arange(10));
            }),
            "");
}

TEST(KeyReuse, ScanThatCarriesAUsedKeyIsAnError) {
  const std::string text = reuse([] {
    return lax::scan([](Key key, Array) { return std::pair(key, drawn(key)); }, random::key(0), numpy::arange(10));
  });
  EXPECT_TRUE(has(text, "scan (key_reuse_test.cc:")) << text;
  EXPECT_TRUE(has(text, "leads to key reuse when it runs again")) << text;
}

TEST(KeyReuse, ScanThatClosesOverAKeyUsesItEachTime) {
  EXPECT_TRUE(has(reuse([] {
                    const Key key = random::key(0);
                    return lax::scan([&](Array c, Array) { return std::pair(c, drawn(key)); }, Array(0.0f),
                                     numpy::arange(10));
                  }),
                  "when it runs again"));
}

TEST(KeyReuse, MapTakesAKeyEach) {
  EXPECT_EQ(reuse([] { return lax::map(drawn, random::split(random::key(0), 5)); }), "");
  EXPECT_NE(reuse([] {
              const Key keys = random::split(random::key(0), 5);
              lax::map(drawn, keys);
              return drawn(keys[3]);
            }),
            "");
}

TEST(KeyReuse, WhileLoopsAreErrorsInTheirSecondTurn) {
  const auto below = [](std::tuple<Key, Array> c) { return std::get<1>(c) < 10; };
  EXPECT_EQ(reuse([&] {
              return lax::while_loop(
                  below,
                  [](std::tuple<Key, Array> c) {
                    const auto [next, use] = random::split(std::get<0>(c));
                    return std::tuple(Key(next), std::get<1>(c) + 1 + drawn(use));
                  },
                  std::tuple(random::key(0), Array(0.0f)));
            }),
            "");
  EXPECT_TRUE(has(reuse([&] {
                    return lax::while_loop(
                        below,
                        [](std::tuple<Key, Array> c) {
                          return std::tuple(std::get<0>(c), std::get<1>(c) + 1 + drawn(std::get<0>(c)));
                        },
                        std::tuple(random::key(0), Array(0.0f)));
                  }),
                  "while_loop (key_reuse_test.cc:"));
  EXPECT_NE(reuse([&] {
              return lax::while_loop(
                  [](std::tuple<Key, Array> c) { return std::get<1>(c) < drawn(std::get<0>(c)); },
                  [](std::tuple<Key, Array> c) { return std::tuple(std::get<0>(c), std::get<1>(c) + 1.0f); },
                  std::tuple(random::key(0), Array(0.0f)));
            }),
            "");
}

TEST(KeyReuse, WhileLoopsThatCloseOverAKeyUseItEachTime) {
  EXPECT_NE(reuse([] {
              const Key key = random::key(0);
              return lax::while_loop([](Array i) { return i < 5.0f; }, [&](Array i) { return i + 1.0f + drawn(key); },
                                     Array(0.0f));
            }),
            "");
  EXPECT_NE(reuse([] {
              const Key key = random::key(0);
              return lax::while_loop([&](Array i) { return i < drawn(key); }, [](Array i) { return i + 1.0f; },
                                     Array(0.0f));
            }),
            "");
}

TEST(KeyReuse, DerivativesUseAKeyOnce) {
  const auto good = [](Array x, Key key) { return x * drawn(key); };
  const auto bad = [](Array x, Key key) { return x * drawn_twice(key); };
  EXPECT_EQ(reuse([&] { return grad(good)(1.0f, random::key(0)); }), "");
  EXPECT_EQ(reuse([&] { return jit(grad(good))(1.0f, random::key(0)); }), "");
  EXPECT_EQ(reuse([&] { return grad(checkpoint(good))(1.0f, random::key(0)); }), "");
  EXPECT_EQ(reuse([&] { return jit(grad(checkpoint(good)))(1.0f, random::key(0)); }), "");
  EXPECT_NE(reuse([&] { return grad(bad)(1.0f, random::key(0)); }), "");
  EXPECT_NE(reuse([&] { return checkpoint(bad)(1.0f, random::key(0)); }), "");
  EXPECT_NE(reuse([&] { return grad(checkpoint(bad))(1.0f, random::key(0)); }), "");
}

TEST(KeyReuse, SamplersUseTheirKeyOnce) {
  using namespace random;
  const std::vector<std::function<void(Key)>> samplers = {
      [](Key k) { return normal(k, {3}); },
      [](Key k) { return randint(k, {3}, 0, 10); },
      [](Key k) { return permutation(k, 10); },
      [](Key k) { return choice(k, 10, {3}); },
      [](Key k) { return choice(k, 10, {3}, false); },
      [](Key k) { return bernoulli(k, 0.5f, {3}); },
      [](Key k) { return categorical(k, numpy::zeros({3})); },
      [](Key k) { return gamma(k, 2.0f, {3}); },
      [](Key k) { return beta(k, 2.0f, 3.0f, {3}); },
      [](Key k) { return dirichlet(k, numpy::ones({3})); },
      [](Key k) { return poisson(k, 3.0f, {3}); },
      [](Key k) { return binomial(k, 10, 0.5f, {3}); },
      [](Key k) { return truncated_normal(k, -1.0f, 1.0f, {3}); },
      [](Key k) { return t(k, 3.0f, {3}); },
      [](Key k) { return cauchy(k, {3}); },
      [](Key k) { return exponential(k, {3}); },
      [](Key k) { return gumbel(k, {3}); },
      [](Key k) { return laplace(k, {3}); },
      [](Key k) { return logistic(k, {3}); },
      [](Key k) { return geometric(k, 0.5f, {3}); },
      [](Key k) { return rademacher(k, {3}); },
      [](Key k) { return maxwell(k, {3}); },
      [](Key k) { return double_sided_maxwell(k, 0.0f, 1.0f, {3}); },
      [](Key k) { return weibull_min(k, 1.0f, 2.0f, {3}); },
      [](Key k) { return orthogonal(k, 3); },
      [](Key k) { return ball(k, 3); },
      [](Key k) { return generalized_normal(k, 2.0f, {3}); },
      [](Key k) { return multinomial(k, 10, numpy::ones({3}) / 3.0f); },
      [](Key k) { return rayleigh(k, 1.0f, {3}); },
      [](Key k) { return pareto(k, 2.0f, {3}); },
      [](Key k) { return triangular(k, 0.0f, 0.5f, 1.0f, {3}); },
      [](Key k) { return wald(k, 1.0f, {3}); },
      [](Key k) { return lognormal(k, 1.0f, {3}); },
      [](Key k) { return f(k, 2.0f, 3.0f, {3}); },
      [](Key k) { return chisquare(k, 3.0f, {3}); }};
  for (size_t i = 0; i < samplers.size(); ++i)
    EXPECT_EQ(reuse([&] { samplers[i](random::key(static_cast<int64_t>(i))); }), "") << "sampler " << i;
}

}  // namespace
}  // namespace hilo
