// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/tree_builder.h -- appends types, attributes, operations and regions to a module tree, for the writers.
#pragma once

#include <span>
#include <unordered_map>

#include "hilo/stablehlo/tree/module_tree.h"

namespace hilo::stablehlo {

/// An operation to be appended.
struct NewOperation {
  std::string name = {};  ///< "stablehlo.add"
  std::vector<ValueId> operands = {};
  std::vector<NamedAttribute> attributes = {};
  std::vector<TypeId> results = {};
};

struct TreeBuilder {
  ModuleTree tree = {};

  /// Returns the type of an array, token or tuple. Each type is added once.
  TypeId type(const Shape& shape);
  TypeId element_type(ElementType type, std::string_view spelled);
  TypeId add_type(Type type);
  TypeId function_type(std::span<const TypeId> inputs, std::span<const TypeId> results);

  AttributeId integer(int64_t value) { return number(AttributeKind::kInteger, value, kNone); }
  AttributeId integer32(int64_t value);
  AttributeId boolean(bool value) { return number(AttributeKind::kBool, value ? 1 : 0, kNone); }
  AttributeId floating(double value);
  /// Adds a dictionary. Names need not be interned.
  AttributeId dictionary(std::vector<NamedAttribute> entries, std::string_view name = {});
  AttributeId elements(const Literal& value);
  /// Adds rows of equal length; short rows are padded with -1.
  AttributeId matrix(const std::vector<std::vector<int64_t>>& rows, size_t width);

  /// Adds attribute `name` in the form of attribute_rows.h. Precondition: that form fits the value.
  void put(NewOperation& operation, std::string_view name, int64_t value);
  void put(NewOperation& operation, std::string_view name, std::vector<int64_t> values);
  void put(NewOperation& operation, std::string_view name, std::string_view word);
  void put_attribute(NewOperation& operation, std::string_view name, AttributeId value);

  /// Begins an operation, whose results exist immediately. Its regions follow.
  OperationId begin(const NewOperation& operation, LocationId location = 0);
  /// Ends an operation at the end of `region` (kNone for the module).
  void end(OperationId operation, std::span<const Region> regions, RegionId region);
  /// Begins a region. Its arguments are the values that are added next.
  RegionId begin_region();
  ValueId argument(RegionId region, TypeId type);

 private:
  AttributeId number(AttributeKind kind, int64_t value, TypeId type);
  std::unordered_map<std::string, TypeId> types_ = {};
};

}  // namespace hilo::stablehlo
