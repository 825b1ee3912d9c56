// SPDX-License-Identifier: Apache-2.0
// numpy/contractions.h -- sums of products: matmul, einsum, tensordot and their kin.
#pragma once

#include <string>

#include "hilo/lax/precision.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

/// What is asked of the arithmetic, and the type of the sums, where it isn't that of the operands.
struct ProductOptions {
  lax::PrecisionLike precision = {};
  Dtype preferred_element_type = std::nullopt;
};
/// Matrices are the last two axes, vectors are rows on the left and columns on the right; other axes broadcast.
Array matmul(const Operand& a, const Operand& b, const ProductOptions& options = {});
/// The last axis of a with the last but one of b; scalars multiply.
Array dot(const Operand& a, const Operand& b, const ProductOptions& options = {});
/// conj(a) with b, both flattened.
Array vdot(const Operand& a, const Operand& b, const ProductOptions& options = {});
/// The last axes of both.
Array inner(const Operand& a, const Operand& b, const ProductOptions& options = {});
Array outer(const Operand& a, const Operand& b);
struct VecdotOptions {
  int64_t axis = -1;
  lax::PrecisionLike precision = {};
  Dtype preferred_element_type = std::nullopt;
};
/// conj(x1) with x2 along one axis, which moves to the end in both; other axes broadcast.
Array vecdot(const Operand& x1, const Operand& x2, const VecdotOptions& options = {});
template <int = 0>
Array vecdot(const Operand& x1, const Operand& x2, int64_t axis) {
  return vecdot(x1, x2, VecdotOptions{.axis = axis});
}
Array matvec(const Operand& x1, const Operand& x2);  ///< [..., m, n] with [..., n]
Array vecmat(const Operand& x1, const Operand& x2);  ///< conj([..., n]) with [..., n, m]
/// Which axes are summed over: so many last axes of a with first axes of b, an axis of each, or a list of each.
class TensordotAxes {
 public:
  TensordotAxes(int64_t count) : count_(count) {}  // axes convert
  TensordotAxes(int64_t of_a, int64_t of_b) : pairs_{{of_a}, {of_b}} {}
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
/// Sums over axes of both: tensordot(a, b, 1), tensordot(a, b, {{0, 1}, {1, 0}}).
/// Errors    INVALID_ARGUMENT for a count below 0 or above a rank, or lists of different lengths
Array tensordot(const Operand& a, const Operand& b, const TensordotOptions& options = {});
template <int = 0>
Array tensordot(const Operand& a, const Operand& b, const TensordotAxes& axes, const ProductOptions& options = {}) {
  return tensordot(
      a, b,
      TensordotOptions{
          .axes = axes, .precision = options.precision, .preferred_element_type = options.preferred_element_type});
}
Array kron(const Operand& a, const Operand& b);
struct CrossOptions {
  int64_t axisa = -1, axisb = -1, axisc = -1;
  std::optional<int64_t> axis = std::nullopt;  ///< of all three
};
/// Of vectors with 2 or 3 components along an axis; of two with 2 the third component alone.
Array cross(const Operand& a, const Operand& b, const CrossOptions& options = {});
struct TraceOptions {
  int64_t offset = 0, axis1 = 0, axis2 = 1;
  Dtype dtype = std::nullopt;
};
Array trace(const Operand& a, const TraceOptions& options = {});
template <int = 0>
Array trace(const Operand& a, int64_t offset, int64_t axis1 = 0, int64_t axis2 = 1) {
  return trace(a, TraceOptions{.offset = offset, .axis1 = axis1, .axis2 = axis2});
}

/// Which operands are contracted together, step by step; the result of a step goes to the end of the list.
using ContractionPath = std::vector<std::vector<int64_t>>;
struct EinsumPath {
  ContractionPath path;
  std::string description;
};
/// How the order is found: "auto", "optimal", "greedy", true ("optimal"), false (as they stand); or the order itself.
class Optimize {
 public:
  Optimize(const char* how) : how_(how) {}  // they convert
  Optimize(std::same_as<bool> auto search) : how_(search ? "optimal" : "false") {}
  Optimize(ContractionPath path);
  Optimize(std::initializer_list<std::vector<int64_t>> path);
  const std::string& how() const { return how_; }  ///< empty for an order
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
/// Sums over products, as the subscripts say: einsum("bij,bjk->bik", {x, y}). Letters that the result lacks are summed; "..."
/// stands for axes that broadcast; without "->" the result has the letters that stand once, in alphabetical order.
/// Errors    INVALID_ARGUMENT for subscripts that don't fit the operands
/// Cost      the order is searched: all of them up to 6 operands, then the cheapest pair first
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
/// Doesn't compile: the subscripts come first.
template <std::same_as<Array> A, typename... Rest>
Array einsum(const A& a, const char*, const Rest&...) {
  static_assert(kNever<A>, "the subscripts come first: einsum(\"ij->i\", x)");
  return a;
}
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
