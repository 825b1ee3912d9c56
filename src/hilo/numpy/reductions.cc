// SPDX-License-Identifier: Apache-2.0
// numpy/reductions.cc -- reductions, products of matrices, sorting.
#include <algorithm>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/lax/window.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

using hlo::Opcode;

/// Reduces and, if wanted, puts the reduced axes back with extent 1.
template <typename Reduce>
Array reduced(const Operand& x, const Axes& axes, bool keepdims, const Reduce& reduce) {
  const UserLocation here(x.location());
  const std::vector<int64_t> dims = normal_axes(x.array(), axes);
  const Array out = dims.empty() ? x.array() : reduce(x.array(), dims);
  if (!keepdims) return out;
  Shape kept(x.array().shape().begin(), x.array().shape().end());
  for (int64_t d : dims) kept[static_cast<size_t>(d)] = 1;
  return ops::reshape(out, kept);
}

int64_t reduced_count(const Array& x, const Axes& axes) {
  int64_t count = 1;
  for (int64_t d : normal_axes(x, axes)) count *= x.shape(d);
  return count;
}

/// pred and integers narrower than the default integer are summed in that, or in its unsigned twin.
Array summable(const Array& x) {
  if (x.dtype() == ElementType::kPred) return ops::convert_element_type(x, default_integer());
  if (!is_integer(x.dtype())) return x;
  const ElementType wide = is_signed_integer(x.dtype()) ? default_integer() : canonical_type(ElementType::kU64);
  return element_size_bytes(x.dtype()) < element_size_bytes(wide) ? ops::convert_element_type(x, wide) : x;
}

/// Refuses the extreme of nothing, which has no value.
void check_has_elements(const char* what, const Array& x, const std::vector<int64_t>& dims) {
  if (std::ranges::none_of(dims, [&](int64_t d) { return x.shape(d) == 0; })) return;
  or_throw(invalid_argument(at_user_line(what) + ": zero-size array to reduction operation " + what +
                            ", which has no identity; got " + x.aval_shape().to_string()));
}

/// Nonzero elements as true.
Operand truth(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  return Operand(a.dtype() == ElementType::kPred ? a : ops::ne(a, ops::full_like(a, 0)), x.location());
}

/// f16 and bf16 become f32, as in JAX: a sum may be large where a mean isn't, and so may the number of elements.
Array widened(const Array& x) {
  const bool is_half = x.dtype() == ElementType::kF16 || x.dtype() == ElementType::kBf16;
  return is_half ? ops::convert_element_type(x, ElementType::kF32) : x;
}

/// What came of widened() in the type it had; weak types stay.
Array narrowed(const Array& x, ElementType type) { return x.dtype() == type ? x : ops::convert_element_type(x, type); }

/// A sum or product: in f32 where the type is narrower.
template <typename Reduce>
Array reduced_widely(const Operand& x, const Axes& axes, bool keepdims, const Reduce& reduce) {
  const UserLocation here(x.location());
  const Array a = summable(x.array());
  return narrowed(reduced(Operand(widened(a), x.location()), axes, keepdims, reduce), a.dtype());
}

/// The mean of `a` in its own type.
Array mean_of(const Array& a, const Axes& axes, bool keepdims) {
  return sum(a, axes, keepdims) / static_cast<double>(reduced_count(a, axes));
}

/// A running reduction; without an axis, of the flattened array.
Array running(const Operand& x, std::optional<int64_t> axis, Array (*reduce)(const Operand&, int64_t, bool)) {
  const UserLocation here(x.location());
  const bool pred = x.array().dtype() == ElementType::kPred;  // jax.numpy keeps all other types here
  const Array summed = pred ? summable(x.array()) : x.array();
  const Array a = axis ? summed : ops::reshape(summed, std::vector<int64_t>{summed.size()});
  return reduce(Operand(a, x.location()), normal_axis(a, axis.value_or(0)), false);
}

/// The body of jax.lax.argmax: the greater value, or NaN; of equals the lower index.
hlo::ComputationPtr arg_body(ElementType type, hlo::ComparisonDirection better) {
  hlo::Builder b("argmax");
  const hilo::Shape value_shape = hilo::Shape::scalar(type);
  const hilo::Shape index_shape = hilo::Shape::scalar(default_integer());
  const auto v = b.parameter(value_shape, "a"), i = b.parameter(index_shape, "i"), w = b.parameter(value_shape, "b"),
             j = b.parameter(index_shape, "j");
  const auto compare = [&](hlo::ComparisonDirection direction, hlo::InstructionId x, hlo::InstructionId y) {
    auto attributes = std::make_shared<hlo::CompareAttributes>();
    attributes->direction = direction;
    return or_throw(b.add(Opcode::kCompare, {x, y}, attributes));
  };
  using enum hlo::ComparisonDirection;
  const auto keep = or_throw(b.add(Opcode::kOr, {compare(better, v, w), compare(kNe, v, v)}));
  const auto tie = or_throw(b.add(Opcode::kAnd, {compare(kEq, v, w), compare(kLt, i, j)}));
  const auto keep_index = or_throw(b.add(Opcode::kOr, {keep, tie}));
  const auto value = or_throw(b.add(Opcode::kSelect, {keep, v, w}));
  const auto index = or_throw(b.add(Opcode::kSelect, {keep_index, i, j}));
  const auto root = b.tuple({value, index});
  return or_throw(std::move(b).build(root));
}

