// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/literal.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <new>

namespace hilo {
namespace {

constexpr size_t kAlignment = 64;  // bytes: a cache line, and the widest vector

std::shared_ptr<std::byte[]> try_allocate(size_t bytes) {
  void* memory = ::operator new[](std::max<size_t>(bytes, 1), std::align_val_t(kAlignment), std::nothrow);
  return {static_cast<std::byte*>(memory), [](std::byte* p) { ::operator delete[](p, std::align_val_t(kAlignment)); }};
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
  } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
    return float_to_string(static_cast<float>(value));
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
  out += "{";
  for (int64_t i = 0; i < shape.dimension(static_cast<int64_t>(dimension)) && offset <= max_elements; ++i) {
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
  data_ = try_allocate(static_cast<size_t>(shape.byte_size()));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_.get(), 0, static_cast<size_t>(shape.byte_size()));
}

StatusOr<Literal> Literal::make(const Shape& shape) {
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
  literal.data_ = try_allocate(static_cast<size_t>(shape.byte_size()));
  if (literal.data_ == nullptr) {
    return resource_exhausted("literal " + shape.to_string() + " needs " + std::to_string(shape.byte_size()) +
                              " bytes");
  }
  std::memset(literal.data_.get(), 0, static_cast<size_t>(shape.byte_size()));
  return literal;
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
  std::memcpy(literal.data_.get(), bytes.data(), bytes.size());
  return literal;
}

std::span<const std::byte> Literal::bytes() const {
  return {data_.get(), data_ == nullptr ? 0 : static_cast<size_t>(shape_.byte_size())};
}

std::span<std::byte> Literal::mutable_bytes() {
  const size_t size = static_cast<size_t>(shape_.byte_size());
  if (data_ != nullptr && data_.use_count() > 1) {
    std::shared_ptr<std::byte[]> own = try_allocate(size);
    if (own == nullptr) throw std::bad_alloc();
    std::memcpy(own.get(), data_.get(), size);
    data_ = std::move(own);
  }
  return {data_.get(), data_ == nullptr ? 0 : size};
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
  return visit_element_type(
      type,
      [&]<typename T>() {
        T value;
        std::memcpy(&value, element, sizeof(T));
        return value_to_string(value);
      },
      [&] {
        return is_signed_integer(type) ? std::to_string(static_cast<int>(static_cast<int8_t>(*element)))
                                       : std::to_string(static_cast<int>(*element));
      });
}

double element_as_double(const Literal& literal, int64_t index) {
  return visit_element_type(
      literal.shape().element_type(),
      [&]<typename T>() -> double {
        const T value = literal.data<T>()[static_cast<size_t>(index)];
        if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
          return static_cast<double>(value.real());
        } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
          return static_cast<float>(value);
        } else {
          return static_cast<double>(value);
        }
      },
      [] { return std::nan(""); });
}

Literal filled(const Shape& shape, double value) {
  Literal literal(shape);
  visit_element_type(
      shape.element_type(),
      [&]<typename T>() {
        for (T& element : literal.data<T>()) {
          if constexpr (std::is_same_v<T, bool>) element = value != 0;
          else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
            element = T(static_cast<float>(value));
          else element = static_cast<T>(value);
        }
      },
      [] {});
  return literal;
}

}  // namespace hilo
