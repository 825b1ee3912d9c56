// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/translate/module_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/text/annotations.h"
#include "hilo/stablehlo/text/reader.h"
#include "hilo/stablehlo/tree/print_attribute.h"

namespace hilo::stablehlo {
namespace {

constexpr std::string_view kFrontend = "frontend_attributes", kKey = "hilo.mlir";
constexpr std::string_view kAlias = "tf.aliasing_output", kSharding = "sdy.sharding";

// ---- Storing facts -------------------------------------------------------------------------------------------------

std::string printed(const ModuleTree& tree, std::string_view name, const Attribute& value) {
  if (value.kind == AttributeKind::kUnit) return std::string(name);
  const bool bare = name == kSharding && value.text.starts_with('<');  // as in bytecode
  return fmt::format("{} = {}{}", name, bare ? "#sdy.sharding" : "", print_attribute(tree, value, name));
}

/// Moves an argument's alias attribute to the module's aliases, if it is valid there.
bool take_alias(const Attribute& value, int64_t argument, hlo::Module& module) {
  const hlo::Computation& entry = *module.entry;
  if (value.kind != AttributeKind::kInteger || argument >= entry.parameter_count()) return false;
  const Shape& result = entry.result_shape();
  const int64_t index = value.integer;
  const bool is_there = result.is_tuple() ? index >= 0 && index < result.tuple_size() : index == 0;
  if (!is_there) return false;
  if (!entry.parameter(argument).shape.compatible(result.is_tuple() ? result.tuple_element(index) : result))
    return false;
  hlo::Alias alias;
  if (result.is_tuple()) alias.result_index = {index};
  alias.parameter_number = argument;
  module.aliases.push_back(std::move(alias));
  if (hlo::check_entry_facts(module).ok()) return true;
  module.aliases.pop_back();
  return false;
}

/// Returns `[{a = 1 : i32}, {}]`, or nothing if all are empty. Aliases of arguments are moved to the module.
std::string lists_text(const ModuleTree& tree, const Attribute* lists, hlo::Module* module) {
  if (lists == nullptr || lists->kind != AttributeKind::kArray) return "";
  std::string text;
  bool is_empty = true;
  for (size_t i = 0; i < lists->elements.size(); ++i) {
    const Attribute& dictionary = tree.attributes[lists->elements[i]];
    std::string entries;
    for (const auto& [name, id] : dictionary.entries) {
      const Attribute& value = tree.attributes[id];
      if (module != nullptr && name == kAlias && take_alias(value, i, *module)) continue;
      entries += (entries.empty() ? "" : ", ") + printed(tree, name, value);
      is_empty = false;
    }
    text += fmt::format("{}{{{}}}", i == 0 ? "" : ", ", entries);
  }
  return is_empty ? "" : "[" + text + "]";
}

std::string own_text(const ModuleTree& tree) {
  std::string text;
  const Operation& root = tree.operations[0];
  for (uint32_t i = 0; i < root.attributes.count; ++i) {
    const auto& [name, id] = tree.attribute_pool[root.attributes.begin + i];
    if (name == "sym_name" || name == "sym_visibility") continue;
    text += (text.empty() ? "" : ", ") + printed(tree, name, tree.attributes[id]);
  }
  return text.empty() ? "" : "{" + text + "}";
}

std::string meshes_text(const ModuleTree& tree) {
  std::string text;
  const Operation& root = tree.operations[0];
  if (root.regions.count == 0) return text;
  for (OperationId id = tree.regions[root.regions.begin].first; id != kNone; id = tree.operations[id].next) {
    const Operation& operation = tree.operations[id];
    const Attribute *const name = tree.find(operation, "sym_name"), *const mesh = tree.find(operation, "mesh");
    if (operation.name != "sdy.mesh" || name == nullptr || mesh == nullptr) continue;
    text += fmt::format("sdy.mesh {} = {} ", print_symbol(name->text), mesh->text);
  }
  return text;
}

// ---- Restoring facts -----------------------------------------------------------------------------------------------

/// Returns the text that keep_facts has stored, or an empty module.
StatusOr<std::string> kept_text(const hlo::Module& module) {
  for (const auto& [key, value] : module.other_attributes) {
    if (key != kFrontend) continue;
    hlo::text::Cursor cursor(value, kFrontend);
    HILO_ASSIGN_OR_RETURN(const auto entries, hlo::text::read_frontend_attributes(cursor));
    for (const hlo::text::FrontendAttribute& entry : entries) {
      if (entry.key == kKey) return hlo::text::Cursor(entry.value, kKey).quoted(kKey);
    }
  }
  return std::string("module {}");
}

/// Copies attributes from the tree of facts to the tree that is written.
struct Copier {
  const ModuleTree& from;
  TreeBuilder& to;
  bool portable;

  TypeId type(TypeId id) const {  // recursion is safe, because both readers limit the nesting
    Type copy = from.types[id];
    for (TypeId& part : copy.parts) part = type(part);
    return to.add_type(std::move(copy));
  }
  AttributeId attribute(AttributeId id) const {
    Attribute copy = from.attributes[id];
    if (copy.type != kNone) copy.type = type(copy.type);
    copy.text = to.tree.keep(copy.text);
    copy.integers = to.tree.keep(copy.integers);
    if (copy.literal != nullptr) copy.literal = to.tree.keep(*copy.literal);
    std::vector<AttributeId> elements;
    for (AttributeId element : copy.elements) elements.push_back(attribute(element));
    copy.elements = to.tree.keep(std::span<const AttributeId>(elements));
    std::vector<NamedAttribute> entries;
    for (const auto& [name, value] : copy.entries) entries.push_back({to.tree.intern(name), attribute(value)});
    copy.entries = to.tree.keep(std::span<const NamedAttribute>(entries));
    return to.tree.add(copy);
  }

