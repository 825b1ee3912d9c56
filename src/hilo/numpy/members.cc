// SPDX-License-Identifier: Apache-2.0
// numpy/members.cc -- members of Array that call functions of this folder, most of them with the same name.
#include "hilo/array/device_put.h"
#include "hilo/numpy/index_plan.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/ops.h"

namespace hilo {
namespace {

std::vector<Indexer> present(std::initializer_list<Indexer> arguments) {
  std::vector<Indexer> indices;
  for (const Indexer& i : arguments)
    if (i.kind() != Indexer::Kind::kAbsent) indices.push_back(i);
  return indices;
}

}  // namespace

Array ScalarType::operator()(const Operand& x) const {
  const UserLocation here(x.location());
  return ops::convert_element_type(x.array(), requested_type(element_type_name(type), type));
}

Array Array::operator[](const Indexer& index) const {
  const UserLocation here(index.location());
  return numpy::read_at(*this, {&index, 1});
}

Array Array::operator()(const Indexer& i0, const Indexer& i1, const Indexer& i2, const Indexer& i3, const Indexer& i4,
                        const Indexer& i5, const Indexer& i6, const Indexer& i7) const {
  const UserLocation here(i0.location());
  return numpy::read_at(*this, present({i0, i1, i2, i3, i4, i5, i6, i7}));
}

Array Array::at_places(const std::vector<Array>& places) const {
  return numpy::read_at(*this, std::vector<Indexer>(places.begin(), places.end()));
}

numpy::IndexedPlaces Array::at(const Indexer& i0, const Indexer& i1, const Indexer& i2, const Indexer& i3,
                               const Indexer& i4, const Indexer& i5, const Indexer& i6, const Indexer& i7) const {
  return numpy::IndexedPlaces(Operand(*this, i0.location()), present({i0, i1, i2, i3, i4, i5, i6, i7}));
}

#define HILO_REDUCING_MEMBER(name, Options)                                                                 \
  Array Array::name(std::source_location location) const {                                                  \
    return numpy::name(Operand(*this, location), numpy::Options{});                                         \
  }                                                                                                         \
  Array Array::name(const numpy::Options& options, std::source_location location) const {                   \
    return numpy::name(Operand(*this, location), options);                                                  \
  }                                                                                                         \
  Array Array::name(const Axes& axis, const numpy::Options& options, std::source_location location) const { \
    return numpy::name(Operand(*this, location), axis, options);                                            \
  }
#include "hilo/array/reducing_members.inc"

#define HILO_ARG_MEMBER(name)                                                                \
  Array Array::name(std::optional<int64_t> axis, std::source_location location) const {      \
    return numpy::name(Operand(*this, location), numpy::ArgOptions{.axis = axis});           \
  }                                                                                          \
  Array Array::name(const numpy::ArgOptions& options, std::source_location location) const { \
    return numpy::name(Operand(*this, location), options);                                   \
  }
HILO_ARG_MEMBER(argmax)
HILO_ARG_MEMBER(argmin)
#undef HILO_ARG_MEMBER

#define HILO_AXIS_MEMBER(name, Options)                                                 \
  Array Array::name(std::optional<int64_t> axis, std::source_location location) const { \
    return numpy::name(Operand(*this, location), numpy::Options{.axis = axis});         \
  }
HILO_AXIS_MEMBER(sort, SortOptions)
HILO_AXIS_MEMBER(argsort, ArgsortOptions)
HILO_AXIS_MEMBER(cumsum, CumulativeOptions)
HILO_AXIS_MEMBER(cumprod, CumulativeOptions)
#undef HILO_AXIS_MEMBER

#define HILO_PLAIN_MEMBER(name, function) \
  Array Array::name(std::source_location location) const { return numpy::function(Operand(*this, location)); }
HILO_PLAIN_MEMBER(T, transpose)
HILO_PLAIN_MEMBER(mT, matrix_transpose)
HILO_PLAIN_MEMBER(ravel, ravel)
HILO_PLAIN_MEMBER(flatten, ravel)
HILO_PLAIN_MEMBER(trace, trace)
HILO_PLAIN_MEMBER(conj, conj)
HILO_PLAIN_MEMBER(real, real)
HILO_PLAIN_MEMBER(imag, imag)
HILO_PLAIN_MEMBER(copy, copy)
#undef HILO_PLAIN_MEMBER

Array Array::reshape(const Dimensions& shape, std::source_location location) const {
  return numpy::reshape(Operand(*this, location), shape);
}
Array Array::astype(ElementType type, std::source_location location) const {
  return numpy::astype(Operand(*this, location), type);
}
Array Array::squeeze(const Axes& axis, std::source_location location) const {
  return numpy::squeeze(Operand(*this, location), axis);
}
Array Array::transpose(const Axes& axes, std::source_location location) const {
  return numpy::transpose(Operand(*this, location), axes);
}
Array Array::swapaxes(int64_t axis1, int64_t axis2, std::source_location location) const {
  return numpy::swapaxes(Operand(*this, location), axis1, axis2);
}
Array Array::dot(const Operand& b) const { return numpy::dot(Operand(*this, b.location()), b); }
Array Array::matmul(const Operand& b) const { return numpy::matmul(Operand(*this, b.location()), b); }
Array Array::clip(const Operand& min, const Operand& max) const {
  return numpy::clip(Operand(*this, min.location()), min, max);
}
Array Array::take(const Operand& indices, std::optional<int64_t> axis) const {
  return numpy::take(Operand(*this, indices.location()), indices, axis);
}
Array Array::repeat(int64_t repeats, std::optional<int64_t> axis, std::source_location location) const {
  return numpy::repeat(Operand(*this, location), repeats, axis);
}
Array Array::round(int64_t decimals, std::source_location location) const {
  return numpy::round(Operand(*this, location), decimals);
}
Array Array::diagonal(int64_t offset, std::source_location location) const {
  return numpy::diagonal(Operand(*this, location), offset);
}
std::vector<Array> Array::nonzero(std::source_location location) const {
  return numpy::nonzero(Operand(*this, location));
}
const Array& Array::block_until_ready(std::source_location location) const {
  return hilo::block_until_ready(*this, location);
}
int64_t Array::itemsize() const { return numpy::itemsize(*this); }
int64_t Array::nbytes() const { return numpy::nbytes(*this); }

}  // namespace hilo
