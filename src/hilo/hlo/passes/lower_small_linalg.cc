// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/hlo/passes/growth.h"
#include "hilo/hlo/passes/lapack_call.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/hlo/passes/small_linalg/factor.h"
#include "hilo/hlo/passes/small_linalg/householder.h"
#include "hilo/hlo/passes/small_linalg/pivot_loop.h"
#include "hilo/hlo/passes/trip_count.h"
#include "hilo/hlo/rewrite/rewrite_sink.h"

namespace hilo::hlo {
namespace {

using namespace small_linalg;
using Id = InstructionId;

/// Forwards tuples, and values that are selected by a constant: checks of an info that is never negative.
InstructionId forward(RewriteBuilder& b, const RewriteNode& n) {
  if (n.opcode == Opcode::kBroadcast) return simplify_broadcast(b, n);
  if (n.opcode == Opcode::kSelect) return simplify_select(b, n);
  if (n.opcode == Opcode::kSlice) return simplify_slice(b, n);
  if (n.opcode == Opcode::kReshape) return simplify_reshape(b, n);
  return forward_tuples(b, n);
}

/// Whether it is hilo's call that converts pivots to a permutation.
bool is_permutation_call(const Instruction& i) {
  return i.opcode == Opcode::kCustomCall &&
         custom_call_target(attributes_of<CustomCallAttributes>(i)) == "hilo_lu_pivots_to_permutation_ffi";
}

bool is_layout(const Shape& shape, const Int64Lists& layouts, size_t k, int64_t matrix_rank) {
  const auto row_major = shape.with_default_layout().minor_to_major();
  Int64List expected(row_major.begin(), row_major.end());
  if (shape.rank() == matrix_rank) std::swap(expected[0], expected[1]);
  return k < layouts.size() && layouts[k] == expected;
}

/// Whether matrices, whose rank is that of the first operand, are column-major in the call, and all others row-major: a
/// row-major matrix would be read as its transpose.
bool is_column_major(const Computation& c, const Instruction& i) {
  const StatusOr<CustomCallOptions> options = custom_call_options(attributes_of<CustomCallAttributes>(i));
  if (!options.ok() || i.operands.empty()) return false;
  const int64_t rank = c.instruction(i.operands[0]).shape.rank();
  for (size_t k = 0; k < i.operands.size(); ++k) {
    if (!is_layout(c.instruction(i.operands[k]).shape, options->operand_layouts, k, rank)) return false;
  }
  if (i.shape.is_array()) return is_layout(i.shape, options->result_layouts, 0, rank);
  for (size_t k = 0; k < i.shape.tuple_elements().size(); ++k) {
    const Shape& result = i.shape.tuple_element(static_cast<int64_t>(k));
    if (!result.is_array() || !is_layout(result, options->result_layouts, k, rank)) return false;
  }
  return true;
}

bool has_code(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF64 || hilo::is_complex(type);
}

/// Returns a shape with the dimensions of `x`, without the last `dropped` ones and with those `appended`.
Shape shape_with(const Shape& x, ElementType type, int64_t dropped, std::initializer_list<int64_t> appended) {
  return Shape::array(type, dimensions_with(x, dropped, appended));
}

/// Returns whether an instruction has these results. Other calls report their error when the program runs.
bool has_results(const Instruction& i, std::initializer_list<Shape> expected) {
  if (expected.size() == 1) return i.shape.compatible(*expected.begin());
  return i.shape.compatible(Shape::tuple(std::vector<Shape>(expected)));
}

/// Whether an entry is one of these letters. Other calls report their error when the program runs.
bool is_one_of(const LapackCall& call, std::string_view name, std::string_view letters) {
  const char letter = call.letter(name);
  return letter != 0 && letters.find(letter) != std::string_view::npos;
}

int64_t rows_of(const Shape& x) { return x.dimension(x.rank() - 2); }
int64_t columns_of(const Shape& x) { return x.dimension(x.rank() - 1); }
int64_t steps_of(const Shape& x) { return std::min(rows_of(x), columns_of(x)); }

bool is_batch(const Shape& x) { return x.element_count() > rows_of(x) * columns_of(x); }

class Lowering {
 public:
  Lowering(const ComputationPtr& source, const SmallMatrices& limits, GrowthBudget& budget)
      : b_(source, {.share = false, .rule = forward}), sink_(b_), limits_(limits), budget_(budget) {}

