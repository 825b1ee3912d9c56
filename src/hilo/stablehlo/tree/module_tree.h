// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/module_tree.h -- a program of MLIR as plain data: what both readers, text and bytecode, make, and what
// translate.h turns into HLO.
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
  ElementType element = ElementType::kOpaque;  ///< of kElement and kTensor; `index` counts as s64
  uint32_t input_count = 0;                    ///< of kFunction
  std::vector<int64_t> dimensions;             ///< of kTensor; kDynamic where unknown
  std::vector<int64_t> bounds =
      {};                     ///< of kTensor: sizes known at run time only, and kDynamic; `dimensions` has them too
  std::vector<TypeId> parts;  ///< of kTuple; of kFunction: inputs, then results
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

struct NamedAttribute {
  std::string_view name;
  AttributeId value;
};

/// Owns nothing: lists and texts lie in the tree's memory, by ModuleTree::keep.
struct Attribute {
  AttributeKind kind = AttributeKind::kUnit;
  TypeId type = kNone;                           ///< of kType; of the value of kInteger, kFloat, kElements
  int64_t integer = 0;                           ///< of kBool and kInteger
  double number = 0;                             ///< of kFloat
  std::string_view text = {};                    ///< of kString, kSymbol, kWord, kOther; a dictionary's name
  std::span<const NamedAttribute> entries = {};  ///< of kDictionary
  std::span<const AttributeId> elements = {};    ///< of kArray
  std::span<const int64_t> integers = {};        ///< of kIntegers
  const Literal* literal = nullptr;              ///< of kElements: all elements, or a scalar that stands for all
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

struct Operation {
  std::string_view name;          ///< "stablehlo.add"
  Range results;                  ///< of values
  Range operands;                 ///< of operand_pool
  Range attributes;               ///< of attribute_pool
  Range regions;                  ///< of regions
  LocationId location = 0;        ///< 0: unknown
  OperationId next = kNone;       ///< after this one in its block
  OperationId nested_end = 0;     ///< operations inside this one are (own id, nested_end)
  uint32_t line = 0, column = 0;  ///< in the text, from 1 on; 0: it was none
};

/// A region with one block; other regions are refused by the readers.
struct Region {
  Range arguments;  ///< of values
  OperationId first = kNone, last = kNone;
};

/// Moves, but isn't copied: its parts point into its memory.
struct ModuleTree {
  std::string source;  ///< of the text, for errors
  std::vector<Type> types;
  std::vector<Attribute> attributes;
  std::vector<Value> values;
  std::vector<Operation> operations;  ///< an operation stands before those inside it; the first is the module
  std::vector<Region> regions;
  std::vector<Location> locations = {Location{}};
  std::vector<ValueId> operand_pool;
  std::vector<NamedAttribute> attribute_pool;
  boost::unordered_flat_set<std::string_view, TextHash>
      names;  ///< of operations, attributes, locations; each text is there once
  std::deque<Literal> literals;
  /// Of what views and spans above show; freed at once.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory = std::make_unique<std::pmr::monotonic_buffer_resource>();

  /// A view that lives as long as the tree. Equal texts give the same view.
  std::string_view intern(std::string_view text);
  /// A copy that lives as long as the tree.
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

  /// The attribute `name`, also where it is a field of one of the operation's attributes (offset_dims of
  /// dimension_numbers); null for none.
  const Attribute* find(const Operation& operation, std::string_view name) const;
  /// Of a dictionary.
  const Attribute* find(const Attribute& dictionary, std::string_view name) const;

  AttributeId add(const Attribute& attribute);
  AttributeId add_text(AttributeKind kind, std::string_view text);
  AttributeId add_integers(std::span<const int64_t> integers);
  AttributeId add_array(std::span<const AttributeId> elements);
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

/// Makes dimensions that `bounds` bounds as large as they may be; those that are known or have no bound stay.
/// Errors    INVALID_ARGUMENT for other than one bound a dimension
Status set_bounds(Type& type, std::span<const int64_t> bounds);

/// The HLO shape of a tensor, tuple or token type.
/// Errors    UNIMPLEMENTED for unknown dimensions and for types that HLO lacks; INVALID_ARGUMENT for shapes too large
StatusOr<Shape> shape_of(const ModuleTree& tree, TypeId type);

/// Whether types that hold types are nested no deeper than this; both readers refuse others, so that recursion over types,
/// attributes and regions is safe.
inline constexpr int kMaxNesting = 256;

}  // namespace hilo::stablehlo
