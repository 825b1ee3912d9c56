// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/rule.h"

#include <fmt/format.h>

namespace hilo::hlo {
namespace {

std::string letter(size_t factor) {
  return factor < 18 ? std::string(1, static_cast<char>('i' + factor)) : fmt::format("z_{}", factor - 17);
}

std::string arrays_text(const std::vector<ArrayFactors>& arrays) {
  std::string text = "(";
  for (const ArrayFactors& array : arrays) {
    text += text == "(" ? "[" : ",[";
    for (size_t d = 0; d < array.size(); ++d) {
      if (d != 0) text += ',';
      if (array[d].empty()) text += '.';
      for (const int factor : array[d]) text += letter(factor);
    }
    text += ']';
  }
  return text + ")";
}

void append_kind(const ShardingRule& rule, std::string_view name, FactorKind kind, std::string& text) {
  std::string letters;
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    if (rule.factors[f].kind == kind) letters += (letters.empty() ? "" : ",") + letter(f);
  }
  if (!letters.empty()) text += fmt::format(" {}={{{}}}", name, letters);
}

}  // namespace

ShardingRule sharding_rule(const Instruction& instruction, const Computation& computation) {
  RuleBuilder builder(instruction, computation);
  op_def(instruction.opcode).sharding.rule(builder);
  return std::move(builder.rule);
}

std::string to_string(const ShardingRule& rule) {
  std::string text = arrays_text(rule.operands) + "->" + arrays_text(rule.results) + " {", blocked;
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    text += fmt::format("{}{}={}", f == 0 ? "" : ", ", letter(f), rule.factors[f].size);
    if (rule.factors[f].blocked) blocked += (blocked.empty() ? "" : ",") + letter(f);
  }
  text += "}";
  append_kind(rule, "reduction", FactorKind::kReduction, text);
  append_kind(rule, "need_replication", FactorKind::kReplicate, text);
  append_kind(rule, "permutation", FactorKind::kPermute, text);
  if (!blocked.empty()) text += fmt::format(" blocked={{{}}}", blocked);
  return text;
}

}  // namespace hilo::hlo
