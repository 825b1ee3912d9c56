// SPDX-License-Identifier: Apache-2.0
// checkpoint: cases of JAX's RematTest. Expected numbers are computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/map.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/custom_vjp.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/derivatives.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

namespace policies = checkpoint_policies;
using Pair = std::pair<Array, Array>;
using One = std::tuple<Array>;
using Floats = std::vector<float>;

void expect_near(const Array& got, const Array& wanted, double tolerance = 1e-6) {
  ASSERT_EQ(got.size(), wanted.size());
  const std::vector<double> a = got.to_vector<double>(), b = wanted.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i])));
}
size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}
Array twice(const Array& x) { return numpy::sin(numpy::sin(x)); }
Array slope_of_twice(const Array& x) { return numpy::cos(numpy::sin(x)) * numpy::cos(x); }

TEST(Checkpoint, SinesOfSinesUnderEverything) {
  const auto g = checkpoint(twice);
  const auto [y, push] = linearize(g, numpy::array(2.0f));
  expect_near(y, twice(2.0f));
  expect_near(push(numpy::array(3.0f)), slope_of_twice(2.0f) * 3.0f);
  expect_near(jit(g)(2.0f), twice(2.0f));
  expect_near(grad(jit(g))(2.0f), slope_of_twice(2.0f));
  expect_near(jit(grad(g))(2.0f), slope_of_twice(2.0f));
  const Array x = numpy::arange(3, float32);
  expect_near(vmap(g)(x), twice(x));
  expect_near(jacfwd(g)(x), numpy::diag(slope_of_twice(x)));
  expect_near(jacrev(g)(x), numpy::diag(slope_of_twice(x)));
  const Array rows = numpy::reshape(numpy::arange(15, float32), {3, 5});
  expect_near(vmap(g, {1}, {0})(rows), numpy::transpose(twice(rows)));
  const auto composed = [](Array v) { return numpy::cos(numpy::sin(v)); };
  expect_near(grad(grad(checkpoint(composed)))(3.0f), grad(grad(composed))(3.0f));
  const auto pair = checkpoint([](Array v) { return Pair(twice(v), 3.0f); });
  expect_near(grad([&](Array v) { return pair(v).first; })(2.0f), slope_of_twice(2.0f));
}

TEST(Checkpoint, TakesStaticNumbers) {
  int traces = 0;
  const auto g = checkpoint([&](Array x, bool positive) {
    ++traces;
    return positive ? numpy::sin(x) : numpy::cos(x);
  });
  const auto f = [&](Array x) { return g(x, x.item<float>() > 0); };
  expect_near(f(2.0f), numpy::sin(2.0f));
  expect_near(grad([&](Array x) { return g(x, true); })(2.0f), numpy::cos(2.0f));
  expect_near(grad([&](Array x) { return g(x, false); })(2.0f), -numpy::sin(2.0f));
  const auto doubled =
      checkpoint([](Array x, bool twofold) { return jit([=](Array v) { return twofold ? 2 * v : v; })(x); });
  const auto pull = vjp([&](Array x) { return doubled(x, true); }, numpy::array(1.0f)).second;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(std::get<0>(pull(numpy::array(1.0f))).item<float>(), 2);
}

