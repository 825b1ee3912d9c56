// SPDX-License-Identifier: Apache-2.0
// Elements excluded by `where` have no effect: values and derivatives depend only on the selected elements.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "hilo/base/flags.h"
#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/optim/losses.h"
#include "hilo/scipy/special/special.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Mask = std::optional<Array>;
/// A number computed from the selected elements of x[n]; `other` has x's shape and uses the same mask.
using Masked = std::function<Array(const Array& x, const Mask& mask, const Array& other)>;

/// The weighted sum of the selected elements, with different weights.
Array counted(const Array& y, const Mask& mask, const Array& other) {
  const auto left = [&](const Array& x) { return mask ? numpy::where(*mask, x, 0.0) : x; };
  return numpy::sum(left(y) * (1.0 + numpy::abs(left(other))));
}

const std::vector<std::pair<const char*, Masked>>& functions() {
  static const std::vector<std::pair<const char*, Masked>> all = {
      {"numpy::sum", [](auto& x, auto& m, auto&) { return numpy::sum(x, {.where = m}); }},
      {"numpy::prod", [](auto& x, auto& m, auto&) { return numpy::prod(x, {.where = m}); }},
      {"numpy::mean", [](auto& x, auto& m, auto&) { return numpy::mean(x, {.where = m}); }},
      {"numpy::var", [](auto& x, auto& m, auto&) { return numpy::var(x, {.where = m}); }},
      {"numpy::var, ddof 1", [](auto& x, auto& m, auto&) { return numpy::var(x, {.ddof = 1, .where = m}); }},
      {"numpy::var of a mean",
       [](auto& x, auto& m, auto&) {
         return numpy::var(x, {.where = m, .mean = Array(numpy::sin(numpy::sum(x, {.where = m})))});
       }},
      {"numpy::std", [](auto& x, auto& m, auto&) { return numpy::std(x, {.where = m}); }},
      {"numpy::max",
       [](auto& x, auto& m, auto&) { return numpy::max(x, {.initial = Array(-numpy::inf), .where = m}); }},
      {"numpy::min", [](auto& x, auto& m, auto&) { return numpy::min(x, {.initial = Array(numpy::inf), .where = m}); }},
      {"numpy::nansum", [](auto& x, auto& m, auto&) { return numpy::nansum(x, {.where = m}); }},
      {"numpy::nanprod", [](auto& x, auto& m, auto&) { return numpy::nanprod(x, {.where = m}); }},
      {"numpy::nanmean", [](auto& x, auto& m, auto&) { return numpy::nanmean(x, {.where = m}); }},
      {"numpy::nanvar", [](auto& x, auto& m, auto&) { return numpy::nanvar(x, {.where = m}); }},
      {"numpy::nanstd", [](auto& x, auto& m, auto&) { return numpy::nanstd(x, {.where = m}); }},
      {"nn::softmax", [](auto& x, auto& m, auto& c) { return counted(nn::softmax(x, {.where = m}), m, c); }},
      {"nn::log_softmax", [](auto& x, auto& m, auto& c) { return counted(nn::log_softmax(x, {.where = m}), m, c); }},
      {"nn::logsumexp", [](auto& x, auto& m, auto&) { return nn::logsumexp(x, {.where = m}); }},
      {"nn::logsumexp, b",
       [](auto& x, auto& m, auto& c) { return nn::logsumexp(x, {.b = numpy::abs(c), .where = m}); }},
      {"nn::logmeanexp", [](auto& x, auto& m, auto&) { return nn::logmeanexp(x, {.where = m}); }},
      {"nn::standardize", [](auto& x, auto& m, auto& c) { return counted(nn::standardize(x, {.where = m}), m, c); }},
      {"nn::standardize, stable",
       [](auto& x, auto& m, auto& c) {
         return counted(nn::standardize(x, {.where = m, .algorithm = "stable"}), m, c);
       }},
      {"scipy::special::logsumexp", [](auto& x, auto& m, auto&) { return scipy::special::logsumexp(x, {.where = m}); }},
      {"scipy::special::logsumexp, b",
       [](auto& x, auto& m, auto& c) { return scipy::special::logsumexp(x, {.b = numpy::abs(c), .where = m}); }},
      {"optim::softmax_cross_entropy",
       [](auto& x, auto& m, auto& c) { return optim::softmax_cross_entropy(x, c, {.where = m}); }},
      {"optim::softmax_cross_entropy_with_integer_labels",
       [](auto& x, auto& m, auto&) {
         const Array first = m ? numpy::argmax(*m) : Array(0);
         return optim::softmax_cross_entropy_with_integer_labels(x, numpy::astype(first, ElementType::kS32),
                                                                 {.where = m});
       }},
      {"optim::poly_loss_cross_entropy",
       [](auto& x, auto& m, auto& c) { return optim::poly_loss_cross_entropy(x, c, {.where = m}); }},
      {"optim::cosine_similarity",
       [](auto& x, auto& m, auto& c) { return optim::cosine_similarity(x, c, {.where = m}); }},
      {"optim::cosine_distance", [](auto& x, auto& m, auto& c) { return optim::cosine_distance(c, x, {.where = m}); }},
      {"optim::kl_divergence",
       [](auto& x, auto& m, auto& c) { return optim::kl_divergence(x, numpy::abs(c), {.where = m}); }},
      {"optim::kl_divergence, targets",
       [](auto& x, auto& m, auto& c) { return optim::kl_divergence(c, numpy::abs(x), {.where = m}); }},
      {"optim::kl_divergence_with_log_targets",
       [](auto& x, auto& m, auto& c) { return optim::kl_divergence_with_log_targets(c, x, {.where = m}); }},
      {"optim::convex_kl_divergence",
       [](auto& x, auto& m, auto& c) { return optim::convex_kl_divergence(x, numpy::abs(c), {.where = m}); }},
      {"optim::ranking_softmax_loss",
       [](auto& x, auto& m, auto& c) { return optim::ranking_softmax_loss(x, c, {.where = m, .reduce_fn = "sum"}); }},
  };
  return all;
}

