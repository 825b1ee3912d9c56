// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/symbolic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace hilo {
namespace {

constexpr int kMaxNesting = 64;  // nesting depth of parentheses

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Evaluates a size from left to right; the first error is retained.
class Evaluator {
 public:
  /// `names` collects the symbols; if it is not null, all symbols have the value 1.
  Evaluator(std::string_view text, const Symbols& symbols, std::vector<std::string>* names)
      : text_(text), symbols_(symbols), names_(names) {}

  StatusOr<int64_t> run() {
    const int64_t value = sum(0);
    skip_spaces();
    if (status_.ok() && at_ < text_.size()) fail("wanted the end");
    if (!status_.ok()) return status_;
    return value;
  }

 private:
  int64_t fail(const std::string& message, StatusCode code = StatusCode::kInvalidArgument) {
    if (status_.ok()) status_ = Status(code, fmt::format("size '{}': {}", text_, message));
    return 0;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  int64_t plus(int64_t a, int64_t b) {
    int64_t c = 0;
    return __builtin_add_overflow(a, b, &c) ? fail("beyond the range of int64") : c;
  }
  int64_t times(int64_t a, int64_t b) {
    int64_t c = 0;
    return __builtin_mul_overflow(a, b, &c) ? fail("beyond the range of int64") : c;
  }

  int64_t sum(int depth) {
    if (depth > kMaxNesting) return fail("nested too deep");
    int64_t value = take('-') ? times(-1, product(depth)) : product(depth);
    while (status_.ok()) {
      if (take('+')) value = plus(value, product(depth));
      else if (take('-')) value = plus(value, times(-1, product(depth)));
      else break;
    }
    return value;
  }

  int64_t product(int depth) {
    int64_t value = power(depth);
    while (status_.ok() && take('*')) value = times(value, power(depth));
    return value;
  }

  int64_t power(int depth) {
    const int64_t base = factor(depth);
    if (!status_.ok() || !take('^')) return base;
    const int64_t exponent = factor(depth);
    if (exponent < 0 || exponent > 63) return fail("an exponent that is not a number from 0 to 63");
    int64_t value = 1;
    for (int64_t i = 0; i < exponent && status_.ok(); ++i) value = times(value, base);
    return value;
  }

  int64_t factor(int depth) {
    skip_spaces();
    if (depth > kMaxNesting) return fail("nested too deep");
    if (take('-')) return times(-1, factor(depth + 1));
    if (take('(')) {
      const int64_t value = sum(depth + 1);
      return take(')') ? value : fail("wanted ')'");
    }
    if (!status_.ok() || at_ >= text_.size()) return fail("wanted a number or a symbol");
    if (is_digit(text_[at_])) return number();
    if (!is_name_start(text_[at_])) return fail("wanted a number or a symbol");
    const size_t begin = at_;
    while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    return take('(') ? function(name, depth) : symbol(name);
  }

  int64_t number() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = end - text_.data();
    return error == std::errc() ? value : fail("beyond the range of int64");
  }

  int64_t symbol(std::string_view name) {
    if (names_ != nullptr) {
      if (std::find(names_->begin(), names_->end(), name) == names_->end()) names_->emplace_back(name);
      return 1;
    }
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? fail(fmt::format("the value of '{}' is unknown", name), StatusCode::kNotFound)
                                   : found->second;
  }

  int64_t function(std::string_view name, int depth) {
    const int64_t a = sum(depth + 1);
    if (!take(',')) return fail("wanted ','");
    const int64_t b = sum(depth + 1);
    if (!take(')')) return fail("wanted ')'");
    if (name == "max") return std::max(a, b);
    if (name == "min") return std::min(a, b);
    if (name != "floordiv" && name != "mod") return fail(fmt::format("unknown function '{}'", name));
    if (b == 0 || (a == INT64_MIN && b == -1)) return fail("division by zero, or beyond the range of int64");
    const bool down = a % b != 0 && (a < 0) != (b < 0);
    return name == "floordiv" ? a / b - (down ? 1 : 0) : a % b + (down ? b : 0);
  }

  std::string_view text_;
  const Symbols& symbols_;
  std::vector<std::string>* names_;
  size_t at_ = 0;
  Status status_;
};

/// One symbolic size, and its value in the call.
struct Equation {
  const stablehlo::ExportedValue* value;
  size_t dimension;
  int64_t size;
  const std::string& text() const { return value->sizes[dimension]; }
};

StatusOr<std::vector<Equation>> equations(const std::vector<stablehlo::ExportedValue>& values,
                                          std::span<const Shape> shapes) {
  std::vector<Equation> all;
  for (size_t i = 0; i < values.size(); ++i) {
    const Shape& shape = shapes[i];
    if (shape.element_type() != values[i].type || shape.rank() != std::ssize(values[i].sizes)) {
      return invalid_argument(fmt::format("input {} ('{}'): got {}, wanted {}", i, values[i].path, shape.to_string(),
                                          values[i].to_string()));
    }
    for (size_t d = 0; d < values[i].sizes.size(); ++d) all.push_back({&values[i], d, shape.dimension(d)});
  }
  return all;
}

/// Returns the only unknown symbol of a size; empty if none exists, or several.
StatusOr<std::string> open_symbol(const std::string& text, const Symbols& known) {
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string> names, symbols_in(text));
  std::string open;
  for (const std::string& name : names) {
    if (known.contains(name)) continue;
    if (!open.empty()) return std::string();
    open = name;
  }
  return open;
}

