// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/types.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "hilo/base/sizes.h"
#include "hilo/base/text.h"
#include "hilo/stablehlo/text/attributes.h"
#include "hilo/stablehlo/tree/elements.h"
#include "hilo/stablehlo/tree/mlir_names.h"

namespace hilo::stablehlo {
namespace {

/// Reads `2x3x` or `?x` for each dimension.
Status read_dimensions(Cursor& cursor, std::vector<int64_t>& dimensions) {
  while (true) {
    const size_t begin = cursor.position();
    if (cursor.accept("?x")) {
      dimensions.push_back(kDynamic);
      continue;
    }
    size_t end = begin;
    while (end - begin < 20 && cursor.between(end, end + 1) >= "0" && cursor.between(end, end + 1) <= "9") ++end;
    if (end == begin) return ok_status();
    const std::string_view digits = cursor.between(begin, end);
    const std::optional<int64_t> size = parse_int64(digits);
    if (!size || cursor.between(end, end + 1) != "x")
      return cursor.error(begin, fmt::format("{} is not a dimension", quote(cursor.between(begin, end + 1))));
    dimensions.push_back(*size);
    cursor.set_position(end + 1);
  }
}

/// Reads a number with an optional sign.
StatusOr<double> read_number(Cursor& cursor) {
  const size_t position = cursor.position();
  const std::string_view text = cursor.number();
  double value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc() || stop != text.data() + text.size())
    return cursor.error(position, fmt::format("{} is not a number", quote(text)));
  return value;
}

/// Reads `0.1:-30`: a scale and an optional zero point.
Status read_scale(Cursor& cursor, Quantization& q) {
  HILO_ASSIGN_OR_RETURN(const double scale, read_number(cursor));
  double zero_point = 0;
  if (cursor.accept(":")) {
    HILO_ASSIGN_OR_RETURN(zero_point, read_number(cursor));
  }
  q.scales.push_back(scale);
  q.zero_points.push_back(zero_point);
  return ok_status();
}

/// Reads `<i8<-128:127>:f32:0, {0.1:-30, 0.5:-20}>`: storage type and range, expressed type, axis, scales.
StatusOr<Type> read_quantized(Cursor& cursor) {
  HILO_RETURN_IF_ERROR(cursor.expect("<", "after quant.uniform"));
  const size_t position = cursor.position();
  const std::string_view word = cursor.word();
  const std::string storage_name = word.starts_with('u') ? "ui" + std::string(word.substr(1)) : std::string(word);
  const std::optional<ElementType> storage = element_type_from_mlir(storage_name);
  if (!storage || !is_integer(*storage))
    return cursor.error(position, fmt::format("{} is not a storage type", quote(word)));
  Quantization q;
  const int bits = element_type_info(*storage).bits;
  q.least = is_signed_integer(*storage) ? -std::ldexp(1.0, bits - 1) : 0;
  q.greatest = std::ldexp(1.0, is_signed_integer(*storage) ? bits - 1 : bits) - 1;
  if (cursor.accept("<")) {
    HILO_ASSIGN_OR_RETURN(q.least, read_number(cursor));
    HILO_RETURN_IF_ERROR(cursor.expect(":", "between the limits of a storage type"));
    HILO_ASSIGN_OR_RETURN(q.greatest, read_number(cursor));
    HILO_RETURN_IF_ERROR(cursor.expect(">", "after the limits of a storage type"));
  }
  HILO_RETURN_IF_ERROR(cursor.expect(":", "after a storage type"));
  const size_t expressed_position = cursor.position();
  const std::optional<ElementType> expressed = element_type_from_mlir(cursor.word());
  if (!expressed || !is_floating(*expressed)) return cursor.error(expressed_position, "expected an expressed type");
  q.expressed = *expressed;
  if (cursor.accept(":")) {
    HILO_ASSIGN_OR_RETURN(q.axis, cursor.integer("a quantised dimension"));
  }
  HILO_RETURN_IF_ERROR(cursor.expect(",", "before a scale"));
  const bool braced = cursor.accept("{");
  do {
    HILO_RETURN_IF_ERROR(read_scale(cursor, q));
  } while (braced && cursor.accept(","));
  if (braced) HILO_RETURN_IF_ERROR(cursor.expect("}", "after scales"));
  HILO_RETURN_IF_ERROR(cursor.expect(">", "after a quantized type"));
  Type type;
  type.kind = TypeKind::kElement;
  type.element = *storage;
  type.quantization = std::make_shared<const Quantization>(std::move(q));
  return type;
}

/// Reads `#stablehlo.bounds<5, ?>` or `#stablehlo.type_extensions<bounds = [5, ?]>`. Other encodings describe the
/// storage of a tensor.
Status read_encoding(Cursor& cursor, Type& type) {
  const bool listed = cursor.accept("#stablehlo.type_extensions<") || cursor.accept("#mhlo.type_extensions<");
  if (!listed && !cursor.accept("#stablehlo.bounds<") && !cursor.accept("#mhlo.bounds<")) {
    while (!cursor.next_is(">") && !cursor.at_end()) {
      const char next = cursor.peek();
      if (next == '<' || next == '[' || next == '{' || next == '(') HILO_RETURN_IF_ERROR(cursor.skip_balanced());
      else if (next == '"') HILO_RETURN_IF_ERROR(cursor.quoted("an encoding").status());
      else cursor.set_position(cursor.position() + 1);
    }
    return ok_status();
  }
  const size_t position = cursor.position();
  if (listed) {
    if (!cursor.accept_word("bounds")) return cursor.unexpected("'bounds'", "in type_extensions");
    HILO_RETURN_IF_ERROR(cursor.expect("=", "after 'bounds'"));
    HILO_RETURN_IF_ERROR(cursor.expect("[", "before bounds"));
  }
  std::vector<int64_t> bounds;
  do {
    int64_t bound = kDynamic;
    if (!cursor.accept("?")) {
      HILO_ASSIGN_OR_RETURN(bound, cursor.integer("a bound"));
    }
    bounds.push_back(bound);
  } while (cursor.accept(","));
  if (listed) HILO_RETURN_IF_ERROR(cursor.expect("]", "after bounds"));
  HILO_RETURN_IF_ERROR(cursor.expect(">", "after bounds"));
  const Status set = set_bounds(type, bounds);
  return set.ok() ? set : cursor.error(position, std::string(set.message()));
}

}  // namespace

