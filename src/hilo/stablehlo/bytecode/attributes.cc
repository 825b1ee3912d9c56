// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "hilo/stablehlo/bytecode/parts.h"
#include "hilo/stablehlo/tree/elements.h"
#include "hilo/stablehlo/tree/mlir_names.h"
#include "hilo/types/narrow_float.h"

namespace hilo::stablehlo {
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

int bits_of(const Type& type) { return type.spelled == "index" ? 64 : element_type_info(type.element).bits; }

}  // namespace

AttributeId BytecodeReader::attribute(ByteReader& from) {
  const uint32_t index = from.index(attributes.size(), "attribute");
  return from.failed() ? 0 : attribute_at(from, index);
}

AttributeId BytecodeReader::attribute_at(ByteReader& from, uint32_t index) {
  if (attributes[index].id != kNone) return attributes[index].id;
  if (depth >= kMaxNesting) {
    from.fail(fmt::format("attributes nested deeper than {}, or in a circle", kMaxNesting));
    return 0;
  }
  ++depth;
  ByteReader in(data, source, attributes[index].begin, attributes[index].end);
  const Attribute made = read_attribute(in, attributes[index]);
  --depth;
  from.take_failure(in);
  if (from.failed()) return 0;
  attributes[index].id = tree.add(made);
  return attributes[index].id;
}

std::string_view BytecodeReader::string_attribute(ByteReader& from) {
  const AttributeId id = attribute(from);
  if (from.failed()) return {};
  if (tree.attributes[id].kind != AttributeKind::kString) {
    from.fail("an attribute that isn't a string where a string belongs");
    return {};
  }
  return tree.attributes[id].text;
}

Attribute BytecodeReader::read_attribute(ByteReader& in, const BytecodeEntry& entry) {
  if (!entry.encoded) {
    std::string_view text = in.bytes(in.remaining());
    if (text.ends_with('\0')) text.remove_suffix(1);
    return text_attribute(tree, AttributeKind::kOther, text);
  }
  if (entry.dialect == "builtin") return read_builtin(in);
  if (entry.dialect == "vhlo") return read_vhlo(in);
  if (entry.dialect == "sdy") return text_attribute(tree, AttributeKind::kOther, read_sdy(in));
  if (entry.dialect == "stablehlo") return read_stablehlo(in);
  if (entry.dialect == "chlo") return read_chlo(in);
  in.fail(StatusCode::kUnimplemented, fmt::format("an attribute of dialect '{}'", entry.dialect));
  return {};
}

Attribute BytecodeReader::read_dictionary(ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kDictionary;
  std::vector<NamedAttribute> entries(in.count(2));
  for (NamedAttribute& entry : entries) {
    entry.name = tree.intern(string_attribute(in));
    entry.value = attribute(in);
    if (in.failed()) return made;
  }
  made.entries = tree.keep(std::span<const NamedAttribute>(entries));
  return made;
}

Attribute BytecodeReader::read_list(ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kArray;
  std::vector<AttributeId> elements(in.count());
  for (AttributeId& element : elements) {
    element = attribute(in);
    if (in.failed()) return made;
  }
  made.elements = tree.keep(std::span<const AttributeId>(elements));
  return made;
}

Attribute BytecodeReader::read_integer(ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kInteger;
  made.type = type(in);
  if (in.failed()) return made;
  const Type& type = tree.types[made.type];
  if (type.kind != TypeKind::kElement || is_floating(type.element)) {
    in.fail(fmt::format("an integer of type {}", type.spelled));
    return made;
  }
  const int bits = bits_of(type);
  if (bits == 1) made.kind = AttributeKind::kBool;
  if (bits > 8) {
    made.integer = in.signed_number();
    // MLIR writes narrow negative numbers as the unsigned ones of the same bits.
    if (const int unused = 64 - bits; is_signed_integer(type.element) && unused > 0)
      made.integer = static_cast<int64_t>(static_cast<uint64_t>(made.integer) << unused) >> unused;
  } else {
    const unsigned value = in.byte();
    const bool negative = is_signed_integer(type.element) && bits > 1 && ((value >> (bits - 1)) & 1) != 0;
    made.integer = negative ? static_cast<int64_t>(value) - (int64_t{1} << bits) : static_cast<int64_t>(value);
  }
  return made;
}

