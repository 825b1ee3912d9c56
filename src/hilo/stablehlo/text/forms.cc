// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hilo/base/sizes.h"
#include "hilo/base/text.h"
#include "hilo/stablehlo/text/attributes.h"
#include "hilo/stablehlo/text/locations.h"
#include "hilo/stablehlo/text/operations.h"
#include "hilo/stablehlo/text/types.h"
#include "hilo/stablehlo/tree/elements.h"
#include "hilo/stablehlo/tree/operations.h"

namespace hilo::stablehlo {
namespace {

// ---- Generic pretty forms: operands, words and `key = value` in any order, attributes, types.

/// Returns whether the written types are those of the operands.
bool has_no_results(std::string_view name) {
  return name == "func.return" || name == "stablehlo.return" || name == "sdy.return" || name == "interpreter.print" ||
         name.starts_with("check.") || name == "sdy.sharding_group";
}

/// Adds an attribute. `name` must outlive the tree: it is a literal or interned.
void add(PendingOperation& operation, std::string_view name, AttributeId value) {
  operation.attributes.push_back({name, value});
}

void add_integer(TextReader& reader, PendingOperation& operation, std::string_view name, int64_t value) {
  Attribute attribute;
  attribute.kind = AttributeKind::kInteger;
  attribute.integer = value;
  add(operation, name, reader.tree.add(attribute));
}

/// Reads `e5m10`.
Status read_format(TextReader& reader, PendingOperation& operation) {
  Cursor& cursor = reader.cursor;
  const size_t position = cursor.position();
  const std::string_view word = cursor.word();
  const size_t m = word.find('m');
  const std::optional<int64_t> exponent =
      word.starts_with('e') && m != std::string_view::npos ? parse_int64(word.substr(1, m - 1)) : std::nullopt;
  const std::optional<int64_t> mantissa = exponent ? parse_int64(word.substr(m + 1)) : std::nullopt;
  if (!mantissa) return cursor.error(position, fmt::format("expected a format such as e5m10; got {}", quote(word)));
  add_integer(reader, operation, "exponent_bits", *exponent);
  add_integer(reader, operation, "mantissa_bits", *mantissa);
  return ok_status();
}

/// Reads `<lhs_precision_type = tf32, ...>` of a dot's algorithm.
Status read_algorithm(TextReader& reader, PendingOperation& operation) {
  std::vector<NamedAttribute> entries;
  HILO_RETURN_IF_ERROR(reader.cursor.expect("<", "before an algorithm"));
  do {
    const std::string_view key = reader.cursor.word();
    HILO_RETURN_IF_ERROR(reader.cursor.expect("=", "in an algorithm"));
    HILO_ASSIGN_OR_RETURN(const AttributeId value, read_attribute(reader));
    entries.push_back({reader.tree.intern(key), value});
  } while (reader.cursor.accept(","));
  HILO_RETURN_IF_ERROR(reader.cursor.expect(">", "after an algorithm"));
  add(operation, "algorithm", reader.tree.add_dictionary(entries, "stablehlo.dot_algorithm"));
  return ok_status();
}

Status read_clause(TextReader& reader, PendingOperation& operation, std::string_view word) {
  const auto found = std::ranges::find(operation.known.clauses, word, &Clause::word);
  const Clause* const clause = found == operation.known.clauses.end() ? nullptr : &*found;
  if (clause != nullptr && clause->attribute == "format") return read_format(reader, operation);
  if (word == "algorithm" && operation.known.name == "stablehlo.dot_general") return read_algorithm(reader, operation);
  if (clause != nullptr && !clause->second.empty()) {
    HILO_ASSIGN_OR_RETURN(const Integers left, read_integer_list(reader, word));
    HILO_RETURN_IF_ERROR(reader.cursor.expect("x", "between the lists of", word));
    HILO_ASSIGN_OR_RETURN(const Integers right, read_integer_list(reader, word));
    add(operation, clause->attribute, reader.tree.add_integers(left));
    add(operation, clause->second, reader.tree.add_integers(right));
    return ok_status();
  }
  const std::string_view attribute = clause == nullptr ? reader.tree.intern(word) : clause->attribute;
  const char next = reader.cursor.peek();
  if (next == '"') {
    HILO_ASSIGN_OR_RETURN(std::string text, reader.cursor.quoted(word));
    add(operation, attribute, reader.tree.add_text(AttributeKind::kString, text));
    return ok_status();
  }
  const bool is_number = next == '-' || (next >= '0' && next <= '9');
  StatusOr<AttributeId> value = is_number ? read_number(reader, /*typed=*/false) : read_attribute(reader);
  if (!value.ok()) return value.status();
  add(operation, attribute, *value);
  return ok_status();
}

/// Reads one item between an operation's name and its types.
Status read_item(TextReader& reader, PendingOperation& operation, int& words) {
  Cursor& cursor = reader.cursor;
  const char next = cursor.peek();
  if (next == '%') {
    HILO_ASSIGN_OR_RETURN(const ValueId value, read_value(reader));
    operation.operands.push_back(value);
    return ok_status();
  }
  if (next == '@') {
    HILO_ASSIGN_OR_RETURN(std::string symbol, cursor.symbol("an operation"));
    add(operation, "callee", reader.tree.add_text(AttributeKind::kSymbol, symbol));
    return ok_status();
  }
  const size_t position = cursor.position();
  const std::string_view word = cursor.word();
  if (word.empty()) return cursor.unexpected("an operand or attribute", "here");
  if (cursor.accept("=")) return read_clause(reader, operation, word);
  if (cursor.next_is("<")) {
    cursor.set_position(position);
    HILO_ASSIGN_OR_RETURN(const AttributeId value, read_attribute(reader));
    add(operation, "value", value);
    return ok_status();
  }
  if (operation.known.name != "stablehlo.compare" || words > 1)
    return cursor.error(position, fmt::format("unexpected {} here", quote(word)));
  add(operation, words++ == 0 ? "comparison_direction" : "compare_type",
      reader.tree.add_text(AttributeKind::kWord, word));
  return ok_status();
}

/// Reads `: T`, `: T, T`, `: (T) -> T`, `: T -> T`, `: T to T`.
Status read_type_tail(TextReader& reader, PendingOperation& operation, uint32_t named) {
  Cursor& cursor = reader.cursor;
  if (!cursor.accept(":")) return ok_status();
  std::vector<TypeId>& types = operation.operand_types;
  HILO_RETURN_IF_ERROR(read_types(reader, types));
  if (cursor.accept("->") || cursor.accept_word("to")) return read_types(reader, operation.result_types);
  if (!operation.known.has_results) {
    if (types.size() == 1) types.assign(operation.operands.size(), TypeId(types[0]));  // check.expect_eq %x, %y : T
    return ok_status();
  }
  if (types.empty()) return cursor.unexpected("a type", "here");
  if (types.size() == named || operation.known.name == "stablehlo.optimization_barrier") operation.result_types = types;
  else operation.result_types = {types.back()};
  types.clear();  // those of results, from which MLIR infers the others
  return ok_status();
}

/// Skips `fastmath<fast>`, `overflow<nsw>`: permissions for optimizations that hilo doesn't perform.
Status skip_leaves(Cursor& cursor) {
  while (cursor.accept_word("fastmath") || cursor.accept_word("overflow")) HILO_RETURN_IF_ERROR(cursor.skip_balanced());
  return ok_status();
}

Status read_items(TextReader& reader, PendingOperation& operation, uint32_t named) {
  Cursor& cursor = reader.cursor;
  int words = 0;
  if (cursor.next_is("{")) HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));  // before the operands
  bool open = cursor.accept("(");
  if (open && cursor.accept(")")) open = false;
  while (open || cursor.peek() == '%' || cursor.peek() == '@' || !cursor.next_is(":")) {
    if (!open && (cursor.next_is("{") || cursor.next_is("}") || cursor.next_is(":"))) break;
    if (!open && operation.operands.empty() && words == 0 && cursor.peek() != '%' && cursor.peek() != '@') {
      const size_t begin =
          cursor.position();  // an operation without operands, such as `return`; another operation follows
      const std::string_view word = cursor.word();
      const bool mine = !word.empty() && (cursor.next_is("=") || cursor.next_is("<") || cursor.next_is(","));
      cursor.set_position(begin);
      if (!mine) break;
    }
    HILO_RETURN_IF_ERROR(read_item(reader, operation, words));
    if (cursor.accept(",")) continue;
    if (open && cursor.accept(")")) {
      open = false;
      continue;
    }
    if (open) return cursor.unexpected("','", "between operands");
    // `call @f(%x)`: operands in parentheses after the symbol.
    if (!cursor.next_is("(")) break;
    cursor.accept("(");
    open = !cursor.accept(")");
    if (!open) break;
  }
  if (operation.known.name.starts_with("arith.")) HILO_RETURN_IF_ERROR(skip_leaves(cursor));
  if (cursor.next_is("{")) HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
  HILO_RETURN_IF_ERROR(read_type_tail(reader, operation, named));
  if (cursor.next_is("{") && operation.known.name.starts_with("check."))
    HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
  return ok_status();
}

