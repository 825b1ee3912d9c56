// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/module_tree.h -- an MLIR program as plain data. The readers of text and bytecode create it;
// translate.h converts it to HLO.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/text_hash.h"
#include "hilo/types/literal.h"

namespace hilo::stablehlo {

// Ids are indices into the vectors of the tree.
using TypeId = uint32_t;
using AttributeId = uint32_t;
using ValueId = uint32_t;
using OperationId = uint32_t;
using RegionId = uint32_t;
using LocationId = uint32_t;
inline constexpr uint32_t kNone = ~uint32_t{0};

/// A dimension written as '?'.
inline constexpr int64_t kDynamic = -1;

enum class TypeKind : uint8_t { kElement, kTensor, kFunction, kTuple, kToken, kNoType, kOther };

/// Meaning of a quantized type's integers: (stored - zero point) * scale, per slice of `axis` or for all elements.
struct Quantization {
  ElementType expressed = ElementType::kF32;
  int64_t axis = -1;
  std::vector<double> scales, zero_points;
  double least = 0, greatest = 0;  ///< range of the stored integers
};

/// Floats of 6 bits, which HLO lacks. Their constants are stored in f8 types that contain all their numbers.
enum class SixBits : uint8_t { kNone, kE2M3, kE3M2 };

struct Type {
  TypeKind kind = TypeKind::kOther;
  ElementType element = ElementType::kOpaque;  ///< for kElement and kTensor; `index` is s64
  uint32_t input_count = 0;                    ///< for kFunction
  std::vector<int64_t> dimensions;             ///< for kTensor; kDynamic if unknown
  std::vector<int64_t> bounds =
      /// for kTensor: bounds of sizes that are only known at run time, otherwise kDynamic; `dimensions` also has the
      /// bounds
      {};
  std::vector<TypeId> parts;  ///< for kTuple: elements; for kFunction: inputs, then results
  /// for kElement and kTensor; `element` is the storage type
  std::shared_ptr<const Quantization> quantization = nullptr;
  SixBits six_bits = SixBits::kNone;  ///< `element` is the carrier type
  std::string spelled;                ///< MLIR's text; for kOther there is no other information
};

enum class AttributeKind : uint8_t {
  kUnit,
  kBool,
  kInteger,
  kFloat,
  kString,
  kSymbol,  ///< @name
  kWord,    ///< LT, HIGHEST, ...: a value of an enum of a dialect
  kType,
  kArray,
  kDictionary,  ///< {a = 1}; also #stablehlo.gather<offset_dims = [0], ...>, whose name is in `text`
  kIntegers,    ///< array<i64: 1, 2>, and [1, 2] inside a dialect's attribute
  kElements,    ///< dense<...> : tensor<...>
  kOther,       ///< only known as text: shardings, meshes
};

struct NamedAttribute {
  std::string_view name;
  AttributeId value;
};

/// Owns nothing: lists and texts are in the tree's memory, by ModuleTree::keep.
struct Attribute {
  AttributeKind kind = AttributeKind::kUnit;
  TypeId type = kNone;                           ///< for kType; for kInteger, kFloat, kElements the type of the value
  int64_t integer = 0;                           ///< for kBool and kInteger
  double number = 0;                             ///< for kFloat
  std::string_view text = {};                    ///< for kString, kSymbol, kWord, kOther; for a dictionary its name
  std::span<const NamedAttribute> entries = {};  ///< for kDictionary
  std::span<const AttributeId> elements = {};    ///< for kArray
  std::span<const int64_t> integers = {};        ///< for kIntegers
  const Literal* literal = nullptr;              ///< for kElements: all elements, or a scalar that stands for all
};

/// The source of an operation, as far as HLO's metadata can represent it.
struct Location {
  std::string_view name, file;
  int64_t line = 0;
};

struct Value {
  TypeId type = kNone;
  OperationId definer = kNone;  ///< kNone for an argument of a block
};

/// `count` entries of a pool, from `begin` on.
struct Range {
  uint32_t begin = 0, count = 0;
};

struct Operation {
  std::string_view name;          ///< "stablehlo.add"
  Range results;                  ///< in values
  Range operands;                 ///< in operand_pool
  Range attributes;               ///< in attribute_pool
  Range regions;                  ///< in regions
  LocationId location = 0;        ///< 0 means unknown
  OperationId next = kNone;       ///< next operation in its block
  OperationId nested_end = 0;     ///< nested operations are (own id, nested_end)
  uint32_t line = 0, column = 0;  ///< position in the text, from 1 on; 0 for bytecode
};

/// A region with one block. The readers reject other regions.
struct Region {
  Range arguments;  ///< in values
  OperationId first = kNone, last = kNone;
};

/// Movable, but not copyable, because its parts refer to its memory.
struct ModuleTree {
  std::string source;  ///< name of the source, for errors
  std::vector<Type> types;
  std::vector<Attribute> attributes;
  std::vector<Value> values;
  std::vector<Operation> operations;  ///< an operation precedes those inside it; the first one is the module
  std::vector<Region> regions;
  std::vector<Location> locations = {Location{}};
  std::vector<ValueId> operand_pool;
  std::vector<NamedAttribute> attribute_pool;
  boost::unordered_flat_set<std::string_view, TextHash>
      names;  ///< of operations, attributes, locations; each text is stored once
  std::deque<Literal> literals;
  /// Memory of the views and spans above; freed as a whole.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory = std::make_unique<std::pmr::monotonic_buffer_resource>();

