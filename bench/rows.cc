// SPDX-License-Identifier: Apache-2.0
// bench/rows.cc -- hilo's side of the peers' table: prints "row<TAB>microseconds", the median of its calls, a line a row.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/hilo.h"

using namespace hilo;

namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Median of calls over about a fifth of a second, at least 5; a call is repeated until it takes 20 us, so that the clock
/// doesn't count.
double median_microseconds(const std::function<void()>& call) {
  call();
  const Clock::time_point probe = Clock::now();
  call();
  const int repeat = std::max(1, static_cast<int>(20.0 / std::max(0.01, microseconds_since(probe))));
  std::vector<double> samples;
  const Clock::time_point begin = Clock::now();
  while (samples.size() < 5 || (microseconds_since(begin) < 2e5 && samples.size() < 2000)) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < repeat; ++i) call();
    samples.push_back(microseconds_since(start) / repeat);
  }
  std::ranges::nth_element(samples, samples.begin() + static_cast<long>(samples.size() / 2));
  return samples[samples.size() / 2];
}

std::string only;  ///< part of a row's name; empty: all rows

bool is_wanted(std::string_view name) { return name.find(only) != std::string_view::npos; }

void row(const char* name, const std::function<void()>& call) {
  if (!is_wanted(name)) return;
  std::printf("%s\t%.4f\n", name, median_microseconds(call));
}

struct Params {
  Array w1, b1, w2, b2;
};

Array loss(const Params& p, const Array& x, const Array& y) {
  const Array h = nn::relu(numpy::matmul(x, p.w1) + p.b1);
  const Array log_p = nn::log_softmax(numpy::matmul(h, p.w2) + p.b2);
  return -numpy::mean(numpy::sum(nn::one_hot(y, 10) * log_p, 1));
}

