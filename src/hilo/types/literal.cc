// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/literal.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <new>

#include "hilo/base/buffer_pool.h"
#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/types/twins.h"

namespace hilo {
namespace {

/// Allocates from the pool, which reuses pages. Builds with sanitizers have a guard page at one end.
StatusOr<std::shared_ptr<AlignedBuffer>> allocate(size_t bytes) {
  HILO_ASSIGN_OR_RETURN(AlignedBuffer buffer, allocate_buffer(bytes));
  return std::make_shared<AlignedBuffer>(std::move(buffer));
}

/// For callers who guarantee that the bytes fit in memory.
std::shared_ptr<AlignedBuffer> must_allocate(size_t bytes) {
  StatusOr<std::shared_ptr<AlignedBuffer>> buffer = allocate(bytes);
  if (!buffer.ok()) throw std::bad_alloc();
  return *std::move(buffer);
}

template <typename T>
std::string float_to_string(T value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

template <typename T>
std::string value_to_string(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (computes_in_float<T>) {
    return float_to_string(static_cast<float>(value));
  } else if constexpr (is_narrow_integer_twin<T>) {
    return std::to_string(static_cast<int>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return float_to_string(value);
  } else {
    return "(" + float_to_string(value.real()) + ", " + float_to_string(value.imag()) + ")";
  }
}

void append_array(const Literal& literal, size_t dimension, int64_t& offset, int64_t max_elements, std::string& out) {
  const Shape& shape = literal.shape();
  if (dimension == static_cast<size_t>(shape.rank())) {
    if (offset >= max_elements) {
      out += offset == max_elements ? "..." : "";
    } else {
      out += element_to_string(shape.element_type(),
                               literal.bytes().data() + offset * element_size_bytes(shape.element_type()));
    }
    ++offset;
    return;
  }
  const int64_t extent = shape.dimension(dimension);
  if (extent == 0) {  // counts as an element, because there may be 2^40 of them
    out += offset < max_elements ? "{}" : offset == max_elements ? "..." : "";
    ++offset;
    return;
  }
  out += "{";
  for (int64_t i = 0; i < extent && offset <= max_elements; ++i) {
    if (i != 0) out += ", ";
    append_array(literal, dimension + 1, offset, max_elements, out);
  }
  out += "}";
}

}  // namespace

Literal::Literal(const Shape& shape) : shape_(shape) {
  if (shape.is_tuple()) {
    for (const Shape& e : shape.tuple_elements()) elements_.emplace_back(e);
    return;
  }
  data_ = must_allocate(shape.byte_size());
  std::memset(data_->data(), 0, data_->size());
}

StatusOr<Literal> Literal::make(const Shape& shape) try {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape& e : shape.tuple_elements()) {
      HILO_ASSIGN_OR_RETURN(Literal element, make(e));
      elements.push_back(std::move(element));
    }
    return tuple(std::move(elements));
  }
  Literal literal;
  literal.shape_ = shape;
  StatusOr<std::shared_ptr<AlignedBuffer>> buffer = allocate(shape.byte_size());
  if (!buffer.ok()) return buffer.status().with_context("literal " + shape.to_string());
  literal.data_ = *std::move(buffer);
  std::memset(literal.data_->data(), 0, literal.data_->size());
  return literal;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

Literal Literal::tuple(std::vector<Literal> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Literal& e : elements) shapes.push_back(e.shape());
  Literal literal;
  literal.shape_ = Shape::tuple(shapes);
  literal.elements_ = std::move(elements);
  return literal;
}

Literal Literal::from_bytes(const Shape& shape, std::span<const std::byte> bytes) {
  Literal literal(shape);
  if (!bytes.empty()) std::memcpy(literal.data_->data(), bytes.data(), bytes.size());
  return literal;
}

std::span<const std::byte> Literal::bytes() const {
  if (data_ == nullptr) return {};
  return {data_->data(), data_->size()};
}

std::span<std::byte> Literal::mutable_bytes() {
  if (data_ == nullptr) return {};
  if (data_.use_count() > 1) {
    std::shared_ptr<AlignedBuffer> own = must_allocate(data_->size());
    std::memcpy(own->data(), data_->data(), data_->size());
    data_ = std::move(own);
  }
  return {data_->data(), data_->size()};
}

Literal Literal::reshaped(const Shape& shape) const {
  Literal literal = *this;
  literal.shape_ = shape;
  return literal;
}

bool Literal::identical(const Literal& other) const {
  if (!shape_.compatible(other.shape_)) return false;
  if (is_tuple()) {
    for (size_t i = 0; i < elements_.size(); ++i) {
      if (!elements_[i].identical(other.elements_[i])) return false;
    }
    return true;
  }
  return bytes().empty() || std::memcmp(bytes().data(), other.bytes().data(), bytes().size()) == 0;
}

std::string Literal::to_string(int64_t max_elements) const {
  if (is_tuple()) {
    std::string text = "(";
    for (size_t i = 0; i < elements_.size(); ++i) text += (i == 0 ? "" : ", ") + elements_[i].to_string(max_elements);
    return text + ")";
  }
  std::string text = shape_.to_string() + " ";
  if (!shape_.is_array()) return text;
  int64_t offset = 0;
  append_array(*this, 0, offset, max_elements, text);
  return text;
}

std::string element_to_string(ElementType type, const std::byte* element) {
  return visit_array_type(
      type,
      [&]<typename T>() {
        T value;
        std::memcpy(&value, element, sizeof(T));
        return value_to_string(value);
      },
      [&] { return std::to_string(static_cast<int>(*element)); });
}

double element_as_double(const Literal& literal, int64_t index) {
  return visit_array_type(
      literal.shape().element_type(),
      [&]<typename T>() -> double {
        const T value = literal.data<T>()[index];
        if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
          return static_cast<double>(value.real());
        } else if constexpr (computes_in_float<T>) {
          return static_cast<double>(static_cast<float>(value));
        } else {
          return static_cast<double>(value);
        }
      },
      [] { return std::nan(""); });
}

Literal filled(const Shape& shape, double value) {
  const FloatingPointScope nearest;
  Literal literal(shape);
  visit_array_type(
      shape.element_type(),
      [&]<typename T>() {
        for (T& element : literal.data<T>()) {
          if constexpr (std::is_same_v<T, bool>) element = value != 0;
          else if constexpr (computes_in_float<T>) element = T(static_cast<float>(value));
          else if constexpr (is_narrow_integer_twin<T>) element = T(static_cast<int64_t>(value));
          else element = static_cast<T>(value);
        }
      },
      [] {});
  return literal;
}

std::span<const Literal> Literal::elements() const { return elements_; }
std::vector<Literal> Literal::release_elements() && { return std::move(elements_); }

}  // namespace hilo
