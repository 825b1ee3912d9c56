// SPDX-License-Identifier: Apache-2.0
// Programs of users with experience in JAX who don't know hilo's headers: arrays, random numbers, mathematics.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "hilo/hilo.h"

using namespace hilo;

namespace {

TEST(Arrays, ShapesAndAxes) {
  Array x = numpy::arange(24).reshape({2, 3, 4});
  EXPECT_EQ(x.transpose(2, 0, 1).shape(), (numpy::Shape{4, 2, 3}));
  EXPECT_EQ(numpy::transpose(x, {2, 0, 1}).shape(0), 4);
  EXPECT_EQ(x.reshape(-1, 4).shape(0), 6);
  EXPECT_EQ(numpy::concatenate({x, x}, 1).shape(1), 6);
  EXPECT_EQ(numpy::concatenate({x, x}, {.axis = -1}).shape(2), 8);
  EXPECT_EQ(numpy::stack({x, x}).ndim(), 4);
  EXPECT_EQ(numpy::expand_dims(x, 0).shape(0), 1);
  EXPECT_EQ(numpy::moveaxis(x, 0, -1).shape(2), 2);
  EXPECT_EQ(x.sum({0, 2}).shape(0), 3);
  EXPECT_EQ(numpy::mean(x, 0, {.keepdims = true}).shape(0), 1);
  EXPECT_EQ(numpy::max(x, {.axis = 1, .keepdims = true}).ndim(), 3);
  EXPECT_EQ(numpy::split(x, 2, 0).size(), 2u);
  EXPECT_EQ(x.flatten().size(), 24);
  EXPECT_EQ(numpy::tile(numpy::array({1, 2}), {2, 2}).shape(1), 4);
  EXPECT_EQ(numpy::zeros_like(x, {.dtype = numpy::float32}).dtype(), numpy::float32);
}

TEST(Arrays, IndexingAndUpdates) {
  Array x = numpy::zeros({5, 5});
  x = x.at(1, 2).set(7);
  x = x.at(all, 0).add(1.0);
  x = x.at(range(2, 4), range(2, 4)).set(numpy::ones({2, 2}));
  x = x.at(numpy::array({0, 4})).multiply(2.0);
  EXPECT_EQ(x(1, 2).item<float>(), 7);
  EXPECT_EQ(x(4, 0).item<float>(), 2);
  EXPECT_EQ(x(ellipsis, -1).shape(), (numpy::Shape{5}));
  EXPECT_EQ(x(range(none, none, -1))(0, 0).item<float>(), 2);
  EXPECT_EQ(x[x > 5].size(), 1);
  EXPECT_EQ(x(all, newaxis, 0).shape(1), 1);
  EXPECT_EQ(numpy::where(x > 5)[0].item<int>(), 1);
  auto places = numpy::nonzero(x > 5);
  EXPECT_EQ(int(places[1]), 2);
  float total = 0;
  for (Array row : x) total += float(row.sum());
  EXPECT_EQ(total, x.sum().item());
}

TEST(Arrays, SortingAndSearching) {
  Array x = numpy::array({3.0, 1.0, 2.0});
  EXPECT_EQ(numpy::argsort(x).to_vector<int>(), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(numpy::sort(x)[0].item<float>(), 1);
  EXPECT_EQ(numpy::argsort(x, {.descending = true})[0].item<int>(), 0);
  auto [values, indices] = lax::top_k(x, 2);
  EXPECT_EQ(indices.to_vector<int>(), (std::vector<int>{0, 2}));
  EXPECT_EQ(numpy::searchsorted(numpy::array({1, 3, 5}), 4).item<int>(), 2);
  EXPECT_EQ(numpy::unique(numpy::array({3, 1, 3})).size(), 2);
  auto [u, counts] = numpy::unique_counts(numpy::array({3, 1, 3}));
  EXPECT_EQ(counts.to_vector<int>(), (std::vector<int>{1, 2}));
  EXPECT_EQ(numpy::argmax(x).item<int>(), 0);
  EXPECT_EQ(x.argmin().item<int>(), 1);
  EXPECT_EQ(numpy::median(x).item<float>(), 2);
  EXPECT_EQ(numpy::percentile(x, 50).item<float>(), 2);
}

TEST(Arrays, TypesAndPromotion) {
  Array a = numpy::ones({2}, numpy::bfloat16), b = numpy::array({1, 2}, numpy::int8);
  EXPECT_EQ((a + b).dtype(), numpy::bfloat16);
  EXPECT_EQ((b + 1).dtype(), numpy::int8);
  EXPECT_EQ((b * 1.5).dtype(), numpy::float32);
  EXPECT_EQ(a.astype(numpy::float16).dtype(), numpy::float16);
  EXPECT_EQ(a.astype<float>().dtype(), float32);
  EXPECT_EQ(numpy::promote_types(numpy::int32, numpy::float16), numpy::float16);
  EXPECT_EQ(numpy::result_type(a, b), numpy::bfloat16);
  EXPECT_TRUE(numpy::issubdtype(a.dtype(), numpy::floating));
  EXPECT_NEAR(numpy::finfo(numpy::float32).eps, 1.1920929e-07, 1e-12);
  EXPECT_EQ(numpy::iinfo(numpy::int8).max, 127);
  EXPECT_EQ(a.nbytes(), 4);
}

TEST(Arrays, LinearAlgebra) {
  Array a = numpy::array({{4.0f, 1.0f}, {1.0f, 3.0f}});
  auto [w, v] = numpy::linalg::eigh(a);
  EXPECT_TRUE(numpy::allclose(numpy::matmul(v * w, v.T()), a, {.atol = 1e-5}).item<bool>());
  Array L = numpy::linalg::cholesky(a);
  EXPECT_TRUE(numpy::allclose(numpy::matmul(L, L.T()), a).item<bool>());
  auto [q, r] = numpy::linalg::qr(a);
  EXPECT_TRUE(numpy::allclose(numpy::matmul(q, r), a, {.atol = 1e-5}).item<bool>());
  auto [u, s, vt] = numpy::linalg::svd(a, {.full_matrices = false});
  EXPECT_TRUE(numpy::allclose(numpy::matmul(u * s, vt), a, {.atol = 1e-5}).item<bool>());
  EXPECT_NEAR(numpy::linalg::det(a).item<float>(), 11, 1e-4);
  EXPECT_TRUE(numpy::allclose(numpy::matmul(numpy::linalg::inv(a), a), numpy::eye(2), {.atol = 1e-5}).item<bool>());
  auto [sign, logdet] = numpy::linalg::slogdet(a);
  EXPECT_NEAR(logdet.item<float>(), std::log(11.0), 1e-5);
  Array x = scipy::linalg::cho_solve(scipy::linalg::cho_factor(a), numpy::ones(2));
  EXPECT_TRUE(numpy::allclose(numpy::dot(a, x), numpy::ones(2), {.atol = 1e-5}).item<bool>());
  EXPECT_EQ(numpy::trace(a).item<float>(), 7);
  EXPECT_EQ(numpy::diag(a).to_vector<float>(), (std::vector<float>{4, 3}));
  EXPECT_EQ(numpy::outer(numpy::arange(2), numpy::arange(3)).shape(1), 3);
}

TEST(Arrays, FourierTransforms) {
  Array t = numpy::arange(32) / 32.0, x = numpy::sin(2 * numpy::pi * 4 * t);
  Array spectrum = numpy::abs(numpy::fft::rfft(x));
  EXPECT_EQ(numpy::argmax(spectrum).item<int>(), 4);
  Array freqs = numpy::fft::rfftfreq(32, 1.0 / 32);
  EXPECT_EQ(freqs[4].item<float>(), 4);
  EXPECT_TRUE(numpy::allclose(numpy::fft::irfft(numpy::fft::rfft(x)), x, {.atol = 1e-5}).item<bool>());
  Array z = numpy::fft::ifft(numpy::fft::fft(x));
  EXPECT_NEAR(numpy::abs(z.imag()).max().item<float>(), 0, 1e-6);
  EXPECT_EQ(numpy::fft::fftshift(numpy::arange(4)).to_vector<int>(), (std::vector<int>{2, 3, 0, 1}));
}

TEST(Arrays, RandomNumbers) {
  auto key = random::PRNGKey(42);
  key = random::fold_in(key, 7);
  auto [a, b, c] = random::split<3>(key);
  Array u = random::uniform(a, {10000}, {.minval = -1, .maxval = 1});
  EXPECT_NEAR(u.mean().item<float>(), 0, 0.02);
  EXPECT_LT(u.max().item<float>(), 1);
  Array n = random::normal(b, {10000}) * 2 + 1;
  EXPECT_NEAR(n.std().item<float>(), 2, 0.05);
  Array i = random::randint(c, {1000}, 0, 6);
  EXPECT_EQ(i.max().item<int>(), 5);
  Array p = random::permutation(a, 10);
  EXPECT_EQ(numpy::sort(p).to_vector<int>(), numpy::arange(10).to_vector<int>());
  Array chosen = random::choice(b, numpy::arange(10), {3}, {.replace = false});
  EXPECT_EQ(numpy::unique(chosen).size(), 3);
  Array k = random::categorical(c, numpy::log(numpy::array({0.1, 0.9})), {.shape = {1000}});
  EXPECT_NEAR(k.mean().item<float>(), 0.9, 0.05);
  EXPECT_EQ(random::truncated_normal(a, -1, 1, {5}).size(), 5);
  EXPECT_EQ(random::gamma(a, 2.0, {5}).size(), 5);
}

TEST(Arrays, PiByMonteCarloOverKeys) {
  auto estimate = [](random::Key key) {
    Array xy = random::uniform(key, {1000, 2});
    return 4 * numpy::mean(numpy::sum(xy * xy, 1) < 1);
  };
  Array estimates = vmap(estimate)(random::split(random::key(0), 50));
  EXPECT_NEAR(estimates.mean().item<float>(), 3.14159, 0.05);
}

TEST(Arrays, DistributionsAndSpecialFunctions) {
  Array x = numpy::linspace(-3, 3, 7);
  EXPECT_NEAR(scipy::stats::norm::logpdf(0.0).item<float>(), -0.9189385, 1e-6);
  EXPECT_NEAR(scipy::stats::norm::cdf(x, 0, 2)[3].item<float>(), 0.5, 1e-6);
  EXPECT_NEAR(scipy::special::logsumexp(numpy::zeros(4)).item<float>(), std::log(4.0), 1e-6);
  EXPECT_NEAR(scipy::special::gammaln(5.0).item<float>(), std::log(24.0), 1e-5);
  EXPECT_NEAR(scipy::special::expit(0.0).item<float>(), 0.5, 1e-7);
  EXPECT_NEAR(grad([](Array x) { return scipy::special::erf(x); })(0.0).item<float>(), 2 / std::sqrt(M_PI), 1e-6);
  EXPECT_NEAR(scipy::stats::multivariate_normal::logpdf(numpy::zeros(2), numpy::zeros(2), numpy::eye(2)).item<float>(),
              -std::log(2 * M_PI), 1e-5);
}

TEST(Arrays, SumsOverSegmentsAndBins) {
  Array data = numpy::array({1.0, 2.0, 3.0}), ids = numpy::array({0, 1, 0});
  EXPECT_EQ(ops::segment_sum(data, ids, 2).to_vector<float>(), (std::vector<float>{4, 2}));
  EXPECT_EQ(ops::segment_sum(data, ids, {.num_segments = 2}).size(), 2);
  EXPECT_EQ(numpy::bincount(ids, {.length = 3}).to_vector<int>(), (std::vector<int>{2, 1, 0}));
  auto [counts, edges] = numpy::histogram(data, 2);
  EXPECT_EQ(counts.sum().item<int>(), 3);
}

TEST(Arrays, GridsAndInterpolation) {
  auto [X, Y] = numpy::meshgrid(numpy::arange(3), numpy::arange(2));
  EXPECT_EQ(X.shape(), (numpy::Shape{2, 3}));
  EXPECT_NEAR(numpy::interp(1.5, numpy::arange(3.0), numpy::array({0.0, 10.0, 20.0})).item<float>(), 15, 1e-5);
  EXPECT_EQ(numpy::cumsum(numpy::arange(5))[-1].item<int>(), 10);
  EXPECT_EQ(numpy::diff(numpy::array({1, 4, 9})).to_vector<int>(), (std::vector<int>{3, 5}));
  EXPECT_EQ(numpy::clip(numpy::arange(5), 1, 3).max().item<int>(), 3);
  EXPECT_EQ(numpy::pad(numpy::ones({2, 2}), 1).shape(0), 4);
  EXPECT_EQ(numpy::pad(numpy::ones({2, 2}), {{1, 0}, {0, 2}}, {.mode = "edge"}).shape(1), 4);
  EXPECT_EQ(numpy::roll(numpy::arange(4), 1)[0].item<int>(), 3);
  EXPECT_EQ(numpy::convolve(numpy::ones(3), numpy::ones(2), "valid").size(), 2);
  EXPECT_EQ(numpy::polyval(numpy::array({1, 0, 2}), 3).item<int>(), 11);
  EXPECT_NEAR(numpy::trapezoid(numpy::array({0.0, 1.0, 2.0}), {.dx = 0.5}).item<float>(), 1, 1e-6);
  EXPECT_EQ(numpy::tensordot(numpy::ones({2, 3}), numpy::ones({3, 4}), 1).shape(1), 4);
  EXPECT_EQ(numpy::kron(numpy::eye(2), numpy::ones({2, 2})).shape(0), 4);
}

TEST(Arrays, ComplexNumbers) {
  Array z = numpy::array({std::complex<float>(3, 4), std::complex<float>(0, 1)});
  EXPECT_EQ(numpy::abs(z)[0].item<float>(), 5);
  EXPECT_EQ(numpy::conj(z).imag()[1].item<float>(), -1);
  EXPECT_NEAR(numpy::angle(z)[1].item<float>(), M_PI / 2, 1e-6);
  EXPECT_TRUE(numpy::iscomplexobj(z));
}

TEST(Arrays, ResizedPicturesAndSegments) {
  Array image = numpy::arange(16.0).reshape(4, 4);
  EXPECT_EQ(image::resize(image, {8, 8}, "bilinear").shape(0), 8);
  EXPECT_EQ(image::resize(image, {2, 2}, image::ResizeMethod::NEAREST).shape(1), 2);
  Array moved = scipy::ndimage::map_coordinates(image, {numpy::array({1.5}), numpy::array({2.0})}, 1);
  EXPECT_NEAR(moved[0].item<float>(), 8, 1e-5);
}

TEST(Arrays, TreesOfArrays) {
  std::tuple<Array, std::vector<Array>> tree(numpy::ones(2), {numpy::zeros(3), numpy::arange(4)});
  auto doubled = tree::map([](Array x) { return x * 2; }, tree);
  EXPECT_EQ(std::get<0>(doubled)[0].item<float>(), 2);
  EXPECT_EQ(tree::leaves(tree).size(), 3u);
  auto [flat, unravel] = flatten_util::ravel_pytree(tree);
  EXPECT_EQ(flat.size(), 9);
  auto [leaves, treedef] = tree::flatten(tree);
  auto again = tree::unflatten(tree, leaves);
  EXPECT_EQ(tree::structure(again), treedef);
}

}  // namespace
