// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/print_attribute.h"

#include <fmt/format.h>

#include "hilo/hlo/text/lexer.h"

namespace hilo::stablehlo {
namespace {

std::string with_type(const ModuleTree& tree, const Attribute& attribute, std::string value) {
  if (attribute.type == kNone) return value + " : i64";
  return fmt::format("{} : {}", value, tree.types[attribute.type].spelled);
}

std::string number_text(const ModuleTree& tree, const Attribute& attribute) {
  const bool narrow = attribute.type != kNone && tree.types[attribute.type].spelled != "f64";
  std::string text =
      narrow ? fmt::format("{}", static_cast<float>(attribute.number)) : fmt::format("{}", attribute.number);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return attribute.type == kNone ? text + " : f64" : with_type(tree, attribute, std::move(text));
}

std::string integer_text(const ModuleTree& tree, const Attribute& attribute) {
  const bool is_unsigned = attribute.type != kNone && tree.types[attribute.type].spelled.starts_with("ui");
  return is_unsigned ? fmt::format("{}", static_cast<uint64_t>(attribute.integer))
                     : fmt::format("{}", attribute.integer);
}

}  // namespace

std::string print_attribute(const ModuleTree& tree, const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kUnit: return "unit";
    case AttributeKind::kBool: return attribute.integer != 0 ? "true" : "false";
    case AttributeKind::kInteger: return with_type(tree, attribute, integer_text(tree, attribute));
    case AttributeKind::kFloat: return number_text(tree, attribute);
    case AttributeKind::kString: return hlo::text::quoted_text(attribute.text);
    case AttributeKind::kSymbol: return "@" + attribute.text;
    case AttributeKind::kType: return tree.types[attribute.type].spelled;
    case AttributeKind::kWord:
    case AttributeKind::kOther: return attribute.text;
    case AttributeKind::kElements: return fmt::format("dense<...> : {}", tree.types[attribute.type].spelled);
    case AttributeKind::kIntegers: {
      std::string text = "array<i64";
      for (size_t i = 0; i < attribute.integers.size(); ++i)
        text += fmt::format("{} {}", i == 0 ? ":" : ",", attribute.integers[i]);
      return text + ">";
    }
    case AttributeKind::kArray: {
      std::string text = "[";
      for (size_t i = 0; i < attribute.elements.size(); ++i)
        text += (i == 0 ? "" : ", ") + print_attribute(tree, tree.attributes[attribute.elements[i]]);
      return text + "]";
    }
    case AttributeKind::kDictionary: {
      std::string text = "{";
      for (size_t i = 0; i < attribute.names.size(); ++i) {
        const Attribute& value = tree.attributes[attribute.elements[i]];
        text += fmt::format("{}{}", i == 0 ? "" : ", ", attribute.names[i]);
        if (value.kind != AttributeKind::kUnit) text += " = " + print_attribute(tree, value);
      }
      return text + "}";
    }
  }
  return {};
}

}  // namespace hilo::stablehlo