// ---- Special forms.

Status read_module(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  if (cursor.next_is("@")) {
    HILO_ASSIGN_OR_RETURN(std::string name, cursor.symbol("a module"));
    add(operation, "sym_name", reader.tree.add_text(AttributeKind::kString, name));
  }
  if (cursor.accept_word("attributes")) HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
  return read_region(reader, operation);
}

Status read_function(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  for (const std::string_view visibility : {"public", "private", "nested"}) {
    if (!cursor.accept_word(visibility)) continue;
    add(operation, "sym_visibility", reader.tree.add_text(AttributeKind::kString, visibility));
  }
  HILO_ASSIGN_OR_RETURN(std::string name, cursor.symbol("a function"));
  add(operation, "sym_name", reader.tree.add_text(AttributeKind::kString, name));
  Arguments arguments, results;
  std::vector<AttributeId> argument_attributes, result_attributes;
  HILO_RETURN_IF_ERROR(read_arguments(reader, arguments, &argument_attributes));
  if (cursor.accept("->")) {
    if (cursor.next_is("(")) {
      HILO_RETURN_IF_ERROR(read_arguments(reader, results, &result_attributes));
    } else {
      HILO_ASSIGN_OR_RETURN(const TypeId type, read_type(reader));
      results.emplace_back("", type);
      result_attributes.push_back(reader.tree.add_dictionary({}));
    }
  }
  Type type;
  type.kind = TypeKind::kFunction;
  for (const auto& argument : arguments) type.parts.push_back(argument.second);
  type.input_count = size32(type.parts);
  for (const auto& result : results) type.parts.push_back(result.second);
  Attribute function_type;
  function_type.kind = AttributeKind::kType;
  function_type.type = add_type(reader, std::move(type));
  add(operation, "function_type", reader.tree.add(function_type));
  add(operation, "arg_attrs", reader.tree.add_array(argument_attributes));
  add(operation, "res_attrs", reader.tree.add_array(result_attributes));
  if (cursor.accept_word("attributes")) HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
  return cursor.next_is("{") ? read_region(reader, operation, arguments) : ok_status();
}

