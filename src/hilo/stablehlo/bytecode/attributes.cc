// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/bytecode/attributes.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "hilo/stablehlo/bytecode/shardings.h"
#include "hilo/stablehlo/bytecode/stablehlo_attributes.h"
#include "hilo/stablehlo/bytecode/types.h"
#include "hilo/stablehlo/tree/elements.h"
#include "hilo/types/narrow_float.h"

namespace hilo::stablehlo {

Attribute read_list(BytecodeReader& reader, ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kArray;
  std::vector<AttributeId> elements(in.count());
  for (AttributeId& element : elements) {
    element = attribute_from(reader, in);
    if (in.failed()) return made;
  }
  made.elements = reader.tree.keep(std::span<const AttributeId>(elements));
  return made;
}

AttributeId add_signed(BytecodeReader& reader, ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kInteger;
  made.integer = in.signed_number();
  return reader.tree.add(made);
}

namespace {

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

Attribute text_attribute(ModuleTree& tree, AttributeKind kind, std::string_view text) {
  Attribute attribute;
  attribute.kind = kind;
  attribute.text = tree.keep(text);
  return attribute;
}

Attribute read_dictionary(BytecodeReader& reader, ByteReader& in) {
  ModuleTree& tree = reader.tree;
  Attribute made;
  made.kind = AttributeKind::kDictionary;
  std::vector<NamedAttribute> entries(in.count(2));
  for (NamedAttribute& entry : entries) {
    entry.name = tree.intern(string_attribute_from(reader, in));
    entry.value = attribute_from(reader, in);
    if (in.failed()) return made;
  }
  made.entries = tree.keep(std::span<const NamedAttribute>(entries));
  return made;
}

Attribute read_integer(BytecodeReader& reader, ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kInteger;
  made.type = type_from(reader, in);
  if (in.failed()) return made;
  const Type& type = reader.tree.types[made.type];
  if (type.kind != TypeKind::kElement || is_floating(type.element)) {
    in.fail(fmt::format("an integer of type {}", type.spelled));
    return made;
  }
  const int bits = bits_of(type);
  if (bits == 1) made.kind = AttributeKind::kBool;
  if (bits > 8) {
    made.integer = in.signed_number();
    // MLIR writes narrow negative numbers as unsigned numbers with the same bits.
    if (const int unused = 64 - bits; is_signed_integer(type.element) && unused > 0)
      made.integer = static_cast<int64_t>(static_cast<uint64_t>(made.integer) << unused) >> unused;
  } else {
    const unsigned value = in.byte();
    const bool negative = is_signed_integer(type.element) && bits > 1 && ((value >> (bits - 1)) & 1) != 0;
    made.integer = negative ? static_cast<int64_t>(value) - (int64_t{1} << bits) : static_cast<int64_t>(value);
  }
  return made;
}

Attribute read_float(BytecodeReader& reader, ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kFloat;
  made.type = type_from(reader, in);
  if (in.failed()) return made;
  const Type& type = reader.tree.types[made.type];
  if (type.kind != TypeKind::kElement || !is_floating(type.element)) {
    in.fail(StatusCode::kUnimplemented, fmt::format("a number of type {}", type.spelled));
    return made;
  }
  const int bits = bits_of(type);
  const uint64_t value = bits <= 8 ? in.byte() : static_cast<uint64_t>(in.signed_number());
  switch (type.element) {
    case ElementType::kF64: made.number = std::bit_cast<double>(value); break;
    case ElementType::kF32:
      made.number = static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value)));
      break;
    case ElementType::kF16: made.number = static_cast<double>(half_bits_to_float(static_cast<uint16_t>(value))); break;
    case ElementType::kBf16:
      made.number = static_cast<double>(bfloat16_bits_to_float(static_cast<uint16_t>(value)));
      break;
    default: made.number = narrow_float_value(type.element, static_cast<uint8_t>(value));
  }
  return made;
}

