// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/reductions.h"

#include <algorithm>
#include <limits>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/lax/reductions.h"
#include "hilo/lax/window.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo {
namespace numpy {
namespace {

using hlo::Opcode;

/// Reduces and, if requested, restores the reduced axes with extent 1.
template <typename Reduce>
Array reduced(const Array& x, const Axes& axes, bool keepdims, const Reduce& reduce) {
  const std::vector<int64_t> dims = normal_axes(x, axes);
  const Array out = dims.empty() ? x : reduce(x, dims);
  if (!keepdims) return out;
  Shape with_ones(x.shape());
  for (int64_t d : dims) with_ones[d] = 1;
  return ops::reshape(out, with_ones);
}

int64_t reduced_count(const Array& x, const Axes& axes) {
  int64_t count = 1;
  for (int64_t d : normal_axes(x, axes)) count *= x.shape(d);
  return count;
}

/// Converts pred and integers narrower than the default integer to the default integer or its unsigned counterpart.
Array summable(const Array& x) {
  if (x.dtype() == ElementType::kPred) return ops::convert_element_type(x, default_integer());
  if (!is_integer(x.dtype())) return x;
  const ElementType wide = is_signed_integer(x.dtype()) ? default_integer() : canonical_type(ElementType::kU64);
  return element_size_bytes(x.dtype()) < element_size_bytes(wide) ? ops::convert_element_type(x, wide) : x;
}

/// Rejects the extreme of no elements, which has no value.
void check_has_elements(const char* what, const Array& x, const std::vector<int64_t>& dims) {
  if (std::ranges::none_of(dims, [&](int64_t d) { return x.shape(d) == 0; })) return;
  or_throw(invalid_argument(at_user_line(what) + ": zero-size array to reduction operation " + what +
                            ", which has no identity; got " + x.aval_shape().to_string()));
}

/// Converts f16 and bf16 to f32, as in JAX: the sum or the number of elements may overflow where the mean does not.
Array widened(const Array& x) {
  const bool is_half = x.dtype() == ElementType::kF16 || x.dtype() == ElementType::kBf16;
  return is_half ? ops::convert_element_type(x, ElementType::kF32) : x;
}

/// Converts the result of a reduction to its public type. The result is never weakly typed, as in JAX.
Array narrowed(const Array& x, ElementType type) { return ops::convert_element_type(x, type); }

/// Replaces excluded elements by `neutral`.
Array chosen(const Array& x, const std::optional<Array>& where, const Array& neutral) {
  if (!where) return x;
  if (where->dtype() != ElementType::kPred)
    or_throw(invalid_argument(at_user_line("reduction") + ": where must be of type pred; got " +
                              where->aval_shape().to_string()));
  const std::vector<int64_t> shape = broadcast_shapes(x.shape(), where->shape());
  return with_weak_type(ops::select(spread_to(*where, shape), spread_to(x, shape), spread_to(neutral, shape)),
                        x.weak_type());
}

/// Computes a sum or product; in f32 for narrower types.
Array accumulated(const char* name, const Operand& x, const SumOptions& options, Opcode opcode, double neutral) {
  const UserLocation here(x.location());
  Array a = options.dtype ? ops::convert_element_type(x.array(), requested_type(name, *options.dtype)) : x.array();
  if (!options.dtype && (options.promote_integers || a.dtype() == ElementType::kPred)) a = summable(a);
  const Array wide = chosen(widened(a), options.where, ops::scalar(neutral, widened(a).dtype()));
  Array out = reduced(wide, options.axis, options.keepdims, [&](const Array& v, const std::vector<int64_t>& dims) {
    return opcode == Opcode::kAdd ? ops::reduce_sum(v, dims)
                                  : ops::reduce(opcode, v, ops::scalar(neutral, v.dtype()), dims);
  });
  if (options.initial) {
    const Array initial = spread_to(ops::convert_element_type(*options.initial, out.dtype()), out.shape());
    out = opcode == Opcode::kAdd ? ops::add(initial, out) : ops::mul(initial, out);
  }
  return narrowed(out, a.dtype());
}

/// Finds the extreme by real parts, ties by imaginary parts; NaN propagates.
Array complex_extreme(const Array& x, const std::vector<int64_t>& dims, bool greatest) {
  const auto reduce = [&](const Array& v) { return greatest ? ops::reduce_max(v, dims) : ops::reduce_min(v, dims); };
  const Array parts = ops::real(x), best = reduce(parts);
  Shape thin(x.shape());
  for (const int64_t d : dims) thin[d] = 1;
  const Array tied = ops::eq(parts, spread_to(ops::reshape(best, thin), x.shape()));
  const Array none = greatest ? ops::lowest(parts.dtype()) : ops::highest(parts.dtype());
  const Array imaginary = reduce(ops::select(tied, ops::imag(x), spread_to(none, x.shape())));
  return ops::complex(best, ops::select(isnan(best), best, imaginary));
}

/// Lexicographic order of complex numbers has no reduction op; other types use one op.
Array extreme(const char* name, const Operand& x, const MaxOptions& options, bool greatest) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (options.where && !options.initial)
    or_throw(invalid_argument(at_user_line(name) + ": reduction operation " + name +
                              " does not have an identity, so to use a where mask one has to specify 'initial'"));
  const bool pred = a.dtype() == ElementType::kPred;
  const auto end_of = [&](ElementType type) { return greatest ? ops::lowest(type) : ops::highest(type); };
  const ElementType part = real_type_of(a.dtype());
  const Array neutral = pred                    ? ops::scalar(greatest ? 0 : 1, ElementType::kPred)
                        : is_complex(a.dtype()) ? ops::complex(end_of(part), end_of(part))
                                                : end_of(a.dtype());
  Array out = reduced(chosen(a, options.where, neutral), options.axis, options.keepdims,
                      [&](const Array& v, const std::vector<int64_t>& dims) {
                        if (!options.initial) check_has_elements(name, v, dims);
                        if (is_complex(v.dtype())) return complex_extreme(v, dims, greatest);
                        if (pred) return ops::reduce(greatest ? Opcode::kOr : Opcode::kAnd, v, neutral, dims);
                        return greatest ? ops::reduce_max(v, dims) : ops::reduce_min(v, dims);
                      });
  if (options.initial) {
    const Array initial = spread_to(ops::convert_element_type(*options.initial, a.dtype()), out.shape());
    out = greatest ? maximum(initial, out) : minimum(initial, out);
  }
  return not_weak(out);
}

/// Returns the number of averaged elements, as a number or an array.
Array count_of(const Array& x, const Axes& axes, bool keepdims, const std::optional<Array>& where, ElementType type) {
  if (!where) return ops::scalar(static_cast<double>(reduced_count(x, axes)), type);
  const Array mask = ops::convert_element_type(broadcast_to(*where, Shape(x.shape())), type);
  return sum(mask, axes, keepdims);
}

Array mean_of(const Array& a, const Axes& axes, bool keepdims, const std::optional<Array>& where) {
  return sum(a, {.axis = axes, .keepdims = keepdims, .where = where}) /
         count_of(a, axes, keepdims, where, real_type_of(a.dtype()));
}

Array logical(const Operand& x, const AllOptions& options, Opcode opcode, double neutral) {
  const UserLocation here(x.location());
  const Array a = chosen(truth(x.array()), options.where, ops::scalar(neutral, ElementType::kPred));
  return not_weak(reduced(a, options.axis, options.keepdims, [&](const Array& v, const std::vector<int64_t>& dims) {
    return ops::reduce(opcode, v, ops::scalar(neutral, ElementType::kPred), dims);
  }));
}

/// Computes a cumulative reduction; without an axis, of the flattened array.
Array running(const char* name, const Operand& x, const CumulativeOptions& options,
              Array (*reduce)(const Operand&, const lax::CumulativeOptions&)) {
  const UserLocation here(x.location());
  Array summed = options.dtype ? ops::convert_element_type(x.array(), requested_type(name, *options.dtype)) : x.array();
  // jax.numpy leaves all other types unchanged here
  if (summed.dtype() == ElementType::kPred) summed = summable(summed);
  if (options.dtype && *options.dtype == ElementType::kPred) {
    CumulativeOptions numbers = options;
    numbers.dtype = std::nullopt;
    return truth(running(name, Operand(summed, x.location()), numbers, reduce));
  }
  const Array a = options.axis ? summed : ops::reshape(summed, std::vector<int64_t>{summed.size()});
  return not_weak(reduce(Operand(a, x.location()), {.axis = normal_axis(a, options.axis.value_or(0))}));
}

Array cumulative(const char* name, const Operand& x, const InitialOptions& options,
                 Array (*reduce)(const Operand&, const lax::CumulativeOptions&), double neutral) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (a.ndim() == 0)
    or_throw(invalid_argument(at_user_line(name) + ": the input must be non-scalar to take a cumulative " +
                              std::string(neutral == 0 ? "sum" : "product")));
  if (!options.axis && a.ndim() > 1)
    or_throw(invalid_argument(at_user_line(name) + ": axis must be set for arrays of several dimensions; got " +
                              a.aval_shape().to_string()));
  const int64_t at = normal_axis(a, options.axis.value_or(0));
  const bool truths = options.dtype && *options.dtype == ElementType::kPred;
  // Only sums of integers are computed in the default type, as in JAX.
  const bool widens = neutral == 0 || a.dtype() == ElementType::kPred;
  const Array typed = options.dtype ? ops::convert_element_type(a, requested_type(name, *options.dtype))
                      : widens      ? summable(a)
                                    : a;
  const Array sums = not_weak(reduce(truths ? summable(typed) : typed, {.axis = at}));
  const Array out = truths ? truth(sums) : sums;
  if (!options.include_initial) return out;
  Shape first(out.shape());
  first[at] = 1;
  return concatenate({full(first, neutral, out.dtype()), out}, at);
}

