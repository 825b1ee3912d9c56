// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/block_normal.h"

#include <algorithm>

#include "hilo/array/array_impl.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/scipy/linalg/solvers.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::optimize {

namespace {

using Residuals = std::vector<ResidualBlocks>;

/// Multiplications of a dense product in the time of one between gathered blocks.
constexpr double kDenseGain = 10;

/// The blocks that each residual reads, [m, size].
std::vector<Array> read_blocks(const ResidualBlocks& residuals, const Kinds& x) {
  std::vector<Array> blocks;
  for (const BlockIndex& p : residuals.parameters) blocks.push_back(x[static_cast<size_t>(p.kind)][p.index]);
  return blocks;
}

Array residual_of(const ResidualBlocks& residuals, const std::vector<Array>& blocks, const std::vector<Array>& data) {
  return numpy::astype(numpy::ravel(residuals.fun(blocks, data)), blocks[0].dtype());
}

/// Where the entry's residuals read a block of that kind; nullopt if they don't.
std::optional<size_t> position_of(const ResidualBlocks& residuals, const std::optional<int64_t>& kind) {
  const auto& parameters = residuals.parameters;
  const auto at = std::ranges::find_if(parameters, [&](const BlockIndex& p) { return p.kind == kind; });
  if (at == parameters.end()) return std::nullopt;
  return static_cast<size_t>(at - parameters.begin());
}

/// The kind with the most parameters of those of which each residual reads at most one block.
std::optional<int64_t> eliminated_kind(const Residuals& residuals, const Kinds& x) {
  std::optional<int64_t> best;
  for (int64_t kind = 0; kind < std::ssize(x); ++kind) {
    const bool once = std::ranges::all_of(residuals, [&](const ResidualBlocks& r) {
      return std::ranges::count(r.parameters, kind, &BlockIndex::kind) <= 1;
    });
    if (once && (!best || x[static_cast<size_t>(kind)].size() > x[static_cast<size_t>(*best)].size())) best = kind;
  }
  return best;
}

/// A matrix of the kinds of the rest, in parts [blocks, size, blocks, size], one per pair of kinds. Parts without
/// values are zero.
class BlockMatrix {
 public:
  explicit BlockMatrix(Kinds rest) : rest_(std::move(rest)), parts_(rest_.size() * rest_.size()) {}

  bool is_zero() const {
    return std::ranges::none_of(parts_, [](const auto& part) { return part.has_value(); });
  }
  /// Adds values [m, size, size] at block rows i[m] and block columns j[m].
  void add(size_t row, const Array& i, size_t column, const Array& j, const Array& values) {
    std::optional<Array>& part = parts_[row * rest_.size() + column];
    if (!part) part = zeros(row, column);
    part = part->at(i, all, j, all).add(values);
  }
  Array dense() const {
    std::vector<std::vector<Array>> rows;
    for (size_t row = 0; row < rest_.size(); ++row) {
      rows.emplace_back();
      for (size_t column = 0; column < rest_.size(); ++column) {
        const std::optional<Array>& part = parts_[row * rest_.size() + column];
        rows.back().push_back((part ? *part : zeros(row, column)).reshape({rest_[row].size(), rest_[column].size()}));
      }
    }
    return numpy::block(rows);
  }

 private:
  Array zeros(size_t row, size_t column) const {
    const Array &a = rest_[row], &b = rest_[column];
    return numpy::zeros({a.shape(0), a.shape(1), b.shape(0), b.shape(1)}, a.dtype());
  }

