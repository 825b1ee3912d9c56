// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/promotion.h"

#include <algorithm>

#include "hilo/base/log.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/settings.h"

namespace hilo::numpy {
namespace {

using enum ElementType;

/// Whether a type is one of the three weak kinds of the lattice.
bool is_weak_number(const Aval& a) { return a.weak_type && a.shape.element_type() != kPred; }

/// Orders kinds: pred < integer < floating < complex.
int kind_of(ElementType type) {
  if (type == kPred) return 0;
  if (is_integer(type)) return 1;
  return is_floating(type) ? 2 : 3;
}

ElementType wider_integer(ElementType a, ElementType b) {
  if (is_signed_integer(a) == is_signed_integer(b)) return element_size_bytes(a) >= element_size_bytes(b) ? a : b;
  const ElementType s = is_signed_integer(a) ? a : b;
  const ElementType u = is_signed_integer(a) ? b : a;
  if (element_size_bytes(s) > element_size_bytes(u)) return s;
  switch (element_size_bytes(u)) {
    case 1: return kS16;
    case 2: return kS32;
    case 4: return canonical_type(kS64);
  }
  return canonical_type(kF64);  // u64 with a signed type: the weak float, in its canonical width
}

ElementType wider_float(ElementType a, ElementType b) {
  if (a == b) return a;
  if (element_size_bytes(a) == element_size_bytes(b)) return kF32;  // f16 with bf16
  return element_size_bytes(a) > element_size_bytes(b) ? a : b;
}

ElementType strong_join(ElementType a, ElementType b) {
  if (kind_of(a) < kind_of(b)) std::swap(a, b);
  if (a == b || kind_of(b) == 0) return a;
  if (kind_of(a) == 1) return wider_integer(a, b);
  if (kind_of(a) == 2) return kind_of(b) == 1 ? a : wider_float(a, b);
  return real_type_of(b) == kF64 || a == kC128 ? kC128 : kC64;
}

/// Joins a strong and a weak type. The result is the strong type if its kind is at least the weak one's, else the
/// default type of the weak kind. A weak complex type with a float has the width of the float.
ElementType weak_join(ElementType strong, ElementType weak) {
  if (kind_of(strong) >= kind_of(weak)) return strong;
  if (kind_of(weak) < 3) return default_of_kind(weak);
  return strong == kF64 || (kind_of(strong) < 2 && default_float() == kF64) ? kC128 : kC64;
}

}  // namespace

Aval promote_types(const Aval& a, const Aval& b) {
  const ElementType x = a.shape.element_type();
  const ElementType y = b.shape.element_type();
  if (is_weak_number(a) == is_weak_number(b)) return {hilo::Shape::scalar(strong_join(x, y)), is_weak_number(a)};
  const ElementType strong = is_weak_number(a) ? y : x;
  const ElementType weak = is_weak_number(a) ? x : y;
  // A weak type of a higher kind than the strong type stays weak, as in JAX: int32 array * 2.0 is weakly f32.
  // Exception: a float and a weak complex number give a strong complex type.
  constexpr int kFloat = 2;
  return {hilo::Shape::scalar(weak_join(strong, weak)), kind_of(weak) > kind_of(strong) && kind_of(strong) < kFloat};
}

Aval promote_types(std::span<const Array> operands) {
  Aval type = operands[0].aval();
  for (const Array& x : operands.subspan(1)) type = promote_types(type, x.aval());
  return {type.shape, is_weak_number(type)};
}

Array truth(const Array& x) { return x.dtype() == kPred ? x : ops::ne(x, ops::full_like(x, 0)); }

Array not_weak(const Array& x) { return with_weak_type(x, false); }
Array weak_number(const Array& x, bool weak) { return with_weak_type(x, weak && x.ndim() == 0); }

ElementType default_of_kind(ElementType type) {
  if (is_unsigned_integer(type)) return canonical_type(kU64);
  if (is_integer(type)) return default_integer();
  if (is_floating(type)) return default_float();
  if (is_complex(type)) return default_float() == kF64 ? kC128 : kC64;
  return type;
}

ElementType type_or(std::string_view function, const std::optional<ElementType>& type, ElementType otherwise) {
  return type ? requested_type(function, *type) : otherwise;
}

std::vector<int64_t> broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b) {
  const size_t rank = std::max(a.size(), b.size());
  std::vector<int64_t> out(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      or_throw(invalid_argument(at_user_line("broadcast") + ": incompatible shapes " + dimensions_to_string(a) +
                                " and " + dimensions_to_string(b)));
    }
    out[rank - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

std::vector<int64_t> with_rank(std::span<const int64_t> sizes, size_t rank) {
  std::vector<int64_t> out(rank - std::min(rank, sizes.size()), 1);
  out.insert(out.end(), sizes.begin(), sizes.end());
  return out;
}

Array spread_to(const Array& x, std::span<const int64_t> shape) {
  if (std::ranges::equal(x.shape(), shape)) return x;
  if (broadcast_shapes(x.shape(), shape) != std::vector<int64_t>(shape.begin(), shape.end())) {
    or_throw(invalid_argument(at_user_line("broadcast_to") + ": " + x.aval_shape().to_string() + " can't become " +
                              dimensions_to_string(shape)));
  }
  // Axes of extent 1 that grow are dropped first: a broadcast op keeps the extents that it maps.
  const int64_t offset = std::ssize(shape) - x.ndim();
  std::vector<int64_t> kept_extents, dimensions;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (x.shape(d) == 1 && shape[d + offset] != 1) continue;
    kept_extents.push_back(x.shape(d));
    dimensions.push_back(d + offset);
  }
  return ops::broadcast_in_dim(ops::reshape(x, kept_extents), hilo::Shape::array(x.dtype(), shape), dimensions);
}

namespace {

/// Whether both already have one shape, one type and the same weakness, which is the common case.
bool are_alike(const Array& x, const Array& y) {
  return x.aval_shape() == y.aval_shape() && x.weak_type() == y.weak_type() && !(x.weak_type() && x.dtype() == kPred);
}

/// Rejects a C++ integer that s32 can't hold if it meets an array, as in JAX: it needs an explicit type.
void check_fits(const Array& x) {
  if (x.weak_type() && x.dtype() == kS64 && canonical_type(kS64) != kS64 && is_concrete(x)) (void)x.to_literal();
}

/// Applies numpy_rank_promotion to two arrays of different ranks, neither of them a scalar.
void check_ranks(const Array& x, const Array& y) {
  const std::string& what = word_of(WordSetting::kRankPromotion);
  if (what.empty() || what == "allow" || x.ndim() == y.ndim() || x.ndim() == 0 || y.ndim() == 0) return;
  const std::string text = at_user_line("numpy") + ": Operands could not be broadcast together on shapes " +
                           dimensions_to_string(x.shape()) + " and " + dimensions_to_string(y.shape()) +
                           " and with numpy_rank_promotion(\"" + what + "\"). Hint: reshape the array of fewer axes";
  if (what == "raise") or_throw(invalid_argument(text));
  log_warning("{}", text);
}

std::pair<Array, Array> meet(const Array& x, const Array& y, const Aval& type) {
  check_ranks(x, y);
  const std::vector<int64_t> shape = broadcast_shapes(x.shape(), y.shape());
  const auto prepare = [&](const Array& a) {
    const ElementType common = type.shape.element_type();
    check_fits(a);
    const Array converted = a.dtype() == common ? a : ops::convert_element_type(a, common);
    return with_weak_type(spread_to(converted, shape), type.weak_type);
  };
  return {prepare(x), prepare(y)};
}

Aval at_least_floating(const Aval& type) {
  if (kind_of(type.shape.element_type()) >= 2) return type;
  // Among integers, only 64-bit ones become f64, as in JAX.
  const bool wide = element_size_bytes(type.shape.element_type()) == 8;
  return {hilo::Shape::scalar(wide ? kF64 : kF32), type.weak_type};
}

}  // namespace

std::pair<Array, Array> promote(const Array& x, const Array& y) {
  if (are_alike(x, y)) return {x, y};
  return meet(x, y, promote_types(x.aval(), y.aval()));
}

std::pair<Array, Array> promote_inexact(const Array& x, const Array& y) {
  if (are_alike(x, y) && kind_of(x.dtype()) >= 2) return {x, y};
  return meet(x, y, at_least_floating(promote_types(x.aval(), y.aval())));
}

Aval promote_types_inexact(std::span<const Array> operands) { return at_least_floating(promote_types(operands)); }

std::vector<Array> promote_inexact(std::vector<Array> operands) {
  // All types are joined before the result becomes floating: s8, f32 and a weak integer give f32; s8 and a weak float
  // give f64 with x64.
  const Aval type = promote_types_inexact(operands);
  std::vector<int64_t> shape;
  for (const Array& x : operands) shape = broadcast_shapes(shape, x.shape());
  for (Array& x : operands) {
    check_fits(x);
    x = with_weak_type(spread_to(ops::convert_element_type(x, type.shape.element_type()), shape), type.weak_type);
  }
  return operands;
}

Array promote_inexact(const Array& x) {
  check_fits(x);
  const Aval type = at_least_floating({hilo::Shape::scalar(x.dtype()), is_weak_number(x.aval())});
  return x.dtype() == type.shape.element_type()
             ? x
             : with_weak_type(ops::convert_element_type(x, type.shape.element_type()), type.weak_type);
}

}  // namespace hilo::numpy