Attribute BytecodeReader::read_float(ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kFloat;
  made.type = type(in);
  if (in.failed()) return made;
  const Type& type = tree.types[made.type];
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

Attribute BytecodeReader::read_elements(ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kElements;
  made.type = type(in);
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

Attribute BytecodeReader::read_dense_array(ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kIntegers;
  const TypeId element = type(in);
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

Attribute BytecodeReader::read_builtin(ByteReader& in) {
  const uint64_t code = in.number();
  switch (static_cast<BuiltinAttribute>(code)) {
    case BuiltinAttribute::kArray: return read_list(in);
    case BuiltinAttribute::kDictionary: return read_dictionary(in);
    case BuiltinAttribute::kString: return text_attribute(tree, AttributeKind::kString, string(in));
    case BuiltinAttribute::kStringWithType: {
      Attribute made = text_attribute(tree, AttributeKind::kString, string(in));
      made.type = type(in);
      return made;
    }
    case BuiltinAttribute::kFlatSymbolRef: return text_attribute(tree, AttributeKind::kSymbol, string_attribute(in));
    case BuiltinAttribute::kType: {
      Attribute made;
      made.kind = AttributeKind::kType;
      made.type = type(in);
      return made;
    }
    case BuiltinAttribute::kUnit: return {};
    case BuiltinAttribute::kInteger: return read_integer(in);
    case BuiltinAttribute::kFloat: return read_float(in);
    case BuiltinAttribute::kDenseArray: return read_dense_array(in);
    case BuiltinAttribute::kDenseElements: return read_elements(in);
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

AttributeId BytecodeReader::add_signed(ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kInteger;
  made.integer = in.signed_number();
  return tree.add(made);
}

Attribute BytecodeReader::read_mesh_attribute(ByteReader& in, VhloAttribute kind) {
  std::vector<NamedAttribute> entries;
  const auto add = [&](std::string_view name, AttributeId value) { entries.push_back({tree.intern(name), value}); };
  Attribute made;
  made.kind = AttributeKind::kDictionary;
  if (kind == VhloAttribute::kSubAxisInfo) {
    made.text = "stablehlo.sub_axis_info";
    add("pre_size", add_signed(in));
    add("size", add_signed(in));
  } else if (kind == VhloAttribute::kAxisRef) {
    made.text = "stablehlo.axis_ref";
    add("name", attribute(in));
    if (in.number() != 0) add("sub_axis_info", attribute(in));
  } else if (kind == VhloAttribute::kReplicaGroupMeshAxes) {
    made.text = "stablehlo.replica_group_mesh_axes";
    add("mesh", attribute(in));
    add("axes", attribute(in));
  } else if (kind == VhloAttribute::kMeshAxis) {
    made.text = "stablehlo.mesh_axis";
    add("name", attribute(in));
    add("size", add_signed(in));
  } else {
    made.text = "stablehlo.mesh";
    add("axes", attribute(in));
    const uint64_t ids = in.number();  // the lowest bit: whether there is one
    if (ids % 2 != 0 && ids / 2 >= attributes.size()) in.fail(fmt::format("no attribute {}", ids / 2));
    else if (ids % 2 != 0) add("device_ids", attribute_at(in, static_cast<uint32_t>(ids / 2)));
  }
  if (in.failed()) return {};
  made.entries = tree.keep(std::span<const NamedAttribute>(entries));
  return made;
}

Attribute BytecodeReader::read_vhlo(ByteReader& in) {
  const uint64_t code = in.number();
  const auto kind = static_cast<VhloAttribute>(code);
  switch (kind) {
    case VhloAttribute::kArray: return read_list(in);
    case VhloAttribute::kBoolean: {
      Attribute made;
      made.kind = AttributeKind::kBool;
      made.integer = in.number() != 0 ? 1 : 0;
      return made;
    }
    case VhloAttribute::kDictionary: return read_dictionary(in);
    case VhloAttribute::kFloat: return read_float(in);
    case VhloAttribute::kInteger: return read_integer(in);
    case VhloAttribute::kCustomCallApiVersion: {
      Attribute made;
      made.kind = AttributeKind::kInteger;
      made.integer = static_cast<int64_t>(in.number());
      return made;
    }
    case VhloAttribute::kOutputOperandAlias: return read_output_operand_alias(in);
    case VhloAttribute::kString: return text_attribute(tree, AttributeKind::kString, string(in));
    case VhloAttribute::kTensor: return read_elements(in);
    case VhloAttribute::kType: {
      Attribute made;
      made.kind = AttributeKind::kType;
      made.type = type(in);
      return made;
    }
    case VhloAttribute::kResultAccuracy: return text_attribute(tree, AttributeKind::kOther, "result_accuracy");
    case VhloAttribute::kTypeExtensions: return read_bounds(in);
    case VhloAttribute::kSubAxisInfo:
    case VhloAttribute::kAxisRef:
    case VhloAttribute::kReplicaGroupMeshAxes:
    case VhloAttribute::kMeshAxis:
    case VhloAttribute::kMesh: return read_mesh_attribute(in, kind);
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

LocationId BytecodeReader::location(ByteReader& from) {
  const uint32_t index = from.index(attributes.size(), "location");
  if (from.failed()) return 0;
  if (attributes[index].location != kNone) return attributes[index].location;
  Location made;
  uint32_t at = index;
  for (int steps = 0; steps < kMaxNesting; ++steps) {
    const BytecodeEntry& entry = attributes[at];
    if (!entry.encoded || entry.dialect != "builtin") break;
    ByteReader in(data, source, entry.begin, entry.end);
    const auto kind = static_cast<BuiltinAttribute>(in.number());
    if (kind == BuiltinAttribute::kFileLineColLoc || kind == BuiltinAttribute::kFileLineColRange) {
      made.file = tree.intern(string_attribute(in));
      if (kind == BuiltinAttribute::kFileLineColRange) in.number();  // how many numbers follow
      made.line = static_cast<int64_t>(in.number());
      from.take_failure(in);
      break;
    }
    if (kind == BuiltinAttribute::kNameLoc) {
      const std::string_view name = string_attribute(in);
      if (made.name.empty()) made.name = tree.intern(name);
    } else if (kind == BuiltinAttribute::kFusedLoc) {
      if (in.count() == 0) break;
    } else if (kind != BuiltinAttribute::kCallSiteLoc) {
      break;
    }
    at = in.index(attributes.size(), "location");
    from.take_failure(in);
    if (from.failed()) return 0;
  }
  LocationId id = 0;
  if (!made.name.empty() || !made.file.empty()) {
    tree.locations.push_back(made);
    id = static_cast<LocationId>(tree.locations.size() - 1);
  }
  attributes[index].location = id;
  return id;
}

// ---- Types.

TypeId BytecodeReader::type(ByteReader& from) {
  const uint32_t index = from.index(types.size(), "type");
  return from.failed() ? 0 : type_at(from, index);
}

TypeId BytecodeReader::type_at(ByteReader& from, uint32_t index) {
  if (types[index].id != kNone) return types[index].id;
  if (depth >= kMaxNesting) {
    from.fail(fmt::format("types nested deeper than {}, or in a circle", kMaxNesting));
    return 0;
  }
  ++depth;
  ByteReader in(data, source, types[index].begin, types[index].end);
  Type made = read_type(in, types[index]);
  --depth;
  from.take_failure(in);
  if (from.failed()) return 0;
  tree.types.push_back(std::move(made));
  types[index].id = static_cast<TypeId>(tree.types.size() - 1);
  return types[index].id;
}

Type element_type_entry(ElementType element, std::string spelled) {
  Type made;
  made.kind = TypeKind::kElement;
  made.element = element;
  made.spelled = std::move(spelled);
  return made;
}

Type BytecodeReader::read_type(ByteReader& in, const BytecodeEntry& entry) {
  Type made;
  if (!entry.encoded) {
    std::string_view text = in.bytes(in.remaining());
    if (text.ends_with('\0')) text.remove_suffix(1);
    made.spelled = text;
    if (text == "!stablehlo.token") made.kind = TypeKind::kToken;
    return made;
  }
  if (entry.dialect == "builtin") return read_builtin_type(in);
  if (entry.dialect == "vhlo") return read_vhlo_type(in);
  // A token where the program is of builtin types, as around Shardy's operations. Source: StableHLO's StablehloBytecode.cpp.
  constexpr uint64_t kStablehloToken = 0;
  if (entry.dialect == "stablehlo" && in.number() == kStablehloToken) {
    made.kind = TypeKind::kToken;
    return made;
  }
  in.fail(StatusCode::kUnimplemented, fmt::format("a type of dialect '{}'", entry.dialect));
  return made;
}

Type BytecodeReader::read_tensor(ByteReader& in) {
  Type made;
  made.dimensions = in.signed_numbers();
  const TypeId element = type(in);
  if (in.failed()) return made;
  made.spelled = "tensor<";
  for (int64_t& size : made.dimensions) {
    if (size < 0) size = kDynamic;
    made.spelled += size == kDynamic ? "?x" : fmt::format("{}x", size);
  }
  made.spelled += tree.types[element].spelled + ">";
  if (tree.types[element].kind == TypeKind::kElement) {
    made.kind = TypeKind::kTensor;
    made.element = tree.types[element].element;
    made.quantization = tree.types[element].quantization;
    made.six_bits = tree.types[element].six_bits;
  }
  return made;
}

/// The encoding stands first: bounds, or what says how a tensor is stored.
Type BytecodeReader::read_encoded_tensor(ByteReader& in) {
  const AttributeId encoding = attribute(in);
  Type made = read_tensor(in);
  if (in.failed()) return made;
  const Attribute& bounds = tree.attributes[encoding];
  if (bounds.kind != AttributeKind::kIntegers) return made;
  made.spelled.pop_back();
  made.spelled += ", #stablehlo.bounds<";
  for (size_t d = 0; d < bounds.integers.size(); ++d)
    made.spelled += (d == 0 ? "" : ", ") + (bounds.integers[d] < 0 ? "?" : fmt::to_string(bounds.integers[d]));
  made.spelled += ">>";
  if (const Status set = set_bounds(made, bounds.integers); !set.ok()) in.fail(std::string(set.message()));
  return made;
}

Type BytecodeReader::read_parts(ByteReader& in, TypeKind kind) {
  Type made;
  made.kind = kind;
  const size_t count = in.count();
  for (size_t i = 0; i < count && !in.failed(); ++i) made.parts.push_back(type(in));
  made.input_count = static_cast<uint32_t>(made.parts.size());
  if (kind == TypeKind::kFunction) {
    const size_t results = in.count();
    for (size_t i = 0; i < results && !in.failed(); ++i) made.parts.push_back(type(in));
  }
  made.spelled = kind == TypeKind::kFunction ? "a function" : "tuple<...>";
  return made;
}

namespace {

Type complex_of(const ModuleTree& tree, TypeId part, ByteReader& in) {
  const ElementType element = tree.types[part].element;
  if (tree.types[part].kind != TypeKind::kElement || (element != ElementType::kF32 && element != ElementType::kF64)) {
    in.fail(StatusCode::kUnimplemented, fmt::format("complex numbers of {}", tree.types[part].spelled));
    return {};
  }
  return element_type_entry(element == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128,
                            fmt::format("complex<{}>", tree.types[part].spelled));
}

}  // namespace

/// Flags (1: the storage has a sign), storage, what it expresses; then scale, zero point and the ends of the storage; of one by
/// axis the axis, the ends, and two lists.
Type BytecodeReader::read_quantized(ByteReader& in, bool by_axis) {
  Quantization q;
  const bool has_sign = (in.number() & 1) != 0;
  const TypeId storage = type(in), expressed = type(in);
  const auto read_ends = [&] {
    q.least = static_cast<double>(in.signed_number());
    q.greatest = static_cast<double>(in.signed_number());
  };
  if (by_axis) {
    q.axis = static_cast<int64_t>(in.number());
    read_ends();
  }
  const size_t scales = by_axis ? in.count() : 1;
  for (size_t i = 0; i < scales && !in.failed(); ++i) q.scales.push_back(std::bit_cast<double>(in.signed_number()));
  const size_t zero_points = by_axis ? in.count() : 1;
  for (size_t i = 0; i < zero_points && !in.failed(); ++i)
    q.zero_points.push_back(static_cast<double>(in.signed_number()));
  if (!by_axis) read_ends();
  Type made;
  if (in.failed()) return made;
  const Type &stored = tree.types[storage], &meant = tree.types[expressed];
  const bool fits = stored.kind == TypeKind::kElement && is_integer(stored.element) &&
                    meant.kind == TypeKind::kElement && is_floating(meant.element) && !q.scales.empty() &&
                    q.scales.size() == q.zero_points.size() && (!by_axis || q.axis >= 0);
  const std::optional<ElementType> element =
      fits ? element_type_from_mlir(fmt::format("{}{}", has_sign ? "i" : "ui", element_type_info(stored.element).bits))
           : std::nullopt;
  if (!element) {
    in.fail(fmt::format("a quantised type of {} that expresses {}, with {} scales and {} zero points", stored.spelled,
                        meant.spelled, q.scales.size(), q.zero_points.size()));
    return made;
  }
  q.expressed = meant.element;
  made.kind = TypeKind::kElement;
  made.element = *element;
  made.spelled = fmt::format("!quant.uniform<{}:{}>", stored.spelled, meant.spelled);
  made.quantization = std::make_shared<const Quantization>(std::move(q));
  return made;
}

namespace {

/// Codes of builtin's narrow floats, from 21 on.
constexpr std::string_view kNarrowFloats[] = {"tf32",       "f8E5M2",     "f8E4M3",        "f8E4M3FN",
                                              "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4",
                                              "f4E2M1FN",   "f6E2M3FN",   "f6E3M2FN",      "f8E8M0FNU"};
constexpr uint64_t kFirstNarrowFloat = 21;

}  // namespace

Type BytecodeReader::read_builtin_type(ByteReader& in) {
  const uint64_t code = in.number();
  Type made;
  if (code >= kFirstNarrowFloat && code < kFirstNarrowFloat + std::size(kNarrowFloats)) {
    const std::string_view name = kNarrowFloats[code - kFirstNarrowFloat];
    if (const std::optional<Type> carried = six_bit_type(name)) return *carried;
    if (const std::optional<ElementType> element = element_type_from_mlir(name))
      return element_type_entry(*element, std::string(name));
    made.spelled = name;
    return made;
  }
  switch (code) {
    case 0: {
      const uint64_t packed = in.number();
      const std::string name = fmt::format("{}{}",
                                           (packed & 3) == 1   ? "si"
                                           : (packed & 3) == 2 ? "ui"
                                                               : "i",
                                           packed >> 2);
      const std::optional<ElementType> element = element_type_from_mlir(name);
      if (element) return element_type_entry(*element, name);
      made.spelled = name;
      return made;
    }
    case 1: return element_type_entry(ElementType::kS64, "index");
    case 2: return read_parts(in, TypeKind::kFunction);
    case 3: return element_type_entry(ElementType::kBf16, "bf16");
    case 4: return element_type_entry(ElementType::kF16, "f16");
    case 5: return element_type_entry(ElementType::kF32, "f32");
    case 6: return element_type_entry(ElementType::kF64, "f64");
    case 9: {
      const TypeId part = type(in);
      return in.failed() ? made : complex_of(tree, part, in);
    }
    case 12: made.kind = TypeKind::kNoType; return made;
    case 13: return read_tensor(in);
    case 14: return read_encoded_tensor(in);
    case 15: return read_parts(in, TypeKind::kTuple);
    default: break;
  }
  in.fail(StatusCode::kUnimplemented, fmt::format("type {} of dialect 'builtin'", code));
  return made;
}

Type BytecodeReader::read_vhlo_type(ByteReader& in) {
  const uint64_t code = in.number();
  if (in.failed()) return {};
  if (code == static_cast<uint64_t>(VhloType::kIndex)) return element_type_entry(ElementType::kS64, "index");
  if (const ElementType element = vhlo_element_type(code); element != ElementType::kOpaque)
    return element_type_entry(element, element_type_to_mlir(element));
  Type made;
  switch (static_cast<VhloType>(code)) {
    case VhloType::kComplex: {
      const TypeId part = type(in);
      return in.failed() ? made : complex_of(tree, part, in);
    }
    case VhloType::kFunction: return read_parts(in, TypeKind::kFunction);
    case VhloType::kRankedTensor: return read_tensor(in);
    case VhloType::kTuple: return read_parts(in, TypeKind::kTuple);
    case VhloType::kToken: made.kind = TypeKind::kToken; return made;
    case VhloType::kNone:
      made.kind = TypeKind::kNoType;
      made.spelled = "none";
      return made;
    case VhloType::kTf32: made.spelled = "tf32"; return made;
    case VhloType::kF6E2M3Fn: return *six_bit_type("f6E2M3FN");
    case VhloType::kF6E3M2Fn: return *six_bit_type("f6E3M2FN");
    case VhloType::kWitness: made.spelled = "a witness"; return made;
    case VhloType::kRankedTensorWithEncoding: return read_encoded_tensor(in);
    case VhloType::kUniformQuantized: return read_quantized(in, false);
    case VhloType::kUniformQuantizedPerAxis: return read_quantized(in, true);
    case VhloType::kUnrankedTensor: made.spelled = "tensor<*x...>"; return made;
    case VhloType::kBuffer: made.spelled = "memref<...>"; return made;
    case VhloType::kFuture: made.spelled = "!stablehlo.future<...>"; return made;
    case VhloType::kBoolean:
    case VhloType::kIndex: break;
  }
  in.fail(StatusCode::kUnimplemented,
          fmt::format("type {} of VHLO; this version knows VHLO up to {}", code, kNewestVhlo));
  return made;
}

}  // namespace hilo::stablehlo
