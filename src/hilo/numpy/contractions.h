// SPDX-License-Identifier: Apache-2.0
// numpy/contractions.h -- sums of products: matmul, dot, einsum, tensordot and similar functions.
#pragma once

#include <concepts>
#include <string>

#include "hilo/lax/precision.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

/// Options of matrix products: the precision of the arithmetic, and the type of the result (default: the promoted type
/// of the operands).
struct ProductOptions {
  lax::PrecisionLike precision = {};
  Dtype preferred_element_type = std::nullopt;
};
/// Multiplies matrices in the last two axes. A vector is a row on the left and a column on the right; other axes
/// broadcast.
/// Shapes    [..., m, k] x [..., k, n] -> [..., m, n]
/// Errors    INVALID_ARGUMENT for a scalar, or if the extents of the summed axes differ
/// Example   matmul(array({{1, 2}, {3, 4}}), array({5, 6}))  // [17 39]
///           matmul(ones({2, 3}), ones({3, 4})).shape()  // (2, 4)
Array matmul(const Operand& a, const Operand& b, const ProductOptions& options = {});
/// Computes the dot product: sums over the last axis of `a` and the second-to-last axis of `b`. A scalar operand
/// multiplies elementwise.
/// Example    dot(array({1, 2, 3}), array({4, 5, 6}))  // 32
Array dot(const Operand& a, const Operand& b, const ProductOptions& options = {});
/// Computes the dot product of conj(a) and b, both flattened.
/// Example    vdot(array({{1, 2}, {3, 4}}), array({{1, 1}, {1, 1}}))  // 10
Array vdot(const Operand& a, const Operand& b, const ProductOptions& options = {});
/// Computes the inner product: sums over the last axes of both operands.
/// Example    inner(array({1, 2}), array({{1, 0}, {0, 1}}))  // [1 2]
Array inner(const Operand& a, const Operand& b, const ProductOptions& options = {});
/// Computes the outer product of both operands, flattened.
/// Shapes     [m], [n] -> [m, n]
/// Example    outer(array({1, 2}), array({3, 4, 5}))  // [[ 3 4 5] [ 6 8 10]]
Array outer(const Operand& a, const Operand& b);
struct VecdotOptions {
  int64_t axis = -1;
  lax::PrecisionLike precision = {};
  Dtype preferred_element_type = std::nullopt;
};
/// Computes dot products of conj(x1) and x2 along one axis; the other axes broadcast.
Array vecdot(const Operand& x1, const Operand& x2, const VecdotOptions& options = {});
template <int = 0>
Array vecdot(const Operand& x1, const Operand& x2, int64_t axis) {
  return vecdot(x1, x2, VecdotOptions{.axis = axis});
}
/// Multiplies matrices by vectors: [..., m, n] x [..., n] -> [..., m].
Array matvec(const Operand& x1, const Operand& x2);
/// Multiplies conjugated vectors by matrices: [..., n] x [..., n, m] -> [..., m].
Array vecmat(const Operand& x1, const Operand& x2);
/// The summed axes of tensordot: a count n (the last n axes of `a` and the first n of `b`), one axis of each, or a list
/// of axes of each.
class TensordotAxes {
 public:
  TensordotAxes(int64_t count) : count_(count) {}  // implicit: axes convert
  template <std::integral A, std::integral B>
  TensordotAxes(A of_a, B of_b) : pairs_{{of_a}, {of_b}} {}
  TensordotAxes(std::vector<int64_t> of_a, std::vector<int64_t> of_b) : pairs_(std::move(of_a), std::move(of_b)) {}
  TensordotAxes(std::pair<std::vector<int64_t>, std::vector<int64_t>> pairs) : pairs_(std::move(pairs)) {}
  const std::optional<int64_t>& count() const { return count_; }
  const std::pair<std::vector<int64_t>, std::vector<int64_t>>& pairs() const { return pairs_; }

