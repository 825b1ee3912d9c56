// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/attributes.h"
#include "hilo/stablehlo/text/forms.h"

#include <fmt/format.h>

#include <charconv>

#include "hilo/base/text.h"
#include "hilo/stablehlo/text/elements.h"
#include "hilo/stablehlo/text/types.h"
#include "hilo/stablehlo/tree/elements.h"

namespace hilo::stablehlo {

StatusOr<Integers> read_integer_list(TextReader& reader, std::string_view what) {
  Cursor& cursor = reader.cursor;
  HILO_RETURN_IF_ERROR(cursor.expect("[", "before", what));
  Integers list;
  if (cursor.accept("]")) return list;
  do {
    if (cursor.accept_word("true")) {
      list.push_back(1);
    } else if (cursor.accept_word("false")) {
      list.push_back(0);
    } else {
      HILO_ASSIGN_OR_RETURN(const int64_t value, cursor.integer(what));
      list.push_back(value);
    }
  } while (cursor.accept(","));
  HILO_RETURN_IF_ERROR(cursor.expect("]", "after", what));
  return list;
}

namespace {

/// Reads a key of a dictionary or of a dialect's attribute: a word or a string.
StatusOr<std::string_view> read_key(TextReader& reader) {
  if (reader.cursor.peek() == '"') {
    HILO_ASSIGN_OR_RETURN(const std::string key, reader.cursor.quoted("an attribute's name"));
    return reader.tree.intern(key);
  }
  const std::string_view key = reader.cursor.word();
  if (key.empty()) return reader.cursor.unexpected("an attribute's name", "here");
  return reader.tree.intern(key);
}

/// Reads `(2)4`, a part of an axis: the size of the axis before it, and its own size.
StatusOr<AttributeId> read_sub_axis(TextReader& reader) {
  Attribute before, size;
  before.kind = size.kind = AttributeKind::kInteger;
  HILO_RETURN_IF_ERROR(reader.cursor.expect("(", "before a part of an axis"));
  HILO_ASSIGN_OR_RETURN(before.integer, reader.cursor.integer("the size before a part of an axis"));
  HILO_RETURN_IF_ERROR(reader.cursor.expect(")", "in a part of an axis"));
  HILO_ASSIGN_OR_RETURN(size.integer, reader.cursor.integer("the size of a part of an axis"));
  const NamedAttribute entries[] = {{reader.tree.intern("pre_size"), reader.tree.add(before)},
                                    {reader.tree.intern("size"), reader.tree.add(size)}};
  return reader.tree.add_dictionary(entries, "stablehlo.sub_axis_info");
}

Status read_entries(TextReader& reader, std::string_view close, std::vector<NamedAttribute>& entries) {
  if (reader.cursor.accept(close)) return ok_status();
  do {
    HILO_ASSIGN_OR_RETURN(const std::string_view key, read_key(reader));
    if (!reader.cursor.accept("=")) {
      entries.push_back({key, reader.tree.add({})});
      continue;
    }
    const bool part = key == "sub_axis_info" && reader.cursor.next_is("(");
    HILO_ASSIGN_OR_RETURN(const AttributeId value, part ? read_sub_axis(reader) : read_attribute(reader));
    entries.push_back({key, value});
    // StableHLO's own attributes may end in a comma.
  } while (reader.cursor.accept(",") && !(close == ">" && reader.cursor.next_is(close)));
  return reader.cursor.expect(close, "after attributes");
}

/// Reads `[DEFAULT, DEFAULT]`. The texts of arrays without an inner ']' are cached.
StatusOr<AttributeId> read_array(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  const size_t begin = cursor.position();
  const std::string_view spelled = cursor.through(']');
  if (const auto seen = reader.arrays.find(spelled); seen != reader.arrays.end()) {
    cursor.set_position(begin + spelled.size());
    return seen->second;
  }
  HILO_RETURN_IF_ERROR(cursor.expect("[", "before the attributes of an array"));
  std::vector<AttributeId> elements;
  if (!cursor.accept("]")) {
    do {
      HILO_ASSIGN_OR_RETURN(const AttributeId element, read_attribute(reader));
      elements.push_back(element);
    } while (cursor.accept(","));
    HILO_RETURN_IF_ERROR(cursor.expect("]", "after the attributes of an array"));
  }
  const AttributeId id = reader.tree.add_array(elements);
  reader.arrays.emplace(cursor.between(begin, cursor.last_position()), id);
  return id;
}

/// Reads `array<i64: 1, 2>` after the keyword.
StatusOr<AttributeId> read_dense_array(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  const size_t open = cursor.position();
  HILO_RETURN_IF_ERROR(cursor.expect("<", "after 'array'"));
  const std::string_view type = cursor.word();
  std::vector<int64_t> values;
  if (cursor.accept(":")) {
    if (!type.starts_with("i")) {  // floats occur only in custom calls, as text
      cursor.set_position(open);
      HILO_RETURN_IF_ERROR(cursor.skip_balanced());
      return reader.tree.add_text(AttributeKind::kOther, "array" + text_between(reader, open, cursor.last_position()));
    }
    do {
      if (cursor.accept_word("true")) {
        values.push_back(1);
      } else if (cursor.accept_word("false")) {
        values.push_back(0);
      } else {
        HILO_ASSIGN_OR_RETURN(const int64_t value, cursor.integer("an array"));
        values.push_back(value);
      }
    } while (cursor.accept(","));
  }
  HILO_RETURN_IF_ERROR(cursor.expect(">", "after an array"));
  return reader.tree.add_integers(values);
}

/// Reads the contents of `#dialect.name<contents>`: fields, one word, or text that only its dialect can parse.
StatusOr<AttributeId> read_dialect_attribute(TextReader& reader, size_t begin, std::string_view name) {
  Cursor& cursor = reader.cursor;
  if (!cursor.next_is("<"))
    return reader.tree.add_text(AttributeKind::kOther, cursor.between(begin, cursor.last_position()));
  const size_t open = cursor.position();
  HILO_RETURN_IF_ERROR(cursor.skip_balanced());
  const size_t end = cursor.last_position();
  const auto as_text = [&] {
    cursor.set_position(end);
    return reader.tree.add_text(AttributeKind::kOther, text_between(reader, begin, end));
  };
  if (!name.starts_with("stablehlo") && !name.starts_with("mhlo") && !name.starts_with("chlo")) return as_text();
  cursor.set_position(open + 1);
  std::string full(name);
  if (name.find('.') == std::string_view::npos) full = fmt::format("{}.{}", name, cursor.word());
  if (full.starts_with("mhlo.")) full = "stablehlo" + full.substr(4);  // attributes of MHLO equal those of StableHLO
  if (full == "stablehlo.conv" && !cursor.accept_word("raw")) {
    StatusOr<AttributeId> dimensions = read_convolution_dimensions(reader);
    if (!dimensions.ok()) return dimensions.status();
    cursor.set_position(end);
    return dimensions;
  }
  const size_t body = cursor.position();
  const std::string_view word = cursor.word();
  if (cursor.next_is(">")) {
    cursor.set_position(end);
    return word.empty() ? reader.tree.add_dictionary({}, full) : reader.tree.add_text(AttributeKind::kWord, word);
  }
  if (word.empty() || !cursor.next_is("=")) return as_text();
  cursor.set_position(body);
  std::vector<NamedAttribute> entries;
  HILO_RETURN_IF_ERROR(read_entries(reader, ">", entries));
  for (NamedAttribute& entry : entries) {  // uses VHLO's names of the fields
    if (full == "stablehlo.channel_handle" && entry.name == "handle") entry.name = reader.tree.intern("channel_id");
    if (full == "stablehlo.channel_handle" && entry.name == "type") entry.name = reader.tree.intern("channel_type");
  }
  return reader.tree.add_dictionary(entries, full);
}

StatusOr<AttributeId> read_word(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  const size_t begin = cursor.position();
  const std::string_view word = cursor.word();
  if (word.empty()) return cursor.unexpected("an attribute", "here");
  Attribute attribute;
  if (word == "unit") return reader.tree.add({});
  if (word == "true" || word == "false") {
    attribute.kind = AttributeKind::kBool;
    attribute.integer = word == "true" ? 1 : 0;
    return reader.tree.add(attribute);
  }
  if (word == "dense") return read_dense(reader);
  if (word == "dense_resource") return read_dense_resource(reader);
  if (word == "array") return read_dense_array(reader);
  cursor.set_position(begin);
  if (at_type(reader)) {
    attribute.kind = AttributeKind::kType;
    HILO_ASSIGN_OR_RETURN(attribute.type, read_type(reader));
    return reader.tree.add(attribute);
  }
  cursor.word();
  if (cursor.next_is("<") || (word == "loc" && cursor.next_is("("))) {
    HILO_RETURN_IF_ERROR(cursor.skip_balanced());
    return reader.tree.add_text(AttributeKind::kOther, cursor.between(begin, cursor.last_position()));
  }
  return reader.tree.add_text(AttributeKind::kWord, word);
}

}  // namespace

StatusOr<AttributeId> read_number(TextReader& reader, bool typed) {
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  const size_t begin = cursor.position();
  const std::string_view text = cursor.number();
  const bool fraction = !text.starts_with("0x") && text.find('.') != std::string_view::npos;
  const size_t end = cursor.last_position();
  Attribute attribute;
  if (typed && cursor.accept(":")) {
    HILO_ASSIGN_OR_RETURN(attribute.type, read_type(reader));
  }
  const Type* const type = attribute.type == kNone ? nullptr : &tree.types[attribute.type];
  const bool is_float = type != nullptr && type->kind == TypeKind::kElement && is_floating(type->element);
  if (is_float && text.starts_with("0x")) {  // its bits
    std::string bytes;
    const Status appended = append_element(type->element, text, bytes);
    if (!appended.ok()) return cursor.error(begin, std::string(appended.message()));
    attribute.kind = AttributeKind::kFloat;
    Type one = *type;
    one.kind = TypeKind::kTensor;
    HILO_ASSIGN_OR_RETURN(const Literal number, literal_from_bytes(one, std::as_bytes(std::span<const char>(bytes))));
    attribute.number = element_as_double(number, 0);
    return tree.add(attribute);
  }
  if (fraction) {
    attribute.kind = AttributeKind::kFloat;
    std::from_chars(text.data(), text.data() + text.size(), attribute.number);
    return tree.add(attribute);
  }
  attribute.kind = AttributeKind::kInteger;
  const size_t after = cursor.last_position();
  std::string_view digits = text;
  uint64_t magnitude = 0;  // ui64 has values up to 2^64 - 1
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  const auto [stop, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hexadecimal ? 16 : 10);
  if (failure != std::errc() || stop != digits.data() + digits.size())
    return cursor.error(begin, fmt::format("{} is not a 64-bit integer", quote(cursor.between(begin, end))));
  attribute.integer = negative ? 0 - magnitude : magnitude;
  cursor.set_position(after);
  return tree.add(attribute);
}

Status read_dictionary(TextReader& reader, std::vector<NamedAttribute>& entries) {
  HILO_RETURN_IF_ERROR(reader.cursor.expect("{", "before attributes"));
  return read_entries(reader, "}", entries);
}

StatusOr<AttributeId> read_attribute(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  const Nested nested(reader.depth);
  const size_t begin = cursor.position();
  if (nested.too_deep()) return cursor.error(begin, fmt::format("attributes nested deeper than {}", kMaxNesting));
  const char next = cursor.peek();
  if (next == '"') {
    HILO_ASSIGN_OR_RETURN(std::string text, cursor.quoted("an attribute"));
    if (cursor.accept(":")) HILO_RETURN_IF_ERROR(read_type(reader).status());
    return tree.add_text(AttributeKind::kString, text);
  }
  if (next == '@') {
    HILO_ASSIGN_OR_RETURN(std::string text, cursor.symbol("an attribute"));
    while (cursor.accept("::")) {
      HILO_ASSIGN_OR_RETURN(const std::string nested_symbol, cursor.symbol("an attribute"));
      text += "::@" + nested_symbol;
    }
    return tree.add_text(AttributeKind::kSymbol, text);
  }
  if (next == '[') return read_array(reader);
  if (next == '{') {
    std::vector<NamedAttribute> entries;
    HILO_RETURN_IF_ERROR(read_dictionary(reader, entries));
    return tree.add_dictionary(entries);
  }
  if (next == '<') {  // fields of an attribute without its name, such as the axes of a mesh
    std::vector<NamedAttribute> entries;
    HILO_RETURN_IF_ERROR(cursor.expect("<", "before fields"));
    HILO_RETURN_IF_ERROR(read_entries(reader, ">", entries));
    return tree.add_dictionary(entries);
  }
  if (next == '-' || (next >= '0' && next <= '9')) {
    const std::string_view text = cursor.number();
    cursor.set_position(begin);
    return text.empty() ? cursor.unexpected("an attribute", "here") : read_number(reader, /*typed=*/true);
  }
  if (next == '!' || next == '(') {
    Attribute attribute;
    attribute.kind = AttributeKind::kType;
    HILO_ASSIGN_OR_RETURN(attribute.type, read_type(reader));
    return tree.add(attribute);
  }
  if (!cursor.accept("#")) return read_word(reader);
  const std::string_view name = cursor.suffix();
  const size_t after = cursor.last_position();
  const auto alias = reader.aliases.find(cursor.between(begin, after));
  if (alias == reader.aliases.end()) return read_dialect_attribute(reader, begin, name);
  if (const auto known = reader.alias_attributes.find(alias->second); known != reader.alias_attributes.end())
    return known->second;
  cursor.set_position(alias->second);
  StatusOr<AttributeId> meaning = read_attribute(reader);
  cursor.set_position(after);
  if (meaning.ok()) reader.alias_attributes.emplace(alias->second, *meaning);
  return meaning;
}

StatusOr<AttributeId> read_convolution_dimensions(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  // The brackets of one array. Letters are roles, numbers are spatial dimensions.
  struct Side {
    std::string_view letters[2], names[2], spatial;
  };
  constexpr Side kSides[] = {
      {{"b", "f"}, {"input_batch_dimension", "input_feature_dimension"}, "input_spatial_dimensions"},
      {{"i", "o"}, {"kernel_input_feature_dimension", "kernel_output_feature_dimension"}, "kernel_spatial_dimensions"},
      {{"b", "f"}, {"output_batch_dimension", "output_feature_dimension"}, "output_spatial_dimensions"},
  };
  std::vector<NamedAttribute> entries;
  for (size_t s = 0; s < 3; ++s) {
    if (s == 1) HILO_RETURN_IF_ERROR(cursor.expect("x", "between a convolution's dimensions"));
    if (s == 2) HILO_RETURN_IF_ERROR(cursor.expect("->", "before a convolution's output dimensions"));
    HILO_RETURN_IF_ERROR(cursor.expect("[", "before a convolution's dimensions"));
    const size_t begin = cursor.position();
    std::vector<int64_t> spatial;
    int64_t roles[2] = {-1, -1};
    int64_t dimension = 0;
    do {
      const size_t position = cursor.position();
      if (const std::string_view letter = cursor.word(); !letter.empty()) {
        const int role = letter == kSides[s].letters[0] ? 0 : letter == kSides[s].letters[1] ? 1 : -1;
        if (role < 0 || roles[role] >= 0)
          return cursor.error(position, fmt::format("unexpected {} here", quote(letter)));
        roles[role] = dimension++;
        continue;
      }
      if (cursor.accept("?")) return cursor.error(StatusCode::kUnimplemented, position, "a dimension without a role");
      HILO_ASSIGN_OR_RETURN(const int64_t number, cursor.integer("a spatial dimension"));
      if (number < 0 || number > 63) return cursor.error(position, fmt::format("no spatial dimension {}", number));
      if (spatial.size() <= static_cast<size_t>(number)) spatial.resize(static_cast<size_t>(number) + 1, -1);
      spatial[number] = dimension++;
    } while (cursor.accept(","));
    HILO_RETURN_IF_ERROR(cursor.expect("]", "after a convolution's dimensions"));
    for (int64_t d : spatial) {
      if (d < 0) return cursor.error(begin, "a spatial dimension is missing");
    }
    for (size_t r = 0; r < 2; ++r) {
      if (roles[r] < 0) return cursor.error(begin, fmt::format("dimension '{}' is missing", kSides[s].letters[r]));
      Attribute attribute;
      attribute.kind = AttributeKind::kInteger;
      attribute.integer = roles[r];
      entries.push_back({tree.intern(kSides[s].names[r]), tree.add(attribute)});
    }
    entries.push_back({tree.intern(kSides[s].spatial), tree.add_integers(spatial)});
  }
  return tree.add_dictionary(entries, "stablehlo.conv");
}

}  // namespace hilo::stablehlo
