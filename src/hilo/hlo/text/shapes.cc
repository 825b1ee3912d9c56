// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/shapes.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "hilo/base/text.h"

namespace hilo::hlo::text {
namespace {

constexpr size_t kNoEnd = -1;

Status unknown_element_type(Cursor& cursor, size_t position, std::string_view name) {
  std::array<std::string_view, kElementTypes.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kElementTypes[i].name;
  return cursor.error(position, fmt::format("unknown element type {}.{}", quote(name), did_you_mean(name, names)));
}

/// Reads `(8,128)`: numbers, and '*' for a dimension that a tile joins with the next.
Status read_tile(Cursor& cursor) {
  HILO_RETURN_IF_ERROR(cursor.expect('(', "before the sizes of a tile"));
  if (cursor.accept(')')) return ok_status();
  do {
    if (!cursor.accept('*')) HILO_RETURN_IF_ERROR(cursor.integer("the size of a tile").status());
  } while (cursor.accept(','));
  return cursor.expect(')', "after the sizes of a tile");
}

/// Reads `(5)`.
StatusOr<int64_t> read_layout_number(Cursor& cursor, std::string_view what) {
  HILO_RETURN_IF_ERROR(cursor.expect('(', "before", what));
  HILO_ASSIGN_OR_RETURN(const int64_t number, cursor.integer(what));
  HILO_RETURN_IF_ERROR(cursor.expect(')', "after", what));
  return number;
}

/// Reads `(u32)`, the type of a sparse array's indices or pointers.
Status read_index_type(Cursor& cursor, std::string_view what) {
  HILO_RETURN_IF_ERROR(cursor.expect('(', "before", what));
  const size_t position = cursor.position();
  const std::string_view name = cursor.identifier();
  if (!element_type_from_name(name)) return unknown_element_type(cursor, position, name);
  return cursor.expect(')', "after", what);
}

/// Reads `(D,C+~)`: how each dimension of a sparse array is stored. XLA reads these and treats the array as dense.
Status read_level_types(Cursor& cursor) {
  HILO_RETURN_IF_ERROR(cursor.expect('(', "before the level types of dimensions"));
  if (cursor.accept(')')) return ok_status();
  do {
    const size_t position = cursor.position();
    const std::string_view type = cursor.identifier();
    if (type.size() != 1 || std::string_view("DCSH").find(type[0]) == std::string_view::npos)
      return cursor.error(position, fmt::format("{} is not a level type; wanted D, C, S or H", quote(type)));
    cursor.accept('+');
    cursor.accept('~');
  } while (cursor.accept(','));
  return cursor.expect(')', "after the level types of dimensions");
}

/// Reads `(0:2,4)(1:8)`: where dimensions are split.
Status read_split_configs(Cursor& cursor) {
  do {
    HILO_RETURN_IF_ERROR(cursor.expect('(', "before a split of a layout"));
    HILO_RETURN_IF_ERROR(cursor.integer("a dimension that is split").status());
    HILO_RETURN_IF_ERROR(cursor.expect(':', "after a dimension that is split"));
    if (cursor.peek() != ')') {
      do {
        HILO_RETURN_IF_ERROR(cursor.integer("an index of a split").status());
      } while (cursor.accept(','));
    }
    HILO_RETURN_IF_ERROR(cursor.expect(')', "after a split of a layout"));
  } while (cursor.peek() == '(');
  return ok_status();
}

/// Reads what follows the colon of `{1,0:T(8,128)(2,1)E(4)S(1)}`, in XLA's order. It describes how a device stores the
/// array, which doesn't affect values, so it is dropped.
Status read_layout_properties(Cursor& cursor, const Shape& shape) {
  if (cursor.accept_word("D")) HILO_RETURN_IF_ERROR(read_level_types(cursor));
  if (cursor.accept_word("T")) {
    do HILO_RETURN_IF_ERROR(read_tile(cursor));
    while (cursor.peek() == '(');
  }
  if (cursor.accept_word("L")) HILO_RETURN_IF_ERROR(read_layout_number(cursor, "the alignment of the tail").status());
  if (cursor.accept('#')) HILO_RETURN_IF_ERROR(read_index_type(cursor, "the type of indices"));
  if (cursor.accept('*')) HILO_RETURN_IF_ERROR(read_index_type(cursor, "the type of pointers"));
  if (cursor.accept_word("E")) HILO_RETURN_IF_ERROR(read_layout_number(cursor, "the bits of an element").status());
  if (cursor.accept_word("S")) HILO_RETURN_IF_ERROR(read_layout_number(cursor, "the memory space").status());
  if (cursor.accept_word("SC")) HILO_RETURN_IF_ERROR(read_split_configs(cursor));
  const size_t position = cursor.position();
  if (cursor.accept_word("P")) {
    return cursor.error(
        position, fmt::format("layout of {}: a physical shape, which only sparse arrays have", shape.to_string()));
  }
  if (cursor.accept_word("M")) HILO_RETURN_IF_ERROR(read_layout_number(cursor, "the bytes of metadata").status());
  return ok_status();
}

/// Reads the layout after an array shape, "{1,0}".
StatusOr<Shape> read_layout(Cursor& cursor, const Shape& shape) {
  const size_t begin = cursor.position();
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before a layout"));
  std::vector<int64_t> order;
  while (cursor.peek() != '}' && cursor.peek() != ':') {
    HILO_ASSIGN_OR_RETURN(const int64_t dimension, cursor.integer("a dimension number of the layout"));
    order.push_back(dimension);
    if (!cursor.accept(',')) break;
  }
  if (cursor.accept(':')) HILO_RETURN_IF_ERROR(read_layout_properties(cursor, shape));
  HILO_RETURN_IF_ERROR(cursor.expect('}', "after a layout"));
  std::vector<bool> used(order.size());
  bool permutation = std::ssize(order) == shape.rank();
  for (size_t i = 0; permutation && i < order.size(); ++i) {
    permutation = order[i] >= 0 && order[i] < shape.rank() && !used[order[i]];
    if (permutation) used[order[i]] = true;
  }
  if (!permutation) {
    return cursor.error(begin, fmt::format("layout {} doesn't order the {} dimensions of {}",
                                           dimensions_to_string(order), shape.rank(), shape.to_string()));
  }
  return shape.rank() == 0 ? shape : shape.with_layout(order);
}

/// Returns whether the next '{' begins a layout; in "-> f32[] {" it begins a computation. As in XLA, a layout is
/// followed by a number or a colon, or is an empty one directly after the shape.
bool at_layout(Cursor& cursor) {
  const size_t begin = cursor.last_position();
  const bool adjacent = cursor.next_byte() == '{';
  bool found = false;
  if (cursor.accept('{')) {
    const char c = cursor.peek();
    found = c == ':' || (c >= '0' && c <= '9') || (adjacent && c == '}');
  }
  cursor.set_position(begin);
  return found;
}

/// Returns the end of the array shape text that starts at `begin`, so that equal texts are parsed once.
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

StatusOr<std::vector<int64_t>> ShapeReader::read_dimensions(Cursor& cursor) {
  std::vector<int64_t> dimensions;
  HILO_RETURN_IF_ERROR(cursor.expect('[', "after an element type"));
  if (cursor.accept(']')) return dimensions;
  do {
    const size_t position = cursor.position();
    if (cursor.peek() == '?') {
      return cursor.error(StatusCode::kUnimplemented, position,
                          "a dimension of unknown size, '?', is not implemented in this version");
    }
    if (cursor.accept_text("<=")) bounded_ = true;
    HILO_ASSIGN_OR_RETURN(const int64_t dimension, cursor.integer("dimension"));
    if (dimension < 0) return cursor.error(position, fmt::format("negative dimension {}", dimension));
    dimensions.push_back(dimension);
  } while (cursor.accept(','));
  HILO_RETURN_IF_ERROR(cursor.expect(']', "after the dimensions"));
  return dimensions;
}

StatusOr<Shape> ShapeReader::read_array(Cursor& cursor) {
  const size_t begin = cursor.position();
  constexpr size_t kMaxLength = 256;  // bytes of a shape text that is cached
  const std::string_view ahead = cursor.between(begin, begin + kMaxLength);
  const size_t end = quick_end(ahead);
  if (end != kNoEnd) {
    if (const auto it = seen_.find(ahead.substr(0, end)); it != seen_.end()) {
      cursor.set_position(begin + end);
      return ahead[end - 1] == ']' && at_layout(cursor) ? read_layout(cursor, it->second) : it->second;
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
  if (at_layout(cursor)) {
    HILO_ASSIGN_OR_RETURN(shape, read_layout(cursor, *shape));
  }
  if (!bounded_ && cursor.last_position() == begin + end) seen_.emplace(ahead.substr(0, end), *shape);
  return shape;
}

/// Reads `b(f32[4])`, a buffer, as the array that it contains.
StatusOr<Shape> ShapeReader::read_array_or_buffer(Cursor& cursor) {
  const size_t begin = cursor.position();
  if (cursor.peek() != 'b' || cursor.identifier() != "b" || !cursor.accept('(')) {
    cursor.set_position(begin);
    return read_array(cursor);
  }
  HILO_ASSIGN_OR_RETURN(const Shape shape, read_array(cursor));
  HILO_RETURN_IF_ERROR(cursor.expect(')', "after the array of a buffer"));
  return shape;
}

StatusOr<Shape> ShapeReader::read(Cursor& cursor) {
  bounded_ = false;
  // One entry per open parenthesis. An explicit stack, because tuples may be deeply nested.
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
      HILO_ASSIGN_OR_RETURN(const Shape shape, read_array_or_buffer(cursor));
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
  const std::string_view word = cursor.identifier();
  const char next = word.empty() ? '\0' : cursor.next_byte();
  const bool found = next == '[' || (next == '(' && word == "b") ||
                     (next == ' ' && cursor.peek() == '[' && element_type_from_name(word));
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
