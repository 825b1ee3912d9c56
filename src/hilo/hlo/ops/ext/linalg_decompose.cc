// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/linalg_decompose.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/ext/decomposition.h"
#include "hilo/hlo/ops/ext/linalg.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

/// A decomposition whose operands are batches of matrices.
class Program {
 public:
  Program(const Instruction& instruction, std::span<const Shape> operands) : d(instruction, operands) {
    const Shape& x = operands[0];
    batch_.assign(x.dimensions().begin(), x.dimensions().end() - 2);
    type_ = x.element_type();
    rows_ = x.dimension(x.rank() - 2);
    columns_ = x.dimension(x.rank() - 1);
  }

  Decomposition d;

  Expr parameter(size_t k) const { return d.operand(k); }
  ElementType type() const { return type_; }
  ElementType real() const { return real_type_of(type_); }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t least() const { return std::min(rows_, columns_); }

  /// Returns a shape with this batch.
  Shape of(ElementType type, std::initializer_list<int64_t> inner) const {
    std::vector<int64_t> sizes = batch_;
    sizes.insert(sizes.end(), inner);
    return Shape::array(type, sizes);
  }

  /// Calls lapack_?NAME_ffi and returns the elements of its result; `letter` is that of the type. Matrices are
  /// column-major in the call. The first `aliased` operands share their memory with results.
  Exprs lapack(std::string_view real_name, std::string_view complex_name, const Exprs& operands,
               const std::vector<Shape>& results, int64_t aliased, const std::string& config = {}) {
    CustomCallOptions options;
    const char letter = type_ == ElementType::kF32   ? 's'
                        : type_ == ElementType::kF64 ? 'd'
                        : type_ == ElementType::kC64 ? 'c'
                                                     : 'z';
    options.target = fmt::format("lapack_{}{}_ffi", letter, is_complex(type_) ? complex_name : real_name);
    options.backend_config = config;
    std::vector<Shape> shapes;
    for (Expr operand : operands) {
      shapes.push_back(operand.shape());
      options.operand_layouts.push_back(layout_of(shapes.back()));
    }
    for (const Shape& result : results) options.result_layouts.push_back(layout_of(result));
    for (int64_t k = 0; k < aliased; ++k) options.aliases.emplace_back(k, k);
    if (real_name == "trsm" || real_name == "ormqr") options.aliases = {{0, std::ssize(operands) - 1}};
    const Shape all = results.size() == 1 ? results[0] : Shape::tuple(results);
    const Expr call = d.add(Opcode::kCustomCall, operands, make_custom_call(options, shapes, results.size()), all);
    if (results.size() == 1) return {call};
    Exprs parts;
    for (size_t k = 0; k < results.size(); ++k) parts.push_back(element(call, k));
    return parts;
  }

  /// Returns x where the item's info is valid (zero, or not negative), else NaN.
  Expr checked(Expr x, Expr info, ComparisonDirection expected = ComparisonDirection::kEq) {
    Int64List batch(batch_.size());
    std::iota(batch.begin(), batch.end(), int64_t{0});
    const Expr ok = compare(info, expected, full_like(info, 0));
    return select(broadcast(ok, x.shape().dimensions(), batch), x, nan_like(x));
  }
  Exprs all_checked(std::span<const Expr> values, Expr info) {
    Exprs all;
    for (Expr value : values) all.push_back(checked(value, info));
    return all;
  }

  StatusOr<ComputationPtr> finish(const Exprs& results) && {
    return std::move(d).finish(results.size() == 1 ? results[0] : tuple(d, results));
  }

 private:
  /// Returns a column-major layout for matrices; pivots, taus and info are vectors and numbers.
  Int64List layout_of(const Shape& shape) const {
    Int64List layout(shape.minor_to_major().begin(), shape.minor_to_major().end());
    if (shape.rank() == std::ssize(batch_) + 2) std::swap(layout[0], layout[1]);
    return layout;
  }

  /// Returns NaN, in both parts of complex numbers.
  static Expr nan_like(Expr x) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (x.type() == ElementType::kC128)
      return full(*x.sink, x.shape(), Literal::scalar(std::complex<double>(nan, nan)));
    if (x.type() != ElementType::kC64) return full_like(x, nan);
    const auto single = static_cast<float>(nan);
    return full(*x.sink, x.shape(), Literal::scalar(std::complex<float>(single, single)));
  }

  ElementType type_{};
  std::vector<int64_t> batch_;
  int64_t rows_ = 0, columns_ = 0;
};

