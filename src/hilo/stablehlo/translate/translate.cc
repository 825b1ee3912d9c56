// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/stablehlo/translate/module_facts.h"
#include "hilo/stablehlo/translate/parts.h"

namespace hilo::stablehlo {
namespace {

bool is_function(const Operation& operation) { return operation.name == "func.func"; }

std::string_view symbol_name(const ModuleTree& tree, const Operation& operation) {
  const Attribute* const name = tree.find(operation, "sym_name");
  return name == nullptr ? std::string_view() : std::string_view(name->text);
}

bool is_public(const ModuleTree& tree, const Operation& function) {
  const Attribute* const visibility = tree.find(function, "sym_visibility");
  return visibility == nullptr || visibility->text.empty() || visibility->text == "public";
}

/// The operations of the module, its nested regions apart.
std::vector<OperationId> top_level(const ModuleTree& tree) {
  std::vector<OperationId> ids;
  const Operation& root = tree.operations[0];
  if (root.regions.count == 0) return ids;
  for (OperationId id = tree.regions[root.regions.begin].first; id != kNone; id = tree.operations[id].next)
    ids.push_back(id);
  return ids;
}

/// Appends the symbols that an operation's attributes name, as functions to be there first.
void append_callees(const ModuleTree& tree, const Operation& operation, std::vector<std::string_view>& names) {
  constexpr std::string_view kKeys[] = {"callee", "decomposition", "called_computations", "programs", "infeed"};
  for (const NamedAttribute& own : tree.attributes_of(operation)) {
    if (std::find(std::begin(kKeys), std::end(kKeys), own.name) == std::end(kKeys)) continue;
    const Attribute& attribute = tree.attributes[own.value];
    if (attribute.kind == AttributeKind::kSymbol || attribute.kind == AttributeKind::kString) {
      names.push_back(attribute.text);
    } else if (attribute.kind == AttributeKind::kArray) {
      for (AttributeId id : attribute.elements) {
        const Attribute& element = tree.attributes[id];
        if (element.kind != AttributeKind::kArray) names.push_back(element.text);
        for (AttributeId inner : element.elements) names.push_back(tree.attributes[inner].text);  // rows of programs
      }
    }
  }
}

/// Appends the functions that an extension op of hilo, a composite, has as attributes: a scan's step.
void append_parts(const Translator& translator, const Operation& operation, std::vector<std::string_view>& names) {
  if (operation.name != "stablehlo.composite") return;
  const Attribute* const values = translator.tree.find(operation, "composite_attributes");
  for (const NamedAttribute& entry : values == nullptr ? std::span<const NamedAttribute>() : values->entries) {
    const Attribute& value = translator.tree.attributes[entry.value];  // a symbol; in bytecode a string
    const bool named = value.kind == AttributeKind::kSymbol || value.kind == AttributeKind::kString;
    if (named && translator.functions.contains(value.text)) names.push_back(value.text);
  }
}

/// Functions that `entry` needs, called ones before their callers, without recursion.
StatusOr<std::vector<OperationId>> call_order(const Translator& translator, OperationId entry) {
  const ModuleTree& tree = translator.tree;
  struct Frame {
    OperationId function;
    std::vector<std::string_view> callees;
    size_t next;
  };
  const auto frame_of = [&](OperationId function) {
    Frame frame{function, {}, 0};
    for (OperationId id = function + 1; id < tree.operations[function].nested_end; ++id) {
      append_callees(tree, tree.operations[id], frame.callees);
      append_parts(translator, tree.operations[id], frame.callees);
    }
    return frame;
  };
  std::unordered_map<OperationId, bool> done;  // false: on the stack
  std::vector<OperationId> order;
  std::vector<Frame> stack;
  stack.push_back(frame_of(entry));
  done[entry] = false;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.callees.size()) {
      done[frame.function] = true;
      order.push_back(frame.function);
      stack.pop_back();
      continue;
    }
    const std::string_view name = frame.callees[frame.next++];
    const auto callee = translator.functions.find(name);
    if (callee == translator.functions.end()) return not_found(fmt::format("function @{} isn't there", name));
    const auto [state, is_new] = done.emplace(callee->second, false);
    if (!is_new && !state->second) return failed_precondition(fmt::format("function @{} calls itself", name));
    if (is_new) stack.push_back(frame_of(callee->second));
  }
  return order;
}

