// SPDX-License-Identifier: Apache-2.0
// Refs (numpy/ref.h) under grad, jvp, vjp, linearize and custom_vjp.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_vjp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

Floats floats(const Array& x) { return x.to_vector<float>(); }
Floats floats(const Ref& r) { return floats(r.get()); }

// Pure functions, whose refs are their own.

TEST(RefGrad, OwnRefs) {
  const auto f = [](Array x) {
    const Ref r = new_ref(x);
    r[ellipsis] = r.get() * r.get();
    return freeze(r);
  };
  EXPECT_EQ(grad(f)(3.0f).item(), 6);
  EXPECT_EQ(grad(jit(f))(3.0f).item(), 6);
  EXPECT_EQ(jit(grad(f))(3.0f).item(), 6);
  EXPECT_EQ(grad(grad(f))(3.0f).item(), 2);
  const auto [y, dy] = jvp(f, {3.0f}, {1.0f});
  EXPECT_EQ(y.item(), 9);
  EXPECT_EQ(dy.item(), 6);
  const auto [value, push] = linearize(f, Array(3.0f));
  EXPECT_EQ(push(Array(2.0f)).item(), 12);
}

TEST(RefGrad, WritesToParts) {
  const auto f = [](Array x) {
    const Ref r = new_ref(x);
    r[0] = 2.0f;  // no longer depends on x
    r(range(1, 3)) *= 3.0f;
    r[1].addupdate(x[0]);
    return r.get().sum();
  };
  EXPECT_EQ(floats(grad(f)(numpy::arange(3.0f))), (Floats{1, 3, 3}));
  EXPECT_EQ(floats(grad(jit(f))(numpy::arange(3.0f))), (Floats{1, 3, 3}));
  EXPECT_EQ(floats(grad([](Array x) { return Array(new_ref(x)[0]); })(numpy::array({3.0f, 1.0f}))), (Floats{1, 0}));
}

TEST(RefGrad, OverwrittenValuesHaveNoGradient) {
  const auto f = [](Array x) {
    const Ref r = new_ref(x);
    const Array before = r.get();
    r.set(2.0f);
    return before * freeze(r);
  };
  EXPECT_EQ(grad(f)(3.0f).item(), 2);
  EXPECT_EQ(grad([](Array x) {
              const Ref r = new_ref(x);
              r.set(2.0f);
              return freeze(r);
            })(1.0f)
                .item(),
            0);
}

TEST(RefGrad, FunctionsInsideWriteTheRef) {
  const float expected = 2 * std::cos(2.0f);
  const auto by_jit = [](Array x) {
    const Ref r = new_ref(x);
    jit([&] { r[ellipsis] = numpy::sin(r.get()) + numpy::sin(r.get()); })();
    return freeze(r);
  };
  const auto by_scan = [](Array x) {
    const Ref r = new_ref(x);
    const auto step = [&](std::nullopt_t none, Array) {
      r[ellipsis] = numpy::sin(r.get()) + numpy::sin(r.get());
      return std::pair(none, none);
    };
    lax::scan(step, std::nullopt, numpy::zeros({1}));
    return freeze(r);
  };
  const auto by_cond = [](Array x) {
    const Ref r = new_ref(x);
    lax::cond(x > 0, [&] { r.set(2.0f * numpy::sin(x)); }, [&] { r.set(0.0f); });
    return freeze(r);
  };
  EXPECT_NEAR(grad(by_jit)(2.0f).item(), expected, 1e-6);
  EXPECT_NEAR(jit(grad(by_jit))(2.0f).item(), expected, 1e-6);
  EXPECT_NEAR(grad(by_scan)(2.0f).item(), expected, 1e-6);
  EXPECT_NEAR(grad(jit(by_scan))(2.0f).item(), expected, 1e-6);
  EXPECT_NEAR(grad(by_cond)(2.0f).item(), expected, 1e-6);
}

