// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/print_attribute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "hilo/stablehlo/tree/attribute_rows.h"

namespace hilo::stablehlo {
namespace {

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

std::string with_type(const ModuleTree& tree, const Attribute& attribute, std::string value) {
  if (attribute.type == kNone) return value + " : i64";
  return fmt::format("{} : {}", value, tree.types[attribute.type].spelled);
}

/// Returns an infinity or NaN as the bits of the type.
std::string bits_text(double number, std::string_view type) {
  const uint64_t bits = std::bit_cast<uint64_t>(number);
  const uint32_t single = std::bit_cast<uint32_t>(static_cast<float>(number));
  if (type == "f32") return fmt::format("0x{:08X}", single);
  if (type == "bf16") return fmt::format("0x{:04X}", single >> 16);
  if (type == "f16") return fmt::format("0x{:04X}", (single >> 16 & 0x8000) | (std::isnan(number) ? 0x7E00 : 0x7C00));
  return fmt::format("0x{:016X}", bits);
}

std::string number_text(const ModuleTree& tree, const Attribute& attribute) {
  const std::string_view type = attribute.type == kNone ? "f64" : std::string_view(tree.types[attribute.type].spelled);
  const bool narrow = type != "f64";
  std::string text =
      narrow ? fmt::format("{}", static_cast<float>(attribute.number)) : fmt::format("{}", attribute.number);
  // MLIR's numbers always have a decimal point; infinities and NaN are written as bits.
  const size_t exponent = text.find('e');
  if (!std::isfinite(attribute.number)) text = bits_text(attribute.number, type);
  else if (text.find('.') == std::string::npos) text.insert(std::min(exponent, text.size()), ".0");
  return attribute.type == kNone ? text + " : f64" : with_type(tree, attribute, std::move(text));
}

std::string integer_text(const ModuleTree& tree, const Attribute& attribute) {
  const bool is_unsigned = attribute.type != kNone && tree.types[attribute.type].spelled.starts_with("ui");
  return is_unsigned ? fmt::format("{}", static_cast<uint64_t>(attribute.integer))
                     : fmt::format("{}", attribute.integer);
}

/// Returns array<i64: 1, 2> or array<i1: true, false>.
std::string integers_text(const Attribute& attribute, const AttributeRow* row) {
  const bool truths = row != nullptr && row->form == AttributeForm::kBools;
  std::string text = truths ? "array<i1" : "array<i64";
  for (size_t i = 0; i < attribute.integers.size(); ++i) {
    const int64_t value = attribute.integers[i];
    text +=
        fmt::format("{} {}", i == 0 ? ":" : ",", truths ? (value != 0 ? "true" : "false") : fmt::format("{}", value));
  }
  return text + ">";
}

/// Returns {a = 1 : i64} or #name<a = 1, b = [2]>.
std::string dictionary_text(const ModuleTree& tree, const Attribute& attribute) {
  const bool named = !attribute.text.empty();
  std::string text = named ? fmt::format("#{}<", attribute.text) : "{";
  for (size_t i = 0; i < attribute.entries.size(); ++i) {
    const auto& [name, id] = attribute.entries[i];
    const Attribute& value = tree.attributes[id];
    const bool bare = std::all_of(name.begin(), name.end(), is_of_name);
    text += (i == 0 ? "" : ", ") + (bare ? std::string(name) : quoted_mlir(name));
    if (value.kind == AttributeKind::kUnit) continue;
    if (named && value.kind == AttributeKind::kInteger) text += fmt::format(" = {}", value.integer);
    else if (named && value.kind == AttributeKind::kIntegers) text += " = " + print_list(value.integers);
    else text += " = " + print_attribute(tree, value, name);
  }
  return text + (named ? ">" : "}");
}

}  // namespace

std::string quoted_mlir(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\\') out += "\\\\";
    else if (c == '"' || c < ' ' || c == 127) out += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
    else out += c;
  }
  return out + "\"";
}

std::string print_symbol(std::string_view name) {
  const bool bare =
      !name.empty() && std::all_of(name.begin(), name.end(), is_of_name) && (name[0] < '0' || name[0] > '9');
  return "@" + (bare ? std::string(name) : quoted_mlir(name));
}

std::string print_list(std::span<const int64_t> values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string print_attribute(const ModuleTree& tree, const Attribute& attribute, std::string_view name) {
  const AttributeRow* const row = find_attribute_row(name);
  switch (attribute.kind) {
    case AttributeKind::kUnit: return "unit";
    case AttributeKind::kBool: return attribute.integer != 0 ? "true" : "false";
    case AttributeKind::kInteger: return with_type(tree, attribute, integer_text(tree, attribute));
    case AttributeKind::kFloat: return number_text(tree, attribute);
    case AttributeKind::kString: return quoted_mlir(attribute.text);
    case AttributeKind::kSymbol: return print_symbol(attribute.text);
    case AttributeKind::kType: return tree.types[attribute.type].spelled;
    case AttributeKind::kWord:
      return row == nullptr ? std::string(attribute.text)
                            : fmt::format("#stablehlo<{} {}>", row->mnemonic, attribute.text);
    case AttributeKind::kOther: return std::string(attribute.text);
    case AttributeKind::kElements: {
      const std::string elements = attribute.literal != nullptr ? print_elements(*attribute.literal) : std::string();
      return fmt::format("dense<{}> : {}", elements, tree.types[attribute.type].spelled);
    }
    case AttributeKind::kIntegers: return integers_text(attribute, row);
    case AttributeKind::kArray: {
      std::string text = "[";
      for (size_t i = 0; i < attribute.elements.size(); ++i)
        text += (i == 0 ? "" : ", ") + print_attribute(tree, tree.attributes[attribute.elements[i]], name);
      return text + "]";
    }
    case AttributeKind::kDictionary: return dictionary_text(tree, attribute);
  }
  return {};
}

}  // namespace hilo::stablehlo
