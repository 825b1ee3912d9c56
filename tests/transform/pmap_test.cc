// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/pmap.h"

#include <gtest/gtest.h>

#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"
#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

/// A fixture with eight replicas.
class Pmap : public testing::Test {
 protected:
  void SetUp() override {
    clear_backends();
    ASSERT_TRUE(config().update("jax_replica_count", 8).ok());
  }
  void TearDown() override {
    ASSERT_TRUE(config().clear("jax_replica_count").ok());
    clear_backends();
  }
};

Array grid(int64_t rows, int64_t columns) {
  return numpy::reshape(numpy::arange(rows * columns, ElementType::kF32), {rows, columns});
}

Floats flat(const Array& x) { return x.to_vector<float>(); }

TEST_F(Pmap, EachReplicaComputesItsSlice) {
  EXPECT_EQ(flat(pmap([](Array x) { return x * x + 1.0f; })(numpy::array({1.0, 2, 3}))), (Floats{2, 5, 10}));
  EXPECT_EQ(flat(pmap([](Array x) { return numpy::sum(x); })(grid(8, 2))), (Floats{1, 5, 9, 13, 17, 21, 25, 29}));
}

TEST_F(Pmap, ReplicasSpeakToEachOtherByTheAxisName) {
  const Array x = numpy::array({1.0, 2, 4, 8});
  EXPECT_EQ(flat(pmap([](Array v) { return v - lax::pmean(v, "i"); }, "i")(x)), (Floats{-2.75f, -1.75f, 0.25f, 4.25f}));
  EXPECT_EQ(flat(pmap([](Array v) { return lax::pmax(v, "i") - lax::pmin(v, "i"); }, "i")(x)), Floats(4, 7));
  EXPECT_EQ(flat(pmap([](Array v) { return lax::ppermute(v, "i", {{0, 1}, {1, 2}, {3, 0}}); }, "i")(x)),
            (Floats{8, 1, 2, 0}));
  EXPECT_EQ(flat(pmap([](Array v) { return v * 0 + lax::axis_index("i"); }, "i")(x)), (Floats{0, 1, 2, 3}));
  const Array all = pmap([](Array v) { return lax::all_gather(v, "i", 1); }, "i")(grid(3, 2));
  EXPECT_EQ(all.aval_shape().to_string(), "f32[3,2,3]");
  EXPECT_EQ(flat(all[2]), (Floats{0, 2, 4, 1, 3, 5}));
}

TEST_F(Pmap, GivesTheSameAsVmapForEveryNumberOfReplicas) {
  const auto f = [](Array x) {
    const Array mean = lax::pmean(x, "i");
    const Array next = lax::ppermute(numpy::sin(x), "i", {{0, 0}});
    return std::tuple(numpy::exp(x - mean) * next, lax::all_gather(x, "i"), lax::psum(x * x, "i"));
  };
  for (int64_t n = 1; n <= 8; ++n) {
    const Array x = grid(n, 5) * 0.125f;
    const auto by_pmap = pmap(f, "i")(x);
    const auto by_vmap = vmap(f, {0}, {0}, "i")(x);
    for (size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(flat(std::get<0>(by_pmap))[k], flat(std::get<0>(by_vmap))[k], 1e-6);
    }
    EXPECT_EQ(flat(std::get<1>(by_pmap)), flat(std::get<1>(by_vmap)));
    EXPECT_EQ(std::get<2>(by_pmap).aval_shape(), std::get<2>(by_vmap).aval_shape());
  }
}