  StatusOr<ComputationPtr> run() {
    for (const Instruction& i : b_.source().instructions()) {
      b_.at(i);
      if (!lower(i)) b_.copy(i);
    }
    return b_.finish();
  }

 private:
  const MatrixLimits& limits_of(const Shape& x) const { return is_batch(x) ? limits_.batch : limits_.one; }
  /// Whether matrices of shape x are small enough for one of the ops.
  bool is_small(const Shape& x, int64_t MatrixLimits::* op) const {
    if (!x.is_array() || x.rank() < 2 || !has_code(x.element_type()) || x.element_count() == 0) return false;
    return std::max(rows_of(x), columns_of(x)) <= limits_of(x).*op;
  }
  /// Whether the program may grow by a factorization of x, or by solving for `columns` right-hand sides with it.
  bool affords(const Shape& x, int64_t columns) {
    constexpr int64_t kOfComplex = 4;  // real multiplications of a complex one
    const int64_t instructions = 4 * rows_of(x) * columns_of(x) * (columns + 4);
    const int64_t operations = instructions * (hilo::is_complex(x.element_type()) ? kOfComplex : 1);
    return operations <= limits_of(x).operations && budget_.take(instructions);
  }
  Expr operand(const Instruction& i, size_t k) { return sink_.at(b_.mapped(i.operands[k])); }

  /// Replaces the instruction, and returns true if it has an expansion.
  bool lower(const Instruction& i) {
    switch (i.opcode) {  // NOLINT: partial on purpose
      case Opcode::kCholesky: return lower_cholesky(i);
      case Opcode::kTriangularSolve: return lower_triangular_solve(i, attributes_of<TriangularSolveAttributes>(i));
      case Opcode::kCompare: return fold_check(i);
      case Opcode::kSubtract: return lower_shifted_pivots(i, exchanges_, exchanges_from_zero_);
      case Opcode::kAdd: return lower_shifted_pivots(i, exchanges_from_zero_, exchanges_);
      case Opcode::kSort: return lower_sort(i);
      case Opcode::kGather: return lower_gather(i);
      case Opcode::kScatter: return lower_scatter(i);
      case Opcode::kWhile: return lower_pivot_loop(i);
      default: break;
    }
    const std::optional<LapackCall> call = lapack_call(i);
    if (!call) return is_permutation_call(i) && lower_permutation(i);
    if (!is_column_major(b_.source(), i)) return false;
    if (call->routine == "getrf") return lower_lu(i);
    if (call->routine == "potrf") return is_one_of(*call, "uplo", "LU") && lower_potrf(i, call->letter("uplo") == 'L');
    if (call->routine == "trsm") return lower_trsm(i, *call);
    if (call->routine == "geqrf") return lower_geqrf(i);
    if (call->routine == "orgqr" || call->routine == "ungqr") return lower_orgqr(i);
    return false;
  }

  Elements elements(Expr x) {
    const auto known = elements_.find(x.id);
    return known == elements_.end() ? elements_of(x) : known->second;
  }
  /// Returns the matrix with these elements, which later expansions use directly.
  Expr matrix(Elements elements) {
    const Expr x = matrix_of(elements);
    elements_.emplace(x.id, std::move(elements));
    return x;
  }

  bool lower_cholesky(const Instruction& i) {
    const Expr x = operand(i, 0);
    if (!is_small(x.shape(), &MatrixLimits::cholesky) || !affords(x.shape(), rows_of(x.shape()))) return false;
    Cholesky r = factor_cholesky(elements(x), attributes_of<CholeskyAttributes>(i).lower);
    const Expr valid = r.info == 0;
    for (Expr& e : r.factor.values) e = select(valid, e, nan_like(e));
    b_.replace(i.id, matrix(std::move(r.factor)).id);
    return true;
  }

  /// LAPACK's factorization leaves the other triangle as it is.
  bool lower_potrf(const Instruction& i, bool lower) {
    const Expr x = operand(i, 0);
    const Shape shape = x.shape();
    if (i.operands.size() != 1 || !is_small(shape, &MatrixLimits::cholesky) || rows_of(shape) != columns_of(shape))
      return false;
    if (!has_results(i, {shape, shape_with(shape, ElementType::kS32, 2, {})}) || !affords(shape, rows_of(shape)))
      return false;
    const Elements a = elements(x);
    Cholesky r = factor_cholesky(a, lower);
    for (int64_t row = 0; row < a.rows; ++row) {
      for (int64_t column = 0; column < a.columns; ++column) {
        if (lower ? column > row : column < row) r.factor.at(row, column) = a.at(row, column);
      }
    }
    b_.replace(i.id, tuple(sink_, {matrix(std::move(r.factor)), r.info}).id);
    return true;
  }

