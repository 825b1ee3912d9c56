// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/text_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ir/opcode.h"
#include "hilo/stablehlo/text/forms.h"
#include "hilo/stablehlo/translate/op_rows.h"
#include "hilo/stablehlo/tree/attribute_rows.h"
#include "hilo/stablehlo/tree/print_attribute.h"
#include "hilo/stablehlo/write/plain.h"
#include "hilo/stablehlo/write/rows.h"

namespace hilo::stablehlo {
namespace {

/// Attributes of the tree that form one attribute of StableHLO in the generic form.
struct Group {
  std::string_view attribute, mnemonic, parts;
};
constexpr Group kGatherGroup = {"dimension_numbers", "stablehlo.gather",
                                " offset_dims collapsed_slice_dims operand_batching_dims start_indices_batching_dims "
                                "start_index_map index_vector_dim "};
constexpr Group kScatterGroup = {"scatter_dimension_numbers", "stablehlo.scatter",
                                 " update_window_dims inserted_window_dims input_batching_dims "
                                 "scatter_indices_batching_dims scatter_dims_to_operand_dims index_vector_dim "};

struct ValueName {
  char kind = 0;
  uint32_t number = 0;
  int32_t part = -1;  ///< index in an operation with several results
};

class TextWriter {
 public:
  explicit TextWriter(const ModuleTree& tree) : tree_(tree), names_(tree.values.size()) {}

  std::string take() && {
    print_module(tree_.operations[0]);
    return std::move(out_);
  }

 private:
  void print_module(const Operation& module);
  void print_function(const Operation& function);
  void print_operation(OperationId id);
  void print_block(const Region& region);
  void print_region(const Region& region);
  bool print_special(const Operation& operation);
  void print_items(const Operation& operation);
  void print_clause(const Operation& operation, const Clause& clause);
  void print_generic(const Operation& operation);
  void print_properties(const Operation& operation);
  bool print_reduce(const Operation& operation);
  void print_while(const Operation& operation);
  void print_slice(const Operation& operation);
  void print_convolution(const Operation& operation);
  bool has_items(const Operation& operation) const;

  std::string value(ValueId id) const;
  std::string operands(const Operation& operation) const;
  std::string type(ValueId id) const { return tree_.types[tree_.values[id].type].spelled; }
  /// Returns `(T, T) -> T`.
  std::string function_type(const Operation& operation) const;
  std::string type_list(const Operation& operation, bool results) const;
  /// Returns ` {a = 1 : i64}` with the attributes that are not in `shown`; nothing if none exist.
  std::string dictionary(const Operation& operation, std::initializer_list<std::string_view> hidden) const;
  /// Returns ` {a = 1 : i64}` of dictionary `index` in a list; nothing if it is empty or absent.
  std::string element_dictionary(const Operation& operation, std::string_view name, size_t index) const;
  std::string list(const Operation& operation, std::string_view name) const;
  std::vector<int64_t> integers(const Operation& operation, std::string_view name) const;
  int64_t integer(const Operation& operation, std::string_view name) const;
  std::string_view text(const Operation& operation, std::string_view name) const;
  void name_arguments(const Region& region, char kind);
  std::string indent() const { return std::string(2 * depth_, ' '); }