  Kinds rest_;
  std::vector<std::optional<Array>> parts_;
};

/// The Schur complement in parts: own + upper + upper', each less its `minus` matrix. They are separate, so that no
/// product has to be scaled.
struct Complement {
  BlockMatrix own, minus_own;      ///< products of a block with itself
  BlockMatrix upper, minus_upper;  ///< products of two blocks, each once
};

/// A block of the rest that residuals read along with one of the eliminated kind.
struct Coupling {
  size_t kind;      ///< number of its kind in the rest
  Array index, at;  ///< [m]: the block and the eliminated block
  Array product;    ///< [m, eliminated size, size]: the Schur complement has minus products of these
};

Array block_products(const Array& a, const Array& b) { return numpy::einsum("mri,mrj->mij", a, b); }

size_t place_in(const std::vector<int64_t>& rest, int64_t kind) {
  return static_cast<size_t>(std::ranges::find(rest, kind) - rest.begin());
}

std::vector<Coupling> couplings_of(const Residuals& residuals, const BlockLinears& linear, const BlockFactors& f) {
  std::vector<Coupling> couplings;
  for (size_t t = 0; t < residuals.size(); ++t) {
    const auto& parameters = residuals[t].parameters;
    const std::optional<size_t> e = position_of(residuals[t], f.eliminated);
    if (!e) continue;
    const Array &at = parameters[*e].index, scaled = numpy::matmul(linear[t].jac[*e], f.root[at]);
    for (size_t p = 0; p < parameters.size(); ++p) {
      if (p == *e) continue;
      couplings.push_back(
          {place_in(f.rest, parameters[p].kind), parameters[p].index, at, block_products(scaled, linear[t].jac[p])});
    }
  }
  return couplings;
}

/// The residuals of a coupling by eliminated block.
using Readers = std::vector<std::vector<int32_t>>;

/// Returns the readers of `blocks` eliminated blocks; nullopt for traced indices.
std::optional<Readers> readers_of(const Coupling& c, int64_t blocks) {
  if (!is_concrete(c.at)) return std::nullopt;
  Readers readers(static_cast<size_t>(blocks));
  const std::vector<int64_t> at = c.at.to_vector<int64_t>();
  for (size_t m = 0; m < at.size(); ++m) readers[static_cast<size_t>(at[m])].push_back(static_cast<int32_t>(m));
  return readers;
}

/// Calls visit(a, b) for all pairs of couplings, each once.
template <typename Visit>
void each_pair(size_t count, const Visit& visit) {
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = a; b < count; ++b) visit(a, b);
  }
}

/// Returns the readers of all couplings if products of their pairs cost less than a dense product.
std::optional<std::vector<Readers>> sparse_readers(const std::vector<Coupling>& couplings, int64_t blocks,
                                                   int64_t rest_size) {
  std::vector<Readers> all;
  for (const Coupling& c : couplings) {
    std::optional<Readers> readers = readers_of(c, blocks);
    if (!readers) return std::nullopt;
    all.push_back(std::move(*readers));
  }
  double pairs = 0;  // times the elements of a product
  each_pair(all.size(), [&](size_t a, size_t b) {
    const auto size = static_cast<double>(couplings[a].product.shape(2) * couplings[b].product.shape(2));
    for (size_t block = 0; block < all[a].size(); ++block)
      pairs += size * static_cast<double>(all[a][block].size() * all[b][block].size()) / (a == b ? 2 : 1);
  });
  const auto rest = static_cast<double>(rest_size);
  if (pairs * kDenseGain > rest * rest * static_cast<double>(blocks)) return std::nullopt;
  return all;
}

/// Adds the products of different residuals that read the same eliminated block.
void add_pairs(BlockMatrix& sum, const Coupling& a, const Readers& of_a, const Coupling& b, const Readers& of_b) {
  const bool same = &a == &b;
  std::vector<int32_t> left, right;
  for (size_t block = 0; block < of_a.size(); ++block) {
    for (int32_t m : of_a[block]) {
      for (int32_t n : of_b[block]) {
        if (same && n <= m) continue;
        left.push_back(m);
        right.push_back(n);
      }
    }
  }
  if (left.empty()) return;
  const Array i = numpy::array(left), j = numpy::array(right);
  sum.add(a.kind, a.index[i], b.kind, b.index[j], block_products(a.product[i], b.product[j]));
}

/// Returns the couplings as a matrix with a column for each parameter of the rest: its product with its transpose is
/// what the complement subtracts.
Array dense_couplings(const std::vector<Coupling>& couplings, const Kinds& rest, int64_t blocks) {
  std::vector<Array> columns;
  for (size_t kind = 0; kind < rest.size(); ++kind) {
    const int64_t size = couplings[0].product.shape(1);
    Array of_kind = numpy::zeros({blocks, size, rest[kind].shape(0), rest[kind].shape(1)}, rest[kind].dtype());
    for (const Coupling& c : couplings) {
      if (c.kind == kind) of_kind = of_kind.at(c.at, all, c.index, all).add(c.product);
    }
    columns.push_back(of_kind.reshape({blocks * size, rest[kind].size()}));
  }
  return numpy::concatenate(columns, 1);
}

/// Adds the products of a residual's blocks of the rest.
void add_products(Complement& sum, const ResidualBlocks& residuals, const BlockLinear& linear, const BlockFactors& f) {
  const auto& parameters = residuals.parameters;
  each_pair(parameters.size(), [&](size_t p, size_t q) {
    if (f.eliminated == parameters[p].kind || f.eliminated == parameters[q].kind) return;
    (p == q ? sum.own : sum.upper)
        .add(place_in(f.rest, parameters[p].kind), parameters[p].index, place_in(f.rest, parameters[q].kind),
             parameters[q].index, block_products(linear.jac[p], linear.jac[q]));
  });
}

