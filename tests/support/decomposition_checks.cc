// SPDX-License-Identifier: Apache-2.0
#include "tests/support/decomposition_checks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace hilo::tests {
namespace {

/// The tolerance: a rounding error of some ulp for each summed term, as in textbook bounds.
constexpr long double kUnits = 16;

/// Stores the first error.
class Findings {
 public:
  explicit Findings(const Decomposition& d) : epsilon_(d.epsilon) {}

  void that(bool right, const std::string& what) {
    if (!right && text_.empty()) text_ = what;
  }
  /// Checks equality, up to rounding relative to the greatest element of `wanted`.
  void near(const WideMatrix& got, const WideMatrix& wanted, const std::string& what) {
    const auto terms = static_cast<long double>(1 + std::max(wanted.rows, wanted.columns));
    const long double allowed = kUnits * epsilon_ * terms * std::max(1.0L, greatest(wanted));
    const long double off = distance(got, wanted);
    that(off <= allowed, what + " is off by " + std::to_string(off / allowed) + " times what is allowed");
  }
  void exactly(const WideMatrix& got, const WideMatrix& wanted, const std::string& what) {
    that(distance(got, wanted) == 0, what);
  }
  void unitary_columns(const WideMatrix& q, const std::string& what) {
    near(product(adjoint(q), q), identity_matrix(q.columns, q.columns), what + "^H " + what);
  }
  std::string text() const { return text_; }

 private:
  long double epsilon_;
  std::string text_;
};

std::vector<int64_t> whole_numbers(const WideMatrix& column, int64_t minus = 0) {
  std::vector<int64_t> numbers;
  for (const Wide& x : column.elements) numbers.push_back(static_cast<int64_t>(x.real()) - minus);
  return numbers;
}

bool is_permutation_of_all(const std::vector<int64_t>& order) {
  const std::set<int64_t> places(order.begin(), order.end());
  return places.size() == order.size() &&
         (order.empty() || (*places.begin() == 0 && *places.rbegin() == static_cast<int64_t>(order.size()) - 1));
}

/// 1 - tau v v^H
WideMatrix reflector(const WideMatrix& v, const Wide& tau) {
  WideMatrix h = identity_matrix(v.rows, v.rows);
  for (int64_t i = 0; i < v.rows; ++i) {
    for (int64_t j = 0; j < v.rows; ++j) h(i, j) -= tau * v(i, 0) * std::conj(v(j, 0));
  }
  return h;
}

/// H_0 H_1 ...: vector i is 1 at position i + `down`, and its other elements are below that in column i of `a`.
WideMatrix product_of_reflectors(const WideMatrix& a, const WideMatrix& taus, int64_t down = 0) {
  WideMatrix q = identity_matrix(a.rows, a.rows);
  for (int64_t i = 0; i < taus.rows; ++i) {
    WideMatrix v(a.rows, 1);
    for (int64_t k = i + down; k < a.rows; ++k) v(k, 0) = k == i + down ? Wide(1) : a(k, i);
    q = product(q, reflector(v, taus(i, 0)));
  }
  return q;
}

/// ... H_1 H_0: vector i is 1 at position i, and its other elements are above that in column i + 1 of `a`.
WideMatrix product_of_reflectors_above(const WideMatrix& a, const WideMatrix& taus) {
  WideMatrix q = identity_matrix(a.rows, a.rows);
  for (int64_t i = 0; i < taus.rows; ++i) {
    WideMatrix v(a.rows, 1);
    for (int64_t k = 0; k <= i; ++k) v(k, 0) = k == i ? Wide(1) : a(k, i + 1);
    q = product(reflector(v, taus(i, 0)), q);
  }
  return q;
}

/// The Hermitian matrix with this triangle.
WideMatrix hermitian_of(const WideMatrix& x, bool lower) {
  WideMatrix a = x;
  for (int64_t i = 0; i < x.rows; ++i) {
    a(i, i) = x(i, i).real();
    for (int64_t j = 0; j < x.rows; ++j) {
      if ((j > i) == lower && i != j) a(i, j) = std::conj(x(j, i));
    }
  }
  return a;
}

bool descends(const WideMatrix& column, bool up = false) {
  for (int64_t i = 1; i < column.rows; ++i) {
    const long double before = column(i - 1, 0).real(), here = column(i, 0).real();
    if (up ? !(before <= here) : !(before >= here)) return false;
  }
  return true;
}

/// Checks that these are the eigenvalues of `a`: sums of their powers equal the traces of its powers.
void have_the_powers_of(Findings& found, const WideMatrix& values, const WideMatrix& a, const std::string& what) {
  WideMatrix power = identity_matrix(a.rows, a.rows), of_values = identity_matrix(a.rows, a.rows);
  for (int64_t k = 1; k <= std::min<int64_t>(a.rows, 5); ++k) {
    power = product(power, a);
    of_values = product(of_values, diagonal_matrix(values));
    WideMatrix got(1, 1), wanted(1, 1);
    for (int64_t i = 0; i < a.rows; ++i) {
      got(0, 0) += of_values(i, i);
      wanted(0, 0) += power(i, i);
    }
    // Each value may have the rounding error of the greatest one, and its power correspondingly more.
    WideMatrix scale(1, 1);
    scale(0, 0) = static_cast<long double>(k * a.rows) * std::max(greatest(power), greatest(of_values));
    got(0, 0) += scale(0, 0) - wanted(0, 0);
    found.near(got, scale, "the sum of " + what + " to the power of " + std::to_string(k));
  }
}

}  // namespace

