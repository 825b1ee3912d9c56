// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/literals.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "hilo/hlo/ops/strided_copy.h"
#include "hilo/hlo/proto/shapes.h"

namespace hilo::hlo::proto {
namespace {

constexpr uint32_t kLiteralShape = 1, kTupleLiterals = 10, kSparseIndices = 14, kDynamicSizes = 34;

/// The field of LiteralProto that stores the elements of a type, and their form.
enum class ElementForm : uint8_t { kNone, kMemory, kVarints };  // kMemory: as in memory, little endian
struct LiteralPlace {
  uint32_t number;
  ElementForm form;
};

LiteralPlace place_of(ElementType type) {
  switch (type) {
    case ElementType::kPred: return {2, ElementForm::kVarints};
    case ElementType::kS32: return {4, ElementForm::kVarints};
    case ElementType::kS64: return {5, ElementForm::kVarints};
    case ElementType::kU32: return {6, ElementForm::kVarints};
    case ElementType::kU64: return {7, ElementForm::kVarints};
    case ElementType::kU8: return {3, ElementForm::kMemory};
    case ElementType::kF32: return {8, ElementForm::kMemory};
    case ElementType::kF64: return {9, ElementForm::kMemory};
    case ElementType::kF16: return {11, ElementForm::kMemory};
    case ElementType::kC64: return {12, ElementForm::kMemory};
    case ElementType::kBf16: return {13, ElementForm::kMemory};
    case ElementType::kS8: return {15, ElementForm::kMemory};
    case ElementType::kU16: return {16, ElementForm::kMemory};
    case ElementType::kS16: return {17, ElementForm::kMemory};
    case ElementType::kC128: return {18, ElementForm::kMemory};
#define HILO_NARROW_TYPE(enumerator, ...) case ElementType::k##enumerator:
#include "hilo/types/element_types.inc"
      // The field number of newer types is that of the type.
      return {static_cast<uint32_t>(element_type_info(type).proto_value), ElementForm::kMemory};
#define HILO_OTHER_TYPE(enumerator, ...) case ElementType::k##enumerator:
#include "hilo/types/element_types.inc"
      break;
  }
  return {0, ElementForm::kNone};
}

int64_t element_at(const std::byte* at, ElementType type) {
  const auto load = [at]<typename T>() {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<int64_t>(value);
  };
  switch (type) {
    case ElementType::kS32: return load.operator()<int32_t>();
    case ElementType::kU32: return load.operator()<uint32_t>();
    case ElementType::kPred: return load.operator()<uint8_t>() != 0 ? 1 : 0;
    default: return load.operator()<int64_t>();
  }
}

/// XLA stores only the significant bits of types narrower than a byte.
void mask_narrow(ElementType type, std::string& bytes) {
  const int bits = element_type_info(type).bits;
  if (bits >= 8 || type == ElementType::kPred) return;
  for (char& byte : bytes) byte = static_cast<char>(static_cast<uint8_t>(byte) & ((1u << bits) - 1));
}
void extend_narrow(ElementType type, std::span<std::byte> bytes) {
  const int bits = element_type_info(type).bits;
  if (bits >= 8 || type == ElementType::kPred) return;
  for (std::byte& byte : bytes) {
    auto value = static_cast<uint8_t>(static_cast<uint8_t>(byte) & ((1u << bits) - 1));
    if (is_signed_integer(type) && (value >> (bits - 1)) != 0) value = static_cast<uint8_t>(value | (0xffu << bits));
    byte = static_cast<std::byte>(value);
  }
}

/// Returns the elements of a row-major array in the order of `layout`.
std::string laid_out(const Literal& literal, const Shape& layout) {
  const std::span<const std::byte> bytes = literal.bytes();
  std::string out(bytes.size(), '\0');
  const int size = element_size_bytes(layout.element_type());
  if (layout.has_default_layout() || bytes.empty()) {
    if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  } else {
    strided_copy(layout.dimensions(), size, reinterpret_cast<std::byte*>(out.data()), strides_of(layout), bytes.data(),
                 row_major_strides(layout.dimensions()));
  }
  return out;
}

WireWriter write_array(const Literal& literal, const Shape& layout) {
  WireWriter out;
  out.message(kLiteralShape, write_shape(layout));
  const ElementType type = layout.element_type();
  const LiteralPlace place = place_of(type);
  if (place.form == ElementForm::kNone || layout.element_count() == 0) return out;
  std::string bytes = laid_out(literal, layout);
  if (place.form == ElementForm::kMemory) {
    mask_narrow(type, bytes);
    out.bytes(place.number, bytes);
    return out;
  }
  WireWriter packed;
  const size_t step = element_size_bytes(type);
  for (size_t at = 0; at < bytes.size(); at += step)
    packed.raw_varint(static_cast<uint64_t>(element_at(reinterpret_cast<const std::byte*>(bytes.data()) + at, type)));
  out.message(place.number, packed);
  return out;
}

Status wrong_count(const Shape& shape, uint64_t got, std::string_view unit) {
  return invalid_argument(
      fmt::format("LiteralProto: got {} {}; wanted those of {}", got, unit, shape.to_string_with_layout()));
}

/// Returns the bytes of a kMemory field: one string of bytes, or unpacked numbers.
StatusOr<std::string> memory_of(const WireMessage& message, uint32_t number) {
  std::string bytes;
  for (const WireField& field : message.fields()) {
    if (field.number != number) continue;
    if (field.type == WireType::kBytes) bytes += field.bytes;
    else if (field.type == WireType::kFixed32 || field.type == WireType::kFixed64)
      bytes.append(reinterpret_cast<const char*>(&field.value), field.type == WireType::kFixed32 ? 4 : 8);
    else return wrong_type(message.name(), field, WireType::kBytes);
  }
  return bytes;
}

void store(int64_t value, ElementType type, std::byte* at) {
  if (type == ElementType::kPred) *at = static_cast<std::byte>(value != 0 ? 1 : 0);
  else std::memcpy(at, &value, element_size_bytes(type));
}

/// Returns the elements in the order of the message.
StatusOr<std::string> read_elements(const WireMessage& message, const Shape& shape) {
  const ElementType type = shape.element_type();
  const LiteralPlace place = place_of(type);
  const size_t size = element_size_bytes(type);
  if (place.form == ElementForm::kMemory) {
    HILO_ASSIGN_OR_RETURN(std::string bytes, memory_of(message, place.number));
    if (std::ssize(bytes) != shape.byte_size()) return wrong_count(shape, bytes.size(), "bytes");
    return bytes;
  }
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> values, message.integers(place.number));
  if (std::ssize(values) != shape.element_count()) return wrong_count(shape, values.size(), "elements");
  std::string bytes(values.size() * size, '\0');
  for (size_t i = 0; i < values.size(); ++i)
    store(values[i], type, reinterpret_cast<std::byte*>(bytes.data()) + i * size);
  return bytes;
}

StatusOr<Literal> read_array(const WireMessage& message, const Shape& shape) {
  if (!shape.is_array()) return Literal(shape);
  HILO_ASSIGN_OR_RETURN(const std::string bytes, read_elements(message, shape));
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::make(shape.with_default_layout()));
  const std::span<std::byte> to = literal.mutable_bytes();
  const auto* const from = reinterpret_cast<const std::byte*>(bytes.data());
  if (to.empty()) return literal;
  if (shape.has_default_layout()) std::memcpy(to.data(), from, to.size());
  else
    strided_copy(shape.dimensions(), element_size_bytes(shape.element_type()), to.data(),
                 row_major_strides(shape.dimensions()), from, strides_of(shape));
  extend_narrow(shape.element_type(), to);
  return literal;
}

