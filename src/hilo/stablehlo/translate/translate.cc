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
#include "hilo/stablehlo/translate/devices.h"
#include "hilo/stablehlo/translate/module_facts.h"
#include "hilo/stablehlo/translate/translator.h"

namespace hilo::stablehlo {
namespace {

bool is_function(const Operation& operation) { return operation.name == "func.func"; }

bool is_public(const ModuleTree& tree, const Operation& function) {
  const Attribute* const visibility = tree.find(function, "sym_visibility");
  return visibility == nullptr || visibility->text.empty() || visibility->text == "public";
}

/// Returns the operations of the module without those in nested modules.
std::vector<OperationId> top_level(const ModuleTree& tree) {
  std::vector<OperationId> ids;
  const Operation& root = tree.operations[0];
  if (root.regions.count == 0) return ids;
  for (OperationId id = tree.regions[root.regions.begin].first; id != kNone; id = tree.operations[id].next)
    ids.push_back(id);
  return ids;
}

/// Appends the symbols in an operation's attributes: functions that must be translated first.
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

/// Appends the functions in the attributes of an extension op's composite, such as a scan's step.
void append_parts(const Translator& translator, const Operation& operation, std::vector<std::string_view>& names) {
  if (operation.name != "stablehlo.composite") return;
  const Attribute* const values = translator.tree.find(operation, "composite_attributes");
  for (const NamedAttribute& entry : values == nullptr ? std::span<const NamedAttribute>() : values->entries) {
    const Attribute& value = translator.tree.attributes[entry.value];  // a symbol, or a string in bytecode
    const bool named = value.kind == AttributeKind::kSymbol || value.kind == AttributeKind::kString;
    if (named && translator.functions.contains(value.text)) names.push_back(value.text);
  }
}

/// Returns the functions that `entry` needs, callees before their callers. Not recursive.
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
    if (callee == translator.functions.end()) return not_found(fmt::format("function @{} doesn't exist", name));
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
    return not_found(fmt::format("function @{} doesn't exist; the module has {}.{}", name, join(known, ", "),
                                 did_you_mean(name, known)));
  }
  std::vector<OperationId> candidates;
  for (OperationId id : functions) {
    if (is_public(tree, tree.operations[id])) candidates.push_back(id);
  }
  if (candidates.size() == 1 || functions.size() == 1) return candidates.empty() ? functions[0] : candidates[0];
  return invalid_argument(
      fmt::format("the module has {} functions but no @main. Hint: select one by --function", functions.size()));
}

/// Returns whether a type has an unknown size.
bool is_open(const Type& type) {
  return std::find(type.dimensions.begin(), type.dimensions.end(), kDynamic) != type.dimensions.end();
}

/// Returns whether inner sizes are unknown while those of the entry are known, so that they must be inferred.
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

/// Checks that a function returns values of the types that it declares.
Status check_results(Translator& translator, const Operation& function) {
  const ModuleTree& tree = translator.tree;
  if (function.regions.count == 0 || tree.regions[function.regions.begin].last == kNone) return ok_status();
  const Operation& end = tree.operations[tree.regions[function.regions.begin].last];
  const Attribute* const declared = tree.find(function, "function_type");
  if (declared == nullptr || declared->type == kNone) return ok_status();
  const Type& type = tree.types[declared->type];
  const size_t count = type.parts.size() - type.input_count;
  if (count != end.operands.count)
    return translator.at(
        end, invalid_argument(fmt::format("returns {} values; the function declares {}", end.operands.count, count)));
  for (uint32_t i = 0; i < count; ++i) {
    const TypeId wanted = type.parts[type.input_count + i], got = tree.values[tree.operand(end, i)].type;
    if (!same_type(tree, got, wanted))
      return translator.at(end, invalid_argument(fmt::format("result {} has type {}; the function declares {}", i,
                                                             tree.types[got].spelled, tree.types[wanted].spelled)));
  }
  return ok_status();
}

/// Returns the functions that stay separate computations in a program with inferred sizes, because custom calls refer
/// to them. The others are inlined.
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
  if (tree.operations[entry].regions.count != 1) return types;  // translate() reports the missing body
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
      // A nested module is a separate name space; its functions can't be called.
      if (operation.name == "sdy.mesh" || operation.name == "builtin.module") continue;
      return translator.at(operation, unimplemented("this operation is not allowed at module level"));
    }
    functions.push_back(id);
    if (!translator.functions.emplace(symbol_name(tree, operation), id).second)
      return translator.at(operation, invalid_argument(fmt::format("two functions @{}", symbol_name(tree, operation))));
  }
  HILO_ASSIGN_OR_RETURN(const OperationId entry, find_entry(translator, functions, options.function));
  HILO_ASSIGN_OR_RETURN(std::vector<OperationId> order, call_order(translator, entry));
  for (const OperationId id : order) HILO_RETURN_IF_ERROR(check_results(translator, tree.operations[id]));
  translator.refining = !options.arguments.empty() || translator.has_bounds || sizes_follow(tree, entry, order);
  if (translator.refines()) {
    translator.shapes.resize(tree.values.size());
    order = uninlined(translator, order, entry);
  }
  HILO_ASSIGN_OR_RETURN(translator.devices, plan_devices(tree, options));
  for (OperationId id : order) {
    if (id == entry || !translator.devices.inlined.contains(id))
      HILO_RETURN_IF_ERROR(translator.run(tree.operations[id], id == entry));
  }
  hlo::Module module;
  module.name = symbol_name(tree, tree.operations[0]);
  if (module.name.empty()) module.name = symbol_name(tree, tree.operations[entry]);
  module.entry = translator.computations[symbol_name(tree, tree.operations[entry])];
  if (translator.devices.grid.count() > 1)
    module.other_attributes.emplace_back("replica_count", fmt::format("{}", translator.devices.grid.count()));
  // A program of replicas has whole arrays; one for specified sizes or for checks has other values than the tree. Then
  // the attributes don't apply.
  else if (options.arguments.empty() && options.checks == nullptr) keep_facts(tree, tree.operations[entry], module);
  return module;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::stablehlo
