// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/bytecode_tables.h"

#include "hilo/base/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace hilo::stablehlo {
namespace {

ByteWriter begin(VhloAttribute code) {
  ByteWriter bytes;
  bytes.number(ordinal(code));
  return bytes;
}
ByteWriter begin(VhloType code) {
  ByteWriter bytes;
  bytes.number(ordinal(code));
  return bytes;
}
ByteWriter begin(BuiltinAttribute code) {
  ByteWriter bytes;
  bytes.number(ordinal(code));
  return bytes;
}

/// Returns truth values in MLIR's format: one bit each, or a single byte of ones or zeros if all are equal.
std::string packed_bits(std::span<const uint8_t> values) {
  const bool first = !values.empty() && values[0] != 0;
  const bool alike = std::all_of(values.begin(), values.end(), [&](uint8_t v) { return (v != 0) == first; });
  if (alike) return values.empty() ? std::string() : std::string(1, first ? '\xff' : '\0');
  std::string bytes((values.size() + 7) / 8, '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << i % 8);
  }
  return bytes;
}

}  // namespace

uint64_t EntryTable::add(Dialect dialect, std::string bytes) {
  const auto [known, is_new] = known_[dialect].emplace(std::move(bytes), entries_.size());
  if (is_new) entries_.push_back({dialect, &known->first});
  return known->second;
}

void EntryTable::write(ByteWriter& bytes, ByteWriter& offsets) const {
  for (size_t begin = 0; begin < entries_.size();) {
    size_t end = begin;
    while (end < entries_.size() && entries_[end].dialect == entries_[begin].dialect) ++end;
    offsets.number(entries_[begin].dialect);
    offsets.number(end - begin);
    for (; begin < end; ++begin) {
      offsets.number(entries_[begin].bytes->size() << 1 | 1);  // lowest bit: encoded by its dialect
      bytes.bytes(*entries_[begin].bytes);
    }
  }
}

uint64_t BytecodeTables::string(std::string_view text) {
  const auto [known, is_new] = string_numbers_.emplace(text, strings.size());
  if (is_new) strings.push_back(known->first);
  return known->second;
}

// ---- Types.

uint64_t BytecodeTables::simple_type(uint64_t code) {
  ByteWriter bytes;
  bytes.number(code);
  return types.add(kVhlo, bytes.take());
}

uint64_t BytecodeTables::element_type(ElementType type) {
  if (is_complex(type)) {
    const uint64_t part = element_type(real_type_of(type));
    ByteWriter bytes = begin(VhloType::kComplex);
    bytes.number(part);
    return types.add(kVhlo, bytes.take());
  }
  const std::optional<uint64_t> code = vhlo_type_code(type);
  if (!code) fail(fmt::format("VHLO has no type {}", element_type_name(type)));
  return simple_type(code.value_or(0));
}

uint64_t BytecodeTables::tensor_type(std::span<const int64_t> dimensions, uint64_t element) {
  ByteWriter bytes = begin(VhloType::kRankedTensor);
  bytes.signed_numbers(dimensions);
  bytes.number(element);
  return types.add(kVhlo, bytes.take());
}

uint64_t BytecodeTables::type(TypeId id) {
  if (type_numbers_[id] != kUnknown) return type_numbers_[id];
  const Type& type = tree_.types[id];
  uint64_t number = 0;
  switch (type.kind) {
    case TypeKind::kElement:
      number = type.spelled == "index" ? simple_type(ordinal(VhloType::kIndex)) : element_type(type.element);
      break;
    case TypeKind::kTensor: {
      const bool is_index = type.spelled.ends_with("xindex>") || type.spelled == "tensor<index>";
      number =
          tensor_type(type.dimensions, is_index ? simple_type(ordinal(VhloType::kIndex)) : element_type(type.element));
      break;
    }
    case TypeKind::kToken: number = simple_type(ordinal(VhloType::kToken)); break;
    case TypeKind::kNoType: number = simple_type(ordinal(VhloType::kNone)); break;
    case TypeKind::kFunction:
    case TypeKind::kTuple: {
      const bool is_function = type.kind == TypeKind::kFunction;
      std::vector<uint64_t> parts;
      for (TypeId part : type.parts) parts.push_back(this->type(part));
      const size_t inputs = is_function ? type.input_count : parts.size();
      ByteWriter bytes = begin(is_function ? VhloType::kFunction : VhloType::kTuple);
      bytes.number(inputs);
      for (size_t i = 0; i < inputs; ++i) bytes.number(parts[i]);
      if (is_function) bytes.number(parts.size() - inputs);
      for (size_t i = inputs; i < parts.size(); ++i) bytes.number(parts[i]);
      number = types.add(kVhlo, bytes.take());
      break;
    }
    case TypeKind::kOther: fail(fmt::format("VHLO has no type {}", type.spelled)); break;
  }
  return type_numbers_[id] = number;
}

