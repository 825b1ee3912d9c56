// SPDX-License-Identifier: Apache-2.0
// Samples of cholesky, triangular-solve and fft. Matrices are products of small integer factors, so that every
// algorithm returns exactly these factors.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "hilo/hlo/ops/fft.h"
#include "hilo/hlo/ops/linalg.h"
#include "hilo/lax/matrix.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/types/narrow_float.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;
using Index = std::span<const int64_t>;

Wide conjugate(const Wide& x) { return std::conj(x); }

/// -1, 0 or 1, with such an imaginary part if the type is complex.
Wide tiny(ElementType type, int64_t i, int64_t j, int64_t seed) {
  if (type == ElementType::kF8E8M0Fnu) return 1;
  const auto part = [&](int64_t k) { return static_cast<long double>((i * 5 + j * 3 + seed * 7 + k) % 3 - 1); };
  return is_complex(type) ? Wide(part(0), part(i + 1)) : Wide(part(0));
}

/// f8e8m0fnu has no zero, so its only triangle is a single element.
int64_t extent_of(const Wanted& wanted) {
  return wanted.type == ElementType::kF8E8M0Fnu ? std::min<int64_t>(wanted.n, 1) : wanted.n;
}

/// Element (i, j) of a triangular matrix with diagonal 1 or 2. Narrow floats have only ones, on two diagonals.
Wide triangle(ElementType type, int64_t i, int64_t j, int64_t seed, bool lower) {
  if (is_narrow_float(type)) {
    if (i == j) return 1;
    if (std::abs(i - j) > 1) return 0;
  }
  if (i == j) return Wide(static_cast<long double>(1 + (i + seed) % 2));
  return (i > j) == lower ? tiny(type, i, j, seed) : Wide(0);
}

Literal filled_by(const Shape& shape, const std::function<Wide(Index)>& f) {
  Literal literal(shape);
  for_each_index(shape.dimensions(), [&](Index index, int64_t flat) { store_wide(literal, flat, f(index)); });
  return literal;
}

/// The op on the Hermitian part of its operand, whose derivative is that for Hermitian matrices.
hlo::ComputationPtr of_hermitian_part(const Sample& s) {
  const auto body = [&](std::span<const Array> x) {
    const Array part = lax::matrix::scaled(ops::add(x[0], lax::matrix::adjoint(x[0])), 0.5);
    return bind({s.opcode, {part}, s.attributes, std::nullopt});
  };
  return stage(body, std::vector<Aval>{{s.operands[0].shape(), false}}, "seen", "seen").computation;
}

Sample cholesky_sample(const Wanted& wanted, const std::vector<int64_t>& batch, bool lower) {
  const int64_t n = extent_of(wanted);
  std::vector<int64_t> sizes = batch;
  sizes.insert(sizes.end(), {n, n});
  const Shape shape = Shape::array(wanted.type, sizes);
  const auto factor = [&](Index index, int64_t i, int64_t j) {
    return triangle(wanted.type, i, j, batch.empty() ? 0 : index[0], true);
  };
  Sample s{.opcode = Opcode::kCholesky, .ulps = 1};  // a zero may be -0
  s.operands = {filled_by(shape, [&](Index index) {
    const int64_t i = index[index.size() - 2], j = index.back();
    Wide sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += factor(index, i, k) * conjugate(factor(index, j, k));
    return sum;
  })};
  s.attributes = with<hlo::CholeskyAttributes>([&](auto& a) { a.lower = lower; });
  s.smooth = of_hermitian_part;
  s.expected = filled_by(shape, [&](Index index) {
    const int64_t i = index[index.size() - 2], j = index.back();
    return lower ? factor(index, i, j) : conjugate(factor(index, j, i));
  });
  return s;
}

Sample solve_sample(const Wanted& wanted, const hlo::TriangularSolveAttributes& attributes, bool batched) {
  const int64_t n = extent_of(wanted), others = 2;
  const auto with_batch = [&](int64_t rows, int64_t columns) {
    return batched ? Shape::array(wanted.type, {2, rows, columns}) : Shape::array(wanted.type, {rows, columns});
  };
  const auto item = [&](Index index) { return batched ? index[0] : 0; };
  const auto a = [&](int64_t seed, int64_t i, int64_t j) {
    return triangle(wanted.type, i, j, seed, attributes.lower);
  };
  const auto coefficient = [&](int64_t seed, int64_t i, int64_t j) {
    using enum hlo::MatrixTranspose;
    const Wide value = attributes.transpose_a == kNoTranspose ? a(seed, i, j) : a(seed, j, i);
    if (i == j && attributes.unit_diagonal) return Wide(1);
    return attributes.transpose_a == kAdjoint ? conjugate(value) : value;
  };
  const bool left = attributes.left_side;
  const Shape shape = left ? with_batch(n, others) : with_batch(others, n);
  Sample s{.opcode = Opcode::kTriangularSolve, .ulps = 1};  // a zero may be -0
  s.attributes = std::make_shared<hlo::TriangularSolveAttributes>(attributes);
  s.expected = filled_by(
      shape, [&](Index index) { return tiny(wanted.type, index[index.size() - 2], index.back(), item(index) + 2); });
  // The other triangle isn't read, so its content must not matter.
  s.operands.push_back(filled_by(with_batch(n, n), [&](Index index) {
    const int64_t i = index[index.size() - 2], j = index.back();
    const bool read = i == j ? !attributes.unit_diagonal : (i > j) == attributes.lower;
    return read ? a(item(index), i, j) : Wide(5);
  }));
  s.operands.push_back(filled_by(shape, [&](Index index) {
    const int64_t i = index[index.size() - 2], j = index.back(), seed = item(index);
    Wide sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      sum += left ? coefficient(seed, i, k) * tiny(wanted.type, k, j, seed + 2)
                  : tiny(wanted.type, i, k, seed + 2) * coefficient(seed, k, j);
    }
    return sum;
  }));
  return s;
}

