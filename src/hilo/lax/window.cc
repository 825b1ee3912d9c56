// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/window.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/lax/combine.h"
#include "hilo/lax/window_ops.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/grad.h"

namespace hilo::lax {
namespace {

int64_t checked_axis(const Array& x, int64_t axis) {
  const int64_t at = axis < 0 ? axis + x.ndim() : axis;
  if (at < 0 || at >= x.ndim())
    or_throw(invalid_argument(fmt::format("axis {} is out of range for {}", axis, x.aval_shape().to_string())));
  return at;
}

Array cumulative(hlo::Opcode opcode, const Operand& operand, const CumulativeOptions& options) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  return ops::cumulative(opcode, x, checked_axis(x, options.axis), options.reverse);
}

/// Returns the list, all 1 if it is empty; throws an error that names it if the length is wrong.
std::vector<int64_t> one_a_dimension(std::string_view what, std::vector<int64_t> list, int64_t rank, bool optional) {
  if (list.empty() && optional) list.assign(rank, 1);
  if (std::ssize(list) != rank)
    or_throw(invalid_argument(fmt::format("reduce_window: {}: got {} numbers, wanted one for each of {} dimensions",
                                          what, list.size(), rank)));
  return list;
}

/// Returns the reducer over scalars. It must not capture arrays.
hlo::ComputationPtr reducer(const BinaryFunction& f, ElementType type) {
  const Aval scalar{Shape::scalar(type), false};
  const FlatFunction flat = [&](std::span<const Array> x) { return std::vector<Array>{f(x[0], x[1])}; };
  StagedFunction staged = stage(flat, std::vector<Aval>{scalar, scalar}, "reduce_window", "reducer");
  if (!staged.captures.empty())
    or_throw(invalid_argument("reduce_window: the reducer closes over an array; wanted a function of its arguments"));
  return staged.computation;
}

/// Makes a neutral initial value (0 of a sum) a constant for derivatives, as in JAX.
Array constant_if_neutral(const Array& initial, const hlo::Computation& body) {
  const Array value = stop_gradient(initial);
  const std::optional<Literal> neutral = hlo::neutral_value(body.reducer_kind(), value.dtype());
  if (!neutral || !is_concrete(value) || value.ndim() != 0) return initial;
  const Literal given = value.to_literal();
  // A sum may start from either zero.
  const bool is_zero = !is_complex(value.dtype()) && element_as_double(given, 0) == 0;
  const bool is_neutral =
      std::ranges::equal(given.bytes(), neutral->bytes()) || (is_zero && body.reducer_kind() == hlo::ReducerKind::kAdd);
  return is_neutral ? value : initial;
}

}  // namespace

Array reduce_window(const Operand& operand, const Operand& init_value, const BinaryFunction& computation,
                    std::vector<int64_t> window_dimensions, std::vector<int64_t> window_strides, const Padding& padding,
                    std::vector<int64_t> base_dilation, std::vector<int64_t> window_dilation) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const int64_t rank = x.ndim();
  const std::vector<int64_t> sizes = one_a_dimension("window_dimensions", std::move(window_dimensions), rank, false);
  const std::vector<int64_t> strides = one_a_dimension("window_strides", std::move(window_strides), rank, true);
  const std::vector<int64_t> base = one_a_dimension("base_dilation", std::move(base_dilation), rank, true);
  const std::vector<int64_t> dilation = one_a_dimension("window_dilation", std::move(window_dilation), rank, true);
  // As in JAX, padding by name is for the dilated window on the undilated array.
  std::vector<int64_t> covered;
  for (size_t d = 0; d < sizes.size(); ++d) covered.push_back((sizes[d] - 1) * dilation[d] + 1);
  const PaddingPairs pads = padtype_to_pads(x.shape(), covered, strides, padding);
  if (std::ssize(pads) != rank)
    or_throw(invalid_argument(
        fmt::format("reduce_window: padding: got {} pairs, wanted one for each of {} dimensions", pads.size(), rank)));
  hlo::Window window;
  for (size_t d = 0; d < sizes.size(); ++d) {
    window.push_back({.size = sizes[d],
                      .stride = strides[d],
                      .padding_low = pads[d].first,
                      .padding_high = pads[d].second,
                      .base_dilation = base[d],
                      .window_dilation = dilation[d]});
  }
  const Array given = init_value.array().aval().weak_type ? ops::convert_element_type(init_value.array(), x.dtype())
                                                          : init_value.array();
  const hlo::ComputationPtr body = reducer(computation, x.dtype());
  const Array initial = constant_if_neutral(given, *body);
  return ops::reduce_window({x}, std::span(&initial, 1), std::move(window), body)[0];
}