// ---- Attributes of dialect builtin.

uint64_t BytecodeTables::name(std::string_view text) {
  const uint64_t index = string(text);
  ByteWriter bytes = begin(BuiltinAttribute::kString);
  bytes.number(index);
  return attributes.add(kBuiltin, bytes.take());
}

uint64_t BytecodeTables::location(LocationId id) {
  if (location_numbers_.empty()) location_numbers_.assign(tree_.locations.size(), kUnknown);
  if (location_numbers_[id] != kUnknown) return location_numbers_[id];
  const Location& where = tree_.locations[id];
  ByteWriter bytes = begin(BuiltinAttribute::kUnknownLoc);
  if (!where.file.empty()) {
    const uint64_t file = name(where.file);
    bytes = begin(BuiltinAttribute::kFileLineColLoc);
    bytes.number(file);
    bytes.number(static_cast<uint64_t>(std::max<int64_t>(where.line, 0)));
    bytes.number(0);
  }
  uint64_t number = attributes.add(kBuiltin, bytes.take());
  if (!where.name.empty()) {
    const uint64_t own = name(where.name);
    ByteWriter named = begin(BuiltinAttribute::kNameLoc);
    named.number(own);
    named.number(number);
    number = attributes.add(kBuiltin, named.take());
  }
  return location_numbers_[id] = number;
}

uint64_t BytecodeTables::dictionary(std::span<const NamedAttribute> entries) {
  std::vector<std::pair<std::string_view, AttributeId>> sorted;
  for (const NamedAttribute& entry : entries) sorted.emplace_back(entry.name, entry.value);
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint64_t> numbers;
  for (const auto& [key, value] : sorted) {
    numbers.push_back(name(key));
    numbers.push_back(attribute(tree_.attributes[value]));
  }
  ByteWriter bytes = begin(BuiltinAttribute::kDictionary);
  bytes.number(sorted.size());
  for (uint64_t number : numbers) bytes.number(number);
  return attributes.add(kBuiltin, bytes.take());
}

// ---- Attributes of VHLO.

uint64_t BytecodeTables::coded(VhloAttribute code, uint64_t value) {
  ByteWriter bytes = begin(code);
  bytes.number(value);
  return vhlo(bytes);
}

uint64_t BytecodeTables::integer(ElementType type, int64_t value, bool is_index) {
  const int bits = element_type_info(type).bits;
  const uint64_t index = is_index ? simple_type(ordinal(VhloType::kIndex)) : element_type(type);
  ByteWriter bytes = begin(VhloAttribute::kInteger);
  bytes.number(index);
  const uint64_t kept =
      bits == 64 ? static_cast<uint64_t>(value) : static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
  if (bits <= 8) bytes.byte(kept);
  else bytes.signed_number(kept);
  return vhlo(bytes);
}

uint64_t BytecodeTables::floating(ElementType type, double value) {
  if (type != ElementType::kF32 && type != ElementType::kF64)
    fail(fmt::format("an attribute that is a number of type {}", element_type_name(type)));
  const uint64_t index = element_type(type);
  ByteWriter bytes = begin(VhloAttribute::kFloat);
  bytes.number(index);
  if (type == ElementType::kF64) bytes.signed_number(std::bit_cast<int64_t>(value));
  else bytes.signed_number(std::bit_cast<uint32_t>(static_cast<float>(value)));
  return vhlo(bytes);
}