std::string check_lu(const Decomposition& d) {
  const WideMatrix &x = d.operands[0], &lu = d.results[0];
  const int64_t k = std::min(x.rows, x.columns);
  const std::vector<int64_t> pivots = whole_numbers(d.results[1]), order = whole_numbers(d.results[2]);
  Findings found(d);
  std::vector<int64_t> swapped(static_cast<size_t>(x.rows));
  std::iota(swapped.begin(), swapped.end(), int64_t{0});
  for (int64_t i = 0; i < k; ++i) {
    const int64_t with = pivots[static_cast<size_t>(i)];
    found.that(with >= i && with < x.rows, "pivot " + std::to_string(i) + " is " + std::to_string(with));
    if (!found.text().empty()) return found.text();
    std::swap(swapped[static_cast<size_t>(i)], swapped[static_cast<size_t>(with)]);
  }
  found.that(order == swapped, "the permutation isn't that of the pivots");
  WideMatrix l = corner(lu, x.rows, k);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t j = i; j < k; ++j) l(i, j) = i == j ? 1 : 0;
  }
  // LAPACK measures complex pivots by |re| + |im|.
  found.that(greatest(l) <= 1.5L, "a factor of L is greater than its pivot allows");
  const WideMatrix rows_in_order = adjoint(columns_in_order(adjoint(x), swapped));
  found.near(product(l, upper_part(corner(lu, k, x.columns))), rows_in_order, "L U");
  return found.text();
}

std::string check_geqrf(const Decomposition& d) {
  const WideMatrix &x = d.operands[0], &a = d.results[0];
  const WideMatrix q = product_of_reflectors(a, d.results[1]);
  Findings found(d);
  found.unitary_columns(q, "Q");
  found.near(product(q, upper_part(a)), x, "Q R");
  return found.text();
}

std::string check_geqp3(const Decomposition& d) {
  const WideMatrix &x = d.operands[0], &a = d.results[0];
  const std::vector<int64_t> fixed = whole_numbers(d.operands[1]), order = whole_numbers(d.results[1], 1);
  Findings found(d);
  found.that(is_permutation_of_all(order), "the pivots aren't a permutation");
  if (!found.text().empty()) return found.text();
  const WideMatrix q = product_of_reflectors(a, d.results[2]);
  found.unitary_columns(q, "Q");
  found.near(product(q, upper_part(a)), columns_in_order(x, order), "Q R");
  const auto count = std::ranges::count_if(fixed, [](int64_t f) { return f != 0; });
  for (int64_t j = 0; j < static_cast<int64_t>(order.size()); ++j) {
    const bool is_fixed = fixed[static_cast<size_t>(order[static_cast<size_t>(j)])] != 0;
    found.that(is_fixed == (j < count), "a fixed column isn't in front");
  }
  for (int64_t j = count + 1; j < std::min(a.rows, a.columns); ++j) {
    found.that(std::abs(a(j, j)) <= std::abs(a(j - 1, j - 1)) * (1 + 100 * static_cast<long double>(d.epsilon)),
               "R's diagonal doesn't descend");
  }
  return found.text();
}

std::string check_householder_product(const Decomposition& d) {
  const WideMatrix& a = d.operands[0];
  Findings found(d);
  found.near(d.results[0], corner(product_of_reflectors(a, d.operands[1]), a.rows, a.columns), "Q");
  return found.text();
}

std::string check_ormqr(const Decomposition& d, const hlo::OrmqrAttributes& attributes) {
  const WideMatrix whole = product_of_reflectors(d.operands[0], d.operands[1]), &c = d.operands[2];
  const WideMatrix q = attributes.transpose ? adjoint(whole) : whole;
  Findings found(d);
  found.near(d.results[0], attributes.left ? product(q, c) : product(c, q), "the product with Q");
  return found.text();
}

std::string check_qr(const Decomposition& d) {
  const WideMatrix &q = d.results[0], &r = d.results[1];
  Findings found(d);
  found.unitary_columns(q, "Q");
  found.exactly(r, upper_part(r), "R isn't triangular");
  found.near(product(q, r), d.operands[0], "Q R");
  return found.text();
}

std::string check_eigh(const Decomposition& d, bool lower) {
  const WideMatrix a = hermitian_of(d.operands[0], lower), &v = d.results[0], &w = d.results[1];
  Findings found(d);
  found.unitary_columns(v, "V");
  found.near(product(v, diagonal_matrix(w)), product(a, v), "V w");
  found.that(descends(w, true), "the values don't ascend");
  return found.text();
}