StatusOr<OperationId> find_entry(const Translator& translator, const std::vector<OperationId>& functions,
                                 const std::string& wanted) {
  const ModuleTree& tree = translator.tree;
  if (functions.empty()) return not_found("the module has no function");
  if (!wanted.empty() || translator.functions.contains("main")) {
    const std::string name = wanted.empty() ? "main" : wanted;
    const auto found = translator.functions.find(name);
    if (found != translator.functions.end()) return found->second;
    std::vector<std::string_view> known;
    for (const auto& function : translator.functions) known.push_back(function.first);
    std::sort(known.begin(), known.end());
    return not_found(fmt::format("function @{} isn't there; the module has {}.{}", name, join(known, ", "),
                                 did_you_mean(name, known)));
  }
  std::vector<OperationId> candidates;
  for (OperationId id : functions) {
    if (is_public(tree, tree.operations[id])) candidates.push_back(id);
  }
  if (candidates.size() == 1 || functions.size() == 1) return candidates.empty() ? functions[0] : candidates[0];
  return invalid_argument(
      fmt::format("the module has {} functions and none is @main. Hint: name one", functions.size()));
}

/// Floats of 6 bits are carried, not computed.
Status check_six_bits(const ModuleTree& tree, const Operation& operation) {
  for (uint32_t i = 0; i < operation.results.count; ++i) {
    const Type& type = tree.type_of(tree.result(operation, i));
    if (type.six_bits != SixBits::kNone && operation.name != "stablehlo.constant" && operation.name != "func.call")
      return unimplemented(
          fmt::format("{}: HLO has no floats of 6 bits, so nothing can be computed in them", type.spelled));
  }
  return ok_status();
}

/// Whether a type leaves a size unknown.
bool is_open(const Type& type) {
  return std::find(type.dimensions.begin(), type.dimensions.end(), kDynamic) != type.dimensions.end();
}

/// Whether sizes inside are unknown where the entry's are known: they follow from those.
bool sizes_follow(const ModuleTree& tree, OperationId entry, const std::vector<OperationId>& functions) {
  const Operation& function = tree.operations[entry];
  if (function.regions.count != 1) return false;
  const Range arguments = tree.regions[function.regions.begin].arguments;
  for (uint32_t i = 0; i < arguments.count; ++i) {
    if (is_open(tree.type_of(arguments.begin + i))) return false;
  }
  return std::ranges::any_of(functions, [&](OperationId id) {
    for (OperationId inside = id; inside < tree.operations[id].nested_end; ++inside) {
      const Range results = tree.operations[inside].results;
      for (uint32_t i = 0; i < results.count; ++i) {
        if (is_open(tree.type_of(results.begin + i))) return true;
      }
    }
    return false;
  });
}

/// Of a program whose sizes are inferred: the functions that are computations of their own, because custom calls have them. The
/// entry inlines the others.
std::vector<OperationId> uninlined(const Translator& translator, const std::vector<OperationId>& functions,
                                   OperationId entry) {
  const ModuleTree& tree = translator.tree;
  std::unordered_set<OperationId> called;
  for (const OperationId id : functions) {
    for (OperationId inside = id + 1; inside < tree.operations[id].nested_end; ++inside) {
      const Attribute* const names = tree.find(tree.operations[inside], "called_computations");
      for (const AttributeId name : names == nullptr ? std::span<const AttributeId>() : names->elements) {
        const auto found = translator.functions.find(tree.attributes[name].text);
        if (found != translator.functions.end()) called.insert(found->second);
      }
    }
  }
  std::vector<OperationId> order;
  for (const OperationId id : functions) {
    if (id == entry || called.contains(id)) order.push_back(id);
  }
  return order;
}

}  // namespace

std::vector<FunctionInfo> functions_of(const ModuleTree& tree) {
  std::vector<FunctionInfo> functions;
  for (OperationId id : top_level(tree)) {
    const Operation& operation = tree.operations[id];
    if (!is_function(operation)) continue;
    FunctionInfo& info = functions.emplace_back();
    info.name = symbol_name(tree, operation);
    info.is_public = is_public(tree, operation);
    if (operation.regions.count > 0) info.argument_count = tree.regions[operation.regions.begin].arguments.count;
  }
  return functions;
}

bool EntryTypes::is_open() const { return std::ranges::any_of(arguments, stablehlo::is_open); }