void subtract_couplings(Complement& sum, const std::vector<Coupling>& couplings, const std::vector<Readers>& readers) {
  for (const Coupling& c : couplings)
    sum.minus_own.add(c.kind, c.index, c.kind, c.index, block_products(c.product, c.product));
  each_pair(couplings.size(), [&](size_t a, size_t b) {
    add_pairs(sum.minus_upper, couplings[a], readers[a], couplings[b], readers[b]);
  });
}

Array dense_of(const Complement& sum, const Array& diagonal) {
  Array dense = sum.own.dense() + diagonal;
  if (!sum.minus_own.is_zero()) dense = dense - sum.minus_own.dense();
  if (!sum.upper.is_zero()) dense = dense + sum.upper.dense() + sum.upper.dense().T();
  if (!sum.minus_upper.is_zero()) dense = dense - sum.minus_upper.dense() - sum.minus_upper.dense().T();
  return dense;
}

Array flat_of(const Kinds& kinds, const std::vector<int64_t>& which) {
  std::vector<Array> flat;
  for (int64_t kind : which) flat.push_back(numpy::ravel(kinds[static_cast<size_t>(kind)]));
  return numpy::concatenate(flat);
}

/// The matrix of the rest, less what the eliminated kind explains.
Array complement(const Residuals& residuals, const BlockLinears& linear, const Kinds& weights, const BlockFactors& f) {
  Kinds rest;
  for (int64_t kind : f.rest) rest.push_back(weights[static_cast<size_t>(kind)]);
  const Array diagonal = numpy::diag(flat_of(weights, f.rest));
  const std::vector<Coupling> couplings = couplings_of(residuals, linear, f);
  const int64_t blocks = f.eliminated ? weights[static_cast<size_t>(*f.eliminated)].shape(0) : 0;
  const auto readers = sparse_readers(couplings, blocks, diagonal.shape(0));
  const BlockMatrix zero(rest);
  Complement sum{zero, zero, zero, zero};
  for (size_t t = 0; t < residuals.size(); ++t) add_products(sum, residuals[t], linear[t], f);
  if (readers) subtract_couplings(sum, couplings, *readers);
  const Array dense = dense_of(sum, diagonal);
  if (readers || couplings.empty()) return dense;
  const Array explained = dense_couplings(couplings, rest, blocks);
  return dense - numpy::matmul(explained.T(), explained);
}

/// Returns root for a batch of positive definite matrices: root * root' is the inverse.
Array inverse_root(const Array& matrices) {
  const auto of_one = [](const Array& matrix) {
    const Array lower = hilo::linalg::cholesky(matrix), eye = numpy::eye(matrix.shape(0), matrix.dtype());
    return scipy::linalg::solve_triangular(lower, eye, {.lower = true}).T();
  };
  return vmap(of_one)(matrices);
}

/// The diagonal blocks of J' J of that kind, [blocks, size, size].
Array diagonal_blocks(const Residuals& residuals, const BlockLinears& linear, int64_t kind, const Array& like) {
  Array sum = numpy::zeros({like.shape(0), like.shape(1), like.shape(1)}, like.dtype());
  for (size_t t = 0; t < residuals.size(); ++t) {
    if (const std::optional<size_t> p = position_of(residuals[t], kind))
      sum = sum.at(residuals[t].parameters[*p].index).add(block_products(linear[t].jac[*p], linear[t].jac[*p]));
  }
  return sum;
}

Array transposed_for(const Residuals& residuals, const BlockLinears& linear, const std::vector<Array>& v, int64_t kind,
                     const Array& like) {
  Array sum = numpy::zeros_like(like);
  for (size_t t = 0; t < residuals.size(); ++t) {
    for (size_t p = 0; p < residuals[t].parameters.size(); ++p) {
      const BlockIndex& of = residuals[t].parameters[p];
      if (of.kind == kind) sum = sum.at(of.index).add(numpy::einsum("mri,mr->mi", linear[t].jac[p], v[t]));
    }
  }
  return sum;
}

/// Returns J x for those kinds: one array [m, r] per entry of residuals.
std::vector<Array> product_with(const Residuals& residuals, const BlockLinears& linear, const Kinds& x,
                                const std::vector<int64_t>& kinds) {
  std::vector<Array> products;
  for (size_t t = 0; t < residuals.size(); ++t) {
    Array sum = numpy::zeros_like(linear[t].value);
    for (size_t p = 0; p < residuals[t].parameters.size(); ++p) {
      const BlockIndex& of = residuals[t].parameters[p];
      if (std::ranges::count(kinds, of.kind) != 0)
        sum = sum + numpy::einsum("mri,mi->mr", linear[t].jac[p], x[static_cast<size_t>(of.kind)][of.index]);
    }
    products.push_back(sum);
  }
  return products;
}

