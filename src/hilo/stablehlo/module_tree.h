// SPDX-License-Identifier: Apache-2.0
// stablehlo/module_tree.h -- a program of MLIR as plain data: what both readers, text and bytecode, make, and what
// translate.h turns into HLO.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo::stablehlo {

// Everything lies in vectors of the tree; ids are indices into them.
using TypeId = uint32_t;
using AttributeId = uint32_t;
using ValueId = uint32_t;
using OperationId = uint32_t;
using RegionId = uint32_t;
using LocationId = uint32_t;
inline constexpr uint32_t kNone = ~uint32_t{0};

/// A dimension written '?'.
inline constexpr int64_t kDynamic = -1;

enum class TypeKind : uint8_t { kElement, kTensor, kFunction, kTuple, kToken, kNoType, kOther };

/// What the integers of a quantised type stand for: (stored - zero point) * scale, by slice of `axis` or for all alike.
struct Quantization {
  ElementType expressed = ElementType::kF32;
  int64_t axis = -1;
  std::vector<double> scales, zero_points;
  double least = 0, greatest = 0;  ///< of the stored integers
};

/// Floats of 6 bits, which HLO lacks. Their constants are carried in f8 types that have all their numbers.
enum class SixBits : uint8_t { kNone, kE2M3, kE3M2 };

struct Type {
  TypeKind kind = TypeKind::kOther;
  ElementType element = ElementType::kOpaque;                  ///< of kElement and kTensor; `index` counts as s64
  uint32_t input_count = 0;                                    ///< of kFunction
  std::vector<int64_t> dimensions;                             ///< of kTensor; kDynamic where unknown
  std::vector<TypeId> parts;                                   ///< of kTuple; of kFunction: inputs, then results
  std::shared_ptr<const Quantization> quantization = nullptr;  ///< of kElement and kTensor; `element` is what is stored
  SixBits six_bits = SixBits::kNone;                           ///< `element` is what carries it
  std::string spelled;  ///< as MLIR writes it; of kOther: all that is known of it
};

enum class AttributeKind : uint8_t {
  kUnit,
  kBool,
  kInteger,
  kFloat,
  kString,
  kSymbol,  ///< @name
  kWord,    ///< LT, HIGHEST, ...: a value of one of the dialects' enums
  kType,
  kArray,
  kDictionary,  ///< {a = 1}; also #stablehlo.gather<offset_dims = [0], ...>, whose name is then in `text`
  kIntegers,    ///< array<i64: 1, 2>, and [1, 2] inside a dialect's attribute
  kElements,    ///< dense<...> : tensor<...>
  kOther,       ///< known as text only: shardings, meshes
};

struct Attribute {
  AttributeKind kind = AttributeKind::kUnit;
  int64_t integer = 0;                  ///< of kBool and kInteger
  double number = 0;                    ///< of kFloat
  TypeId type = kNone;                  ///< of kType; of the value of kInteger, kFloat, kElements
  std::string text;                     ///< of kString, kSymbol, kWord, kOther
  std::vector<std::string_view> names;  ///< of kDictionary
  std::vector<AttributeId> elements;    ///< of kArray; values of kDictionary
  std::vector<int64_t> integers;        ///< of kIntegers
  std::optional<Literal> literal;       ///< of kElements: all elements, or a scalar that stands for all
};

/// Where an operation comes from, as far as HLO's metadata can say it.
struct Location {
  std::string_view name, file;
  int64_t line = 0;
};

struct Value {
  TypeId type = kNone;
  OperationId definer = kNone;  ///< kNone for an argument of a block
};

/// `count` entries of a pool from `begin` on.
struct Range {
  uint32_t begin = 0, count = 0;
};

struct NamedAttribute {
  std::string_view name;
  AttributeId value;
};

struct Operation {
  std::string_view name;       ///< "stablehlo.add"
  Range results;               ///< of values
  Range operands;              ///< of operand_pool
  Range attributes;            ///< of attribute_pool
  Range regions;               ///< of regions
  LocationId location = 0;     ///< 0: unknown
  OperationId next = kNone;    ///< after this one in its block
  OperationId nested_end = 0;  ///< operations inside this one are (own id, nested_end)
};

/// A region with one block; other regions are refused by the readers.
struct Region {
  Range arguments;  ///< of values
  OperationId first = kNone, last = kNone;
};

/// Of strings and views alike: a view finds a string without a copy.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

struct ModuleTree {
  std::vector<Type> types;
  std::vector<Attribute> attributes;
  std::vector<Value> values;
  std::vector<Operation> operations;  ///< an operation stands before those inside it; the first is the module
  std::vector<Region> regions;
  std::vector<Location> locations = {Location{}};
  std::vector<ValueId> operand_pool;
  std::vector<NamedAttribute> attribute_pool;
  std::unordered_set<std::string, TextHash, std::equal_to<>> names;  ///< owns the texts that the views above show

  /// A view that lives as long as the tree. Equal texts give the same view.
  std::string_view intern(std::string_view text);

  ValueId operand(const Operation& operation, uint32_t i) const { return operand_pool[operation.operands.begin + i]; }
  ValueId result(const Operation& operation, uint32_t i) const { return operation.results.begin + i; }
  const Type& type_of(ValueId value) const { return types[values[value].type]; }

  /// The attribute `name`, also where it is a field of one of the operation's attributes (offset_dims of
  /// dimension_numbers); null for none.
  const Attribute* find(const Operation& operation, std::string_view name) const;
  /// Of a dictionary.
  const Attribute* find(const Attribute& dictionary, std::string_view name) const;

  AttributeId add(Attribute attribute);
  AttributeId add_text(AttributeKind kind, std::string_view text);
  AttributeId add_integers(std::vector<int64_t> integers);
  AttributeId add_array(std::vector<AttributeId> elements);
  /// `name`: of the dialect's attribute whose fields these are.
  AttributeId add_dictionary(std::span<const NamedAttribute> entries, std::string_view name = {});

  /// Puts `operation` at the end of the region's list.
  void append(RegionId region, OperationId operation);
};

/// The integers of an array, a list, or a dense tensor; a single integer is a list of one.
/// Errors    INVALID_ARGUMENT for other attributes; RESOURCE_EXHAUSTED for a splat of over a million
StatusOr<std::vector<int64_t>> integers_of(const ModuleTree& tree, const Attribute& attribute);

/// Bytes of one element in memory. Sub-byte types take one.
int64_t element_bytes(ElementType type);

/// The HLO shape of a tensor, tuple or token type.
/// Errors    UNIMPLEMENTED for unknown dimensions and for types that HLO lacks; INVALID_ARGUMENT for shapes too large
StatusOr<Shape> shape_of(const ModuleTree& tree, TypeId type);

/// Whether types that hold types are nested no deeper than this; both readers refuse others, so that recursion over types,
/// attributes and regions is safe.
inline constexpr int kMaxNesting = 256;

}  // namespace hilo::stablehlo
