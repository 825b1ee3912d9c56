// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/elements.h"

#include <fmt/format.h>

#include <utility>

#include "hilo/base/text.h"
#include "hilo/stablehlo/text/attributes.h"
#include "hilo/stablehlo/text/types.h"
#include "hilo/stablehlo/tree/elements.h"

namespace hilo::stablehlo {
namespace {

/// Returns the bytes of "0x...".
StatusOr<std::string> bytes_of_hexadecimal(std::string_view digits) {
  if (!digits.starts_with("0x") || digits.size() % 2 != 0)
    return invalid_argument("the string is not 0x followed by pairs of digits");
  digits.remove_prefix(2);
  const auto value = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string bytes(digits.size() / 2, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = value(digits[2 * i]), low = value(digits[2 * i + 1]);
    if (high < 0 || low < 0) return invalid_argument("the string contains other characters than hexadecimal digits");
    bytes[i] = static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Reads a number, true, or false.
Status read_number(Cursor& cursor, const Type& type, ElementType part, std::string& bytes) {
  const size_t position = cursor.position();
  std::string_view text = cursor.number();
  if (text.empty()) text = cursor.word();
  if (text.empty()) return cursor.unexpected("an element", "of a dense attribute");
  const Status appended =
      type.six_bits == SixBits::kNone ? append_element(part, text, bytes) : append_six_bits(type, text, bytes);
  return appended.ok() ? ok_status() : cursor.error(position, std::string(appended.message()));
}

/// Reads one element: a number, true, false, or (real, imaginary).
Status read_element(Cursor& cursor, const Type& type, std::string& bytes) {
  if (!is_complex(type.element)) return read_number(cursor, type, type.element, bytes);
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before a complex number"));
  HILO_RETURN_IF_ERROR(read_number(cursor, type, real_type_of(type.element), bytes));
  HILO_RETURN_IF_ERROR(cursor.expect(",", "between the parts of a complex number"));
  HILO_RETURN_IF_ERROR(read_number(cursor, type, real_type_of(type.element), bytes));
  return cursor.expect(")", "after a complex number");
}

/// Reads nested lists of elements, whose brackets must match the dimensions. `sizes` counts the elements of each open
/// list.
Status read_lists(Cursor& cursor, const Type& type, std::string& bytes) {
  const std::vector<int64_t>& dimensions = type.dimensions;
  std::vector<int64_t> sizes;
  while (true) {
    const size_t position = cursor.position();
    if (sizes.size() < dimensions.size()) {
      HILO_RETURN_IF_ERROR(cursor.expect("[", fmt::format("before the elements of dimension {}", sizes.size())));
      sizes.push_back(0);
      if (!cursor.next_is("]")) continue;
    } else {
      HILO_RETURN_IF_ERROR(read_element(cursor, type, bytes));
    }
    bool empty =
        sizes.size() == dimensions.size() && cursor.next_is("]") && sizes.back() == 0 && dimensions.back() == 0;
    while (true) {  // close lists
      if (!empty) {
        if (sizes.empty()) return ok_status();
        ++sizes.back();
        if (cursor.accept(",")) break;
      }
      empty = false;
      HILO_RETURN_IF_ERROR(cursor.expect("]", "after elements"));
      const int64_t wanted = dimensions[sizes.size() - 1];
      if (sizes.back() != wanted) {
        return cursor.error(position, fmt::format("dimension {} has {} elements here; {} has {}", sizes.size() - 1,
                                                  sizes.back(), type.spelled, wanted));
      }
      sizes.pop_back();
      if (sizes.empty()) return ok_status();
    }
  }
}

}  // namespace

StatusOr<AttributeId> read_dense(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  const size_t open = cursor.position();
  HILO_RETURN_IF_ERROR(cursor.skip_balanced());
  const size_t close = cursor.last_position() - 1;
  HILO_RETURN_IF_ERROR(cursor.expect(":", "after the elements of a dense attribute"));
  Attribute attribute;
  attribute.kind = AttributeKind::kElements;
  const size_t type_position = cursor.position();
  HILO_ASSIGN_OR_RETURN(attribute.type, read_type(reader));
  const Type type = tree.types[attribute.type];
  const std::optional<int64_t> count = element_count_of(type);
  if (!count) return cursor.error(type_position, fmt::format("type {} can't have elements", type.spelled));
  Cursor body = cursor.part(open + 1, close);
  std::string bytes;
  Type one = type;
  if (body.peek() == '"') {
    const size_t begin = body.position();
    const std::string_view raw = body.between(begin + 1, close);
    const size_t end = raw.find('"');
    StatusOr<std::string> read = bytes_of_hexadecimal(raw.substr(0, end));
    if (!read.ok()) return body.error(begin, std::string(read.status().message()));
    bytes = *std::move(read);
    if (type.six_bits != SixBits::kNone) {
      StatusOr<std::string> numbers = six_bit_elements(type, bytes);
      if (!numbers.ok()) return body.error(begin, std::string(numbers.status().message()));
      bytes = *std::move(numbers);
    }
    body.set_position(begin + 2 + end);
  } else if (body.peek() == '[') {
    HILO_RETURN_IF_ERROR(read_lists(body, type, bytes));
  } else if (!body.at_end()) {
    HILO_RETURN_IF_ERROR(read_element(body, type, bytes));
    one.dimensions.clear();
  } else if (*count != 0) {
    return body.error(open, fmt::format("no elements; type {} has {}", type.spelled, *count));
  }
  if (!body.at_end()) return body.unexpected("'>'", "after the elements of a dense attribute");
  const bool whole = one.dimensions.size() == type.dimensions.size();
  StatusOr<Literal> literal = literal_from_bytes(one, as_bytes(bytes));
  if (!literal.ok()) return cursor.error(literal.status().code(), open, std::string(literal.status().message()));
  attribute.literal =
      tree.keep(!whole && *count == 0 ? Literal(Shape::array(type.element, type.dimensions)) : *std::move(literal));
  return tree.add(attribute);
}

StatusOr<AttributeId> read_dense_resource(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  HILO_RETURN_IF_ERROR(cursor.expect("<", "after 'dense_resource'"));
  const size_t position = cursor.position();
  std::string name(cursor.word());
  if (name.empty()) {
    HILO_ASSIGN_OR_RETURN(name, cursor.quoted("a resource"));
  }
  HILO_RETURN_IF_ERROR(cursor.expect(">", "after a resource's name"));
  HILO_RETURN_IF_ERROR(cursor.expect(":", "after a resource"));
  Attribute attribute;
  attribute.kind = AttributeKind::kElements;
  HILO_ASSIGN_OR_RETURN(attribute.type, read_type(reader));
  const AttributeId id = reader.tree.add(attribute);
  reader.resources.push_back({id, std::move(name), position});
  return id;
}

Status read_resources(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  std::unordered_map<std::string, std::string_view> blobs;  // in hexadecimal, beginning with the alignment
  std::unordered_map<std::string, size_t> places;
  if (cursor.accept("{-#")) {
    // Sections of dialects contain entries `name: "0x..."`. Sections of other tools have the same form.
    std::string key;
    while (!cursor.accept("#-}")) {
      const size_t position = cursor.position();
      if (cursor.at_end()) return cursor.error(position, "the resources are not terminated; wanted '#-}'");
      if (cursor.peek() == '"') {
        const std::string_view rest = cursor.between(position + 1, std::string_view::npos - 1);
        const size_t end = rest.find('"');
        if (end == std::string_view::npos) return cursor.error(position, "this string is not terminated");
        blobs.insert_or_assign(key, rest.substr(0, end));
        places.insert_or_assign(key, position);
        cursor.set_position(position + end + 2);
      } else if (const std::string_view word = cursor.word(); !word.empty()) {
        key = word;
      } else if (cursor.number().empty() && !cursor.accept("{") && !cursor.accept("}") && !cursor.accept(":") &&
                 !cursor.accept(",")) {
        return cursor.unexpected("a resource", "here");
      }
    }
  }
  for (const TextReader::Resource& resource : reader.resources) {
    const auto blob = blobs.find(resource.name);
    if (blob == blobs.end())
      return cursor.error(resource.position, fmt::format("resource {} doesn't exist", quote(resource.name)));
    constexpr size_t kAlignmentDigits = 2 + 8;
    StatusOr<std::string> bytes = bytes_of_hexadecimal(blob->second);
    if (bytes.ok() && blob->second.size() < kAlignmentDigits)
      bytes = invalid_argument("the string is too short for its alignment");
    if (!bytes.ok()) return cursor.error(places[resource.name], std::string(bytes.status().message()));
    Attribute& attribute = tree.attributes[resource.attribute];
    StatusOr<Literal> literal = literal_from_bytes(tree.types[attribute.type], as_bytes(bytes->substr(4)));
    if (!literal.ok())
      return cursor.error(literal.status().code(), resource.position, std::string(literal.status().message()));
    attribute.literal = tree.keep(*std::move(literal));
  }
  return ok_status();
}

}  // namespace hilo::stablehlo