TEST(RefGrad, LoopsOverRowsOfARef) {
  const auto f = [](Array xs) {
    const Ref rows = new_ref(xs);
    const auto step = [](Array sum, Ref row) {
      row[ellipsis] *= 2.0f;
      return std::pair(sum + row.get() * row.get(), std::nullopt);
    };
    const Array sum = lax::scan(step, Array(0.0f), rows).first;
    return sum + rows.get().sum();
  };
  EXPECT_EQ(floats(grad(f)(numpy::arange(3.0f))), (Floats{2, 10, 18}));
}

TEST(RefGrad, LoopsThatReadInAnyOrder) {
  const auto f = [](Array xs, Array order) {
    const Ref r = new_ref(xs), sum = new_ref(0.0f);
    lax::fori_loop(
        0, 3,
        [&](Array i, std::tuple<>) {
          const Array x = r[order[i]];
          sum[ellipsis] += x * x;
        },
        std::tuple());
    return sum.get();
  };
  EXPECT_EQ(floats(grad(f)(numpy::array({1.0f, 2.0f, 3.0f}), numpy::array({2, 0, 2}))), (Floats{2, 0, 12}));
}

TEST(RefGrad, BatchOfGradients) {
  const auto f = [](Array x) {
    const Ref r = new_ref(x);
    r[ellipsis] *= x;
    return r.get();
  };
  EXPECT_EQ(floats(vmap(grad(f))(numpy::arange(3.0f))), (Floats{0, 2, 4}));
}

// Refs that only carry data out.

TEST(RefGrad, PlumbingRefs) {
  const auto f = [](Array x, Ref log) {
    const Array y = x + x;
    log[ellipsis] += stop_gradient(y);
    return y;
  };
  const Ref log = new_ref(1.0f);
  EXPECT_EQ(grad(f)(3.0f, log).item(), 2);
  EXPECT_EQ(log.get().item(), 7);
  EXPECT_EQ(grad(jit(f))(3.0f, log).item(), 2);
  EXPECT_EQ(log.get().item(), 13);
  EXPECT_EQ(jit(grad(f))(3.0f, log).item(), 2);
  EXPECT_EQ(log.get().item(), 19);
  const auto captures = [&](Array x) { return f(x, log); };
  EXPECT_EQ(grad(captures)(3.0f).item(), 2);
  EXPECT_EQ(jvp(captures, {3.0f}, {1.0f}).second.item(), 2);
  EXPECT_EQ(log.get().item(), 31);
}

TEST(RefGrad, PlumbingRefsHoldNoDifferentiatedValues) {
  const Ref r = new_ref(0.0f);
  const auto f = [&](Array x) { return r.set(x), x; };
  const std::string error = error_of([&] { grad(f)(1.0f); }, StatusCode::kInvalidArgument);
  EXPECT_HAS(error, "set (");
  EXPECT_HAS(error, "differentiated");
  EXPECT_HAS(error, "stop_gradient(value)");
  error_of([&] { grad(jit(f))(1.0f); }, StatusCode::kInvalidArgument);
  error_of([&] { jvp(f, {1.0f}, {1.0f}); }, StatusCode::kInvalidArgument);
  EXPECT_EQ(r.get().item(), 0);
}

TEST(RefGrad, GradientsWithRespectToRefsTakeVjp) {
  const Ref r = new_ref(2.0f);
  const auto f = [](Ref x) { return x.get() * x.get(); };
  const std::string error = error_of([&] { grad(f)(r); }, StatusCode::kInvalidArgument);
  EXPECT_HAS(error, "can't be a ref");
  EXPECT_HAS(error, "with_refs");
  const auto other = [](Ref x, Array y) { return x.get() * y; };
  EXPECT_EQ(grad<1>(other)(r, 5.0f).item(), 2);
}

TEST(RefGrad, CapturedRefsAreConstants) {
  const Ref scale = new_ref(4.0f);
  EXPECT_EQ(grad([&](Array x) { return x * scale.get(); })(1.0f).item(), 4);
  EXPECT_EQ(grad(checkpoint([&](Array x) { return x * scale.get(); }))(1.0f).item(), 4);
}

// vjp with refs for gradients.

