// SPDX-License-Identifier: Apache-2.0
// stablehlo/text/text_reader.h -- the state of reading MLIR text. The functions that read with it are declared by subject: types.h, attributes.h, ...
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
