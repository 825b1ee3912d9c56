// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/callback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <mutex>

#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/callback_rules.h"
#include "hilo/transform/custom_rules.h"

namespace hilo::callback_detail {
namespace {

constexpr std::string_view kTarget = "hilo.callback";
constexpr std::string_view kNumber = "number";

/// All callbacks of the process by number. Programs name them, and live as long as they like.
class Table {
 public:
  int64_t add(Callback callback) {
    std::lock_guard lock(mutex_);
    all_.push_back(std::make_shared<const Callback>(std::move(callback)));
    return static_cast<int64_t>(all_.size()) - 1;
  }
  std::shared_ptr<const Callback> find(int64_t number) {
    std::lock_guard lock(mutex_);
    const bool known = number >= 0 && number < static_cast<int64_t>(all_.size());
    return known ? all_[static_cast<size_t>(number)] : nullptr;
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Callback>> all_;
};

Table& table() {
  static auto* const all = new Table;
  return *all;
}

void check_results(std::span<const Array> got, std::span<const Shape> wanted) {
  bool same = got.size() == wanted.size();
  for (size_t i = 0; same && i < got.size(); ++i) same = got[i].aval_shape() == wanted[i];
  if (same) return;
  std::string texts[2];
  for (const Array& a : got) texts[0] += " " + a.aval_shape().to_string();
  for (const Shape& s : wanted) texts[1] += " " + s.to_string();
  or_throw(invalid_argument("callback: the function's result doesn't have the shapes and types that were said: got" +
                            texts[0] + ", wanted" + texts[1]));
}

Shape shape_of(const CustomCallBuffer& buffer) { return Shape::array(buffer.type, buffer.dimensions); }

/// Runs in the engine, on any of its threads.
Status handle(const CustomCallFrame& frame) {
  HILO_ASSIGN_OR_RETURN(const int64_t number, frame.attribute<int64_t>(kNumber));
  const std::shared_ptr<const Callback> callback = table().find(number);
  if (callback == nullptr)
    return failed_precondition("callback " + std::to_string(number) +
                               " belongs to the process that traced the program");
  const TraceScope bottom(eval_trace());
  try {
    std::vector<Array> operands;
    for (const CustomCallBuffer& b : frame.operands) {
      const Shape shape = shape_of(b);
      const std::span bytes(static_cast<const std::byte*>(b.data), static_cast<size_t>(shape.byte_size()));
      operands.push_back(Array::from_literal(Literal::from_bytes(shape, bytes)));
    }
    const std::vector<Array> results = callback->function(operands);
    if (callback->kind == Kind::kDebug) return ok_status();  // its one result is nobody's
    std::vector<Shape> wanted;
    for (const CustomCallBuffer& b : frame.results) wanted.push_back(shape_of(b));
    check_results(results, wanted);
    for (size_t i = 0; i < results.size(); ++i) {
      const Literal value = results[i].to_literal();
      std::copy(value.bytes().begin(), value.bytes().end(), static_cast<std::byte*>(frame.results[i].data));
    }
    return ok_status();
  } catch (const Error& error) {
    return error.status();
  }
}

void ensure_registered() {
  static const Status once = register_custom_call(kTarget, handle, CustomCallMeaning::kInThisProcess);
  or_throw(once);
}

/// Effects need a result: a program names instructions by their values.
std::vector<Shape> results_of(Kind kind, std::span<const Shape> results) {
  if (kind == Kind::kDebug) return {Shape::array(ElementType::kU8, {})};
  return {results.begin(), results.end()};
}

}  // namespace

int64_t add_callback(Callback callback) { return table().add(std::move(callback)); }

StagedFunction staged_callback(int64_t number, std::span<const Array> operands, std::span<const Shape> results) {
  ensure_registered();
  hlo::CustomCallOptions options;
  options.target = kTarget;
  options.backend_config = fmt::format("{{{} = {} : i64}}", kNumber, number);
  options.has_side_effect = true;
  std::vector<Shape> shapes;
  for (const Array& a : operands) shapes.push_back(a.aval_shape());
  const auto attributes = hlo::make_custom_call(options, shapes, results.size());
  const Shape declared = results.size() == 1 ? results[0] : Shape::tuple(results);
  const FlatFunction body = [&](std::span<const Array> x) {
    return bind({hlo::Opcode::kCustomCall, {x.begin(), x.end()}, attributes, declared});
  };
  return stage(body, avals_of(operands), "callback", "callback", CapturePlace::kLast, /*always_tuple=*/true);
}

std::vector<Array> bind_callback(int64_t number, std::span<const Array> operands, std::span<const Shape> results) {
  return bind_custom_rules(staged_callback(number, operands, results), operands, std::string(kCallback), number,
                           nullptr);
}

CallbackFacts callback_facts(int64_t number) {
  const std::shared_ptr<const Callback> callback = table().find(number);
  if (callback == nullptr) return {Kind::kIo, VmapMethod::kNone, true};
  return {callback->kind, callback->vmap_method, callback->ordered};
}

std::vector<Array> call(Callback callback, std::span<const Array> operands, std::span<const Shape> results,
                        const std::source_location& location) {
  const UserLocation here(location);
  if (runs_at_once(operands)) {
    std::vector<Array> out = callback.function(operands);
    if (callback.kind != Kind::kDebug) check_results(out, results);
    return out;
  }
  const Kind kind = callback.kind;
  std::vector<Array> out = bind_callback(add_callback(std::move(callback)), operands, results_of(kind, results));
  if (kind == Kind::kDebug) out.clear();
  return out;
}

// ---- print ------------------------------------------------------------------------------------------------------------

namespace {

/// A piece of a format: text as it stands, or an argument and how it is shown.
struct Piece {
  std::string text;
  std::optional<size_t> argument;
};

[[noreturn]] void refuse_format(const std::string& format, const std::string& why) {
  or_throw(invalid_argument(at_user_line("debug::print") + ": " + why + "; got \"" + format + "\""));
  __builtin_unreachable();
}

std::vector<Piece> pieces_of(const std::string& format) {
  std::vector<Piece> pieces = {{"", std::nullopt}};
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if ((c == '{' || c == '}') && i + 1 < format.size() && format[i + 1] == c) {
      pieces.back().text += c;
      ++i;
    } else if (c == '{') {
      const size_t end = format.find('}', i);
      if (end == std::string::npos) refuse_format(format, "a { has no }");
      const std::string inside = format.substr(i + 1, end - i - 1);
      const std::string index = inside.substr(0, inside.find(':'));
      if (index.find_first_not_of("0123456789") != std::string::npos || index.size() > 4)
        refuse_format(format, "arguments have numbers, not names");
      const size_t colon = inside.find(':');
      pieces.push_back({colon == std::string::npos ? "" : inside.substr(colon + 1),
                        index.empty() ? next++ : static_cast<size_t>(std::stoi(index))});
      pieces.push_back({"", std::nullopt});
      i = end;
    } else if (c == '}') {
      refuse_format(format, "a } has no {");
    } else {
      pieces.back().text += c;
    }
  }
  return pieces;
}

std::string shown(const Array& value, const std::string& spec) {
  if (spec.empty()) return value.to_string();
  if (value.size() != 1)
    or_throw(invalid_argument("debug::print: {:" + spec + "} shows scalars; got " + value.aval_shape().to_string()));
  const std::string format = "{:" + spec + "}";
  try {
    if (is_floating(value.dtype())) return fmt::format(fmt::runtime(format), value.item<double>());
    if (is_integer(value.dtype())) return fmt::format(fmt::runtime(format), value.item<int64_t>());
    return fmt::format(fmt::runtime(format), value.to_string());
  } catch (const fmt::format_error& error) {
    or_throw(invalid_argument("debug::print: {:" + spec + "} doesn't fit " + value.aval_shape().to_string() + ": " +
                              error.what()));
  }
  __builtin_unreachable();
}

}  // namespace

void check_format(const std::string& format, size_t count, const std::source_location& location) {
  const UserLocation here(location);
  for (const Piece& piece : pieces_of(format)) {
    if (piece.argument && *piece.argument >= count)
      refuse_format(format, "argument " + std::to_string(*piece.argument) + " is missing, " + std::to_string(count) +
                                " were given");
  }
}

std::string formatted(const std::string& format, std::span<const Array> arguments) {
  std::string text;
  for (const Piece& piece : pieces_of(format))
    text += piece.argument ? shown(arguments[*piece.argument], piece.text) : piece.text;
  return text;
}

}  // namespace hilo::callback_detail