/// nanmean and similar functions exclude NaN themselves; for other functions the mask does.
class Masks : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(config().update("jax_enable_x64", true).ok()); }
  void TearDown() override { ASSERT_TRUE(config().update("jax_enable_x64", false).ok()); }
};

using Numbers = std::vector<double>;
Array array_of(const Numbers& x, ElementType type) { return numpy::astype(numpy::array(x), type); }

/// Expects `part` at the positions selected by `taken` in `full`, and 0 elsewhere.
void expect_spread(const Array& full, const Array& part, const std::vector<bool>& taken, double tolerance,
                   const std::string& what) {
  const Numbers got = numpy::astype(full, ElementType::kF64).to_vector<double>();
  const Numbers right = numpy::astype(part, ElementType::kF64).to_vector<double>();
  for (size_t i = 0, next = 0; i < got.size(); ++i) {
    if (!taken[i]) {
      EXPECT_EQ(got[i], 0) << what << ", dropped element " << i;
      continue;
    }
    EXPECT_TRUE(std::abs(got[i] - right[next]) <= tolerance * (1 + std::abs(right[next])))
        << what << ", element " << i << ": " << got[i] << ", wanted " << right[next];
    ++next;
  }
}

void check(const char* name, const Masked& f, const std::vector<bool>& taken, double junk, ElementType type) {
  std::mt19937_64 engine(taken.size() * 7 + static_cast<size_t>(taken[0]));
  std::uniform_real_distribution<double> number(-2, 2);
  Numbers x, other, along, part, other_part, along_part;
  for (bool take : taken) {
    const double a = number(engine), b = number(engine), c = number(engine);
    x.push_back(take ? a : junk);
    other.push_back(take ? b : std::isnan(junk) ? junk : 3.0);
    along.push_back(c);
    if (take) part.push_back(a), other_part.push_back(b), along_part.push_back(c);
  }
  const Array mask = numpy::array(taken), full = array_of(x, type), left = array_of(part, type);
  const Array c = array_of(other, type), c_left = array_of(other_part, type);
  const auto masked = [&](const Array& a) { return f(a, mask, c); };
  const auto plain = [&](const Array& a) { return f(a, std::nullopt, c_left); };
  const double tolerance = type == ElementType::kF64 ? 1e-11 : 2e-4;
  const std::string what = std::string(name) + " of dropped " + std::to_string(junk);
  expect_spread(numpy::reshape(masked(full), {1}), numpy::reshape(plain(left), {1}), {true}, tolerance, what);
  expect_spread(grad(masked)(full), grad(plain)(left), taken, tolerance, what + ", slope");
  const Array two = numpy::stack({full, full});
  expect_spread(jit(vmap(grad(masked)))(two)(1), grad(plain)(left), taken, tolerance, what + ", slope, mapped");
  const Array d = array_of(along, type), d_left = array_of(along_part, type);
  const auto pushed = jvp(masked, std::tuple(full), std::tuple(d)).second;
  expect_spread(numpy::reshape(pushed, {1}),
                numpy::reshape(jvp(plain, std::tuple(left), std::tuple(d_left)).second, {1}), {true}, 10 * tolerance,
                what + ", forward");
  expect_spread(jvp(grad(masked), std::tuple(full), std::tuple(d)).second,
                jvp(grad(plain), std::tuple(left), std::tuple(d_left)).second, taken, 10 * tolerance,
                what + ", second");
  const auto of_other = [&](const Array& w) { return f(full, mask, w); };
  const auto of_other_left = [&](const Array& w) { return f(left, std::nullopt, w); };
  expect_spread(grad(of_other)(c), grad(of_other_left)(c_left), taken, tolerance, what + ", slope of weights");
}

