// SPDX-License-Identifier: Apache-2.0
// stablehlo/bytecode/parts.h -- what the files of the bytecode reader share; nobody else includes it.
#pragma once

#include <vector>

#include "hilo/stablehlo/bytecode/byte_reader.h"
#include "hilo/stablehlo/tree/module_tree.h"
#include "hilo/stablehlo/tree/vhlo.h"

namespace hilo::stablehlo {

/// Where an attribute or type lies, and what it has become. Each is read once, when something refers to it.
struct BytecodeEntry {
  std::string_view dialect;
  size_t begin = 0, end = 0;
  bool encoded = false;  ///< by its dialect; else it is text of MLIR
  uint32_t id = kNone;   ///< of the type or attribute
  LocationId location = kNone;
};

struct BytecodeReader {
  std::string_view data, source;
  ModuleTree& tree;
  uint64_t version = 0;
  std::vector<std::string_view> strings = {};
  std::vector<std::string_view> dialects = {};
  struct Name {
    std::string full;  ///< "vhlo.add_v1"
    const BytecodeOperation* known = nullptr;
  };
  std::vector<Name> operation_names = {};
  std::vector<BytecodeEntry> attributes = {}, types = {};
  std::vector<std::pair<size_t, size_t>> properties = {};
  int depth = 0;

  // bytecode/attributes.cc
  /// The tree's attribute or type for an index; reads it if that hasn't been done. Failures go to `from`.
  AttributeId attribute(ByteReader& from);
  AttributeId attribute_at(ByteReader& from, uint32_t index);
  TypeId type(ByteReader& from);
  TypeId type_at(ByteReader& from, uint32_t index);
  LocationId location(ByteReader& from);
  /// Text of the string attribute that follows.
  std::string_view string_attribute(ByteReader& from);
  std::string_view string(ByteReader& from) { return pick(from, strings, "string"); }

  // bytecode/shardings.cc
  /// The text of an attribute of Shardy.
  std::string read_sdy(ByteReader& in);

  // bytecode/stablehlo_attributes.cc
  /// What text gives for an attribute of StableHLO's own dialect, and CHLO's.
  Attribute read_stablehlo(ByteReader& in);
  Attribute read_chlo(ByteReader& in);
  /// A value of one of VHLO's enums, and of their namesakes.
  Attribute read_word(ByteReader& in, VhloAttribute kind);
  Attribute read_output_operand_alias(ByteReader& in);
  Attribute read_own_mesh_attribute(ByteReader& in, uint64_t code);
  /// The bounds of a tensor's sizes, as integers.
  Attribute read_bounds(ByteReader& in);

 private:
  Attribute read_attribute(ByteReader& in, const BytecodeEntry& entry);
  Attribute read_builtin(ByteReader& in);
  /// Reads a number with its sign into the tree.
  AttributeId add_signed(ByteReader& in);
  /// The attributes of VHLO that say along which axes of a mesh devices meet, as the dictionaries that text gives.
  Attribute read_mesh_attribute(ByteReader& in, VhloAttribute kind);
  Attribute read_vhlo(ByteReader& in);
  Attribute read_dictionary(ByteReader& in);
  Attribute read_list(ByteReader& in);
  Attribute read_integer(ByteReader& in);
  Attribute read_float(ByteReader& in);
  Attribute read_elements(ByteReader& in);
  Attribute read_dense_array(ByteReader& in);
  Type read_type(ByteReader& in, const BytecodeEntry& entry);
  Type read_builtin_type(ByteReader& in);
  Type read_vhlo_type(ByteReader& in);
  Type read_tensor(ByteReader& in);
  Type read_encoded_tensor(ByteReader& in);
  Type read_parts(ByteReader& in, TypeKind kind);
  Type read_quantized(ByteReader& in, bool by_axis);
  std::string_view pick(ByteReader& from, const std::vector<std::string_view>& list, std::string_view what) {
    const uint32_t index = from.index(list.size(), what);
    return from.failed() ? std::string_view() : list[index];
  }
};

Type element_type_entry(ElementType element, std::string spelled);

}  // namespace hilo::stablehlo
