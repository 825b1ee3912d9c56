// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/parts.h -- what the files of the text reader share; nobody else includes it.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <span>
#include <unordered_map>

#include "hilo/base/text_hash.h"
#include "hilo/stablehlo/text/cursor.h"
#include "hilo/stablehlo/tree/module_tree.h"
#include "hilo/stablehlo/tree/value_names.h"

namespace hilo::stablehlo {

/// Values named on the left of '='.
struct ResultNames {
  std::vector<std::pair<std::string_view, uint32_t>> groups;  ///< %x:2 is {"x", 2}
  size_t position = 0;
  uint32_t count() const;
};

struct PendingOperation;
struct TextReader;
using Arguments = std::vector<std::pair<std::string_view, TypeId>>;

/// The attribute that a word of a pretty form stands for; two for `[1] x [0]`. An empty word: text in brackets by itself.
struct Clause {
  std::string_view word, attribute, second = {};
};
/// Of "stablehlo.pad", in the order in which MLIR writes them.
std::span<const Clause> clauses_of(std::string_view operation);

/// What is known of an operation by its name; looked up once for each name of a program.
struct KnownOperation {
  std::string_view name = {};  ///< "stablehlo.add", the tree's
  /// Reads what follows the name in the pretty form; null for a dialect that this version doesn't know.
  Status (*read)(TextReader&, PendingOperation&, uint32_t named) = nullptr;
  std::span<const Clause> clauses = {};
  bool has_results = true;  ///< the types of a pretty form include those of results
};

/// Few as a rule, which then take no memory of their own.
using Integers = boost::container::small_vector<int64_t, 8>;

/// An operation whose text is being read. Lists are collected here and put into the tree's pools at its end.
struct PendingOperation {
  OperationId id = kNone;
  KnownOperation known;
  size_t position = 0;  ///< of its name
  LocationId location = 0;
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
  StatusOr<Integers> read_integer_list(std::string_view what);

  // text_elements.cc
  /// `dense<...> : type`, after the word.
  StatusOr<AttributeId> read_dense();
  StatusOr<AttributeId> read_dense_resource();
  /// Puts the bytes of `{-# dialect_resources: ... #-}` into the attributes that wait for them.
  Status read_resources();

  // text_locations.cc
  /// `loc(...)`, if it is there.
  StatusOr<LocationId> read_location();
  /// Remembers where `#name = ...` and `!name = ...` at the beginning of a line stand, wherever in the text; and makes
  /// room for as many operations as there are lines.
  Status find_aliases(size_t begin, size_t end);

  // text_operations.cc
  Status read_operation(RegionId region);
  /// By the name as it is written: "stablehlo.add", "module", "return".
  const KnownOperation& known_operation(std::string_view word);
  /// Begins an operation; finish_operation ends the one that was begun last.
  StatusOr<PendingOperation*> begin_operation(const KnownOperation& known, size_t position);
  /// `name` after '%', with `#2`.
  StatusOr<ValueId> read_value();
  Status read_operands(PendingOperation& operation, std::string_view close);
  /// A region in braces; its first block's arguments may have been read before.
  Status read_region(PendingOperation& operation, const Arguments& arguments = {});
  /// `%a: type {attributes} loc`, in round brackets.
  Status read_arguments(Arguments& arguments, std::vector<AttributeId>* attributes);
  Status finish_operation(PendingOperation& operation, RegionId region);
  Status read_generic(PendingOperation& operation);
  /// Line and column of `position`. Cheap where positions grow.
  std::pair<uint32_t, uint32_t> place_of(size_t position);
  ValueId add_value(TypeId type, OperationId definer);
  Status define(std::string_view name, ValueId first, uint32_t count, size_t position);

  // text_forms.cc
  Status read_pretty(PendingOperation& operation, uint32_t result_count);
  KnownOperation facts_of(std::string_view name);
  /// What ends most pretty forms: `{attributes} : types`.
  Status read_functional_tail(PendingOperation& operation);

  // text/sdy_forms.cc
  /// What is written there, on one line, without comments.
  std::string text_between(size_t begin, size_t end) const;

  ValueNames values;
  std::deque<PendingOperation> pending = {};  ///< the first `open` are being read, the others lend their memory
  size_t open = 0;
  boost::unordered_flat_map<std::string_view, KnownOperation, TextHash> operations = {};  ///< by how they are written
  boost::unordered_flat_map<std::string_view, TypeId, TextHash> types = {};               ///< the same
  boost::unordered_flat_map<std::string_view, AttributeId, TextHash> arrays = {};         ///< the same
  std::unordered_map<std::string_view, size_t> aliases = {};  ///< "#loc1", "!t" -> where their meaning stands
  std::unordered_map<size_t, AttributeId> alias_attributes = {};
  std::unordered_map<size_t, LocationId> location_aliases = {};
  struct Resource {
    AttributeId attribute;
    std::string name;
    size_t position;
  };
  std::vector<Resource> resources = {};
  size_t line_begin = 0;  ///< of line `line`, where an operation began last
  uint32_t line = 1;
  int depth = 0;
};

// Pretty forms of Shardy's operations: text/sdy_forms.cc.
Status read_mesh(TextReader& reader, PendingOperation& operation, uint32_t named);
Status read_sharded(TextReader& reader, PendingOperation& operation, uint32_t named);
Status read_manual_computation(TextReader& reader, PendingOperation& operation, uint32_t named);
Status read_named_computation(TextReader& reader, PendingOperation& operation, uint32_t named);

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