Attribute read_elements(BytecodeReader& reader, ByteReader& in) {
  ModuleTree& tree = reader.tree;
  Attribute made;
  made.kind = AttributeKind::kElements;
  made.type = type_from(reader, in);
  const std::string_view bytes = in.bytes(in.count());
  if (in.failed()) return made;
  const Type& type = tree.types[made.type];
  StatusOr<std::string> carried = type.six_bits != SixBits::kNone ? six_bit_elements(type, bytes) : std::string();
  if (!carried.ok()) {
    in.fail(std::string(carried.status().message()));
    return made;
  }
  StatusOr<Literal> literal = literal_from_bytes(type, as_bytes(type.six_bits != SixBits::kNone ? *carried : bytes));
  if (literal.ok()) made.literal = tree.keep(*std::move(literal));
  else in.fail(literal.status().code(), std::string(literal.status().message()));
  return made;
}

Attribute read_dense_array(BytecodeReader& reader, ByteReader& in) {
  ModuleTree& tree = reader.tree;
  Attribute made;
  made.kind = AttributeKind::kIntegers;
  const TypeId element = type_from(reader, in);
  const uint64_t count = in.number();
  const std::string_view bytes = in.bytes(in.count());
  if (in.failed()) return made;
  const Type& type = tree.types[element];
  const size_t size = type.kind == TypeKind::kElement ? static_cast<size_t>(element_size_bytes(type.element)) : 0;
  if (size == 0 || is_floating(type.element) || is_complex(type.element)) {
    in.fail(StatusCode::kUnimplemented, fmt::format("an array of {}; wanted one of integers", type.spelled));
  } else if (count > bytes.size() || count * size != bytes.size()) {
    in.fail(fmt::format("an array of {} integers in {} bytes", count, bytes.size()));
  }
  if (in.failed()) return made;
  std::vector<int64_t> integers(count);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t value = 0;
    for (size_t b = size; b-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i * size + b]);
    const int unused = 64 - static_cast<int>(8 * size);
    integers[i] = static_cast<int64_t>(value << unused) >> unused;
  }
  made.integers = tree.keep(std::span<const int64_t>(integers));
  return made;
}

Attribute read_builtin(BytecodeReader& reader, ByteReader& in) {
  ModuleTree& tree = reader.tree;
  const uint64_t code = in.number();
  switch (static_cast<BuiltinAttribute>(code)) {
    case BuiltinAttribute::kArray: return read_list(reader, in);
    case BuiltinAttribute::kDictionary: return read_dictionary(reader, in);
    case BuiltinAttribute::kString: return text_attribute(tree, AttributeKind::kString, string_from(reader, in));
    case BuiltinAttribute::kStringWithType: {
      Attribute made = text_attribute(tree, AttributeKind::kString, string_from(reader, in));
      made.type = type_from(reader, in);
      return made;
    }
    case BuiltinAttribute::kFlatSymbolRef:
      return text_attribute(tree, AttributeKind::kSymbol, string_attribute_from(reader, in));
    case BuiltinAttribute::kType: {
      Attribute made;
      made.kind = AttributeKind::kType;
      made.type = type_from(reader, in);
      return made;
    }
    case BuiltinAttribute::kUnit: return {};
    case BuiltinAttribute::kInteger: return read_integer(reader, in);
    case BuiltinAttribute::kFloat: return read_float(reader, in);
    case BuiltinAttribute::kDenseArray: return read_dense_array(reader, in);
    case BuiltinAttribute::kDenseElements: return read_elements(reader, in);
    case BuiltinAttribute::kCallSiteLoc:
    case BuiltinAttribute::kFileLineColLoc:
    case BuiltinAttribute::kFusedLoc:
    case BuiltinAttribute::kFusedLocWithMetadata:
    case BuiltinAttribute::kNameLoc:
    case BuiltinAttribute::kUnknownLoc:
    case BuiltinAttribute::kFileLineColRange: return text_attribute(tree, AttributeKind::kOther, "loc(...)");
    case BuiltinAttribute::kSymbolRef:
    case BuiltinAttribute::kDenseResource:
    case BuiltinAttribute::kDenseString:
    case BuiltinAttribute::kSparse:
    case BuiltinAttribute::kDistinct: break;
  }
  in.fail(StatusCode::kUnimplemented, fmt::format("attribute {} of dialect 'builtin'", code));
  return {};
}