TEST(RefVjp, AddsGradientsToRefs) {
  const auto [y, pull] = vjp([](Array x) { return x * x; }, Array(3.0f));
  const Ref sum = new_ref(100.0f);
  pull.with_refs(sum)(Array(1.0f));
  pull.with_refs(sum)(Array(10.0f));
  EXPECT_EQ(sum.get().item(), 166);
  EXPECT_EQ(std::get<0>(pull(Array(1.0f))).item(), 6);
}

TEST(RefVjp, DifferentiatesRefArguments) {
  const Ref x = new_ref(2.0f), gradient = new_ref(0.0f);
  const auto f = [](Ref r) {
    r[ellipsis] = numpy::sin(r.get());
    return r.get() * r.get();
  };
  const auto [y, pull] = vjp(f, x);
  EXPECT_NEAR(x.get().item(), std::sin(2.0f), 1e-6);
  EXPECT_NEAR(y.item(), std::sin(2.0f) * std::sin(2.0f), 1e-6);
  pull.with_refs(gradient)(Array(1.0f));
  EXPECT_NEAR(gradient.get().item(), 2 * std::sin(2.0f) * std::cos(2.0f), 1e-6);
  const auto [z, read] = vjp([](Ref r) { return r.get() * r.get(); }, new_ref(2.0f));
  const Ref sum = new_ref(100.0f);
  read.with_refs(sum)(Array(1.0f));
  EXPECT_EQ(sum.get().item(), 104);
  EXPECT_HAS(error_of([&, &own = read] { own(Array(1.0f)); }, StatusCode::kInvalidArgument), "with_refs");
}

TEST(RefVjp, EntriesForEachArgument) {
  const auto f = [](Array w, Array x, Ref r) { return numpy::dot(w, x) * r.get(); };
  const Array w = numpy::array({1.0f, 2.0f}), x = numpy::array({3.0f, 4.0f});
  const auto [y, pull] = vjp(f, w, x, new_ref(10.0f));
  const Ref of_w = new_ref(numpy::ones({2})), of_r = new_ref(0.0f);
  const auto [gw, gx, gr] = pull.with_refs(of_w, ad::GradValue(), of_r)(Array(1.0f));
  static_assert(std::is_same_v<decltype(gw), const ad::GradRef> && std::is_same_v<decltype(gx), const Array>);
  EXPECT_EQ(floats(of_w), (Floats{31, 41}));
  EXPECT_EQ(floats(gx), (Floats{10, 20}));
  EXPECT_EQ(of_r.get().item(), 11);
  const auto [again, none, other] = pull.with_refs(ad::GradValue(), ad::DontWant(), of_r)(Array(1.0f));
  static_assert(std::is_same_v<decltype(none), const ad::DidntWant>);
  EXPECT_EQ(floats(again), (Floats{30, 40}));
  EXPECT_HAS(error_of([&, &own = pull] { own.with_refs(of_r, ad::GradValue(), of_r)(Array(1.0f)); },
                      StatusCode::kInvalidArgument),
             "got a ref of f32[]");
}

TEST(RefVjp, AddsSparseGradientsInPlace) {
  const Ref sum = new_ref(numpy::zeros({10}));
  for (const int i : {3, 5, 3}) {
    const auto [y, pull] = vjp([i](Array x) { return Array(x[i]); }, numpy::arange(10.0f));
    pull.with_refs(sum)(Array(1.0f));
  }
  EXPECT_EQ(floats(sum), (Floats{0, 0, 0, 2, 0, 1, 0, 0, 0, 0}));
}

TEST(RefVjp, AccumulatesOverMicrobatches) {
  const auto loss = [](Array w, Array xs) { return numpy::mean(numpy::tanh(numpy::matmul(xs, w))); };
  const auto of_batch = jit([&](Array w, Array batch) {
    const Ref sum = new_ref(numpy::zeros_like(w));
    const auto step = [&](std::nullopt_t none, Array xs) {
      const auto [y, pull] = vjp([&](Array own) { return loss(own, xs); }, w);
      pull.with_refs(sum)(numpy::ones_like(y));
      return std::pair(none, y);
    };
    const Array losses = lax::scan(step, std::nullopt, batch).second;
    return std::pair(freeze(sum), losses);
  });
  const Array w = numpy::arange(8.0f).reshape({4, 2}) / 10.0f,
              batch = numpy::sin(numpy::arange(60.0f)).reshape({5, 3, 4});
  const auto [sum, losses] = of_batch(w, batch);
  Array expected = numpy::zeros_like(w);
  for (int64_t i = 0; i < 5; ++i) expected = expected + grad(loss)(w, batch[i]);
  EXPECT_TRUE(numpy::allclose(sum, expected).item<bool>());
  EXPECT_EQ(losses.shape(0), 5);
}