TEST(Checkpoint, OfLoopsAndInLoops) {
  const X64Scope x64;
  const auto step = [](Array c, Array) { return Pair(numpy::sin(c), numpy::sin(c)); };
  const auto plain = [&](Array x) { return lax::scan(step, x, numpy::arange(3, float64)); };
  const auto inside = [&](Array x) { return lax::scan(checkpoint(step), x, numpy::arange(3, float64)); };
  const auto outside = checkpoint(plain);
  const Array x = numpy::array(3.0);
  for (const auto& got : {inside(x), outside(x)}) expect_near(got.second, plain(x).second, 1e-12);
  expect_derivatives(inside, One(x), Modes::kBoth, 1e-5);
  expect_derivatives(outside, One(x), Modes::kBoth, 1e-5);
  const auto last = [](const auto& f) { return [&f](Array v) { return f(v).first; }; };
  expect_near(grad(last(inside))(x), grad(last(plain))(x), 1e-12);
  expect_near(grad(last(outside))(x), grad(last(plain))(x), 1e-12);
  const auto nested = checkpoint([](Array v, Array) {
    return Pair(
        lax::scan([](Array c, std::nullopt_t) { return std::pair(c + 1.0, std::tuple<>()); }, v, std::nullopt, 1).first,
        v);
  });
  EXPECT_EQ(grad([&](Array v) { return nested(v, v).first; })(x).item<double>(), 1);
  const auto wave = [](Array u0) {
    const auto one = checkpoint([](Pair s) { return Pair(s.first, s.second + s.first * 0.5); });
    const auto body = [&](Pair s, std::nullopt_t) { return std::pair(one(s), std::tuple<>()); };
    const Pair end = lax::scan(body, Pair(u0, numpy::zeros_like(u0)), std::nullopt, 10).first;
    return numpy::mean(numpy::square(end.first)) + numpy::mean(end.second);
  };
  expect_derivatives(jit(wave), One(numpy::ones({4, 4}, float64)));
  const auto over = [](Array xs) {
    return lax::scan(checkpoint([](Array c, Array v) { return Pair(numpy::tanh(c * v), numpy::tanh(c * v)); }),
                     numpy::array(1.0), xs);
  };
  const Array xs = numpy::linspace(0.1, 1.0, 10);
  expect_near(linearize(over, xs).second(xs).second, jvp(over, One(xs), One(xs)).second.second, 1e-12);
}

TEST(Checkpoint, NestsAsATree) {
  using F = std::function<Array(Array)>;
  const std::function<F(int)> binomial = [&](int n) -> F {
    if (n == 1) return [](Array x) { return numpy::sin(x); };
    const F first = binomial(n / 2), second = binomial(n - n / 2);
    return checkpoint([=](Array x) { return first(second(x)); });
  };
  const auto plain = [](Array x) { return numpy::sin(numpy::sin(numpy::sin(numpy::sin(x)))); };
  expect_near(binomial(4)(4.0f), plain(4.0f));
  expect_near(grad(binomial(4))(4.0f), grad(plain)(4.0f));
}

TEST(Checkpoint, ClosesOverAndCallsJit) {
  const auto f = jit([](Array x) {
    const Array y = 2 * x;
    return checkpoint([&] { return y; })();
  });
  EXPECT_EQ(f(3).item<int>(), 6);
  const auto product = jit([](Array a, Array b) { return a * b; });
  const auto square = checkpoint([&](Array w, Array x) {
    const Array a = product(w, x);
    return product(a, a);
  });
  EXPECT_EQ(grad(square)(2.0f, 3.0f).item<float>(), 36);
  const auto einsums = checkpoint([](Array w, Array x) {
    const Array a = numpy::matmul(x, w);
    return numpy::sum(numpy::matmul(numpy::matmul(a, numpy::transpose(a)), a));
  });
  EXPECT_EQ(grad(einsums)(numpy::ones({1, 1}), numpy::ones({1, 1})).item<float>(), 3);
  const auto drops = checkpoint([](Array x) { return jit([&] { return Pair(x, x); })().second; });
  EXPECT_EQ(grad(drops)(3.0f).item<float>(), 1);
  const auto constant = checkpoint([](Array x) { return jit([] { return Array(3.0f); })() * x; });
  EXPECT_EQ(grad(constant)(3.0f).item<float>(), 3);
}

TEST(Checkpoint, ABarrierStandsBeforeWhatIsComputedAgain) {
  const auto g = checkpoint(twice);
  EXPECT_EQ(count(jit(g).lower(numpy::array(2.0f)).as_text("hlo"), "opt-barrier"), 0u);
  EXPECT_GE(count(jit(grad(g)).lower(numpy::array(2.0f)).as_text("hlo"), "opt-barrier"), 1u);
}

