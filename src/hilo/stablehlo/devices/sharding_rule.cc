// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/sharding_rule.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "hilo/stablehlo/text/cursor.h"

namespace hilo::stablehlo {
namespace {

using hlo::ArrayFactors;
using hlo::FactorKind;
using hlo::ShardingRule;

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Splits the factors of a dimension: "iz_1k" -> i, z_1, k.
std::vector<std::string> split_names(std::string_view word) {
  std::vector<std::string> names;
  for (size_t at = 0; at < word.size();) {
    size_t end = at + 1;
    if (end < word.size() && word[end] == '_') {
      ++end;
      while (end < word.size() && is_digit(word[end])) ++end;
    }
    names.emplace_back(word.substr(at, end - at));
    at = end;
  }
  return names;
}

struct RuleReader {
  Cursor cursor;
  ShardingRule rule = {};
  std::map<std::string, int, std::less<>> numbers = {};                    ///< factor numbers by name
  using NamedArrays = std::vector<std::vector<std::vector<std::string>>>;  ///< factor names by array and dimension

  /// Reads items separated by commas up to `close`.
  template <typename Item>
  Status list(std::string_view open, std::string_view close, const Item& item) {
    HILO_RETURN_IF_ERROR(cursor.expect(open, "in a sharding rule"));
    if (cursor.accept(close)) return ok_status();
    do {
      HILO_RETURN_IF_ERROR(item());
    } while (cursor.accept(","));
    return cursor.expect(close, "in a sharding rule");
  }
  Status names(std::vector<std::string>& into) {
    const std::string_view word = cursor.word();
    if (word.empty() || !is_letter(word[0])) return cursor.unexpected("a factor", "in a sharding rule");
    into = split_names(word);
    return ok_status();
  }
  Status arrays(NamedArrays& into) {
    return list("(", ")", [&] {
      auto& dimensions = into.emplace_back();
      return list("[", "]", [&]() -> Status {
        auto& factors = dimensions.emplace_back();
        return cursor.accept("{}") ? ok_status() : names(factors);
      });
    });
  }
  Status sizes() {
    return list("{", "}", [&]() -> Status {
      std::vector<std::string> name;
      HILO_RETURN_IF_ERROR(names(name));
      HILO_RETURN_IF_ERROR(cursor.expect("=", "after a factor"));
      HILO_ASSIGN_OR_RETURN(const int64_t size, cursor.integer("a factor's size"));
      if (name.size() != 1 || size < 0) return invalid_argument("a sharding rule: wanted factors of size >= 0");
      if (!numbers.emplace(name[0], static_cast<int>(rule.factors.size())).second)
        return invalid_argument(fmt::format("a sharding rule: factor {} has two sizes", name[0]));
      rule.factors.push_back({size});
      return ok_status();
    });
  }
  StatusOr<int> number(const std::string& name) const {
    const auto found = numbers.find(name);
    if (found == numbers.end()) return invalid_argument(fmt::format("a sharding rule: factor {} has no size", name));
    return found->second;
  }
  /// Reads ` reduction={k}` after its keyword.
  Status kind(std::string_view word) {
    HILO_RETURN_IF_ERROR(cursor.expect("=", "in a sharding rule"));
    return list("{", "}", [&]() -> Status {
      std::vector<std::string> name;
      HILO_RETURN_IF_ERROR(names(name));
      HILO_ASSIGN_OR_RETURN(const int i, number(name[0]));
      hlo::Factor& factor = rule.factors[i];
      if (word == "reduction") factor.kind = FactorKind::kReduction;
      else if (word == "need_replication") factor.kind = FactorKind::kReplicate;
      else if (word == "permutation") factor.kind = FactorKind::kPermute;
      else if (word == "blocked_propagation") factor.blocked = true;
      else return invalid_argument(fmt::format("a sharding rule: factors of kind '{}'", word));
      return ok_status();
    });
  }
  Status place(const NamedArrays& named, std::vector<ArrayFactors>& into) const {
    for (const auto& dimensions : named) {
      ArrayFactors& array = into.emplace_back();
      for (const auto& factors : dimensions) {
        std::vector<int>& placed = array.emplace_back();
        for (const std::string& name : factors) {
          HILO_ASSIGN_OR_RETURN(const int i, number(name));
          placed.push_back(i);
        }
      }
    }
    return ok_status();
  }
  StatusOr<ShardingRule> read();
};

StatusOr<ShardingRule> RuleReader::read() {
  if (cursor.accept("#")) cursor.suffix();
  HILO_RETURN_IF_ERROR(cursor.expect("<", "before a sharding rule"));
  NamedArrays operands, results;
  HILO_RETURN_IF_ERROR(arrays(operands));
  HILO_RETURN_IF_ERROR(cursor.expect("->", "in a sharding rule"));
  HILO_RETURN_IF_ERROR(arrays(results));
  if (cursor.next_is("{")) HILO_RETURN_IF_ERROR(sizes());
  while (!cursor.accept(">")) {
    if (cursor.accept(",")) {
      if (!cursor.accept_word("custom")) return cursor.unexpected("'custom'", "in a sharding rule");
      continue;
    }
    const std::string_view word = cursor.word();
    if (word.empty()) return cursor.unexpected("'>'", "after a sharding rule");
    HILO_RETURN_IF_ERROR(kind(word));
  }
  HILO_RETURN_IF_ERROR(place(operands, rule.operands));
  HILO_RETURN_IF_ERROR(place(results, rule.results));
  return std::move(rule);
}

Status check_arrays(const ShardingRule& rule, const std::vector<ArrayFactors>& arrays, const std::vector<Shape>& shapes,
                    std::string_view what) {
  if (arrays.size() != shapes.size())
    return invalid_argument(
        fmt::format("got a sharding rule with {} {}; wanted {}", arrays.size(), what, shapes.size()));
  for (size_t i = 0; i < arrays.size(); ++i) {
    const int64_t rank = shapes[i].is_array() ? shapes[i].rank() : 0;
    bool fits = std::ssize(arrays[i]) == rank;
    for (int64_t d = 0; fits && d < rank; ++d) {
      int64_t left = shapes[i].dimension(d);
      for (const int factor : arrays[i][d]) {
        const int64_t size = rule.factors[factor].size;
        fits = fits && (size == 0 ? left == 0 : left % size == 0);
        left = size == 0 ? 0 : left / size;
      }
    }
    if (!fits)
      return invalid_argument(fmt::format("a sharding rule that doesn't match {} of {}", shapes[i].to_string(), what));
  }
  return ok_status();
}

}  // namespace

StatusOr<ShardingRule> parse_sharding_rule(std::string_view text) {
  return RuleReader{Cursor(text, "a sharding rule")}.read();
}

Status check_sharding_rule(const ShardingRule& rule, const std::vector<Shape>& operands,
                           const std::vector<Shape>& results) {
  HILO_RETURN_IF_ERROR(check_arrays(rule, rule.operands, operands, "operands"));
  return check_arrays(rule, rule.results, results, "results");
}

}  // namespace hilo::stablehlo