  bool lower_triangular_solve(const Instruction& i, const TriangularSolveAttributes& attributes) {
    const Expr a = operand(i, 0), b = operand(i, 1);
    const Shape shape = b.shape();
    if (!is_small(a.shape(), &MatrixLimits::lu) || !has_results(i, {shape}) || shape.element_count() == 0) return false;
    const int64_t others = attributes.left_side ? columns_of(shape) : rows_of(shape);
    if (others > 2 * limits_of(a.shape()).lu || !affords(a.shape(), others)) return false;
    b_.replace(i.id, matrix(solve_triangular(elements(a), elements(b), attributes)).id);
    return true;
  }

  bool lower_trsm(const Instruction& i, const LapackCall& call) {
    if (i.operands.size() != 2 || !is_one_of(call, "side", "LR") || !is_one_of(call, "uplo", "LU") ||
        !is_one_of(call, "diag", "NU") || !is_one_of(call, "trans_x", "NTC"))
      return false;
    const Shape a = operand(i, 0).shape(), b = operand(i, 1).shape();
    if (!is_small(a, &MatrixLimits::lu) || b.rank() != a.rank() || b.element_type() != a.element_type()) return false;
    const int64_t unknowns = call.letter("side") == 'L' ? rows_of(b) : columns_of(b);
    if (rows_of(a) != columns_of(a) || unknowns != columns_of(a)) return false;
    for (int64_t d = 0; d < a.rank() - 2; ++d) {
      if (a.dimension(d) != b.dimension(d)) return false;
    }
    return lower_triangular_solve(i, triangular_solve_of(call));
  }

  bool lower_lu(const Instruction& i) {
    const Expr x = operand(i, 0);
    const Shape shape = x.shape();
    if (i.operands.size() != 1 || !is_small(shape, &MatrixLimits::lu)) return false;
    if (!has_results(i, {shape, shape_with(shape, ElementType::kS32, 2, {steps_of(shape)}),
                         shape_with(shape, ElementType::kS32, 2, {})}))
      return false;
    if (!affords(shape, columns_of(shape))) return false;
    Lu lu = factor_lu(elements(x));
    const Expr pivots = vector_of(pivots_of(lu));
    exchanges_.emplace(pivots.id, lu.exchanges);
    infos_.push_back(lu.info.id);
    b_.replace(i.id, tuple(sink_, {matrix(std::move(lu.factors)), pivots, lu.info}).id);
    return true;
  }

  bool lower_geqrf(const Instruction& i) {
    const Expr x = operand(i, 0);
    const Shape shape = x.shape();
    if (i.operands.size() != 1 || !is_small(shape, &MatrixLimits::qr)) return false;
    if (!has_results(i, {shape, shape_with(shape, shape.element_type(), 2, {steps_of(shape)})})) return false;
    if (!affords(shape, columns_of(shape))) return false;
    Reflectors f = factor_qr(elements(x));
    const Expr taus = vector_of(f.taus);
    taus_.emplace(taus.id, std::move(f.taus));
    b_.replace(i.id, tuple(sink_, {matrix(std::move(f.factors)), taus}).id);
    return true;
  }

  bool lower_orgqr(const Instruction& i) {
    if (i.operands.size() != 2) return false;
    const Expr x = operand(i, 0), taus = operand(i, 1);
    const Shape shape = x.shape(), scalars = taus.shape();
    if (!is_small(shape, &MatrixLimits::qr) || !has_results(i, {shape}) || scalars.rank() != shape.rank() - 1 ||
        scalars.element_count() == 0)
      return false;
    const int64_t count = scalars.dimension(scalars.rank() - 1);
    if (!scalars.compatible(shape_with(shape, shape.element_type(), 2, {count}))) return false;
    if (count > columns_of(shape) || columns_of(shape) > rows_of(shape)) return false;
    if (!affords(shape, columns_of(shape))) return false;
    const auto known = taus_.find(taus.id);
    b_.replace(i.id,
               matrix(product_of({elements(x), known == taus_.end() ? elements_of_vector(taus) : known->second})).id);
    return true;
  }

  /// The info of an LU factorization is never negative.
  bool fold_check(const Instruction& i) {
    const auto& a = attributes_of<CompareAttributes>(i);
    if (a.direction != ComparisonDirection::kGe || !is_splat_of(b_, operand(i, 1).id, 0)) return false;
    if (std::ranges::find(infos_, operand(i, 0).id) == infos_.end()) return false;
    b_.replace(i.id, full(sink_, i.shape, 1).id);
    return true;
  }