/// Three layers of sin(x x) under a checkpoint policy.
auto three_products(const CheckpointPolicy& policy) {
  return checkpoint(
      [](Array x) {
        for (int i = 0; i < 3; ++i) x = numpy::sin(numpy::matmul(x, x));
        return x;
      },
      {.policy = policy});
}

TEST(Checkpoint, PoliciesSayWhatIsKept) {
  const X64Scope x64;
  const Array square = numpy::ones({2, 2}, float64) * 0.3, batch = numpy::ones({3, 2, 2}, float64) * 0.3;
  const auto kept = [](const auto& f, const Array& x) { return saved_residuals(f, x).size(); };
  EXPECT_EQ(kept(three_products(policies::nothing_saveable), square), 1u);
  EXPECT_EQ(kept(three_products(policies::checkpoint_dots), square), 4u) << "the argument and three products";
  EXPECT_EQ(kept(three_products(policies::checkpoint_dots_with_no_batch_dims), square), 4u);
  EXPECT_EQ(kept(three_products(policies::checkpoint_dots_with_no_batch_dims), batch), 1u);
  EXPECT_EQ(kept(three_products(policies::checkpoint_dots), batch), 4u);
  for (const CheckpointPolicy& policy : {policies::checkpoint_dots, policies::checkpoint_dots_with_no_batch_dims}) {
    expect_derivatives(three_products(policy), One(square), Modes::kBoth, 1e-5);
    expect_derivatives(jit(three_products(policy)), One(batch), Modes::kBoth, 1e-5);
  }
}

TEST(Checkpoint, PoliciesHoldInLoopsAndBranches) {
  const X64Scope x64;
  const Array x = numpy::linspace(0.1, 0.5, 5);
  const CheckpointOptions dots{.policy = policies::checkpoint_dots};
  const auto layers = [](Array w) {
    return [w](Array v) {
      for (int i = 0; i < 3; ++i) v = numpy::sin(numpy::matmul(v, w));
      return v;
    };
  };
  const auto scan_of = [&](Array w, const auto& body) {
    (void)w;
    return lax::scan([&](Array c, std::nullopt_t) { return std::pair(body(c), std::tuple<>()); }, x, std::nullopt, 2)
        .first;
  };
  const auto cond_of = [&](const auto& body) {
    return lax::cond(numpy::sum(x) > 0.0, body, [](Array v) { return v; }, x);
  };
  const std::tuple w(numpy::ones({5, 5}, float64) * 0.2);
  expect_derivatives(jit([&](Array m) { return scan_of(m, checkpoint(layers(m), dots)); }), w, Modes::kBoth, 1e-5);
  expect_derivatives(jit(checkpoint([&](Array m) { return scan_of(m, layers(m)); }, dots)), w, Modes::kBoth, 1e-5);
  expect_derivatives(jit(checkpoint([&](Array m) { return cond_of(layers(m)); }, dots)), w, Modes::kBoth, 1e-5);
  expect_derivatives(jit([&](Array m) { return cond_of(checkpoint(layers(m), dots)); }), w, Modes::kBoth, 1e-5);
}

