// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "hilo/base/sizes.h"
#include "hilo/base/text.h"
#include "hilo/stablehlo/text/attributes.h"
#include "hilo/stablehlo/text/forms.h"
#include "hilo/stablehlo/text/locations.h"
#include "hilo/stablehlo/text/types.h"

namespace hilo::stablehlo {

uint32_t ResultNames::count() const {
  uint32_t total = 0;
  for (const auto& group : groups) total += group.second;
  return total;
}

ValueId add_value(TextReader& reader, TypeId type, OperationId definer) {
  ModuleTree& tree = reader.tree;
  tree.values.push_back({type, definer});
  return static_cast<ValueId>(tree.values.size() - 1);
}

Status define(TextReader& reader, std::string_view name, ValueId first, uint32_t count, size_t position) {
  if (reader.values.define(name, {first, count})) return ok_status();
  return reader.cursor.error(position, fmt::format("%{} is defined twice", name));
}

StatusOr<ValueId> read_value(TextReader& reader) {
  Cursor& cursor = reader.cursor;
  const size_t position = cursor.position();
  HILO_RETURN_IF_ERROR(cursor.expect("%", "before a value's name"));
  const std::string_view name = cursor.suffix();
  const ValueNames::Definition found = reader.values.find(name);
  if (found.count == 0) {
    return cursor.error(StatusCode::kNotFound, position, fmt::format("%{} is not defined before its use", name));
  }
  int64_t index = 0;
  if (cursor.accept("#")) {
    HILO_ASSIGN_OR_RETURN(index, cursor.integer("a result's number"));
  }
  if (index < 0 || index >= static_cast<int64_t>(found.count)) {
    return cursor.error(position, fmt::format("%{} has {} values; got number {}", name, found.count, index));
  }
  return found.first + static_cast<uint32_t>(index);
}

Status read_operands(TextReader& reader, PendingOperation& operation, std::string_view close) {
  Cursor& cursor = reader.cursor;
  if (cursor.accept(close)) return ok_status();
  do {
    HILO_ASSIGN_OR_RETURN(const ValueId value, read_value(reader));
    operation.operands.push_back(value);
  } while (cursor.accept(","));
  return cursor.expect(close, "after operands");
}

Status read_arguments(TextReader& reader, Arguments& arguments, std::vector<AttributeId>* attributes) {
  Cursor& cursor = reader.cursor;
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before arguments"));
  if (cursor.accept(")")) return ok_status();
  do {
    std::string_view name;
    if (cursor.accept("%")) {
      name = cursor.suffix();
      HILO_RETURN_IF_ERROR(cursor.expect(":", "after an argument's name"));
    }
    HILO_ASSIGN_OR_RETURN(const TypeId type, read_type(reader));
    arguments.emplace_back(name, type);
    std::vector<NamedAttribute> own;
    if (cursor.next_is("{")) HILO_RETURN_IF_ERROR(read_dictionary(reader, own));
    if (attributes != nullptr) attributes->push_back(reader.tree.add_dictionary(own));
    HILO_RETURN_IF_ERROR(read_location(reader).status());
  } while (cursor.accept(","));
  return cursor.expect(")", "after arguments");
}

Status read_region(TextReader& reader, PendingOperation& operation, const Arguments& arguments) {
  Cursor& cursor = reader.cursor;
  ModuleTree& tree = reader.tree;
  const Nested nested(reader.depth);
  if (nested.too_deep()) {
    return cursor.error(cursor.position(), fmt::format("regions nested deeper than {}", kMaxNesting));
  }
  HILO_RETURN_IF_ERROR(cursor.expect("{", "before a region"));
  const size_t names = reader.values.begin_region();
  Arguments own;
  if (cursor.next_is("^")) {
    cursor.accept("^");
    cursor.suffix();
    if (cursor.next_is("(")) HILO_RETURN_IF_ERROR(read_arguments(reader, own, nullptr));
    HILO_RETURN_IF_ERROR(cursor.expect(":", "after a block's name"));
  }
  const auto& all = own.empty() ? arguments : own;
  // The region is added to the tree before its operations, which append to it. The list of regions of its owner is
  // built from copies at the owner's end.
  const auto region = static_cast<RegionId>(tree.regions.size());
  tree.regions.push_back({});
  tree.regions[region].arguments = {size32(tree.values), size32(all)};
  const size_t position = cursor.position();
  for (const auto& [name, type] : all) add_value(reader, type, kNone);
  for (size_t i = 0; i < all.size(); ++i) {
    const ValueId value = tree.regions[region].arguments.begin + static_cast<uint32_t>(i);
    if (!all[i].first.empty()) HILO_RETURN_IF_ERROR(define(reader, all[i].first, value, 1, position));
  }
  while (!cursor.accept("}")) {
    if (cursor.next_is("^"))
      return cursor.error(StatusCode::kUnimplemented, cursor.position(), "a region with several blocks");
    if (cursor.at_end()) return cursor.unexpected("'}'", "after a region");
    HILO_RETURN_IF_ERROR(read_operation(reader, region));
  }
  reader.values.end_region(names);
  operation.regions.push_back(tree.regions[region]);
  return ok_status();
}

const KnownOperation& known_operation(TextReader& reader, std::string_view word) {
  const auto [known, is_new] = reader.operations.try_emplace(word);
  if (!is_new) return known->second;
  const bool of_functions = word.find('.') == std::string_view::npos;
  known->second = facts_of(reader, word == "module" ? "builtin.module"
                                   : of_functions   ? fmt::format("func.{}", word)
                                                    : word);
  return known->second;
}

std::pair<uint32_t, uint32_t> place_of(TextReader& reader, size_t position) {
  Cursor& cursor = reader.cursor;
  const auto lines_in = [&](size_t begin, size_t end) {
    return static_cast<uint32_t>(std::ranges::count(cursor.between(begin, end), '\n'));
  };
  if (position < reader.line_begin) {  // of an operation that was read out of order: a reducer's body
    reader.line -= lines_in(position, reader.line_begin);
    reader.line_begin = cursor.between(0, position).rfind('\n') + 1;
  } else if (const uint32_t more = lines_in(reader.line_begin, position); more > 0) {
    reader.line += more;
    reader.line_begin = cursor.between(0, position).rfind('\n') + 1;
  }
  return {reader.line, static_cast<uint32_t>(position - reader.line_begin + 1)};
}

StatusOr<PendingOperation*> begin_operation(TextReader& reader, const KnownOperation& known, size_t position) {
  ModuleTree& tree = reader.tree;
  if (tree.operations.size() >= kNone)
    return reader.cursor.error(StatusCode::kResourceExhausted, position, "too many operations");
  if (reader.open == reader.pending.size()) reader.pending.emplace_back();
  PendingOperation& operation = reader.pending[reader.open++];
  operation.known = known;
  operation.position = position;
  operation.location = 0;
  operation.id = static_cast<OperationId>(tree.operations.size());
  Operation& made = tree.operations.emplace_back();
  made.name = known.name;
  std::tie(made.line, made.column) = place_of(reader, position);
  return &operation;
}

Status read_generic(TextReader& reader, PendingOperation& operation) {
  Cursor& cursor = reader.cursor;
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before operands"));
  HILO_RETURN_IF_ERROR(read_operands(reader, operation, ")"));
  if (cursor.next_is("["))
    return cursor.error(StatusCode::kUnimplemented, cursor.position(), "an operation with successor blocks");
  if (cursor.accept("<")) {
    HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
    HILO_RETURN_IF_ERROR(cursor.expect(">", "after properties"));
  }
  if (cursor.accept("(")) {
    do {
      HILO_RETURN_IF_ERROR(read_region(reader, operation));
    } while (cursor.accept(","));
    HILO_RETURN_IF_ERROR(cursor.expect(")", "after regions"));
  }
  if (cursor.next_is("{")) HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
  HILO_RETURN_IF_ERROR(cursor.expect(":", "before an operation's type"));
  const size_t position = cursor.position();
  HILO_ASSIGN_OR_RETURN(const TypeId id, read_function_type(reader));
  const Type& type = reader.tree.types[id];
  if (type.input_count != operation.operands.size()) {
    return cursor.error(
        position, fmt::format("got {} operands but the types of {}", operation.operands.size(), type.input_count));
  }
  operation.operand_types.assign(type.parts.begin(), type.parts.begin() + type.input_count);
  operation.result_types.assign(type.parts.begin() + type.input_count, type.parts.end());
  return ok_status();
}

namespace {

/// Checks that the written types of operands are those of their definitions.
Status check_operand_types(const TextReader& reader, const PendingOperation& operation) {
  const std::vector<TypeId>& written = operation.operand_types;
  if (written.size() != operation.operands.size()) {
    if (written.empty()) return ok_status();
    return reader.cursor.error(operation.position, fmt::format("got {} operands but the types of {}",
                                                               operation.operands.size(), written.size()));
  }
  for (size_t i = 0; i < written.size(); ++i) {
    const TypeId defined = reader.tree.values[operation.operands[i]].type;
    if (same_type(reader.tree, written[i], defined)) continue;
    return reader.cursor.error(operation.position,
                               fmt::format("operand {} is defined as {}; got {}", i, reader.tree.types[defined].spelled,
                                           reader.tree.types[written[i]].spelled));
  }
  return ok_status();
}

}  // namespace

Status finish_operation(TextReader& reader, PendingOperation& pending, RegionId region) {
  ModuleTree& tree = reader.tree;
  const auto add_range = [](auto& pool, auto& list) {
    const Range range{size32(pool), size32(list)};
    pool.insert(pool.end(), list.begin(), list.end());
    list.clear();
    return range;
  };
  ResultNames& names = pending.names;
  if (!names.groups.empty() && names.count() != pending.result_types.size()) {
    return reader.cursor.error(names.position, fmt::format("{} has {} results; got {} names", pending.known.name,
                                                           pending.result_types.size(), names.count()));
  }
  HILO_RETURN_IF_ERROR(check_operand_types(reader, pending));
  const auto first = static_cast<ValueId>(tree.values.size());
  for (TypeId type : pending.result_types) add_value(reader, type, pending.id);
  ValueId next = first;
  for (const auto& [name, count] : names.groups) {
    HILO_RETURN_IF_ERROR(define(reader, name, next, count, names.position));
    next += count;
  }
  Operation& operation = tree.operations[pending.id];
  operation.results = {first, size32(pending.result_types)};
  operation.operands = add_range(tree.operand_pool, pending.operands);
  operation.attributes = add_range(tree.attribute_pool, pending.attributes);
  operation.regions = add_range(tree.regions, pending.regions);
  operation.location = pending.location;
  operation.nested_end = static_cast<OperationId>(tree.operations.size());
  if (region != kNone) tree.append(region, pending.id);
  names.groups.clear();
  pending.operand_types.clear();
  pending.result_types.clear();
  --reader.open;
  return ok_status();
}

namespace {

/// Reads `%a, %b:2 =`.
Status read_result_names(Cursor& cursor, ResultNames& names) {
  names.position = cursor.position();
  if (!cursor.next_is("%")) return ok_status();
  do {
    HILO_RETURN_IF_ERROR(cursor.expect("%", "before a result's name"));
    const std::string_view name = cursor.suffix();
    if (name.empty()) return cursor.unexpected("a name", "after '%'");
    int64_t count = 1;
    if (cursor.accept(":")) {
      const size_t position = cursor.position();
      HILO_ASSIGN_OR_RETURN(count, cursor.integer("a number of results"));
      if (count < 1 || count > 1 << 24)
        return cursor.error(position, fmt::format("an operation can't have {} results", count));
    }
    names.groups.emplace_back(name, static_cast<uint32_t>(count));
  } while (cursor.accept(","));
  return cursor.expect("=", "after the names of results");
}

}  // namespace

Status read_operation(TextReader& reader, RegionId region) {
  Cursor& cursor = reader.cursor;
  ResultNames names;
  if (reader.open < reader.pending.size())
    names.groups.swap(reader.pending[reader.open].names.groups);  // reuses its memory
  HILO_RETURN_IF_ERROR(read_result_names(cursor, names));
  const size_t position = cursor.position();
  const bool generic = cursor.peek() == '"';
  KnownOperation known;
  if (generic) {
    HILO_ASSIGN_OR_RETURN(const std::string name, cursor.quoted("an operation's name"));
    known = name.find('.') == std::string::npos ? facts_of(reader, name)
                                                : known_operation(reader, reader.tree.intern(name));
  } else {
    const std::string_view word = cursor.word();
    if (word.empty()) return cursor.unexpected("an operation", "here");
    known = known_operation(reader, word);
  }
  HILO_ASSIGN_OR_RETURN(PendingOperation* const operation, begin_operation(reader, known, position));
  operation->names = std::move(names);
  HILO_RETURN_IF_ERROR(generic ? read_generic(reader, *operation)
                               : read_pretty(reader, *operation, operation->names.count()));
  HILO_ASSIGN_OR_RETURN(const LocationId location, read_location(reader));
  if (location != 0) operation->location = location;
  return finish_operation(reader, *operation, region);
}

}  // namespace hilo::stablehlo