namespace hilo::debug {

Format with_places(const Format& format, const NamedArrays& arguments) {
  std::string out;
  for (size_t i = 0; i < format.text.size(); ++i) {
    out += format.text[i];
    const char next = i + 1 < format.text.size() ? format.text[i + 1] : '\0';
    if (format.text[i] == '{' && next == '{') out += format.text[++i];
    else if (format.text[i] == '{' && (std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '_')) {
      const size_t end = std::min(format.text.find_first_of("}:", i), format.text.size());
      const std::string name = format.text.substr(i + 1, end - i - 1);
      const auto at = std::ranges::find(arguments, name, &NamedArrays::value_type::first);
      if (at == arguments.end()) {
        const UserLocation here(format.location);
        or_throw(invalid_argument(at_user_line("format") + ": no argument has the name '" + name + "'"));
      }
      out += std::to_string(at - arguments.begin());
      i = end - 1;
    }
  }
  return {std::move(out), format.location};
}

std::vector<Array> without_names(const NamedArrays& arguments) {
  std::vector<Array> arrays;
  for (const auto& [name, array] : arguments) arrays.push_back(array);
  return arrays;
}

void print_list(const Format& format, std::span<const Array> arguments) {
  callback_detail::check_format(format.text, arguments.size(), format.location);
  const auto run = [text = format.text](std::span<const Array> values) {
    const std::string line = callback_detail::formatted(text, values) + '\n';
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
    return std::vector<Array>();
  };
  callback_detail::call({callback_detail::Kind::kDebug, run, VmapMethod::kSequential, false}, arguments, {},
                        format.location);
}

void print(const Format& format, const NamedArrays& arguments) {
  print_list(with_places(format, arguments), without_names(arguments));
}

}  // namespace hilo::debug
