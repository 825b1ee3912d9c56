// SPDX-License-Identifier: Apache-2.0
// numpy/ufunc_methods.cc -- reduce, accumulate, outer, at and reduceat of ufuncs.
#include <algorithm>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/index_plan.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

Array typed(const char* name, const Array& a, const Dtype& dtype) {
  return dtype ? ops::convert_element_type(a, requested_type(name, *dtype)) : a;
}

/// Merges several axes into the first one.
Array reduced_first(const Array& a, const std::vector<int64_t>& axes) {
  std::vector<int64_t> front(axes.size());
  for (size_t i = 0; i < front.size(); ++i) front[i] = i;
  const Array moved = moveaxis(a, axes, front);
  Shape shape = {1};
  for (int64_t d = 0; d < moved.ndim(); ++d) {
    if (d < std::ssize(axes)) shape[0] *= moved.shape(d);
    else shape.push_back(moved.shape(d));
  }
  return ops::reshape(moved, shape);
}

/// Computes f(...f(f(first, x[0]), x[1])..., x[n-1]), skipping elements where `where` is false.
Array folded(const detail::BinaryCall& f, const Array& first, const Array& x, const std::optional<Array>& where_true) {
  const auto step = [&f](const Array& sum, const Array& element) {
    return ops::convert_element_type(f.call(sum, element), sum.dtype());
  };
  if (!where_true)
    return lax::scan([&](Array sum, Array element) { return std::pair(step(sum, element), std::tuple<>()); }, first, x)
        .first;
  return lax::scan(
             [&](Array sum, std::pair<Array, Array> element) {
               const Array next = where(element.second, step(sum, element.first), sum);
               return std::pair(next, std::tuple<>());
             },
             first, std::pair(x, *where_true))
      .first;
}

Array reduced_by_scan(const detail::BinaryCall& f, const Array& a, const UfuncReduceOptions& options) {
  const std::vector<int64_t> axes = normal_axes(a, options.axis);
  const Array x = reduced_first(a, axes);
  if (!options.initial && (x.shape(0) == 0 || options.where))
    or_throw(invalid_argument(at_user_line(std::string(f.name) + ".reduce") +
                              ": wanted an initial value for no elements or a where mask; got " +
                              a.aval_shape().to_string()));
  std::optional<Array> mask;
  if (options.where) mask = reduced_first(broadcast_to(*options.where, Shape(a.shape())), axes);
  const std::vector<int64_t> rest(x.shape().begin() + 1, x.shape().end());
  const Array out = options.initial
                        ? folded(f, spread_to(ops::convert_element_type(*options.initial, a.dtype()), rest), x, mask)
                        : folded(f, x[0], slice(x, 1, x.shape(0)), mask);
  if (!options.keepdims) return out;
  Shape with_ones(a.shape());
  for (const int64_t axis : axes) with_ones[axis] = 1;
  return ops::reshape(out, with_ones);
}

/// Reduces bits or booleans with one reduction op.
Array reduced_bits(const Array& a, const UfuncReduceOptions& options, hlo::Opcode opcode, double neutral) {
  const std::vector<int64_t> axes = normal_axes(a, options.axis);
  const Array identity = ops::scalar(neutral, a.dtype());
  Array x = a;
  if (options.where) x = ops::select(spread_to(*options.where, a.shape()), a, spread_to(identity, a.shape()));
  Array out = axes.empty() ? x : ops::reduce(opcode, x, identity, axes);
  if (options.initial) {
    const Array first = spread_to(ops::convert_element_type(*options.initial, a.dtype()), out.shape());
    out = opcode == hlo::Opcode::kAnd  ? ops::bitwise_and(first, out)
          : opcode == hlo::Opcode::kOr ? ops::bitwise_or(first, out)
                                       : ops::bitwise_xor(first, out);
  }
  if (!options.keepdims) return out;
  Shape with_ones(a.shape());
  for (const int64_t axis : axes) with_ones[axis] = 1;
  return ops::reshape(out, with_ones);
}