TEST_F(Masks, DroppedElementsTakeNoPart) {
  const double inf = numpy::inf;
  for (const auto& [name, f] : functions()) {
    for (const double junk : {1000.0, -1000.0, inf, -inf, double(numpy::nan), 1e300, -1e300, 0.0}) {
      check(name, f, {true, true, false}, junk, ElementType::kF64);
      check(name, f, {false, true, false, true, true}, junk,
            std::abs(junk) > 1e30 && !std::isinf(junk) ? ElementType::kF64 : ElementType::kF32);
    }
  }
}

/// Rows without selected elements have JAX's value and a slope of 0, and don't affect other rows.
TEST_F(Masks, RowsOfNothingHaveNoSlope) {
  const Array mask = numpy::array({{true, false, true}, {false, false, false}});
  const Array x = numpy::array({{1.0, numpy::nan, 2.0}, {numpy::inf, 3.0, numpy::nan}});
  using Rows = std::function<Array(const Array&)>;
  const std::vector<std::pair<const char*, Rows>> rows = {
      {"mean", [&](const Array& a) { return numpy::mean(a, {.axis = 1, .where = mask}); }},
      {"var", [&](const Array& a) { return numpy::var(a, {.axis = 1, .where = mask}); }},
      {"std", [&](const Array& a) { return numpy::std(a, {.axis = 1, .where = mask}); }},
      {"nanvar", [&](const Array& a) { return numpy::nanvar(a, {.axis = 1, .where = mask}); }},
      {"nanmean", [&](const Array& a) { return numpy::nanmean(a, {.axis = 1, .where = mask}); }},
      {"softmax", [&](const Array& a) { return numpy::take(nn::softmax(a, {.where = mask}), 0, {.axis = 1}); }},
      {"log_softmax",
       [&](const Array& a) {
         return numpy::take(numpy::where(mask, nn::log_softmax(a, {.where = mask}), 0), 0, {.axis = 1});
       }},
      {"logsumexp", [&](const Array& a) { return nn::logsumexp(a, {.axis = 1, .where = mask}); }},
      {"scipy logsumexp", [&](const Array& a) { return scipy::special::logsumexp(a, {.axis = 1, .where = mask}); }},
      {"standardize",
       [&](const Array& a) {
         return numpy::take(numpy::where(mask, nn::standardize(a, {.where = mask}), 0), 0, {.axis = 1});
       }},
  };
  for (const auto& [name, f] : rows) {
    const Array weights = numpy::array({1.0, 2.0});
    const auto slope = grad([&, &f = f](const Array& a) { return numpy::sum(f(a) * weights); })(x).to_vector<double>();
    const auto alone = grad([&, &f = f](const Array& a) {
                         return f(numpy::stack({a, numpy::array({0.0, 0.0, 0.0})}))(0);
                       })(numpy::array({1.0, 5.0, 2.0}))
                           .to_vector<double>();
    for (size_t i : {0u, 2u}) EXPECT_NEAR(slope[i], alone[i], 1e-12) << name;
    for (size_t i : {1u, 3u, 4u, 5u}) EXPECT_EQ(slope[i], 0) << name << " at " << i;
  }
}

}  // namespace
}  // namespace hilo
