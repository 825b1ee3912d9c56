// SPDX-License-Identifier: Apache-2.0
// has_aux(f): derivatives return the auxiliary result of a function unchanged.
#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

struct Notes {
  Array doubled;
  Array count;  // s32, so it has no tangent
};

/// x^2, and auxiliary notes.
std::pair<Array, Notes> squared(const Array& x) { return {x * x, {x * 2.0f, numpy::arange(x.shape(0))}}; }

Array vector() { return numpy::array({1.0, 2, 3}); }

void expect_notes(const Notes& notes) {
  EXPECT_EQ(notes.doubled.to_vector<float>(), (Floats{2, 4, 6}));
  EXPECT_EQ(notes.count.to_vector<int>(), (std::vector<int>{0, 1, 2}));
}

TEST(HasAux, OfJvpGivesValueTangentAndAux) {
  const auto [y, dy, notes] = jvp(has_aux(squared), std::tuple(vector()), std::tuple(numpy::ones({3})));
  EXPECT_EQ(y.to_vector<float>(), (Floats{1, 4, 9}));
  EXPECT_EQ(dy.to_vector<float>(), (Floats{2, 4, 6}));
  expect_notes(notes);
}

TEST(HasAux, OfVjpPullsCotangentsOfTheValueAlone) {
  const auto [y, pull, notes] = vjp(has_aux(squared), vector());
  EXPECT_EQ(y.to_vector<float>(), (Floats{1, 4, 9}));
  EXPECT_EQ(std::get<0>(pull(numpy::array({1.0, 10, 100}))).to_vector<float>(), (Floats{2, 40, 600}));
  expect_notes(notes);
  const auto& f = pull;
  const std::string text = error_of([&] { f(numpy::ones({4})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("vjp (grad_has_aux_test.cc:"), std::string::npos) << text;
}

TEST(HasAux, OfLinearizePushesToTheValueAlone) {
  const auto [y, push, notes] = linearize(has_aux(squared), vector());
  EXPECT_EQ(y.to_vector<float>(), (Floats{1, 4, 9}));
  EXPECT_EQ(push(numpy::array({1.0, 0, 1})).template to_vector<float>(), (Floats{2, 0, 6}));
  expect_notes(notes);
}

TEST(HasAux, OfJacobiansGivesAPair) {
  const Floats wanted = {2, 0, 0, 0, 4, 0, 0, 0, 6};
  const auto [forward, forward_notes] = jacfwd(has_aux(squared))(vector());
  const auto [reverse, reverse_notes] = jacrev(has_aux(squared))(vector());
  EXPECT_EQ(forward.to_vector<float>(), wanted);
  EXPECT_EQ(reverse.to_vector<float>(), wanted);
  expect_notes(forward_notes);
  expect_notes(reverse_notes);
}

TEST(HasAux, OfAHessianGivesAPair) {
  const auto f = [](const Array& x) { return std::pair(numpy::sum(x * x * x), squared(x).second); };
  const auto [second, notes] = hessian(has_aux(f))(vector());
  EXPECT_EQ(second.to_vector<float>(), (Floats{6, 0, 0, 0, 12, 0, 0, 0, 18}));
  expect_notes(notes);
}

TEST(HasAux, OfAnArgumentNumberedGivesItsJacobian) {
  const auto f = [](const Array& x, const Array& y) { return std::pair(x * y, x + y); };
  const auto [jacobian, sum] = jacrev<1>(has_aux(f))(vector(), numpy::array({4.0, 5, 6}));
  EXPECT_EQ(jacobian.to_vector<float>(), (Floats{1, 0, 0, 0, 2, 0, 0, 0, 3}));
  EXPECT_EQ(sum.to_vector<float>(), (Floats{5, 7, 9}));
}

TEST(HasAux, ComposesWithJitVmapAndGrad) {
  const auto rows = [](const Array& x) {
    const auto [jacobian, notes] = jacrev(has_aux(squared))(x);
    return std::pair(numpy::sum(jacobian), notes.doubled);
  };
  const auto [total, doubled] = jit(vmap(rows))(numpy::stack({vector(), vector() * 2.0f}));
  EXPECT_EQ(total.to_vector<float>(), (Floats{12, 24}));
  EXPECT_EQ(doubled.to_vector<float>(), (Floats{2, 4, 6, 4, 8, 12}));
  const auto pulled = [](const Array& x) {
    const auto [y, pull, notes] = vjp(has_aux(squared), x);
    return numpy::sum(std::get<0>(pull(y)) * notes.doubled);  // 2x * x^2 * 2x = 4 x^4
  };
  EXPECT_EQ(grad(pulled)(vector()).to_vector<float>(), (Floats{16, 128, 432}));
}

}  // namespace
}  // namespace hilo
