// SPDX-License-Identifier: Apache-2.0
// Pretty forms of Shardy's operations. Shardings, meshes and axes stay text, which devices/sharding.h parses.
#include <fmt/format.h>

#include "hilo/stablehlo/text/attributes.h"
#include "hilo/stablehlo/text/forms.h"
#include "hilo/stablehlo/text/operations.h"

namespace hilo::stablehlo {
namespace {

/// Reads the text in brackets, a complete attribute, or an alias: #sdy.mesh<...>, #mesh.
StatusOr<AttributeId> read_text_in_brackets(TextReader& reader) {
  if (reader.cursor.next_is("#")) return read_attribute(reader);
  const size_t begin = reader.cursor.position();
  HILO_RETURN_IF_ERROR(reader.cursor.skip_balanced());
  return reader.tree.add_text(AttributeKind::kOther, text_between(reader, begin, reader.cursor.last_position()));
}

/// Reads the value after `key=`: text in brackets, a word, or a number.
StatusOr<AttributeId> read_value_of_key(TextReader& reader) {
  const char next = reader.cursor.peek();
  if (next == '<' || next == '[' || next == '{' || next == '#') return read_text_in_brackets(reader);
  if (next == '-' || (next >= '0' && next <= '9')) return read_number(reader, /*typed=*/false);
  return read_attribute(reader);
}

/// Reads `in_shardings=[...]`, if it is present.
StatusOr<bool> read_key(TextReader& reader, PendingOperation& operation, std::string_view key) {
  if (!reader.cursor.accept_word(key)) return false;
  HILO_RETURN_IF_ERROR(reader.cursor.expect("=", "after", key));
  HILO_ASSIGN_OR_RETURN(const AttributeId text, read_text_in_brackets(reader));
  operation.attributes.push_back({key, text});
  return true;
}

/// Reads `(%a: T) {...} {attributes} : (T) -> T`.
Status read_body(TextReader& reader, PendingOperation& operation) {
  Arguments arguments;
  HILO_RETURN_IF_ERROR(read_arguments(reader, arguments, nullptr));
  HILO_RETURN_IF_ERROR(read_region(reader, operation, arguments));
  return read_functional_tail(reader, operation);
}

}  // namespace

std::string text_between(const TextReader& reader, size_t begin, size_t end) {
  const std::string_view text = reader.cursor.between(begin, end);
  std::string out;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\' && i + 1 < text.size()) {
      out += c;
      out += text[++i];
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (!quoted && c == '/' && text.substr(i).starts_with("//")) {
      while (i < text.size() && text[i] != '\n') ++i;
      out += ' ';
      continue;
    }
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

Status read_mesh(TextReader& reader, PendingOperation& operation, uint32_t) {
  HILO_ASSIGN_OR_RETURN(std::string name, reader.cursor.symbol("a mesh"));
  operation.attributes.push_back({"sym_name", reader.tree.add_text(AttributeKind::kString, name)});
  HILO_RETURN_IF_ERROR(reader.cursor.expect("=", "after a mesh's name"));
  HILO_ASSIGN_OR_RETURN(const AttributeId mesh, read_text_in_brackets(reader));
  operation.attributes.push_back({"mesh", mesh});
  return reader.cursor.next_is("{") ? read_dictionary(reader, operation.attributes) : ok_status();
}

/// Reads `[reduction] [axes] %x [<sharding>] [key=value] {attributes} : T`. The clause without a word names the
/// attribute for the text in brackets.
Status read_sharded(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  while (true) {
    const char next = cursor.peek();
    const bool is_dictionary = next == '{' && !operation.operands.empty();
    if (next == ':' || is_dictionary) break;
    if (next == '%') {
      HILO_ASSIGN_OR_RETURN(const ValueId value, read_value(reader));
      operation.operands.push_back(value);
      continue;
    }
    if (next == '<' || next == '[' || next == '{' || next == '#') {
      const std::span<const Clause> clauses = operation.known.clauses;
      if (clauses.empty() || !clauses[0].word.empty()) return cursor.unexpected("an operand or ':'", "here");
      HILO_ASSIGN_OR_RETURN(const AttributeId text, read_text_in_brackets(reader));
      operation.attributes.push_back({clauses[0].attribute, text});
      continue;
    }
    const std::string_view word = cursor.word();
    if (word.empty()) return cursor.unexpected("an operand or ':'", "here");
    if (!cursor.accept("=")) {
      operation.attributes.push_back({"reduction_op", reader.tree.add_text(AttributeKind::kWord, word)});
      continue;
    }
    HILO_ASSIGN_OR_RETURN(const AttributeId value, read_value_of_key(reader));
    operation.attributes.push_back({reader.tree.intern(word), value});
  }
  return read_functional_tail(reader, operation);
}

/// Reads `(%x) in_shardings=[...] out_shardings=[...] manual_axes={...} (%a: T) {...} {attributes} : (T) -> T`.
Status read_manual_computation(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before operands"));
  HILO_RETURN_IF_ERROR(read_operands(reader, operation, ")"));
  for (const std::string_view key : {"in_shardings", "out_shardings", "manual_axes"}) {
    HILO_ASSIGN_OR_RETURN(const bool found, read_key(reader, operation, key));
    if (!found) return cursor.unexpected(fmt::format("'{}'", key), "in manual_computation");
  }
  return read_body(reader, operation);
}

/// Reads `<"name">(%x) in_shardings=[...] out_shardings=[...] (%a: T) {...} {attributes} : (T) -> T`. Shardings are
/// optional.
Status read_named_computation(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  HILO_RETURN_IF_ERROR(cursor.expect("<", "before a computation's name"));
  HILO_ASSIGN_OR_RETURN(const std::string name, cursor.quoted("a computation's name"));
  HILO_RETURN_IF_ERROR(cursor.expect(">", "after a computation's name"));
  operation.attributes.push_back({"name", reader.tree.add_text(AttributeKind::kString, name)});
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before operands"));
  HILO_RETURN_IF_ERROR(read_operands(reader, operation, ")"));
  HILO_RETURN_IF_ERROR(read_key(reader, operation, "in_shardings").status());
  HILO_RETURN_IF_ERROR(read_key(reader, operation, "out_shardings").status());
  return read_body(reader, operation);
}

}  // namespace hilo::stablehlo