/// A sum over all frequencies, elementwise. The first element outweighs all others together, so no element of the
/// result is near zero and relative errors are meaningful.
Sample fft_sample(const Wanted& wanted, hlo::FftType type, const std::vector<int64_t>& lengths, int64_t batch) {
  const bool from_real = type == hlo::FftType::kRfft, to_real = type == hlo::FftType::kIrfft;
  const bool inverse = to_real || type == hlo::FftType::kIfft;
  const int64_t kept = lengths.back() / 2 + 1;
  std::vector<int64_t> full = {batch}, from, to;
  full.insert(full.end(), lengths.begin(), lengths.end());
  from = to = full;
  if (to_real) from.back() = kept;
  if (from_real) to.back() = kept;
  const ElementType complex = real_type_of(wanted.type) == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128;
  const auto value = [&](Index index) {
    int64_t place = 0;
    for (size_t d = 1; d < index.size(); ++d) place = place * 11 + index[d];
    if (place == 0) return Wide(128 + static_cast<long double>(index[0]));
    return tiny(from_real ? wanted.type : complex, place, index[0], 1);
  };
  Sample s{.opcode = Opcode::kFft, .ulps = 8, .step = 0.125};
  s.operands = {filled_by(Shape::array(wanted.type, from), value)};
  s.attributes = with<hlo::FftAttributes>([&](auto& a) {
    a.fft_type = type;
    a.fft_length = lengths;
  });
  const ElementType result = from_real ? complex : to_real ? real_type_of(wanted.type) : wanted.type;
  long double count = 1;
  for (int64_t n : lengths) count *= static_cast<long double>(n);
  s.expected = filled_by(Shape::array(result, to), [&](Index k) {
    Wide sum = 0;
    for_each_index(full, [&](Index j, int64_t) {
      if (j[0] != k[0]) return;
      long double turns = 0;
      for (size_t d = 1; d < full.size(); ++d)
        turns += static_cast<long double>(j[d] * k[d] % full[d]) / static_cast<long double>(full[d]);
      std::vector<int64_t> at(j.begin(), j.end());
      const bool mirrored = to_real && at.back() >= kept;
      for (size_t d = 1; mirrored && d < full.size(); ++d) at[d] = (full[d] - at[d]) % full[d];
      const long double angle = 2 * std::numbers::pi_v<long double> * turns * (inverse ? 1 : -1);
      const Wide x = mirrored ? conjugate(value(at)) : value(at);
      sum += x * Wide(std::cos(angle), std::sin(angle));
    });
    if (to_real) sum = sum.real();
    return inverse ? sum / count : sum;
  });
  return s;
}

}  // namespace

Samples cholesky_samples(Wanted wanted) {
  return {cholesky_sample(wanted, {}, true), cholesky_sample(wanted, {}, false), cholesky_sample(wanted, {3}, true)};
}

Samples triangular_solve_samples(Wanted wanted) {
  using enum hlo::MatrixTranspose;
  Samples samples;
  for (const hlo::MatrixTranspose transposed : {kNoTranspose, kTranspose, kAdjoint}) {
    for (const bool left : {true, false}) {
      hlo::TriangularSolveAttributes attributes;
      attributes.left_side = left;
      attributes.lower = left == (transposed == kTranspose);
      attributes.unit_diagonal = transposed == kAdjoint;
      attributes.transpose_a = transposed;
      samples.push_back(solve_sample(wanted, attributes, !left));
    }
  }
  return samples;
}

Samples fft_samples(Wanted wanted) {
  using enum hlo::FftType;
  // f16 and bf16 have no FFT.
  if (element_size_bytes(wanted.type) == 2) return {};
  const int64_t n = wanted.n == 0 ? 4 : wanted.n, batch = std::min<int64_t>(wanted.n, 2);
  if (is_floating(wanted.type))
    return {fft_sample(wanted, kRfft, {n}, batch), fft_sample(wanted, kRfft, {3, 2 * n}, batch)};
  return {fft_sample(wanted, kFft, {n}, batch), fft_sample(wanted, kIfft, {n}, batch),
          fft_sample(wanted, kFft, {2, n, 3}, batch), fft_sample(wanted, kIrfft, {n}, batch),
          fft_sample(wanted, kIrfft, {2, 2 * n}, batch)};
}

}  // namespace hilo::tests
