// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/access_map.h"

#include <algorithm>

namespace hilo::engine {

IndexExpr IndexExpr::dimension(size_t k) {
  IndexExpr e;
  e.coefficients.assign(k + 1, 0);
  e.coefficients[k] = 1;
  return e;
}

void IndexExpr::drop_zeros() {
  while (!coefficients.empty() && coefficients.back() == 0) coefficients.pop_back();
}

IndexReach reach_of(const IndexExpr& e, std::span<const int64_t> extents) {
  IndexReach reach{e.constant, e.constant};
  for (size_t k = 0; k < e.coefficients.size(); ++k) {
    const int64_t way = e.coefficients[k] * (extents[k] - 1);
    (way < 0 ? reach.least : reach.greatest) += way;
  }
  return reach;
}

IndexExpr at_indices(IndexExpr e, size_t begin, std::span<const int64_t> indices) {
  for (size_t k = begin; k < e.coefficients.size(); ++k) e.constant += e.coefficients[k] * indices[k - begin];
  e.coefficients.resize(std::min(e.coefficients.size(), begin));
  e.drop_zeros();
  return e;
}

IndexExpr operator+(const IndexExpr& a, const IndexExpr& b) {
  IndexExpr sum = a;
  sum.constant += b.constant;
  if (sum.coefficients.size() < b.coefficients.size()) sum.coefficients.resize(b.coefficients.size());
  for (size_t k = 0; k < b.coefficients.size(); ++k) sum.coefficients[k] += b.coefficients[k];
  sum.drop_zeros();
  for (const IndexTerm& term : b.terms) {
    const auto same =
        std::find_if(sum.terms.begin(), sum.terms.end(), [&](const IndexTerm& t) { return t.node == term.node; });
    if (same == sum.terms.end()) sum.terms.push_back(term);
    else same->coefficient += term.coefficient;
  }
  std::erase_if(sum.terms, [](const IndexTerm& t) { return t.coefficient == 0; });
  return sum;
}

IndexExpr operator*(const IndexExpr& a, int64_t factor) {
  IndexExpr product;
  if (factor == 0) return product;
  product = a;
  product.constant *= factor;
  for (int64_t& c : product.coefficients) c *= factor;
  for (IndexTerm& t : product.terms) t.coefficient *= factor;
  return product;
}

IndexExpr plus(IndexExpr a, int64_t constant) {
  a.constant += constant;
  return a;
}

AccessMap identity_map(size_t rank) {
  AccessMap map;
  for (size_t k = 0; k < rank; ++k) map.index.push_back(IndexExpr::dimension(k));
  return map;
}

IndexExpr linear_index(const AccessMap& map, const Shape& shape) {
  if (map.linear) return map.index[0];
  const std::vector<int64_t> strides = strides_of(shape);
  IndexExpr sum;
  for (size_t d = 0; d < map.index.size(); ++d) sum = sum + map.index[d] * strides[d];
  return sum;
}

std::optional<AccessMap> split_dimensions(const AccessMap& map, const Shape& shape, std::span<const int64_t> extents) {
  if (!map.linear) return map;
  const IndexExpr& linear = map.index[0];
  if (!linear.terms.empty() || linear.constant < 0) return std::nullopt;
  const std::vector<int64_t> strides = row_major_strides(shape.dimensions());
  AccessMap split;
  split.guards = map.guards;
  split.index.resize(strides.size());
  std::vector<int64_t> greatest(strides.size(), 0);
  const auto put = [&](int64_t amount, int64_t steps, size_t k, bool constant) {
    for (size_t d = 0; d < strides.size(); ++d) {
      if (shape.dimension(d) == 1 || strides[d] > amount || amount % strides[d] != 0) continue;
      const int64_t units = amount / strides[d];
      if (constant) split.index[d].constant += units;
      else split.index[d] = split.index[d] + IndexExpr::dimension(k) * units;
      greatest[d] += units * steps;
      return true;
    }
    return false;
  };
  for (size_t k = 0; k < linear.coefficients.size(); ++k) {
    const int64_t c = linear.coefficients[k];
    if (c == 0 || extents[k] == 1) continue;
    if (c < 0 || !put(c, extents[k] - 1, k, false)) return std::nullopt;
  }
  int64_t rest = linear.constant;
  for (size_t d = 0; d < strides.size() && rest != 0; ++d) {
    const int64_t units = strides[d] > 0 ? rest / strides[d] : 0;
    if (units == 0) continue;
    put(units * strides[d], 1, 0, true);
    rest -= units * strides[d];
  }
  if (rest != 0) return std::nullopt;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (greatest[d] >= std::max<int64_t>(shape.dimension(d), 1)) return std::nullopt;
  }
  return split;
}

AccessMap reshaped_map(const AccessMap& map, const Shape& from, const Shape& to, std::span<const int64_t> extents) {
  AccessMap linear;
  linear.linear = true;
  linear.guards = map.guards;
  linear.index.push_back(linear_index(map, from));
  if (std::optional<AccessMap> split = split_dimensions(linear, to, extents)) return *std::move(split);
  return linear;
}

std::optional<int64_t> as_dimension(const IndexExpr& e) {
  if (e.constant != 0 || !e.terms.empty()) return std::nullopt;
  if (e.coefficients.empty()) return -1;
  for (size_t k = 0; k + 1 < e.coefficients.size(); ++k) {
    if (e.coefficients[k] != 0) return std::nullopt;
  }
  if (e.coefficients.back() != 1) return std::nullopt;
  return std::ssize(e.coefficients) - 1;
}

size_t skip_ones(std::span<const int64_t> extents, size_t k) {
  while (k < extents.size() && extents[k] == 1) ++k;
  return k;
}

std::optional<size_t> leading_dimensions(std::span<const int64_t> extents, const AccessMap& map) {
  size_t next = 0;
  for (const IndexExpr& e : map.index) {
    const std::optional<int64_t> d = as_dimension(e);
    if (!d) return std::nullopt;
    if (*d < 0) continue;
    while (next < static_cast<size_t>(*d) && extents[next] == 1) ++next;
    if (next++ != static_cast<size_t>(*d)) return std::nullopt;
  }
  return next;
}

}  // namespace hilo::engine
