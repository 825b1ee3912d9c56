// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/bytecode/types.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "hilo/base/sizes.h"
#include "hilo/stablehlo/bytecode/attributes.h"
#include "hilo/stablehlo/tree/elements.h"
#include "hilo/stablehlo/tree/mlir_names.h"

namespace hilo::stablehlo {
namespace {

/// Names of builtin's narrow floats, whose codes begin at 21.
constexpr std::string_view kNarrowFloats[] = {"tf32",       "f8E5M2",     "f8E4M3",        "f8E4M3FN",
                                              "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4",
                                              "f4E2M1FN",   "f6E2M3FN",   "f6E3M2FN",      "f8E8M0FNU"};
constexpr uint64_t kFirstNarrowFloat = 21;

Type complex_of(const ModuleTree& tree, TypeId part, ByteReader& in) {
  const ElementType element = tree.types[part].element;
  if (tree.types[part].kind != TypeKind::kElement || (element != ElementType::kF32 && element != ElementType::kF64)) {
    in.fail(StatusCode::kUnimplemented, fmt::format("complex numbers of {}", tree.types[part].spelled));
    return {};
  }
  return element_type_entry(element == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128,
                            fmt::format("complex<{}>", tree.types[part].spelled));
}

Type read_tensor(BytecodeReader& reader, ByteReader& in) {
  ModuleTree& tree = reader.tree;
  Type made;
  made.dimensions = in.signed_numbers();
  const TypeId element = type_from(reader, in);
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

/// Reads a tensor type with an encoding, which comes first: bounds, or a storage format.
Type read_encoded_tensor(BytecodeReader& reader, ByteReader& in) {
  const AttributeId encoding = attribute_from(reader, in);
  Type made = read_tensor(reader, in);
  if (in.failed()) return made;
  const Attribute& bounds = reader.tree.attributes[encoding];
  if (bounds.kind != AttributeKind::kIntegers) return made;
  made.spelled.pop_back();
  made.spelled += ", #stablehlo.bounds<";
  for (size_t d = 0; d < bounds.integers.size(); ++d)
    made.spelled += (d == 0 ? "" : ", ") + (bounds.integers[d] < 0 ? "?" : fmt::to_string(bounds.integers[d]));
  made.spelled += ">>";
  if (const Status set = set_bounds(made, bounds.integers); !set.ok()) in.fail(std::string(set.message()));
  return made;
}

Type read_parts(BytecodeReader& reader, ByteReader& in, TypeKind kind) {
  Type made;
  made.kind = kind;
  const size_t count = in.count();
  for (size_t i = 0; i < count && !in.failed(); ++i) made.parts.push_back(type_from(reader, in));
  made.input_count = size32(made.parts);
  if (kind == TypeKind::kFunction) {
    const size_t results = in.count();
    for (size_t i = 0; i < results && !in.failed(); ++i) made.parts.push_back(type_from(reader, in));
  }
  made.spelled = kind == TypeKind::kFunction ? "a function" : "tuple<...>";
  return made;
}

/// Reads a quantized type: flags (1: signed storage), storage type, expressed type; then scale, zero point, and range
/// of the storage. A type per axis has the axis, the range, and two lists instead.
Type read_quantized(BytecodeReader& reader, ByteReader& in, bool by_axis) {
  ModuleTree& tree = reader.tree;
  Quantization q;
  const bool has_sign = (in.number() & 1) != 0;
  const TypeId storage = type_from(reader, in), expressed = type_from(reader, in);
  const auto read_ends = [&] {
    q.least = static_cast<double>(in.signed_number());
    q.greatest = static_cast<double>(in.signed_number());
  };
  if (by_axis) {
    q.axis = in.number();
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
    in.fail(fmt::format("invalid quantized type: storage {}, expressed type {}, {} scales, {} zero points",
                        stored.spelled, meant.spelled, q.scales.size(), q.zero_points.size()));
    return made;
  }
  q.expressed = meant.element;
  made.kind = TypeKind::kElement;
  made.element = *element;
  made.spelled = fmt::format("!quant.uniform<{}:{}>", stored.spelled, meant.spelled);
  made.quantization = std::make_shared<const Quantization>(std::move(q));
  return made;
}

Type read_builtin_type(BytecodeReader& reader, ByteReader& in) {
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
    case 2: return read_parts(reader, in, TypeKind::kFunction);
    case 3: return element_type_entry(ElementType::kBf16, "bf16");
    case 4: return element_type_entry(ElementType::kF16, "f16");
    case 5: return element_type_entry(ElementType::kF32, "f32");
    case 6: return element_type_entry(ElementType::kF64, "f64");
    case 9: {
      const TypeId part = type_from(reader, in);
      return in.failed() ? made : complex_of(reader.tree, part, in);
    }
    case 12: made.kind = TypeKind::kNoType; return made;
    case 13: return read_tensor(reader, in);
    case 14: return read_encoded_tensor(reader, in);
    case 15: return read_parts(reader, in, TypeKind::kTuple);
    default: break;
  }
  in.fail(StatusCode::kUnimplemented, fmt::format("type {} of dialect 'builtin'", code));
  return made;
}

Type token() {
  Type made;
  made.kind = TypeKind::kToken;
  made.spelled = "!stablehlo.token";
  return made;
}

Type read_vhlo_type(BytecodeReader& reader, ByteReader& in) {
  const uint64_t code = in.number();
  if (in.failed()) return {};
  if (code == ordinal(VhloType::kIndex)) return element_type_entry(ElementType::kS64, "index");
  if (const ElementType element = vhlo_element_type(code); element != ElementType::kOpaque)
    return element_type_entry(element, element_type_to_mlir(element));
  Type made;
  switch (static_cast<VhloType>(code)) {
    case VhloType::kComplex: {
      const TypeId part = type_from(reader, in);
      return in.failed() ? made : complex_of(reader.tree, part, in);
    }
    case VhloType::kFunction: return read_parts(reader, in, TypeKind::kFunction);
    case VhloType::kRankedTensor: return read_tensor(reader, in);
    case VhloType::kTuple: return read_parts(reader, in, TypeKind::kTuple);
    case VhloType::kToken: return token();
    case VhloType::kNone:
      made.kind = TypeKind::kNoType;
      made.spelled = "none";
      return made;
    case VhloType::kTf32: made.spelled = "tf32"; return made;
    case VhloType::kF6E2M3Fn: return *six_bit_type("f6E2M3FN");
    case VhloType::kF6E3M2Fn: return *six_bit_type("f6E3M2FN");
    case VhloType::kWitness: made.spelled = "a witness"; return made;
    case VhloType::kRankedTensorWithEncoding: return read_encoded_tensor(reader, in);
    case VhloType::kUniformQuantized: return read_quantized(reader, in, false);
    case VhloType::kUniformQuantizedPerAxis: return read_quantized(reader, in, true);
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

Type read_type(BytecodeReader& reader, ByteReader& in, const BytecodeEntry& entry) {
  Type made;
  if (!entry.encoded) {
    std::string_view text = in.bytes(in.remaining());
    if (text.ends_with('\0')) text.remove_suffix(1);
    made.spelled = text;
    if (text == "!stablehlo.token") made.kind = TypeKind::kToken;
    return made;
  }
  if (entry.dialect == "builtin") return read_builtin_type(reader, in);
  if (entry.dialect == "vhlo") return read_vhlo_type(reader, in);
  // Token type in programs of builtin types, as in those with Shardy's operations. Source: StableHLO's
  // StablehloBytecode.cpp.
  constexpr uint64_t kStablehloToken = 0;
  if (entry.dialect == "stablehlo" && in.number() == kStablehloToken) return token();
  in.fail(StatusCode::kUnimplemented, fmt::format("a type of dialect '{}'", entry.dialect));
  return made;
}

}  // namespace

Type element_type_entry(ElementType element, std::string spelled) {
  Type made;
  made.kind = TypeKind::kElement;
  made.element = element;
  made.spelled = std::move(spelled);
  return made;
}

int bits_of(const Type& type) { return type.spelled == "index" ? 64 : element_type_info(type.element).bits; }

TypeId type_from(BytecodeReader& reader, ByteReader& from) {
  const uint32_t index = from.index(reader.types.size(), "type");
  return from.failed() ? 0 : type_at(reader, from, index);
}

TypeId type_at(BytecodeReader& reader, ByteReader& from, uint32_t index) {
  ModuleTree& tree = reader.tree;
  if (reader.types[index].id != kNone) return reader.types[index].id;
  if (reader.depth >= kMaxNesting) {
    from.fail(fmt::format("types nested deeper than {}, or in a cycle", kMaxNesting));
    return 0;
  }
  ++reader.depth;
  ByteReader in(reader.data, reader.source, reader.types[index].begin, reader.types[index].end);
  Type made = read_type(reader, in, reader.types[index]);
  --reader.depth;
  from.take_failure(in);
  if (from.failed()) return 0;
  tree.types.push_back(std::move(made));
  reader.types[index].id = static_cast<TypeId>(tree.types.size() - 1);
  return reader.types[index].id;
}

}  // namespace hilo::stablehlo