uint64_t BytecodeTables::word(VhloAttribute code, std::string_view word) {
  const std::span<const std::string_view> words = vhlo_words(code);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) fail(fmt::format("VHLO has no enum value {}", word));
  return coded(code, static_cast<uint64_t>(found - words.begin()));
}

uint64_t BytecodeTables::array(std::span<const uint64_t> elements) {
  ByteWriter bytes = begin(VhloAttribute::kArray);
  bytes.number(elements.size());
  for (uint64_t element : elements) bytes.number(element);
  return vhlo(bytes);
}

uint64_t BytecodeTables::tensor(uint64_t type, std::string_view data) {
  ByteWriter bytes = begin(VhloAttribute::kTensor);
  bytes.number(type);
  bytes.blob(data);
  return vhlo(bytes);
}

uint64_t BytecodeTables::integers(std::span<const int64_t> values, ElementType type) {
  const int64_t sizes[] = {std::ssize(values)};
  const uint64_t index = tensor_type(sizes, element_type(type));
  if (type != ElementType::kPred)
    return tensor(index, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int64_t)});
  std::vector<uint8_t> truths;
  for (int64_t value : values) truths.push_back(value != 0 ? 1 : 0);
  return tensor(index, packed_bits(truths));
}

uint64_t BytecodeTables::elements(const Attribute& attribute) {
  if (attribute.literal == nullptr || attribute.type == kNone) {
    fail("a tensor without elements");
    return 0;
  }
  const uint64_t type = this->type(attribute.type);
  const Literal& literal = *attribute.literal;
  const ElementType element = literal.shape().element_type();
  if (element == ElementType::kPred) return tensor(type, packed_bits(literal.data<uint8_t>()));
  const std::span<const std::byte> raw = literal.bytes();
  std::string data(reinterpret_cast<const char*>(raw.data()), raw.size());
  if (const int bits = element_type_info(element).bits; bits < 8) {
    for (char& byte : data) byte = static_cast<char>(byte & ((1 << bits) - 1));
  }
  return tensor(type, data);
}

uint64_t BytecodeTables::alias(const Attribute& attribute) {
  ByteWriter bytes = begin(VhloAttribute::kOutputOperandAlias);
  const auto list = [&](std::string_view key) {
    const Attribute* const value = tree_.find(attribute, key);
    if (value != nullptr) bytes.signed_numbers(value->integers);
    else fail(fmt::format("an alias without {}", key));
  };
  list("output_tuple_indices");
  const Attribute* const operand = tree_.find(attribute, "operand_index");
  bytes.signed_number(operand == nullptr ? 0 : operand->integer);
  list("operand_tuple_indices");
  return vhlo(bytes);
}

uint64_t BytecodeTables::attribute(const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kUnit: return coded(VhloAttribute::kBoolean, 1);
    case AttributeKind::kBool: return coded(VhloAttribute::kBoolean, attribute.integer != 0 ? 1 : 0);
    case AttributeKind::kString:
    case AttributeKind::kSymbol: return coded(VhloAttribute::kString, string(attribute.text));
    case AttributeKind::kInteger: {
      if (attribute.type == kNone) return integer(ElementType::kS64, attribute.integer);
      const Type& type = tree_.types[attribute.type];
      return integer(type.element, attribute.integer, type.spelled == "index");
    }
    case AttributeKind::kFloat:
      return floating(attribute.type == kNone ? ElementType::kF64 : tree_.types[attribute.type].element,
                      attribute.number);
    case AttributeKind::kType: return coded(VhloAttribute::kType, type(attribute.type));
    case AttributeKind::kIntegers: return integers(attribute.integers, ElementType::kS64);
    case AttributeKind::kElements: return elements(attribute);
    case AttributeKind::kArray: {
      std::vector<uint64_t> parts;
      for (AttributeId id : attribute.elements) parts.push_back(this->attribute(tree_.attributes[id]));
      return array(parts);
    }
    case AttributeKind::kDictionary: {
      if (attribute.text == "stablehlo.output_operand_alias") return alias(attribute);
      std::vector<std::pair<std::string_view, AttributeId>> sorted;
      for (const NamedAttribute& entry : attribute.entries) sorted.emplace_back(entry.name, entry.value);
      std::sort(sorted.begin(), sorted.end());
      std::vector<uint64_t> parts;
      for (const auto& [key, value] : sorted) {
        parts.push_back(coded(VhloAttribute::kString, string(key)));
        parts.push_back(this->attribute(tree_.attributes[value]));
      }
      ByteWriter bytes = begin(VhloAttribute::kDictionary);
      bytes.number(sorted.size());
      for (uint64_t part : parts) bytes.number(part);
      return vhlo(bytes);
    }
    case AttributeKind::kWord:
    case AttributeKind::kOther: break;
  }
  fail(fmt::format("attribute {} has no form in VHLO", attribute.text));
  return 0;
}