TEST_F(Pmap, SumsAreLeftFoldsBitForBitOnEveryCall) {
  const auto total = pmap([](Array x) { return lax::psum(x, "i"); }, "i");
  for (int64_t n = 1; n <= 8; ++n) {
    Floats values, wanted(1000, 0);
    for (int64_t r = 0; r < n; ++r) {
      for (size_t i = 0; i < 1000; ++i) {
        values.push_back(1e7f / static_cast<float>(r * 31 + static_cast<int64_t>(i % 7) + 1));
        wanted[i] = r == 0 ? values.back() : wanted[i] + values.back();
      }
    }
    const Array x =
        Array::from_literal(Literal::array<float>(std::vector<int64_t>{n, 1000}, std::span<const float>(values)));
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Array sums = total(x);
      for (int64_t r = 0; r < n; ++r) EXPECT_EQ(flat(sums[r]), wanted) << n << " " << r;
    }
  }
}

TEST_F(Pmap, TracesOncePerKindOfArguments) {
  int traces = 0;
  const auto f = pmap([&](Array x) {
    ++traces;
    return x + 1.0f;
  });
  f(numpy::array({1.0, 2}));
  f(numpy::array({3.0, 4}));
  EXPECT_EQ(traces, 1);
  f(numpy::array({1.0, 2, 3}));
  EXPECT_EQ(traces, 2);
}

TEST_F(Pmap, ArgumentsAndResultsNeedNotBeMapped) {
  const Array weights = numpy::array({1.0, 10});
  const auto f = pmap([](Array w, Array x) { return std::tuple(w * x, lax::psum(x, "i")); }, "i",
                      std::vector<Axis>{kNoAxis, 1}, std::vector<Axis>{1, kNoAxis});
  const auto [scaled, sum] = f(weights, grid(2, 3));  // columns are mapped
  EXPECT_EQ(scaled.aval_shape().to_string(), "f32[2,3]");
  EXPECT_EQ(flat(scaled), (Floats{0, 1, 2, 30, 40, 50}));
  EXPECT_EQ(flat(sum), (Floats{3, 12}));
}

TEST_F(Pmap, TakesTreesAndCapturesArrays) {
  struct Point {
    Array x, y;
  };
  const Array offset = numpy::array({100.0, 200});
  const auto f = pmap([&](const Point& p) { return Point{p.x + offset, lax::psum(p.y, "i")}; }, "i");
  const Point moved = f(Point{grid(3, 2), numpy::array({1.0, 2, 3})});
  EXPECT_EQ(flat(moved.x), (Floats{100, 201, 102, 203, 104, 205}));
  EXPECT_EQ(flat(moved.y), Floats(3, 6));
}

TEST_F(Pmap, MeetsInsideLoopsAndJits) {
  const auto f = pmap(
      [](Array x) {
        return lax::fori_loop(0, 3, jit([](Array, Array carry) { return carry - lax::pmean(carry, "i") + 1.0f; }), x);
      },
      "i");
  EXPECT_EQ(flat(f(numpy::array({1.0, 2, 4, 8}))), (Floats{-1.75f, -0.75f, 1.25f, 5.25f}));
}

TEST_F(Pmap, GradientsInsideAreThoseOfVmap) {
  const auto loss = [](Array x) { return numpy::sum(lax::psum(x * x, "i") * (lax::axis_index("i") + 1)); };
  const Array x = numpy::array({1.0, 2, 4});
  EXPECT_EQ(flat(pmap(grad(loss), "i")(x)), flat(vmap(grad(loss), {0}, {0}, "i")(x)));
  EXPECT_EQ(flat(pmap(grad(loss), "i")(x)), (Floats{12, 24, 48}));
}

TEST_F(Pmap, UnderOtherTransformationsItMeansVmap) {
  const auto mapped = pmap([](Array x) { return lax::psum(x * x, "i"); }, "i");
  EXPECT_EQ(flat(grad([&](Array x) { return numpy::sum(mapped(x)); })(numpy::array({1.0, 2, 4}))), (Floats{6, 12, 24}));
  EXPECT_EQ(flat(jit([&](Array x) { return mapped(x) + 1.0f; })(numpy::array({1.0, 2, 4}))), Floats(3, 22));
  EXPECT_EQ(flat(vmap(mapped)(grid(2, 2))), (Floats{1, 1, 13, 13}));
  // More members than replicas: nothing is distributed.
  EXPECT_EQ(flat(jit([&](Array x) { return mapped(x); })(numpy::ones({20}))), Floats(20, 20));
}

