// SPDX-License-Identifier: Apache-2.0
// stablehlo/text_parts.h -- what the files of the text reader share; nobody else includes it.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <span>
#include <unordered_map>

#include "hilo/stablehlo/cursor.h"
#include "hilo/stablehlo/module_tree.h"

namespace hilo::stablehlo {

/// Values named on the left of '='.
struct ResultNames {
  std::vector<std::pair<std::string_view, uint32_t>> groups;  ///< %x:2 is {"x", 2}
  size_t position = 0;
  uint32_t count() const;
};

/// An operation whose text is being read. Lists are collected here and put into the tree's pools at its end.
struct PendingOperation {
  OperationId id = kNone;
  size_t position = 0;  ///< of its name
  ResultNames names;
  std::vector<ValueId> operands;
  std::vector<NamedAttribute> attributes;
  std::vector<Region> regions;
  std::vector<TypeId> operand_types, result_types;
};

struct TextReader {
  Cursor cursor;
  ModuleTree& tree;

  // text_types.cc
  StatusOr<TypeId> read_type();
  /// `T, T` or `(T, T)`.
  Status read_types(std::vector<TypeId>& types);
  /// `(T, T) -> T` or `(T, T) -> (T, T)`, from the opening bracket on.
  StatusOr<TypeId> read_function_type();
  TypeId add_type(Type type);
  bool at_type();

  // text_attributes.cc
  StatusOr<AttributeId> read_attribute();
  /// -1 : i32, 1.5e-3 : f64, 0x7F800000 : f32. In pretty forms what follows the colon is the operation's type: not `typed`.
  StatusOr<AttributeId> read_number(bool typed);
  /// `{a = 1, b}`, from the brace on, into `attributes`.
  Status read_dictionary(std::vector<NamedAttribute>& attributes);
  /// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
  StatusOr<AttributeId> read_convolution_dimensions();
  StatusOr<std::vector<int64_t>> read_integer_list(std::string_view what);

  // text_elements.cc
  /// `dense<...> : type`, after the word.
  StatusOr<AttributeId> read_dense();
  StatusOr<AttributeId> read_dense_resource();
  /// Puts the bytes of `{-# dialect_resources: ... #-}` into the attributes that wait for them.
  Status read_resources();

  // text_locations.cc
  /// `loc(...)`, if it is there.
  StatusOr<LocationId> read_location();
  /// Remembers where `#name = ...` and `!name = ...` at the beginning of a line stand, wherever in the text.
  Status find_aliases(size_t begin, size_t end);

  // text_operations.cc
  Status read_operation(RegionId region);
  /// An empty one, with the memory of one that is done.
  PendingOperation new_operation();
  Status begin_operation(PendingOperation& operation, std::string_view name, size_t position);
  /// `name` after '%', with `#2`.
  StatusOr<ValueId> read_value();
  Status read_operands(PendingOperation& operation, std::string_view close);
  /// A region in braces; its first block's arguments may have been read before.
  Status read_region(PendingOperation& operation,
                     const std::vector<std::pair<std::string_view, TypeId>>& arguments = {});
  /// `%a: type {attributes} loc`, in round brackets.
  Status read_arguments(std::vector<std::pair<std::string_view, TypeId>>& arguments,
                        std::vector<AttributeId>* attributes);
  Status finish_operation(PendingOperation& operation, RegionId region);
  Status read_generic(PendingOperation& operation);
  ValueId add_value(TypeId type, OperationId definer);
  Status define(std::string_view name, ValueId first, uint32_t count, size_t position);

  // text_forms.cc
  Status read_pretty(PendingOperation& operation, uint32_t result_count);

  struct Definition {
    ValueId first;
    uint32_t count;
  };
  boost::unordered_flat_map<std::string_view, Definition> values = {};
  std::vector<std::string_view> defined = {};                      ///< in order, so that a region's names go at its end
  std::vector<PendingOperation> spare = {};                        ///< done, their lists empty
  boost::unordered_flat_map<std::string_view, TypeId> types = {};  ///< by how they are written
  boost::unordered_flat_map<std::string_view, AttributeId> arrays = {};  ///< the same
  std::unordered_map<std::string_view, size_t> aliases = {};  ///< "#loc1", "!t" -> where their meaning stands
  std::unordered_map<size_t, AttributeId> alias_attributes = {};
  std::unordered_map<size_t, LocationId> location_aliases = {};
  struct Resource {
    AttributeId attribute;
    std::string name;
    size_t position;
  };
  std::vector<Resource> resources = {};
  int depth = 0;
};

/// The attribute that a word of a pretty form stands for; two for `[1] x [0]`.
struct Clause {
  std::string_view operation, word, attribute, second = {};
};
/// All of them; those of one operation stand in the order in which MLIR writes them.
std::span<const Clause> clauses();

/// Counts nesting; refuses what is too deep.
struct Nested {
  explicit Nested(int& depth) : depth(depth) { ++depth; }
  ~Nested() { --depth; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  bool too_deep() const { return depth > kMaxNesting; }
  int& depth;
};

}  // namespace hilo::stablehlo