TypeId add_type(TextReader& reader, Type type) {
  ModuleTree& tree = reader.tree;
  tree.types.push_back(std::move(type));
  return static_cast<TypeId>(tree.types.size() - 1);
}

bool at_type(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  if (cursor.next_is("!") || cursor.next_is("(")) return true;
  const size_t begin = cursor.position();
  const std::string_view word = cursor.word();
  cursor.set_position(begin);
  return word == "tensor" || word == "tuple" || word == "none" || word == "memref" || word == "vector" ||
         element_type_from_mlir(word).has_value() || word == "complex" || word == "tf32";
}

Status read_types(TextReader& reader, std::vector<TypeId>& list) {
  Cursor& cursor = reader.cursor;
  const bool bracketed = cursor.accept("(");
  if (bracketed && cursor.accept(")")) return ok_status();
  do {
    HILO_ASSIGN_OR_RETURN(const TypeId type, read_type(reader));
    list.push_back(type);
  } while (cursor.accept(","));
  return bracketed ? cursor.expect(")", "after types") : ok_status();
}

StatusOr<TypeId> read_function_type(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  const size_t begin = cursor.position();
  Type type;
  type.kind = TypeKind::kFunction;
  HILO_RETURN_IF_ERROR(read_types(reader, type.parts));
  type.input_count = size32(type.parts);
  HILO_RETURN_IF_ERROR(cursor.expect("->", "in a function's type"));
  if (cursor.next_is("(")) {
    HILO_RETURN_IF_ERROR(read_types(reader, type.parts));
  } else {
    HILO_ASSIGN_OR_RETURN(const TypeId result, read_type(reader));
    type.parts.push_back(result);
  }
  type.spelled = cursor.between(begin, cursor.position());
  return add_type(reader, std::move(type));
}

