// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/dtypes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hilo/numpy/axes.h"
#include "hilo/numpy/manipulation.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/types/narrow_float.h"

namespace hilo {

namespace numpy {
namespace {

[[noreturn]] void refuse_type(const char* function, const char* expected, ElementType type) {
  throw Error(invalid_argument(at_user_line(function) + ": wanted " + expected + "; got " +
                               std::string(element_type_name(type))));
}

/// The layout of a float type's bits, and its greatest number.
struct FloatFormat {
  ElementType type;
  int exponent, mantissa, bias;
  double max;
};
/// Returns nullopt for types that are not floating, and for f8e8m0fnu, whose values have no sign and no zero.
std::optional<FloatFormat> format_of(ElementType type) {
  using enum ElementType;
  static constexpr FloatFormat kWide[] = {
      {kF64, 11, 52, 1023, 1.7976931348623157e308},
      {kF32, 8, 23, 127, 3.4028234663852886e38},
      {kF16, 5, 10, 15, 65504},
      {kBf16, 8, 7, 127, 3.3895313892515355e38},
  };
  if (const auto* found = std::ranges::find(kWide, type, &FloatFormat::type); found != std::end(kWide)) return *found;
  if (!is_narrow_float(type)) return std::nullopt;
  const NarrowFormat f = narrow_format(type);
  if (f.specials == Specials::kUnsigned) return std::nullopt;
  return FloatFormat{type, f.exponent_bits, f.mantissa_bits, f.bias, narrow_largest(f)};
}

bool is_kind(ElementType type, TypeKind kind) {
  const bool number = is_integer(type) || is_floating(type) || is_complex(type);
  switch (kind) {
    case TypeKind::kGeneric: return true;
    case TypeKind::kNumber: return number;
    case TypeKind::kInteger: return is_integer(type);
    case TypeKind::kSignedInteger: return is_signed_integer(type);
    case TypeKind::kUnsignedInteger: return is_unsigned_integer(type);
    case TypeKind::kInexact: return is_floating(type) || is_complex(type);
    case TypeKind::kFloating: return is_floating(type);
    case TypeKind::kComplexFloating: return is_complex(type);
    case TypeKind::kBool: return type == ElementType::kPred;
  }
  return false;
}

/// The order in which casting "same_kind" may go up: pred < unsigned < signed < float < complex.
int rank_of(ElementType type) {
  if (type == ElementType::kPred) return 0;
  if (is_unsigned_integer(type)) return 1;
  if (is_signed_integer(type)) return 2;
  return is_floating(type) ? 3 : 4;
}

/// Returns the number of mantissa bits that a float needs to hold every value of the type.
int digits_of(ElementType type) {
  if (type == ElementType::kPred) return 1;
  if (is_integer(type)) return element_type_info(type).bits - (is_signed_integer(type) ? 1 : 0);
  const std::optional<FloatFormat> f = format_of(real_type_of(type));
  return f ? f->mantissa + 1 : 1;
}

/// NumPy's rule: a float type safely holds integers of half its width; f64 holds all integers.
bool keeps_values(ElementType from, ElementType to) {
  if (from == to || from == ElementType::kPred) return true;
  if (to == ElementType::kPred || rank_of(from) > rank_of(to)) return false;
  const int bits_from = element_type_info(from).bits, bits_to = element_type_info(to).bits;
  if (is_integer(from)) {
    if (is_integer(to)) return rank_of(from) == rank_of(to) ? bits_to >= bits_from : bits_to > bits_from;
    return real_type_of(to) == ElementType::kF64 || digits_of(from) <= digits_of(to);
  }
  const ElementType a = real_type_of(from), b = real_type_of(to);
  if (a == b) return true;
  const std::optional<FloatFormat> f = format_of(a), g = format_of(b);
  return f && g && f->exponent <= g->exponent && f->mantissa <= g->mantissa &&
         element_type_info(a).bits < element_type_info(b).bits;
}

}  // namespace

FloatInfo finfo(ElementType dtype, Line line) {
  const UserLocation here(line);
  const std::optional<FloatFormat> f = format_of(real_type_of(dtype));
  if (!f || is_integer(dtype) || dtype == ElementType::kPred) refuse_type("finfo", "a float type", dtype);
  FloatInfo info{};
  info.dtype = f->type;
  info.bits = element_type_info(f->type).bits;
  info.nmant = f->mantissa;
  info.nexp = f->exponent;
  info.minexp = 1 - f->bias;
  info.maxexp = std::ilogb(f->max) + 1;
  info.eps = std::ldexp(1.0, -f->mantissa);
  info.epsneg = std::ldexp(1.0, -f->mantissa - 1);
  info.max = f->max;
  info.min = -f->max;
  info.tiny = info.smallest_normal = std::ldexp(1.0, 1 - f->bias);
  info.smallest_subnormal = std::ldexp(1.0, 1 - f->bias - f->mantissa);
  info.precision = static_cast<int>(std::floor(f->mantissa * std::log10(2.0)));
  info.resolution = std::pow(10.0, -info.precision);
  return info;
}
FloatInfo finfo(const Operand& x) { return finfo(x.array().dtype(), x.location()); }

IntegerInfo iinfo(ElementType dtype, Line line) {
  const UserLocation here(line);
  if (!is_integer(dtype)) refuse_type("iinfo", "an integer type", dtype);
  const int bits = element_type_info(dtype).bits;
  if (is_unsigned_integer(dtype)) return {dtype, bits, 0, bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1};
  const uint64_t max = (uint64_t{1} << (bits - 1)) - 1;
  return {dtype, bits, -static_cast<int64_t>(max) - 1, max};
}
IntegerInfo iinfo(const Operand& x) { return iinfo(x.array().dtype(), x.location()); }

ElementType promote_types(ElementType a, ElementType b) {
  return promote_types(Aval{hilo::Shape::scalar(a), false}, Aval{hilo::Shape::scalar(b), false}).shape.element_type();
}

ElementType result_type_of(std::span<const TypeArgument> arguments) {
  Aval type = arguments[0].aval();
  for (const TypeArgument& a : arguments) type = promote_types(type, a.aval());
  return canonical_type(type.shape.element_type());
}

bool can_cast(ElementType from, ElementType to, std::string_view casting) {
  if (casting == "unsafe") return true;
  if (casting == "no" || casting == "equiv") return from == to;
  if (casting == "safe") return keeps_values(from, to);
  if (casting == "same_kind")
    return keeps_values(from, to) || (to != ElementType::kPred && rank_of(from) <= rank_of(to));
  throw Error(invalid_argument(at_user_line("can_cast") + ": got \"" + std::string(casting) +
                               "\"; wanted no, equiv, safe, same_kind or unsafe"));
}

bool issubdtype(ElementType arg1, TypeKind arg2) { return is_kind(arg1, arg2); }
bool issubdtype(ElementType arg1, ElementType arg2) { return arg1 == arg2; }

bool isdtype(ElementType dtype, std::string_view kind, Line line) {
  if (kind == "bool") return is_kind(dtype, TypeKind::kBool);
  if (kind == "signed integer") return is_kind(dtype, TypeKind::kSignedInteger);
  if (kind == "unsigned integer") return is_kind(dtype, TypeKind::kUnsignedInteger);
  if (kind == "integral") return is_kind(dtype, TypeKind::kInteger);
  if (kind == "real floating") return is_kind(dtype, TypeKind::kFloating);
  if (kind == "complex floating") return is_kind(dtype, TypeKind::kComplexFloating);
  if (kind == "numeric") return is_kind(dtype, TypeKind::kNumber);
  const UserLocation here(line);
  throw Error(invalid_argument(at_user_line("isdtype") + ": unrecognized kind \"" + std::string(kind) + "\""));
}
bool isdtype(ElementType dtype, ElementType kind) { return dtype == kind; }

Array astype(const Operand& x, ElementType dtype) {
  const UserLocation here(x.location());
  const ElementType type = requested_type("astype", dtype);
  // A conversion to pred tests whether the number is 0.
  if (type == ElementType::kPred && x.array().dtype() != type) return ops::ne(x.array(), ops::full_like(x.array(), 0));
  if (is_complex(x.array().dtype()) && !is_complex(type)) return ops::convert_element_type(ops::real(x.array()), type);
  return ops::convert_element_type(x.array(), type);
}

Array view(const Operand& x, ElementType dtype) {
  const UserLocation here(x.location());
  const ElementType type = requested_type("view", dtype);
  const Array& a = x.array();
  if (type == a.dtype()) return a;
  const auto bits = [](ElementType t) { return t == ElementType::kPred ? 8 : element_type_info(t).bits; };
  if (a.dtype() == ElementType::kPred) return view(ops::convert_element_type(a, ElementType::kU8), type);
  if (type == ElementType::kPred) {
    const Array bytes = view(a, ElementType::kU8);
    return ops::ne(bytes, ops::full_like(bytes, 0));
  }
  const int from = bits(a.dtype()), to = bits(type);
  if (is_complex(a.dtype())) {  // real and imaginary part, next to each other
    Shape pairs(a.shape());
    if (pairs.empty()) or_throw(invalid_argument(at_user_line("view") + ": a scalar can't change its width"));
    pairs.back() *= 2;
    const Array parts = ops::reshape(stack({ops::real(a), ops::imag(a)}, -1), pairs);
    return view(parts, type);
  }
  if (is_complex(type)) {
    const Array parts = view(a, real_type_of(type));
    Shape split(parts.shape());
    if (split.empty() || split.back() % 2 != 0)
      or_throw(invalid_argument(at_user_line("view") + ": the last axis of " + a.aval_shape().to_string() +
                                " can't be divided into elements of " + std::string(element_type_name(type))));
    return ops::complex(slice(parts, 0, split.back(), 2, -1), slice(parts, 1, split.back(), 2, -1));
  }
  Shape dims(a.shape());
  if (from == to) return bind_one(hlo::Opcode::kBitcastConvert, {a}, nullptr, hilo::Shape::array(type, dims));
  if (dims.empty()) or_throw(invalid_argument(at_user_line("view") + ": a scalar can't change its width"));
  if (from > to) {
    Shape wide = dims;
    wide.push_back(from / to);
    dims.back() *= from / to;
    return ops::reshape(bind_one(hlo::Opcode::kBitcastConvert, {a}, nullptr, hilo::Shape::array(type, wide)), dims);
  }
  if (dims.back() % (to / from) != 0) {
    or_throw(invalid_argument(at_user_line("view") + ": the last axis of " + a.aval_shape().to_string() +
                              " can't be divided into elements of " + std::string(element_type_name(type))));
  }
  Shape split = dims;
  split.back() /= to / from;
  dims = split;
  split.push_back(to / from);
  return bind_one(hlo::Opcode::kBitcastConvert, {ops::reshape(a, split)}, nullptr, hilo::Shape::array(type, dims));
}

Array byteswap(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (itemsize(x) == 1) return a;
  if (is_complex(a.dtype())) return ops::complex(byteswap(ops::real(a)), byteswap(ops::imag(a)));
  const Array bytes = view(expand_dims(a, -1), ElementType::kU8);
  return squeeze(view(flip(bytes, -1), a.dtype()), -1);
}

int64_t size(const Operand& x, const Axes& axis) {
  const UserLocation here(x.location());
  int64_t count = 1;
  for (int64_t d : normal_axes(x.array(), axis)) count *= x.array().shape(d);
  return count;
}

Array OneOrMore::operator[](const Indexer& i) const {
  if (size() == 1) return front()[i];
  const UserLocation here(i.location());
  const int64_t count = std::ssize(*this);
  if (i.kind() != Indexer::Kind::kInteger || i.integer() < -count || i.integer() >= count)
    throw Error(out_of_range(
        fmt::format("{}: a list of {} arrays is indexed by a number below {}", at_user_line("[]"), count, count)));
  return begin()[i.integer() + (i.integer() < 0 ? count : 0)];
}

void detail::refuse_count(const char* function, size_t got, size_t expected) {
  throw Error(invalid_argument(fmt::format("{}: got {} arrays; wanted {}", at_user_line(function), got, expected)));
}

}  // namespace numpy
}  // namespace hilo