Array arg_extreme(const Operand& x, const ArgOptions& options, bool greatest) {
  const UserLocation here(x.location());
  if (!options.axis && x.array().ndim() != 1) {
    const Array flat = arg_extreme(Operand(ravel(x), x.location()), {.axis = 0}, greatest);
    return options.keepdims ? reshape(flat, Shape(std::vector<int64_t>(x.array().shape().size(), 1))) : flat;
  }
  const Array& a = x.array();
  const int64_t at = normal_axis(a, options.axis.value_or(0));
  check_has_elements(greatest ? "argmax" : "argmin", a, {at});
  const Array found = greatest ? lax::argmax(a, at, default_integer()) : lax::argmin(a, at, default_integer());
  return options.keepdims ? expand_dims(found, at) : found;
}

Array without_nan(const Array& x, double value) {
  return is_floating(x.dtype()) || is_complex(x.dtype()) ? ops::select(isnan(x), ops::full_like(x, value), x) : x;
}

Array nan_extreme(const Operand& a, const MaxOptions& options, bool greatest) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  if (!is_floating(x.dtype())) return greatest ? max(x, options) : min(x, options);
  const Array filled = without_nan(x, greatest ? -inf : inf);
  const Array out = greatest ? max(filled, options) : min(filled, options);
  if (options.initial) return out;
  const Array none_left = all(isnan(x), {.axis = options.axis, .keepdims = options.keepdims});
  return ops::select(none_left, ops::full_like(out, nan), out);
}