StatusOr<EntryTypes> entry_types(const ModuleTree& tree, const std::string& function) try {
  const TranslateOptions options;
  Translator translator{tree, options};
  std::vector<OperationId> functions;
  for (const OperationId id : top_level(tree)) {
    if (!is_function(tree.operations[id])) continue;
    functions.push_back(id);
    translator.functions.emplace(symbol_name(tree, tree.operations[id]), id);
  }
  HILO_ASSIGN_OR_RETURN(const OperationId entry, find_entry(translator, functions, function));
  EntryTypes types;
  types.name = symbol_name(tree, tree.operations[0]);
  if (types.name.empty()) types.name = symbol_name(tree, tree.operations[entry]);
  if (tree.operations[entry].regions.count != 1) return types;  // translate() says that there is no body
  const Region& body = tree.regions[tree.operations[entry].regions.begin];
  for (uint32_t i = 0; i < body.arguments.count; ++i) types.arguments.push_back(tree.type_of(body.arguments.begin + i));
  if (body.last == kNone) return types;
  const Operation& end = tree.operations[body.last];
  for (uint32_t i = 0; i < end.operands.count; ++i) types.results.push_back(tree.type_of(tree.operand(end, i)));
  return types;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<hlo::Module> translate(const ModuleTree& tree, const TranslateOptions& options) try {
  const FloatingPointScope nearest;
  Translator translator{tree, options};
  translator.ids.assign(tree.values.size(), hlo::kNoInstruction);
  translator.type_shapes.resize(tree.types.size());
  for (const Type& type : tree.types) {
    translator.has_quantized_types |= type.quantization != nullptr;
    translator.has_six_bit_types |= type.six_bits != SixBits::kNone;
    translator.has_bounds |= !type.bounds.empty();
  }
  std::vector<OperationId> functions;
  for (OperationId id : top_level(tree)) {
    const Operation& operation = tree.operations[id];
    if (!is_function(operation)) {
      // A module inside is a name space of its own: what it has, nobody calls.
      if (operation.name == "sdy.mesh" || operation.name == "builtin.module") continue;
      return translator.at(operation, unimplemented("this operation can't stand beside functions"));
    }
    functions.push_back(id);
    if (!translator.functions.emplace(symbol_name(tree, operation), id).second)
      return translator.at(operation, invalid_argument(fmt::format("two functions @{}", symbol_name(tree, operation))));
  }
  HILO_ASSIGN_OR_RETURN(const OperationId entry, find_entry(translator, functions, options.function));
  HILO_ASSIGN_OR_RETURN(std::vector<OperationId> order, call_order(translator, entry));
  translator.refining = !options.arguments.empty() || translator.has_bounds || sizes_follow(tree, entry, order);
  if (translator.refines()) {
    translator.shapes.resize(tree.values.size());
    order = uninlined(translator, order, entry);
  }
  HILO_ASSIGN_OR_RETURN(translator.devices, plan_devices(tree, options));
  for (OperationId id : order) {
    if (!translator.devices.inlined.contains(id))
      HILO_RETURN_IF_ERROR(translator.run(tree.operations[id], id == entry));
  }
  hlo::Module module;
  module.name = symbol_name(tree, tree.operations[0]);
  if (module.name.empty()) module.name = symbol_name(tree, tree.operations[entry]);
  module.entry = translator.computations[symbol_name(tree, tree.operations[entry])];
  if (translator.devices.grid.count() > 1)
    module.other_attributes.emplace_back("replica_count", fmt::format("{}", translator.devices.grid.count()));
  // A program of replicas takes whole arrays, one for given sizes or for checks is another than the tree's.
  else if (options.arguments.empty() && options.checks == nullptr) keep_facts(tree, tree.operations[entry], module);
  return module;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

Status Translator::run(const Operation& function, bool entry) {
  const std::string name(symbol_name(tree, function));
  if (function.regions.count != 1) {
    return at(function, invalid_argument(fmt::format("function @{} has no body", name)));
  }
  const Region& body = tree.regions[function.regions.begin];
  hlo::Builder builder(name.empty() ? "main" : name);
  const bool checks = entry && options.checks != nullptr;
  if (checks) entry_builder = &builder;
  if (options.checks != nullptr && body.arguments.count == 0) data_builder = &builder;
  builder.set_annotations(annotations_of(function.location));
  for (uint32_t i = 0; i < body.arguments.count; ++i) {
    const ValueId value = body.arguments.begin + i;
    if (!tree.type_of(value).bounds.empty()) {
      return at(function, unimplemented(fmt::format("argument {} has type {}: arguments of bounded size", i,
                                                    tree.type_of(value).spelled)));
    }
    StatusOr<Shape> shape = argument_shape(value, i, entry ? options.arguments : std::vector<Shape>());
    if (!shape.ok()) return at(function, shape.status().with_context(fmt::format("argument {}", i)));
    set(builder, value, builder.parameter(*shape));
  }
  std::vector<hlo::InstructionId> results;
  HILO_RETURN_IF_ERROR(translate_block(builder, body, results));
  if (checks) results = checked;
  entry_builder = data_builder = nullptr;
  const hlo::InstructionId root = packed(builder, results);
  StatusOr<hlo::ComputationPtr> computation = std::move(builder).build(root);
  if (!computation.ok()) return at(function, computation.status());
  computations[symbol_name(tree, function)] = *std::move(computation);
  return ok_status();
}

void Translator::set(const hlo::Builder& builder, ValueId value, hlo::InstructionId id) {
  ids[value] = id;
  if (!refines()) return;
  shapes[value] = builder.shape(id);
  const hlo::Instruction& instruction = builder.instruction(id);
  if (instruction.opcode == hlo::Opcode::kConstant && instruction.shape.element_count() <= 64)
    constants.insert_or_assign(value, hlo::attributes_of<hlo::ConstantAttributes>(instruction).value);
  else constants.erase(value);
}

StatusOr<Shape> Translator::shape_of(ValueId value) {
  const TypeId type = tree.values[value].type;
  std::optional<Shape>& known = type_shapes[type];
  if (!known) {
    HILO_ASSIGN_OR_RETURN(known, stablehlo::shape_of(tree, type));
  }
  return *known;
}

StatusOr<Shape> Translator::argument_shape(ValueId value, uint32_t i, std::span<const Shape> arguments) {
  if (arguments.empty()) return shape_of(value);
  if (i >= arguments.size()) return invalid_argument(fmt::format("got {} arguments; wanted more", arguments.size()));
  const Type& type = tree.type_of(value);
  const Shape& given = arguments[i];
  bool fits = given.is_array() && type.kind == TypeKind::kTensor && given.element_type() == type.element &&
              given.rank() == static_cast<int64_t>(type.dimensions.size());
  for (int64_t d = 0; fits && d < given.rank(); ++d) {
    const int64_t declared = type.dimensions[static_cast<size_t>(d)];
    fits = declared == kDynamic || declared == given.dimension(d);
  }
  if (!fits) return invalid_argument(fmt::format("got {}, wanted {}", given.to_string(), type.spelled));
  return given;
}

StatusOr<hlo::ComputationPtr> Translator::function(std::string_view name) const {
  const auto found = computations.find(name);
  if (found == computations.end()) return not_found(fmt::format("function @{} isn't there", name));
  return found->second;
}

Captures Translator::captures_of(std::initializer_list<const Region*> regions) const {
  std::vector<ValueId> outside;
  for (const Region* region : regions) {
    if (region->first == kNone) continue;
    for (OperationId id = region->first; id < tree.operations[region->last].nested_end; ++id) {
      const Operation& operation = tree.operations[id];
      for (uint32_t i = 0; i < operation.operands.count; ++i) {
        const ValueId value = tree.operand(operation, i);
        // Values are numbered in the order of the text: what a region makes has a number from its first argument on.
        if (value < region->arguments.begin) outside.push_back(value);
      }
    }
  }
  std::sort(outside.begin(), outside.end());
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  Captures captures;
  for (ValueId value : outside) {
    const OperationId definer = tree.values[value].definer;
    const bool constant = definer != kNone && tree.operations[definer].name.ends_with(".constant");
    (constant ? captures.constants : captures.others).push_back(value);
  }
  return captures;
}

StatusOr<hlo::ComputationPtr> Translator::region(const std::string& name, const Region& region, Parameters parameters,
                                                 const Captures& captures, bool carry, std::span<const Shape> arguments,
                                                 std::vector<Recording>* recorded) {
  hlo::Builder builder(name);
  std::vector<ValueId> inputs;
  for (uint32_t i = 0; i < region.arguments.count; ++i) inputs.push_back(region.arguments.begin + i);
  const auto is_size = [&](ValueId value) { return refines() && constants.contains(value); };
  if (parameters == Parameters::kEach && !std::ranges::all_of(captures.others, is_size)) {
    return unimplemented("the region uses a value from outside that is no constant; HLO's has no place for it");
  }
  std::vector<std::pair<ValueId, hlo::InstructionId>> outside;  // what captured values are out there
  for (const auto* list : {&captures.others, &captures.constants}) {
    for (ValueId value : *list) outside.emplace_back(value, ids[value]);
  }
  inputs.insert(inputs.end(), captures.others.begin(), captures.others.end());
  for (const ValueId value : inputs) {
    if (!tree.type_of(value).bounds.empty())
      return unimplemented(fmt::format("a region on a value of bounded size: {}", tree.type_of(value).spelled));
  }
  std::vector<Shape> input_shapes;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const bool captured = i >= region.arguments.count;
    if (refines() && (captured || !arguments.empty())) {
      input_shapes.push_back(captured ? shapes[inputs[i]] : arguments[i]);
      continue;
    }
    HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(inputs[i]));
    input_shapes.push_back(shape);
  }
  if (recorded != nullptr) {
    for (const Recording& r : *recorded) {
      input_shapes.push_back(Shape::scalar(ElementType::kS32));
      input_shapes.insert(input_shapes.end(), static_cast<size_t>(r.passes), r.shape);
    }
  }
  std::vector<hlo::InstructionId> before;  // what recordings are before this pass
  if (parameters == Parameters::kEach || input_shapes.size() == 1) {
    const size_t own = parameters == Parameters::kEach ? region.arguments.count : inputs.size();  // sizes are constants
    for (size_t i = 0; i < own; ++i) ids[inputs[i]] = builder.parameter(input_shapes[i]);
  } else {
    const hlo::InstructionId tuple = builder.parameter(Shape::tuple(input_shapes));
    for (size_t i = 0; i < inputs.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(ids[inputs[i]], builder.get_tuple_element(tuple, static_cast<int64_t>(i)));
    }
    for (size_t i = inputs.size(); i < input_shapes.size(); ++i) {
      HILO_ASSIGN_OR_RETURN(const hlo::InstructionId id, builder.get_tuple_element(tuple, static_cast<int64_t>(i)));
      before.push_back(id);
    }
  }
  if (refines()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto known = i < region.arguments.count ? constants.end() : constants.find(inputs[i]);
      if (known != constants.end()) ids[inputs[i]] = builder.constant(known->second);
      else set(builder, inputs[i], ids[inputs[i]]);
    }
  }
  std::vector<Recording>* const around = std::exchange(recordings, carry ? recorded : nullptr);
  for (ValueId value : captures.constants) {
    HILO_RETURN_IF_ERROR(translate_operation(builder, tree.operations[tree.values[value].definer]));
  }
  std::vector<hlo::InstructionId> results;
  HILO_RETURN_IF_ERROR(translate_block(builder, region, results));
  if (carry) {
    for (ValueId value : captures.others) results.push_back(ids[value]);
    if (recorded != nullptr) {
      HILO_ASSIGN_OR_RETURN(const std::vector<hlo::InstructionId> after, next_recorded(builder, *recorded, before));
      results.insert(results.end(), after.begin(), after.end());
    }
  }
  recordings = around;
  for (const auto& [value, id] : outside) ids[value] = id;
  const hlo::InstructionId root = packed(builder, results);
  return std::move(builder).build(root);
}