Array times_inverse(const Array& root, const Array& rows) {
  return numpy::einsum("bij,bj->bi", root, numpy::einsum("bji,bj->bi", root, rows));
}

}  // namespace

Array block_values(const ResidualBlocks& residuals, const Kinds& x) {
  const auto one = [&](const std::vector<Array>& blocks, const std::vector<Array>& data) {
    return residual_of(residuals, blocks, data);
  };
  return vmap(one)(read_blocks(residuals, x), residuals.data);
}

BlockLinear block_linear(const ResidualBlocks& residuals, const Kinds& x) {
  const auto one = [&](const std::vector<Array>& blocks, const std::vector<Array>& data) {
    const auto f = [&](const std::vector<Array>& at) {
      const Array value = residual_of(residuals, at, data);
      return std::pair(value, value);
    };
    const auto [jac, value] = jacobian(has_aux(f))(blocks);
    return BlockLinear{value, jac};
  };
  return vmap(one)(read_blocks(residuals, x), residuals.data);
}

Kinds block_transposed(const Residuals& residuals, const BlockLinears& linear, const std::vector<Array>& v,
                       const Kinds& like) {
  Kinds sums;
  for (int64_t kind = 0; kind < std::ssize(like); ++kind)
    sums.push_back(transposed_for(residuals, linear, v, kind, like[static_cast<size_t>(kind)]));
  return sums;
}

Kinds block_diagonal(const Residuals& residuals, const BlockLinears& linear, const Kinds& like) {
  Kinds sums;
  for (const Array& of_kind : like) sums.push_back(numpy::zeros_like(of_kind));
  for (size_t t = 0; t < residuals.size(); ++t) {
    for (size_t p = 0; p < residuals[t].parameters.size(); ++p) {
      const BlockIndex& of = residuals[t].parameters[p];
      Array& sum = sums[static_cast<size_t>(of.kind)];
      sum = sum.at(of.index).add(numpy::sum(numpy::square(linear[t].jac[p]), 1));
    }
  }
  return sums;
}

BlockFactors block_factors(const Residuals& residuals, const BlockLinears& linear, const Kinds& weights) {
  BlockFactors f{eliminated_kind(residuals, weights), {}, {}, {}};
  for (int64_t kind = 0; kind < std::ssize(weights); ++kind) {
    if (kind != f.eliminated) f.rest.push_back(kind);
  }
  if (f.eliminated) {
    const Array& of_kind = weights[static_cast<size_t>(*f.eliminated)];
    const Array eye = numpy::eye(of_kind.shape(1), of_kind.dtype());
    f.root =
        inverse_root(diagonal_blocks(residuals, linear, *f.eliminated, of_kind) + numpy::expand_dims(of_kind, 1) * eye);
  }
  if (!f.rest.empty()) f.lower = hilo::linalg::cholesky(complement(residuals, linear, weights, f));
  return f;
}

Kinds block_solve(const Residuals& residuals, const BlockLinears& linear, const BlockFactors& f, const Kinds& right) {
  Kinds x = right;
  const auto solve_eliminated = [&](const std::vector<Array>& explained) {
    const auto kind = static_cast<size_t>(*f.eliminated);
    Array rows = right[kind];
    if (!explained.empty()) rows = rows - transposed_for(residuals, linear, explained, *f.eliminated, rows);
    x[kind] = times_inverse(f.root, rows);
  };
  if (f.eliminated) solve_eliminated({});
  if (!f.lower) return x;
  if (f.eliminated) {
    const std::vector<Array> explained = product_with(residuals, linear, x, {*f.eliminated});
    for (int64_t kind : f.rest) {
      Array& of_kind = x[static_cast<size_t>(kind)];
      of_kind = of_kind - transposed_for(residuals, linear, explained, kind, of_kind);
    }
  }
  const Array flat = scipy::linalg::cho_solve({*f.lower, true}, flat_of(x, f.rest));
  int64_t begin = 0;
  for (int64_t kind : f.rest) {
    Array& of_kind = x[static_cast<size_t>(kind)];
    const int64_t end = begin + of_kind.size();
    of_kind = flat[range(begin, end)].reshape(of_kind.shape());
    begin = end;
  }
  if (f.eliminated) solve_eliminated(product_with(residuals, linear, x, f.rest));
  return x;
}

}  // namespace hilo::scipy::optimize