std::string check_tridiagonal(const Decomposition& d, bool lower) {
  const WideMatrix x = hermitian_of(d.operands[0], lower);
  const WideMatrix &a = d.results[0], &values = d.results[1], &beside = d.results[2], &taus = d.results[3];
  const WideMatrix q = lower ? product_of_reflectors(a, taus, 1) : product_of_reflectors_above(a, taus);
  WideMatrix t = diagonal_matrix(values);
  for (int64_t i = 0; i < beside.rows; ++i) t(i, i + 1) = t(i + 1, i) = beside(i, 0);
  Findings found(d);
  found.unitary_columns(q, "Q");
  found.near(product(product(q, t), adjoint(q)), x, "Q T Q^H");
  return found.text();
}

std::string check_svd(const Decomposition& d) {
  const WideMatrix &x = d.operands[0], &s = d.results[0];
  Findings found(d);
  found.that(descends(s), "the values don't descend");
  for (const Wide& value : s.elements) found.that(value.real() >= 0, "a value is negative");
  if (d.results.size() == 1) {
    const WideMatrix squares = product(diagonal_matrix(s), s);
    have_the_powers_of(found, squares, x.rows < x.columns ? product(x, adjoint(x)) : product(adjoint(x), x), "squares");
    return found.text();
  }
  const WideMatrix &u = d.results[1], &vh = d.results[2];
  found.unitary_columns(u, "U");
  found.unitary_columns(adjoint(vh), "V");
  found.near(product(product(u, corner(diagonal_matrix(s), u.columns, vh.rows)), vh), x, "U s V^H");
  return found.text();
}

std::string check_eig(const Decomposition& d, const hlo::EigAttributes& attributes) {
  const WideMatrix &x = d.operands[0], &w = d.results[0];
  Findings found(d);
  have_the_powers_of(found, w, x, "values");
  const auto vectors = [&](const WideMatrix& a, const WideMatrix& values, const WideMatrix& v,
                           const std::string& what) {
    found.near(product(v, diagonal_matrix(values)), product(a, v), what);
    const WideMatrix gram = product(adjoint(v), v);
    for (int64_t i = 0; i < v.rows; ++i)
      found.that(std::abs(gram(i, i) - 1.0L) <= kUnits * static_cast<long double>(d.epsilon), "a vector's length");
  };
  if (attributes.compute_left_eigenvectors) {
    WideMatrix conjugates = w;
    for (Wide& value : conjugates.elements) value = std::conj(value);
    vectors(adjoint(x), conjugates, d.results[1], "left vectors by values");
  }
  if (attributes.compute_right_eigenvectors) vectors(x, w, d.results.back(), "right vectors by values");
  return found.text();
}

std::string check_schur(const Decomposition& d, bool is_real) {
  const WideMatrix &x = d.operands[0], &t = d.results[0];
  Findings found(d);
  found.exactly(t, upper_part(t, is_real ? -1 : 0), "T isn't triangular");
  for (int64_t i = 0; i + 1 < t.rows; ++i) {  // a conjugate pair is a block with equal diagonal elements
    const bool block = t(i + 1, i) != Wide(0);
    found.that(!block || i + 2 >= t.rows || t(i + 2, i + 1) == Wide(0), "a block of T is greater than 2 by 2");
    found.that(!block || (t(i, i) == t(i + 1, i + 1) && t(i, i + 1).real() * t(i + 1, i).real() < 0),
               "a block of T isn't in its standard form");
  }
  if (d.results.size() == 1) {
    // the values of a block: its diagonal, and its off-diagonal elements as imaginary part
    WideMatrix values(t.rows, 1);
    for (int64_t i = 0; i < t.rows; ++i) {
      const bool first = i + 1 < t.rows && t(i + 1, i) != Wide(0), second = i > 0 && t(i, i - 1) != Wide(0);
      const Wide beside = first ? t(i, i + 1) * t(i + 1, i) : second ? t(i - 1, i) * t(i, i - 1) : Wide(0);
      values(i, 0) = t(i, i) + (second ? -1.0L : 1.0L) * std::sqrt(beside);
    }
    have_the_powers_of(found, values, x, "values");
    return found.text();
  }
  const WideMatrix& z = d.results[1];
  found.unitary_columns(z, "Z");
  found.near(product(product(z, t), adjoint(z)), x, "Z T Z^H");
  return found.text();
}

std::string check_hessenberg(const Decomposition& d) {
  const WideMatrix &x = d.operands[0], &a = d.results[0];
  const WideMatrix q = product_of_reflectors(a, d.results[1], 1), h = upper_part(a, -1);
  Findings found(d);
  found.unitary_columns(q, "Q");
  found.near(product(product(q, h), adjoint(q)), x, "Q H Q^H");
  return found.text();
}

}  // namespace hilo::tests