 private:
  std::optional<int64_t> count_;
  std::pair<std::vector<int64_t>, std::vector<int64_t>> pairs_;
};
struct TensordotOptions {
  Named named = Named();
  TensordotAxes axes = 2;
  lax::PrecisionLike precision = {};
  Dtype preferred_element_type = std::nullopt;
};
/// Sums products over axes of both operands: tensordot(a, b, 1), tensordot(a, b, {{0, 1}, {1, 0}}).
/// Errors     INVALID_ARGUMENT for a negative count, a count above a rank, or lists of different lengths
/// Example    tensordot(ones({2, 3, 4}), ones({3, 4, 5}), 2).shape()  // (2, 5)
Array tensordot(const Operand& a, const Operand& b, const TensordotOptions& options = {});
template <int = 0>
Array tensordot(const Operand& a, const Operand& b, const TensordotAxes& axes, const ProductOptions& options = {}) {
  return tensordot(
      a, b,
      TensordotOptions{
          .axes = axes, .precision = options.precision, .preferred_element_type = options.preferred_element_type});
}
/// Computes the Kronecker product.
/// Example    kron(array({1, 10}), array({1, 2}))  // [ 1 2 10 20]
Array kron(const Operand& a, const Operand& b);
struct CrossOptions {
  int64_t axisa = -1, axisb = -1, axisc = -1;
  /// axis of both operands and of the result; takes precedence over axisa, axisb and axisc
  std::optional<int64_t> axis = std::nullopt;
};
/// Computes the cross product of vectors with 2 or 3 components along an axis. If both have 2 components, the result is
/// the third component alone.
/// Example    cross(array({1, 0, 0}), array({0, 1, 0}))  // [0 0 1]
Array cross(const Operand& a, const Operand& b, const CrossOptions& options = {});
struct TraceOptions {
  int64_t offset = 0, axis1 = 0, axis2 = 1;
  Dtype dtype = std::nullopt;
};
/// Sums the elements of a diagonal of two axes.
/// Example    trace(array({{1, 2}, {3, 4}}))  // 5
Array trace(const Operand& a, const TraceOptions& options = {});
template <int = 0>
Array trace(const Operand& a, int64_t offset, int64_t axis1 = 0, int64_t axis2 = 1) {
  return trace(a, TraceOptions{.offset = offset, .axis1 = axis1, .axis2 = axis2});
}

/// The order of contractions: each step lists the operands that it contracts. The result of a step is appended to the
/// list of operands.
using ContractionPath = std::vector<std::vector<int64_t>>;
struct EinsumPath {
  ContractionPath path;
  std::string description;
};
/// The search for the order of contractions: "auto", "optimal", "greedy", true ("optimal"), false (from left to right),
/// or a path.
class Optimize {
 public:
  Optimize(const char* how) : how_(how) {}  // implicit: names, bools and paths convert
  Optimize(std::same_as<bool> auto search) : how_(search ? "optimal" : "false") {}
  Optimize(ContractionPath path);
  Optimize(std::initializer_list<std::vector<int64_t>> path);
  const std::string& how() const { return how_; }  ///< empty for a path
  const ContractionPath& path() const { return path_; }

 private:
  std::string how_;
  ContractionPath path_;
};
struct EinsumOptions {
  Optimize optimize = "auto";
  lax::PrecisionLike precision = {};
  Dtype preferred_element_type = std::nullopt;
};
/// Evaluates Einstein's summation convention: einsum("bij,bjk->bik", x, y). Indices that the result lacks are summed,
/// and "..." stands for axes that broadcast. Without "->", the result has the indices that appear once, in alphabetical
/// order.
/// Errors     INVALID_ARGUMENT for subscripts that don't match the operands
/// Cost       with `optimize` "auto", all orders are searched for up to 6 operands; beyond that, the cheapest pair is
///            contracted first
/// Example    const Array a = array({{1, 2}, {3, 4}});
///            einsum("ij,jk->ik", {a, a})  // [[ 7 10] [15 22]]
///            einsum("ii", {a})  // 5
///            einsum("ij->j", {a})  // [4 6]
Array einsum(std::string_view subscripts, const std::vector<Array>& operands, const EinsumOptions& options = {},
             Line line = Line::current());
template <typename... Arrays>
  requires(sizeof...(Arrays) > 0 && (std::convertible_to<Arrays, Array> && ...))
Array einsum(std::string_view subscripts, const Arrays&... operands) {
  return einsum(subscripts, std::vector<Array>{Array(operands)...});
}
Array einsum(std::string_view subscripts, const Operand& a, const EinsumOptions& options);
Array einsum(std::string_view subscripts, const Operand& a, const Operand& b, const EinsumOptions& options);
Array einsum(std::string_view subscripts, const Operand& a, const Operand& b, const Operand& c,
             const EinsumOptions& options);
/// Fails to compile with a readable message: the subscripts are the first argument.
template <std::same_as<Array> A, typename... Rest>
Array einsum(const A& a, const char*, const Rest&...) {
  static_assert(kNever<A>, "the subscripts come first: einsum(\"ij->i\", x)");
  return a;
}
/// Returns the order of contractions that einsum would use, and a description of it.
EinsumPath einsum_path(std::string_view subscripts, const std::vector<Array>& operands,
                       const EinsumOptions& options = {}, Line line = Line::current());
template <typename... Arrays>
  requires(sizeof...(Arrays) > 0 && (std::convertible_to<Arrays, Array> && ...))
EinsumPath einsum_path(std::string_view subscripts, const Arrays&... operands) {
  return einsum_path(subscripts, std::vector<Array>{Array(operands)...});
}
EinsumPath einsum_path(std::string_view subscripts, const Operand& a, const Operand& b, const EinsumOptions& options);
EinsumPath einsum_path(std::string_view subscripts, const Operand& a, const Operand& b, const Operand& c,
                       const EinsumOptions& options);

}  // namespace hilo::numpy