uint64_t BytecodeTables::property(const AttributeRow& row, const Attribute* attribute) {
  const int64_t value = attribute == nullptr ? 0 : attribute->integer;
  const auto numbers = [&](ElementType type) {
    const StatusOr<std::vector<int64_t>> list =
        attribute == nullptr ? StatusOr<std::vector<int64_t>>(std::vector<int64_t>()) : integers_of(tree_, *attribute);
    if (!list.ok()) fail(fmt::format("attribute '{}' is not a list", row.name));
    return integers(list.ok() ? *list : std::vector<int64_t>(), type);
  };
  switch (row.form) {
    case AttributeForm::kInteger64: return integer(ElementType::kS64, value);
    case AttributeForm::kInteger32: return integer(ElementType::kS32, value);
    case AttributeForm::kFloat32: return floating(ElementType::kF32, attribute == nullptr ? 0 : attribute->number);
    case AttributeForm::kBool: return coded(VhloAttribute::kBoolean, value != 0 ? 1 : 0);
    case AttributeForm::kUnit: return coded(VhloAttribute::kBoolean, attribute != nullptr ? 1 : 0);
    case AttributeForm::kIntegers: return numbers(ElementType::kS64);
    case AttributeForm::kBools: return numbers(ElementType::kPred);
    case AttributeForm::kApiVersion:
      return coded(VhloAttribute::kCustomCallApiVersion, static_cast<uint64_t>(attribute == nullptr ? 1 : value));
    case AttributeForm::kWord: return word(row.word, attribute == nullptr ? vhlo_words(row.word)[0] : attribute->text);
    case AttributeForm::kWords: {
      std::vector<uint64_t> words;
      for (AttributeId id : attribute == nullptr ? std::span<const AttributeId>() : attribute->elements)
        words.push_back(word(row.word, tree_.attributes[id].text));
      return array(words);
    }
    case AttributeForm::kString:
    case AttributeForm::kSymbol:
      return coded(VhloAttribute::kString, string(attribute == nullptr ? std::string_view() : attribute->text));
    case AttributeForm::kAccuracy: {
      const uint64_t mode = coded(VhloAttribute::kResultAccuracyMode, 0);
      ByteWriter bytes = begin(VhloAttribute::kResultAccuracy);
      for (int i = 0; i < 3; ++i) bytes.signed_number(0);  // tolerances: absolute, relative, in ulps
      bytes.number(mode);
      return vhlo(bytes);
    }
    case AttributeForm::kNoType: return coded(VhloAttribute::kType, simple_type(ordinal(VhloType::kNone)));
    case AttributeForm::kMatrix:
    case AttributeForm::kElements:
    case AttributeForm::kDictionary:
    case AttributeForm::kType:
      if (attribute != nullptr) return this->attribute(*attribute);
      fail(fmt::format("attribute '{}' is missing", row.name));
      return 0;
    case AttributeForm::kSymbols:
    case AttributeForm::kLayouts:
    case AttributeForm::kAliases:
    case AttributeForm::kTypeLists: return attribute == nullptr ? array({}) : this->attribute(*attribute);
  }
  return 0;
}

}  // namespace hilo::stablehlo