/// Constants of all dialects become one operation.
Status name_constant(TextReader& reader, PendingOperation& operation) {
  reader.tree.operations[operation.id].name = reader.tree.intern("stablehlo.constant");
  return ok_status();
}

/// Converts a single number or truth value to an elements attribute of its type.
StatusOr<AttributeId> elements_of_number(TextReader& reader, const PendingOperation& operation, AttributeId id) {
  Attribute value = reader.tree.attributes[id];
  if (value.kind == AttributeKind::kBool && value.type == kNone) {
    Type truth;
    truth.kind = TypeKind::kElement;
    truth.element = ElementType::kPred;
    truth.spelled = "i1";
    value.type = add_type(reader, std::move(truth));
  }
  const bool is_number = value.kind == AttributeKind::kBool || value.kind == AttributeKind::kInteger ||
                         value.kind == AttributeKind::kFloat;
  if (!is_number || value.type == kNone) return id;
  const Type& type = reader.tree.types[value.type];
  if (type.kind != TypeKind::kElement || type.six_bits != SixBits::kNone || is_complex(type.element))
    return reader.cursor.error(operation.position, fmt::format("a constant of type {}", type.spelled));
  const std::string text =
      value.kind == AttributeKind::kFloat ? fmt::format("{}", value.number) : fmt::format("{}", value.integer);
  std::string bytes;
  HILO_RETURN_IF_ERROR(append_element(type.element, text, bytes));
  Type one = type;
  one.kind = TypeKind::kTensor;
  HILO_ASSIGN_OR_RETURN(Literal literal, literal_from_bytes(one, std::as_bytes(std::span<const char>(bytes))));
  value.kind = AttributeKind::kElements;
  value.literal = reader.tree.keep(std::move(literal));
  return reader.tree.add(value);
}