Array arg_extreme(const Operand& x, int64_t axis, bool greatest) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  const int64_t at = normal_axis(a, axis);
  check_has_elements(greatest ? "argmax" : "argmin", a, {at});
  auto attributes = std::make_shared<hlo::ReduceAttributes>();
  attributes->dimensions = {at};
  attributes->to_apply = arg_body(a.dtype(), greatest ? hlo::ComparisonDirection::kGt : hlo::ComparisonDirection::kLt);
  const ElementType index = default_integer();
  const Array indices = ops::iota(a.aval_shape().with_element_type(index), at);
  const Array first = greatest ? ops::lowest(a.dtype()) : ops::highest(a.dtype());
  return bind({Opcode::kReduce, {a, indices, first, ops::scalar(0, index)}, attributes, std::nullopt})[1];
}

/// Ascending with NaN last, -0 equal to 0: JAX's comparator, `pairs` operands of which the first decides.
hlo::ComputationPtr sort_body(std::span<const ElementType> types) {
  hlo::Builder b("compare");
  std::vector<hlo::InstructionId> parameters;
  for (ElementType type : types) {
    parameters.push_back(b.parameter(hilo::Shape::scalar(type)));
    parameters.push_back(b.parameter(hilo::Shape::scalar(type)));
  }
  const auto compare = [&](hlo::InstructionId x, hlo::InstructionId y, hlo::ComparisonDirection d,
                           hlo::ComparisonType t) {
    auto attributes = std::make_shared<hlo::CompareAttributes>();
    attributes->direction = d;
    attributes->type = t;
    return or_throw(b.add(Opcode::kCompare, {x, y}, attributes));
  };
  using enum hlo::ComparisonDirection;
  hlo::InstructionId x = parameters[0], y = parameters[1];
  if (is_floating(types[0])) {
    // Zeros and NaNs are made one each, so that total order is JAX's order.
    const hilo::Shape scalar = hilo::Shape::scalar(types[0]);
    const auto zero = b.constant(filled(scalar, 0));
    const auto nan = b.constant(filled(scalar, std::numeric_limits<double>::quiet_NaN()));
    const auto canonical = [&](hlo::InstructionId v) {
      const auto without_zero =
          or_throw(b.add(Opcode::kSelect, {compare(v, zero, kEq, hlo::ComparisonType::kDefault), zero, v}));
      return or_throw(b.add(Opcode::kSelect, {compare(v, v, kNe, hlo::ComparisonType::kDefault), nan, without_zero}));
    };
    x = canonical(x);
    y = canonical(y);
  }
  const auto root =
      compare(x, y, kLt, is_floating(types[0]) ? hlo::ComparisonType::kTotalOrder : hlo::ComparisonType::kDefault);
  return or_throw(std::move(b).build(root));
}

std::vector<Array> sort_together(std::vector<Array> arrays, int64_t axis) {
  std::vector<ElementType> types;
  for (const Array& a : arrays) types.push_back(a.dtype());
  auto attributes = std::make_shared<hlo::SortAttributes>();
  attributes->dimensions = {axis};
  attributes->is_stable = true;
  attributes->to_apply = sort_body(types);
  return bind({Opcode::kSort, std::move(arrays), attributes, std::nullopt});
}

}  // namespace