StatusOr<TypeId> read_type(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  const Nested nested(reader.depth);
  const size_t begin = cursor.position();
  if (nested.too_deep()) return cursor.error(begin, fmt::format("types nested deeper than {}", kMaxNesting));
  if (cursor.next_is("(")) return read_function_type(reader);
  if (cursor.next_is("tensor<")) {  // the common case: the text of a type without an inner '>' is cached
    const std::string_view spelled = cursor.through('>');
    if (const auto seen = reader.types.find(spelled); seen != reader.types.end()) {
      cursor.set_position(begin + spelled.size());
      return seen->second;
    }
  }
  Type type;
  if (cursor.accept("!")) {
    const std::string_view name = cursor.suffix();
    if (const auto alias = reader.aliases.find(cursor.between(begin, begin + 1 + name.size()));
        alias != reader.aliases.end()) {
      const size_t after = begin + 1 + name.size();
      cursor.set_position(alias->second);
      StatusOr<TypeId> meaning = read_type(reader);
      cursor.set_position(after);
      return meaning;
    }
    if (cursor.next_is("<")) HILO_RETURN_IF_ERROR(cursor.skip_balanced());
    if (name == "quant.uniform") {
      const size_t end = cursor.last_position();
      cursor.set_position(begin + 1 + name.size());
      StatusOr<Type> quantized = read_quantized(cursor);
      if (!quantized.ok()) return quantized.status();
      type = *std::move(quantized);
      cursor.set_position(end);
    }
    if (name == "stablehlo.token" || name == "mhlo.token") type.kind = TypeKind::kToken;
  } else {
    const std::string_view word = cursor.word();
    if (word.empty()) return cursor.unexpected("a type", "here");
    if (word == "none") {
      type.kind = TypeKind::kNoType;
    } else if (word == "tuple") {
      type.kind = TypeKind::kTuple;
      HILO_RETURN_IF_ERROR(cursor.expect("<", "after 'tuple'"));
      if (!cursor.accept(">")) {
        HILO_RETURN_IF_ERROR(read_types(reader, type.parts));
        HILO_RETURN_IF_ERROR(cursor.expect(">", "after a tuple's types"));
      }
    } else if (word == "tensor") {
      const size_t open = cursor.position();
      HILO_RETURN_IF_ERROR(cursor.skip_balanced());
      const size_t end = cursor.last_position();
      const std::string_view spelled = cursor.between(begin, end);
      if (const auto seen = reader.types.find(spelled); seen != reader.types.end()) return seen->second;
      cursor.set_position(open + 1);
      HILO_RETURN_IF_ERROR(read_dimensions(cursor, type.dimensions));
      if (!cursor.accept("*x")) {
        HILO_ASSIGN_OR_RETURN(const TypeId element, read_type(reader));
        if (cursor.accept(",")) HILO_RETURN_IF_ERROR(read_encoding(cursor, type));
        if (tree.types[element].kind == TypeKind::kElement && cursor.accept(">")) {
          type.kind = TypeKind::kTensor;
          type.element = tree.types[element].element;
          type.quantization = tree.types[element].quantization;
          type.six_bits = tree.types[element].six_bits;
        }
      }
      cursor.set_position(end);
      type.spelled = spelled;
      const TypeId id = add_type(reader, std::move(type));
      reader.types.emplace(spelled, id);
      return id;
    } else if (word == "complex") {
      HILO_RETURN_IF_ERROR(cursor.expect("<", "after 'complex'"));
      const std::string_view part = cursor.word();
      HILO_RETURN_IF_ERROR(cursor.expect(">", "after the type of a complex number's parts"));
      type.kind = part == "f32" || part == "f64" ? TypeKind::kElement : TypeKind::kOther;
      type.element = part == "f64" ? ElementType::kC128 : ElementType::kC64;
    } else if (const std::optional<ElementType> element = element_type_from_mlir(word)) {
      type.kind = TypeKind::kElement;
      type.element = *element;
    } else if (const std::optional<Type> carried = six_bit_type(word)) {
      type = *carried;
    } else if (cursor.next_is("<")) {
      HILO_RETURN_IF_ERROR(cursor.skip_balanced());
    }
  }
  type.spelled = cursor.between(begin, cursor.last_position());
  if (const auto seen = reader.types.find(type.spelled); seen != reader.types.end()) return seen->second;
  const TypeId id = add_type(reader, std::move(type));
  reader.types.emplace(cursor.between(begin, cursor.last_position()), id);
  return id;
}

}  // namespace hilo::stablehlo
