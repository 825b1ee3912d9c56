// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/linalg_decompose.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/ext/linalg.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo {
namespace {

using Id = InstructionId;
using Ids = std::vector<InstructionId>;

/// A computation in the making. Remembers the first error.
class Program {
 public:
  Program(const Instruction& instruction, std::span<const Shape> operands)
      : builder_(std::string(instruction.def().name)) {
    for (const Shape& shape : operands) parameters_.push_back(builder_.parameter(shape.with_default_layout()));
    const Shape& x = operands[0];
    type_ = x.element_type();
    batch_.assign(x.dimensions().begin(), x.dimensions().end() - 2);
    rows_ = x.dimension(x.rank() - 2);
    columns_ = x.dimension(x.rank() - 1);
  }

  Id parameter(size_t k) const { return parameters_[k]; }
  Shape shape(Id id) const { return builder_.shape(id); }
  ElementType type() const { return type_; }
  ElementType real() const { return real_type_of(type_); }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t least() const { return std::min(rows_, columns_); }

  /// A shape with this batch.
  Shape of(ElementType type, std::initializer_list<int64_t> inner) const {
    std::vector<int64_t> sizes = batch_;
    sizes.insert(sizes.end(), inner);
    return Shape::array(type, sizes);
  }

  Id op(Opcode opcode, const Ids& operands, AttributesPtr attributes = nullptr,
        const std::optional<Shape>& declared = std::nullopt) {
    if (!status_.ok()) return 0;
    StatusOr<Id> id = builder_.add(opcode, operands, std::move(attributes), declared);
    if (id.ok()) return *id;
    status_ = id.status();
    return 0;
  }

  Ids elements(Id tuple) {
    Ids ids;
    for (int64_t k = 0; status_.ok() && k < shape(tuple).tuple_size(); ++k)
      ids.push_back(op(Opcode::kGetTupleElement, {tuple}, shared_attributes(GetTupleElementAttributes{{}, k})));
    if (ids.empty()) ids.resize(8);  // after an error nobody looks at them
    return ids;
  }

  /// The elements of the result of lapack_?NAME_ffi; `letter` is of the type. Matrices are column-major there. The first
  /// `aliased` operands give their memory to results.
  Ids lapack(std::string_view real_name, std::string_view complex_name, const Ids& operands,
             const std::vector<Shape>& results, int64_t aliased, const std::string& config = {}) {
    if (!status_.ok()) return Ids(8);
    CustomCallOptions options;
    const char letter = type_ == ElementType::kF32   ? 's'
                        : type_ == ElementType::kF64 ? 'd'
                        : type_ == ElementType::kC64 ? 'c'
                                                     : 'z';
    options.target = fmt::format("lapack_{}{}_ffi", letter, is_complex(type_) ? complex_name : real_name);
    options.backend_config = config;
    std::vector<Shape> shapes;
    for (Id operand : operands) {
      shapes.push_back(shape(operand));
      options.operand_layouts.push_back(layout_of(shape(operand)));
    }
    for (const Shape& result : results) options.result_layouts.push_back(layout_of(result));
    for (int64_t k = 0; k < aliased; ++k) options.aliases.emplace_back(k, k);
    if (real_name == "trsm" || real_name == "ormqr") options.aliases = {{0, static_cast<int64_t>(operands.size()) - 1}};
    const Shape all = results.size() == 1 ? results[0] : Shape::tuple(results);
    const Id call = op(Opcode::kCustomCall, operands, make_custom_call(options, shapes, results.size()), all);
    return results.size() == 1 ? Ids{call} : elements(call);
  }

  Id filled_with(const Literal& scalar, Shape shape) {
    const Id one = builder_.constant(scalar);
    return shape.rank() == 0 ? one : op(Opcode::kBroadcast, {one}, shared_attributes(BroadcastAttributes{}), shape);
  }
  Id full(Shape shape, double value) { return filled_with(filled(Shape::scalar(shape.element_type()), value), shape); }
  Id nan(Shape shape) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (shape.element_type() == ElementType::kC64)
      return filled_with(Literal::scalar(std::complex<float>(static_cast<float>(nan), static_cast<float>(nan))), shape);
    if (shape.element_type() == ElementType::kC128)
      return filled_with(Literal::scalar(std::complex<double>(nan, nan)), shape);
    return full(shape, nan);
  }
  Id compared(Id x, Id y, ComparisonDirection direction) {
    CompareAttributes attributes;
    attributes.direction = direction;
    return op(Opcode::kCompare, {x, y}, shared_attributes(attributes));
  }

  /// x where the item's info says so (zero, or not negative), else NaN.
  Id checked(Id x, Id info, ComparisonDirection wanted = ComparisonDirection::kEq) {
    if (!status_.ok()) return 0;
    const Id ok = compared(info, full(shape(info), 0), wanted);
    BroadcastAttributes batch;
    batch.dimensions.resize(batch_.size());
    std::iota(batch.dimensions.begin(), batch.dimensions.end(), int64_t{0});
    const Id everywhere =
        op(Opcode::kBroadcast, {ok}, shared_attributes(batch), shape(x).with_element_type(ElementType::kPred));
    return op(Opcode::kSelect, {everywhere, x, nan(shape(x))});
  }
  Ids all_checked(std::span<const Id> values, Id info) {
    Ids all;
    for (Id value : values) all.push_back(checked(value, info));
    return all;
  }

