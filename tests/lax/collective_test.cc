// SPDX-License-Identifier: Apache-2.0
// Functions over a named axis that vmap defines.
#include "hilo/lax/collective.h"

#include <gtest/gtest.h>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

Array xs() { return numpy::array({1.0, 2, 4, 8}); }

template <typename F>
auto over_i(F f) {
  return vmap(std::move(f), {0}, {0}, "i");
}

TEST(NamedAxis, PsumAddsUpTheBatch) {
  EXPECT_EQ(over_i([](Array x) { return x + lax::psum(x, "i"); })(xs()).to_vector<float>(), (Floats{16, 17, 19, 23}));
  EXPECT_EQ(over_i([](Array x) { return lax::pmean(x, "i"); })(xs()).to_vector<float>(), Floats(4, 3.75f));
  EXPECT_EQ(over_i([](Array x) { return lax::pmax(x, "i") - lax::pmin(x, "i"); })(xs()).to_vector<float>(),
            Floats(4, 7));
}

TEST(NamedAxis, WhatIsTheSameForAllCountsOnceAMember) {
  EXPECT_EQ(over_i([](Array x) { return x * lax::psum(2.0f, "i"); })(xs()).to_vector<float>(), (Floats{8, 16, 32, 64}));
  EXPECT_EQ(over_i([](Array x) { return x + lax::pmax(3.0f, "i"); })(xs()).to_vector<float>(), (Floats{4, 5, 7, 11}));
}

TEST(NamedAxis, PsumOfBooleansCountsAndPmeanOfIntegersIsAFloat) {
  const Array counted = over_i([](Array x) { return lax::psum(x > 1.5f, "i"); })(xs());
  EXPECT_EQ(counted.dtype(), ElementType::kS32);
  EXPECT_EQ(counted.to_vector<int>(), std::vector<int>(4, 3));
  const Array ints = numpy::astype(xs(), ElementType::kS32);
  EXPECT_EQ(over_i([](Array x) { return lax::pmean(x, "i"); })(ints).to_vector<float>(), Floats(4, 3.75f));
}

