// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace hilo::hlo::proto {
namespace {

// Fields of ShapeProto, LayoutProto and ProgramShapeProto.
constexpr uint32_t kElementType = 2, kDimensions = 3, kTupleShapes = 4, kLayout = 5, kIsDynamicDimension = 6;
constexpr uint32_t kMinorToMajor = 1, kMemorySpace = 8, kTailPaddingAlignment = 16;
constexpr uint32_t kParameters = 1, kResult = 2, kParameterNames = 3;
constexpr size_t kMaxNesting = 256;
constexpr int64_t kBuffer = 34;  // the element type of buffers

WireWriter write_array(const Shape& shape, int64_t memory = 0) {
  WireWriter out;
  out.integer(kElementType, element_type_info(shape.element_type()).proto_value);
  if (!shape.is_array()) return out;
  out.integers(kDimensions, shape.dimensions());
  WireWriter layout;
  layout.integers(kMinorToMajor, shape.minor_to_major());
  if (memory != 0) layout.integer(kMemorySpace, memory);
  layout.integer(kTailPaddingAlignment, 1);
  out.message(kLayout, layout);
  out.integers(kIsDynamicDimension, std::vector<int64_t>(shape.rank(), 0));
  return out;
}

/// Reads the order of the dimensions. Tiles, memory spaces, element sizes and others describe how a device stores an
/// array. They don't affect values and are dropped.
StatusOr<Shape> read_layout(const Shape& shape, std::string_view message) {
  HILO_ASSIGN_OR_RETURN(const WireMessage layout, WireMessage::read(message, "LayoutProto"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> order, layout.integers(kMinorToMajor));
  std::vector<int64_t> sorted = order;
  std::ranges::sort(sorted);
  bool permutation = std::ssize(order) == shape.rank();
  for (size_t i = 0; i < sorted.size(); ++i) permutation &= sorted[i] == static_cast<int64_t>(i);
  if (!permutation) {
    return invalid_argument(fmt::format("LayoutProto: {} doesn't order the {} dimensions of {}",
                                        dimensions_to_string(order), shape.rank(), shape.to_string()));
  }
  return shape.rank() == 0 ? shape : shape.with_layout(order);
}

StatusOr<ElementType> read_element_type(const WireMessage& message) {
  HILO_ASSIGN_OR_RETURN(const int64_t number, message.integer(kElementType));
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.proto_value == number) return info.type;
  }
  return invalid_argument(fmt::format("ShapeProto: element type {} is not known", number));
}

StatusOr<Shape> read_array(const WireMessage& message, ElementType type) {
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions, message.integers(kDimensions));
  if (std::ranges::any_of(dimensions, [](int64_t d) { return d == INT64_MIN; }))
    return unimplemented("ShapeProto: a dimension of unknown size is not implemented in this version");
  if (type == ElementType::kToken) return Shape::token();
  if (type == ElementType::kOpaque) return Shape::opaque();
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::make_array(type, dimensions));
  const WireField* const layout = message.find(kLayout);
  if (layout == nullptr) return shape;
  if (layout->type != WireType::kBytes) return wrong_type(message.name(), *layout, WireType::kBytes);
  return read_layout(shape, layout->bytes);
}

}  // namespace

WireWriter write_shape(const Shape& shape) {
  struct Frame {
    Shape tuple;
    int64_t next = 0;
    WireWriter out;
  };
  std::vector<Frame> open;  // one entry per tuple around `current`
  Shape current = shape;
  for (;;) {
    if (current.is_tuple()) open.push_back({current, 0, write_array(current)});
    WireWriter done = current.is_tuple() ? WireWriter() : write_array(current);
    while (!open.empty()) {
      Frame& frame = open.back();
      if (!current.is_tuple()) frame.out.message(kTupleShapes, done);
      if (frame.next < frame.tuple.tuple_size()) break;
      done = std::move(frame.out);
      current = Shape::token();  // anything but a tuple: `done` is the element
      open.pop_back();
    }
    if (open.empty()) return done;
    current = open.back().tuple.tuple_element(open.back().next++);
  }
}