  /// Pivots that count from 0 or 1, plus or minus 1.
  bool lower_shifted_pivots(const Instruction& i, const std::map<Id, RowExchanges>& from,
                            std::map<Id, RowExchanges>& to) {
    const auto exchanges = from.find(operand(i, 0).id);
    if (exchanges == from.end() || !is_splat_of(b_, operand(i, 1).id, 1)) return false;
    to.emplace(b_.copy(i), exchanges->second);
    return true;
  }

  bool lower_permutation(const Instruction& i) {
    if (i.operands.size() != 1) return false;
    const auto exchanges = exchanges_from_zero_.find(operand(i, 0).id);
    if (exchanges == exchanges_from_zero_.end()) return false;
    const int64_t rows = std::ssize(exchanges->second[0]) + 1;
    if (!has_results(i, {shape_with(operand(i, 0).shape(), ElementType::kS32, 1, {rows})})) return false;
    b_.replace(i.id, permutation({exchanges->second, false}, shape_with(i.shape, ElementType::kS32, 1, {})).id);
    return true;
  }

  /// Returns the order of the rows after the exchanges.
  Expr permutation(const Permutation& p, const Shape& batch) {
    Exprs order;
    for (int64_t r = 0; r <= std::ssize(p.exchanges[0]); ++r)
      order.push_back(full(sink_, batch, static_cast<double>(r)));
    permute(p, order);
    const Expr result = vector_of(order);
    permutations_.emplace(result.id, p);
    return result;
  }

  /// The sort by which JAX inverts a permutation.
  bool lower_sort(const Instruction& i) {
    if (i.operands.size() != 2 || !is_order_of_rows(operand(i, 1).id)) return false;
    const auto p = permutations_.find(operand(i, 0).id);
    const auto& sort = attributes_of<SortAttributes>(i);
    const Shape keys = operand(i, 0).shape();
    if (p == permutations_.end() || sort.dimension() != keys.rank() - 1 || !is_ascending(*sort.to_apply)) return false;
    const Expr inverse =
        permutation({p->second.exchanges, !p->second.is_inverse}, shape_with(keys, ElementType::kS32, 1, {}));
    b_.replace(i.id, tuple(sink_, {operand(i, 1), inverse}).id);
    return true;
  }

  /// Whether a comparator of two operands is a0 < b0.
  static bool is_ascending(const Computation& comparator) {
    const Instruction& root = comparator.root();
    return root.opcode == Opcode::kCompare &&
           attributes_of<CompareAttributes>(root).direction == ComparisonDirection::kLt &&
           root.operands[0] == comparator.parameters()[0] && root.operands[1] == comparator.parameters()[1];
  }

  /// JAX's loop over the pivots of a factorization that was written out.
  bool lower_pivot_loop(const Instruction& i) {
    const RewriteNode* const initial = match(b_, operand(i, 0).id, Opcode::kTuple);
    if (initial == nullptr || exchanges_from_zero_.empty()) return false;
    PivotLoop loop{-1, -1};
    for (size_t k = 0; k < initial->operands.size(); ++k) {
      const Id id = initial->operand(k);
      if (exchanges_from_zero_.contains(id)) loop.pivots = static_cast<int64_t>(k);
      else if (is_order_of_rows(id)) loop.permutation = static_cast<int64_t>(k);
      else if (!b_.shape(id).is_scalar() || !is_splat_of(b_, id, 0)) return false;
    }
    if (loop.pivots < 0 || loop.permutation < 0) return false;
    const Shape pivots = b_.shape(initial->operand(loop.pivots));
    const RowExchanges exchanges = exchanges_from_zero_.at(initial->operand(loop.pivots));
    const Shape batch = shape_with(pivots, ElementType::kS32, 1, {});
    const Shape order = shape_with(pivots, ElementType::kS32, 1, {std::ssize(exchanges[0]) + 1});
    if (!b_.shape(initial->operand(loop.permutation)).compatible(order)) return false;
    const int64_t steps = pivots.dimension(pivots.rank() - 1);
    if (trip_count(i, b_.source()) != steps) return false;
    if (!exchanges_by_pivots(*attributes_of<WhileAttributes>(i).body, loop)) return false;
    std::vector<Id> results;
    for (size_t k = 0; k < initial->operands.size(); ++k) {
      const Id id = initial->operand(k);
      results.push_back(std::cmp_equal(k, loop.pivots) ? id
                        : std::cmp_equal(k, loop.permutation)
                            ? permutation({exchanges, false}, batch).id
                            : full(sink_, b_.shape(id), static_cast<double>(steps)).id);
    }
    b_.replace(i.id, b_.tuple(results));
    return true;
  }

