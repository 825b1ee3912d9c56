// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "hilo/base/text.h"
#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/text/fields.h"
#include "hilo/hlo/text/mesh_groups.h"
#include "hilo/types/checked.h"

namespace hilo::hlo::text {
namespace {

/// Reads `{item, item, ...}`.
template <typename ReadItem>
Status read_braced(Cursor& cursor, std::string_view what, ReadItem&& read_item) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before", what));
  if (cursor.accept('}')) return ok_status();
  do {
    HILO_RETURN_IF_ERROR(read_item());
  } while (cursor.accept(','));
  return cursor.expect('}', "after", what);
}

Status read_list(Cursor& cursor, std::string_view what, Int64List& list) {
  return read_braced(cursor, what, [&]() -> Status {
    HILO_ASSIGN_OR_RETURN(const int64_t value, cursor.integer(what));
    list.push_back(value);
    return ok_status();
  });
}

Status read_pair(Cursor& cursor, std::string_view what, Int64Pairs& pairs) {
  const size_t position = cursor.position();
  Int64List pair;
  HILO_RETURN_IF_ERROR(read_list(cursor, what, pair));
  if (pair.size() != 2)
    return cursor.error(position, fmt::format("{}: got {} numbers, wanted a pair", what, pair.size()));
  pairs.emplace_back(pair[0], pair[1]);
  return ok_status();
}

/// Reads `[2,4]`, a list of numbers above 0.
Status read_tile(Cursor& cursor, std::string_view what, Int64List& sizes) {
  HILO_RETURN_IF_ERROR(cursor.expect('[', "before the sizes of", what));
  do {
    const size_t position = cursor.position();
    HILO_ASSIGN_OR_RETURN(const int64_t size, cursor.integer(what));
    if (size <= 0) return cursor.error(position, fmt::format("{}: got size {}, wanted one above 0", what, size));
    sizes.push_back(size);
  } while (cursor.accept(','));
  return cursor.expect(']', "after the sizes of", what);
}

/// Reads `[2,4]<=[8]` or `[4,2]<=[2,4]T(1,0)`: 0, 1, ... in the array on the right, transposed, in rows of the lengths
/// on the left.
Status read_iota_lists(Cursor& cursor, std::string_view what, Int64Lists& lists) {
  const size_t position = cursor.position();
  Int64List rows, sizes, permutation;
  HILO_RETURN_IF_ERROR(read_tile(cursor, what, rows));
  HILO_RETURN_IF_ERROR(cursor.expect('<', "in", what));
  HILO_RETURN_IF_ERROR(cursor.expect('=', "in", what));
  HILO_RETURN_IF_ERROR(read_tile(cursor, what, sizes));
  for (size_t d = 0; d < sizes.size(); ++d) permutation.push_back(d);
  if (cursor.accept_word("T")) {
    Int64List order;
    HILO_RETURN_IF_ERROR(cursor.expect('(', "after T of", what));
    do {
      HILO_ASSIGN_OR_RETURN(const int64_t dimension, cursor.integer(what));
      order.push_back(dimension);
    } while (cursor.accept(','));
    HILO_RETURN_IF_ERROR(cursor.expect(')', "after the permutation of", what));
    permutation = std::move(order);
  }
  StatusOr<Int64Lists> read = iota_lists(rows, sizes, permutation);
  if (!read.ok()) return cursor.error(position, fmt::format("{}: {}", what, read.status().message()));
  lists = *std::move(read);
  return ok_status();
}

std::string lower_case(std::string_view word) {
  std::string small(word);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

/// Reads a quoted string or a bare word.
StatusOr<std::string> read_word(Cursor& cursor, std::string_view what) {
  if (cursor.peek() == '"') return cursor.quoted(what);
  const std::string_view word = cursor.identifier();
  if (word.empty()) return cursor.unexpected(what, "(a word)");
  return std::string(word);
}

Status read_enum(Cursor& cursor, const AttributeField& field, uint8_t& value) {
  const size_t position = cursor.position();
  const std::string_view word = cursor.identifier();
  const std::string small = lower_case(word);  // XLA accepts capitals for its lowercase names, but not the reverse
  for (size_t i = 0; i < field.enum_names.size(); ++i) {
    if ((field.enum_names[i] == word || field.enum_names[i] == small) && !word.empty()) {
      value = static_cast<uint8_t>(i);
      return ok_status();
    }
  }
  std::string known;
  for (std::string_view name : field.enum_names) {
    if (!name.empty()) known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return cursor.error(position, fmt::format("{} is not a value of {}; known: {}", quote(word), field.name, known));
}

/// Reads `{[start:limit], [start:limit:stride]}`.
Status read_slice_ranges(Cursor& cursor, std::string_view what, std::vector<SliceRange>& ranges) {
  return read_braced(cursor, what, [&]() -> Status {
    SliceRange range;
    HILO_RETURN_IF_ERROR(cursor.expect('[', "before a slice range"));
    HILO_ASSIGN_OR_RETURN(range.start, cursor.integer("slice start"));
    HILO_RETURN_IF_ERROR(cursor.expect(':', "after a slice start"));
    HILO_ASSIGN_OR_RETURN(range.limit, cursor.integer("slice limit"));
    if (cursor.accept(':')) {
      HILO_ASSIGN_OR_RETURN(range.stride, cursor.integer("slice stride"));
    }
    ranges.push_back(range);
    return cursor.expect(']', "after a slice range");
  });
}

/// Reads a word of numbers joined by 'x' and '_', such as "0_0x-1_2_3", into one list of numbers per part between 'x'.
Status read_number_grid(Cursor& cursor, std::string_view what, Int64Lists& grid) {
  const size_t position = cursor.position();
  const std::string_view word = cursor.identifier();
  if (word.empty()) return ok_status();
  const char* at = word.data();
  const char* const end = at + word.size();
  grid.emplace_back();
  for (;;) {
    int64_t value = 0;
    const auto [stop, status] = std::from_chars(at, end, value);
    if (status != std::errc())
      return cursor.error(position, fmt::format("{}: {} is not a list of int64 numbers", what, quote(word)));
    grid.back().push_back(value);
    if (stop == end) return ok_status();
    if (*stop == 'x') grid.emplace_back();
    else if (*stop != '_')
      return cursor.error(position, fmt::format("{}: {} is not a list of numbers", what, quote(word)));
    at = stop + 1;
  }
}

/// Reads `0_0x1_1_2`: low, high and optional interior padding of each dimension.
Status read_padding(Cursor& cursor, std::string_view what, std::vector<PaddingDimension>& padding) {
  const size_t position = cursor.position();
  Int64Lists grid;
  HILO_RETURN_IF_ERROR(read_number_grid(cursor, what, grid));
  for (const Int64List& one : grid) {
    if (one.size() != 2 && one.size() != 3) {
      return cursor.error(
          position,
          fmt::format("{}: got {} numbers for a dimension, wanted low_high or low_high_interior", what, one.size()));
    }
    padding.push_back({one[0], one[1], one.size() == 3 ? one[2] : 0});
  }
  return ok_status();
}

/// Reads one `key=AxB` of a window.
Status read_window_part(Cursor& cursor, std::vector<WindowDimension>& window) {
  const size_t position = cursor.position();
  const std::string_view key = cursor.identifier();
  HILO_RETURN_IF_ERROR(cursor.expect('=', "after a key of the window"));
  Int64Lists grid;
  HILO_RETURN_IF_ERROR(read_number_grid(cursor, key, grid));
  if (window.empty()) window.resize(grid.size());
  const size_t numbers = key == "pad" ? 2 : 1;
  if (grid.size() != window.size() ||
      std::ranges::any_of(grid, [&](const Int64List& one) { return one.size() != numbers; })) {
    return cursor.error(position,
                        fmt::format("window: {} has {} dimensions, others have {}", key, grid.size(), window.size()));
  }
  for (size_t i = 0; i < grid.size(); ++i) {
    WindowDimension& d = window[i];
    if (key == "size") d.size = grid[i][0];
    else if (key == "stride") d.stride = grid[i][0];
    else if (key == "pad") std::tie(d.padding_low, d.padding_high) = std::tie(grid[i][0], grid[i][1]);
    else if (key == "lhs_dilate") d.base_dilation = grid[i][0];
    else if (key == "rhs_dilate") d.window_dilation = grid[i][0];
    else if (key == "rhs_reversal") d.reversal = grid[i][0] != 0;
    else return cursor.error(position, fmt::format("window: unknown key {}", quote(key)));
  }
  return ok_status();
}

Status read_window(Cursor& cursor, std::vector<WindowDimension>& window) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before a window"));
  while (!cursor.accept('}')) HILO_RETURN_IF_ERROR(read_window_part(cursor, window));
  return ok_status();
}

/// Reads one of the three parts of `b01f_01io->b01f`: the positions of two letters, and of the digits in order.
bool read_labels(std::string_view labels, char first, char second, int64_t& first_at, int64_t& second_at,
                 Int64List& spatial) {
  if (labels.size() < 2 || labels.size() > 12) return false;
  spatial.assign(labels.size() - 2, -1);
  first_at = second_at = -1;
  for (size_t i = 0; i < labels.size(); ++i) {
    const char c = labels[i];
    const size_t digit = c - '0';
    int64_t* const place = c == first                           ? &first_at
                           : c == second                        ? &second_at
                           : c >= '0' && digit < spatial.size() ? &spatial[digit]
                                                                : nullptr;
    if (place == nullptr || *place >= 0) return false;
    *place = i;
  }
  return true;
}

Status read_convolution_dimensions(Cursor& cursor, std::string_view what, ConvolutionDimensions& d) {
  const size_t position = cursor.position();
  HILO_ASSIGN_OR_RETURN(const std::string_view text, cursor.raw_value(what));
  const size_t middle = text.find('_'), arrow = text.find("->");
  const bool parts = middle != std::string_view::npos && arrow != std::string_view::npos && middle < arrow;
  if (!parts || !read_labels(text.substr(0, middle), 'b', 'f', d.input_batch, d.input_feature, d.input_spatial) ||
      !read_labels(text.substr(middle + 1, arrow - middle - 1), 'i', 'o', d.kernel_input, d.kernel_output,
                   d.kernel_spatial) ||
      !read_labels(text.substr(arrow + 2), 'b', 'f', d.output_batch, d.output_feature, d.output_spatial)) {
    return cursor.error(position, fmt::format("{}: {} is not of the form b01f_01io->b01f", what, quote(text)));
  }
  return ok_status();
}

}  // namespace

StatusOr<Int64Lists> iota_lists(std::span<const int64_t> rows, const Int64List& sizes, const Int64List& permutation) {
  constexpr int64_t kMaxIds = 1 << 20;  // so that a short text can't allocate much memory
  Int64List order(sizes.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  if (!std::is_permutation(order.begin(), order.end(), permutation.begin(), permutation.end()))
    return invalid_argument(fmt::format("T(...) is not a permutation of {} dimensions", sizes.size()));
  const auto count_of_ids = [&](std::span<const int64_t> counted) {
    int64_t count = 1;
    for (int64_t size : counted)
      count = size <= 0 ? 0 : std::min(checked_mul(count, size).value_or(kMaxIds + 1), kMaxIds + 1);
    return count;
  };
  const int64_t count = count_of_ids(sizes);
  if (rows.size() != 2 || count == 0 || count != count_of_ids(rows) || count > kMaxIds)
    return invalid_argument(fmt::format("wanted [groups,members]<=[sizes] of as many ids, at most {}", kMaxIds));
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::make_array(ElementType::kS64, sizes));
  const Int64List ids = offsets_over(shape, permutation);
  Int64Lists lists;
  for (auto id = ids.begin(); id != ids.end(); id += rows[1]) lists.emplace_back(id, id + rows[1]);
  return lists;
}

void fill(const CallSite& site, const ComputationPtr& computation) {
  if (site.field->kind == FieldKind::kComputation) {
    field_value<ComputationPtr>(*site.field, *site.attributes) = computation;
  } else {
    field_value<std::vector<ComputationPtr>>(*site.field, *site.attributes)[site.index] = computation;
  }
}

Status read_callee(FieldReader& reader, const AttributeField& field, const std::shared_ptr<Attributes>& attributes,
                   size_t index) {
  const size_t position = reader.cursor.position();
  CallSite site{reader.instruction, attributes, &field, index, {}, position};
  if (reader.cursor.peek() == '{' && reader.shared != nullptr) {
    HILO_ASSIGN_OR_RETURN(site.inlined, read_inlined(reader.cursor, *reader.shared));
  } else {
    HILO_ASSIGN_OR_RETURN(site.callee, reader.cursor.name("the name of a computation"));
  }
  reader.calls.push_back(std::move(site));
  return ok_status();
}

StatusOr<size_t> read_computations(FieldReader& reader, const AttributeField& field,
                                   const std::shared_ptr<Attributes>& attributes) {
  auto& list = field_value<std::vector<ComputationPtr>>(field, *attributes);
  const size_t before = list.size();
  const auto read_one = [&]() -> Status {
    list.emplace_back();
    return read_callee(reader, field, attributes, list.size() - 1);
  };
  HILO_RETURN_IF_ERROR(reader.cursor.peek() == '{' ? read_braced(reader.cursor, field.name, read_one) : read_one());
  return list.size() - before;
}

Status read_field(FieldReader& reader, const AttributeField& field, const std::shared_ptr<Attributes>& attributes) {
  Cursor& cursor = reader.cursor;
  Attributes& values = *attributes;
  const auto assign = [](auto& to, auto&& from) -> Status {
    if (!from.ok()) return from.status();
    to = std::move(from).value();
    return ok_status();
  };
  switch (field.kind) {
    case FieldKind::kInt64: {
      const size_t position = cursor.position();  // XLA allows several: concatenate(...), dimensions={1}
      if (cursor.peek() != '{') return assign(field_value<int64_t>(field, values), cursor.integer(field.name));
      Int64List list;
      HILO_RETURN_IF_ERROR(read_list(cursor, field.name, list));
      if (list.size() != 1)
        return cursor.error(position, fmt::format("{}: got {} numbers, wanted 1", field.name, list.size()));
      field_value<int64_t>(field, values) = list[0];
      return ok_status();
    }
    case FieldKind::kBool: return assign(field_value<bool>(field, values), cursor.boolean(field.name));
    case FieldKind::kDouble: {
      const size_t position = cursor.position();
      const std::string_view word = cursor.identifier();
      float number = 0;  // a float, as in XLA's messages and StableHLO
      const auto [stop, status] = std::from_chars(word.data(), word.data() + word.size(), number);
      field_value<double>(field, values) = static_cast<double>(number);
      if (status == std::errc() && stop == word.data() + word.size()) return ok_status();
      return cursor.error(position, fmt::format("{}: {} is not a number", field.name, quote(word)));
    }
    case FieldKind::kString: return assign(field_value<std::string>(field, values), read_word(cursor, field.name));
    case FieldKind::kInt64List: return read_list(cursor, field.name, field_value<Int64List>(field, values));
    case FieldKind::kInt64Lists:
      if (cursor.peek() == '[') return read_iota_lists(cursor, field.name, field_value<Int64Lists>(field, values));
      if (at_mesh_groups(cursor)) return read_mesh_groups(cursor, field.name, field_value<Int64Lists>(field, values));
      return read_braced(cursor, field.name, [&] {
        return read_list(cursor, field.name, field_value<Int64Lists>(field, values).emplace_back());
      });
    case FieldKind::kInt64Pairs:
      return read_braced(cursor, field.name,
                         [&] { return read_pair(cursor, field.name, field_value<Int64Pairs>(field, values)); });
    case FieldKind::kStringList:
      return read_braced(cursor, field.name, [&]() -> Status {
        std::string& word = field_value<StringList>(field, values).emplace_back();
        HILO_RETURN_IF_ERROR(assign(word, read_word(cursor, field.name)));
        word = lower_case(word);  // precisions may be in capitals
        return ok_status();
      });
    case FieldKind::kEnum: return read_enum(cursor, field, field_value<uint8_t>(field, values));
    case FieldKind::kComputation: return read_callee(reader, field, attributes, 0);
    case FieldKind::kComputations: {
      const StatusOr<size_t> read = read_computations(reader, field, attributes);
      return read.status();
    }
    case FieldKind::kLiteral:
      return cursor.error(StatusCode::kUnimplemented, cursor.position(),
                          fmt::format("{}: a constant isn't allowed here", field.name));
    case FieldKind::kShape: return assign(field_value<Shape>(field, values), reader.shapes.read(cursor));
    case FieldKind::kSliceRanges:
      return read_slice_ranges(cursor, field.name, field_value<std::vector<SliceRange>>(field, values));
    case FieldKind::kPadding:
      return read_padding(cursor, field.name, field_value<std::vector<PaddingDimension>>(field, values));
    case FieldKind::kWindow: return read_window(cursor, field_value<std::vector<WindowDimension>>(field, values));
    case FieldKind::kConvolutionDimensions:
      return read_convolution_dimensions(cursor, field.name, field_value<ConvolutionDimensions>(field, values));
  }
  return internal_error("a field of no kind");
}

}  // namespace hilo::hlo::text
