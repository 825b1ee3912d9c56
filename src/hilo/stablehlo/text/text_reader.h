// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/text_reader.h -- the state of reading MLIR text. The functions that use it are declared by subject:
// types.h, attributes.h, ...
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

/// The names of values on the left of '='.
struct ResultNames {
  std::vector<std::pair<std::string_view, uint32_t>> groups;  ///< %x:2 is {"x", 2}
  size_t position = 0;
  uint32_t count() const;
};

struct PendingOperation;
struct TextReader;
using Arguments = std::vector<std::pair<std::string_view, TypeId>>;

/// A word of a pretty form and its attribute; two attributes for `[1] x [0]`. An empty word stands for text in brackets
/// without a keyword.
struct Clause {
  std::string_view word, attribute, second = {};
};

/// Facts about an operation by its name; looked up once per name of a program.
struct KnownOperation {
  std::string_view name = {};  ///< name in the tree: "stablehlo.add"
  /// Reads the rest of the pretty form after the name; null for an unknown dialect.
  Status (*read)(TextReader&, PendingOperation&, uint32_t named) = nullptr;
  std::span<const Clause> clauses = {};
  bool has_results = true;  ///< whether the types of a pretty form include those of results
};

/// Usually few, so that they need no allocation.
using Integers = boost::container::small_vector<int64_t, 8>;

/// An operation that is being read. Its lists are moved to the tree's pools when it ends.
struct PendingOperation {
  OperationId id = kNone;
  KnownOperation known;
  size_t position = 0;  ///< position of its name
  LocationId location = 0;
  ResultNames names;
  std::vector<ValueId> operands;
  std::vector<NamedAttribute> attributes;
  std::vector<Region> regions;
  std::vector<TypeId> operand_types;  ///< empty unless the text has them all
  std::vector<TypeId> result_types;
};

struct TextReader {
  Cursor cursor;
  ModuleTree& tree;
  ValueNames values;
  /// the first `open` entries are being read; the others keep their memory for reuse
  std::deque<PendingOperation> pending = {};
  size_t open = 0;
  boost::unordered_flat_map<std::string_view, KnownOperation, TextHash> operations = {};  ///< by written name
  boost::unordered_flat_map<std::string_view, TypeId, TextHash> types = {};               ///< by text
  boost::unordered_flat_map<std::string_view, AttributeId, TextHash> arrays = {};         ///< by text
  std::unordered_map<std::string_view, size_t> aliases = {};  ///< positions of the definitions of "#loc1", "!t"
  std::unordered_map<size_t, AttributeId> alias_attributes = {};
  std::unordered_map<size_t, LocationId> location_aliases = {};
  struct Resource {
    AttributeId attribute;
    std::string name;
    size_t position;
  };
  std::vector<Resource> resources = {};
  size_t line_begin = 0;  ///< position of `line`, the line of the last operation
  uint32_t line = 1;
  int depth = 0;
};

/// Counts nesting for the duration of a scope; too deep nesting is an error.
struct Nested {
  explicit Nested(int& depth) : depth(depth) { ++depth; }
  ~Nested() { --depth; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  bool too_deep() const { return depth > kMaxNesting; }
  int& depth;
};

}  // namespace hilo::stablehlo
