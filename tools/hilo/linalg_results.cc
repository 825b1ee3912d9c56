// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/linalg_results.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

namespace hilo::tool {
namespace {

using Complex = std::complex<double>;
constexpr double kUnit = 1e-3;  // maximum deviation of a recorded vector's length from 1

/// A literal as matrices in double precision. A vector is a matrix with one column.
struct Matrices {
  int64_t count = 1, rows = 1, columns = 1;
  std::vector<Complex> values;
  Complex at(int64_t m, int64_t r, int64_t c) const {
    return values[static_cast<size_t>((m * rows + r) * columns + c)];
  }
};

/// Returns nothing for other types than floats of at least 32 bits, or for fewer than `inner` dimensions.
std::optional<Matrices> matrices_of(const Literal& literal, int64_t inner) {
  const Shape& shape = literal.shape();
  if (!shape.is_array() || shape.rank() < inner) return std::nullopt;
  Matrices m;
  for (int64_t d = 0; d < shape.rank() - inner; ++d) m.count *= shape.dimension(d);
  m.rows = shape.dimension(shape.rank() - inner);
  if (inner == 2) m.columns = shape.dimension(shape.rank() - 1);
  const auto take = [&]<typename T>() {
    for (const T& value : literal.data<T>()) m.values.emplace_back(value);
  };
  switch (shape.element_type()) {
    case ElementType::kF32: take.template operator()<float>(); break;
    case ElementType::kF64: take.template operator()<double>(); break;
    case ElementType::kC64: take.template operator()<std::complex<float>>(); break;
    case ElementType::kC128: take.template operator()<std::complex<double>>(); break;
    default: return std::nullopt;
  }
  return m;
}

double largest_of(const Matrices& m) {
  double largest = 0;
  for (const Complex& value : m.values) {
    if (std::isfinite(std::abs(value))) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

bool within(const Bounds& bounds, const Matrices& actual, const Matrices& expected) {
  const double slack = bounds.absolute * largest_of(expected);
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const double gap = std::abs(actual.values[i] - expected.values[i]);
    if (!(gap <= bounds.relative * std::abs(expected.values[i]) + slack)) return false;
  }
  return true;
}

bool same_shape(const Matrices& a, const Matrices& b) {
  return a.count == b.count && a.rows == b.rows && a.columns == b.columns;
}

/// Returns the conjugate transpose.
Matrices adjoint(const Matrices& m) {
  Matrices t{m.count, m.columns, m.rows, {}};
  for (int64_t i = 0; i < m.count; ++i) {
    for (int64_t c = 0; c < m.columns; ++c) {
      for (int64_t r = 0; r < m.rows; ++r) t.values.push_back(std::conj(m.at(i, r, c)));
    }
  }
  return t;
}

Matrices product(const Matrices& a, const Matrices& b) {
  Matrices p{a.count, a.rows, b.columns, {}};
  for (int64_t i = 0; i < a.count; ++i) {
    for (int64_t r = 0; r < a.rows; ++r) {
      for (int64_t c = 0; c < b.columns; ++c) {
        Complex sum = 0;
        for (int64_t k = 0; k < a.columns; ++k) sum += a.at(i, r, k) * b.at(i, k, c);
        p.values.push_back(sum);
      }
    }
  }
  return p;
}

/// Multiplies column c by factor[matrix * columns + c].
Matrices scaled_columns(Matrices m, std::span<const Complex> factors) {
  for (size_t i = 0; i < m.values.size(); ++i) {
    const auto column = static_cast<int64_t>(i) % m.columns, matrix = static_cast<int64_t>(i) / (m.rows * m.columns);
    m.values[i] *= factors[static_cast<size_t>(matrix * m.columns + column)];
  }
  return m;
}

bool has_unit_columns(const Matrices& m) {
  for (int64_t i = 0; i < m.count; ++i) {
    for (int64_t c = 0; c < m.columns; ++c) {
      double sum = 0;
      for (int64_t r = 0; r < m.rows; ++r) sum += std::norm(m.at(i, r, c));
      if (!(std::abs(std::sqrt(sum) - 1) <= kUnit)) return false;
    }
  }
  return m.columns > 0;
}

/// Returns the factors that convert the columns of `expected` to those of `actual`, for columns of length one.
std::vector<Complex> phases_of(const Matrices& actual, const Matrices& expected) {
  std::vector<Complex> phases;
  for (int64_t i = 0; i < expected.count; ++i) {
    for (int64_t c = 0; c < expected.columns; ++c) {
      Complex inner = 0;
      for (int64_t r = 0; r < expected.rows; ++r) inner += std::conj(expected.at(i, r, c)) * actual.at(i, r, c);
      phases.push_back(inner == Complex(0) ? Complex(1) : inner / std::abs(inner));
    }
  }
  return phases;
}

/// Checks that pairs of columns that are orthogonal in `expected` are orthogonal in `actual` within the bounds.
bool as_orthogonal(const Bounds& bounds, const Matrices& actual, const Matrices& expected) {
  const Matrices gram = product(adjoint(expected), expected), own = product(adjoint(actual), actual);
  Matrices identity{gram.count, gram.rows, gram.columns, {}};
  for (int64_t i = 0; i < gram.count; ++i) {
    for (int64_t k = 0; k < gram.rows * gram.columns; ++k)
      identity.values.emplace_back(k / gram.columns == k % gram.columns ? 1 : 0);
  }
  const Bounds loose{0, bounds.relative + bounds.absolute};
  return !within(loose, gram, identity) || within(loose, own, identity);
}

/// Compares both sides of A V = V diag(w).
bool solves_eigen(const Bounds& bounds, const Matrices& a, const Matrices& v, const Matrices& w) {
  const bool fits = a.rows == a.columns && a.rows == v.rows && w.rows == v.columns && a.count == v.count &&
                    w.count == v.count && has_unit_columns(v);
  if (!fits) return false;
  Matrices left = product(a, v);
  const Matrices right = scaled_columns(v, w.values);
  const double scale = largest_of(a) * (bounds.relative + bounds.absolute) * std::sqrt(static_cast<double>(a.rows));
  for (size_t i = 0; i < left.values.size(); ++i) {
    if (!(std::abs(left.values[i] - right.values[i]) <= scale)) return false;
  }
  return true;
}

Matrices first_columns(const Matrices& m, int64_t count) {
  Matrices first{m.count, m.rows, count, {}};
  for (int64_t i = 0; i < m.count; ++i) {
    for (int64_t r = 0; r < m.rows; ++r) {
      for (int64_t c = 0; c < count; ++c) first.values.push_back(m.at(i, r, c));
    }
  }
  return first;
}

/// Compares both sides of A = U diag(s) V^H. Of a full U and V^H only the first columns and rows are used, one per
/// singular value.
bool solves_singular(const Bounds& bounds, const Matrices& a, const Matrices& all_u, const Matrices& s,
                     const Matrices& all_vh) {
  if (all_u.columns < s.rows || all_vh.rows < s.rows) return false;
  const Matrices u = first_columns(all_u, s.rows), vh = adjoint(first_columns(adjoint(all_vh), s.rows));
  const bool fits = u.count == a.count && s.count == a.count && vh.count == a.count && u.rows == a.rows &&
                    vh.columns == a.columns && u.columns == s.rows && vh.rows == s.rows;
  if (!fits) return false;
  return within({0, bounds.relative + bounds.absolute}, product(scaled_columns(u, s.values), vh), a);
}

class Comparison {
 public:
  Comparison(const LinalgResults& results, const std::vector<bool>& is_equal) : results_(results), good_(is_equal) {
    for (const Literal& argument : results.arguments) arguments_.push_back(matrices_of(argument, 2));
    for (size_t i = 0; i < results.actual.size(); ++i) {
      actual_.push_back(matrices_of(results.actual[i], 2));
      expected_.push_back(matrices_of(results.expected[i], 2));
    }
  }

  std::vector<bool> run() {
    for_bad([&](size_t i) { return equal_with_own_phases(i); });
    for_bad([&](size_t i) { return equal_with_phases_of_others(i); });
    for_bad([&](size_t i) { return solves_what_is_solved(i); });
    return good_;
  }

 private:
  void for_bad(const auto& is_good) {
    for (size_t i = 0; i < good_.size(); ++i) {
      if (!good_[i] && actual_[i] && expected_[i] && same_shape(*actual_[i], *expected_[i]) && is_good(i))
        good_[i] = true;
    }
  }

  bool equal_with_own_phases(size_t i) {
    if (own_phases(i, *actual_[i], *expected_[i])) return true;
    return own_phases(i, adjoint(*actual_[i]), adjoint(*expected_[i]));
  }

  bool own_phases(size_t i, const Matrices& actual, const Matrices& expected) {
    if (!has_unit_columns(expected)) return false;
    std::vector<Complex> phases = phases_of(actual, expected);
    if (!within(results_.bounds[i], actual, scaled_columns(expected, phases))) return false;
    phases_.push_back(std::move(phases));
    return true;
  }

  bool equal_with_phases_of_others(size_t i) {
    for (const std::vector<Complex>& phases : phases_) {
      for (const bool rows : {false, true}) {
        const Matrices a = rows ? adjoint(*actual_[i]) : *actual_[i], e = rows ? adjoint(*expected_[i]) : *expected_[i];
        if (static_cast<int64_t>(phases.size()) == e.count * e.columns &&
            within(results_.bounds[i], a, scaled_columns(e, phases)))
          return true;
      }
    }
    return false;
  }

  /// Returns whether result i is a factor of a decomposition of an argument.
  bool solves_what_is_solved(size_t i) {
    for (const std::optional<Matrices>& a : arguments_) {
      if (a && (solves_eigen_with(i, *a) || solves_singular_with(i, *a))) return true;
    }
    return false;
  }

  bool solves_eigen_with(size_t i, const Matrices& a) {
    for (size_t w = 0; w < results_.actual.size(); ++w) {
      const std::optional<Matrices> own = matrices_of(results_.actual[w], 1);
      const std::optional<Matrices> wanted = matrices_of(results_.expected[w], 1);
      if (!own || !wanted || !good_[w] || !solves_eigen(results_.bounds[i], a, *expected_[i], *wanted)) continue;
      return solves_eigen(results_.bounds[i], a, *actual_[i], *own) &&
             as_orthogonal(results_.bounds[i], *actual_[i], *expected_[i]);
    }
    return false;
  }

  bool solves_singular_with(size_t i, const Matrices& a) {
    const size_t count = results_.actual.size();
    for (size_t k = 0; k < count * count * count; ++k) {
      const size_t u = k / (count * count), s = k / count % count, vh = k % count;
      if ((u != i && vh != i) || u == vh || !good_[s] || !expected_[u] || !expected_[vh]) continue;
      const std::optional<Matrices> own = matrices_of(results_.actual[s], 1);
      const std::optional<Matrices> wanted = matrices_of(results_.expected[s], 1);
      if (!own || !wanted) continue;
      if (!solves_singular(results_.bounds[i], a, *expected_[u], *wanted, *expected_[vh])) continue;
      return solves_singular(results_.bounds[i], a, *actual_[u], *own, *actual_[vh]) &&
             as_orthogonal(results_.bounds[u], *actual_[u], *expected_[u]) &&
             as_orthogonal(results_.bounds[vh], adjoint(*actual_[vh]), adjoint(*expected_[vh]));
    }
    return false;
  }

  const LinalgResults& results_;
  std::vector<bool> good_;
  std::vector<std::optional<Matrices>> arguments_, actual_, expected_;
  std::vector<std::vector<Complex>> phases_;  // phases by which results differ
};

}  // namespace

std::vector<bool> equal_but_for_phases(const LinalgResults& results, const std::vector<bool>& is_equal) {
  return Comparison(results, is_equal).run();
}

}  // namespace hilo::tool
