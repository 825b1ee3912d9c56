// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hilo/base/text.h"
#include "hilo/stablehlo/mlir_names.h"
#include "hilo/stablehlo/text_parts.h"

namespace hilo::stablehlo {
namespace {

/// `2x3x` or `?x`, as far as there are dimensions.
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
      return cursor.error(begin, fmt::format("{} is no dimension", quote(cursor.between(begin, end + 1))));
    dimensions.push_back(*size);
    cursor.set_position(end + 1);
  }
}

}  // namespace

TypeId TextReader::add_type(Type type) {
  tree.types.push_back(std::move(type));
  return static_cast<TypeId>(tree.types.size() - 1);
}

bool TextReader::at_type() {
  if (cursor.next_is("!") || cursor.next_is("(")) return true;
  const size_t begin = cursor.position();
  const std::string_view word = cursor.word();
  cursor.set_position(begin);
  return word == "tensor" || word == "tuple" || word == "none" || word == "memref" || word == "vector" ||
         element_type_from_mlir(word).has_value() || word == "complex" || word == "tf32";
}

Status TextReader::read_types(std::vector<TypeId>& list) {
  const bool bracketed = cursor.accept("(");
  if (bracketed && cursor.accept(")")) return ok_status();
  do {
    HILO_ASSIGN_OR_RETURN(const TypeId type, read_type());
    list.push_back(type);
  } while (cursor.accept(","));
  return bracketed ? cursor.expect(")", "after types") : ok_status();
}

StatusOr<TypeId> TextReader::read_function_type() {
  const size_t begin = cursor.position();
  Type type;
  type.kind = TypeKind::kFunction;
  HILO_RETURN_IF_ERROR(read_types(type.parts));
  type.input_count = static_cast<uint32_t>(type.parts.size());
  HILO_RETURN_IF_ERROR(cursor.expect("->", "in a function's type"));
  if (cursor.next_is("(")) {
    HILO_RETURN_IF_ERROR(read_types(type.parts));
  } else {
    HILO_ASSIGN_OR_RETURN(const TypeId result, read_type());
    type.parts.push_back(result);
  }
  type.spelled = cursor.between(begin, cursor.position());
  return add_type(std::move(type));
}

StatusOr<TypeId> TextReader::read_type() {
  const Nested nested(depth);
  const size_t begin = cursor.position();
  if (nested.too_deep()) return cursor.error(begin, fmt::format("types nested deeper than {}", kMaxNesting));
  if (cursor.next_is("(")) return read_function_type();
  Type type;
  if (cursor.accept("!")) {
    const std::string_view name = cursor.suffix();
    if (const auto alias = aliases.find(cursor.between(begin, begin + 1 + name.size())); alias != aliases.end()) {
      const size_t after = begin + 1 + name.size();
      cursor.set_position(alias->second);
      StatusOr<TypeId> meaning = read_type();
      cursor.set_position(after);
      return meaning;
    }
    if (cursor.next_is("<")) HILO_RETURN_IF_ERROR(cursor.skip_balanced());
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
        HILO_RETURN_IF_ERROR(read_types(type.parts));
        HILO_RETURN_IF_ERROR(cursor.expect(">", "after a tuple's types"));
      }
    } else if (word == "tensor") {
      const size_t open = cursor.position();
      HILO_RETURN_IF_ERROR(cursor.skip_balanced());
      const size_t end = cursor.last_position();
      const std::string_view spelled = cursor.between(begin, end);
      if (const auto seen = types.find(spelled); seen != types.end()) return seen->second;
      cursor.set_position(open + 1);
      HILO_RETURN_IF_ERROR(read_dimensions(cursor, type.dimensions));
      if (!cursor.accept("*x")) {
        HILO_ASSIGN_OR_RETURN(const TypeId element, read_type());
        if (tree.types[element].kind == TypeKind::kElement && cursor.accept(">")) {
          type.kind = TypeKind::kTensor;
          type.element = tree.types[element].element;
        }
      }
      cursor.set_position(end);
      type.spelled = spelled;
      const TypeId id = add_type(std::move(type));
      types.emplace(spelled, id);
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
    } else if (cursor.next_is("<")) {
      HILO_RETURN_IF_ERROR(cursor.skip_balanced());
    }
  }
  type.spelled = cursor.between(begin, cursor.last_position());
  if (const auto seen = types.find(type.spelled); seen != types.end()) return seen->second;
  const TypeId id = add_type(std::move(type));
  types.emplace(cursor.between(begin, cursor.last_position()), id);
  return id;
}

}  // namespace hilo::stablehlo