TEST_F(Pmap, WantsAsManyReplicasAsTheAxisIsLong) {
  const auto f = pmap([](Array x) { return x; });
  const std::string error = error_of([&] { f(numpy::ones({9})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(error.find("requires 9 replicas, but only 8 are available"), std::string::npos) << error;
  EXPECT_NE(error.find("pmap_test.cc"), std::string::npos) << error;
}

TEST_F(Pmap, RefusesAxesThatDontFit) {
  const auto f = pmap([](Array x, Array y) { return x + y; });
  EXPECT_NE(error_of([&] { f(numpy::ones({2}), numpy::ones({3})); }, StatusCode::kInvalidArgument)
                .find("inconsistent sizes for array axes to be mapped: 2 and 3"),
            std::string::npos);
  EXPECT_NE(error_of([&] { pmap([](Array x) { return x; })(numpy::ones({})); }, StatusCode::kInvalidArgument)
                .find("in_axes: no such axis"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { pmap([](Array x) { return x; }, "", {kNoAxis})(numpy::ones({2})); }, StatusCode::kInvalidArgument)
          .find("at least one non-None value in in_axes"),
      std::string::npos);
  EXPECT_NE(error_of([&] { pmap([](Array x) { return lax::psum(x, "j"); }, "i")(numpy::ones({2})); },
                     StatusCode::kInvalidArgument)
                .find("unbound axis name: j"),
            std::string::npos);
}

TEST_F(Pmap, DebugNansNamesTheOpOfAReplica) {
  const auto setting = debug_nans(true);
  const auto logs = [](Array x) { return numpy::log(x) - lax::pmean(x, "i"); };
  const Array good = numpy::array({1.0f, 2.0f, 4.0f}), bad = numpy::array({1.0f, -2.0f, 4.0f});
  EXPECT_EQ(pmap(logs, "i")(good).size(), 3);
  EXPECT_EQ(flat(pmap([](Array x) { return numpy::where(x > 0.0f, x, 0.0f); })(bad)), (Floats{1, 0, 4}));
  const std::string text = error_of([&] { pmap(logs, "i")(bad); }, StatusCode::kFailedPrecondition);
  EXPECT_NE(text.find("invalid value (nan) encountered in log (pmap_test.cc:"), std::string::npos) << text;
  EXPECT_THROW(pmap(logs, "i")(bad), FloatingPointError);
}

TEST_F(Pmap, DebugNansSeesGradientsAndLoopsOfReplicas) {
  const auto setting = debug_nans(true);
  const auto roots = [](Array x) { return numpy::sum(numpy::sqrt(x)); };
  const auto slopes = pmap(grad([](Array x) { return 0.0f * numpy::sqrt(x); }));
  EXPECT_EQ(flat(slopes(numpy::array({1.0f, 4.0f}))), (Floats{0, 0}));
  EXPECT_THROW(slopes(numpy::array({1.0f, 0.0f})), FloatingPointError);
  EXPECT_THROW(grad([&](Array x) { return numpy::sum(pmap(roots)(x)); })(numpy::array({{1.0f, -1.0f}})),
               FloatingPointError);
  const auto looped = pmap([](Array xs) {
    return lax::scan([](Array c, Array x) { return std::pair(c + numpy::log(x), c); }, 0.0f, xs).first;
  });
  const std::string text = error_of([&] { looped(numpy::array({{1.0f, 2.0f, 3.0f}, {1.0f, 2.0f, -3.0f}})); },
                                    StatusCode::kFailedPrecondition);
  EXPECT_NE(text.find("in iteration 2 of scan (pmap_test.cc:"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo
