// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/other_attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "hilo/base/text.h"
#include "hilo/hlo/proto/sharding.h"
#include "hilo/hlo/text/annotations.h"

namespace hilo::hlo::proto {
namespace {

using text::Cursor;

constexpr uint32_t kParameterReplication = 61, kStatistics = 82, kOriginalValue = 88, kResultAccuracy = 91;
constexpr uint32_t kFields[] = {kParameterReplication, kStatistics, kOriginalValue, kResultAccuracy};
constexpr std::string_view kAccuracyModes[] = {"default", "highest"};
constexpr int64_t kMaxEmpty = 16;        // consecutive empty tuples in an original value
constexpr size_t kMaxOriginDepth = 256;  // nesting of tuples

using Pair = std::pair<std::string_view, std::string_view>;

/// Reads `{a=1,b=2}` as pairs; the last '=' of each separates key and value.
StatusOr<std::vector<Pair>> read_pairs(std::string_view text, std::string_view what) {
  const auto wrong = [&] {
    return invalid_argument(fmt::format("{}: got {}; wanted {{key=number,...}}", what, quote(text)));
  };
  text = trimmed(text);
  if (!text.starts_with('{') || !text.ends_with('}')) return wrong();
  std::vector<Pair> pairs;
  for (std::string_view rest = trimmed(text.substr(1, text.size() - 2)); !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    const std::string_view one = rest.substr(0, end);
    const size_t equals = one.rfind('=');
    if (equals == std::string_view::npos) return wrong();
    pairs.emplace_back(trimmed(one.substr(0, equals)), trimmed(one.substr(equals + 1)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return pairs;
}

StatusOr<double> number(const Pair& pair) {
  double value = 0;
  const char* const end = pair.second.data() + pair.second.size();
  const auto [at, error] = std::from_chars(pair.second.data(), end, value);
  if (error == std::errc() && at == end) return value;
  return invalid_argument(fmt::format("{}: got {}; wanted a number", pair.first, quote(pair.second)));
}

/// Returns the number as XLA writes it, if that is exact.
std::string number_text(double value) {
  std::string shown = fmt::format("{:g}", value);
  const StatusOr<double> again = number({"", shown});
  return again.ok() && *again == value ? shown : fmt::format("{}", value);
}

Status write_replication(std::string_view value, WireWriter& out) {
  Cursor cursor(value, "parameter_replication");
  std::vector<int64_t> leaves;
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before parameter_replication"));
  while (cursor.peek() != '}') {
    HILO_ASSIGN_OR_RETURN(const bool leaf, cursor.boolean("parameter_replication"));
    leaves.push_back(leaf ? 1 : 0);
    if (!cursor.accept(',')) break;
  }
  WireWriter message;
  message.integers(1, leaves);
  out.message(kParameterReplication, message);
  return cursor.expect('}', "after parameter_replication");
}

Status write_tolerance(std::string_view value, WireWriter& out) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Pair> pairs, read_pairs(value, "tolerance"));
  WireWriter tolerance, message;
  for (const Pair& pair : pairs) {
    HILO_ASSIGN_OR_RETURN(const double n, number(pair));
    if (pair.first == "atol") tolerance.real64(1, n);
    else if (pair.first == "rtol") tolerance.real64(2, n);
    else if (const std::optional<int64_t> ulps = parse_int64(pair.second); pair.first == "ulps" && ulps)
      tolerance.integer(3, *ulps);
    else return invalid_argument(fmt::format("tolerance: {}={} is not known", pair.first, pair.second));
  }
  message.message(2, tolerance);
  out.message(kResultAccuracy, message);
  return ok_status();
}

Status write_accuracy(std::string_view value, WireWriter& out) {
  Cursor cursor(value, "result_accuracy");
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before result_accuracy"));
  const std::string_view key = cursor.identifier();
  HILO_RETURN_IF_ERROR(cursor.expect('=', "in result_accuracy"));
  HILO_ASSIGN_OR_RETURN(const std::string_view inner, cursor.raw_value(key));
  if (key == "tolerance") return write_tolerance(inner, out);
  const auto known = std::find(std::begin(kAccuracyModes), std::end(kAccuracyModes), inner);
  if (key != "mode" || known == std::end(kAccuracyModes))
    return unimplemented(fmt::format("result_accuracy={} can't be represented in HloModuleProto here", value));
  WireWriter message;
  message.integer(1, known - std::begin(kAccuracyModes));
  out.message(kResultAccuracy, message);
  return ok_status();
}

Status read_accuracy(const WireMessage& accuracy, std::string& text) {
  HILO_ASSIGN_OR_RETURN(const int64_t mode, accuracy.integer(1));
  if (mode != 0) text = mode == 1 ? "{mode=highest}" : fmt::format("{{mode={}}}", mode);
  if (!accuracy.has(2)) return ok_status();
  HILO_ASSIGN_OR_RETURN(const WireMessage tolerance, accuracy.message(2, "Tolerance"));
  HILO_ASSIGN_OR_RETURN(const double atol, tolerance.real64(1));
  HILO_ASSIGN_OR_RETURN(const double rtol, tolerance.real64(2));
  HILO_ASSIGN_OR_RETURN(const int64_t ulps, tolerance.integer(3));
  text = fmt::format("{{tolerance={{atol={},rtol={},ulps={}}}}}", number_text(atol), number_text(rtol), ulps);
  return ok_status();
}

/// Writes `{visualizing_index=1,time=3.5,bytes=100}`.
Status write_statistics(std::string_view value, WireWriter& out) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Pair> pairs, read_pairs(value, "statistics"));
  WireWriter message;
  for (size_t k = 0; k < pairs.size(); ++k) {
    HILO_ASSIGN_OR_RETURN(const double n, number(pairs[k]));
    const std::optional<int64_t> index = parse_int64(pairs[k].second);
    if (k == 0 && pairs[k].first == "visualizing_index" && index) {
      message.integer(1, *index);
      continue;
    }
    WireWriter statistic;
    statistic.text(1, utf8(pairs[k].first));
    statistic.real64(2, n);
    message.message(2, statistic);
  }
  out.message(kStatistics, message);
  return ok_status();
}

Status read_statistics(const WireMessage& message, std::string& text) {
  HILO_ASSIGN_OR_RETURN(const int64_t index, message.integer(1));
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, message.items(2));
  if (items.empty()) return ok_status();  // as XLA, which omits the index of an empty list
  text = fmt::format("{{visualizing_index={}", index);
  for (std::string_view item : items) {
    HILO_ASSIGN_OR_RETURN(const WireMessage statistic, WireMessage::read(item, "Statistic"));
    HILO_ASSIGN_OR_RETURN(const std::string_view name, statistic.text(1));
    HILO_ASSIGN_OR_RETURN(const double value, statistic.real64(2));
    if (!text::is_plain_identifier(name))
      return unimplemented(fmt::format("Statistic: {} is not a valid name in HLO text", quote(name)));
    text += fmt::format(",{}={}", name, number_text(value));
  }
  text += '}';
  return ok_status();
}

/// Writes one leaf of an original value: `{"name" {0,1}}`, or `{}` for an unknown one.
Status write_leaf(Cursor& cursor, const Int64List& path, WireWriter& out) {
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before a leaf of the original value"));
  WireWriter leaf;
  leaf.integers(1, path);
  if (cursor.peek() == '"') {
    WireWriter array;
    HILO_ASSIGN_OR_RETURN(const std::string name, cursor.quoted("the name of an instruction"));
    array.text(1, utf8(name));
    if (cursor.peek() == '{') {
      HILO_ASSIGN_OR_RETURN(const Int64List index, read_bracketed(cursor, '{', '}'));
      array.integers(2, index);
    }
    leaf.message(2, array);
  }
  out.message(1, leaf);
  return cursor.expect('}', "after a leaf of the original value");
}

/// Writes `{({"x" {0}}, ({"y"}, {}))}`, or `{[synthetic_call]}`. No recursion, because tuples may be deeply nested.
Status write_original(std::string_view value, WireWriter& out) {
  Cursor cursor(value, "origin");
  WireWriter message;
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before the original value"));
  if (cursor.accept('[')) {
    if (!cursor.accept_word("synthetic_call")) return cursor.unexpected("synthetic_call", "in the original value");
    HILO_RETURN_IF_ERROR(cursor.expect(']', "after synthetic_call"));
    message.boolean(2, true);
    out.message(kOriginalValue, message);
    return cursor.expect('}', "after the original value");
  }
  Int64List path;
  do {
    while (cursor.accept('(')) path.push_back(0);
    if (path.size() > kMaxOriginDepth) return cursor.error(0, "tuples nested too deep in the original value");
    if (cursor.peek() == '{') HILO_RETURN_IF_ERROR(write_leaf(cursor, path, message));
    while (!path.empty() && cursor.accept(')')) path.pop_back();
    if (!path.empty()) {
      HILO_RETURN_IF_ERROR(cursor.expect(',', "between leaves of the original value"));
      ++path.back();
    }
  } while (!path.empty());
  out.message(kOriginalValue, message);
  return cursor.expect('}', "after the original value");
}

/// Returns the element's name and index in braces.
StatusOr<std::string> leaf_text(const WireMessage& leaf) {
  if (!leaf.has(2)) return std::string("{}");
  HILO_ASSIGN_OR_RETURN(const WireMessage array, leaf.message(2, "OriginalArrayProto"));
  HILO_ASSIGN_OR_RETURN(const std::string_view name, array.text(1));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> index, array.integers(2));
  if (index.empty()) return "{" + text::quoted_text(name) + "}";
  return fmt::format("{{{} {{{}}}}}", text::quoted_text(name), fmt::join(index, ","));
}

Status not_in_order() {
  return invalid_argument("OriginalValueProto: its elements aren't the leaves of a tuple in order");
}

/// Appends empty tuples, which have no elements, and commas after them.
Status append_empty(int64_t count, std::string& text) {
  if (count < 0 || count > kMaxEmpty) return not_in_order();
  for (int64_t i = 0; i < count; ++i) text += "(), ";
  return ok_status();
}

/// Appends the ends of tuples after the leaf at `from` and the beginnings before the one at `to`. `from` is null for
/// the first leaf.
Status append_between(const Int64List* from, const Int64List& to, std::string& text) {
  size_t common = 0;
  if (from != nullptr) {
    while (common < from->size() && common < to.size() && (*from)[common] == to[common]) ++common;
    const bool ends = common == from->size() || common == to.size();
    if (ends || (*from)[common] < 0 || to[common] < (*from)[common]) return not_in_order();
    text += std::string(from->size() - common - 1, ')') + ", ";
    HILO_RETURN_IF_ERROR(append_empty(to[common] - (*from)[common] - 1, text));
    ++common;
  }
  for (; common < to.size(); ++common) {
    text += '(';
    HILO_RETURN_IF_ERROR(append_empty(to[common], text));
  }
  return ok_status();
}

Status read_original(const WireMessage& message, std::string& text) {
  HILO_ASSIGN_OR_RETURN(const bool synthetic, message.boolean(2));
  if (synthetic) text = "{[synthetic_call]}";
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, message.items(1));
  if (synthetic || items.empty()) return ok_status();
  Int64List before;
  for (size_t k = 0; k < items.size(); ++k) {
    HILO_ASSIGN_OR_RETURN(const WireMessage leaf, WireMessage::read(items[k], "OriginalValueElementProto"));
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> path, leaf.integers(1));
    HILO_ASSIGN_OR_RETURN(const std::string shown, leaf_text(leaf));
    if (k == 0) text = "{";
    HILO_RETURN_IF_ERROR(append_between(k == 0 ? nullptr : &before, path, text));
    text += shown;
    before = path;
  }
  text += std::string(before.size(), ')') + "}";
  return ok_status();
}

}  // namespace

std::span<const uint32_t> other_attribute_fields() { return kFields; }

Status write_other_attributes(const Annotations& annotations, WireWriter& out) {
  if (!annotations.statistics.empty()) HILO_RETURN_IF_ERROR(write_statistics(annotations.statistics, out));
  Cursor cursor(annotations.other_attributes, "attributes");
  while (!cursor.at_end()) {
    const std::string_view key = cursor.identifier();
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after an attribute's name"));
    HILO_ASSIGN_OR_RETURN(const std::string_view value, cursor.raw_value(key));
    if (key == "parameter_replication") HILO_RETURN_IF_ERROR(write_replication(value, out));
    else if (key == "result_accuracy") HILO_RETURN_IF_ERROR(write_accuracy(value, out));
    else if (key == "origin" || key == "original_value") HILO_RETURN_IF_ERROR(write_original(value, out));
    else return unimplemented(fmt::format("attribute {} can't be represented in HloModuleProto", quote(key)));
    if (!cursor.accept(',')) break;
  }
  return ok_status();
}

Status read_other_attributes(const WireMessage& instruction, Annotations& annotations) {
  const auto add = [&](std::string_view key, const std::string& value) {
    std::string& all = annotations.other_attributes;
    if (!value.empty()) all += fmt::format("{}{}={}", all.empty() ? "" : ", ", key, value);
  };
  HILO_ASSIGN_OR_RETURN(const WireMessage statistics, instruction.message(kStatistics, "StatisticsViz"));
  HILO_RETURN_IF_ERROR(read_statistics(statistics, annotations.statistics));
  std::string accuracy, original;
  HILO_ASSIGN_OR_RETURN(const WireMessage accuracies, instruction.message(kResultAccuracy, "ResultAccuracy"));
  HILO_RETURN_IF_ERROR(read_accuracy(accuracies, accuracy));
  add("result_accuracy", accuracy);
  HILO_ASSIGN_OR_RETURN(const WireMessage originals, instruction.message(kOriginalValue, "OriginalValueProto"));
  HILO_RETURN_IF_ERROR(read_original(originals, original));
  add("origin", original);
  HILO_ASSIGN_OR_RETURN(const WireMessage replication,
                        instruction.message(kParameterReplication, "ParameterReplication"));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> leaves, replication.integers(1));
  std::string replicated;
  for (int64_t leaf : leaves) replicated += fmt::format("{}{}", replicated.empty() ? "{" : ",", leaf != 0);
  if (!replicated.empty()) add("parameter_replication", replicated + "}");
  return ok_status();
}

}  // namespace hilo::hlo::proto