Array nan_arg(const Operand& a, const ArgOptions& options, bool greatest) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  if (!is_floating(x.dtype())) return arg_extreme(a, options, greatest);
  const Array found = arg_extreme(without_nan(x, greatest ? -inf : inf), options, greatest);
  const Array none_left = all(isnan(x), {.axis = Axes(options.axis), .keepdims = options.keepdims});
  return ops::select(none_left, ops::full_like(found, -1), found);
}

/// Returns which elements are not NaN and are included by `where`.
Array present(const Array& x, const std::optional<Array>& where) {
  const Array numbers = ops::bitwise_not(isnan(x));
  return where ? numbers & *where : numbers;
}

}  // namespace

Array sum(const Operand& a, const SumOptions& options) { return accumulated("sum", a, options, Opcode::kAdd, 0); }
Array prod(const Operand& a, const SumOptions& options) {
  return accumulated("prod", a, options, Opcode::kMultiply, 1);
}
Array mean(const Operand& a, const MeanOptions& options) {
  const UserLocation here(a.location());
  const Array x = options.dtype ? ops::convert_element_type(a.array(), requested_type("mean", *options.dtype))
                                : promote_inexact(a.array());
  return narrowed(mean_of(widened(promote_inexact(x)), options.axis, options.keepdims, options.where), x.dtype());
}
Array var(const Operand& a, const VarOptions& options) {
  const UserLocation here(a.location());
  const Array x = promote_inexact(a.array());
  const ElementType type = options.dtype ? requested_type("var", *options.dtype) : x.dtype();
  if (options.correction && options.ddof != 0)
    or_throw(invalid_argument(at_user_line("var") + ": ddof and correction are two names of one option; got both"));
  if (options.dtype && is_complex(x.dtype()) && !is_complex(type))
    or_throw(invalid_argument(at_user_line("var") + ": the type must be complex as the array is; got " +
                              std::string(element_type_name(type))));
  const Array wide = widened(options.dtype ? ops::convert_element_type(x, promote_types(x.dtype(), type)) : x);
  const Array apart = wide - (options.mean ? *options.mean : mean_of(wide, options.axis, true, options.where));
  // squares of excluded elements could overflow
  const Array centered = chosen(apart, options.where, ops::scalar(0, apart.dtype()));
  const Array squares = is_complex(wide.dtype()) ? real(centered * conj(centered)) : square(centered);
  const Array count = count_of(wide, options.axis, options.keepdims, options.where, squares.dtype());
  const Array total = sum(squares, {.axis = options.axis, .keepdims = options.keepdims, .where = options.where});
  const double less = options.correction ? *options.correction : options.ddof;
  const Array divisor = less == 0 ? count : count - less;
  const Array quotient = where(divisor > 0, total / where(divisor > 0, divisor, 1.0), nan);
  return narrowed(quotient, options.dtype ? type : real_type_of(type));
}
Array std(const Operand& a, const VarOptions& options) {
  const UserLocation here(a.location());
  return sqrt(var(a, options));
}
Array max(const Operand& a, const MaxOptions& options) { return extreme("max", a, options, true); }
Array min(const Operand& a, const MaxOptions& options) { return extreme("min", a, options, false); }
Array amax(const Operand& a, const MaxOptions& options) { return max(a, options); }
Array amin(const Operand& a, const MaxOptions& options) { return min(a, options); }
Array ptp(const Operand& a, const MaxOptions& options) {
  const UserLocation here(a.location());
  return max(a, options) - min(a, options);
}
std::pair<Array, Array> minmax(const Operand& a, const MinmaxOptions& options) {
  const UserLocation here(a.location());
  const std::vector<Array>& initial = options.initial;
  if (initial.size() > 2) {
    or_throw(invalid_argument(at_user_line("minmax") + ": initial: got " + std::to_string(initial.size()) +
                              " values, wanted one or two"));
  }
  MaxOptions one{.axis = options.axis, .keepdims = options.keepdims, .where = options.where};
  if (!initial.empty()) one.initial = initial.front();
  const Array low = extreme("minmax", a, one, false);
  if (!initial.empty()) one.initial = initial.back();
  return {low, extreme("minmax", a, one, true)};
}
Array all(const Operand& a, const AllOptions& options) { return logical(a, options, Opcode::kAnd, 1); }
Array any(const Operand& a, const AllOptions& options) { return logical(a, options, Opcode::kOr, 0); }
Array count_nonzero(const Operand& a, const AllOptions& options) {
  const UserLocation here(a.location());
  return sum(truth(a.array()), {.axis = options.axis, .keepdims = options.keepdims, .where = options.where});
}

