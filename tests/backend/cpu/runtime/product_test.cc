// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/product.h"

#include <cmath>

#include "tests/backend/cpu/runtime/runtime_check.h"

namespace hilo::cpu::runtime {
namespace {

ArrayPlaces dense_places(int64_t count) {
  ArrayPlaces places;
  places.count = count;
  places.dimensions.back() = {count, 1};
  return places;
}

/// [m, k] x [k, n].
std::vector<float> product(int64_t m, int64_t k, int64_t n, std::vector<float> a, std::vector<float> b, Isa isa) {
  ConvolutionProblem part;
  part.batch = {m, k, 0, n};
  part.inputs = {k, 1, n, 0};
  part.outputs = {n, 0, 1, 1};
  ProblemWriter<ProductProblem> writer({ElementType::kF32,
                                        ElementType::kF32,
                                        ElementType::kF32,
                                        SumType::kF32,
                                        isa,
                                        dense_places(m * k),
                                        dense_places(k * n),
                                        dense_places(m * n),
                                        {}});
  writer.set(writer.problem.parts, std::vector{part});
  const size_t scratch = product_scratch(writer.problem, std::span(&part, 1));
  std::vector<float> c(static_cast<size_t>(m * n), NAN);
  call_within(Routine::kProduct, std::move(writer).finish(), {a.data(), b.data(), c.data()}, 1, scratch);
  return c;
}

TEST(RuntimeProduct, StaysInItsMemory) {
  for (const Isa isa : supported_isas()) {
    for (const int64_t size : {1, 3, 4, 17, 40, 50}) {
      const std::vector<float> ones(static_cast<size_t>(size * 600), 1);
      for (const float c : product(size, 600, size, ones, ones, isa)) EXPECT_EQ(c, 600);
    }
  }
}

/// Two channels last of 5 x width elements, a kernel of 3 x taps, and results with three channels.
ConvolutionProblem convolution_of(int64_t width, int64_t taps, int64_t low, int64_t high, int64_t step,
                                  int64_t tap_step) {
  ConvolutionProblem p;
  const auto count = [&](int64_t size, int64_t u) { return (size + low + high - (u - 1) * tap_step - 1) / step + 1; };
  const int64_t lines = count(5, 3), columns = count(width, taps);
  p.batch = {2, 5 * width * 2, 0, lines * columns * 3};
  p.inputs = {2, 1, 3, 0};
  p.outputs = {3, 0, 1, 1};
  p.dims[1] = {5, lines, 3, -low, step, tap_step, width * 2, taps * 6, columns * 3};
  p.dims[2] = {width, columns, taps, -low, step, tap_step, 2, 6, 3};
  return p;
}

/// The sums of a convolution of one group, term by term.
std::vector<float> direct(const ConvolutionProblem& p, const std::vector<float>& lhs, const std::vector<float>& rhs) {
  std::vector<float> out;
  const auto& [x, y, z] = p.dims;
  for (int64_t b = 0; b < p.batch.extent; ++b) {
    for (int64_t position = 0; position < p.positions(); ++position) {
      for (int64_t o = 0; o < p.outputs.extent; ++o) {
        float sum = 0;
        for (int64_t tap = 0; tap < p.taps(); ++tap) {
          const int64_t j = y.origin + position / z.count * y.step + tap / z.taps * y.tap_step;
          const int64_t k = z.origin + position % z.count * z.step + tap % z.taps * z.tap_step;
          if (j < 0 || j >= y.size || k < 0 || k >= z.size) continue;
          for (int64_t i = 0; i < p.inputs.extent; ++i)
            sum += lhs[static_cast<size_t>(b * p.batch.lhs_stride + j * y.lhs_stride + k * z.lhs_stride + i)] *
                   rhs[static_cast<size_t>((tap * p.inputs.extent + i) * p.outputs.extent + o)];
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

/// Small integers, whose sums are exact in any order.
std::vector<float> numbers(int64_t count) {
  std::vector<float> all;
  for (int64_t k = 0; k < count; ++k) all.push_back(static_cast<float>(k * 7 % 11 - 5));
  return all;
}

void expect_direct(const ConvolutionProblem& p, Isa isa) {
  std::vector<float> lhs = numbers(p.batch.extent * p.batch.lhs_stride), rhs = numbers(p.terms() * p.outputs.extent);
  const std::vector<float> wanted = direct(p, lhs, rhs);
  ProblemWriter<ProductProblem> writer({ElementType::kF32,
                                        ElementType::kF32,
                                        ElementType::kF32,
                                        SumType::kF32,
                                        isa,
                                        dense_places(std::ssize(lhs)),
                                        dense_places(std::ssize(rhs)),
                                        dense_places(std::ssize(wanted)),
                                        {}});
  writer.set(writer.problem.parts, std::vector{p});
  const size_t scratch = product_scratch(writer.problem, std::span(&p, 1));
  std::vector<float> out(wanted.size(), NAN);
  call_within(Routine::kProduct, std::move(writer).finish(), {lhs.data(), rhs.data(), out.data()}, 1, scratch);
  EXPECT_EQ(out, wanted) << isa_name(isa) << " width " << p.dims[2].size << " taps " << p.dims[2].taps;
}

TEST(RuntimeProduct, WindowsReadPaddingAsZeros) {
  for (const Isa isa : supported_isas()) {
    for (const int64_t width : {1, 2, 7, 20}) {
      for (const int64_t taps : {1, 2, 3}) {
        for (const auto& [low, high] : {std::pair{0, 0}, {1, 1}, {2, 0}, {-1, 3}, {4, 5}}) {
          for (const auto& [step, tap_step] : {std::pair{1, 1}, {2, 1}, {1, 2}, {3, 2}}) {
            const ConvolutionProblem p = convolution_of(width, taps, low, high, step, tap_step);
            if (p.dims[1].count > 0 && p.dims[2].count > 0) expect_direct(p, isa);
          }
        }
      }
    }
  }
}

TEST(RuntimeProduct, FarPaddingTakesNoMemory) {
  ConvolutionProblem p = convolution_of(20, 2, 0, 0, 1, 1);
  p.dims[2] = {20, 12, 2, -(int64_t{1} << 39), int64_t{1} << 39, int64_t{1} << 39, 2, 6, 3};
  p.batch.out_stride = p.dims[1].count * 12 * 3;
  p.dims[1].out_stride = 12 * 3;
  for (const Isa isa : supported_isas()) expect_direct(p, isa);
}

TEST(RuntimeProduct, SumsWithoutTermsAreZero) {
  for (const float c : product(2, 0, 3, {}, {}, Isa::kSse2)) EXPECT_EQ(c, 0);
}

TEST(RuntimeProduct, KeepsNaNInItsRowAndColumn) {
  std::vector<float> a = {1, NAN, 3, 4}, b = {1, 2, 3, 4};
  const std::vector<float> c = product(2, 2, 2, a, b, Isa::kSse2);
  EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1]));
  EXPECT_EQ(c[2], 15);
  EXPECT_EQ(c[3], 22);
}

}  // namespace
}  // namespace hilo::cpu::runtime