  /// True where column - row >= k.
  Id upper(Shape shape, int64_t k) {
    const Shape numbers = shape.with_element_type(ElementType::kS32);
    const auto place = [&](int64_t dimension) {
      return op(Opcode::kIota, {}, shared_attributes(IotaAttributes{{}, dimension}), numbers);
    };
    const Id row = op(Opcode::kAdd, {place(shape.rank() - 2), full(numbers, static_cast<double>(k))});
    return compared(place(shape.rank() - 1), row, ComparisonDirection::kGe);
  }
  Id triu(Id x) {
    if (!status_.ok()) return 0;
    return op(Opcode::kSelect, {upper(shape(x), 0), x, full(shape(x), 0)});
  }
  Id identity(Shape shape) {
    const Id lower = op(Opcode::kSelect, {upper(shape, 1), full(shape, 0), full(shape, 1)});
    return op(Opcode::kSelect, {upper(shape, 0), lower, full(shape, 0)});
  }
  /// The first rows and columns.
  Id corner(Id x, int64_t rows, int64_t columns) {
    if (!status_.ok()) return 0;
    SliceAttributes attributes;
    const Shape whole = shape(x);
    for (int64_t size : whole.dimensions()) attributes.ranges.push_back({0, size, 1});
    attributes.ranges[attributes.ranges.size() - 2].limit = rows;
    attributes.ranges.back().limit = columns;
    return op(Opcode::kSlice, {x}, shared_attributes(std::move(attributes)));
  }
  Id with_columns(Id x, int64_t more) {
    if (!status_.ok()) return 0;
    PadAttributes attributes;
    attributes.padding.resize(static_cast<size_t>(shape(x).rank()));
    attributes.padding.back().high = more;
    return op(Opcode::kPad, {x, full(Shape::scalar(type_), 0)}, shared_attributes(std::move(attributes)));
  }

  StatusOr<ComputationPtr> finish(const Ids& results) && {
    HILO_RETURN_IF_ERROR(status_);
    const Id root = results.size() == 1 ? results[0] : builder_.tuple(results);
    return std::move(builder_).build(root);
  }

 private:
  /// Column-major for matrices; pivots, taus and info are vectors and numbers.
  Int64List layout_of(const Shape& shape) const {
    Int64List layout(shape.minor_to_major().begin(), shape.minor_to_major().end());
    if (shape.rank() == static_cast<int64_t>(batch_.size()) + 2) std::swap(layout[0], layout[1]);
    return layout;
  }

  Builder builder_;
  Ids parameters_;
  Status status_;
  ElementType type_{};
  std::vector<int64_t> batch_;
  int64_t rows_ = 0, columns_ = 0;
};

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
  const Ids r = p.lapack("getrf", "getrf", {p.parameter(0)}, {p.shape(p.parameter(0)), pivots, p.of(kInfo, {})}, 1);
  const Id from_zero = p.op(Opcode::kSubtract, {r[1], p.full(pivots, 1)});
  CustomCallOptions options;
  options.target = "hilo_lu_pivots_to_permutation_ffi";
  const Shape shapes[] = {pivots};
  const Id order = p.op(Opcode::kCustomCall, {from_zero}, make_custom_call(options, shapes, 1), permutation);
  return std::move(p).finish({p.checked(r[0], r[2], ComparisonDirection::kGe), from_zero, order});
}

StatusOr<ComputationPtr> decompose_geqrf(const Instruction& instruction, std::span<const Shape> operands) {
  Program p(instruction, operands);
  return std::move(p).finish(
      p.lapack("geqrf", "geqrf", {p.parameter(0)}, {p.shape(p.parameter(0)), p.of(p.type(), {p.least()})}, 1));
}

StatusOr<ComputationPtr> decompose_geqp3(const Instruction& instruction, std::span<const Shape> operands) {
  Program p(instruction, operands);
  return std::move(p).finish(p.lapack("geqp3", "geqp3", {p.parameter(0), p.parameter(1)},
                                      {p.shape(p.parameter(0)), p.shape(p.parameter(1)), p.of(p.type(), {p.least()})},
                                      2));
}

StatusOr<ComputationPtr> decompose_householder_product(const Instruction& instruction,
                                                       std::span<const Shape> operands) {
  Program p(instruction, operands);
  return std::move(p).finish(
      p.lapack("orgqr", "ungqr", {p.parameter(0), p.parameter(1)}, {p.shape(p.parameter(0))}, 1));
}

StatusOr<ComputationPtr> decompose_ormqr(const Instruction& instruction, std::span<const Shape> operands) {
  const auto& a = attributes_of<OrmqrAttributes>(instruction);
  Program p(instruction, operands);
  const char transposed = !a.transpose ? 'N' : is_complex(p.type()) ? 'C' : 'T';
  return std::move(p).finish(p.lapack("ormqr", "unmqr", {p.parameter(0), p.parameter(1), p.parameter(2)},
                                      {p.shape(p.parameter(2))}, 0,
                                      letters({{"side", a.left ? 'L' : 'R'}, {"trans", transposed}})));
}

