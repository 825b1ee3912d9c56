// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "hilo/base/text.h"
#include "hilo/stablehlo/text/parts.h"

namespace hilo::stablehlo {

uint32_t ResultNames::count() const {
  uint32_t total = 0;
  for (const auto& group : groups) total += group.second;
  return total;
}

ValueId TextReader::add_value(TypeId type, OperationId definer) {
  tree.values.push_back({type, definer});
  return static_cast<ValueId>(tree.values.size() - 1);
}

Status TextReader::define(std::string_view name, ValueId first, uint32_t count, size_t position) {
  if (values.define(name, {first, count})) return ok_status();
  return cursor.error(position, fmt::format("%{} is defined twice", name));
}

StatusOr<ValueId> TextReader::read_value() {
  const size_t position = cursor.position();
  HILO_RETURN_IF_ERROR(cursor.expect("%", "before a value's name"));
  const std::string_view name = cursor.suffix();
  const ValueNames::Definition found = values.find(name);
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

Status TextReader::read_operands(PendingOperation& operation, std::string_view close) {
  if (cursor.accept(close)) return ok_status();
  do {
    HILO_ASSIGN_OR_RETURN(const ValueId value, read_value());
    operation.operands.push_back(value);
  } while (cursor.accept(","));
  return cursor.expect(close, "after operands");
}

Status TextReader::read_arguments(Arguments& arguments, std::vector<AttributeId>* attributes) {
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before arguments"));
  if (cursor.accept(")")) return ok_status();
  do {
    std::string_view name;
    if (cursor.accept("%")) {
      name = cursor.suffix();
      HILO_RETURN_IF_ERROR(cursor.expect(":", "after an argument's name"));
    }
    HILO_ASSIGN_OR_RETURN(const TypeId type, read_type());
    arguments.emplace_back(name, type);
    std::vector<NamedAttribute> own;
    if (cursor.next_is("{")) HILO_RETURN_IF_ERROR(read_dictionary(own));
    if (attributes != nullptr) attributes->push_back(tree.add_dictionary(own));
    HILO_RETURN_IF_ERROR(read_location().status());
  } while (cursor.accept(","));
  return cursor.expect(")", "after arguments");
}

Status TextReader::read_region(PendingOperation& operation, const Arguments& arguments) {
  const Nested nested(depth);
  if (nested.too_deep()) {
    return cursor.error(cursor.position(), fmt::format("regions nested deeper than {}", kMaxNesting));
  }
  HILO_RETURN_IF_ERROR(cursor.expect("{", "before a region"));
  const size_t names = values.begin_region();
  Arguments own;
  if (cursor.next_is("^")) {
    cursor.accept("^");
    cursor.suffix();
    if (cursor.next_is("(")) HILO_RETURN_IF_ERROR(read_arguments(own, nullptr));
    HILO_RETURN_IF_ERROR(cursor.expect(":", "after a block's name"));
  }
  const auto& all = own.empty() ? arguments : own;
  // The region gets its place in the tree now: operations inside append to it. Its owner's list of regions is made from
  // copies at the owner's end.
  const auto region = static_cast<RegionId>(tree.regions.size());
  tree.regions.push_back({});
  tree.regions[region].arguments = {static_cast<uint32_t>(tree.values.size()), static_cast<uint32_t>(all.size())};
  const size_t position = cursor.position();
  for (const auto& [name, type] : all) add_value(type, kNone);
  for (size_t i = 0; i < all.size(); ++i) {
    const ValueId value = tree.regions[region].arguments.begin + static_cast<uint32_t>(i);
    if (!all[i].first.empty()) HILO_RETURN_IF_ERROR(define(all[i].first, value, 1, position));
  }
  while (!cursor.accept("}")) {
    if (cursor.next_is("^"))
      return cursor.error(StatusCode::kUnimplemented, cursor.position(), "a region with several blocks");
    if (cursor.at_end()) return cursor.unexpected("'}'", "after a region");
    HILO_RETURN_IF_ERROR(read_operation(region));
  }
  values.end_region(names);
  operation.regions.push_back(tree.regions[region]);
  return ok_status();
}

const KnownOperation& TextReader::known_operation(std::string_view word) {
  const auto [known, is_new] = operations.try_emplace(word);
  if (!is_new) return known->second;
  const bool of_functions = word.find('.') == std::string_view::npos;
  known->second = facts_of(word == "module" ? "builtin.module" : of_functions ? fmt::format("func.{}", word) : word);
  return known->second;
}

std::pair<uint32_t, uint32_t> TextReader::place_of(size_t position) {
  const auto lines_in = [this](size_t begin, size_t end) {
    return static_cast<uint32_t>(std::ranges::count(cursor.between(begin, end), '\n'));
  };
  if (position < line_begin) {  // of an operation that was read further on: a reducer's body
    line -= lines_in(position, line_begin);
    line_begin = cursor.between(0, position).rfind('\n') + 1;
  } else if (const uint32_t more = lines_in(line_begin, position); more > 0) {
    line += more;
    line_begin = cursor.between(0, position).rfind('\n') + 1;
  }
  return {line, static_cast<uint32_t>(position - line_begin + 1)};
}

StatusOr<PendingOperation*> TextReader::begin_operation(const KnownOperation& known, size_t position) {
  if (tree.operations.size() >= kNone)
    return cursor.error(StatusCode::kResourceExhausted, position, "too many operations");
  if (open == pending.size()) pending.emplace_back();
  PendingOperation& operation = pending[open++];
  operation.known = known;
  operation.position = position;
  operation.location = 0;
  operation.id = static_cast<OperationId>(tree.operations.size());
  Operation& made = tree.operations.emplace_back();
  made.name = known.name;
  std::tie(made.line, made.column) = place_of(position);
  return &operation;
}

Status TextReader::read_generic(PendingOperation& operation) {
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before operands"));
  HILO_RETURN_IF_ERROR(read_operands(operation, ")"));
  if (cursor.next_is("["))
    return cursor.error(StatusCode::kUnimplemented, cursor.position(), "an operation with successor blocks");
  if (cursor.accept("<")) {
    HILO_RETURN_IF_ERROR(read_dictionary(operation.attributes));
    HILO_RETURN_IF_ERROR(cursor.expect(">", "after properties"));
  }
  if (cursor.accept("(")) {
    do {
      HILO_RETURN_IF_ERROR(read_region(operation));
    } while (cursor.accept(","));
    HILO_RETURN_IF_ERROR(cursor.expect(")", "after regions"));
  }
  if (cursor.next_is("{")) HILO_RETURN_IF_ERROR(read_dictionary(operation.attributes));
  HILO_RETURN_IF_ERROR(cursor.expect(":", "before an operation's type"));
  const size_t position = cursor.position();
  HILO_ASSIGN_OR_RETURN(const TypeId id, read_function_type());
  const Type& type = tree.types[id];
  if (type.input_count != operation.operands.size()) {
    return cursor.error(
        position, fmt::format("got {} operands and the types of {}", operation.operands.size(), type.input_count));
  }
  operation.result_types.assign(type.parts.begin() + type.input_count, type.parts.end());
  return ok_status();
}

Status TextReader::finish_operation(PendingOperation& pending, RegionId region) {
  const auto add_range = [](auto& pool, auto& list) {
    const Range range{static_cast<uint32_t>(pool.size()), static_cast<uint32_t>(list.size())};
    pool.insert(pool.end(), list.begin(), list.end());
    list.clear();
    return range;
  };
  ResultNames& names = pending.names;
  if (!names.groups.empty() && names.count() != pending.result_types.size()) {
    return cursor.error(names.position, fmt::format("{} has {} results; got names for {}", pending.known.name,
                                                    pending.result_types.size(), names.count()));
  }
  const auto first = static_cast<ValueId>(tree.values.size());
  for (TypeId type : pending.result_types) add_value(type, pending.id);
  ValueId next = first;
  for (const auto& [name, count] : names.groups) {
    HILO_RETURN_IF_ERROR(define(name, next, count, names.position));
    next += count;
  }
  Operation& operation = tree.operations[pending.id];
  operation.results = {first, static_cast<uint32_t>(pending.result_types.size())};
  operation.operands = add_range(tree.operand_pool, pending.operands);
  operation.attributes = add_range(tree.attribute_pool, pending.attributes);
  operation.regions = add_range(tree.regions, pending.regions);
  operation.location = pending.location;
  operation.nested_end = static_cast<OperationId>(tree.operations.size());
  if (region != kNone) tree.append(region, pending.id);
  names.groups.clear();
  pending.operand_types.clear();
  pending.result_types.clear();
  --open;
  return ok_status();
}

namespace {

/// `%a, %b:2 =`
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
        return cursor.error(position, fmt::format("no operation has {} results", count));
    }
    names.groups.emplace_back(name, static_cast<uint32_t>(count));
  } while (cursor.accept(","));
  return cursor.expect("=", "after the names of results");
}

}  // namespace

Status TextReader::read_operation(RegionId region) {
  ResultNames names;
  if (open < pending.size()) names.groups.swap(pending[open].names.groups);  // for its memory
  HILO_RETURN_IF_ERROR(read_result_names(cursor, names));
  const size_t position = cursor.position();
  const bool generic = cursor.peek() == '"';
  KnownOperation known;
  if (generic) {
    HILO_ASSIGN_OR_RETURN(const std::string name, cursor.quoted("an operation's name"));
    known = name.find('.') == std::string::npos ? facts_of(name) : known_operation(tree.intern(name));
  } else {
    const std::string_view word = cursor.word();
    if (word.empty()) return cursor.unexpected("an operation", "here");
    known = known_operation(word);
  }
  HILO_ASSIGN_OR_RETURN(PendingOperation* const operation, begin_operation(known, position));
  operation->names = std::move(names);
  HILO_RETURN_IF_ERROR(generic ? read_generic(*operation) : read_pretty(*operation, operation->names.count()));
  HILO_ASSIGN_OR_RETURN(const LocationId location, read_location());
  if (location != 0) operation->location = location;
  return finish_operation(*operation, region);
}

}  // namespace hilo::stablehlo
