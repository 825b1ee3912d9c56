// SPDX-License-Identifier: Apache-2.0
// Positional arguments have the same effect as named options. Covers forms that no other test calls.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "hilo/hilo.h"

namespace hilo::tests {
namespace {

using Floats = std::vector<float>;

Array vec() { return numpy::array({3.0f, -1.0f, 2.0f, 0.5f}); }
Array mat() { return numpy::array({{4.0f, 1.0f}, {1.0f, 3.0f}}); }

void expect_same(const Array& got, const Array& wanted) {
  ASSERT_EQ(got.aval_shape().to_string(), wanted.aval_shape().to_string());
  EXPECT_TRUE(static_cast<bool>(numpy::array_equal(got, wanted, true))) << got << " and " << wanted;
}

TEST(ShortForms, OfNumpy) {
  const Array x = vec(), m = mat();
  expect_same(numpy::append(m, m, {.axis = 0}), numpy::concatenate({m, m}, 0));
  EXPECT_EQ(numpy::array_split(x, 2, {.axis = 0}).size(), 2u);
  EXPECT_EQ(numpy::asarray(2, float32).dtype(), ElementType::kF32);
  EXPECT_EQ(numpy::broadcast_shapes(numpy::Shape{2, 1}, numpy::Shape{3}), (numpy::Shape{2, 3}));
  const std::vector<Dimensions> shapes = {{2, 1}, {3}};
  EXPECT_EQ(lax::broadcast_shapes(shapes), (Dimensions{2, 3}));
  expect_same(numpy::concat({x, x}, 0), numpy::concatenate({x, x}, 0));
  expect_same(numpy::diag(x, {.k = 1}), numpy::diag(x, 1));
  expect_same(numpy::diagflat(x, {.k = 1}), numpy::diagflat(x, 1));
  expect_same(numpy::expand_dims(x, numpy::AxisOption{.axis = 0}), numpy::reshape(x, {1, 4}));
  expect_same(numpy::flip(m, numpy::AxisOption{.axis = 0}), numpy::flip(m, 0));
  expect_same(numpy::squeeze(numpy::reshape(x, {1, 4}), numpy::AxisOption{.axis = 0}), x);
  expect_same(numpy::tril(m, {.k = -1}), numpy::tril(m, -1));
  EXPECT_EQ(numpy::fromstring("1 2", float32, 2).to_vector<float>(), (Floats{1, 2}));
  expect_same(numpy::full_like(x, 2, float32), numpy::full({4}, 2, float32));
  expect_same(numpy::identity(2, float32), numpy::eye(2, float32));
  EXPECT_EQ(numpy::index_exp(0, range(1, 2)).size(), 2u);
  EXPECT_TRUE(static_cast<bool>(numpy::all(numpy::isclose(x, x + 1e-3f, 1e-2))));
  expect_same(numpy::put(x, numpy::array({5}), 7.0f, "clip"), numpy::put(x, numpy::array({3}), 7.0f));
  expect_same(numpy::trim_zeros(numpy::array({0.0f, 1.0f, 0.0f}), "f"), numpy::array({1.0f, 0.0f}));
  expect_same(numpy::fill_diagonal(m, 7.0f, false), numpy::array({{7.0f, 1.0f}, {1.0f, 7.0f}}));
  expect_same(x.at(std::vector<Array>{numpy::array({0, 1})}).get(), numpy::array({3.0f, -1.0f}));
  expect_same(fft::fftshift(x, 0), fft::fftshift(x));
  expect_same(fft::ifftshift(x, 0), fft::ifftshift(x));
  expect_same(fft::fftfreq(4, 0.5), fft::fftfreq(4, {.d = 0.5}));
}

TEST(ShortForms, OfLax) {
  const Array x = vec(), m = mat();
  expect_same(lax::argmax(x, {.axis = 0, .index_dtype = int32}), lax::argmax(x, 0, int32));
  expect_same(lax::composite([](Array a) { return a + 1.0f; }, "hilo.test")(x), x + 1.0f);
  lax::dce_sink(std::tuple(x, m));
  expect_same(lax::dynamic_index_in_dim(x, 1, 0, false), Array(-1.0f).astype(float32));
  expect_same(lax::dynamic_update_index_in_dim(x, 9.0f, 1, {.axis = 0}),
              lax::dynamic_update_index_in_dim(x, 9.0f, 1, 0));
  expect_same(lax::dynamic_update_slice_in_dim(x, numpy::array({9.0f}), 1, {.axis = 0}),
              lax::dynamic_update_slice_in_dim(x, numpy::array({9.0f}), 1, 0));
  EXPECT_EQ(lax::linalg::eig(m, {.compute_right_eigenvectors = false}).size(), 2u);
  expect_same(lax::linalg::qr(m, {.full_matrices = false}).r, lax::linalg::qr(m, false).r);
  expect_same(lax::linalg::qr_with_pivoting(m, {.full_matrices = false}).r, lax::linalg::qr_with_pivoting(m, false).r);
  EXPECT_EQ(lax::linalg::schur(m, {.compute_schur_vectors = true}).size(), 2u);
  EXPECT_EQ(lax::linalg::svd(m, {.full_matrices = false}).size(), 3u);
  expect_same(lax::linalg::tridiagonal(m, {.lower = true}).d, lax::linalg::tridiagonal(m, true).d);
  expect_same(lax::sort_key_val(x, -x, 0).second, -numpy::sort(x));
  const auto means = vmap([](Array a) { return lax::pmean(std::tuple(a, a * 2.0f), "i"); }, {.axis_name = "i"})(x);
  EXPECT_EQ(std::get<1>(means).to_vector<float>(), Floats(4, 2.25f));
  const auto [next, bits] = lax::rng_bit_generator(numpy::array({1, 2, 3, 4}).astype(uint32), {3}, ElementType::kU32);
  EXPECT_EQ(bits.dtype(), ElementType::kU32);
  EXPECT_EQ(next.ndim(), 1);
}

TEST(ShortForms, OfLinalgAndScipy) {
  const Array x = vec(), m = mat();
  expect_same(linalg::tensordot(m, m, 1), numpy::matmul(m, m));
  expect_same(linalg::tensorinv(numpy::reshape(m, {2, 2}), {.ind = 1}), linalg::tensorinv(m, 1));
  namespace signal = scipy::signal;
  expect_same(signal::convolve(x, x, "same"), signal::convolve(x, x, {.mode = "same"}));
  expect_same(signal::correlate(x, x, "same"), signal::correlate(x, x, {.mode = "same"}));
  expect_same(signal::convolve2d(m, m, "same"), signal::convolve2d(m, m, {.mode = "same"}));
  expect_same(signal::correlate2d(m, m, "same"), signal::correlate2d(m, m, {.mode = "same"}));
  const Array wave = numpy::sin(numpy::arange(64.0f));
  expect_same(signal::welch(wave, 2.0, {.nperseg = 16}).Pxx, signal::welch(wave, {.fs = 2.0, .nperseg = 16}).Pxx);
  expect_same(signal::csd(wave, wave, 2.0, {.nperseg = 16}).Pxx,
              signal::csd(wave, wave, {.fs = 2.0, .nperseg = 16}).Pxx);
  const signal::StftResult spectrum = signal::stft(wave, 2.0, {.nperseg = 16});
  expect_same(spectrum.Zxx, signal::stft(wave, {.fs = 2.0, .nperseg = 16}).Zxx);
  expect_same(signal::istft(spectrum.Zxx, 2.0).x, signal::istft(spectrum.Zxx, {.fs = 2.0}).x);
  const auto [reflectors, taus] = lax::linalg::geqrf(m);
  expect_same(lax::linalg::ormqr(reflectors, taus, m, {.left = false}), lax::linalg::ormqr(reflectors, taus, m, false));
  expect_same(scipy::special::logsumexp(m, 0), nn::logsumexp(m, {.axis = 0}));
}

TEST(ShortForms, OfNnAndOptim) {
  const Array x = vec(), m = mat();
  const Array q = numpy::reshape(numpy::arange(8.0f), {2, 2, 2}), bias = numpy::reshape(numpy::arange(8.0f), {2, 2, 2});
  expect_same(nn::dot_product_attention(q, q, q, bias), nn::dot_product_attention(q, q, q, {.bias = bias}));
  namespace initializers = nn::initializers;
  const random::Key key = random::key(3);
  expect_same(initializers::normal(0.1, float32)(key, {2, 2}),
              initializers::normal({.stddev = 0.1, .dtype = float32})(key, {2, 2}));
  expect_same(initializers::uniform(0.1, float32)(key, {2, 2}),
              initializers::uniform({.scale = 0.1, .dtype = float32})(key, {2, 2}));
  expect_same(initializers::orthogonal(2.0, -1, float32)(key, {2, 2}),
              initializers::orthogonal({.scale = 2.0})(key, {2, 2}));
  expect_same(initializers::delta_orthogonal(2.0, -1, float32)(key, {1, 2, 2}),
              initializers::delta_orthogonal({.scale = 2.0})(key, {1, 2, 2}));
  expect_same(nn::celu(x, 2.0f), nn::celu(x, {.alpha = 2.0f}));
  expect_same(nn::glu(x, 0), nn::glu(x, {.axis = 0}));
  expect_same(nn::leaky_relu(x, 0.5f), nn::leaky_relu(x, {.negative_slope = 0.5f}));
  expect_same(nn::squareplus(x, 2.0f), nn::squareplus(x, {.b = 2.0f}));
  expect_same(nn::standardize(m, 0), nn::standardize(m, {.axis = 0}));
  expect_same(nn::logmeanexp(m, 0), nn::logmeanexp(m, {.axis = 0}));
  expect_same(optim::cosine_distance(m, m + 1.0f, 1e-3), optim::cosine_distance(m, m + 1.0f, {.epsilon = 1e-3}));
  expect_same(optim::cosine_similarity(m, m + 1.0f, 1e-3), optim::cosine_similarity(m, m + 1.0f, {.epsilon = 1e-3}));
  expect_same(optim::sigmoid_focal_loss(x, x > 0, 0.3), optim::sigmoid_focal_loss(x, x > 0, {.alpha = 0.3}));
  using Tree = std::tuple<Array, Array>;
  const Tree a(x, m), b(x + 1.0f, m * 2.0f);
  expect_same(std::get<0>(optim::incremental_update(b, a, 0.5f)), x + 0.5f);
  expect_same(std::get<1>(optim::periodic_update(b, a, 4, 2)), m * 2.0f);
  optim::init_empty_state(a);
  EXPECT_FALSE(static_cast<bool>(optim::skip_not_finite(a, Array(0), std::optional<Tree>()).first));
  const auto twice = optim::stateless_with_tree_map([](const Array& g, const Array&) { return g * 2.0f; });
  expect_same(std::get<0>(twice.update(a, twice.init(a), a).first), x * 2.0f);
  const auto first_step = [&](const optim::GradientTransformation& t) {
    return std::get<0>(t.update(a, t.init(a), a).first);
  };
  expect_same(first_step(optim::scale_by_adam(0.8, 0.9)), first_step(optim::scale_by_adam({.b1 = 0.8, .b2 = 0.9})));
  expect_same(first_step(optim::scale_by_lbfgs(3)), first_step(optim::scale_by_lbfgs({.memory_size = 3})));
  namespace tree = optim::tree_utils;
  expect_same(std::get<0>(tree::tree_add(a, b)), x + (x + 1.0f));
  expect_same(std::get<0>(tree::tree_sub(b, a)), (x + 1.0f) - x);
  expect_same(std::get<1>(tree::tree_mul(a, b)), m * (m * 2.0f));
  expect_same(std::get<1>(tree::tree_div(b, a)), (m * 2.0f) / m);
  expect_same(std::get<0>(tree::tree_add_scalar_mul(a, 2.0f, b)), x + 2.0f * (x + 1.0f));
  expect_same(std::get<0>(tree::tree_scale(2.0f, a)), x * 2.0f);
  expect_same(std::get<0>(tree::tree_scalar_mul(2.0f, a)), x * 2.0f);
  expect_same(std::get<0>(tree::tree_zeros_like(a)), numpy::zeros_like(x));
  expect_same(std::get<0>(tree::tree_full_like(a, 3.0f)), numpy::full_like(x, 3.0f));
  EXPECT_EQ(std::get<0>(tree::tree_cast(a, float16)).dtype(), ElementType::kF16);
}

TEST(ShortForms, OfRandom) {
  const random::Key key = random::key(7);
  expect_same(random::randint(key, {3}, 0, 9, {.dtype = int32}), random::randint(key, {3}, 0, 9, int32));
  expect_same(random::permutation(key, mat(), 1), random::permutation(key, mat(), {.axis = 1}));
  expect_same(random::categorical(key, mat(), 0), random::categorical(key, mat(), {.axis = 0}));
  const random::Key keys = random::split(key, 2);
  EXPECT_EQ(numpy::hstack(std::vector<random::Key>{keys, keys}).size(), 4);
  EXPECT_EQ(numpy::vstack(std::vector<random::Key>{keys, keys}).shape(0), 2);
  EXPECT_EQ(random::ball(key, 2, 2.0, {3}).shape(1), 2);
  expect_same(random::multinomial(key, 5.0f, numpy::array({0.5f, 0.5f}), {2}),
              random::multinomial(key, 5.0f, numpy::array({0.5f, 0.5f}), {.shape = {2}}));
}

}  // namespace
}  // namespace hilo::tests
