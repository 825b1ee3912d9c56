// SPDX-License-Identifier: Apache-2.0
// bench/rows.cc -- hilo's side of the peers' table: prints "row<TAB>microseconds", the median of its calls, a line a
// row.
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/timing.h"
#include "hilo/hilo.h"

using namespace hilo;
using namespace std::string_literals;

namespace {

std::string only;  ///< part of a row's name; empty: all rows

bool is_wanted(std::string_view name) { return name.find(only) != std::string_view::npos; }

/// A requested row: `make` makes its arguments and returns the call. Other rows create no arguments.
template <typename Make>
void row(const std::string& name, const Make& make) {
  if (!is_wanted(name)) return;
  std::printf("%s\t%.4f\n", name.c_str(), bench::median_microseconds(make()));
  std::fflush(stdout);
}

/// A jitted function and its arguments as the call of a row.
template <typename Function, typename... Arguments>
auto jitted(Function function, Arguments... arguments) {
  return [call = jit(std::move(function)), ... arguments = std::move(arguments)] { call(arguments...); };
}

struct Params {
  Array w1, b1, w2, b2;
};

Array loss(const Params& p, const Array& x, const Array& y) {
  const Array h = nn::relu(numpy::matmul(x, p.w1) + p.b1);
  const Array log_p = nn::log_softmax(numpy::matmul(h, p.w2) + p.b2);
  return -numpy::mean(numpy::sum(nn::one_hot(y, 10) * log_p, 1));
}

/// A training step from the state that the last call left.
auto digits_step(const random::Key& key) {
  const optim::GradientTransformation adam = optim::adam(2e-3);
  Params params{random::normal(key, {64, 128}) * 0.1f, numpy::zeros({128}), random::normal(key, {128, 10}) * 0.1f,
                numpy::zeros({10})};
  const Array x = random::uniform(key, {128, 64});
  const Array y = numpy::astype(random::uniform(key, {128}) * 10.0f, ElementType::kS32);
  auto step = jit([adam](const Params& p, const optim::OptState& s, const Array& images, const Array& labels) {
    const auto [value, gradients] = value_and_grad(loss)(p, images, labels);
    const auto [updates, next_state] = adam.update(gradients, s, p);
    return std::tuple(optim::apply_updates(p, updates), next_state, value);
  });
  return [=, state = adam.init(params)]() mutable {
    Array value;
    std::tie(params, state, value) = step(params, state, x, y);
  };
}

void digits_rows(const random::Key& key) {
  if (!is_wanted("digits_step_first_call")) return;
  auto step = digits_step(key);
  const bench::Clock::time_point start = bench::Clock::now();
  step();
  std::printf("digits_step_first_call\t%.4f\n", bench::microseconds_since(start));
  row("digits_step", [&] { return [&] { step(); }; });
}

struct Convolution {
  const char* name;
  std::vector<int64_t> images, kernel;
  int64_t stride;
  bool channels_last;
  int64_t groups = 1;
};

const Convolution kConvolutions[] = {
    {"conv3x3_nhwc_28", {32, 28, 28, 64}, {3, 3, 64, 64}, 1, true},
    {"conv3x3_nhwc_56", {8, 56, 56, 64}, {3, 3, 64, 64}, 1, true},
    {"conv3x3_nchw_28", {32, 64, 28, 28}, {64, 64, 3, 3}, 1, false},
    {"conv3x3_s2_nhwc_56", {8, 56, 56, 64}, {3, 3, 64, 128}, 2, true},
    {"conv3x3_nhwc_7", {32, 7, 7, 256}, {3, 3, 256, 256}, 1, true},
    {"conv1x1_nhwc_56", {8, 56, 56, 64}, {1, 1, 64, 256}, 1, true},
    {"conv1x1_nchw_56", {8, 64, 56, 56}, {256, 64, 1, 1}, 1, false},
    {"conv7x7_s2_nhwc_224", {8, 224, 224, 3}, {7, 7, 3, 64}, 2, true},
    {"conv7x7_s2_nchw_224", {8, 3, 224, 224}, {64, 3, 7, 7}, 2, false},
    {"depthwise3x3_nhwc_56", {8, 56, 56, 64}, {3, 3, 1, 64}, 1, true, 64},
    {"depthwise3x3_nchw_56", {8, 64, 56, 56}, {64, 1, 3, 3}, 1, false, 64},
    {"grouped3x3_nhwc_28", {8, 28, 28, 64}, {3, 3, 8, 64}, 1, true, 8},
};

Array normal_like(const random::Key& key, const Array& x) {
  return random::normal(key, {x.shape().begin(), x.shape().end()});
}

/// Forward, and the gradients to both operands.
void convolution_rows(const random::Key& key) {
  const lax::ConvGeneralDilatedDimensionNumbers nhwc("NHWC", "HWIO", "NHWC"), nchw("NCHW", "OIHW", "NCHW");
  for (const Convolution& c : kConvolutions) {
    const auto images = [&] { return random::normal(key, c.images); };
    const auto kernel = [&] { return random::normal(key, c.kernel); };
    const auto f = [&](const Array& x, const Array& k) {
      return lax::conv_general_dilated(x, k, {c.stride, c.stride}, "SAME", {}, {}, c.channels_last ? nhwc : nchw,
                                       c.groups);
    };
    const auto to_images = [&](const Array& x, const Array& k, const Array& cotangent) {
      return vjp([&](const Array& i) { return f(i, k); }, x).second(cotangent);
    };
    const auto to_kernel = [&](const Array& x, const Array& k, const Array& cotangent) {
      return vjp([&](const Array& w) { return f(x, w); }, k).second(cotangent);
    };
    const auto cotangent = [&] { return normal_like(key, jit(f)(images(), kernel())); };
    row(c.name, [&] { return jitted(f, images(), kernel()); });
    row(c.name + "_to_lhs"s, [&] { return jitted(to_images, images(), kernel(), cotangent()); });
    row(c.name + "_to_rhs"s, [&] { return jitted(to_kernel, images(), kernel(), cotangent()); });
  }
}

/// Pooling of 32 images of 56 x 56 x 64 and its gradient; running sums.
void window_rows(const random::Key& key) {
  const auto images = [&] { return random::uniform(key, {32, 56, 56, 64}); };
  const auto square = [&] { return random::uniform(key, {2048, 2048}); };
  const auto pool2 = [](const Array& x) { return nn::max_pool(x, {2, 2}, {2, 2}); };
  const auto pool3 = [](const Array& x) { return nn::max_pool(x, {3, 3}, {2, 2}, "SAME"); };
  const auto average = [](const Array& x) { return nn::avg_pool(x, {2, 2}, {2, 2}); };
  const auto slope2 = grad([=](const Array& x) { return numpy::sum(numpy::square(pool2(x))); });
  const auto slope3 = grad([=](const Array& x) { return numpy::sum(numpy::square(pool3(x))); });
  row("window_max_pool_2x2", [&] { return jitted(pool2, images()); });
  row("window_max_pool_3x3", [&] { return jitted(pool3, images()); });
  row("window_avg_pool_2x2", [&] { return jitted(average, images()); });
  row("window_max_pool_2x2_grad", [&] { return jitted(slope2, images()); });
  row("window_max_pool_3x3_grad", [&] { return jitted(slope3, images()); });
  row("window_cumsum_axis0_2048", [&] { return jitted([](const Array& x) { return numpy::cumsum(x, 0); }, square()); });
  row("window_cumsum_axis1_2048", [&] { return jitted([](const Array& x) { return numpy::cumsum(x, 1); }, square()); });
}

void fft_rows(const random::Key& key) {
  const auto lines = [&](const std::vector<int64_t>& shape) {
    return lax::complex(random::normal(key, shape), random::normal(key, shape));
  };
  const auto transform = [](const Array& x) { return fft::fft(x); };
  const auto plane = [](const Array& x) { return fft::fft2(x); };
  const auto real = [](const Array& x) { return fft::rfft(x); };
  row("fft_1M", [&] { return jitted(transform, lines({1 << 20})); });
  row("fft_999999", [&] { return jitted(transform, lines({999999})); });
  row("fft_256x256", [&] { return jitted(transform, lines({256, 256})); });
  row("fft_1000x100", [&] { return jitted(transform, lines({1000, 100})); });
  row("fft_128x997", [&] { return jitted(transform, lines({128, 997})); });
  row("fft2_512", [&] { return jitted(plane, lines({512, 512})); });
  row("rfft_1M", [&] { return jitted(real, random::normal(key, {1 << 20})); });
  row("rfft_1000x400", [&] { return jitted(real, random::normal(key, {1000, 400})); });
}

void linalg_rows(const random::Key& key) {
  const auto positive = [&](const std::vector<int64_t>& shape) {
    const Array a = random::normal(key, shape);
    return numpy::matmul(a, linalg::matrix_transpose(a)) + numpy::eye(shape.back()) * static_cast<float>(shape.back());
  };
  const auto cholesky = [](const Array& a) { return linalg::cholesky(a); };
  const auto eigh = [](const Array& a) { return linalg::eigh(a).eigenvectors; };
  const auto qr = [](const Array& a) { return linalg::qr(a).q; };
  const auto svd = [](const Array& a) { return linalg::svd(a, false).u; };
  const auto solve = [](const Array& a, const Array& b) { return linalg::solve(a, b); };
  row("cholesky_1000x16x16", [&] { return jitted(cholesky, positive({1000, 16, 16})); });
  row("cholesky_256", [&] { return jitted(cholesky, positive({256, 256})); });
  row("cholesky_511", [&] { return jitted(cholesky, positive({511, 511})); });
  row("eigh_256", [&] { return jitted(eigh, positive({256, 256})); });
  row("eigh_1000x16x16", [&] { return jitted(eigh, positive({1000, 16, 16})); });
  row("qr_300x200", [&] { return jitted(qr, random::normal(key, {300, 200})); });
  row("svd_300x200", [&] { return jitted(svd, random::normal(key, {300, 200})); });
  row("solve_256x8", [&] { return jitted(solve, positive({256, 256}), random::normal(key, {256, 8})); });
}

/// Sort, top-k, gather and scatter.
void order_rows(const random::Key& key) {
  const auto million = [&] { return random::uniform(key, {1000000}); };
  const auto table = [&] { return random::uniform(key, {1000, 1000}); };
  const auto rows = [&] { return random::uniform(key, {10000, 64}); };
  const auto places = [&](int64_t count) {
    return numpy::astype(random::uniform(key, {count}) * 10000.0f, ElementType::kS32);
  };
  const auto sort = [](const Array& x) { return numpy::sort(x); };
  const auto argsort = [](const Array& x) { return numpy::argsort(x); };
  const auto top = [](const Array& x) { return lax::top_k(x, 10).values; };
  const auto take = [](const Array& x, const Array& i) { return numpy::take(x, i, 0); };
  const auto add = [](const Array& x, const Array& i, const Array& u) { return numpy::at(x, i).add(u); };
  row("sort_1M", [&] { return jitted(sort, million()); });
  row("sort_1000x1000", [&] { return jitted(sort, table()); });
  row("argsort_1M", [&] { return jitted(argsort, million()); });
  row("top_k_1M_10", [&] { return jitted(top, million()); });
  row("top_k_1000x1000_10", [&] { return jitted(top, table()); });
  row("take_100000x64", [&] { return jitted(take, rows(), places(100000)); });
  row("scatter_add_1M", [&] { return jitted(add, numpy::zeros({10000}), places(1000000), million()); });
  row("scatter_add_100000x64", [&] { return jitted(add, rows(), places(100000), random::uniform(key, {100000, 64})); });
}

/// Elementwise operations and sums, small and large.
void elementwise_rows(const random::Key& key) {
  const auto square = [&] { return random::uniform(key, {4096, 4096}); };
  const auto add = [](const Array& x, const Array& y) { return x + y; };
  const auto muladd = [](const Array& u, const Array& v, const Array& w) { return numpy::tanh(u * v + w); };
  const auto softmax = [](const Array& x) { return nn::softmax(x); };
  const Array a8 = random::uniform(key, {8});
  row("add_8", [&] { return jitted(add, a8, a8); });
  row("eager_add_8", [&] { return [&] { a8 + a8; }; });
  row("muladd_tanh_16M", [&] {
    const Array x = random::uniform(key, {1 << 24});
    return jitted(muladd, x, x, x);
  });
  row("add_transposed_1000", [&] {
    return jitted([](const Array& x) { return x + numpy::transpose(x); }, random::uniform(key, {1000, 1000}));
  });
  row("softmax_4096x1024", [&] { return jitted(softmax, random::uniform(key, {4096, 1024})); });
  row("sum_axis0_4096", [&] { return jitted([](const Array& x) { return numpy::sum(x, 0); }, square()); });
  row("sum_axis1_4096", [&] { return jitted([](const Array& x) { return numpy::sum(x, 1); }, square()); });
}

void matmul_rows(const random::Key& key) {
  const auto product = [&](const std::vector<int64_t>& left, const std::vector<int64_t>& right) {
    const auto matmul = [](const Array& x, const Array& y) { return numpy::matmul(x, y); };
    return jitted(matmul, random::uniform(key, left), random::uniform(key, right));
  };
  row("matmul_1024", [&] { return product({1024, 1024}, {1024, 1024}); });
  row("matmul_997x333x777", [&] { return product({997, 333}, {333, 777}); });
  row("matmul_500_of_31x47x29", [&] { return product({500, 31, 47}, {500, 47, 29}); });
}

void loop_rows(const random::Key& key) {
  const auto count = [](const Array& n) {
    return lax::while_loop([](const Array& c) { return c < 1000000.0f; }, [](const Array& c) { return c + 1.0f; }, n);
  };
  const auto rnn = [](const Array& weights, const Array& inputs) {
    const auto cell = [&](const Array& h, const Array& x) {
      const Array next = numpy::tanh(numpy::matmul(h, weights) + x);
      return std::pair(next, next);
    };
    return lax::scan(cell, numpy::zeros({16, 128}), inputs).second;
  };
  row("while_1e6", [&] { return jitted(count, numpy::zeros({})); });
  row("rnn_scan_256",
      [&] { return jitted(rnn, random::normal(key, {128, 128}) * 0.05f, random::normal(key, {256, 16, 128})); });
}

struct Heston {
  Array start, variance, speed, level, volatility, correlation, rate;
};

/// Price of a call option: the mean over paths of a Monte Carlo simulation. `normals`: [step, 2, path].
Array heston_price(const Heston& m, const Array& normals) {
  const double dt = 1.0 / static_cast<double>(normals.shape(0));
  const auto step = [&](const std::pair<Array, Array>& state, const Array& z) {
    const auto& [log_price, variance] = state;
    const Array v = numpy::maximum(variance, 1e-6), root = numpy::sqrt(v * dt);
    const Array shock = m.correlation * z[0] + numpy::sqrt(1 - m.correlation * m.correlation) * z[1];
    return std::pair(std::pair(log_price + (m.rate - 0.5 * v) * dt + root * z[0],
                               variance + m.speed * (m.level - v) * dt + m.volatility * root * shock),
                     std::nullopt);
  };
  const Array zeros = numpy::zeros({normals.shape(2)});
  const auto last = lax::scan(step, std::pair(zeros + numpy::log(m.start), zeros + m.variance), normals).first;
  return numpy::exp(-m.rate) * numpy::mean(numpy::maximum(numpy::exp(last.first) - 100, 0.0));
}

void path_rows(const random::Key& key) {
  const Heston model{100.0f, 0.04f, 1.5f, 0.04f, 0.3f, -0.7f, 0.02f};
  const auto normals = [&] { return random::normal(key, {64, 2, 8192}); };
  const auto gradient = [](const Heston& m, const Array& z) { return value_and_grad(heston_price)(m, z); };
  const auto jacobian = [](const Heston& m, const Array& z) { return jacfwd(heston_price)(m, z); };
  row("heston_value", [&] { return jitted(heston_price, model, normals()); });
  row("heston_gradient", [&] { return jitted(gradient, model, normals()); });
  row("heston_jacfwd", [&] { return jitted(jacobian, model, normals()); });
}

}  // namespace

/// rows [PART]: all rows, or those whose names have PART in them.
int main(int argc, char** argv) {
  if (argc > 1) only = argv[1];
  const random::Key key = random::key(0);
  window_rows(key);
  digits_rows(key);
  convolution_rows(key);
  elementwise_rows(key);
  matmul_rows(key);
  loop_rows(key);
  path_rows(key);
  order_rows(key);
  fft_rows(key);
  linalg_rows(key);
  return 0;
}