StatusOr<Shape> read_shape(std::string_view message) {
  struct Frame {
    std::vector<std::string_view> items;
    std::vector<Shape> elements;
  };
  std::vector<Frame> open;
  std::string_view current = message;
  bool in_buffer = false;
  for (;;) {
    HILO_ASSIGN_OR_RETURN(const WireMessage proto, WireMessage::read(current, "ShapeProto"));
    HILO_ASSIGN_OR_RETURN(const int64_t number, proto.integer(kElementType));
    if (number == kBuffer && !in_buffer) {  // a buffer is read as the array that it contains
      HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, proto.items(kTupleShapes));
      if (items.size() != 1)
        return invalid_argument(fmt::format("ShapeProto: a buffer of {} shapes, wanted one", items.size()));
      current = items[0];
      in_buffer = true;
      continue;
    }
    in_buffer = false;
    HILO_ASSIGN_OR_RETURN(const ElementType type, read_element_type(proto));
    if (type == ElementType::kTuple) {
      if (open.size() == kMaxNesting)
        return resource_exhausted(fmt::format("ShapeProto: tuples nested deeper than {}", kMaxNesting));
      HILO_ASSIGN_OR_RETURN(std::vector<std::string_view> items, proto.items(kTupleShapes));
      open.push_back({std::move(items), {}});
    } else {
      HILO_ASSIGN_OR_RETURN(const Shape array, read_array(proto, type));
      if (open.empty()) return array;
      open.back().elements.push_back(array);
    }
    while (open.back().elements.size() == open.back().items.size()) {
      const Shape tuple = Shape::tuple(open.back().elements);
      open.pop_back();
      if (open.empty()) return tuple;
      open.back().elements.push_back(tuple);
    }
    current = open.back().items[open.back().elements.size()];
  }
}

namespace {

StatusOr<bool> has_bounded_dimensions(std::string_view message) {
  std::vector<std::string_view> pending = {message};
  while (!pending.empty()) {
    HILO_ASSIGN_OR_RETURN(const WireMessage proto, WireMessage::read(pending.back(), "ShapeProto"));
    pending.pop_back();
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> dynamic, proto.integers(kIsDynamicDimension));
    if (std::ranges::any_of(dynamic, [](int64_t d) { return d != 0; })) return true;
    HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, proto.items(kTupleShapes));
    pending.insert(pending.end(), items.begin(), items.end());
  }
  return false;
}

}  // namespace

StatusOr<Shape> ShapeReader::read(std::string_view message) {
  auto known = known_.find(message);
  if (known == known_.end()) {
    HILO_ASSIGN_OR_RETURN(const Shape shape, read_shape(message));
    HILO_ASSIGN_OR_RETURN(const bool bounded, has_bounded_dimensions(message));
    known = known_.emplace(message, Known{shape, bounded}).first;
  }
  bounded_ = known->second.bounded;
  return known->second.shape;
}

namespace {

WireWriter write_result(const Shape& result, std::span<const int64_t> memories) {
  if (memories.empty()) return write_shape(result);
  WireWriter out = write_array(result, memories[0]);
  for (size_t i = 0; result.is_tuple() && i < memories.size(); ++i)
    out.message(kTupleShapes, write_array(result.tuple_element(i), memories[i]));
  return out;
}

}  // namespace

WireWriter write_program_shape(const ProgramShape& shape, std::span<const std::string> parameter_names,
                               const MemorySpaces& memories) {
  WireWriter out;
  for (size_t i = 0; i < shape.parameters.size(); ++i) {
    const Shape& parameter = shape.parameters[i];
    out.message(kParameters,
                memories.parameters.empty() ? write_shape(parameter) : write_array(parameter, memories.parameters[i]));
  }
  out.message(kResult, write_result(shape.result, memories.results));
  for (const std::string& name : parameter_names) out.bytes(kParameterNames, name);
  return out;
}

StatusOr<ProgramShape> read_program_shape(std::string_view message, ShapeReader& shapes) {
  HILO_ASSIGN_OR_RETURN(const WireMessage proto, WireMessage::read(message, "ProgramShapeProto"));
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> parameters, proto.items(kParameters));
  ProgramShape shape;
  for (std::string_view parameter : parameters) {
    HILO_ASSIGN_OR_RETURN(const Shape one, shapes.read(parameter));
    shape.parameters.push_back(one);
  }
  HILO_ASSIGN_OR_RETURN(const std::string_view result, proto.text(kResult));
  HILO_ASSIGN_OR_RETURN(shape.result, shapes.read(result));
  return shape;
}

}  // namespace hilo::hlo::proto
