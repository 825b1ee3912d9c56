// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/array_like.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hilo/base/sizes.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

using Kind = ArrayLike::Kind;

/// The numbers of nested lists in row-major order, and the lengths of the lists.
struct Flattened {
  std::vector<const ArrayLike*> leaves;
  std::vector<int64_t> shape;
  bool has_arrays = false;
};

/// Returns the length of the first list at each depth.
std::vector<int64_t> lengths_of(const ArrayLike& object) {
  std::vector<int64_t> shape;
  const ArrayLike* at = &object;
  while (at->kind() == Kind::kList) {
    shape.push_back(at->list().size());
    if (at->list().empty()) break;
    at = &at->list().front();
  }
  return shape;
}

void gather_leaves(const ArrayLike& object, size_t depth, Flattened& flat) {
  const bool is_list = object.kind() == Kind::kList;
  if (is_list != (depth < flat.shape.size()) || (is_list && std::ssize(object.list()) != flat.shape[depth])) {
    or_throw(invalid_argument(at_user_line("array") + ": lists at one depth have different lengths; wanted " +
                              dimensions_to_string(flat.shape) + " throughout"));
  }
  if (!is_list) {
    flat.leaves.push_back(&object);
    flat.has_arrays |= object.kind() == Kind::kArray;
    return;
  }
  for (const ArrayLike& element : object.list()) gather_leaves(element, depth + 1, flat);
}

/// Returns the type of the greatest kind: bool < integer < float < complex.
ElementType type_of(const Flattened& flat) {
  Kind kind = Kind::kBool;
  for (const ArrayLike* leaf : flat.leaves) kind = std::max(kind, leaf->kind());
  if (flat.leaves.empty()) return default_float();
  constexpr ElementType kTypes[] = {ElementType::kPred, ElementType::kS64, ElementType::kF64, ElementType::kC128};
  return canonical_type(kTypes[ordinal(kind)]);
}

[[noreturn]] void refuse_integer(int64_t value, ElementType type) {
  throw Error(out_of_range(at_user_line("array") + ": the integer " + std::to_string(value) + " does not fit " +
                           std::string(element_type_name(type)) + ". Hint: set jax_enable_x64, or pass a type"));
}

/// Converts integers to any type without going through floats, which would round them.
Array from_integers(const Flattened& flat, ElementType type) {
  const auto fits = [&](int64_t value) {
    const int bits = element_type_info(type).bits;
    if (is_unsigned_integer(type)) return value >= 0 && (bits >= 63 || value < int64_t{1} << bits);
    return bits == 64 || (value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1));
  };
  std::vector<int64_t> values;
  for (const ArrayLike* leaf : flat.leaves) {
    values.push_back(leaf->integer());
    if (!fits(values.back())) refuse_integer(values.back(), type);
  }
  return ops::convert_element_type(Array::from_vector(values, flat.shape), type);
}

template <typename T>
Array from_numbers(const Flattened& flat) {
  std::vector<T> values;
  for (const ArrayLike* leaf : flat.leaves) {
    const std::complex<double> value = leaf->number();
    if constexpr (std::is_floating_point_v<T>) values.push_back(static_cast<T>(value.real()));
    else values.push_back(T(value));
  }
  return Array::from_vector(values, flat.shape);
}

Array from_flat(const Flattened& flat, ElementType type, ElementType own) {
  if ((own == ElementType::kPred || is_integer(own)) && is_integer(type)) return from_integers(flat, type);
  if (type == ElementType::kF32) return from_numbers<float>(flat);
  if (is_complex(own) && !is_complex(type)) {
    or_throw(invalid_argument(at_user_line("array") + ": complex numbers can't become " +
                              std::string(element_type_name(type))));
  }
  const Array wide = is_complex(type) ? from_numbers<std::complex<double>>(flat) : from_numbers<double>(flat);
  return ops::convert_element_type(wide, type);
}

