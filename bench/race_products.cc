// SPDX-License-Identifier: Apache-2.0
// bench/race_products.cc -- hilo's kernels for products and OpenBLAS's, in turn, one thread: a line for each shape
// of the table that decides between them. tools/product_choice.py runs it for each instruction set.
//   race_products avx2|avx512 [ROUNDS]      "m n k right_along_k<TAB>f32 ratio<TAB>f64 ratio"; above 1: hilo's are
//   faster
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iostream>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "hilo/backend/cpu/library/products/blas.h"
#include "hilo/backend/cpu/library/products/product_choice.h"
#include "hilo/backend/cpu/library/products/strip_product.h"
#include "hilo/base/buffer_pool.h"

using namespace hilo::cpu;

namespace {

/// Of this thread, in seconds: others on the machine add little to it.
double processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Call>
double time_of(int64_t calls, const Call& call) {
  const double begin = processor_time();
  for (int64_t i = 0; i < calls; ++i) call();
  return processor_time() - begin;
}

constexpr int kTurns = 12;  // a round

/// Normal numbers in memory like that of a program's arrays.
template <typename T>
hilo::AlignedBuffer numbers(int64_t count) {
  auto memory = hilo::allocate_buffer(static_cast<size_t>(count) * sizeof(T));
  if (!memory.ok()) throw std::bad_alloc();
  std::mt19937 random(1);
  std::normal_distribution<T> normal;
  T* const x = reinterpret_cast<T*>(memory->data());
  for (int64_t i = 0; i < count; ++i) x[i] = normal(random);
  return *std::move(memory);
}

double median(std::vector<double> x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::ranges::nth_element(x, middle);
  return *middle;
}

/// The median over turns: a processor whose clock changes is as fast for both of one.
template <typename T>
double ratio_of(const StripKernels& kernels, const ProductShape& s, int rounds) {
  hilo::AlignedBuffer left = numbers<T>(s.m * s.k), right = numbers<T>(s.n * s.k), result = numbers<T>(s.m * s.n);
  const T *const a = reinterpret_cast<const T*>(left.data()), *const b = reinterpret_cast<const T*>(right.data());
  T* const c = reinterpret_cast<T*>(result.data());
  const int64_t row = s.right_along_k ? 1 : s.n, column = s.right_along_k ? s.k : 1;
  const MatrixProduct<T> library{s.m, s.n, s.k, a, s.k, 1, b, row, column, c, s.n};
  const StripProduct own{{a, s.m, s.k, 1}, {b, s.n, column, row}, s.k, c, s.n};
  const double work = static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  const auto calls = static_cast<int64_t>(std::max(1.0, 1e7 / (work + 1e5)));
  std::vector<double> ratios;
  for (int turn = 0; turn < kTurns * rounds; ++turn) {
    const double theirs = time_of(calls, [&] { multiply(library); });
    ratios.push_back(theirs / time_of(calls, [&] { (void)multiply_strips(kernels, own, true); }));
  }
  return median(std::move(ratios));
}

/// Squares, then what models have: few rows, few columns, short sums, long ones; in small networks, too.
std::vector<ProductShape> shapes() {
  std::vector<ProductShape> all;
  constexpr std::array<std::array<int64_t, 3>, 48> kShapes = {{
      {24, 24, 24},     {48, 48, 48},      {64, 64, 64},     {96, 96, 96},       {128, 128, 128},  {192, 192, 192},
      {256, 256, 256},  {384, 384, 384},   {512, 512, 512},  {1024, 1024, 1024}, {2, 1024, 1024},  {8, 1024, 1024},
      {32, 1024, 1024}, {128, 1024, 1024}, {1024, 2, 1024},  {1024, 8, 1024},    {1024, 16, 1024}, {1024, 64, 1024},
      {1024, 1024, 4},  {1024, 1024, 16},  {1024, 1024, 64}, {256, 256, 8},      {256, 256, 32},   {128, 64, 784},
      {2000, 16, 9},    {2000, 64, 9},     {4096, 32, 27},   {32, 32, 4096},     {768, 768, 768},  {2048, 2048, 512},
      {128, 512, 784},  {512, 768, 128},   {256, 64, 256},   {256, 256, 64},     {16, 16, 16},     {128, 10, 512},
      {2, 64, 64},      {2, 256, 256},     {8, 64, 64},      {8, 256, 256},      {8, 512, 512},    {8, 64, 256},
      {8, 256, 64},     {32, 64, 64},      {32, 256, 256},   {64, 8, 64},        {256, 8, 256},    {256, 2, 256},
  }};
  for (const auto& [m, n, k] : kShapes) {
    for (const bool right_along_k : {false, true}) all.push_back({m, n, k, right_along_k});
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string isa = argc > 1 ? argv[1] : "";
  if (isa != "avx2" && isa != "avx512") {
    std::cerr << "usage: race_products avx2|avx512 [ROUNDS]\n";
    return 2;
  }
  const FloatKernels& kernels = isa == "avx2" ? float_kernels_avx2() : float_kernels_avx512();
  const int rounds = argc > 2 ? std::stoi(argv[2]) : 5;
  for (const ProductShape& s : shapes()) {
    std::cout << fmt::format("{} {} {} {}\t{:.2f}\t{:.2f}\n", s.m, s.n, s.k, s.right_along_k,
                             ratio_of<float>(kernels.f32, s, rounds), ratio_of<double>(kernels.f64, s, rounds))
              << std::flush;
  }
  return 0;
}