Dimensions reduce_window_shape_tuple(const Dimensions& operand_shape, const Dimensions& window_dimensions,
                                     const Dimensions& window_strides, const PaddingPairs& padding,
                                     const OptionalDimensions& base_dilation,
                                     const OptionalDimensions& window_dilation) {
  const size_t rank = operand_shape.size();
  if (window_dimensions.size() != rank || window_strides.size() != rank || padding.size() != rank)
    or_throw(invalid_argument(fmt::format("reduce_window_shape_tuple: wanted {} numbers per list", rank)));
  const auto dilated = [](int64_t size, const OptionalDimensions& by, size_t d) {
    return size == 0 ? 0 : (size - 1) * (by ? by->at(d) : 1) + 1;
  };
  Dimensions shape;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t padded = dilated(operand_shape[d], base_dilation, d) + padding[d].first + padding[d].second;
    const int64_t window = dilated(window_dimensions[d], window_dilation, d);
    shape.push_back(padded < window ? 0 : (padded - window) / window_strides[d] + 1);
  }
  return shape;
}

Array cumsum(const Operand& operand, const CumulativeOptions& options) {
  return cumulative(hlo::kExtCumsum, operand, options);
}
Array cumprod(const Operand& operand, const CumulativeOptions& options) {
  return cumulative(hlo::kExtCumprod, operand, options);
}
Array cummax(const Operand& operand, const CumulativeOptions& options) {
  return cumulative(hlo::kExtCummax, operand, options);
}
Array cummin(const Operand& operand, const CumulativeOptions& options) {
  return cumulative(hlo::kExtCummin, operand, options);
}
Array cumlogsumexp(const Operand& operand, const CumulativeOptions& options) {
  return cumulative(hlo::kExtCumlogsumexp, operand, options);
}

std::vector<Array> associative_scan(
    const std::function<std::vector<Array>(const std::vector<Array>&, const std::vector<Array>&)>& fn,
    const std::vector<Array>& elems, bool reverse, int64_t axis) {
  if (elems.empty()) return {};
  const int64_t at = checked_axis(elems[0], axis);
  for (const Array& x : elems) {
    if (checked_axis(x, axis) != at || x.shape(at) != elems[0].shape(at))
      or_throw(invalid_argument(fmt::format("associative_scan: arrays differ along axis {}: {} and {}", axis,
                                            elems[0].aval_shape().to_string(), x.aval_shape().to_string())));
  }
  const Combine f = [&](std::span<const Array> x, std::span<const Array> y) {
    std::vector<Array> both = fn({x.begin(), x.end()}, {y.begin(), y.end()});
    if (both.size() != elems.size())
      or_throw(invalid_argument(
          fmt::format("associative_scan: the function gave {} arrays, wanted {}", both.size(), elems.size())));
    return both;
  };
  return associative_scan(f, std::span<const Array>(elems), at, reverse);
}

Array associative_scan(const BinaryFunction& fn, const Operand& elems, bool reverse, int64_t axis) {
  const UserLocation here(elems.location());
  const auto lists = [&](const std::vector<Array>& x, const std::vector<Array>& y) {
    return std::vector<Array>{fn(x[0], y[0])};
  };
  return associative_scan(lists, std::vector<Array>{elems.array()}, reverse, axis)[0];
}

Array reduce_window(const Operand& operand, const Operand& init_value, const BinaryFunction& computation,
                    const ReduceWindowByName& o) {
  return reduce_window(operand, init_value, computation, Dimensions(o.window_dimensions),
                       ReduceWindowOptions{o.window_strides, o.padding, o.base_dilation, o.window_dilation});
}

}  // namespace hilo::lax