namespace {

/// What `body` does, as numbers: equal ones for bodies that differ in nothing. Empty for a body with regions of its own or
/// values from outside.
std::vector<uint64_t> body_key(const ModuleTree& tree, const Region& body) {
  if (body.first == kNone) return {};
  const auto text = [](std::string_view interned) { return reinterpret_cast<uintptr_t>(interned.data()); };
  constexpr size_t kUsual = 32;  // numbers of a body that computes one op
  std::vector<uint64_t> key;
  key.reserve(kUsual);
  key.push_back(body.arguments.count);
  for (uint32_t i = 0; i < body.arguments.count; ++i) key.push_back(tree.values[body.arguments.begin + i].type);
  for (OperationId id = body.first; id != kNone; id = tree.operations[id].next) {
    const Operation& operation = tree.operations[id];
    if (operation.regions.count != 0) return {};
    key.insert(key.end(), {text(operation.name), operation.location, operation.operands.count, operation.results.count,
                           operation.attributes.count});
    for (uint32_t i = 0; i < operation.operands.count; ++i) {
      const ValueId value = tree.operand(operation, i);
      if (value < body.arguments.begin) return {};
      key.push_back(value - body.arguments.begin);
    }
    for (uint32_t i = 0; i < operation.results.count; ++i) key.push_back(tree.values[tree.result(operation, i)].type);
    for (const NamedAttribute& own : tree.attributes_of(operation)) key.insert(key.end(), {text(own.name), own.value});
  }
  return key;
}

}  // namespace