/// Reads `dense<...> : T`; in dialect arith also `1.5 : f32` and `true`. StableHLO's constants may be written like a
/// call.
Status read_constant(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  if (cursor.next_is("(")) {
    HILO_RETURN_IF_ERROR(read_generic(reader, operation));
    return name_constant(reader, operation);
  }
  if (cursor.next_is("{")) HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
  HILO_ASSIGN_OR_RETURN(AttributeId value, read_attribute(reader));
  HILO_ASSIGN_OR_RETURN(value, elements_of_number(reader, operation, value));
  const TypeId type = reader.tree.attributes[value].type;
  if (reader.tree.attributes[value].kind != AttributeKind::kElements || type == kNone)
    return cursor.error(operation.position, "a constant without elements");
  operation.result_types = {type};
  add(operation, "value", value);
  return name_constant(reader, operation);
}

/// Reads `shape.const_shape [4, 32] : tensor<2xindex>`.
Status read_shape(TextReader& reader, PendingOperation& operation, uint32_t) {
  HILO_ASSIGN_OR_RETURN(const Integers sizes, read_integer_list(reader, "sizes"));
  HILO_RETURN_IF_ERROR(read_functional_tail(reader, operation));
  const Type& type = reader.tree.types[operation.result_types.empty() ? 0 : operation.result_types[0]];
  if (operation.result_types.empty() || element_count_of(type) != std::ssize(sizes) ||
      type.element != ElementType::kS64)
    return reader.cursor.error(operation.position, "a shape that is not a tensor of index");
  Attribute value;
  value.kind = AttributeKind::kElements;
  value.type = operation.result_types[0];
  HILO_ASSIGN_OR_RETURN(Literal literal, literal_from_bytes(type, std::as_bytes(std::span<const int64_t>(sizes))));
  value.literal = reader.tree.keep(std::move(literal));
  add(operation, "value", reader.tree.add(value));
  return name_constant(reader, operation);
}

/// Reads `tensor.dim %x, %i : T`, whose result has type index.
Status read_dimension(TextReader& reader, PendingOperation& operation, uint32_t) {
  for (const std::string_view separator : {",", ""}) {
    HILO_ASSIGN_OR_RETURN(const ValueId value, read_value(reader));
    operation.operands.push_back(value);
    if (!separator.empty()) HILO_RETURN_IF_ERROR(reader.cursor.expect(separator, "between operands"));
  }
  HILO_RETURN_IF_ERROR(read_functional_tail(reader, operation));
  Type index;
  index.kind = TypeKind::kElement;
  index.element = ElementType::kS64;
  index.spelled = "index";
  operation.result_types = {add_type(reader, std::move(index))};
  return ok_status();
}