SumOptions sum_options(const UfuncReduceOptions& options) {
  return {.axis = options.axis,
          .dtype = options.dtype,
          .keepdims = options.keepdims,
          .initial = options.initial,
          .where = options.where};
}
MaxOptions max_options(const UfuncReduceOptions& options) {
  return {.axis = options.axis, .keepdims = options.keepdims, .initial = options.initial, .where = options.where};
}

/// Returns a number with all bits set: -1 for integers, 1 (true) for pred.
double all_bits(ElementType type) { return type == ElementType::kPred ? 1 : -1; }

Array all_bits_of(const Array& a, const UfuncReduceOptions& options) {
  if (!is_unsigned_integer(a.dtype())) return reduced_bits(a, options, hlo::Opcode::kAnd, all_bits(a.dtype()));
  // ~(x & y) = ~x | ~y; the neutral element of | is 0 for every unsigned type.
  UfuncReduceOptions inverted = options;
  if (options.initial) inverted.initial = ops::bitwise_not(ops::convert_element_type(*options.initial, a.dtype()));
  return ops::bitwise_not(reduced_bits(ops::bitwise_not(a), inverted, hlo::Opcode::kOr, 0));
}

/// Replaces the elements at the indices, one after another, by f of the element and its element of b.
Array changed_at(const Array& a, const Array& indices, const std::optional<Array>& b,
                 const std::function<Array(const Array&, const Array&)>& f) {
  check_integer_index("at", indices);
  Shape places(indices.shape()), rest(a.shape().begin() + 1, a.shape().end());
  places.insert(places.end(), rest.begin(), rest.end());
  rest.insert(rest.begin(), indices.size());
  const Array flat = ravel(indices);
  const Array values = ops::reshape(b ? broadcast_to(*b, places) : zeros(places, a.dtype()), rest);
  return lax::scan(
             [&](Array x, std::pair<Array, Array> step) {
               const Array now = ops::convert_element_type(f(x(step.first), step.second), x.dtype());
               return std::pair(x.at(step.first).set(now), std::tuple<>());
             },
             a, std::pair(flat, values))
      .first;
}

}  // namespace

Array detail::ufunc_reduce(const BinaryCall& call, const Operand& a, const UfuncReduceOptions& options) {
  const UserLocation here(a.location());
  const std::string_view f = call.name;
  if (f == "add") return sum(a, sum_options(options));
  if (f == "multiply") return prod(a, sum_options(options));
  const Array x = typed(call.name, a.array(), options.dtype);
  if (f == "maximum") return max(x, max_options(options));
  if (f == "minimum") return min(x, max_options(options));
  if (f == "logical_and") return reduced_bits(truth(x), options, hlo::Opcode::kAnd, 1);
  if (f == "logical_or") return reduced_bits(truth(x), options, hlo::Opcode::kOr, 0);
  if (f == "logical_xor") return reduced_bits(truth(x), options, hlo::Opcode::kXor, 0);
  const bool exact = x.dtype() == ElementType::kPred || is_integer(x.dtype());
  if (exact && f == "bitwise_and") return all_bits_of(x, options);
  if (exact && f == "bitwise_or") return reduced_bits(x, options, hlo::Opcode::kOr, 0);
  if (exact && f == "bitwise_xor") return reduced_bits(x, options, hlo::Opcode::kXor, 0);
  return reduced_by_scan(call, x, options);
}

Array detail::ufunc_accumulate(const BinaryCall& call, const Operand& a, const UfuncAccumulateOptions& options) {
  const UserLocation here(a.location());
  const std::string_view f = call.name;
  if (f == "add") return cumsum(a, {.axis = options.axis, .dtype = options.dtype});
  if (f == "multiply") return cumprod(a, {.axis = options.axis, .dtype = options.dtype});
  const Array moved = moveaxis(typed(call.name, a.array(), options.dtype), options.axis, 0);
  if (moved.shape(0) == 0) return moveaxis(moved, 0, options.axis);
  const auto step = [&call](Array sum, Array element) {
    const Array next = ops::convert_element_type(call.call(sum, element), sum.dtype());
    return std::pair(next, next);
  };
  const Array rest = lax::scan(step, moved[0], slice(moved, 1, moved.shape(0))).second;
  return moveaxis(concatenate({slice(moved, 0, 1), rest}), 0, options.axis);
}