Array array_of_leaf(const ArrayLike& leaf) {
  switch (leaf.kind()) {
    case Kind::kBool: return Array(leaf.integer() != 0);
    case Kind::kInteger: return Array(leaf.integer());
    case Kind::kFloat: return Array(leaf.number().real());
    case Kind::kComplex: return Array(leaf.number());
    default: return leaf.array();
  }
}

/// Stacks a list that contains Arrays, depth by depth.
Array stacked(const ArrayLike& object) {
  if (object.kind() != Kind::kList) return array_of_leaf(object);
  std::vector<Array> elements;
  for (const ArrayLike& element : object.list()) elements.push_back(stacked(element));
  if (elements.empty()) return ops::full(hilo::Shape::array(default_float(), {0}), 0);
  Aval type = elements[0].aval();
  for (const Array& e : elements) {
    type = promote_types(type, e.aval());
    if (std::ranges::equal(e.shape(), elements[0].shape())) continue;
    or_throw(invalid_argument(at_user_line("array") + ": all elements must have one shape; got " +
                              elements[0].aval_shape().to_string() + " and " + e.aval_shape().to_string()));
  }
  std::vector<int64_t> shape(elements[0].shape().begin(), elements[0].shape().end());
  shape.insert(shape.begin(), 1);
  for (Array& e : elements) {
    e = with_weak_type(ops::reshape(ops::convert_element_type(e, type.shape.element_type()), shape), type.weak_type);
  }
  return ops::concatenate(elements, 0);
}

Array create(std::string_view function, const ArrayLike& object, const Dtype& dtype) {
  Flattened flat;
  flat.shape = lengths_of(object);
  const bool is_array = object.kind() == Kind::kArray;
  if (!is_array) {
    gather_leaves(object, 0, flat);
    if (!flat.has_arrays) {
      const ElementType own = type_of(flat);
      return from_flat(flat, type_or(function, dtype, own), own);
    }
  }
  const Array array = is_array ? object.array() : stacked(object);
  return ops::convert_element_type(array, dtype ? requested_type(function, *dtype) : canonical_type(array.dtype()));
}

}  // namespace

ArrayLike::ArrayLike(Kind kind, int64_t integer, std::complex<double> number)
    : kind_(kind), integer_(integer), number_(number) {}
ArrayLike::ArrayLike(const Array& array) : kind_(Kind::kArray), integer_(0), array_(array) {}
ArrayLike::ArrayLike(std::initializer_list<ArrayLike> elements) : kind_(Kind::kList), integer_(0), list_(elements) {}
ArrayLike::ArrayLike(const ArrayLike& other) = default;
ArrayLike& ArrayLike::operator=(const ArrayLike& other) = default;
ArrayLike::~ArrayLike() = default;

void ArrayLike::append(const ArrayLike& element) { list_.push_back(element); }

Array ArrayLike::of_flags(const std::vector<bool>& values) {
  const auto bytes = std::make_unique<bool[]>(values.size());
  std::ranges::copy(values, bytes.get());
  return Array::from_values(std::span<const bool>(bytes.get(), values.size()),
                            std::vector<int64_t>{std::ssize(values)});
}

Array array(const ArrayLike& object, const ArrayOptions& options, Line line) {
  const UserLocation here(line);
  const bool keeps_its_type = object.kind() != Kind::kList && !options.dtype;
  const Array base = keeps_its_type ? asarray(object, {}, line) : create("array", object, options.dtype);
  if (base.ndim() >= options.ndmin) return base;
  return ops::reshape(base, with_rank(base.shape(), static_cast<size_t>(options.ndmin)));
}

Array asarray(const ArrayLike& a, const AsarrayOptions& options, Line line) {
  const UserLocation here(line);
  if (a.kind() == Kind::kList || options.dtype) return create("asarray", a, options.dtype);
  const Array array = array_of_leaf(a);
  return a.is_vector() ? ops::convert_element_type(array, canonical_type(array.dtype())) : array;
}

}  // namespace hilo::numpy
