// SPDX-License-Identifier: Apache-2.0
// Samples of LAPACK's decompositions: square, tall, wide, batched and empty matrices, in every form of the op.
#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/ext/linalg.h"
#include "hilo/lax/matrix.h"
#include "hilo/trace/staging_trace.h"
#include "tests/support/decomposition_checks.h"
#include "tests/support/sample_families.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

/// Derivatives divide by pivots and by gaps between values, which are about 3. Their errors add up.
constexpr double kSlopeUlps = 64;

struct Extents {
  std::vector<int64_t> batch;
  int64_t rows, columns;

  int64_t least() const { return std::min(rows, columns); }
  Shape shape(ElementType type, std::initializer_list<int64_t> inner) const {
    std::vector<int64_t> sizes = batch;
    sizes.insert(sizes.end(), inner);
    return Shape::array(type, sizes);
  }
};

std::vector<Extents> square_extents(int64_t n) { return {{{}, n, n}, {{2}, n, n}}; }
std::vector<Extents> all_extents(int64_t n) { return {{{}, n, n}, {{}, n + 2, n}, {{}, n, n + 2}, {{2}, n, n}}; }

/// A multiple of 1/16 below 1/2, with such an imaginary part if the type is complex.
Wide noise(ElementType type, int64_t i, int64_t j, int64_t seed) {
  const auto part = [&](int64_t k) { return static_cast<long double>((i * 7 + j * 11 + i * j * 3 + k) % 15 - 7) / 16; };
  return is_complex(type) ? Wide(part(seed), part(seed + 4)) : Wide(part(seed));
}

/// Noise plus one distinct large element in each row, on the diagonal or `behind` it. So pivots move, eigenvalues are
/// complex, and values, pivots and gaps are far from 0.
Literal matrices(ElementType type, const Extents& extents, int64_t behind, int64_t seed = 0) {
  const Shape shape = extents.shape(type, {extents.rows, extents.columns});
  Literal literal(shape);
  for_each_index(shape.dimensions(), [&](std::span<const int64_t> index, int64_t flat) {
    const int64_t i = index[index.size() - 2], j = index.back(), item = extents.batch.empty() ? 0 : index[0];
    const bool great = i < extents.least() && j == (i + behind) % extents.least();
    store_wide(literal, flat, noise(type, i, j, seed + item) + Wide(great ? static_cast<long double>(3 + 2 * i) : 0));
  });
  return literal;
}

/// Scalars of reflectors that are unitary up to rounding.
Literal taus_of(const Literal& a, const Extents& extents, int64_t count) {
  Literal taus(extents.shape(a.shape().element_type(), {count}));
  const auto rank = static_cast<int64_t>(extents.batch.size());
  for (int64_t k = 0; k < taus.shape().element_count(); ++k) {
    const WideMatrix m = matrix_at(a, rank, k / count);
    long double squares = 1;
    for (int64_t i = k % count + 1; i < m.rows; ++i) squares += std::norm(m(i, k % count));
    store_wide(taus, k, 2 / squares);
  }
  return taus;
}

bool lapack_has(ElementType type) { return type == ElementType::kF32 || type == ElementType::kF64 || is_complex(type); }

using Verdict = std::function<std::string(const Decomposition&)>;

/// A sample with results of these shapes, checked matrix by matrix. For types without LAPACK only the operands matter.
Sample decomposition(Opcode opcode, const Extents& extents, std::vector<Literal> operands,
                     hlo::AttributesPtr attributes, const std::vector<Shape>& results, const Verdict& verdict) {
  Sample s{.opcode = opcode, .operands = std::move(operands), .attributes = std::move(attributes)};
  s.slope_ulps = kSlopeUlps;
  std::vector<Literal> leaves(results.begin(), results.end());
  s.expected = leaves.size() == 1 ? leaves[0] : Literal::tuple(leaves);
  const int64_t items = extents.batch.empty() ? 1 : extents.batch[0];
  s.check = [operands = s.operands, rank = static_cast<int64_t>(extents.batch.size()), items,
             verdict](std::span<const Literal> got) {
    for (int64_t item = 0; item < items; ++item) {
      Decomposition d;
      for (const Literal& x : operands) d.operands.push_back(matrix_at(x, rank, item));
      for (const Literal& x : got) d.results.push_back(matrix_at(x, rank, item));
      d.epsilon = epsilon_of(operands[0].shape().element_type());
      const std::string text = verdict(d);
      if (!text.empty()) return "matrix " + std::to_string(item) + ": " + text;
    }
    return std::string();
  };
  return s;
}

/// f32 for c64, and so on; for types without LAPACK the type itself.
ElementType real_of(ElementType type) { return lapack_has(type) ? real_type_of(type) : type; }

// ---- derivatives of what is unique ----------------------------------------------------------------------------------

using View = std::function<std::vector<Array>(std::span<const Array> results)>;

/// The instruction on fit(operand), and `view` of its results.
hlo::ComputationPtr seen(const Sample& s, Array (*fit)(const Array&), const View& view) {
  const Aval operand{s.operands[0].shape(), false};
  const auto body = [&](std::span<const Array> x) {
    return view(bind({s.opcode, {fit(x[0])}, s.attributes, std::nullopt}));
  };
  return stage(body, std::vector<Aval>{operand}, "seen", "seen").computation;
}