/// Reads `%x [1:5:2, 0:3] : ...` and `%t[0] : ...`.
Status read_slice(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  HILO_ASSIGN_OR_RETURN(const ValueId value, read_value(reader));
  operation.operands.push_back(value);
  HILO_RETURN_IF_ERROR(cursor.expect("[", "before the ranges of a slice"));
  Integers starts, limits, strides;
  if (!cursor.accept("]")) {
    do {
      HILO_ASSIGN_OR_RETURN(const int64_t start, cursor.integer("a start"));
      HILO_RETURN_IF_ERROR(cursor.expect(":", "after a start"));
      HILO_ASSIGN_OR_RETURN(const int64_t limit, cursor.integer("a limit"));
      int64_t stride = 1;
      if (cursor.accept(":")) {
        HILO_ASSIGN_OR_RETURN(stride, cursor.integer("a stride"));
      }
      starts.push_back(start);
      limits.push_back(limit);
      strides.push_back(stride);
    } while (cursor.accept(","));
    HILO_RETURN_IF_ERROR(cursor.expect("]", "after the ranges of a slice"));
  }
  add(operation, "start_indices", reader.tree.add_integers(starts));
  add(operation, "limit_indices", reader.tree.add_integers(limits));
  add(operation, "strides", reader.tree.add_integers(strides));
  return read_functional_tail(reader, operation);
}

Status read_get_tuple_element(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  HILO_ASSIGN_OR_RETURN(const ValueId value, read_value(reader));
  operation.operands.push_back(value);
  HILO_RETURN_IF_ERROR(cursor.expect("[", "before an index"));
  HILO_ASSIGN_OR_RETURN(const int64_t index, cursor.integer("an index"));
  HILO_RETURN_IF_ERROR(cursor.expect("]", "after an index"));
  add_integer(reader, operation, "index", index);
  return read_functional_tail(reader, operation);
}

/// Reads `@target(%x) {...} : (T) -> T`.
Status read_custom_call(TextReader& reader, PendingOperation& operation, uint32_t) {
  HILO_ASSIGN_OR_RETURN(std::string target, reader.cursor.symbol("a custom call"));
  add(operation, "call_target_name", reader.tree.add_text(AttributeKind::kString, target));
  HILO_RETURN_IF_ERROR(reader.cursor.expect("(", "before operands"));
  HILO_RETURN_IF_ERROR(read_operands(reader, operation, ")"));
  return read_functional_tail(reader, operation);
}

/// Reads `"chlo.erf" %x, %y {...} : (T) -> T`.
Status read_composite(TextReader& reader, PendingOperation& operation, uint32_t) {
  HILO_ASSIGN_OR_RETURN(std::string name, reader.cursor.quoted("a composite"));
  add(operation, "name", reader.tree.add_text(AttributeKind::kString, name));
  while (reader.cursor.next_is("%")) {
    HILO_ASSIGN_OR_RETURN(const ValueId value, read_value(reader));
    operation.operands.push_back(value);
    if (!reader.cursor.accept(",")) break;
  }
  return read_functional_tail(reader, operation);
}

/// Adds the body for `applies stablehlo.add`.
Status add_reducer(TextReader& reader, PendingOperation& operation, std::string_view name) {
  ModuleTree& tree = reader.tree;
  const ValueId initial = operation.operands.back();
  const TypeId type = tree.values[initial].type;
  const auto region = static_cast<RegionId>(tree.regions.size());
  tree.regions.push_back({});
  const ValueId x = add_value(reader, type, kNone), y = add_value(reader, type, kNone);
  tree.regions[region].arguments = {x, 2};
  HILO_ASSIGN_OR_RETURN(PendingOperation* const body,
                        begin_operation(reader, known_operation(reader, name), operation.position));
  HILO_ASSIGN_OR_RETURN(operation.location, read_location(reader));  // also the location of the body
  body->location = operation.location;
  const OperationId made = body->id;
  body->operands = {x, y};
  body->result_types = {type};
  HILO_RETURN_IF_ERROR(finish_operation(reader, *body, region));
  HILO_ASSIGN_OR_RETURN(PendingOperation* const back,
                        begin_operation(reader, known_operation(reader, "stablehlo.return"), operation.position));
  back->operands = {tree.result(tree.operations[made], 0)};
  HILO_RETURN_IF_ERROR(finish_operation(reader, *back, region));
  operation.regions.push_back(tree.regions[region]);
  return ok_status();
}