// custom_vjp with refs as arguments.

auto stash() {
  return custom_vjp([](Ref, Array x) { return x; })
      .defvjp([](Ref gradients, Array x) { return std::pair(x, gradients); },
              [](Ref gradients, Array g) {
                gradients.set(g);
                return std::tuple(std::nullopt, g);
              });
}

TEST(RefCustomVjp, BackwardPassWritesARef) {
  const auto f = [stash = stash()](Array x, Ref gradients) { return numpy::sin(stash(gradients, x)); };
  const Ref gradients = new_ref(0.0f);
  EXPECT_NEAR(f(1.0f, gradients).item(), std::sin(1.0f), 1e-6);
  EXPECT_EQ(gradients.get().item(), 0);
  grad(f)(1.0f, gradients);
  EXPECT_NEAR(gradients.get().item(), std::cos(1.0f), 1e-6);
  const Ref other = new_ref(0.0f);
  jit(grad(f))(2.0f, other);
  EXPECT_NEAR(other.get().item(), std::cos(2.0f), 1e-6);
  EXPECT_NEAR(gradients.get().item(), std::cos(1.0f), 1e-6);
}

TEST(RefCustomVjp, InsideOfJit) {
  const auto f = jit([stash = stash()](Array x, Ref gradients) { return numpy::sin(stash(gradients, x)); });
  const Ref gradients = new_ref(0.0f);
  EXPECT_NEAR(f(1.0f, gradients).item(), std::sin(1.0f), 1e-6);
  for (const float x : {1.0f, 2.0f}) {
    grad(f)(x, gradients);
    EXPECT_NEAR(gradients.get().item(), std::cos(x), 1e-6);
    jit(grad(jit(f)))(2 * x, gradients);
    EXPECT_NEAR(gradients.get().item(), std::cos(2 * x), 1e-6);
  }
  const auto loops = [&](Array x) {
    return lax::fori_loop(0, 2, [&, stash = stash()](Array, Array y) { return numpy::sin(stash(gradients, y)); }, x);
  };
  EXPECT_HAS(error_of([&] { grad(loops)(1.0f); }, StatusCode::kUnimplemented), "unroll the loop in C++");
}

TEST(RefCustomVjp, OwnRefsOfTheFunction) {
  const auto f = custom_vjp([](Array x) {
                   const Ref r = new_ref(numpy::zeros_like(x));
                   r.set(x);
                   return r.get();
                 })
                     .defvjp([](Array x) { return std::pair(x, std::nullopt); },
                             [](std::tuple<>, Array g) { return std::tuple(3.0f * g); });
  EXPECT_EQ(jit(f)(2.0f).item(), 2);
  EXPECT_EQ(grad(f)(2.0f).item(), 3);
  EXPECT_EQ(grad(jit(f))(2.0f).item(), 3);
}

TEST(RefCustomVjp, Errors) {
  const Ref r = new_ref(0.0f);
  const auto two = custom_vjp([](Ref a, Ref b, Array x) { return x + a.get() + b.get(); })
                       .defvjp([](Ref, Ref, Array x) { return std::pair(x, std::nullopt); },
                               [](std::tuple<>, Array g) { return std::tuple(std::nullopt, std::nullopt, g); });
  error_of([&] { two(r, r, 1.0f); }, StatusCode::kInvalidArgument);
  const auto makes =
      custom_vjp([](Array x) {
        return x;
      }).defvjp([](Array x) { return std::pair(x, new_ref(x)); }, [](Ref, Array g) { return std::tuple(g); });
  EXPECT_HAS(error_of([&] { grad(makes)(1.0f); }, StatusCode::kInvalidArgument), "ref");
}

}  // namespace
}  // namespace hilo