Attribute read_mesh_attribute(BytecodeReader& reader, ByteReader& in, VhloAttribute kind) {
  ModuleTree& tree = reader.tree;
  std::vector<NamedAttribute> entries;
  const auto add = [&](std::string_view name, AttributeId value) { entries.push_back({tree.intern(name), value}); };
  Attribute made;
  made.kind = AttributeKind::kDictionary;
  if (kind == VhloAttribute::kSubAxisInfo) {
    made.text = "stablehlo.sub_axis_info";
    add("pre_size", add_signed(reader, in));
    add("size", add_signed(reader, in));
  } else if (kind == VhloAttribute::kAxisRef) {
    made.text = "stablehlo.axis_ref";
    add("name", attribute_from(reader, in));
    if (in.number() != 0) add("sub_axis_info", attribute_from(reader, in));
  } else if (kind == VhloAttribute::kReplicaGroupMeshAxes) {
    made.text = "stablehlo.replica_group_mesh_axes";
    add("mesh", attribute_from(reader, in));
    add("axes", attribute_from(reader, in));
  } else if (kind == VhloAttribute::kMeshAxis) {
    made.text = "stablehlo.mesh_axis";
    add("name", attribute_from(reader, in));
    add("size", add_signed(reader, in));
  } else {
    made.text = "stablehlo.mesh";
    add("axes", attribute_from(reader, in));
    const uint64_t ids = in.number();  // lowest bit: whether there is a value
    if (ids % 2 != 0 && ids / 2 >= reader.attributes.size()) in.fail(fmt::format("no attribute {}", ids / 2));
    else if (ids % 2 != 0) add("device_ids", attribute_at(reader, in, static_cast<uint32_t>(ids / 2)));
  }
  if (in.failed()) return {};
  made.entries = tree.keep(std::span<const NamedAttribute>(entries));
  return made;
}

Attribute read_vhlo(BytecodeReader& reader, ByteReader& in) {
  ModuleTree& tree = reader.tree;
  const uint64_t code = in.number();
  const auto kind = static_cast<VhloAttribute>(code);
  switch (kind) {
    case VhloAttribute::kArray: return read_list(reader, in);
    case VhloAttribute::kBoolean: {
      Attribute made;
      made.kind = AttributeKind::kBool;
      made.integer = in.number() != 0 ? 1 : 0;
      return made;
    }
    case VhloAttribute::kDictionary: return read_dictionary(reader, in);
    case VhloAttribute::kFloat: return read_float(reader, in);
    case VhloAttribute::kInteger: return read_integer(reader, in);
    case VhloAttribute::kCustomCallApiVersion: {
      Attribute made;
      made.kind = AttributeKind::kInteger;
      made.integer = in.number();
      return made;
    }
    case VhloAttribute::kOutputOperandAlias: return read_output_operand_alias(reader, in);
    case VhloAttribute::kString: return text_attribute(tree, AttributeKind::kString, string_from(reader, in));
    case VhloAttribute::kTensor: return read_elements(reader, in);
    case VhloAttribute::kType: {
      Attribute made;
      made.kind = AttributeKind::kType;
      made.type = type_from(reader, in);
      return made;
    }
    case VhloAttribute::kResultAccuracy: return text_attribute(tree, AttributeKind::kOther, "result_accuracy");
    case VhloAttribute::kTypeExtensions: return read_bounds(reader, in);
    case VhloAttribute::kSubAxisInfo:
    case VhloAttribute::kAxisRef:
    case VhloAttribute::kReplicaGroupMeshAxes:
    case VhloAttribute::kMeshAxis:
    case VhloAttribute::kMesh: return read_mesh_attribute(reader, in, kind);
    case VhloAttribute::kComparisonDirection:
    case VhloAttribute::kComparisonType:
    case VhloAttribute::kFftType:
    case VhloAttribute::kPrecision:
    case VhloAttribute::kRngAlgorithm:
    case VhloAttribute::kRngDistribution:
    case VhloAttribute::kTranspose:
    case VhloAttribute::kResultAccuracyMode: return read_word(in, kind);
  }
  in.fail(StatusCode::kUnimplemented,
          fmt::format("attribute {} of VHLO; this version knows VHLO up to {}", code, kNewestVhlo));
  return {};
}