TEST(Checkpoint, PoliciesHoldAroundCustomRules) {
  const X64Scope x64;
  const auto forward = custom_jvp([](Array v) { return numpy::sin(v); }).defjvp([](One v, One t) {
    const auto [y, c] = jit([](Array u) { return Pair(numpy::sin(u), numpy::cos(u)); })(std::get<0>(v));
    return Pair(y, c * std::get<0>(t));
  });
  const auto reverse =
      custom_vjp([](Array v) {
        return numpy::sin(v);
      }).defvjp([](Array v) { return Pair(numpy::sin(v), v); }, [](Array v, Array g) { return numpy::cos(v) * g; });
  const auto chain = [](const auto& sine) {
    return [&sine](Array v) {
      for (int i = 0; i < 3; ++i) v = sine(v * v * 0.1);
      return v;
    };
  };
  const auto looped = [](const auto& f) {
    return [&f](Array v) {
      return lax::scan([&](Array c, std::nullopt_t) { return std::pair(f(c), std::tuple<>()); }, v, std::nullopt, 2)
          .first;
    };
  };
  const One at(numpy::array(3.0));
  for (const CheckpointPolicy& policy :
       {policies::checkpoint_dots, policies::everything_saveable, policies::nothing_saveable}) {
    const auto f = checkpoint(chain(forward), {.policy = policy});
    expect_derivatives(f, at, Modes::kBoth, 1e-5);
    expect_derivatives(looped(f), at, Modes::kBoth, 1e-5);
    const auto in_cond = checkpoint(
        [&](Array v) { return lax::cond(v > 0.0, [&](Array u) { return forward(u); }, [](Array u) { return u; }, v); },
        {.policy = policy});
    expect_derivatives(in_cond, at, Modes::kBoth, 1e-5);
    const auto g = checkpoint(chain(reverse), {.policy = policy});
    const Array slope = grad([&](Array v) { return chain(forward)(v); })(3.0);
    expect_near(grad(g)(3.0), slope, 1e-12);
    expect_near(grad(looped(g))(3.0), grad(looped(f))(3.0), 1e-12);
  }
  const auto sum = custom_jvp([](Array v) { return numpy::sum(v, 0); }).defjvp([](One v, One t) {
    return Pair(numpy::sum(std::get<0>(v), 0), numpy::sum(std::get<0>(t), 0));
  });
  const auto total = checkpoint([&](Array v) { return sum(v); }, {.policy = policies::checkpoint_dots});
  expect_derivatives(total, One(numpy::ones({3}, float64)));
  expect_derivatives([&](Array v) { return lax::map(total, v); }, One(numpy::ones({2, 3}, float64)));
  const auto of_grad = checkpoint([](Array v) { return grad([](Array u) { return Pair(u * u, u).first; })(v); },
                                  {.policy = policies::checkpoint_dots});
  EXPECT_EQ(grad(of_grad)(3.0).item<double>(), 2);
}