Status check_dense(const WireMessage& message) {
  if (!message.has(kSparseIndices) && !message.has(kDynamicSizes)) return ok_status();
  return unimplemented("LiteralProto: sparse and dynamic literals are not implemented in this version");
}

}  // namespace

WireWriter write_literal(const Literal& literal, const Shape& layout) {
  struct Frame {
    const Literal* tuple;
    Shape shape;
    size_t next = 0;
    WireWriter out;
  };
  const auto opened = [](const Literal& tuple, const Shape& shape) {
    Frame frame{&tuple, shape, 0, {}};
    frame.out.message(kLiteralShape, write_shape(shape));
    return frame;
  };
  if (!layout.is_tuple()) return write_array(literal, layout);
  std::vector<Frame> open;
  open.push_back(opened(literal, layout));
  for (;;) {
    Frame& frame = open.back();
    if (frame.next < frame.tuple->elements().size()) {
      const size_t i = frame.next++;
      const Literal& element = frame.tuple->elements()[i];
      const Shape shape = frame.shape.tuple_element(i);
      if (shape.is_tuple()) open.push_back(opened(element, shape));
      else frame.out.message(kTupleLiterals, write_array(element, shape));
      continue;
    }
    WireWriter done = std::move(frame.out);
    open.pop_back();
    if (open.empty()) return done;
    open.back().out.message(kTupleLiterals, done);
  }
}

StatusOr<LiteralAndShape> read_literal(std::string_view message) {
  struct Frame {
    Shape shape;
    std::vector<std::string_view> items;
    std::vector<Literal> elements;
  };
  std::vector<Frame> open;
  std::string_view current = message;
  std::optional<Shape> whole;
  for (;;) {
    HILO_ASSIGN_OR_RETURN(const WireMessage proto, WireMessage::read(current, "LiteralProto"));
    HILO_RETURN_IF_ERROR(check_dense(proto));
    Shape shape;
    if (open.empty()) {  // nested shapes repeat the outermost one
      HILO_ASSIGN_OR_RETURN(const std::string_view bytes, proto.text(kLiteralShape));
      HILO_ASSIGN_OR_RETURN(shape, read_shape(bytes));
      whole = shape;
    } else {
      shape = open.back().shape.tuple_element(open.back().elements.size());
    }
    std::optional<Literal> done;
    if (shape.is_tuple()) {
      HILO_ASSIGN_OR_RETURN(std::vector<std::string_view> items, proto.items(kTupleLiterals));
      if (std::ssize(items) != shape.tuple_size()) return wrong_count(shape, items.size(), "tuple elements");
      open.push_back({shape, std::move(items), {}});
    } else {
      HILO_ASSIGN_OR_RETURN(done, read_array(proto, shape));
      if (open.empty()) return LiteralAndShape{*std::move(done), *whole};
      open.back().elements.push_back(*std::move(done));
    }
    while (open.back().elements.size() == open.back().items.size()) {
      Literal tuple = Literal::tuple(std::move(open.back().elements));
      open.pop_back();
      if (open.empty()) return LiteralAndShape{std::move(tuple), *whole};
      open.back().elements.push_back(std::move(tuple));
    }
    current = open.back().items[open.back().elements.size()];
  }
}

}  // namespace hilo::hlo::proto