/// True where column - row >= k.
Expr upper(Sink& sink, const Shape& shape, int64_t k) {
  const Shape numbers = shape.with_element_type(ElementType::kS32);
  const Expr row = iota(sink, numbers, shape.rank() - 2), column = iota(sink, numbers, shape.rank() - 1);
  return column >= row + static_cast<double>(k);
}
Expr triu(Expr x) { return select(upper(*x.sink, x.shape(), 0), x, full_like(x, 0)); }
Expr identity(Sink& sink, const Shape& shape) {
  const Expr zeros = full(sink, shape, 0), ones = full(sink, shape, 1);
  return select(upper(sink, shape, 0), select(upper(sink, shape, 1), zeros, ones), zeros);
}
/// Returns the first rows and columns.
Expr corner(Expr x, int64_t rows, int64_t columns) {
  const int64_t rank = x.shape().rank();
  return slice(slice(x, rank - 2, 0, rows), rank - 1, 0, columns);
}
Expr with_columns(Expr x, int64_t more) {
  const Expr zero = full(*x.sink, Shape::scalar(x.type()), 0);
  return x.sink->add_with<PadAttributes>(Opcode::kPad, {x, zero}, [&](auto& a) {
    a.padding.resize(x.shape().rank());
    a.padding.back().high = more;
  });
}

constexpr ElementType kInfo = ElementType::kS32;

std::string letters(std::initializer_list<std::pair<std::string_view, char>> entries) {
  std::string text;
  for (const auto& [name, value] : entries)
    text += fmt::format("{}{} = {} : ui8", text.empty() ? "{" : ", ", name, static_cast<int>(value));
  return text + "}";
}

}  // namespace

StatusOr<ComputationPtr> decompose_lu(const Instruction& instruction, std::span<const Shape> operands) {
  Program p(instruction, operands);
  const Shape pivots = p.of(kInfo, {p.least()}), permutation = p.of(kInfo, {p.rows()});
  const Exprs r =
      p.lapack("getrf", "getrf", {p.parameter(0)}, {operands[0].with_default_layout(), pivots, p.of(kInfo, {})}, 1);
  const Expr from_zero = r[1] - 1;
  CustomCallOptions options;
  options.target = "hilo_lu_pivots_to_permutation_ffi";
  const Shape shapes[] = {pivots};
  const Expr order = p.d.add(Opcode::kCustomCall, {from_zero}, make_custom_call(options, shapes, 1), permutation);
  return std::move(p).finish({p.checked(r[0], r[2], ComparisonDirection::kGe), from_zero, order});
}

StatusOr<ComputationPtr> decompose_geqrf(const Instruction& instruction, std::span<const Shape> operands) {
  Program p(instruction, operands);
  return std::move(p).finish(p.lapack("geqrf", "geqrf", {p.parameter(0)},
                                      {operands[0].with_default_layout(), p.of(p.type(), {p.least()})}, 1));
}

StatusOr<ComputationPtr> decompose_geqp3(const Instruction& instruction, std::span<const Shape> operands) {
  Program p(instruction, operands);
  return std::move(p).finish(
      p.lapack("geqp3", "geqp3", {p.parameter(0), p.parameter(1)},
               {operands[0].with_default_layout(), operands[1].with_default_layout(), p.of(p.type(), {p.least()})}, 2));
}

StatusOr<ComputationPtr> decompose_householder_product(const Instruction& instruction,
                                                       std::span<const Shape> operands) {
  Program p(instruction, operands);
  return std::move(p).finish(
      p.lapack("orgqr", "ungqr", {p.parameter(0), p.parameter(1)}, {operands[0].with_default_layout()}, 1));
}

StatusOr<ComputationPtr> decompose_ormqr(const Instruction& instruction, std::span<const Shape> operands) {
  const auto& a = attributes_of<OrmqrAttributes>(instruction);
  Program p(instruction, operands);
  const char transposed = !a.transpose ? 'N' : is_complex(p.type()) ? 'C' : 'T';
  return std::move(p).finish(p.lapack("ormqr", "unmqr", {p.parameter(0), p.parameter(1), p.parameter(2)},
                                      {operands[2].with_default_layout()}, 0,
                                      letters({{"side", a.left ? 'L' : 'R'}, {"trans", transposed}})));
}

StatusOr<ComputationPtr> decompose_qr(const Instruction& instruction, std::span<const Shape> operands) {
  const bool full = attributes_of<QrAttributes>(instruction).full_matrices;
  Program p(instruction, operands);
  const int64_t m = p.rows(), n = p.columns(), k = full ? m : p.least();
  if (m == 0 || n == 0) {
    return std::move(p).finish({identity(p.d, p.of(p.type(), {m, k})), hlo::full(p.d, p.of(p.type(), {k, n}), 0)});
  }
  const Expr f = p.d.add(kExtGeqrf, {p.parameter(0)});
  const Expr reflectors = m < n  ? corner(element(f, 0), m, m)
                          : full ? with_columns(element(f, 0), m - n)
                                 : element(f, 0);
  const Expr q = p.d.add(kExtHouseholderProduct, {reflectors, element(f, 1)});
  return std::move(p).finish({q, triu(corner(element(f, 0), k, n))});
}

StatusOr<ComputationPtr> decompose_eigh(const Instruction& instruction, std::span<const Shape> operands) {
  const bool lower = attributes_of<TriangleAttributes>(instruction).lower;
  Program p(instruction, operands);
  const Exprs r = p.lapack("syevd", "heevd", {p.parameter(0)},
                           {operands[0].with_default_layout(), p.of(p.real(), {p.rows()}), p.of(kInfo, {})}, 1,
                           letters({{"mode", 'V'}, {"uplo", lower ? 'L' : 'U'}}));
  return std::move(p).finish(p.all_checked(std::span(r).first(2), r[2]));
}