/// Reads `(%x init: %a), (%y init: %b) [applies op] across dimensions = [0] : ... [reducer(%l, %r) (...) {...}]`.
Status read_reduce(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  std::vector<ValueId> initial;
  do {
    HILO_RETURN_IF_ERROR(cursor.expect("(", "before an operand of reduce"));
    HILO_ASSIGN_OR_RETURN(const ValueId value, read_value(reader));
    if (!cursor.accept_word("init")) return cursor.unexpected("'init'", "after an operand of reduce");
    HILO_RETURN_IF_ERROR(cursor.expect(":", "after 'init'"));
    HILO_ASSIGN_OR_RETURN(const ValueId start, read_value(reader));
    HILO_RETURN_IF_ERROR(cursor.expect(")", "after an operand of reduce"));
    operation.operands.push_back(value);
    initial.push_back(start);
  } while (cursor.accept(","));
  operation.operands.insert(operation.operands.end(), initial.begin(), initial.end());
  std::string_view applied;
  if (cursor.accept_word("applies")) applied = cursor.word();
  if (!cursor.accept_word("across") || !cursor.accept_word("dimensions"))
    return cursor.unexpected("'across dimensions'", "in reduce");
  HILO_RETURN_IF_ERROR(cursor.expect("=", "after 'dimensions'"));
  HILO_ASSIGN_OR_RETURN(const Integers dimensions, read_integer_list(reader, "dimensions"));
  add(operation, "dimensions", reader.tree.add_integers(dimensions));
  HILO_RETURN_IF_ERROR(read_functional_tail(reader, operation));
  if (!applied.empty()) return add_reducer(reader, operation, applied);
  if (!cursor.accept_word("reducer")) return cursor.unexpected("'reducer'", "after the types of reduce");
  // Each pair of parentheses has the two arguments of one operand. The body's arguments are all left ones, then all
  // right ones.
  Arguments left, right;
  while (cursor.next_is("(")) {
    Arguments pair;
    const size_t position = cursor.position();
    HILO_RETURN_IF_ERROR(read_arguments(reader, pair, nullptr));
    if (pair.size() != 2) return cursor.error(position, fmt::format("a reducer takes pairs; got {}", pair.size()));
    left.push_back(pair[0]);
    right.push_back(pair[1]);
  }
  left.insert(left.end(), right.begin(), right.end());
  return read_region(reader, operation, left);
}

/// Reads `(%i = %x, ...) : T, ... [attributes {...}] cond {...} do {...}`.
Status read_while(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  Arguments arguments;
  HILO_RETURN_IF_ERROR(cursor.expect("(", "after 'while'"));
  if (!cursor.accept(")")) {
    do {
      HILO_RETURN_IF_ERROR(cursor.expect("%", "before an argument's name"));
      const std::string_view name = cursor.suffix();
      HILO_RETURN_IF_ERROR(cursor.expect("=", "after an argument's name"));
      HILO_ASSIGN_OR_RETURN(const ValueId value, read_value(reader));
      operation.operands.push_back(value);
      arguments.emplace_back(name, reader.tree.values[value].type);
    } while (cursor.accept(","));
    HILO_RETURN_IF_ERROR(cursor.expect(")", "after the arguments of while"));
  }
  if (cursor.accept(":")) HILO_RETURN_IF_ERROR(read_types(reader, operation.result_types));
  if (operation.result_types.size() != operation.operands.size()) {
    return cursor.error(operation.position, fmt::format("while has {} operands and {} types", operation.operands.size(),
                                                        operation.result_types.size()));
  }
  if (cursor.accept_word("attributes")) HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
  if (!cursor.accept_word("cond")) return cursor.unexpected("'cond'", "in while");
  HILO_RETURN_IF_ERROR(read_region(reader, operation, arguments));
  if (!cursor.accept_word("do")) return cursor.unexpected("'do'", "in while");
  return read_region(reader, operation, arguments);
}