  /// Returns whether the value is 0, 1, 2, ... along its last dimension.
  bool is_order_of_rows(Id id) const {
    const RewriteNode& n = b_.node(id);
    if (!n.shape.is_array() || n.shape.rank() == 0 || n.shape.element_type() != ElementType::kS32) return false;
    if (n.opcode == Opcode::kIota) return attributes_of<IotaAttributes>(n).dimension == n.shape.rank() - 1;
    if (n.opcode != Opcode::kBroadcast) return false;
    const Int64List& places = attributes_of<BroadcastAttributes>(n).dimensions;
    return places == Int64List{n.shape.rank() - 1} && is_order_of_rows(n.operand(0));
  }

  /// Returns the permutation from which indices are computed: in another shape or type, or after negative indices, of
  /// which it has none, are counted from the end.
  const Permutation* permutation_of_indices(Id indices) const {
    constexpr int kMaxSteps = 8;
    for (int step = 0; step < kMaxSteps; ++step) {
      if (const auto it = permutations_.find(indices); it != permutations_.end()) return &it->second;
      const RewriteNode& n = b_.node(indices);
      if (n.opcode == Opcode::kConvert || (n.operands.size() == 1 && keeps_order(n, b_.shape(n.operand(0)))))
        indices = n.operand(0);
      else if (n.opcode == Opcode::kSelect && is_negative(n.operand(0), n.operand(2))) indices = n.operand(2);
      else return nullptr;
    }
    return nullptr;
  }

  bool is_negative(Id predicate, Id x) const {
    const RewriteNode* const compare = match(b_, predicate, Opcode::kCompare);
    return compare != nullptr && compare->operand(0) == x && is_splat_of(b_, compare->operand(1), 0) &&
           attributes_of<CompareAttributes>(*compare).direction == ComparisonDirection::kLt;
  }

  /// The rows that a gather reads or a scatter writes, as places in its array and in the other one.
  struct Rows {
    Id indices;
    const Int64List &offset, &moved, &map, &batch, &index_batch;
    int64_t index_vector_dim;
  };

  /// Returns the permutation by which whole rows move, each matrix by its own; else null.
  const Permutation* permutation_of_rows(const Rows& rows, const Shape& array, int64_t other_rank) const {
    const Permutation* const p = permutation_of_indices(rows.indices);
    const int64_t batch = std::ssize(rows.batch);
    if (p == nullptr || std::ssize(p->exchanges) < 2 || rows.moved.size() != 1 || rows.map != rows.moved)
      return nullptr;
    const Shape indices = b_.shape(rows.indices);
    const bool is_plain = p->exchanges[0][0].shape().rank() == batch && rows.index_vector_dim == batch + 1 &&
                          indices.dimension(batch) == array.dimension(rows.moved[0]);
    const bool is_whole = other_rank == array.rank() && std::ssize(rows.offset) == array.rank() - batch - 1;
    for (int64_t d = 0; d < batch; ++d) {
      if (rows.index_batch[d] != d) return nullptr;
    }
    return is_plain && is_whole ? p : nullptr;
  }

  /// Returns x with its rows along dimension `moved` permuted.
  Expr permuted(const Permutation& p, Expr x, int64_t moved, const Int64List& batch) {
    Exprs rows;
    for (int64_t r = 0; r < x.shape().dimension(moved); ++r) rows.push_back(slice(x, moved, r, r + 1));
    Permutation whole = p;
    for (Exprs& step : whole.exchanges) {
      for (Expr& mask : step) mask = broadcast(mask, rows[0].shape().dimensions(), batch);
    }
    permute(whole, rows);
    return concatenate(rows, moved);
  }

