// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/direct.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <mutex>

#include "hilo/array/array_impl.h"
#include "hilo/base/sparse/analyze.h"
#include "hilo/lax/custom_solve.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/sparse/direct_calls.h"

namespace hilo::scipy::sparse::linalg {

namespace detail {

/// A pattern, and what follows from it.
struct Analyzed {
  Factorization factorization;
  int64_t size;
  std::vector<int32_t> row, column;
  sparse_direct::Analysis analysis;
  DirectPlanPtr plan;
  Array indices;  ///< [entries, 2]
};

}  // namespace detail

namespace {

using detail::Analyzed;
using detail::FactorArrays;
using AnalyzedPtr = std::shared_ptr<const Analyzed>;
using Indices = std::vector<int32_t>;

[[noreturn]] void refuse(Status status, std::string_view function) {
  or_throw(Status(status.code(), fmt::format("{}: {}", at_user_line(function), status.message())));
  std::abort();
}

Array s32_list(std::span<const int64_t> sizes, std::span<const int32_t> values) {
  return Array::from_literal(Literal::array<int32_t>(sizes, {values.begin(), values.end()}));
}

int64_t hash_of(std::span<const int32_t> list) {
  uint64_t hash = list.size();
  for (int32_t x : list) hash = (hash ^ static_cast<uint32_t>(x)) * 0x9e3779b97f4a7c15U, hash ^= hash >> 29;
  return static_cast<int64_t>(hash >> 2);
}

sparse_direct::Kind kind_of(Factorization factorization) {
  switch (factorization) {
    case Factorization::kLu: return sparse_direct::Kind::kLu;
    case Factorization::kLdl: return sparse_direct::Kind::kLdl;
    case Factorization::kCholesky: return sparse_direct::Kind::kCholesky;
  }
  return sparse_direct::Kind::kLu;
}

AnalyzedPtr analyze_now(const Indices& row, const Indices& column, int64_t size, Factorization factorization,
                        std::span<const double> magnitudes) {
  auto out = std::make_shared<Analyzed>(Analyzed{factorization, size, row, column, {}, {}, {}});
  StatusOr<sparse_direct::Analysis> analysis =
      sparse_direct::analyze({size, row, column}, kind_of(factorization), magnitudes);
  if (!analysis.ok()) refuse(analysis.status(), "sparse::linalg::analyze");
  out->analysis = *std::move(analysis);
  const std::vector<int32_t>& list = out->analysis.plan;
  const int64_t length[] = {std::ssize(list)}, pairs[] = {std::ssize(row), 2};
  out->plan = std::make_shared<const detail::DirectPlan>(
      detail::DirectPlan{s32_list(length, list), size, std::ssize(row), out->analysis.factor_size, hash_of(list)});
  Indices both;
  for (size_t e = 0; e < row.size(); ++e) both.insert(both.end(), {row[e], column[e]});
  out->indices = s32_list(pairs, both);
  return out;
}

/// The last patterns, the most recent first.
struct Recent {
  std::mutex mutex;
  std::list<AnalyzedPtr> patterns;
};

AnalyzedPtr analyze_once(const Indices& row, const Indices& column, int64_t size, Factorization factorization) {
  constexpr size_t kMost = 16;
  static Recent recent;
  const auto same = [&](const AnalyzedPtr& a) {
    return a->size == size && a->factorization == factorization && a->row == row && a->column == column;
  };
  {
    const std::lock_guard lock(recent.mutex);
    const auto found = std::ranges::find_if(recent.patterns, same);
    if (found != recent.patterns.end()) {
      recent.patterns.splice(recent.patterns.begin(), recent.patterns, found);
      return recent.patterns.front();
    }
  }
  const AnalyzedPtr made = analyze_now(row, column, size, factorization, {});
  const std::lock_guard lock(recent.mutex);
  recent.patterns.push_front(made);
  if (recent.patterns.size() > kMost) recent.patterns.pop_back();
  return made;
}

/// A sparse matrix as positions and elements.
struct Entries {
  Indices row, column;
  int64_t rows, columns;
  Array data;
};

Entries entries_of(const BCOO& mat) {
  if (mat.n_batch() != 0 || mat.n_dense() != 0 || mat.ndim() != 2)
    refuse(invalid_argument(
               fmt::format("wanted a matrix without batch and dense axes; got {} batch axes, {} sparse and {} "
                           "dense. Hint: vmap over the elements: vmap([&](Array data) {{ return "
                           "spsolve(mat.with_data(data), b); }})",
                           mat.n_batch(), mat.n_sparse(), mat.n_dense())),
           "sparse::linalg");
  Entries e{{}, {}, mat.shape()[0], mat.shape()[1], mat.data};
  const std::vector<int64_t> pairs = mat.indices.to_vector<int64_t>();
  for (size_t k = 0; k + 1 < pairs.size(); k += 2) {
    const bool inside = pairs[k] >= 0 && pairs[k] < e.rows && pairs[k + 1] >= 0 && pairs[k + 1] < e.columns;
    e.row.push_back(inside ? static_cast<int32_t>(pairs[k]) : -1);
    e.column.push_back(inside ? static_cast<int32_t>(pairs[k + 1]) : -1);
  }
  return e;
}
Entries entries_of(const BCSR& mat) { return entries_of(mat.to_bcoo()); }
Entries entries_of(const SparseMatrix& mat) {
  return {{mat.row_of.begin(), mat.row_of.end()},
          {mat.column_of.begin(), mat.column_of.end()},
          mat.rows,
          mat.columns,
          mat.data};
}
Entries entries_of(const SparsityPattern& pattern) {
  Entries e{{}, {}, pattern.rows, pattern.columns, {}};
  for (const auto& [row, column] : pattern.entries) {
    e.row.push_back(static_cast<int32_t>(row));
    e.column.push_back(static_cast<int32_t>(column));
  }
  return e;
}

/// Returns floats that the solver computes with.
Array computable(const Array& x, std::string_view function) {
  if (is_complex(x.dtype()))
    refuse(unimplemented(
               "complex matrices are not supported. Hint: solve for real and imaginary parts, [[R, -I], [I, R]]"),
           function);
  const bool wide = x.dtype() == ElementType::kF32 || x.dtype() == ElementType::kF64;
  return wide ? x : numpy::astype(x, ElementType::kF32);
}

/// Throws if the factorization is known to have failed.
void check_known(const Array& info, Factorization factorization) {
  if (!is_concrete(info)) return;
  const auto column = info.to_vector<int32_t>()[0];
  if (column == 0) return;
  if (factorization == Factorization::kCholesky)
    refuse(
        failed_precondition(fmt::format("the matrix is not positive definite: the pivot of column {} is not above 0. "
                                        "Hint: use splu",
                                        column - 1)),
        "sparse::linalg::cholesky");
  refuse(failed_precondition(
             fmt::format("the matrix is singular: column {} has no pivot, its elements cancel to 0", column - 1)),
         "sparse::linalg::splu");
}

}  // namespace

Symbolic analyzed(const Indices& row, const Indices& column, int64_t size, Factorization factorization,
                  const std::optional<Array>& sample) {
  Symbolic out;
  if (!sample) {
    out.analyzed_ = analyze_once(row, column, size, factorization);
    return out;
  }
  std::vector<double> magnitudes = sample->to_vector<double>();
  if (magnitudes.size() != row.size())
    refuse(invalid_argument(
               fmt::format("the sample is {}; wanted {} elements", sample->aval_shape().to_string(), row.size())),
           "sparse::linalg::analyze");
  for (double& x : magnitudes) x = std::abs(x);
  out.analyzed_ = analyze_now(row, column, size, factorization, magnitudes);
  return out;
}

namespace {

Symbolic analyzed_entries(const Entries& e, const AnalyzeOptions& options) {
  if (e.rows != e.columns)
    refuse(invalid_argument(fmt::format("the matrix is [{}, {}]; wanted a square one", e.rows, e.columns)),
           "sparse::linalg::analyze");
  return analyzed(e.row, e.column, e.rows, options.factorization, options.sample);
}

Factors factored(const Entries& e, Factorization factorization) {
  return analyzed_entries(e, {.factorization = factorization}).factor(e.data);
}

}  // namespace

Symbolic analyze(const SparsityPattern& pattern, const AnalyzeOptions& options) {
  return analyzed_entries(entries_of(pattern), options);
}
Symbolic analyze(const BCOO& mat, const AnalyzeOptions& options) { return analyzed_entries(entries_of(mat), options); }
Symbolic analyze(const BCSR& mat, const AnalyzeOptions& options) { return analyzed_entries(entries_of(mat), options); }
Symbolic analyze(const SparseMatrix& mat, const AnalyzeOptions& options) {
  return analyzed_entries(entries_of(mat), options);
}

numpy::Shape Symbolic::shape() const { return {analyzed_->size, analyzed_->size}; }
int64_t Symbolic::nnz() const { return analyzed_->analysis.fill; }
int64_t Symbolic::blocks() const { return analyzed_->analysis.blocks; }
double Symbolic::operations() const { return analyzed_->analysis.operations; }

Factors Symbolic::factor(const Operand& data) const {
  const UserLocation here(data.location());
  const Array x = computable(data.array(), "sparse::linalg::factor");
  if (x.ndim() != 1 || x.size() != analyzed_->plan->entries)
    refuse(invalid_argument(fmt::format("the elements are {}; the pattern wants [{}]. Hint: vmap over several matrices",
                                        x.aval_shape().to_string(), analyzed_->plan->entries)),
           "sparse::linalg::factor");
  const FactorArrays arrays = detail::sparse_factor(analyzed_->plan, stop_gradient(x));
  check_known(arrays.info, analyzed_->factorization);
  Factors out;
  out.analyzed_ = analyzed_;
  out.data_ = x;
  out.factor_ = arrays.factor;
  out.pivots_ = arrays.pivots;
  out.info_ = arrays.info;
  return out;
}

Array Symbolic::solve(const Operand& data, const Operand& b, const SolveOptions& options) const {
  return factor(data).solve(b, options);
}

numpy::Shape Factors::shape() const { return {analyzed_->size, analyzed_->size}; }
int64_t Factors::nnz() const { return analyzed_->analysis.fill; }
Array Factors::info() const { return info_(0); }

Array Factors::solve(const Operand& b, const SolveOptions& options) const {
  const UserLocation here(b.location());
  constexpr std::string_view name = "sparse::linalg::solve";
  const int64_t n = analyzed_->size, rank = b.array().ndim();
  if ((rank != 1 && rank != 2) || b.array().shape(0) != n)
    refuse(invalid_argument(fmt::format("b is {}; wanted [{}] or [{}, k]", b.array().aval_shape().to_string(), n, n)),
           name);
  const bool transposed = options.trans == 'T' || options.trans == 'H';
  if (!transposed && options.trans != 'N')
    refuse(invalid_argument(fmt::format("trans is '{}'; wanted 'N', 'T' or 'H'", options.trans)), name);
  const Array side = computable(b.array(), name);
  const auto type = numpy::result_type(data_, side);
  const Array data = numpy::astype(data_, type), right = numpy::astype(side, type);
  FactorArrays factors{factor_, pivots_, info_};
  if (factor_.dtype() != data.dtype()) factors = detail::sparse_factor(analyzed_->plan, stop_gradient(data));
  const Array known = stop_gradient(data);
  const auto solve_with = [=, plan = analyzed_->plan](bool flip) {
    return [=](const auto&, const Array& sides) { return detail::sparse_solve(plan, known, factors, sides, flip); };
  };
  const auto matvec = [=, indices = analyzed_->indices, values = data](const Array& v) {
    const BCOO a({values, indices}, {.shape = {n, n}});
    return transposed ? a.T().matmul(v) : a.matmul(v);
  };
  const Array columns = rank == 1 ? numpy::expand_dims(right, 1) : right;
  const Array x = analyzed_->factorization == Factorization::kLu
                      ? lax::custom_linear_solve(matvec, columns, solve_with(transposed), solve_with(!transposed))
                      : lax::custom_linear_solve(matvec, columns, solve_with(false), {.symmetric = true});
  return rank == 1 ? numpy::squeeze(x, 1) : x;
}

Factors splu(const BCOO& A) { return factored(entries_of(A), Factorization::kLu); }
Factors splu(const BCSR& A) { return factored(entries_of(A), Factorization::kLu); }
Factors splu(const SparseMatrix& A) { return factored(entries_of(A), Factorization::kLu); }
Factors cholesky(const BCOO& A) { return factored(entries_of(A), Factorization::kCholesky); }
Factors cholesky(const BCSR& A) { return factored(entries_of(A), Factorization::kCholesky); }
Factors cholesky(const SparseMatrix& A) { return factored(entries_of(A), Factorization::kCholesky); }
Array spsolve(const BCOO& A, const Operand& b) { return splu(A).solve(b); }
Array spsolve(const BCSR& A, const Operand& b) { return splu(A).solve(b); }
Array spsolve(const SparseMatrix& A, const Operand& b) { return splu(A).solve(b); }

namespace {

std::function<Array(const Array&)> solver_of(const Factors& factors) {
  return [factors](const Array& b) { return factors.solve(b); };
}

}  // namespace

std::function<Array(const Array&)> factorized(const BCOO& A) { return solver_of(splu(A)); }
std::function<Array(const Array&)> factorized(const BCSR& A) { return solver_of(splu(A)); }
std::function<Array(const Array&)> factorized(const SparseMatrix& A) { return solver_of(splu(A)); }

}  // namespace hilo::scipy::sparse::linalg