TEST(NamedAxis, AllGatherStacksOrJoins) {
  const Array rows = numpy::reshape(numpy::arange(6), {3, 2});
  EXPECT_EQ(over_i([](Array x) { return lax::all_gather(x, "i"); })(rows)[1].to_vector<int>(),
            (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(over_i([](Array x) { return lax::all_gather(x, "i", 1); })(rows)[0].to_vector<int>(),
            (std::vector<int>{0, 2, 4, 1, 3, 5}));
  const Array joined = over_i([](Array x) { return lax::all_gather(x, "i", 0, true); })(rows);
  EXPECT_EQ(joined.aval_shape().to_string(), "s32[3,6]");
  EXPECT_EQ(joined[2].to_vector<int>(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(NamedAxis, PpermuteSendsAlongPairsAndFillsWithZeros) {
  EXPECT_EQ(over_i([](Array x) { return lax::ppermute(x, "i", {{0, 1}, {1, 2}, {3, 0}}); })(xs()).to_vector<float>(),
            (Floats{8, 1, 2, 0}));
}

TEST(NamedAxis, AxisIndexAndSizeSayWhereAMemberIs) {
  EXPECT_EQ(over_i([](Array x) { return x * 0 + lax::axis_index("i"); })(xs()).to_vector<float>(),
            (Floats{0, 1, 2, 3}));
  over_i([](Array x) {
    EXPECT_EQ(lax::axis_size("i"), 4);
    return x;
  })(xs());
}

TEST(NamedAxis, PbroadcastGivesAllMembersThatOfOne) {
  const auto f = [](const Array& x) { return lax::pbroadcast(x, "i", 2); };
  const Array x = numpy::array({1.0f, 2.0f, 5.0f});
  EXPECT_EQ(vmap(f, {0}, {0}, "i")(x).to_vector<float>(), (std::vector<float>{5, 5, 5}));
  const auto loss = [&](const Array& all) {
    return numpy::sum(vmap(f, {0}, {0}, "i")(all) * numpy::array({1.0f, 10.0f, 100.0f}));
  };
  EXPECT_EQ(grad(loss)(x).to_vector<float>(), (std::vector<float>{0, 0, 111}));
  error_of([&] { vmap([](const Array& y) { return lax::pbroadcast(y, "i", 3); }, {0}, {0}, "i")(x); },
           StatusCode::kInvalidArgument);
}

TEST(NamedAxis, ANumberIsTheSameOfEachMember) {
  const Array sizes = vmap([](const Array&) { return lax::axis_size("i"); }, {0}, {0}, "i")(numpy::zeros({3}));
  EXPECT_EQ(sizes.to_vector<int>(), (std::vector<int>{3, 3, 3}));
}

TEST(NamedAxis, EachNestedVmapResolvesItsOwnName) {
  const Array grid = numpy::reshape(numpy::arange(6, ElementType::kF32), {2, 3});
  const auto both = [](auto f) { return vmap(vmap(f, {0}, {0}, "j"), {0}, {0}, "i"); };
  EXPECT_EQ(both([](Array x) { return lax::psum(x, "i"); })(grid).to_vector<float>(), (Floats{3, 5, 7, 3, 5, 7}));
  EXPECT_EQ(both([](Array x) { return lax::psum(x, "j"); })(grid).to_vector<float>(), (Floats{3, 3, 3, 12, 12, 12}));
  EXPECT_EQ(both([](Array x) { return lax::psum(lax::psum(x, "i"), "j"); })(grid).to_vector<float>(), Floats(6, 15));
  EXPECT_EQ(
      both([](Array x) { return x * 0 + lax::axis_index("i") * 10 + lax::axis_index("j"); })(grid).to_vector<float>(),
      (Floats{0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(both([](Array x) { return lax::all_gather(x, "i"); })(grid)[1][2].to_vector<float>(), (Floats{2, 5}));
}

TEST(NamedAxis, PassesThroughJitScanAndCond) {
  const auto in_jit = over_i(jit([](Array x) { return x - lax::pmean(x, "i"); }));
  EXPECT_EQ(in_jit(xs()).to_vector<float>(), (Floats{-2.75f, -1.75f, 0.25f, 4.25f}));
  // In the jit, only axis_index depends on the batch.
  const auto index_in_jit = over_i([](Array x) { return x + jit([] { return lax::axis_index("i"); })(); });
  EXPECT_EQ(index_in_jit(xs()).to_vector<float>(), (Floats{1, 3, 6, 11}));
  const auto in_loop = over_i([](Array x) {
    return lax::fori_loop(0, 3, [](Array, Array carry) { return carry - lax::pmean(carry, "i") + 1.0f; }, x);
  });
  EXPECT_EQ(in_loop(xs()).to_vector<float>(), (Floats{-1.75f, -0.75f, 1.25f, 5.25f}));
}

TEST(NamedAxis, OneJitServesAxesOfDifferentSizes) {
  const auto total = jit([](Array x) { return lax::psum(x, "i"); });
  EXPECT_EQ(over_i(total)(xs()).to_vector<float>(), Floats(4, 15));
  EXPECT_EQ(over_i(total)(numpy::array({1.0f, 2.0f})).to_vector<float>(), Floats(2, 3));
  EXPECT_NE(error_of([&] { total(xs()); }, StatusCode::kInvalidArgument).find("unbound axis name: i"),
            std::string::npos);
}

TEST(NamedAxis, GradientsAreJaxs) {
  // The transpose of psum is psum: every member receives the sum of all cotangents.
  const auto by_psum = over_i(grad([](Array x) { return lax::psum(x * x, "i"); }));
  EXPECT_EQ(by_psum(xs()).to_vector<float>(), (Floats{8, 16, 32, 64}));
  const auto outside =
      grad([](Array all) { return numpy::sum(over_i([](Array x) { return lax::psum(x * x, "i"); })(all)); });
  EXPECT_EQ(outside(xs()).to_vector<float>(), (Floats{8, 16, 32, 64}));
  const auto by_permute =
      over_i(grad([](Array x) { return lax::ppermute(x * x, "i", {{0, 1}, {1, 2}}) * (lax::axis_index("i") + 1); }));
  EXPECT_EQ(by_permute(xs()).to_vector<float>(), (Floats{4, 12, 0, 0}));
  // Member i's slice of the sum over all members' cotangents of the gathered array.
  const auto by_gather = over_i(grad([](Array x) {
    const Array all = lax::all_gather(x, "i");
    return numpy::sum(all * all) * (lax::axis_index("i") + 1);
  }));
  EXPECT_EQ(by_gather(xs()).to_vector<float>(), (Floats{20, 40, 80, 160}));
}

Array square() { return numpy::reshape(numpy::arange(16, float32), {4, 4}); }

TEST(NamedAxis, PsumScatterGivesEachMemberItsSliceOfTheSum) {
  const auto one = over_i([](Array x) { return lax::psum_scatter(x, "i"); });
  EXPECT_EQ(one(square()).to_vector<float>(), (Floats{24, 28, 32, 36}));
  const auto tiled = over_i([](Array x) { return lax::psum_scatter(x, "i", {.tiled = true}); });
  const Array wide = numpy::reshape(numpy::arange(32, float32), {4, 8});
  EXPECT_EQ(tiled(wide).to_vector<float>(), (Floats{48, 52, 56, 60, 64, 68, 72, 76}));
  const auto second =
      over_i([](Array x) { return lax::psum_scatter(numpy::outer(numpy::ones(2), x), "i", {.scatter_dimension = 1}); });
  EXPECT_EQ(second(square()).to_vector<float>(), (Floats{24, 24, 28, 28, 32, 32, 36, 36}));
  // A value that doesn't vary over the axis counts once per member.
  const auto same =
      vmap([](Array x) { return x * 0.0f + lax::psum_scatter(numpy::arange(4, float32), "i"); }, {0}, {0}, "i");
  EXPECT_EQ(same(xs()).to_vector<float>(), (Floats{0, 4, 8, 12}));
  EXPECT_EQ(over_i([](Array x) { return lax::psum_scatter(x > 5.0f, "i"); })(square()).to_vector<int>(),
            (std::vector<int>{2, 2, 3, 3}));
}

TEST(NamedAxis, AllToAllExchangesSlices) {
  const auto turned = over_i([](Array x) { return lax::all_to_all(x, "i", 0, 0); });
  EXPECT_EQ(turned(square()).to_vector<float>(), square().T().to_vector<float>());
  const auto same = over_i([](Array x) { return x * 0.0f + lax::all_to_all(numpy::arange(4, float32), "i", 0, 0); });
  EXPECT_EQ(same(square())[2].to_vector<float>(), Floats(4, 2));
  const Array cube = numpy::reshape(numpy::arange(4 * 8 * 3, float32), {4, 8, 3});
  const Array tiled = over_i([](Array x) { return lax::all_to_all(x, "i", 0, 1, {.tiled = true}); })(cube);
  EXPECT_EQ(tiled.aval_shape().to_string(), "f32[4,2,12]");
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 4; ++j)
      EXPECT_EQ(tiled(i, all, range(3 * j, 3 * j + 3)).to_vector<float>(),
                cube(j, range(2 * i, 2 * i + 2)).to_vector<float>());
  }
  const Array moved = over_i([](Array x) { return lax::all_to_all(numpy::reshape(x, {2, 4, 3}), "i", 1, 2); })(cube);
  EXPECT_EQ(moved.aval_shape().to_string(), "f32[4,2,3,4]");
  EXPECT_EQ(moved(3, 1, 2, 0).item<float>(), cube(0, 7, 2).item<float>());
}

TEST(NamedAxis, AxesAsOneScatterAndExchangeInTheirOrder) {
  const auto both = [](auto f) { return vmap(vmap(std::move(f), {0}, {0}, "j"), {0}, {0}, "i"); };
  const Array x = numpy::reshape(numpy::arange(36, float32), {2, 3, 6});
  const Array flat_x = numpy::reshape(x, {6, 6});
  EXPECT_EQ(both([](Array a) { return lax::all_to_all(a, {"i", "j"}, 0, 0); })(x).to_vector<float>(),
            flat_x.T().to_vector<float>());
  EXPECT_EQ(both([](Array a) { return lax::psum_scatter(a, {"i", "j"}); })(x).to_vector<float>(),
            numpy::sum(flat_x, 0).to_vector<float>());
  const std::vector<std::pair<int64_t, int64_t>> around = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}};
  EXPECT_EQ(both([&](Array a) { return lax::ppermute(a, {"i", "j"}, around); })(x).to_vector<float>(),
            numpy::roll(flat_x, 1, 0).to_vector<float>());
  const std::vector<std::pair<int64_t, int64_t>> some = {{0, 5}, {5, 2}, {3, 3}};
  const Array sent = numpy::reshape(both([&](Array a) { return lax::ppermute(a, {"i", "j"}, some); })(x), {6, 6});
  EXPECT_EQ(sent[5].to_vector<float>(), flat_x[0].to_vector<float>());
  EXPECT_EQ(sent[2].to_vector<float>(), flat_x[5].to_vector<float>());
  EXPECT_EQ(sent[3].to_vector<float>(), flat_x[3].to_vector<float>());
  EXPECT_EQ(sent[4].to_vector<float>(), Floats(6, 0));
}

TEST(NamedAxis, GradientsGoBackTheSameWay) {
  const Array weights = numpy::reshape(numpy::arange(16, float32), {4, 4}) * 0.5f + 1.0f;
  const auto scattered =
      over_i(grad([](Array x) { return lax::psum_scatter(x * x, "i") * (lax::axis_index("i") + 1); }));
  const Array ranks = numpy::arange(1, 5, 1, float32);
  EXPECT_EQ(scattered(square()).to_vector<float>(), (square() * 2.0f * ranks).to_vector<float>());
  const auto exchanged = grad([&](Array all) {
    return numpy::sum(over_i([](Array x) { return lax::all_to_all(x * x, "i", 0, 0); })(all) * weights);
  });
  EXPECT_EQ(exchanged(square()).to_vector<float>(), (square() * 2.0f * weights.T()).to_vector<float>());
}

TEST(NamedAxis, BatchesOfAnotherAxisPassBy) {
  const Array x = numpy::reshape(numpy::arange(3 * 4 * 4, float32), {3, 4, 4});
  const auto each = [&](auto f) { return vmap(over_i(std::move(f)))(x); };
  const auto inside = [&](auto f) {
    return numpy::moveaxis(over_i(vmap(std::move(f)))(numpy::moveaxis(x, 0, 1)), 1, 0);
  };
  const auto scatter = [](Array a) { return lax::psum_scatter(a, "i"); };
  const auto exchange = [](Array a) { return lax::all_to_all(a, "i", 0, 0); };
  EXPECT_EQ(each(scatter).to_vector<float>(), inside(scatter).to_vector<float>());
  EXPECT_EQ(each(exchange).to_vector<float>(), inside(exchange).to_vector<float>());
}

TEST(NamedAxis, PmaxHasNoDerivativeAsInJax) {
  const std::string error =
      error_of([] { over_i(grad([](Array x) { return lax::pmax(x, "i"); }))(xs()); }, StatusCode::kUnimplemented);
  EXPECT_NE(error.find("pmax and pmin have no derivative"), std::string::npos) << error;
}

TEST(NamedAxis, TreesGoLeafByLeaf) {
  const auto sums = over_i([](Array x) { return lax::psum(std::tuple(x, x * 2.0f), "i"); })(xs());
  EXPECT_EQ(std::get<0>(sums).to_vector<float>(), Floats(4, 15));
  EXPECT_EQ(std::get<1>(sums).to_vector<float>(), Floats(4, 30));
}

TEST(NamedAxis, AnUnboundNameIsAnErrorThatNamesIt) {
  for (const std::string& error :
       {error_of([] { lax::psum(xs(), "i"); }, StatusCode::kInvalidArgument),
        error_of([] { lax::axis_index("i"); }, StatusCode::kInvalidArgument),
        error_of([] { vmap([](Array x) { return lax::all_gather(x, "i"); })(xs()); }, StatusCode::kInvalidArgument),
        error_of([] { vmap([](Array x) { return lax::ppermute(x, "i", {}); }, {0}, {0}, "j")(xs()); },
                 StatusCode::kInvalidArgument)}) {
    EXPECT_NE(error.find("unbound axis name: i"), std::string::npos) << error;
    EXPECT_NE(error.find("collective_test.cc"), std::string::npos) << error;
  }
}

TEST(NamedAxis, BadPermutationsAndAxesAreErrors) {
  const auto permuted = [](std::vector<std::pair<int64_t, int64_t>> pairs) {
    return error_of([&] { over_i([&](Array x) { return lax::ppermute(x, "i", pairs); })(xs()); },
                    StatusCode::kInvalidArgument);
  };
  EXPECT_NE(permuted({{0, 4}}).find("(0, 4) is out of range"), std::string::npos);
  EXPECT_NE(permuted({{0, 1}, {2, 1}}).find("sources and destinations must be unique"), std::string::npos);
  EXPECT_NE(
      error_of([] { over_i([](Array x) { return lax::all_gather(x, "i", 2); })(xs()); }, StatusCode::kInvalidArgument)
          .find("axis 2 is out of range"),
      std::string::npos);
  const auto refused = [](auto f) { return error_of([&] { over_i(f)(square()); }, StatusCode::kInvalidArgument); };
  EXPECT_NE(refused([](Array x) {
              return lax::psum_scatter(numpy::tile(x, 2), "i");
            }).find("the dimension must have the axis's 4 members; got 8"),
            std::string::npos);
  EXPECT_NE(refused([](Array x) {
              return lax::all_to_all(x[range(0, 3)], "i", 0, 0, {.tiled = true});
            }).find("must be a multiple of the axis's 4 members; got 3"),
            std::string::npos);
}

}  // namespace
}  // namespace hilo