Array as_it_is(const Array& x) { return x; }
Array hermitian_part(const Array& x) { return lax::matrix::scaled(ops::add(x, lax::matrix::adjoint(x)), 0.5); }

/// x with its columns times 1, 2, 3, ... Multiplied by x^H it doesn't depend on the phases of the vectors.
Array weighted(const Array& x) {
  const Array numbers = ops::iota(lax::matrix::typed(x, real_type_of(x.dtype())), x.ndim() - 1);
  return ops::mul(x, ops::convert_element_type(ops::add(numbers, ops::full_like(numbers, 1)), x.dtype()));
}

std::vector<Array> view_eigh(std::span<const Array> r) {
  return {r[1], lax::matrix::product(weighted(r[0]), lax::matrix::adjoint(r[0]))};
}

std::vector<Array> view_svd(std::span<const Array> r) {
  if (r.size() == 1) return {r[0]};
  const Array u = lax::matrix::column_range(r[1], 0, r[0].shape(-1)),
              vh = lax::matrix::row_range(r[2], 0, r[0].shape(-1));
  const Array v = lax::matrix::adjoint(vh);
  return {r[0], lax::matrix::product(weighted(u), lax::matrix::adjoint(u)), lax::matrix::product(weighted(v), vh),
          lax::matrix::product(weighted(u), vh)};
}

void differentiate_view(Sample& s, Array (*fit)(const Array&), std::vector<Array> (*view)(std::span<const Array>)) {
  s.smooth = [fit, view](const Sample& self) { return seen(self, fit, view); };
}

}  // namespace

Samples lu_samples(Wanted wanted) {
  Samples samples;
  for (const Extents& e : all_extents(wanted.n)) {
    samples.push_back(decomposition(hlo::kExtLu, e, {matrices(wanted.type, e, 1)}, nullptr,
                                    {e.shape(wanted.type, {e.rows, e.columns}), e.shape(ElementType::kS32, {e.least()}),
                                     e.shape(ElementType::kS32, {e.rows})},
                                    check_lu));
  }
  return samples;
}

Samples geqrf_samples(Wanted wanted) {
  Samples samples;
  for (const Extents& e : all_extents(wanted.n)) {
    samples.push_back(decomposition(hlo::kExtGeqrf, e, {matrices(wanted.type, e, 1)}, nullptr,
                                    {e.shape(wanted.type, {e.rows, e.columns}), e.shape(wanted.type, {e.least()})},
                                    check_geqrf));
  }
  return samples;
}

Samples geqp3_samples(Wanted wanted) {
  Samples samples;
  for (const Extents& e : all_extents(wanted.n)) {
    const Shape places = e.shape(ElementType::kS32, {e.columns});
    for (const bool fixed : {false, true}) {  // the second column first
      const Literal pivots = wholes(places, [&](int64_t k) { return fixed && k % e.columns == 1 ? 1 : 0; });
      samples.push_back(decomposition(
          hlo::kExtGeqp3, e, {matrices(wanted.type, e, 1), pivots}, nullptr,
          {e.shape(wanted.type, {e.rows, e.columns}), places, e.shape(wanted.type, {e.least()})}, check_geqp3));
    }
  }
  return samples;
}

Samples householder_product_samples(Wanted wanted) {
  Samples samples;
  const int64_t n = wanted.n;
  for (const Extents& e : {Extents{{}, n, n}, Extents{{}, n + 2, n}, Extents{{2}, n, n}}) {
    for (const int64_t less : {0, 1}) {
      const Literal a = matrices(wanted.type, e, 0);
      const Literal taus = taus_of(a, e, std::max<int64_t>(n - less, 0));
      samples.push_back(
          decomposition(hlo::kExtHouseholderProduct, e, {a, taus}, nullptr, {a.shape()}, check_householder_product));
    }
  }
  return samples;
}

Samples ormqr_samples(Wanted wanted) {
  Samples samples;
  for (const Extents& e : {Extents{{}, wanted.n + 2, wanted.n}, Extents{{2}, wanted.n, wanted.n}}) {
    for (const bool left : {true, false}) {
      for (const bool transpose : {false, true}) {
        const Extents of_c{e.batch, left ? e.rows : 2, left ? 2 : e.rows};
        const Literal a = matrices(wanted.type, e, 0), c = matrices(wanted.type, of_c, 1, 3);
        const auto attributes = with<hlo::OrmqrAttributes>([&](auto& o) {
          o.left = left;
          o.transpose = transpose;
        });
        samples.push_back(decomposition(hlo::kExtOrmqr, e, {a, taus_of(a, e, wanted.n), c}, attributes, {c.shape()},
                                        [=](const Decomposition& d) { return check_ormqr(d, *attributes); }));
      }
    }
  }
  return samples;
}

