// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/host_array.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <tuple>

#include "hilo/client/xla_bridge.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/strided_copy.h"

namespace hilo {
namespace {

/// Returns the literal's bytes, which stay shared with it.
std::shared_ptr<const std::byte> bytes_of(const Literal& literal) {
  auto kept = std::make_shared<const Literal>(literal);
  const std::byte* const bytes = kept->bytes().data();
  return {std::move(kept), bytes};
}

Status cannot_convert(std::string_view what) { return invalid_argument(fmt::format("Can't convert to XLA: {}", what)); }

/// Converts `value` to a literal if it has one of the types T.
template <typename... T>
std::optional<StatusOr<Literal>> literal_if_any_of(const std::any& value) {
  std::optional<StatusOr<Literal>> literal;
  (void)((std::any_cast<T>(&value) != nullptr && (literal = as_literal(*std::any_cast<T>(&value)), true)) || ...);
  return literal;
}

std::optional<StatusOr<Literal>> literal_if_array(const std::any& value) {
  return literal_if_any_of<Literal, HostArray, BufferPtr, bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                           uint32_t, uint64_t, float16, bfloat16, float, double, std::complex<float>,
                           std::complex<double>>(value);
}

}  // namespace

HostArray::HostArray(const Shape& shape, std::vector<int64_t> strides, std::shared_ptr<const std::byte> origin)
    : shape_(shape.with_default_layout()), strides_(std::move(strides)), origin_(std::move(origin)) {}

HostArray::HostArray(const Literal& dense)
    : HostArray(dense.shape(), row_major_strides(dense.shape().dimensions()), bytes_of(dense)) {}

StatusOr<HostArray> HostArray::broadcast_to(std::span<const int64_t> dimensions) const {
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::make_array(shape_.element_type(), dimensions));
  const size_t rank = shape_.rank();
  bool fits = dimensions.size() >= rank;
  std::vector<int64_t> strides(dimensions.size(), 0);
  for (size_t i = 0; fits && i < rank; ++i) {
    const size_t d = dimensions.size() - rank + i;
    const int64_t extent = shape_.dimensions()[i];
    fits = extent == dimensions[d] || extent == 1;
    strides[d] = extent == dimensions[d] ? strides_[i] : 0;
  }
  if (!fits) {
    return invalid_argument(
        fmt::format("broadcast_to: {} can't be broadcast to {}; wanted equal trailing dimensions, or 1",
                    shape_.to_string(), shape.to_string()));
  }
  return HostArray(shape, std::move(strides), origin_);
}

std::vector<int64_t> HostArray::moving_dimensions() const {
  std::vector<int64_t> moving;
  for (size_t i = 0; i < strides_.size(); ++i) {
    if (strides_[i] != 0) moving.push_back(i);
  }
  return moving;
}

HostArray HostArray::selected(std::span<const int64_t> dimensions) const {
  std::vector<int64_t> extents, strides;
  for (const int64_t d : dimensions) {
    extents.push_back(shape_.dimension(d));
    strides.push_back(strides_[d]);
  }
  return {Shape::array(shape_.element_type(), extents), std::move(strides), origin_};
}

StatusOr<Literal> HostArray::to_literal() const {
  HILO_ASSIGN_OR_RETURN(Literal dense, Literal::make(shape_));
  hlo::strided_copy(shape_.dimensions(), element_size_bytes(shape_.element_type()), dense.mutable_bytes().data(),
                    row_major_strides(shape_.dimensions()), origin_.get(), strides_);
  return dense;
}

StatusOr<Literal> normalize_to_xla_dtypes(const Literal& value) {
  if (value.is_tuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : value.elements()) {
      HILO_ASSIGN_OR_RETURN(Literal normal, normalize_to_xla_dtypes(element));
      elements.push_back(std::move(normal));
    }
    return Literal::tuple(std::move(elements));
  }
  if (!value.shape().is_array()) return cannot_convert(value.shape().to_string());
  HILO_ASSIGN_OR_RETURN(const ElementType type, canonical_element_type(value.shape().element_type()));
  return hlo::convert_literal(value, type);
}

StatusOr<Literal> normalize_to_xla_dtypes(const std::any& value) {
  if (const auto* elements = std::any_cast<std::vector<std::any>>(&value)) {
    std::vector<Literal> literals;
    for (const std::any& element : *elements) {
      HILO_ASSIGN_OR_RETURN(Literal normal, normalize_to_xla_dtypes(element));
      literals.push_back(std::move(normal));
    }
    return Literal::tuple(std::move(literals));
  }
  std::optional<StatusOr<Literal>> literal = literal_if_array(value);
  if (!literal) return cannot_convert(type_name(value.type()));
  if (!literal->ok()) return literal->status();
  return normalize_to_xla_dtypes(**literal);
}

StatusOr<Shape> shape_of(const Literal& value) { return canonical_shape(value.shape()); }
StatusOr<Shape> shape_of(const HostArray& value) { return canonical_shape(value.shape()); }
StatusOr<Shape> shape_of(const BufferPtr& value) { return canonical_shape(value->shape()); }

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : type.name();
}

}  // namespace hilo