Array nansum(const Operand& a, const SumOptions& options) {
  const UserLocation here(a.location());
  return sum(without_nan(a, 0), options);
}
Array nanprod(const Operand& a, const SumOptions& options) {
  const UserLocation here(a.location());
  return prod(without_nan(a, 1), options);
}
Array nanmean(const Operand& a, const MeanOptions& options) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  if (!is_floating(x.dtype()) && !is_complex(x.dtype())) return mean(a, options);
  MeanOptions numbers = options;
  numbers.where = present(x, options.where);
  return mean(without_nan(x, 0), numbers);
}
Array nanvar(const Operand& a, const VarOptions& options) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  if (!is_floating(x.dtype()) && !is_complex(x.dtype())) return var(a, options);
  VarOptions numbers = options;
  numbers.where = present(x, options.where);
  const Array count = count_of(x, options.axis, options.keepdims, numbers.where, default_float());
  const Array out = var(without_nan(x, 0), numbers);
  return where(count > (options.correction ? *options.correction : options.ddof), out, nan);
}
Array nanstd(const Operand& a, const VarOptions& options) {
  const UserLocation here(a.location());
  return sqrt(nanvar(a, options));
}
Array nanmax(const Operand& a, const MaxOptions& options) { return nan_extreme(a, options, true); }
Array nanmin(const Operand& a, const MaxOptions& options) { return nan_extreme(a, options, false); }

Array argmax(const Operand& a, const ArgOptions& options) { return arg_extreme(a, options, true); }
Array argmin(const Operand& a, const ArgOptions& options) { return arg_extreme(a, options, false); }
Array nanargmax(const Operand& a, const ArgOptions& options) { return nan_arg(a, options, true); }
Array nanargmin(const Operand& a, const ArgOptions& options) { return nan_arg(a, options, false); }

Array cumsum(const Operand& a, const CumulativeOptions& options) { return running("cumsum", a, options, lax::cumsum); }
Array cumprod(const Operand& a, const CumulativeOptions& options) {
  return running("cumprod", a, options, lax::cumprod);
}
Array nancumsum(const Operand& a, const CumulativeOptions& options) {
  const UserLocation here(a.location());
  return cumsum(without_nan(a, 0), options);
}
Array nancumprod(const Operand& a, const CumulativeOptions& options) {
  const UserLocation here(a.location());
  return cumprod(without_nan(a, 1), options);
}
Array cumulative_sum(const Operand& x, const InitialOptions& options) {
  return cumulative("cumulative_sum", x, options, lax::cumsum, 0);
}
Array cumulative_prod(const Operand& x, const InitialOptions& options) {
  return cumulative("cumulative_prod", x, options, lax::cumprod, 1);
}

}  // namespace numpy

}  // namespace hilo