Array sum(const Operand& x, const Axes& axes, bool keepdims) {
  return reduced_widely(x, axes, keepdims,
                        [](const Array& a, const std::vector<int64_t>& dims) { return ops::reduce_sum(a, dims); });
}
Array prod(const Operand& x, const Axes& axes, bool keepdims) {
  return reduced_widely(x, axes, keepdims, [](const Array& a, const std::vector<int64_t>& dims) {
    return ops::reduce(Opcode::kMultiply, a, ops::scalar(1, a.dtype()), dims);
  });
}
Array mean(const Operand& x, const Axes& axes, bool keepdims) {
  const UserLocation here(x.location());
  const Array a = promote_inexact(x.array());
  return narrowed(mean_of(widened(a), axes, keepdims), a.dtype());
}
Array var(const Operand& x, const Axes& axes, bool keepdims) {
  const UserLocation here(x.location());
  const Array a = promote_inexact(x.array()), wide = widened(a);
  const Array centered = wide - mean_of(wide, axes, true);
  return narrowed(mean_of(square(centered), axes, keepdims), a.dtype());
}
Array max(const Operand& x, const Axes& axes, bool keepdims) {
  return reduced(x, axes, keepdims, [](const Array& a, const std::vector<int64_t>& dims) {
    check_has_elements("max", a, dims);
    return ops::reduce_max(a, dims);
  });
}
Array min(const Operand& x, const Axes& axes, bool keepdims) {
  return reduced(x, axes, keepdims, [](const Array& a, const std::vector<int64_t>& dims) {
    check_has_elements("min", a, dims);
    return ops::reduce_min(a, dims);
  });
}
Array all(const Operand& x, const Axes& axes, bool keepdims) {
  return reduced(truth(x), axes, keepdims, [](const Array& a, const std::vector<int64_t>& dims) {
    return ops::reduce(Opcode::kAnd, a, ops::scalar(1, ElementType::kPred), dims);
  });
}
Array any(const Operand& x, const Axes& axes, bool keepdims) {
  return reduced(truth(x), axes, keepdims, [](const Array& a, const std::vector<int64_t>& dims) {
    return ops::reduce(Opcode::kOr, a, ops::scalar(0, ElementType::kPred), dims);
  });
}
Array cumsum(const Operand& x, std::optional<int64_t> axis) { return running(x, axis, lax::cumsum); }
Array cumprod(const Operand& x, std::optional<int64_t> axis) { return running(x, axis, lax::cumprod); }
Array argmax(const Operand& x, int64_t axis) { return arg_extreme(x, axis, true); }
Array argmin(const Operand& x, int64_t axis) { return arg_extreme(x, axis, false); }

Array matmul(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  Aval type = promote_types(x.array().aval(), y.array().aval());
  const ElementType t = type.shape.element_type();
  Array a = ops::convert_element_type(x.array(), t);
  Array b = ops::convert_element_type(y.array(), t);
  if (a.ndim() == 0 || b.ndim() == 0)
    or_throw(invalid_argument(at_user_line("matmul") + ": operands must not be scalars"));
  const int64_t batch = std::max(a.ndim(), b.ndim()) - 2;
  ops::DotDimensions d;
  d.lhs_contracting = {a.ndim() - 1};
  d.rhs_contracting = {std::max<int64_t>(b.ndim() - 2, 0)};
  if (a.ndim() > 2 && b.ndim() > 2) {
    const std::vector<int64_t> common = broadcast_shapes(a.shape().first(static_cast<size_t>(a.ndim() - 2)),
                                                         b.shape().first(static_cast<size_t>(b.ndim() - 2)));
    const auto spread = [&](const Array& m) {
      Shape dims(common);
      dims.insert(dims.end(), m.shape().end() - 2, m.shape().end());
      return spread_to(m, dims);
    };
    a = spread(a);
    b = spread(b);
    d.lhs_batch = d.rhs_batch = ops::all_dimensions(batch);
    d.lhs_contracting = {a.ndim() - 1};
    d.rhs_contracting = {b.ndim() - 2};
    return ops::dot_general(a, b, d);
  }
  const Array out = ops::dot_general(a, b, d);
  if (b.ndim() <= 2) return out;
  // A matrix times a stack: dot puts the left rows first, NumPy the stack.
  const int64_t rows = a.ndim() == 2 ? 1 : 0;
  std::vector<int64_t> order;
  for (int64_t i = 0; i < batch; ++i) order.push_back(rows + i);
  if (rows == 1) order.push_back(0);
  order.push_back(out.ndim() - 1);
  return ops::transpose(out, order);
}

Array dot(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  if (x.array().ndim() == 0 || y.array().ndim() == 0) return x.array() * y.array();
  const ElementType t = promote_types(x.array().aval(), y.array().aval()).shape.element_type();
  const Array a = ops::convert_element_type(x.array(), t);
  const Array b = ops::convert_element_type(y.array(), t);
  return ops::dot_general(a, b, {{a.ndim() - 1}, {std::max<int64_t>(b.ndim() - 2, 0)}, {}, {}});
}

Array sort(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  return sort_together({x.array()}, normal_axis(x.array(), axis))[0];
}

Array argsort(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  const int64_t at = normal_axis(x.array(), axis);
  return sort_together({x.array(), ops::iota(x.array().aval_shape().with_element_type(default_integer()), at)}, at)[1];
}

}  // namespace hilo::numpy