Attribute read_attribute(BytecodeReader& reader, ByteReader& in, const BytecodeEntry& entry) {
  ModuleTree& tree = reader.tree;
  if (!entry.encoded) {
    std::string_view text = in.bytes(in.remaining());
    if (text.ends_with('\0')) text.remove_suffix(1);
    return text_attribute(tree, AttributeKind::kOther, text);
  }
  if (entry.dialect == "builtin") return read_builtin(reader, in);
  if (entry.dialect == "vhlo") return read_vhlo(reader, in);
  if (entry.dialect == "sdy") return text_attribute(tree, AttributeKind::kOther, read_sdy(reader, in));
  if (entry.dialect == "stablehlo") return read_stablehlo(reader, in);
  if (entry.dialect == "chlo") return read_chlo(in);
  in.fail(StatusCode::kUnimplemented, fmt::format("an attribute of dialect '{}'", entry.dialect));
  return {};
}

}  // namespace

AttributeId attribute_from(BytecodeReader& reader, ByteReader& from) {
  const uint32_t index = from.index(reader.attributes.size(), "attribute");
  return from.failed() ? 0 : attribute_at(reader, from, index);
}

AttributeId attribute_at(BytecodeReader& reader, ByteReader& from, uint32_t index) {
  if (reader.attributes[index].id != kNone) return reader.attributes[index].id;
  if (reader.depth >= kMaxNesting) {
    from.fail(fmt::format("attributes nested deeper than {}, or in a cycle", kMaxNesting));
    return 0;
  }
  ++reader.depth;
  ByteReader in(reader.data, reader.source, reader.attributes[index].begin, reader.attributes[index].end);
  const Attribute made = read_attribute(reader, in, reader.attributes[index]);
  --reader.depth;
  from.take_failure(in);
  if (from.failed()) return 0;
  reader.attributes[index].id = reader.tree.add(made);
  return reader.attributes[index].id;
}

std::string_view string_attribute_from(BytecodeReader& reader, ByteReader& from) {
  ModuleTree& tree = reader.tree;
  const AttributeId id = attribute_from(reader, from);
  if (from.failed()) return {};
  if (tree.attributes[id].kind != AttributeKind::kString) {
    from.fail("got an attribute that isn't a string; wanted a string");
    return {};
  }
  return tree.attributes[id].text;
}

std::string_view string_from(BytecodeReader& reader, ByteReader& from) {
  const uint32_t index = from.index(reader.strings.size(), "string");
  return from.failed() ? std::string_view() : reader.strings[index];
}

LocationId location_from(BytecodeReader& reader, ByteReader& from) {
  ModuleTree& tree = reader.tree;
  const uint32_t index = from.index(reader.attributes.size(), "location");
  if (from.failed()) return 0;
  if (reader.attributes[index].location != kNone) return reader.attributes[index].location;
  Location made;
  uint32_t at = index;
  for (int steps = 0; steps < kMaxNesting; ++steps) {
    const BytecodeEntry& entry = reader.attributes[at];
    if (!entry.encoded || entry.dialect != "builtin") break;
    ByteReader in(reader.data, reader.source, entry.begin, entry.end);
    const auto kind = static_cast<BuiltinAttribute>(in.number());
    if (kind == BuiltinAttribute::kFileLineColLoc || kind == BuiltinAttribute::kFileLineColRange) {
      made.file = tree.intern(string_attribute_from(reader, in));
      if (kind == BuiltinAttribute::kFileLineColRange) in.number();  // count of the numbers that follow
      made.line = in.number();
      from.take_failure(in);
      break;
    }
    if (kind == BuiltinAttribute::kNameLoc) {
      const std::string_view name = string_attribute_from(reader, in);
      if (made.name.empty()) made.name = tree.intern(name);
    } else if (kind == BuiltinAttribute::kFusedLoc) {
      if (in.count() == 0) break;
    } else if (kind != BuiltinAttribute::kCallSiteLoc) {
      break;
    }
    at = in.index(reader.attributes.size(), "location");
    from.take_failure(in);
    if (from.failed()) return 0;
  }
  LocationId id = 0;
  if (!made.name.empty() || !made.file.empty()) {
    tree.locations.push_back(made);
    id = static_cast<LocationId>(tree.locations.size() - 1);
  }
  reader.attributes[index].location = id;
  return id;
}

}  // namespace hilo::stablehlo