  /// Returns the dictionary of an argument or a result, with its alias if there is one.
  AttributeId dictionary(const Attribute* facts, std::optional<int64_t> alias) const {
    std::vector<NamedAttribute> entries, frontend;
    for (const auto& [name, id] : facts == nullptr ? std::span<const NamedAttribute>() : facts->entries) {
      const Attribute& value = from.attributes[id];
      if (!portable || value.kind != AttributeKind::kOther) {
        entries.push_back({name, attribute(id)});
      } else if (name == kSharding) {
        frontend.push_back({"xla.sdy.sharding", to.tree.add_text(AttributeKind::kString, value.text)});
      }
    }
    if (alias) entries.push_back({kAlias, to.integer32(*alias)});
    if (!frontend.empty()) add_frontend(entries, std::move(frontend));
    std::ranges::sort(entries, {}, &NamedAttribute::name);
    return to.dictionary(std::move(entries));
  }

  void add_frontend(std::vector<NamedAttribute>& entries, std::vector<NamedAttribute> frontend) const {
    for (auto& [name, id] : entries) {
      if (name != "mhlo.frontend_attributes") continue;
      const Attribute had = to.tree.attributes[id];
      frontend.insert(frontend.end(), had.entries.begin(), had.entries.end());
      id = to.dictionary(std::move(frontend));
      return;
    }
    entries.push_back({"mhlo.frontend_attributes", to.dictionary(std::move(frontend))});
  }

  /// Returns the dictionaries of `count` arguments or results. Returns none if all are empty or their number differs.
  std::vector<AttributeId> dictionaries(const Attribute* lists, size_t count,
                                        const std::vector<std::optional<int64_t>>& aliases) const {
    const bool fits = lists != nullptr && lists->elements.size() == count;
    const bool has_alias = std::ranges::any_of(aliases, [](const auto& alias) { return alias.has_value(); });
    std::vector<AttributeId> made;
    for (size_t i = 0; (fits || has_alias) && i < count; ++i)
      made.push_back(dictionary(fits ? &from.attributes[lists->elements[i]] : nullptr, aliases[i]));
    return made;
  }
};

/// Returns for each argument the result that reuses its memory.
std::vector<std::optional<int64_t>> aliases_of(const hlo::Module& module, size_t arguments) {
  std::vector<std::optional<int64_t>> aliases(arguments);
  for (const hlo::Alias& alias : module.aliases) {
    const size_t number = alias.parameter_number;
    if (number >= arguments || !alias.parameter_index.empty() || alias.result_index.size() > 1) continue;
    aliases[number] = alias.result_index.empty() ? 0 : alias.result_index[0];
  }
  return aliases;
}

void add_module_facts(const Copier& copier, ModuleFacts& facts) {
  const ModuleTree& tree = copier.from;
  const Operation& root = tree.operations[0];
  if (const Attribute* const own = tree.find(root, "own"); own != nullptr) {
    for (const auto& [name, value] : own->entries)
      facts.own.push_back({copier.to.tree.intern(name), copier.attribute(value)});
  }
  for (OperationId id = tree.regions[root.regions.begin].first; id != kNone; id = tree.operations[id].next) {
    const Operation& mesh = tree.operations[id];
    if (mesh.name != "sdy.mesh") continue;
    facts.meshes.push_back({copier.to.tree.add_text(AttributeKind::kString, tree.find(mesh, "sym_name")->text),
                            copier.to.tree.add_text(AttributeKind::kOther, tree.find(mesh, "mesh")->text)});
  }
}

}  // namespace

void keep_facts(const ModuleTree& tree, const Operation& entry, hlo::Module& module) {
  const std::string arguments = lists_text(tree, tree.find(entry, "arg_attrs"), &module);
  const std::string results = lists_text(tree, tree.find(entry, "res_attrs"), nullptr);
  const std::string own = own_text(tree), meshes = meshes_text(tree);
  std::string attributes;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) attributes += fmt::format("{}{} = {}", attributes.empty() ? "" : ", ", name, value);
  };
  add("arguments", arguments);
  add("results", results);
  add("own", own);
  if (attributes.empty() && meshes.empty()) return;
  const std::string text = fmt::format("module attributes {{{}}} {{ {}}}", attributes, meshes);
  module.other_attributes.emplace_back(kFrontend, fmt::format("{{{}={}}}", kKey, hlo::text::quoted_text(text)));
}

StatusOr<ModuleFacts> kept_facts(const hlo::Module& module, bool portable, TreeBuilder& builder) {
  HILO_ASSIGN_OR_RETURN(const std::string text, kept_text(module));
  HILO_ASSIGN_OR_RETURN(const ModuleTree tree, read_text(text, "frontend attribute hilo.mlir"));
  const Operation& root = tree.operations[0];
  if (root.regions.count != 1)
    return invalid_argument("frontend attribute hilo.mlir: got no module; wanted what hilo wrote there");
  const Copier copier{tree, builder, portable};
  const size_t arguments = module.entry->parameter_count();
  const Shape& result = module.entry->result_shape();
  const size_t results = result.is_tuple() ? static_cast<size_t>(result.tuple_size()) : 1;
  ModuleFacts facts;
  facts.arguments = copier.dictionaries(tree.find(root, "arguments"), arguments, aliases_of(module, arguments));
  facts.results =
      copier.dictionaries(tree.find(root, "results"), results, std::vector<std::optional<int64_t>>(results));
  if (!portable) add_module_facts(copier, facts);
  return facts;
}

}  // namespace hilo::stablehlo