StatusOr<ComputationPtr> decompose_tridiagonal(const Instruction& instruction, std::span<const Shape> operands) {
  const bool lower = attributes_of<TriangleAttributes>(instruction).lower;
  Program p(instruction, operands);
  const int64_t less = std::max<int64_t>(p.rows() - 1, 0);
  const Exprs r = p.lapack("sytrd", "hetrd", {p.parameter(0)},
                           {operands[0].with_default_layout(), p.of(p.real(), {p.rows()}), p.of(p.real(), {less}),
                            p.of(p.type(), {less}), p.of(kInfo, {})},
                           1, letters({{"uplo", lower ? 'L' : 'U'}}));
  return std::move(p).finish(p.all_checked(std::span(r).first(4), r[4]));
}

StatusOr<ComputationPtr> decompose_svd(const Instruction& instruction, std::span<const Shape> operands) {
  const auto& a = attributes_of<SvdAttributes>(instruction);
  Program p(instruction, operands);
  const int64_t m = p.rows(), n = p.columns(), k = p.least();
  const Shape s = p.of(p.real(), {k}), u = p.of(p.type(), {m, a.full_matrices ? m : k}),
              vt = p.of(p.type(), {a.full_matrices ? n : k, n});
  if (k == 0) {
    Exprs empty = {hlo::full(p.d, s, 0)};
    if (a.compute_uv) empty.insert(empty.end(), {identity(p.d, u), identity(p.d, vt)});
    return std::move(p).finish(empty);
  }
  const char mode = !a.compute_uv ? 'N' : a.full_matrices ? 'A' : 'S';
  const Exprs r =
      p.lapack("gesdd", "gesdd", {p.parameter(0)}, {operands[0].with_default_layout(), s, u, vt, p.of(kInfo, {})}, 1,
               letters({{"mode", mode}}));
  return std::move(p).finish(p.all_checked(std::span(r).subspan(1, a.compute_uv ? 3 : 1), r[4]));
}

StatusOr<ComputationPtr> decompose_eig(const Instruction& instruction, std::span<const Shape> operands) {
  const auto& a = attributes_of<EigAttributes>(instruction);
  Program p(instruction, operands);
  const ElementType complex = complex_type_of(p.type());
  const Shape part = p.of(p.type(), {p.rows()}), vectors = p.of(complex, {p.rows(), p.rows()});
  std::vector<Shape> shapes = {part};
  if (!is_complex(p.type())) shapes.push_back(part);
  shapes.insert(shapes.end(), {vectors, vectors, p.of(kInfo, {})});
  const Exprs r = p.lapack("geev", "geev", {p.parameter(0)}, shapes, 0,
                           letters({{"compute_left", a.compute_left_eigenvectors ? 'V' : 'N'},
                                    {"compute_right", a.compute_right_eigenvectors ? 'V' : 'N'}}));
  const size_t parts = shapes.size() - 3;
  const Expr info = r[parts + 2];
  const Expr values =
      parts == 1 ? r[0] : p.d.add(Opcode::kComplex, {r[0], r[1]}, nullptr, part.with_element_type(complex));
  Exprs results = {p.checked(values, info)};
  if (a.compute_left_eigenvectors) results.push_back(p.checked(r[parts], info));
  if (a.compute_right_eigenvectors) results.push_back(p.checked(r[parts + 1], info));
  return std::move(p).finish(results);
}

StatusOr<ComputationPtr> decompose_schur(const Instruction& instruction, std::span<const Shape> operands) {
  const bool vectors = attributes_of<SchurAttributes>(instruction).compute_schur_vectors;
  Program p(instruction, operands);
  const Shape square = operands[0].with_default_layout(), values = p.of(p.type(), {p.rows()}), info = p.of(kInfo, {});
  std::vector<Shape> shapes = {square, square, values};
  if (!is_complex(p.type())) shapes.push_back(values);
  shapes.insert(shapes.end(), {info, info});
  const Exprs r =
      p.lapack("gees", "gees", {p.parameter(0)}, shapes, 1, letters({{"mode", vectors ? 'V' : 'N'}, {"sort", 'N'}}));
  return std::move(p).finish(p.all_checked(std::span(r).first(vectors ? 2 : 1), r[shapes.size() - 1]));
}

StatusOr<ComputationPtr> decompose_hessenberg(const Instruction& instruction, std::span<const Shape> operands) {
  Program p(instruction, operands);
  const int64_t n = p.rows();
  const Exprs r =
      p.lapack("gehrd", "gehrd", {p.parameter(0)},
               {operands[0].with_default_layout(), p.of(p.type(), {std::max<int64_t>(n - 1, 0)}), p.of(kInfo, {})}, 1,
               fmt::format("{{high = {} : i32, low = 1 : i32}}", n));
  return std::move(p).finish(p.all_checked(std::span(r).first(2), r[2]));
}

}  // namespace hilo::hlo