  /// Returns a view that lives as long as the tree. Equal texts give the same view.
  std::string_view intern(std::string_view text);
  /// Returns a copy that lives as long as the tree.
  std::string_view keep(std::string_view text) {
    const std::span<const char> copy = keep(std::span<const char>(text));
    return {copy.data(), copy.size()};
  }
  template <typename T>
  std::span<const T> keep(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    T* const copy = static_cast<T*>(memory->allocate(values.size_bytes(), alignof(T)));
    std::uninitialized_copy(values.begin(), values.end(), copy);
    return {copy, values.size()};
  }
  const Literal* keep(Literal literal) { return &literals.emplace_back(std::move(literal)); }

  ValueId operand(const Operation& operation, uint32_t i) const { return operand_pool[operation.operands.begin + i]; }
  std::span<const NamedAttribute> attributes_of(const Operation& operation) const {
    return {attribute_pool.data() + operation.attributes.begin, operation.attributes.count};
  }
  ValueId result(const Operation& operation, uint32_t i) const { return operation.results.begin + i; }
  const Type& type_of(ValueId value) const { return types[values[value].type]; }

  /// Returns the attribute `name`, which may also be a field of one of the operation's attributes (offset_dims of
  /// dimension_numbers); null if absent.
  const Attribute* find(const Operation& operation, std::string_view name) const;
  /// Returns the field `name` of a dictionary; null if absent.
  const Attribute* find(const Attribute& dictionary, std::string_view name) const;

  AttributeId add(const Attribute& attribute);
  AttributeId add_text(AttributeKind kind, std::string_view text);
  AttributeId add_integers(std::span<const int64_t> integers);
  AttributeId add_array(std::span<const AttributeId> elements);
  /// Adds a dictionary. `name` is that of the dialect's attribute whose fields these are.
  AttributeId add_dictionary(std::span<const NamedAttribute> entries, std::string_view name = {});

  /// Appends `operation` to the region.
  void append(RegionId region, OperationId operation);
};

/// Returns the integers of an array, a list, or a dense tensor; a single integer is a list of one.
/// Errors    INVALID_ARGUMENT for other attributes; RESOURCE_EXHAUSTED for a splat of over a million elements
StatusOr<std::vector<int64_t>> integers_of(const ModuleTree& tree, const Attribute& attribute);

/// Returns the bytes of one element in memory. Narrow types have one byte.
int64_t element_bytes(ElementType type);

/// Sets unknown dimensions to their bounds. Known dimensions and those without a bound are unchanged.
/// Errors    INVALID_ARGUMENT for another number of bounds than dimensions
Status set_bounds(Type& type, std::span<const int64_t> bounds);

/// Returns the HLO shape of a tensor, tuple or token type.
/// Errors    UNIMPLEMENTED for unknown dimensions and for types that HLO lacks; INVALID_ARGUMENT for shapes that are
///           too large
StatusOr<Shape> shape_of(const ModuleTree& tree, TypeId type);

/// Returns whether two types are equal. Quantized types with the same storage count as equal.
bool same_type(const ModuleTree& tree, TypeId a, TypeId b);

/// Maximum nesting of types, attributes and regions. Both readers reject deeper nesting, so that recursion is safe.
inline constexpr int kMaxNesting = 256;

}  // namespace hilo::stablehlo