Array detail::ufunc_outer(const BinaryCall& call, const Operand& A, const Operand& B) {
  const UserLocation here(A.location());
  Shape shape(A.array().shape());
  shape.resize(shape.size() + static_cast<size_t>(B.array().ndim()), 1);
  return call.call(ops::reshape(A.array(), shape), B.array());
}

Array detail::ufunc_at(const BinaryCall& call, const Operand& a, const Operand& indices, const Operand& b,
                       const UfuncAtOptions& options) {
  const UserLocation here(a.location());
  refuse_in_place(std::string(call.name) + ".at", options.inplace);
  const IndexedPlaces places = a.array().at(indices.array());
  const std::string_view f = call.name;
  if (f == "add") return places.add(b);
  if (f == "subtract") return places.subtract(b);
  if (f == "multiply") return places.multiply(b);
  if (f == "maximum") return places.max(b);
  if (f == "minimum") return places.min(b);
  return changed_at(a.array(), indices.array(), b.array(), call.call);
}

Array detail::ufunc_reduceat(const BinaryCall& call, const Operand& a, const Operand& indices,
                             const UfuncAccumulateOptions& options) {
  const UserLocation here(a.location());
  check_integer_index("reduceat", indices.array());
  if (indices.array().ndim() != 1)
    or_throw(invalid_argument(at_user_line(std::string(call.name) + ".reduceat") +
                              ": wanted a vector of indices; got " + indices.array().aval_shape().to_string()));
  const Array x = moveaxis(typed(call.name, a.array(), options.dtype), options.axis, 0);
  const int64_t n = x.shape(0);
  const Array begins = ops::convert_element_type(indices.array(), ElementType::kS32);
  const Array ends = concatenate({slice(begins, 1, begins.size()), full({1}, n, int32)});
  Shape thin(std::vector<int64_t>(x.ndim(), 1));
  thin[0] = begins.size();
  const auto step = [&](Array sum, std::pair<Array, Array> element) {
    const Array inside = (element.second > begins) & (element.second < ends);
    const Array next = ops::convert_element_type(call.call(sum, element.first), sum.dtype());
    return std::pair(where(reshape(inside, thin), next, sum), std::tuple<>());
  };
  const Array first = take(x, begins, {.axis = 0, .mode = "clip"});
  return moveaxis(lax::scan(step, first, std::pair(x, arange(n, int32))).first, 0, options.axis);
}

void detail::refuse_arguments(int nin, int nout, int expected, const Line& line) {
  const UserLocation here(line);
  throw Error(invalid_argument(at_user_line("frompyfunc") + ": wanted nin = " + std::to_string(expected) +
                               " and nout = 1 for this function; got " + std::to_string(nin) + " and " +
                               std::to_string(nout)));
}

Array BinaryUfunc::reduce(const Operand& a, const UfuncReduceOptions& options) const {
  return detail::ufunc_reduce({name, call}, a, options);
}
Array BinaryUfunc::accumulate(const Operand& a, const UfuncAccumulateOptions& options) const {
  return detail::ufunc_accumulate({name, call}, a, options);
}
Array BinaryUfunc::outer(const Operand& A, const Operand& B) const { return detail::ufunc_outer({name, call}, A, B); }
Array BinaryUfunc::at(const Operand& a, const Operand& indices, const Operand& b, const UfuncAtOptions& options) const {
  return detail::ufunc_at({name, call}, a, indices, b, options);
}
Array BinaryUfunc::reduceat(const Operand& a, const Operand& indices, const UfuncAccumulateOptions& options) const {
  return detail::ufunc_reduceat({name, call}, a, indices, options);
}

Array UnaryUfunc::at(const Operand& a, const Operand& indices, const UfuncAtOptions& options) const {
  const UserLocation here(a.location());
  refuse_in_place(std::string(name) + ".at", options.inplace);
  const auto once = [this](const Array& x, const Array&) { return call(x); };
  return changed_at(a.array(), indices.array(), std::nullopt, once);
}

}  // namespace hilo::numpy