/// Reads `[[1, 2], [3, 4]]` as the numbers 1, 2, 3, 4.
StatusOr<Integers> read_pairs(TextReader& reader) {
  Integers flat;
  HILO_RETURN_IF_ERROR(reader.cursor.expect("[", "before padding"));
  if (reader.cursor.accept("]")) return flat;
  do {
    HILO_ASSIGN_OR_RETURN(const Integers pair, read_integer_list(reader, "padding"));
    if (pair.size() != 2) return reader.cursor.unexpected("pairs", "in padding");
    flat.insert(flat.end(), pair.begin(), pair.end());
  } while (reader.cursor.accept(","));
  HILO_RETURN_IF_ERROR(reader.cursor.expect("]", "after padding"));
  return flat;
}

/// Reads `(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], ...} {...} : ...`.
Status read_convolution(TextReader& reader, PendingOperation& operation, uint32_t) {
  constexpr std::pair<std::string_view, std::string_view> kWindow[] = {{"stride", "window_strides"},
                                                                       {"pad", "padding"},
                                                                       {"lhs_dilate", "lhs_dilation"},
                                                                       {"rhs_dilate", "rhs_dilation"},
                                                                       {"reverse", "window_reversal"}};
  Cursor& cursor = reader.cursor;
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before operands"));
  HILO_RETURN_IF_ERROR(read_operands(reader, operation, ")"));
  if (!cursor.accept_word("dim_numbers")) return cursor.unexpected("'dim_numbers'", "in convolution");
  HILO_RETURN_IF_ERROR(cursor.expect("=", "after 'dim_numbers'"));
  HILO_ASSIGN_OR_RETURN(const AttributeId dimensions, read_convolution_dimensions(reader));
  add(operation, "dimension_numbers", dimensions);
  HILO_RETURN_IF_ERROR(cursor.expect(",", "before 'window'"));
  if (!cursor.accept_word("window")) return cursor.unexpected("'window'", "in convolution");
  HILO_RETURN_IF_ERROR(cursor.expect("=", "after 'window'"));
  HILO_RETURN_IF_ERROR(cursor.expect("{", "before a window"));
  while (!cursor.accept("}")) {
    const size_t position = cursor.position();
    const std::string_view word = cursor.word();
    const auto* known =
        std::find_if(std::begin(kWindow), std::end(kWindow), [&](const auto& w) { return w.first == word; });
    if (known == std::end(kWindow)) return cursor.error(position, fmt::format("a window has no {}", quote(word)));
    HILO_RETURN_IF_ERROR(cursor.expect("=", "in a window"));
    const StatusOr<Integers> values = word == "pad" ? read_pairs(reader) : read_integer_list(reader, word);
    if (!values.ok()) return values.status();
    add(operation, known->second, reader.tree.add_integers(*values));
    cursor.accept(",");
  }
  return read_functional_tail(reader, operation);
}

/// Reads `(%x) inits(%c) dimension=0 attributes {...} {^bb0(...): ...} : (T, T) -> (T, T)`.
Status read_scan(TextReader& reader, PendingOperation& operation, uint32_t) {
  Cursor& cursor = reader.cursor;
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before inputs"));
  HILO_RETURN_IF_ERROR(read_operands(reader, operation, ")"));
  const int64_t inputs = operation.operands.size();
  if (!cursor.accept_word("inits")) return cursor.unexpected("'inits'", "in scan");
  HILO_RETURN_IF_ERROR(cursor.expect("(", "before inits"));
  HILO_RETURN_IF_ERROR(read_operands(reader, operation, ")"));
  const auto inits = std::ssize(operation.operands) - inputs;
  if (!cursor.accept_word("dimension")) return cursor.unexpected("'dimension'", "in scan");
  HILO_RETURN_IF_ERROR(cursor.expect("=", "after 'dimension'"));
  HILO_ASSIGN_OR_RETURN(const int64_t dimension, cursor.integer("a dimension"));
  add_integer(reader, operation, "dimension", dimension);
  add(operation, "operandSegmentSizes", reader.tree.add_integers(std::vector<int64_t>{inputs, inits}));
  if (cursor.accept_word("attributes")) HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
  HILO_RETURN_IF_ERROR(read_region(reader, operation, {}));
  return read_functional_tail(reader, operation);
}