  /// Gathers rows in the order of a permutation by exchanging them.
  bool lower_gather(const Instruction& i) {
    const auto& g = attributes_of<GatherAttributes>(i);
    const Expr x = operand(i, 0);
    const Shape shape = x.shape();
    const Rows rows{operand(i, 1).id,  g.offset_dims,           g.collapsed_slice_dims,
                    g.start_index_map, g.operand_batching_dims, g.start_indices_batching_dims,
                    g.index_vector_dim};
    const Permutation* const p = permutation_of_rows(rows, shape, i.shape.rank());
    if (p == nullptr) return false;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      const bool is_indexed = d == rows.moved[0] || std::ranges::count(rows.batch, d) != 0;
      if (!is_indexed && g.slice_sizes[d] != shape.dimension(d)) return false;
    }
    const int64_t batch = std::ssize(rows.batch);
    Int64List first(batch);
    std::iota(first.begin(), first.end(), int64_t{0});
    if (rows.moved[0] == shape.rank() - 2 && batch == shape.rank() - 2 && rows.batch == first &&
        is_small(shape, &MatrixLimits::lu)) {
      b_.replace(i.id, matrix(permuted_elements(*p, elements(x))).id);
      return true;
    }
    const Expr moved = permuted(*p, x, rows.moved[0], rows.batch);
    b_.replace(i.id, transpose(moved, places_in_array(rows, shape.rank())).id);
    return true;
  }

  /// A scatter that adds rows to zeros at the places of a permutation, as in derivatives of such a gather.
  bool lower_scatter(const Instruction& i) {
    const auto& g = attributes_of<ScatterAttributes>(i);
    if (i.operands.size() != 3 || g.to_apply->reducer_kind() != ReducerKind::kAdd ||
        !is_splat_of(b_, operand(i, 0).id, 0))
      return false;
    const Expr updates = operand(i, 2);
    const Shape shape = operand(i, 0).shape();
    const Rows rows{operand(i, 1).id,       g.update_window_dims,
                    g.inserted_window_dims, g.scatter_dims_to_operand_dims,
                    g.input_batching_dims,  g.scatter_indices_batching_dims,
                    g.index_vector_dim};
    const Permutation* const p = permutation_of_rows(rows, shape, updates.shape().rank());
    if (p == nullptr) return false;
    const Int64List places = places_in_array(rows, shape.rank());
    Int64List back(places.size());
    for (int64_t d = 0; d < shape.rank(); ++d) back[places[d]] = d;
    const Expr x = transpose(updates, back);
    if (!x.shape().compatible(shape)) return false;
    const Expr moved = permuted({p->exchanges, !p->is_inverse}, x, rows.moved[0], rows.batch);
    b_.replace(i.id, (moved + operand(i, 0)).id);
    return true;
  }

  static Elements permuted_elements(const Permutation& p, Elements rows) {
    for (int64_t c = 0; c < rows.columns; ++c) {
      Exprs column;
      for (int64_t r = 0; r < rows.rows; ++r) column.push_back(rows.at(r, c));
      permute(p, column);
      for (int64_t r = 0; r < rows.rows; ++r) rows.at(r, c) = column[r];
    }
    return rows;
  }

  /// Returns for each dimension of the gather's result, or of the scatter's updates, that of the array.
  static Int64List places_in_array(const Rows& rows, int64_t rank) {
    Int64List indexed = rows.batch, places;
    indexed.push_back(rows.moved[0]);
    int64_t next_indexed = 0, next_offset = 0;
    for (int64_t d = 0; d < rank; ++d) {
      if (std::ranges::count(rows.offset, d) == 0) {
        places.push_back(indexed[next_indexed++]);
        continue;
      }
      while (std::ranges::count(indexed, next_offset) != 0) ++next_offset;
      places.push_back(next_offset++);
    }
    return places;
  }

  RewriteBuilder b_;
  RewriteSink sink_;
  SmallMatrices limits_;
  GrowthBudget& budget_;
  std::map<Id, Elements> elements_;
  std::map<Id, Exprs> taus_;
  std::map<Id, RowExchanges> exchanges_, exchanges_from_zero_;
  std::map<Id, Permutation> permutations_;
  std::vector<Id> infos_;
};

bool has_work(const Computation& c) {
  return std::ranges::any_of(c.instructions(), [](const Instruction& i) {
    return i.opcode == Opcode::kCholesky || i.opcode == Opcode::kTriangularSolve || lapack_call(i);
  });
}

}  // namespace

StatusOr<bool> lower_small_linalg(Module& module) { return lower_small_linalg(module, {}); }

StatusOr<bool> lower_small_linalg(Module& module, const SmallMatrices& limits) {
  GrowthBudget budget(module);
  return rewrite_computations(module, [&](const ComputationPtr& c) -> StatusOr<ComputationPtr> {
    return has_work(*c) ? Lowering(c, limits, budget).run() : c;
  });
}

}  // namespace hilo::hlo
