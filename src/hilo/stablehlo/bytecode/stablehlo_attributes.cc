// SPDX-License-Identifier: Apache-2.0
// Attributes of StableHLO's and CHLO's own dialects. They occur in modules that aren't portable artefacts, for example
// those of JAX's partitioners. The results equal those of the text reader.
// Source    StableHLO's StablehloBytecode.cpp and ChloBytecode.cpp
#include "hilo/stablehlo/bytecode/stablehlo_attributes.h"

#include <fmt/format.h>

#include "hilo/stablehlo/bytecode/attributes.h"
#include "hilo/stablehlo/bytecode/types.h"

namespace hilo::stablehlo {
namespace {

enum class Code : uint64_t {
  kChannelHandle = 1,
  kComparisonDirection,
  kComparisonType,
  kConvolution,
  kDot,
  kFftType,
  kGather,
  kPrecision,
  kRngAlgorithm,
  kRngDistribution,
  kScatter,
  kTranspose,
  kTypeExtensions,
  kOutputOperandAlias,
  kDotAlgorithm,
  kResultAccuracyMode,
  kResultAccuracy,
  kReplicaGroupMeshAxes,
  kSubAxisInfo,
  kAxisRef,
  kMeshAxis,
  kMesh,
};

/// An attribute with named fields in the order of the bytes. Each field is an integer, or a list if its name ends in
/// '*'. Names are those of VHLO.
struct Fields {
  std::string_view name;
  std::initializer_list<std::string_view> fields;
};

const Fields* fields_of(Code code) {
  static const Fields kChannel = {"stablehlo.channel_handle", {"channel_id", "channel_type"}};
  static const Fields kConvolution = {
      "stablehlo.conv",
      {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions*",
       "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions*",
       "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions*"}};
  static const Fields kDot = {"stablehlo.dot",
                              {"lhs_batching_dimensions*", "rhs_batching_dimensions*", "lhs_contracting_dimensions*",
                               "rhs_contracting_dimensions*"}};
  static const Fields kGather = {"stablehlo.gather",
                                 {"offset_dims*", "collapsed_slice_dims*", "operand_batching_dims*",
                                  "start_indices_batching_dims*", "start_index_map*", "index_vector_dim"}};
  static const Fields kScatter = {
      "stablehlo.scatter",
      {"update_window_dims*", "inserted_window_dims*", "input_batching_dims*", "scatter_indices_batching_dims*",
       "scatter_dims_to_operand_dims*", "index_vector_dim"}};
  switch (code) {
    case Code::kChannelHandle: return &kChannel;
    case Code::kConvolution: return &kConvolution;
    case Code::kDot: return &kDot;
    case Code::kGather: return &kGather;
    case Code::kScatter: return &kScatter;
    default: return nullptr;
  }
}

Attribute read_fields(ModuleTree& tree, ByteReader& in, const Fields& known) {
  std::vector<NamedAttribute> entries;
  for (std::string_view name : known.fields) {
    if (name.ends_with('*')) {
      name.remove_suffix(1);
      entries.push_back({tree.intern(name), tree.add_integers(in.signed_numbers())});
      continue;
    }
    Attribute integer;
    integer.kind = AttributeKind::kInteger;
    integer.integer = in.signed_number();
    entries.push_back({tree.intern(name), tree.add(integer)});
  }
  Attribute made;
  made.kind = AttributeKind::kDictionary;
  made.text = known.name;
  made.entries = tree.keep(std::span<const NamedAttribute>(entries));
  return made;
}

Attribute as_text(std::string_view text) {
  Attribute made;
  made.kind = AttributeKind::kOther;
  made.text = text;
  return made;
}

}  // namespace

Attribute read_word(ByteReader& in, VhloAttribute kind) {
  const std::span<const std::string_view> words = vhlo_words(kind);
  const uint32_t word = in.index(words.size(), "a value of an enum");
  Attribute made;
  made.kind = AttributeKind::kWord;
  if (!in.failed()) made.text = words[word];
  return made;
}

Attribute read_output_operand_alias(BytecodeReader& reader, ByteReader& in) {
  static const Fields kAlias = {"stablehlo.output_operand_alias",
                                {"output_tuple_indices*", "operand_index", "operand_tuple_indices*"}};
  return read_fields(reader.tree, in, kAlias);
}

/// Like read_mesh_attribute for VHLO, but names are strings.
Attribute read_own_mesh_attribute(BytecodeReader& reader, ByteReader& in, uint64_t code) {
  ModuleTree& tree = reader.tree;
  std::vector<NamedAttribute> entries;
  const auto add = [&](std::string_view name, AttributeId value) { entries.push_back({tree.intern(name), value}); };
  Attribute made;
  made.kind = AttributeKind::kDictionary;
  if (const auto kind = static_cast<Code>(code); kind == Code::kReplicaGroupMeshAxes) {
    made.text = "stablehlo.replica_group_mesh_axes";
    add("mesh", attribute_from(reader, in));
    add("axes", tree.add(read_list(reader, in)));
  } else if (kind == Code::kSubAxisInfo) {
    made.text = "stablehlo.sub_axis_info";
    add("pre_size", add_signed(reader, in));
    add("size", add_signed(reader, in));
  } else if (kind == Code::kAxisRef) {
    made.text = "stablehlo.axis_ref";
    add("name", tree.add_text(AttributeKind::kString, string_from(reader, in)));
    if (in.byte() != 0) add("sub_axis_info", attribute_from(reader, in));
  } else if (kind == Code::kMeshAxis) {
    made.text = "stablehlo.mesh_axis";
    add("name", tree.add_text(AttributeKind::kString, string_from(reader, in)));
    add("size", add_signed(reader, in));
  } else {
    made.text = "stablehlo.mesh";
    add("axes", attribute_from(reader, in));
    if (in.byte() != 0) add("device_ids", attribute_from(reader, in));
  }
  if (in.failed()) return {};
  made.entries = tree.keep(std::span<const NamedAttribute>(entries));
  return made;
}

Attribute read_bounds(BytecodeReader& reader, ByteReader& in) {
  Attribute made;
  made.kind = AttributeKind::kIntegers;
  made.integers = reader.tree.keep(std::span<const int64_t>(in.signed_numbers()));
  return made;
}

Attribute read_stablehlo(BytecodeReader& reader, ByteReader& in) {
  const uint64_t code = in.number();
  if (const Fields* known = fields_of(static_cast<Code>(code))) return read_fields(reader.tree, in, *known);
  switch (static_cast<Code>(code)) {
    case Code::kComparisonDirection: return read_word(in, VhloAttribute::kComparisonDirection);
    case Code::kComparisonType: return read_word(in, VhloAttribute::kComparisonType);
    case Code::kFftType: return read_word(in, VhloAttribute::kFftType);
    case Code::kPrecision: return read_word(in, VhloAttribute::kPrecision);
    case Code::kRngAlgorithm: return read_word(in, VhloAttribute::kRngAlgorithm);
    case Code::kRngDistribution: return read_word(in, VhloAttribute::kRngDistribution);
    case Code::kTranspose: return read_word(in, VhloAttribute::kTranspose);
    case Code::kResultAccuracyMode: return read_word(in, VhloAttribute::kResultAccuracyMode);
    case Code::kOutputOperandAlias: return read_output_operand_alias(reader, in);
    case Code::kTypeExtensions: return read_bounds(reader, in);
    case Code::kDotAlgorithm: return as_text("dot_algorithm");
    case Code::kResultAccuracy: return as_text("result_accuracy");
    case Code::kReplicaGroupMeshAxes:
    case Code::kSubAxisInfo:
    case Code::kAxisRef:
    case Code::kMeshAxis:
    case Code::kMesh: return read_own_mesh_attribute(reader, in, code);
    default: break;
  }
  in.fail(StatusCode::kUnimplemented, fmt::format("attribute {} of dialect 'stablehlo'", code));
  return {};
}

Attribute read_chlo(ByteReader& in) {
  const uint64_t code = in.number();
  if (code == 0) return read_word(in, VhloAttribute::kComparisonDirection);
  if (code == 1) return read_word(in, VhloAttribute::kComparisonType);
  in.fail(StatusCode::kUnimplemented, fmt::format("attribute {} of dialect 'chlo'", code));
  return {};
}

}  // namespace hilo::stablehlo