TEST(Checkpoint, RulesWithConstantsInLoopsAndBranches) {
  const auto f = custom_jvp([](Array x) { return x * numpy::arange(3, float32); }).defjvp([](One x, One t) {
    return Pair(std::get<0>(x) * numpy::arange(3, float32), std::get<0>(t) * numpy::arange(3, float32));
  });
  const auto in_scan = checkpoint([&](Array x) {
    return numpy::sum(
        lax::scan([&](Array c, std::nullopt_t) { return std::pair(f(c), std::tuple<>()); }, x, std::nullopt, 1).first);
  });
  const auto in_cond = checkpoint([&](Array x) {
    return numpy::sum(lax::cond(numpy::sum(x) > 0.0f, [&](Array v) { return f(v); }, [](Array v) { return v; }, x));
  });
  const Array x = numpy::arange(3, float32);
  EXPECT_EQ(grad(in_scan)(x).to_vector<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(grad(in_cond)(x).to_vector<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(jit(grad(in_cond))(-x).to_vector<float>(), (Floats{1, 1, 1}));
}

TEST(Checkpoint, ConstantsAreNotKept) {
  const auto kept = [](const auto& f) {
    return saved_residuals(checkpoint(f, {.policy = policies::nothing_saveable}), numpy::ones({2, 2}));
  };
  EXPECT_TRUE(kept([](Array x) { return numpy::diagonal(x); }).empty());
  EXPECT_EQ(kept([](Array x) { return numpy::zeros_like(x) * numpy::sin(x); }).size(), 1u);
}

TEST(Checkpoint, KeepsOneOfWhatCallsHandOn) {
  const auto f = checkpoint(
      [](Array x) {
        const Array y = numpy::ones({2});
        for (int i = 0; i < 2; ++i) x = jit([&] { return x * y; })();
        return x;
      },
      {.policy = policies::everything_saveable});
  EXPECT_LE(saved_residuals(f, numpy::array(3.0f)).size(), 1u) << to_string(saved_residuals(f, numpy::array(3.0f)));
}

TEST(Checkpoint, BranchesOnTracersNameTheLine) {
  const auto f = checkpoint([](Array x) { return x > 0.0f ? x : numpy::sin(x); });
  const std::string text = error_of([&] { jit(f)(3.0f); }, StatusCode::kFailedPrecondition);
  EXPECT_NE(text.find("checkpoint_remat_test.cc:"), std::string::npos) << text;
  const auto flagged = checkpoint([](Array x, int) { return x > 0.0f ? x : numpy::sin(x); });
  error_of([&] { grad([&](Array x) { return flagged(x, 1); })(3.0f); }, StatusCode::kFailedPrecondition);
}

TEST(Checkpoint, GivesTheSameBits) {
  // The saved residual and the value are the same bf16 number, whatever the precision of intermediate values.
  const auto dot = custom_vjp([](Array x) { return numpy::matmul(x, x); })
                       .defvjp([](Array x) { return std::pair(numpy::matmul(x, x), std::tuple<>()); },
                               [](std::tuple<>, Array g) { return g; });
  const auto widen =
      custom_vjp([](Array x) {
        return 1.0f * numpy::astype(x, float32);
      }).defvjp([](Array x) { return Pair(1.0f * numpy::astype(x, float32), x); }, [](Array x, Array) { return x; });
  const auto f = jit(checkpoint([&](Array x) { return widen(dot(x)); }, {.policy = policies::everything_saveable}));
  const Array x = numpy::eye(2, ElementType::kBf16) * numpy::full({2, 2}, 1.0078125f, ElementType::kBf16);
  const auto [y, pull] = vjp(f, x);
  const Array pulled = std::get<0>(pull(numpy::ones_like(y)));
  EXPECT_EQ(numpy::astype(pulled, float32).to_vector<float>(), y.to_vector<float>());
}

TEST(SavedResiduals, NamesDecideWhatIsKept) {
  const auto f = [](Array x) {
    const Array y = checkpoint_name(numpy::sin(x), "y"), z = checkpoint_name(numpy::sin(y), "z");
    return numpy::sin(checkpoint_name(numpy::sin(z), "w"));
  };
  const auto kept = [&](const CheckpointPolicy& policy) {
    return saved_residuals(checkpoint(f, {.policy = policy}), numpy::array(1.0f)).size() -
           1;  // in addition to the argument
  };
  EXPECT_EQ(kept(policies::save_only_these_names("y", "z", "w")), 3u);
  EXPECT_EQ(kept(policies::save_only_these_names("z", "w")), 2u);
  EXPECT_EQ(kept(policies::save_only_these_names("w")), 1u);
  EXPECT_EQ(kept(policies::save_only_these_names()), 0u);
  EXPECT_EQ(kept(policies::save_any_names_but_these("y", "z", "w")), 0u);
  EXPECT_EQ(kept(policies::save_any_names_but_these("z", "w")), 1u);
  EXPECT_EQ(kept(policies::save_any_names_but_these("w")), 2u);
  EXPECT_EQ(kept(policies::save_any_names_but_these()), 3u);
  const auto product = [](Array x) {
    using Map = std::map<std::string, Array>;
    x = checkpoint_name(Map{{"a", numpy::matmul(x, x)}}, "foo").at("a");
    return numpy::matmul(x, x);
  };
  const auto residuals =
      saved_residuals(checkpoint(product, {.policy = policies::save_only_these_names("foo")}), numpy::ones({3, 3}));
  bool named = false;
  for (const SavedResidual& r : residuals) named = named || r.source.starts_with("named 'foo'");
  EXPECT_TRUE(named) << to_string(residuals);
}

TEST(SavedResiduals, SeeThroughJit) {
  const auto f = [](Pair x, Array y) { return numpy::sin(x.first * x.second * y); };
  const Pair x(numpy::array(2.0f), numpy::array(3.0f));
  const Array y = numpy::array(4.0f);
  EXPECT_EQ(to_string(saved_residuals(jit(f), x, y)), to_string(saved_residuals(f, x, y)));
  EXPECT_NE(to_string(saved_residuals(jit(f), x, y)).find("from the argument [0][1]"), std::string::npos);
}

}  // namespace
}  // namespace hilo