StatusOr<hlo::ComputationPtr> Translator::body(const std::string& name, const Region& region) {
  std::pair key(name, refines() ? std::vector<uint64_t>() : body_key(tree, region));
  if (const auto known = bodies.find(key); known != bodies.end()) return known->second;
  HILO_ASSIGN_OR_RETURN(hlo::ComputationPtr made,
                        this->region(name, region, Parameters::kEach, captures_of({&region})));
  if (!key.second.empty()) bodies.emplace(std::move(key), made);
  return made;
}

Status Translator::translate_block(hlo::Builder& builder, const Region& region,
                                   std::vector<hlo::InstructionId>& results) {
  for (OperationId id = region.first; id != kNone; id = tree.operations[id].next) {
    const Operation& operation = tree.operations[id];
    if (id != region.last) {
      HILO_RETURN_IF_ERROR(translate_operation(builder, operation));
      continue;
    }
    if (!operation.name.ends_with(".return"))
      return at(operation, invalid_argument("a region doesn't end in a return"));
    for (uint32_t i = 0; i < operation.operands.count; ++i) {
      hlo::InstructionId value = ids[tree.operand(operation, i)];
      if (value == hlo::kNoInstruction) return at(operation, invalid_argument("returns what isn't defined here"));
      if (has_bounds && inlined_depth == 0) {
        const OpRow none{};
        HILO_ASSIGN_OR_RETURN(value, zero_beyond({*this, builder, operation, none}, tree.operand(operation, i)));
      }
      results.push_back(value);
    }
    return ok_status();
  }
  return invalid_argument("a region is empty; wanted a return");
}