void digits_rows(const random::Key& key) {
  const optim::Adam adam{.learning_rate = 2e-3f};
  Params params{random::normal(key, {64, 128}) * 0.1f, numpy::zeros({128}), random::normal(key, {128, 10}) * 0.1f,
                numpy::zeros({10})};
  auto state = adam.init(params);
  const Array x = random::uniform(key, {128, 64});
  const Array y = numpy::astype(random::uniform(key, {128}) * 10.0f, ElementType::kS32);
  auto step = jit([&](const Params& p, const optim::AdamState<Params>& s, const Array& images, const Array& labels) {
    const auto [value, gradients] = value_and_grad(loss)(p, images, labels);
    const auto [next, next_state] = adam.update(gradients, s, p);
    return std::tuple(next, next_state, value);
  });
  const Clock::time_point start = Clock::now();
  step(params, state, x, y);
  if (is_wanted("digits_step_first_call")) std::printf("digits_step_first_call\t%.4f\n", microseconds_since(start));
  row("digits_step", [&] {
    Array value;
    std::tie(params, state, value) = step(params, state, x, y);
  });
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

/// Forward, and the gradients to both operands.
void convolution_rows(const random::Key& key) {
  for (const Convolution& c : kConvolutions) {
    const Array x = random::normal(key, c.images), k = random::normal(key, c.kernel);
    const lax::ConvGeneralDilatedDimensionNumbers nhwc("NHWC", "HWIO", "NHWC"), nchw("NCHW", "OIHW", "NCHW");
    const auto f = [&](const Array& images, const Array& kernel) {
      return lax::conv_general_dilated(images, kernel, {c.stride, c.stride}, "SAME", {}, {},
                                       c.channels_last ? nhwc : nchw, c.groups);
    };
    auto forward = jit(f);
    const Array ct = random::normal(key, {forward(x, k).shape().begin(), forward(x, k).shape().end()});
    auto to_images = jit([&](const Array& images, const Array& kernel, const Array& cotangent) {
      return vjp([&](const Array& i) { return f(i, kernel); }, images).second(cotangent);
    });
    auto to_kernel = jit([&](const Array& images, const Array& kernel, const Array& cotangent) {
      return vjp([&](const Array& w) { return f(images, w); }, kernel).second(cotangent);
    });
    row(c.name, [&] { forward(x, k); });
    row((std::string(c.name) + "_to_lhs").c_str(), [&] { to_images(x, k, ct); });
    row((std::string(c.name) + "_to_rhs").c_str(), [&] { to_kernel(x, k, ct); });
  }
}

/// Pooling of 32 images of 56 x 56 x 64 and its gradient; running sums.
void window_rows(const random::Key& key) {
  const Array images = random::uniform(key, {32, 56, 56, 64}), square = random::uniform(key, {2048, 2048});
  const auto pool2 = [](const Array& x) { return nn::max_pool(x, {2, 2}, {2, 2}); };
  const auto pool3 = [](const Array& x) { return nn::max_pool(x, {3, 3}, {2, 2}, "SAME"); };
  auto max2 = jit(pool2);
  auto max3 = jit(pool3);
  auto average = jit([](const Array& x) { return nn::avg_pool(x, {2, 2}, {2, 2}); });
  auto slope2 = jit(grad([&](const Array& x) { return numpy::sum(numpy::square(pool2(x))); }));
  auto slope3 = jit(grad([&](const Array& x) { return numpy::sum(numpy::square(pool3(x))); }));
  auto sums0 = jit([](const Array& x) { return numpy::cumsum(x, 0); });
  auto sums1 = jit([](const Array& x) { return numpy::cumsum(x, 1); });
  row("window_max_pool_2x2", [&] { max2(images); });
  row("window_max_pool_3x3", [&] { max3(images); });
  row("window_avg_pool_2x2", [&] { average(images); });
  row("window_max_pool_2x2_grad", [&] { slope2(images); });
  row("window_max_pool_3x3_grad", [&] { slope3(images); });
  row("window_cumsum_axis0_2048", [&] { sums0(square); });
  row("window_cumsum_axis1_2048", [&] { sums1(square); });
}

void fft_rows(const random::Key& key) {
  const auto lines = [&](const std::vector<int64_t>& shape) {
    return lax::complex(random::normal(key, shape), random::normal(key, shape));
  };
  auto transform = jit([](const Array& x) { return fft::fft(x); });
  auto plane = jit([](const Array& x) { return fft::fft2(x); });
  auto real = jit([](const Array& x) { return fft::rfft(x); });
  const Array million = lines({1 << 20}), odd = lines({999999}), square = lines({256, 256}),
              hundreds = lines({1000, 100}), primes = lines({128, 997});
  const Array image = lines({512, 512}), signal = random::normal(key, {1 << 20}),
              frames = random::normal(key, {1000, 400});
  row("fft_1M", [&] { transform(million); });
  row("fft_999999", [&] { transform(odd); });
  row("fft_256x256", [&] { transform(square); });
  row("fft_1000x100", [&] { transform(hundreds); });
  row("fft_128x997", [&] { transform(primes); });
  row("fft2_512", [&] { plane(image); });
  row("rfft_1M", [&] { real(signal); });
  row("rfft_1000x400", [&] { real(frames); });
}

void linalg_rows(const random::Key& key) {
  const auto positive = [&](const std::vector<int64_t>& shape) {
    const Array a = random::normal(key, shape);
    return numpy::matmul(a, linalg::matrix_transpose(a)) + numpy::eye(shape.back()) * static_cast<float>(shape.back());
  };
  const Array many = positive({1000, 16, 16}), middle = positive({256, 256}), large = positive({511, 511});
  const Array tall = random::normal(key, {300, 200}), right = random::normal(key, {256, 8});
  auto cholesky = jit([](const Array& a) { return linalg::cholesky(a); });
  auto eigh = jit([](const Array& a) { return linalg::eigh(a).eigenvectors; });
  auto qr = jit([](const Array& a) { return linalg::qr(a).q; });
  auto svd = jit([](const Array& a) { return linalg::svd(a, false).u; });
  auto solve = jit([](const Array& a, const Array& b) { return linalg::solve(a, b); });
  row("cholesky_1000x16x16", [&] { cholesky(many); });
  row("cholesky_256", [&] { cholesky(middle); });
  row("cholesky_511", [&] { cholesky(large); });
  row("eigh_256", [&] { eigh(middle); });
  row("eigh_1000x16x16", [&] { eigh(many); });
  row("qr_300x200", [&] { qr(tall); });
  row("svd_300x200", [&] { svd(tall); });
  row("solve_256x8", [&] { solve(middle, right); });
}

/// Sort, top-k, gather and scatter.
void order_rows(const random::Key& key) {
  const Array million = random::uniform(key, {1000000}), table = random::uniform(key, {1000, 1000});
  const Array places = numpy::astype(million * 10000.0f, ElementType::kS32), sums = numpy::zeros({10000});
  const Array rows = random::uniform(key, {10000, 64}), updates = random::uniform(key, {100000, 64});
  const Array row_places = numpy::astype(random::uniform(key, {100000}) * 10000.0f, ElementType::kS32);
  auto sort = jit([](const Array& x) { return numpy::sort(x); });
  auto argsort = jit([](const Array& x) { return numpy::argsort(x); });
  auto top = jit([](const Array& x) { return lax::top_k(x, 10).values; });
  auto take = jit([](const Array& x, const Array& i) { return numpy::take(x, i, 0); });
  auto add = jit([](const Array& x, const Array& i, const Array& u) { return numpy::at(x, i).add(u); });
  row("sort_1M", [&] { sort(million); });
  row("sort_1000x1000", [&] { sort(table); });
  row("argsort_1M", [&] { argsort(million); });
  row("top_k_1M_10", [&] { top(million); });
  row("top_k_1000x1000_10", [&] { top(table); });
  row("take_100000x64", [&] { take(rows, row_places); });
  row("scatter_add_1M", [&] { add(sums, places, million); });
  row("scatter_add_100000x64", [&] { add(rows, row_places, updates); });
}

}  // namespace