StatusOr<ComputationPtr> decompose_qr(const Instruction& instruction, std::span<const Shape> operands) {
  const bool full = attributes_of<QrAttributes>(instruction).full_matrices;
  Program p(instruction, operands);
  const int64_t m = p.rows(), n = p.columns(), k = full ? m : p.least();
  if (m == 0 || n == 0) {
    return std::move(p).finish({p.identity(p.of(p.type(), {m, k})), p.full(p.of(p.type(), {k, n}), 0)});
  }
  const Ids f = p.elements(p.op(kExtGeqrf, {p.parameter(0)}));
  const Id reflectors = m < n ? p.corner(f[0], m, m) : full ? p.with_columns(f[0], m - n) : f[0];
  const Id q = p.op(kExtHouseholderProduct, {reflectors, f[1]});
  return std::move(p).finish({q, p.triu(p.corner(f[0], k, n))});
}

StatusOr<ComputationPtr> decompose_eigh(const Instruction& instruction, std::span<const Shape> operands) {
  const bool lower = attributes_of<TriangleAttributes>(instruction).lower;
  Program p(instruction, operands);
  const Ids r = p.lapack("syevd", "heevd", {p.parameter(0)},
                         {p.shape(p.parameter(0)), p.of(p.real(), {p.rows()}), p.of(kInfo, {})}, 1,
                         letters({{"mode", 'V'}, {"uplo", lower ? 'L' : 'U'}}));
  return std::move(p).finish(p.all_checked(std::span(r).first(2), r[2]));
}

StatusOr<ComputationPtr> decompose_tridiagonal(const Instruction& instruction, std::span<const Shape> operands) {
  const bool lower = attributes_of<TriangleAttributes>(instruction).lower;
  Program p(instruction, operands);
  const int64_t less = std::max<int64_t>(p.rows() - 1, 0);
  const Ids r = p.lapack("sytrd", "hetrd", {p.parameter(0)},
                         {p.shape(p.parameter(0)), p.of(p.real(), {p.rows()}), p.of(p.real(), {less}),
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
    Ids empty = {p.full(s, 0)};
    if (a.compute_uv) empty.insert(empty.end(), {p.identity(u), p.identity(vt)});
    return std::move(p).finish(empty);
  }
  const char mode = !a.compute_uv ? 'N' : a.full_matrices ? 'A' : 'S';
  const Ids r = p.lapack("gesdd", "gesdd", {p.parameter(0)}, {p.shape(p.parameter(0)), s, u, vt, p.of(kInfo, {})}, 1,
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
  const Ids r = p.lapack("geev", "geev", {p.parameter(0)}, shapes, 0,
                         letters({{"compute_left", a.compute_left_eigenvectors ? 'V' : 'N'},
                                  {"compute_right", a.compute_right_eigenvectors ? 'V' : 'N'}}));
  const size_t parts = shapes.size() - 3;
  const Id info = r[parts + 2];
  const Id values = parts == 1 ? r[0] : p.op(Opcode::kComplex, {r[0], r[1]}, nullptr, part.with_element_type(complex));
  Ids results = {p.checked(values, info)};
  if (a.compute_left_eigenvectors) results.push_back(p.checked(r[parts], info));
  if (a.compute_right_eigenvectors) results.push_back(p.checked(r[parts + 1], info));
  return std::move(p).finish(results);
}

StatusOr<ComputationPtr> decompose_schur(const Instruction& instruction, std::span<const Shape> operands) {
  const bool vectors = attributes_of<SchurAttributes>(instruction).compute_schur_vectors;
  Program p(instruction, operands);
  const Shape square = p.shape(p.parameter(0)), values = p.of(p.type(), {p.rows()}), info = p.of(kInfo, {});
  std::vector<Shape> shapes = {square, square, values};
  if (!is_complex(p.type())) shapes.push_back(values);
  shapes.insert(shapes.end(), {info, info});
  const Ids r =
      p.lapack("gees", "gees", {p.parameter(0)}, shapes, 1, letters({{"mode", vectors ? 'V' : 'N'}, {"sort", 'N'}}));
  return std::move(p).finish(p.all_checked(std::span(r).first(vectors ? 2 : 1), r[shapes.size() - 1]));
}

StatusOr<ComputationPtr> decompose_hessenberg(const Instruction& instruction, std::span<const Shape> operands) {
  Program p(instruction, operands);
  const int64_t n = p.rows();
  const Ids r = p.lapack("gehrd", "gehrd", {p.parameter(0)},
                         {p.shape(p.parameter(0)), p.of(p.type(), {std::max<int64_t>(n - 1, 0)}), p.of(kInfo, {})}, 1,
                         fmt::format("{{high = {} : i32, low = 1 : i32}}", n));
  return std::move(p).finish(p.all_checked(std::span(r).first(2), r[2]));
}

}  // namespace hilo::hlo