  const ModuleTree& tree_;
  std::string out_;
  std::vector<ValueName> names_;
  uint32_t next_result_ = 0, next_argument_ = 0;
  size_t depth_ = 0;
};

std::string TextWriter::value(ValueId id) const {
  const ValueName& name = names_[id];
  if (name.kind == 'a') return fmt::format("%arg{}", name.number);
  if (name.kind == 'i') return fmt::format("%iterArg_{}", name.number);
  return name.part < 0 ? fmt::format("%{}", name.number) : fmt::format("%{}#{}", name.number, name.part);
}

std::string TextWriter::operands(const Operation& operation) const {
  std::string text;
  for (uint32_t i = 0; i < operation.operands.count; ++i)
    text += (i == 0 ? "" : ", ") + value(tree_.operand(operation, i));
  return text;
}

std::string TextWriter::type_list(const Operation& operation, bool results) const {
  const uint32_t count = results ? operation.results.count : operation.operands.count;
  std::string text;
  for (uint32_t i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + type(results ? tree_.result(operation, i) : tree_.operand(operation, i));
  return text;
}

std::string TextWriter::function_type(const Operation& operation) const {
  const std::string results = type_list(operation, true);
  return fmt::format("({}) -> {}", type_list(operation, false),
                     operation.results.count == 1 ? results : "(" + results + ")");
}

std::string TextWriter::list(const Operation& operation, std::string_view name) const {
  const Attribute* const attribute = tree_.find(operation, name);
  if (attribute == nullptr) return "[]";
  if (attribute->kind == AttributeKind::kArray && !integers_of(tree_, *attribute).ok()) {  // words
    std::string text = "[";
    for (size_t i = 0; i < attribute->elements.size(); ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ", ", tree_.attributes[attribute->elements[i]].text);
    return text + "]";
  }
  return print_list(integers(operation, name));
}

std::vector<int64_t> TextWriter::integers(const Operation& operation, std::string_view name) const {
  const Attribute* const attribute = tree_.find(operation, name);
  if (attribute == nullptr) return {};
  StatusOr<std::vector<int64_t>> values = integers_of(tree_, *attribute);
  return values.ok() ? *std::move(values) : std::vector<int64_t>();
}

int64_t TextWriter::integer(const Operation& operation, std::string_view name) const {
  const Attribute* const attribute = tree_.find(operation, name);
  return attribute == nullptr ? 0 : attribute->integer;
}

std::string_view TextWriter::text(const Operation& operation, std::string_view name) const {
  const Attribute* const attribute = tree_.find(operation, name);
  return attribute == nullptr ? std::string_view() : std::string_view(attribute->text);
}

std::string TextWriter::dictionary(const Operation& operation, std::initializer_list<std::string_view> hidden) const {
  std::string out;
  for (uint32_t i = 0; i < operation.attributes.count; ++i) {
    const auto& [name, id] = tree_.attribute_pool[operation.attributes.begin + i];
    if (std::find(hidden.begin(), hidden.end(), name) != hidden.end()) continue;
    const Attribute& attribute = tree_.attributes[id];
    out += fmt::format("{}{}", out.empty() ? "" : ", ", name);
    if (attribute.kind != AttributeKind::kUnit) out += " = " + print_attribute(tree_, attribute, name);
  }
  return out.empty() ? out : " {" + out + "}";
}

std::string TextWriter::element_dictionary(const Operation& operation, std::string_view name, size_t index) const {
  const Attribute* const lists = tree_.find(operation, name);
  if (lists == nullptr || index >= lists->elements.size()) return "";
  const Attribute& dictionary = tree_.attributes[lists->elements[index]];
  return dictionary.entries.empty() ? "" : " " + print_attribute(tree_, dictionary, name);
}

void TextWriter::name_arguments(const Region& region, char kind) {
  for (uint32_t i = 0; i < region.arguments.count; ++i)
    names_[region.arguments.begin + i] = {kind, next_argument_++, -1};
}

void TextWriter::print_module(const Operation& module) {
  const std::string_view name = text(module, "sym_name");
  const std::string attributes = dictionary(module, {"sym_name", "sym_visibility"});
  out_ += fmt::format("module{}{} {{\n", name.empty() ? "" : " " + print_symbol(name),
                      attributes.empty() ? "" : " attributes" + attributes);
  ++depth_;
  if (module.regions.count != 0) print_block(tree_.regions[module.regions.begin]);
  out_ += "}\n";
}

void TextWriter::print_function(const Operation& function) {
  next_result_ = next_argument_ = 0;
  const Region& body = tree_.regions[function.regions.begin];
  name_arguments(body, 'a');
  const std::string_view visibility = text(function, "sym_visibility");
  out_ += fmt::format("func.func {}{}(", visibility.empty() ? "" : std::string(visibility) + " ",
                      print_symbol(text(function, "sym_name")));
  for (uint32_t i = 0; i < body.arguments.count; ++i) {
    const ValueId argument = body.arguments.begin + i;
    out_ += fmt::format("{}{}: {}{}", i == 0 ? "" : ", ", value(argument), type(argument),
                        element_dictionary(function, "arg_attrs", i));
  }
  out_ += ")";
  if (const Attribute* own = tree_.find(function, "function_type"); own != nullptr && own->type != kNone) {
    const Type& signature = tree_.types[own->type];
    std::string results;
    bool bare = signature.parts.size() - signature.input_count == 1;
    for (size_t i = signature.input_count; i < signature.parts.size(); ++i) {
      const std::string facts = element_dictionary(function, "res_attrs", i - signature.input_count);
      results += (i == signature.input_count ? "" : ", ") + tree_.types[signature.parts[i]].spelled + facts;
      bare = bare && facts.empty();
    }
    if (!results.empty()) out_ += bare ? " -> " + results : " -> (" + results + ")";
  }
  out_ += " ";
  print_region(body);
}

void TextWriter::print_block(const Region& region) {
  for (OperationId id = region.first; id != kNone; id = tree_.operations[id].next) print_operation(id);
}

/// Prints a region in braces, without its arguments.
void TextWriter::print_region(const Region& region) {
  out_ += "{\n";
  ++depth_;
  print_block(region);
  --depth_;
  out_ += indent() + "}";
}

void TextWriter::print_operation(OperationId id) {
  const Operation& operation = tree_.operations[id];
  out_ += indent();
  if (operation.results.count > 0) {
    const uint32_t number = next_result_++;
    const uint32_t count = operation.results.count;
    for (uint32_t i = 0; i < count; ++i)
      names_[tree_.result(operation, i)] = {'r', number, count == 1 ? -1 : static_cast<int32_t>(i)};
    out_ += count == 1 ? fmt::format("%{} = ", number) : fmt::format("%{}:{} = ", number, count);
  }
  if (!print_special(operation)) {
    if (has_items(operation)) print_items(operation);
    else print_generic(operation);
  }
  out_ += "\n";
}

bool TextWriter::print_special(const Operation& operation) {
  const std::string_view name = operation.name;
  if (name == "func.func") {
    print_function(operation);
  } else if (name == "sdy.mesh") {
    out_ += fmt::format("sdy.mesh {} = {}", print_symbol(text(operation, "sym_name")), text(operation, "mesh"));
  } else if (name == "func.return" || name == "stablehlo.return") {
    out_ += name == "func.return" ? "return" : "stablehlo.return";
    if (operation.operands.count > 0) out_ += fmt::format(" {} : {}", operands(operation), type_list(operation, false));
  } else if (name == "stablehlo.constant") {
    const Attribute* const attribute = tree_.find(operation, "value");
    out_ += "stablehlo.constant " + (attribute == nullptr ? "" : print_attribute(tree_, *attribute));
  } else if (name == "stablehlo.compare") {
    out_ += fmt::format("stablehlo.compare {}, {}, {} : {}", text(operation, "comparison_direction"),
                        operands(operation), text(operation, "compare_type"), function_type(operation));
  } else if (name == "func.call") {
    out_ += fmt::format("func.call {}({}) : {}", print_symbol(text(operation, "callee")), operands(operation),
                        function_type(operation));
  } else if (name == "stablehlo.custom_call") {
    out_ += fmt::format("stablehlo.custom_call {}({}){} : {}", print_symbol(text(operation, "call_target_name")),
                        operands(operation), dictionary(operation, {"call_target_name"}), function_type(operation));
  } else if (name == "stablehlo.composite") {
    out_ += fmt::format("stablehlo.composite {} {}{} : {}", quoted_mlir(text(operation, "name")), operands(operation),
                        dictionary(operation, {"name"}), function_type(operation));
  } else if (name == "stablehlo.get_tuple_element") {
    out_ += fmt::format("stablehlo.get_tuple_element {}[{}] : {}", operands(operation), integer(operation, "index"),
                        function_type(operation));
  } else if (name == "stablehlo.slice") {
    print_slice(operation);
  } else if (name == "stablehlo.convolution") {
    print_convolution(operation);
  } else if (name == "stablehlo.while" && operation.operands.count > 0) {
    print_while(operation);
  } else {
    return name == "stablehlo.reduce" && print_reduce(operation);
  }
  return true;
}

/// Prints `%x [1:5:2, 0:3]`.
void TextWriter::print_slice(const Operation& operation) {
  const std::vector<int64_t> starts = integers(operation, "start_indices");
  const std::vector<int64_t> limits = integers(operation, "limit_indices"), strides = integers(operation, "strides");
  out_ += fmt::format("stablehlo.slice {} [", operands(operation));
  for (size_t i = 0; i < starts.size(); ++i) {
    out_ += fmt::format("{}{}:{}", i == 0 ? "" : ", ", starts[i], limits[i]);
    if (strides[i] != 1) out_ += fmt::format(":{}", strides[i]);
  }
  out_ += "] : " + function_type(operation);
}

/// Prints `(%i = %x, ...) : T, ...` and the two regions, whose arguments have the same names.
void TextWriter::print_while(const Operation& operation) {
  const Region& condition = tree_.regions[operation.regions.begin];
  const Region& body = tree_.regions[operation.regions.begin + 1];
  name_arguments(condition, 'i');
  for (uint32_t i = 0; i < body.arguments.count; ++i)
    names_[body.arguments.begin + i] = names_[condition.arguments.begin + i];
  out_ += "stablehlo.while(";
  for (uint32_t i = 0; i < operation.operands.count; ++i) {
    out_ += fmt::format("{}{} = {}", i == 0 ? "" : ", ", value(condition.arguments.begin + i),
                        value(tree_.operand(operation, i)));
  }
  out_ += fmt::format(") : {}\n{}cond ", type_list(operation, true), indent());
  print_region(condition);
  out_ += " do ";
  print_region(body);
}

/// Prints `(%x init: %a) applies stablehlo.add across dimensions = [0]`, if the body consists of one such operation.
bool TextWriter::print_reduce(const Operation& operation) {
  constexpr std::string_view kCommutative[] = {"stablehlo.add",     "stablehlo.multiply", "stablehlo.maximum",
                                               "stablehlo.minimum", "stablehlo.and",      "stablehlo.or",
                                               "stablehlo.xor"};
  const Region& body = tree_.regions[operation.regions.begin];
  if (operation.operands.count != 2 || operation.regions.count != 1 || body.first == kNone) return false;
  const Operation &inner = tree_.operations[body.first], &last = tree_.operations[body.last];
  const bool one = inner.next == body.last && std::ranges::count(kCommutative, inner.name) != 0 &&
                   tree_.operand(inner, 0) == body.arguments.begin &&
                   tree_.operand(inner, 1) == body.arguments.begin + 1 &&
                   tree_.operand(last, 0) == tree_.result(inner, 0) &&
                   type(tree_.result(inner, 0)) == type(tree_.operand(operation, 1));
  if (!one) return false;
  out_ += fmt::format("stablehlo.reduce({} init: {}) applies {} across dimensions = {} : {}",
                      value(tree_.operand(operation, 0)), value(tree_.operand(operation, 1)), inner.name,
                      list(operation, "dimensions"), function_type(operation));
  return true;
}

/// Returns `[b, 0, f]` from the indices of the two named dimensions and of the spatial ones.
std::string dimensions_text(int64_t first, char first_letter, int64_t second, char second_letter,
                            const std::vector<int64_t>& spatial) {
  std::vector<std::string> places(spatial.size() + 2);
  const auto put = [&](int64_t place, std::string what) {
    if (place >= 0 && place < std::ssize(places)) places[place] = std::move(what);
  };
  put(first, std::string(1, first_letter));
  put(second, std::string(1, second_letter));
  for (size_t i = 0; i < spatial.size(); ++i) put(spatial[i], fmt::format("{}", i));
  std::string text = "[";
  for (size_t i = 0; i < places.size(); ++i) text += (i == 0 ? "" : ", ") + places[i];
  return text + "]";
}

void TextWriter::print_convolution(const Operation& operation) {
  const auto side = [&](std::string_view prefix, std::string_view first, std::string_view second) {
    const std::vector<int64_t> spatial = integers(operation, fmt::format("{}_spatial_dimensions", prefix));
    const bool kernel = prefix == "kernel";
    return dimensions_text(integer(operation, fmt::format("{}_{}_dimension", prefix, first)), kernel ? 'i' : 'b',
                           integer(operation, fmt::format("{}_{}_dimension", prefix, second)), kernel ? 'o' : 'f',
                           spatial);
  };
  const std::vector<int64_t> pads = integers(operation, "padding");
  std::string pad_text;
  for (size_t i = 0; i + 1 < pads.size(); i += 2)
    pad_text += fmt::format("{}[{}, {}]", i == 0 ? "" : ", ", pads[i], pads[i + 1]);
  std::string reversal = list(operation, "window_reversal");
  std::string window;
  if (reversal != "[]") {
    std::string words;
    for (char c : reversal) words += c == '0' ? "false" : c == '1' ? "true" : std::string(1, c);
    window = fmt::format("stride = {}, pad = [{}], lhs_dilate = {}, rhs_dilate = {}, reverse = {}",
                         list(operation, "window_strides"), pad_text, list(operation, "lhs_dilation"),
                         list(operation, "rhs_dilation"), words);
  }
  out_ += fmt::format(
      "stablehlo.convolution({}) dim_numbers = {}x{}->{}, window = {{{}}} {{batch_group_count = {} : i64, "
      "feature_group_count = {} : i64",
      operands(operation), side("input", "batch", "feature"), side("kernel", "input_feature", "output_feature"),
      side("output", "batch", "feature"), window, integer(operation, "batch_group_count"),
      integer(operation, "feature_group_count"));
  if (const Attribute* precision = tree_.find(operation, "precision_config"))
    out_ += ", precision_config = " + print_attribute(tree_, *precision, "precision_config");
  out_ += "} : " + function_type(operation);
}

// ---- Generic pretty forms: operands, clauses, types.

/// Returns whether clauses express all of the operation's attributes.
bool TextWriter::has_items(const Operation& operation) const {
  if (operation.regions.count != 0 || !operation.name.starts_with("stablehlo.")) return false;
  uint32_t written = 0;
  bool formatted = false;
  for (const Clause& clause : clauses_of(operation.name)) {
    if (clause.attribute == "format") formatted = true;
    written += tree_.find(operation, clause.attribute) != nullptr ? 1 : 0;
    written += !clause.second.empty() && tree_.find(operation, clause.second) != nullptr ? 1 : 0;
  }
  return formatted || written == operation.attributes.count;
}

void TextWriter::print_clause(const Operation& operation, const Clause& clause) {
  if (clause.attribute == "format") {
    out_ += fmt::format("format = e{}m{}", integer(operation, "exponent_bits"), integer(operation, "mantissa_bits"));
    return;
  }
  const Attribute* const attribute = tree_.find(operation, clause.attribute);
  out_ += fmt::format("{} = ", clause.word);
  if (!clause.second.empty()) {
    out_ += list(operation, clause.attribute) + " x " + list(operation, clause.second);
  } else if (attribute->kind == AttributeKind::kInteger) {
    out_ += fmt::format("{}", attribute->integer);
  } else if (attribute->kind == AttributeKind::kString) {
    out_ += quoted_mlir(attribute->text);
  } else {
    out_ += attribute->kind == AttributeKind::kWord ? attribute->text : list(operation, clause.attribute);
  }
}

/// Returns whether the results' types determine the others, so that only they are written.
bool has_one_type(const ModuleTree& tree, const Operation& operation) {
  constexpr std::string_view kOthers[] = {"stablehlo.reverse", "stablehlo.reduce_precision"};
  if (operation.name == "stablehlo.optimization_barrier" || operation.name == "stablehlo.tuple") return true;
  const OpRow* const row = find_row(operation.name);
  const bool elementwise = row != nullptr && inverse_of(*row) == write_elementwise &&
                           hlo::is_elementwise(row->opcode) && row->opcode != hlo::Opcode::kSelect;
  if (!elementwise && std::ranges::count(kOthers, operation.name) == 0) return false;
  if (operation.results.count != 1) return false;
  const TypeId type = tree.values[tree.result(operation, 0)].type;
  for (uint32_t i = 0; i < operation.operands.count; ++i) {
    if (tree.types[tree.values[tree.operand(operation, i)].type].spelled != tree.types[type].spelled) return false;
  }
  return true;
}

void TextWriter::print_items(const Operation& operation) {
  out_ += operation.name;
  bool first = true;
  const auto separate = [&] {
    out_ += first ? " " : ", ";
    first = false;
  };
  if (operation.operands.count > 0) {
    separate();
    out_ += operands(operation);
  }
  for (const Clause& clause : clauses_of(operation.name)) {
    const bool absent = clause.attribute != "format" && tree_.find(operation, clause.attribute) == nullptr;
    if (absent || (clause.word == "batching_dims" && list(operation, clause.attribute) == "[]")) continue;
    separate();
    print_clause(operation, clause);
  }
  const bool one = operation.operands.count == 0 || has_one_type(tree_, operation);
  out_ += " : " + (one ? type_list(operation, true) : function_type(operation));
}

// ---- The generic form.

void TextWriter::print_properties(const Operation& operation) {
  const Group* const group = operation.name == "stablehlo.gather"    ? &kGatherGroup
                             : operation.name == "stablehlo.scatter" ? &kScatterGroup
                                                                     : nullptr;
  std::string out, grouped;
  for (uint32_t i = 0; i < operation.attributes.count; ++i) {
    const auto& [name, id] = tree_.attribute_pool[operation.attributes.begin + i];
    const Attribute& attribute = tree_.attributes[id];
    if (name == "channel_id") {
      if (attribute.integer > 0) {
        out += fmt::format("{}channel_handle = #stablehlo.channel_handle<handle = {}, type = 1>",
                           out.empty() ? "" : ", ", attribute.integer);
      }
    } else if (group != nullptr && group->parts.find(fmt::format(" {} ", name)) != std::string_view::npos) {
      const bool is_list = attribute.kind != AttributeKind::kInteger;
      if (is_list && attribute.integers.empty() && attribute.kind == AttributeKind::kIntegers) continue;
      grouped += fmt::format("{}{} = {}", grouped.empty() ? "" : ", ", name,
                             is_list ? list(operation, name) : fmt::format("{}", attribute.integer));
    } else {
      out += fmt::format("{}{}", out.empty() ? "" : ", ", name);
      if (attribute.kind != AttributeKind::kUnit) out += " = " + print_attribute(tree_, attribute, name);
    }
  }
  if (group != nullptr) {
    out += fmt::format("{}{} = #{}<{}>", out.empty() ? "" : ", ", group->attribute, group->mnemonic, grouped);
  }
  if (!out.empty()) out_ += " <{" + out + "}>";
}

void TextWriter::print_generic(const Operation& operation) {
  out_ += fmt::format("\"{}\"({})", operation.name, operands(operation));
  print_properties(operation);
  for (uint32_t i = 0; i < operation.regions.count; ++i) {
    const Region& region = tree_.regions[operation.regions.begin + i];
    out_ += i == 0 ? " ({\n" : ", {\n";
    name_arguments(region, 'a');
    if (region.arguments.count > 0) {
      out_ += indent() + "^bb0(";
      for (uint32_t k = 0; k < region.arguments.count; ++k) {
        const ValueId argument = region.arguments.begin + k;
        out_ += fmt::format("{}{}: {}", k == 0 ? "" : ", ", value(argument), type(argument));
      }
      out_ += "):\n";
    }
    ++depth_;
    print_block(region);
    --depth_;
    out_ += indent() + "}";
  }
  if (operation.regions.count > 0) out_ += ")";
  out_ += " : " + function_type(operation);
}

}  // namespace

std::string print_tree(const ModuleTree& tree) { return TextWriter(tree).take(); }

}  // namespace hilo::stablehlo