Samples qr_samples(Wanted wanted) {
  Samples samples;
  for (const Extents& e : all_extents(wanted.n)) {
    for (const bool full : {false, true}) {
      const int64_t k = full ? e.rows : e.least();
      samples.push_back(decomposition(hlo::kExtQr, e, {matrices(wanted.type, e, 1)},
                                      with<hlo::QrAttributes>([&](auto& a) { a.full_matrices = full; }),
                                      {e.shape(wanted.type, {e.rows, k}), e.shape(wanted.type, {k, e.columns})},
                                      check_qr));
    }
  }
  return samples;
}

Samples eigh_samples(Wanted wanted) {
  Samples samples;
  for (const Extents& e : square_extents(wanted.n)) {
    for (const bool lower : {true, false}) {
      Sample s = decomposition(hlo::kExtEigh, e, {matrices(wanted.type, e, 0)},
                               with<hlo::TriangleAttributes>([&](auto& a) { a.lower = lower; }),
                               {e.shape(wanted.type, {e.rows, e.rows}), e.shape(real_of(wanted.type), {e.rows})},
                               [=](const Decomposition& d) { return check_eigh(d, lower); });
      differentiate_view(s, hermitian_part, view_eigh);
      samples.push_back(s);
    }
  }
  return samples;
}

Samples tridiagonal_samples(Wanted wanted) {
  Samples samples;
  const ElementType real = real_of(wanted.type);
  const int64_t n = wanted.n, less = std::max<int64_t>(n - 1, 0);
  for (const Extents& e : square_extents(n)) {
    for (const bool lower : {true, false}) {
      samples.push_back(decomposition(
          hlo::kExtTridiagonal, e, {matrices(wanted.type, e, 0)},
          with<hlo::TriangleAttributes>([&](auto& a) { a.lower = lower; }),
          {e.shape(wanted.type, {n, n}), e.shape(real, {n}), e.shape(real, {less}), e.shape(wanted.type, {less})},
          [=](const Decomposition& d) { return check_tridiagonal(d, lower); }));
    }
  }
  return samples;
}

Samples svd_samples(Wanted wanted) {
  Samples samples;
  const auto add = [&](const Extents& e, bool vectors, bool full) {
    const int64_t left = full ? e.rows : e.least(), right = full ? e.columns : e.least();
    std::vector<Shape> results = {e.shape(real_of(wanted.type), {e.least()})};
    if (vectors)
      results.insert(results.end(), {e.shape(wanted.type, {e.rows, left}), e.shape(wanted.type, {right, e.columns})});
    const auto attributes = with<hlo::SvdAttributes>([&](auto& a) {
      a.compute_uv = vectors;
      a.full_matrices = full;
    });
    Sample s = decomposition(hlo::kExtSvd, e, {matrices(wanted.type, e, 1)}, attributes, results, check_svd);
    differentiate_view(s, as_it_is, view_svd);
    s.has_jvp = !(vectors && full && e.rows != e.columns);
    samples.push_back(s);
  };
  for (const Extents& e : all_extents(wanted.n)) {
    add(e, true, false);
    add(e, true, true);
    add(e, false, false);
  }
  return samples;
}

Samples eig_samples(Wanted wanted) {
  Samples samples;
  const ElementType complex = hlo::complex_type_of(wanted.type);
  for (const Extents& e : square_extents(wanted.n)) {
    for (const auto& [left, right] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
      const auto attributes = with<hlo::EigAttributes>([&, left = left, right = right](auto& a) {
        a.compute_left_eigenvectors = left;
        a.compute_right_eigenvectors = right;
      });
      std::vector<Shape> results = {e.shape(complex, {e.rows})};
      results.resize(1 + (left ? 1 : 0) + (right ? 1 : 0), e.shape(complex, {e.rows, e.rows}));
      Sample s = decomposition(hlo::kExtEig, e, {matrices(wanted.type, e, 1)}, attributes, results,
                               [=](const Decomposition& d) { return check_eig(d, *attributes); });
      s.has_jvp = !left && !right;
      samples.push_back(s);
    }
  }
  return samples;
}

Samples schur_samples(Wanted wanted) {
  Samples samples;
  const bool is_real = !is_complex(wanted.type);
  for (const Extents& e : square_extents(wanted.n)) {
    for (const bool vectors : {true, false}) {
      const std::vector<Shape> results(vectors ? 2 : 1, e.shape(wanted.type, {e.rows, e.rows}));
      samples.push_back(decomposition(hlo::kExtSchur, e, {matrices(wanted.type, e, 1)},
                                      with<hlo::SchurAttributes>([&](auto& a) { a.compute_schur_vectors = vectors; }),
                                      results, [=](const Decomposition& d) { return check_schur(d, is_real); }));
    }
  }
  return samples;
}

Samples hessenberg_samples(Wanted wanted) {
  Samples samples;
  const int64_t n = wanted.n;
  for (const Extents& e : square_extents(n)) {
    samples.push_back(decomposition(hlo::kExtHessenberg, e, {matrices(wanted.type, e, 1)}, nullptr,
                                    {e.shape(wanted.type, {n, n}), e.shape(wanted.type, {std::max<int64_t>(n - 1, 0)})},
                                    check_hessenberg));
  }
  return samples;
}

}  // namespace hilo::tests
