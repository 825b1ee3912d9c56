// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/shapes.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "hilo/base/text.h"

namespace hilo::hlo::text {
namespace {

constexpr size_t kNoEnd = static_cast<size_t>(-1);

Status unknown_element_type(Cursor& cursor, size_t position, std::string_view name) {
  std::array<std::string_view, kElementTypes.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kElementTypes[i].name;
  return cursor.error(position, fmt::format("unknown element type {}.{}", quote(name), did_you_mean(name, names)));
}

StatusOr<std::vector<int64_t>> read_dimensions(Cursor& cursor) {
  std::vector<int64_t> dimensions;
  HILO_RETURN_IF_ERROR(cursor.expect('[', "after an element type"));
  if (cursor.accept(']')) return dimensions;
  do {
    const size_t position = cursor.position();
    if (cursor.peek() == '<' || cursor.peek() == '?') {
      return cursor.error(StatusCode::kUnimplemented, position,
                          "dynamic dimensions are not implemented in this version");
    }
    HILO_ASSIGN_OR_RETURN(const int64_t dimension, cursor.integer("dimension"));
    if (dimension < 0) return cursor.error(position, fmt::format("negative dimension {}", dimension));
    dimensions.push_back(dimension);
  } while (cursor.accept(','));
  HILO_RETURN_IF_ERROR(cursor.expect(']', "after the dimensions"));
  return dimensions;
}

/// The layout after an array shape, "{1,0}".
StatusOr<Shape> read_layout(Cursor& cursor, const Shape& shape) {
  const size_t begin = cursor.position();
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before a layout"));
  std::vector<int64_t> order;
  while (cursor.peek() != '}' && cursor.peek() != ':') {
    HILO_ASSIGN_OR_RETURN(const int64_t dimension, cursor.integer("a dimension number of the layout"));
    order.push_back(dimension);
    if (!cursor.accept(',')) break;
  }
  if (cursor.peek() == ':') {
    return cursor.error(StatusCode::kUnimplemented, cursor.position(),
                        "layouts with tiles, memory spaces or element sizes are not implemented in this version");
  }
  HILO_RETURN_IF_ERROR(cursor.expect('}', "after a layout"));
  std::vector<bool> taken(order.size());
  bool permutation = static_cast<int64_t>(order.size()) == shape.rank();
  for (size_t i = 0; permutation && i < order.size(); ++i) {
    permutation = order[i] >= 0 && order[i] < shape.rank() && !taken[static_cast<size_t>(order[i])];
    if (permutation) taken[static_cast<size_t>(order[i])] = true;
  }
  if (!permutation) {
    return cursor.error(begin, fmt::format("layout {} doesn't order the {} dimensions of {}",
                                           dimensions_to_string(order), shape.rank(), shape.to_string()));
  }
  return shape.rank() == 0 ? shape : shape.with_layout(order);
}

/// The end of the array shape text that starts at `begin`, so that equal texts are parsed once.
size_t quick_end(std::string_view text) {
  size_t i = text.find_first_of("]\n");
  if (i == std::string_view::npos || text[i] != ']') return kNoEnd;
  if (++i < text.size() && text[i] == '{') {
    const size_t close = text.find_first_of("}\n", i);
    if (close == std::string_view::npos || text[close] != '}') return kNoEnd;
    i = close + 1;
  }
  return i;
}

}  // namespace

StatusOr<Shape> ShapeReader::read_array(Cursor& cursor) {
  const size_t begin = cursor.position();
  constexpr size_t kLongest = 256;  // bytes of a shape text worth remembering
  const std::string_view ahead = cursor.between(begin, begin + kLongest);
  const size_t end = quick_end(ahead);
  if (end != kNoEnd) {
    if (const auto it = seen_.find(ahead.substr(0, end)); it != seen_.end()) {
      cursor.set_position(begin + end);
      return it->second;
    }
  }
  const std::string_view type_name = cursor.identifier();
  if (type_name.empty()) return cursor.unexpected("a shape", "");
  const std::optional<ElementType> type = element_type_from_name(type_name);
  if (!type) return unknown_element_type(cursor, begin, type_name);
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions, read_dimensions(cursor));
  if (*type == ElementType::kToken || *type == ElementType::kOpaque) {
    if (!dimensions.empty()) return cursor.error(begin, fmt::format("{} has no dimensions", type_name));
    return *type == ElementType::kToken ? Shape::token() : Shape::opaque();
  }
  StatusOr<Shape> shape = Shape::make_array(*type, dimensions);
  if (!shape.ok()) return shape.status().with_context(cursor.place(begin));
  if (cursor.next_byte() == '{') {  // "-> f32[] {" begins a computation, not a layout
    HILO_ASSIGN_OR_RETURN(shape, read_layout(cursor, *shape));
  }
  if (cursor.last_position() == begin + end) seen_.emplace(ahead.substr(0, end), *shape);
  return shape;
}

StatusOr<Shape> ShapeReader::read(Cursor& cursor) {
  // One entry per open parenthesis: nesting is data and gets no stack frames.
  std::vector<std::vector<Shape>> open;
  for (;;) {
    if (cursor.peek() == '(') {
      if (static_cast<int>(open.size()) >= cursor.max_nesting()) {
        return cursor.error(cursor.position(),
                            fmt::format("nesting deeper than {}. Hint: max_nesting", cursor.max_nesting()));
      }
      cursor.accept('(');
      open.emplace_back();
      if (cursor.peek() != ')') continue;
    } else {
      HILO_ASSIGN_OR_RETURN(const Shape shape, read_array(cursor));
      if (open.empty()) return shape;
      open.back().push_back(shape);
    }
    while (!open.empty() && !cursor.accept(',')) {
      HILO_RETURN_IF_ERROR(cursor.expect(')', "after the elements of a tuple shape"));
      const Shape tuple = Shape::tuple(open.back());
      open.pop_back();
      if (open.empty()) return tuple;
      open.back().push_back(tuple);
    }
  }
}

bool at_shape(Cursor& cursor) {
  if (cursor.peek() == '(') return true;
  const size_t begin = cursor.position();
  const bool named = !cursor.identifier().empty();
  const bool found = named && cursor.next_byte() == '[';
  cursor.set_position(begin);
  return found;
}

void append_shape(const Shape& shape, bool layouts, std::string& out) {
  struct Frame {
    Shape tuple;
    int64_t next;
  };
  std::vector<Frame> open;
  Shape current = shape;
  for (;;) {
    if (current.is_tuple()) {
      out += '(';
      open.push_back({current, 0});
    } else {
      out += layouts ? current.to_string_with_layout() : current.to_string();
    }
    while (!open.empty() && open.back().next == open.back().tuple.tuple_size()) {
      out += ')';
      open.pop_back();
    }
    if (open.empty()) return;
    const int64_t index = open.back().next++;
    constexpr int64_t kCountEvery = 5;
    if (index != 0) out += ", ";
    if (index != 0 && index % kCountEvery == 0) out += fmt::format("/*index={}*/", index);
    current = open.back().tuple.tuple_element(index);
  }
}

}  // namespace hilo::hlo::text