/// Solves for `name` if the size is linear in it. Returns false otherwise.
StatusOr<bool> solve(const Equation& e, const std::string& name, Symbols& known) {
  known[name] = 0;
  const StatusOr<int64_t> at_0 = evaluate_size(e.text(), known);
  known[name] = 1;
  const StatusOr<int64_t> at_1 = evaluate_size(e.text(), known);
  known.erase(name);
  if (!at_0.ok() || !at_1.ok()) return false;
  const __int128 slope = __int128{*at_1} - *at_0, distance = __int128{e.size} - *at_0;
  if (slope == 0 || distance % slope != 0) return false;
  known[name] = distance / slope;
  const StatusOr<int64_t> check = evaluate_size(e.text(), known);
  if (check.ok() && *check == e.size) return true;
  known.erase(name);
  return false;
}

/// "a = 3, b = 4"
std::string values_text(const Symbols& symbols) {
  std::string text;
  for (const auto& [name, value] : symbols) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

/// Explains why an equation has no solution: for "2*b" with value 7, its values at 3 and at 4.
Status unsolved(const Equation& e, Symbols known) {
  HILO_ASSIGN_OR_RETURN(const std::string name, open_symbol(e.text(), known));
  const auto at = [&](int64_t value) {
    known[name] = value;
    return evaluate_size(e.text(), known);
  };
  const StatusOr<int64_t> at_0 = at(0), at_1 = at(1);
  if (!name.empty() && at_0.ok() && at_1.ok() && *at_0 != *at_1) {
    const __int128 slope = __int128{*at_1} - *at_0, distance = __int128{e.size} - *at_0;
    const int64_t below = std::min(distance / slope, __int128{INT64_MAX - 1});
    const StatusOr<int64_t> first = at(below), second = at(below + 1);
    const bool linear = first.ok() && second.ok() && __int128{*second} - *first == slope;
    if (linear && distance % slope != 0)
      return invalid_argument(fmt::format("'{}': dimension {} is {}, wanted {}, which is {} for {} = {} and {} for {}",
                                          e.value->path, e.dimension, e.size, e.text(), *first, name, below, *second,
                                          below + 1));
  }
  return unimplemented(
      fmt::format("'{}': size '{}' is {}: its symbols can't be solved", e.value->path, e.text(), e.size));
}

Status replace_sizes(std::vector<stablehlo::ExportedValue>& values, const Symbols& symbols) {
  for (stablehlo::ExportedValue& value : values) {
    for (std::string& size : value.sizes) {
      HILO_ASSIGN_OR_RETURN(const int64_t number, evaluate_size(size, symbols));
      if (number < 0)
        return invalid_argument(fmt::format("'{}': size '{}' is {} where {}; wanted 0 or more", value.path, size,
                                            number, values_text(symbols)));
      size = std::to_string(number);
    }
  }
  return ok_status();
}

}  // namespace

StatusOr<int64_t> evaluate_size(std::string_view text, const Symbols& symbols) {
  return Evaluator(text, symbols, nullptr).run();
}

StatusOr<std::vector<std::string>> symbols_in(std::string_view text) {
  std::vector<std::string> names;
  const Symbols none;
  HILO_RETURN_IF_ERROR(Evaluator(text, none, &names).run().status());
  return names;
}

StatusOr<Symbols> solve_sizes(const std::vector<stablehlo::ExportedValue>& values, std::span<const Shape> shapes) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Equation> all, equations(values, shapes));
  Symbols known;
  for (bool progress = true; progress;) {
    progress = false;
    for (const Equation& e : all) {
      HILO_ASSIGN_OR_RETURN(const std::string name, open_symbol(e.text(), known));
      if (name.empty()) continue;
      HILO_ASSIGN_OR_RETURN(const bool solved, solve(e, name, known));
      progress = progress || solved;
    }
  }
  for (const Equation& e : all) {
    const StatusOr<int64_t> expected = evaluate_size(e.text(), known);
    if (expected.status().code() == StatusCode::kNotFound) return unsolved(e, known);
    HILO_RETURN_IF_ERROR(expected.status());
    if (*expected == e.size) continue;
    return invalid_argument(fmt::format("'{}': dimension {} is {}, wanted {} = {}", e.value->path, e.dimension, e.size,
                                        e.text(), *expected));
  }
  return known;
}

StatusOr<stablehlo::JaxExport> with_sizes(const stablehlo::JaxExport& exported, const Symbols& symbols) {
  stablehlo::JaxExport out = exported;
  HILO_RETURN_IF_ERROR(replace_sizes(out.inputs, symbols));
  HILO_RETURN_IF_ERROR(replace_sizes(out.outputs, symbols));
  if (exported.vjp != nullptr) {
    HILO_ASSIGN_OR_RETURN(stablehlo::JaxExport vjp, with_sizes(*exported.vjp, symbols));
    out.vjp = std::make_shared<const stablehlo::JaxExport>(std::move(vjp));
  }
  return out;
}

}  // namespace hilo
