// SPDX-License-Identifier: Apache-2.0
// Functions over a named axis, where vmap gives the axis its meaning.
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
  // Nothing in the jit depends on the batch but the axis itself.
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
  // psum's transpose is psum: every member's cotangent comes to every member.
  const auto by_psum = over_i(grad([](Array x) { return lax::psum(x * x, "i"); }));
  EXPECT_EQ(by_psum(xs()).to_vector<float>(), (Floats{8, 16, 32, 64}));
  const auto outside =
      grad([](Array all) { return numpy::sum(over_i([](Array x) { return lax::psum(x * x, "i"); })(all)); });
  EXPECT_EQ(outside(xs()).to_vector<float>(), (Floats{8, 16, 32, 64}));
  const auto by_permute =
      over_i(grad([](Array x) { return lax::ppermute(x * x, "i", {{0, 1}, {1, 2}}) * (lax::axis_index("i") + 1); }));
  EXPECT_EQ(by_permute(xs()).to_vector<float>(), (Floats{4, 12, 0, 0}));
  // Member i's part of what all members make of the gathered array.
  const auto by_gather = over_i(grad([](Array x) {
    const Array all = lax::all_gather(x, "i");
    return numpy::sum(all * all) * (lax::axis_index("i") + 1);
  }));
  EXPECT_EQ(by_gather(xs()).to_vector<float>(), (Floats{20, 40, 80, 160}));
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
}

}  // namespace
}  // namespace hilo
