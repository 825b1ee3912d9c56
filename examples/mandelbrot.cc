// SPDX-License-Identifier: Apache-2.0
// examples/mandelbrot.cc -- draws the Mandelbrot set, a while_loop for every pixel: `mandelbrot [picture.png]`.
#include <cmath>
#include <cstdio>

#include "hilo/hilo.h"

using namespace hilo;

constexpr int64_t kWidth = 360, kHeight = 240;
constexpr int kMaxSteps = 200;
constexpr double kLeft = -2, kRight = 1, kBottom = -1, kTop = 1;

struct Orbit {
  Array re, im;  // of z, which starts at 0
  Array steps;
};

// How many times z -> z^2 + c goes before z is farther than 2 from 0; written for one point.
Array escape_time(const Array& re, const Array& im) {
  const auto inside = [](const Orbit& z) { return (z.re * z.re + z.im * z.im <= 4.0f) & (z.steps < kMaxSteps); };
  const auto next = [&](const Orbit& z) {
    return Orbit{z.re * z.re - z.im * z.im + re, 2.0f * z.re * z.im + im, z.steps + 1};
  };
  const Orbit start{numpy::zeros({}), numpy::zeros({}), numpy::zeros({}, ElementType::kS32)};
  return lax::while_loop(inside, next, start).steps;
}

int main(int argc, char** argv) {
  // A row of pixels shares its imaginary part: the outer vmap goes over rows, the inner one over columns.
  const auto rows = vmap(vmap(escape_time, {0, kNoAxis}), {kNoAxis, 0});
  const Array steps = jit(rows, {.name = "mandelbrot"})(numpy::linspace(kLeft, kRight, kWidth),
                                                        numpy::linspace(kTop, kBottom, kHeight));

  std::vector<uint8_t> pixels;
  int64_t inside = 0;
  for (const int n : steps.to_vector<int>()) {
    inside += n == kMaxSteps ? 1 : 0;
    pixels.push_back(n == kMaxSteps ? 0 : static_cast<uint8_t>(255 * std::sqrt(static_cast<double>(n) / kMaxSteps)));
  }
  const char* path = argc > 1 ? argv[1] : "mandelbrot.png";
  or_throw(io::write_png(path, kWidth, kHeight, 1, pixels));

  // The set's area is 1.5066; points near its edge need more steps than these to leave, so this is a little more.
  const double pixel = (kRight - kLeft) / (kWidth - 1) * (kTop - kBottom) / (kHeight - 1);
  const double area = static_cast<double>(inside) * pixel;
  const bool right = area > 1.48 && area < 1.58;
  std::printf("%s: %lld x %lld pixels\n", path, static_cast<long long>(kWidth), static_cast<long long>(kHeight));
  std::printf("area %.3f: %s\n", area, right ? "right" : "wrong");
  return right ? 0 : 1;
}