/// A pretty form: clauses, or the function that reads a special form.
struct Pretty {
  constexpr Pretty(const char* text) : clauses(text) {}
  constexpr Pretty(decltype(KnownOperation::read) function) : read(function) {}
  constexpr Pretty(const char* text, decltype(KnownOperation::read) function) : clauses(text), read(function) {}
  std::string_view clauses;
  decltype(KnownOperation::read) read = read_items;
};
struct Row {
  std::string_view name;
  Pretty pretty;
};
constexpr Row kRows[] = {
#define HILO_OPERATION(name, pretty, ...) {name, pretty},
#include "hilo/stablehlo/tree/operations.inc"
};

/// Parses "low=edge_padding_low high=edge_padding_high".
std::vector<Clause> parse_clauses(std::string_view text) {
  std::vector<Clause> clauses;
  while (!text.empty()) {
    std::string_view attributes = take_until(text, ' ');
    const std::string_view word = take_until(attributes, '='), first = take_until(attributes, ',');
    clauses.push_back({word, first, attributes});
  }
  return clauses;
}

struct Form {
  decltype(KnownOperation::read) read;
  std::vector<Clause> clauses;
};

/// Returns the form of an operation by its name in the tree; null if it has no row.
const Form* form_of(std::string_view name) {
  static const auto* const kForms = [] {
    auto* const forms = new std::map<std::string, Form, std::less<>>;
    for (const Row& row : kRows)
      forms->emplace(in_tree(row.name), Form{row.pretty.read, parse_clauses(row.pretty.clauses)});
    return forms;
  }();
  const auto found = kForms->find(name);
  return found == kForms->end() ? nullptr : &found->second;
}

bool is_known_dialect(std::string_view name) {
  constexpr std::string_view kDialects[] = {"stablehlo.",   "chlo.",    "func.",  "check.", "sdy.",
                                            "interpreter.", "builtin.", "arith.", "tensor."};
  return std::any_of(std::begin(kDialects), std::end(kDialects),
                     [&](std::string_view d) { return name.starts_with(d); });
}

}  // namespace

std::span<const Clause> clauses_of(std::string_view operation) {
  const Form* const form = form_of(operation);
  return form == nullptr ? std::span<const Clause>() : form->clauses;
}

namespace {

/// Returns the name in StableHLO or CHLO for an operation of MHLO. Other names are unchanged.
std::string without_mhlo(std::string_view name) {
  constexpr std::string_view kMhlo = "mhlo.";
  if (name.starts_with(kMhlo)) {
    for (const std::string_view dialect : {"stablehlo.", "chlo."}) {
      std::string own = fmt::format("{}{}", dialect, name.substr(kMhlo.size()));
      if (form_of(own) != nullptr) return own;
    }
  }
  return std::string(name);
}

}  // namespace

KnownOperation facts_of(TextReader& reader, std::string_view written) {
  const std::string name = without_mhlo(written);
  KnownOperation known;
  known.name = reader.tree.intern(name);
  known.clauses = clauses_of(known.name);
  known.has_results = !has_no_results(known.name);
  if (const Form* const form = form_of(known.name)) known.read = form->read;
  else if (is_known_dialect(known.name)) known.read = read_items;
  return known;
}

Status read_functional_tail(TextReader& reader, PendingOperation& operation) {
  if (reader.cursor.next_is("{")) HILO_RETURN_IF_ERROR(read_dictionary(reader, operation.attributes));
  return read_type_tail(reader, operation, 0);
}

Status read_pretty(TextReader& reader, PendingOperation& operation, uint32_t named) {
  if (operation.known.read != nullptr) return operation.known.read(reader, operation, named);
  return reader.cursor.error(StatusCode::kUnimplemented, operation.position,
                             fmt::format("the pretty form of {}. Hint: print the program in MLIR's generic form",
                                         quote(operation.known.name)));
}

}  // namespace hilo::stablehlo