/// rows [PART]: all rows, or those whose names have PART in them.
int main(int argc, char** argv) {
  if (argc > 1) only = argv[1];
  const random::Key key = random::key(0);
  window_rows(key);
  digits_rows(key);
  convolution_rows(key);
  const Array a8 = random::uniform(key, {8});
  auto add = jit([](const Array& x, const Array& y) { return x + y; });
  row("add_8", [&] { add(a8, a8); });
  row("eager_add_8", [&] { a8 + a8; });
  {
    const Array x = random::uniform(key, {1 << 24});
    auto f = jit([](const Array& u, const Array& v, const Array& w) { return numpy::tanh(u * v + w); });
    row("muladd_tanh_16M", [&] { f(x, x, x); });
  }
  const Array square = random::uniform(key, {4096, 4096});
  auto softmax = jit([](const Array& x) { return nn::softmax(x); });
  const Array wide = random::uniform(key, {4096, 1024});
  row("softmax_4096x1024", [&] { softmax(wide); });
  auto sum0 = jit([](const Array& x) { return numpy::sum(x, 0); });
  auto sum1 = jit([](const Array& x) { return numpy::sum(x, 1); });
  row("sum_axis0_4096", [&] { sum0(square); });
  row("sum_axis1_4096", [&] { sum1(square); });
  const Array m = random::uniform(key, {1024, 1024});
  auto matmul = jit([](const Array& x, const Array& y) { return numpy::matmul(x, y); });
  row("matmul_1024", [&] { matmul(m, m); });
  const Array left = random::uniform(key, {997, 333}), right = random::uniform(key, {333, 777});
  row("matmul_997x333x777", [&] { matmul(left, right); });
  const Array stack = random::uniform(key, {500, 31, 47}), stack2 = random::uniform(key, {500, 47, 29});
  row("matmul_500_of_31x47x29", [&] { matmul(stack, stack2); });
  auto count = jit([](const Array& n) {
    return lax::while_loop([](const Array& c) { return c < 1000000.0f; }, [](const Array& c) { return c + 1.0f; }, n);
  });
  const Array zero = numpy::zeros({});
  row("while_1e6", [&] { count(zero); });
  const Array w = random::normal(key, {128, 128}) * 0.05f;
  const Array xs = random::normal(key, {256, 16, 128});
  auto rnn = jit([](const Array& weights, const Array& inputs) {
    const auto cell = [&](const Array& h, const Array& x) {
      const Array next = numpy::tanh(numpy::matmul(h, weights) + x);
      return std::pair(next, next);
    };
    return lax::scan(cell, numpy::zeros({16, 128}), inputs).second;
  });
  row("rnn_scan_256", [&] { rnn(w, xs); });
  order_rows(key);
  fft_rows(key);
  linalg_rows(key);
  return 0;
}
