// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/array.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "hilo/array/array_impl.h"
#include "hilo/array/canonical_number.h"
#include "hilo/base/log.h"
#include "hilo/base/recycled.h"
#include "hilo/client/xla_bridge.h"

namespace hilo {
namespace {

template <typename T>
std::shared_ptr<const ArrayImpl> host_number(T value, bool weak_type = true) {
  return make_recycled<HostNumber>(element_type_of<T>, std::as_bytes(std::span(&value, 1)), weak_type);
}

template <typename T, typename Wide>
std::shared_ptr<const ArrayImpl> canonical_number(Wide value) {
  return as_canonical<T>(value, [](auto number) { return host_number(number); });
}

/// Returns "float64", "int64", "uint64" or "complex128".
std::string numpy_name(ElementType type) {
  const char* kind = is_complex(type)          ? "complex"
                     : is_floating(type)       ? "float"
                     : is_signed_integer(type) ? "int"
                                               : "uint";
  return kind + std::to_string(8 * element_size_bytes(type));
}

}  // namespace

Array::Array() {
  static const auto* const zero = new std::shared_ptr<const ArrayImpl>(host_number(0.0f, /*weak_type=*/false));
  impl_ = *zero;
}

std::shared_ptr<const ArrayImpl> Array::number(bool value) { return host_number(value, /*weak_type=*/false); }
std::shared_ptr<const ArrayImpl> Array::number(double value) { return canonical_number<float>(value); }
std::shared_ptr<const ArrayImpl> Array::number(float16 value) { return host_number(value); }
std::shared_ptr<const ArrayImpl> Array::number(bfloat16 value) { return host_number(value); }
std::shared_ptr<const ArrayImpl> Array::number(std::complex<float> value) { return host_number(value); }
std::shared_ptr<const ArrayImpl> Array::number(std::complex<double> value) {
  return canonical_number<std::complex<float>>(value);
}

/// A C++ integer that s32 can't hold keeps 64 bits until it gets a type: numpy::uint32(0xffffffffu). Without one, its
/// use is an error (array/array_impl.cc, numpy/promotion.cc).
std::shared_ptr<const ArrayImpl> Array::number(int64_t value) {
  return std::in_range<int32_t>(value) ? canonical_number<int32_t>(value) : host_number(value);
}

Array Array::from_literal(const Literal& literal) {
  const Shape& shape = literal.shape();
  if (shape.is_array() && shape.rank() == 0)
    return Array(make_recycled<HostNumber>(shape.element_type(), literal.bytes(), /*weak_type=*/false));
  return array_from_buffer(or_throw(buffer_from_literal(*default_device(), literal)));
}

Array Array::from_bytes(ElementType type, std::span<const std::byte> bytes, std::span<const int64_t> dimensions) {
  const Shape shape = or_throw(Shape::make_array(type, dimensions));
  if (std::ssize(bytes) != shape.byte_size()) {
    or_throw(invalid_argument(at_user_line("array") + ": got " +
                              std::to_string(bytes.size() / static_cast<size_t>(element_size_bytes(type))) +
                              " values, " + shape.to_string() + " needs " + std::to_string(shape.element_count())));
  }
  if (shape.rank() == 0) return Array(make_recycled<HostNumber>(type, bytes, /*weak_type=*/false));
  return array_from_buffer(or_throw(default_device()->from_host({shape, bytes.data()})));
}

Array Array::borrow_bytes(ElementType type, const std::byte* data, std::span<const int64_t> dimensions,
                          std::function<void()> release) {
  const std::shared_ptr<const void> retained(data, [release = std::move(release)](const void*) {
    if (release) release();
  });
  HostData lent{or_throw(Shape::make_array(type, dimensions)), data};
  lent.semantics = HostMemory::kBorrowed;
  lent.release = [retained] {};
  return array_from_buffer(or_throw(default_device()->from_host(lent)));
}

HostView host_view_of(const Array& array) { return array.impl().host_view(); }

HostView Array::host_view(ElementType expected) const {
  if (dtype() != expected) {
    or_throw(invalid_argument(at_user_line("data") + ": the array is " + aval_shape().to_string() + "; got a view of " +
                              std::string(element_type_name(expected)) + ". Hint: convert the array, or to_vector()"));
  }
  return host_view_of(*this);
}

DevicePtr Array::device() const { return impl().device(); }

std::vector<DevicePtr> Array::devices() const {
  const Array value = concrete_value(*this);
  std::vector<DevicePtr> out;
  for (const BufferPtr& buffer : value.impl().buffers()) out.push_back(buffer->device());
  return out.empty() ? std::vector{device()} : out;
}

void Array::delete_() const {
  const Array value = concrete_value(*this);
  for (const BufferPtr& buffer : value.impl().buffers())
    if (buffer->state() == BufferState::kLive) or_throw(buffer->remove());
}

bool Array::is_deleted() const {
  const Array value = concrete_value(*this);
  return std::ranges::any_of(value.impl().buffers(),
                             [](const BufferPtr& buffer) { return buffer->state() != BufferState::kLive; });
}

const Shape& Array::aval_shape() const { return impl().aval.shape; }
bool Array::weak_type() const { return impl().aval.weak_type; }

int64_t Array::shape(const Index& axis) const {
  const int64_t normal = axis.value() < 0 ? axis.value() + ndim() : axis.value();
  if (normal < 0 || normal >= ndim()) {
    const UserLocation here(axis.location());
    or_throw(invalid_argument(at_user_line("shape") + ": axis " + std::to_string(axis.value()) +
                              " is out of range for " + aval_shape().to_string()));
  }
  return shape()[normal];
}

Literal Array::to_literal() const { return impl().literal(); }

Array::HostNumbers Array::one_number(const std::source_location& location) const {
  const UserLocation here(location);
  if (size() != 1) {
    or_throw(invalid_argument(at_user_line("item") + ": only an array of size 1 is a number; got " +
                              aval_shape().to_string()));
  }
  return host_numbers();
}

/// Converts 8- and 4-bit floats to f32, and integers of 4 and 2 bits to s8; all exact.
Array::HostNumbers Array::host_numbers() const {
  const ElementType type = dtype();
  if (visit_element_type(type, []<typename T>() { return true; }, [] { return false; }))
    return {host_view_of(*this), type};
  const Literal value = to_literal();
  const auto wide = std::make_shared<Literal>(
      Shape::array(is_floating(type) ? ElementType::kF32 : ElementType::kS8, value.shape().dimensions()));
  for (int64_t i = 0; i < value.shape().element_count(); ++i) {
    const double number = element_as_double(value, i);
    if (is_floating(type)) wide->data<float>()[i] = static_cast<float>(number);
    else wide->data<int8_t>()[i] = static_cast<int8_t>(number);
  }
  return {{wide->bytes().data(), wide}, wide->shape().element_type()};
}

void Array::refuse_moved() {
  throw Error(failed_precondition(at_user_line("array") +
                                  ": this Array has been moved from and holds nothing. Hint: copy it instead of moving "
                                  "it, or assign to it before it is used again"));
}

void Array::refuse_numbers() const {
  throw Error(invalid_argument(at_user_line("array") + ": " + aval_shape().to_string() + " holds no numbers"));
}

void Array::refuse_rank(size_t expected, const std::source_location& location) const {
  const UserLocation here(location);
  throw Error(invalid_argument(at_user_line("shape") + ": " + aval_shape().to_string() + " has " +
                               std::to_string(ndim()) + " dimensions; wanted " + std::to_string(expected)));
}

bool Array::truth() const {
  if (size() == 1) return item<bool>();
  throw Error(invalid_argument("the truth value of " + aval_shape().to_string() +
                               " is ambiguous. Hint: x.any() or x.all(); element by element x & y, x | y, ~x"));
}

Array::Array(const StatusOr<Literal>& read, std::source_location location) {
  const UserLocation here(location);
  *this = from_literal(or_throw(read));
}

std::string Array::to_string() const { return impl().to_string(); }

std::ostream& operator<<(std::ostream& out, const Array& array) { return out << array.to_string(); }

ElementType canonical_type(ElementType type) { return or_throw(canonical_element_type(type)); }

ElementType requested_type(std::string_view function, ElementType type) {
  const ElementType canonical = canonical_type(type);
  if (canonical == type) return type;
  const std::string text = "Explicitly requested dtype " + numpy_name(type) + " in " + at_user_line(function) +
                           " is not available, and will be truncated to dtype " + numpy_name(canonical) +
                           ". Hint: set the flag jax_enable_x64, or JAX_ENABLE_X64 in the environment";
  log_text_once(LogLevel::kWarning, text, text);
  return canonical;
}

Dimensions::Dimensions(const Array& extents, std::source_location location) {
  const UserLocation here(location);
  if (!is_integer(extents.dtype()) || extents.ndim() > 1) {
    or_throw(invalid_argument(at_user_line("shape") + ": got the array " + extents.aval_shape().to_string() +
                              "; wanted integers, one or a vector of them"));
  }
  vector::operator=(extents.to_vector<int64_t>(location));
}

Indexer::Indexer(const Array& array, std::source_location location)
    : kind_(Kind::kArray), location_(location), array_(std::make_shared<const Array>(array)) {}

}  // namespace hilo