const OpRow* Translator::row_of(const Operation& operation) {
  const auto [row, is_new] = rows.emplace(operation.name.data(), nullptr);
  if (is_new) row->second = find_row(operation.name);
  return row->second;
}

Status Translator::translate_operation(hlo::Builder& builder, const Operation& operation) {
  const OpRow* const row = row_of(operation);
  if (row == nullptr) return at(operation, unimplemented("this version can't translate this operation"));
  builder.set_annotations(annotations_of(operation.location));
  const OpContext op{*this, builder, operation, *row};
  if (has_six_bit_types) {
    if (const Status status = check_six_bits(tree, operation); !status.ok()) return at(operation, status);
  }
  const bool on_stored = row->translate == translate_quantize || row->translate == translate_dequantize ||
                         row->translate == translate_bitcast || row->translate == translate_call;
  const bool on_real = has_quantized_types && !on_stored && is_quantized(tree, operation);
  Status done = on_real ? translate_on_real_values(op) : has_bounds ? translate_bounded(op) : row->translate(op);
  if (done.ok() && refines()) done = fold_results(op);
  return at(operation, done);
}

Status Translator::at(const Operation& operation, const Status& status) {
  if (status.ok() || placed) return status;
  placed = true;  // operations around this one add nothing
  const Location& location = tree.locations[operation.location];
  std::string what(operation.name);
  if (!location.file.empty()) what += fmt::format(" ({}:{})", location.file, location.line);
  if (operation.line != 0) what = fmt::format("{}:{}:{}: {}", tree.source, operation.line, operation.column, what);
  return status.with_context(what);
}

hlo::AnnotationsPtr Translator::annotations_of(LocationId id) {
  if (id == 0) return nullptr;
  hlo::AnnotationsPtr& known = annotations[id];
  if (known == nullptr) {
    const Location& location = tree.locations[id];
    auto made = std::make_shared<hlo::Annotations>();
    made->op_name = location.name;
    made->source_file = location.file;
    made->source_line = location.line;
    known = std::move(made);
  }
  return known;
}

hlo::InstructionId packed(hlo::Builder& builder, std::span<const hlo::InstructionId> values) {
  return values.size() == 1 ? values[0] : builder.tuple(values);
}

}  // namespace hilo::stablehlo
