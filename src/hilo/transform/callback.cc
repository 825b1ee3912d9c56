// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/callback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <mutex>
#include <unordered_map>

#include "hilo/base/random_key.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/callback_rules.h"
#include "hilo/transform/custom_rules.h"

namespace hilo::callback_detail {
namespace {

constexpr std::string_view kTarget = "hilo.callback";
constexpr std::string_view kKey = "key";

/// A callback and the shapes of one kind of its calls.
struct Call {
  CallbackPtr callback;
  std::vector<Shape> operands, results;
};

/// The registered calls by key. Programs refer to them by key, also as text, and have no bounded lifetime, so the table
/// is never cleared. A foreign program can't guess a key.
class Table {
 public:
  void add(const std::string& key, Call call) {
    std::lock_guard lock(mutex_);
    calls_.emplace(key, std::make_shared<const Call>(std::move(call)));
  }
  std::shared_ptr<const Call> find(const std::string& key) {
    std::lock_guard lock(mutex_);
    const auto found = calls_.find(key);
    return found == calls_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Call>> calls_;
};

Table& table() {
  static auto* const all = new Table;
  return *all;
}

}  // namespace

class Registered : public std::enable_shared_from_this<Registered> {
 public:
  explicit Registered(Callback callback) : callback_(std::move(callback)), number_(next_custom_rules_id()) {}

  const Callback& callback() const { return callback_; }
  int64_t number() const { return number_; }
  /// Returns the key of calls with these shapes. Equal shapes get equal keys, so that retracing yields an identical
  /// program.
  std::string key_of(std::vector<Shape> operands, std::vector<Shape> results) const {
    std::lock_guard lock(mutex_);
    std::string& key = keys_[text_of(operands) + " ->" + text_of(results)];
    if (key.empty()) table().add(key = random_key(), {shared_from_this(), std::move(operands), std::move(results)});
    return key;
  }
  static std::string text_of(std::span<const Shape> shapes) {
    std::string text;
    for (const Shape& shape : shapes) text += " " + shape.to_string();
    return text;
  }

 private:
  const Callback callback_;
  const int64_t number_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> keys_;  ///< by shapes
};

namespace {

void check_results(std::span<const Array> got, std::span<const Shape> expected) {
  std::vector<Shape> shapes;
  for (const Array& a : got) shapes.push_back(a.aval_shape());
  if (std::ranges::equal(shapes, expected)) return;
  or_throw(invalid_argument("callback: the function's result doesn't have the shapes and types that were said: got" +
                            Registered::text_of(shapes) + ", wanted" + Registered::text_of(expected)));
}

std::vector<Shape> shapes_of(std::span<const CustomCallBuffer> buffers) {
  std::vector<Shape> shapes;
  for (const CustomCallBuffer& b : buffers) shapes.push_back(Shape::array(b.type, b.dimensions));
  return shapes;
}

/// Checks the arrays, because a program edited after tracing may pass others than the function takes.
Status check_arrays(std::string_view what, std::span<const Shape> got, std::span<const Shape> expected) {
  if (std::ranges::equal(got, expected)) return ok_status();
  return invalid_argument(
      fmt::format("callback: the program's {} aren't those that it was traced with: got{}, wanted{}", what,
                  Registered::text_of(got), Registered::text_of(expected)));
}

/// Returns the call that the frame names by its key.
StatusOr<std::shared_ptr<const Call>> call_of(const CustomCallFrame& frame, std::span<const Shape> operands,
                                              std::span<const Shape> results) {
  const CustomCallAttribute* const key = frame.find(kKey);
  if (key == nullptr || key->kind != CustomCallAttribute::Kind::kString)
    return invalid_argument(fmt::format("callback: attribute '{}' is no string", kKey));
  std::shared_ptr<const Call> call = table().find(key->text);
  if (call == nullptr)
    return failed_precondition(
        "callback: the program was not traced by this process, so it can't call back. Hint: trace it "
        "here");
  HILO_RETURN_IF_ERROR(check_arrays("operands", operands, call->operands));
  HILO_RETURN_IF_ERROR(check_arrays("results", results, call->results));
  return call;
}

/// Runs in the engine, on any of its threads.
Status handle(const CustomCallFrame& frame) {
  const std::vector<Shape> operand_shapes = shapes_of(frame.operands), result_shapes = shapes_of(frame.results);
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const Call> call, call_of(frame, operand_shapes, result_shapes));
  const Callback& callback = call->callback->callback();
  const TraceScope bottom(eval_trace());
  try {
    std::vector<Array> operands;
    for (size_t i = 0; i < operand_shapes.size(); ++i) {
      const Shape& shape = operand_shapes[i];
      const auto* const data = static_cast<const std::byte*>(frame.operands[i].data);
      operands.push_back(Array::from_literal(Literal::from_bytes(shape, std::span(data, shape.byte_size()))));
    }
    const std::vector<Array> results = callback.function(operands);
    if (callback.kind == Kind::kDebug) {  // its one result is unused
      *static_cast<std::byte*>(frame.results[0].data) = {};
      return ok_status();
    }
    check_results(results, result_shapes);
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

/// Returns the results of the instruction. An effect needs a result too, because programs name instructions by their
/// values.
std::vector<Shape> results_of(Kind kind, std::span<const Shape> results) {
  if (kind == Kind::kDebug) return {Shape::array(ElementType::kU8, {})};
  return {results.begin(), results.end()};
}

}  // namespace

CallbackPtr add_callback(Callback callback) { return std::make_shared<const Registered>(std::move(callback)); }

int64_t number_of(const Registered& callback) { return callback.number(); }

StagedFunction staged_callback(const CallbackPtr& callback, std::span<const Array> operands,
                               std::span<const Shape> results) {
  ensure_registered();
  std::vector<Shape> shapes;
  for (const Array& a : operands) shapes.push_back(a.aval_shape());
  hlo::CustomCallOptions options;
  options.target = kTarget;
  options.backend_config =
      fmt::format("{{{} = \"{}\"}}", kKey, callback->key_of(shapes, {results.begin(), results.end()}));
  options.has_side_effect = true;
  const auto attributes = hlo::make_custom_call(options, shapes, results.size());
  const Shape declared = results.size() == 1 ? results[0] : Shape::tuple(results);
  const FlatFunction body = [&](std::span<const Array> x) {
    return bind({hlo::Opcode::kCustomCall, {x.begin(), x.end()}, attributes, declared});
  };
  return stage(body, avals_of(operands), "callback", "callback", CapturePlace::kLast, /*always_tuple=*/true);
}

std::vector<Array> bind_callback(const CallbackPtr& callback, std::span<const Array> operands,
                                 std::span<const Shape> results) {
  return bind_custom_rules(staged_callback(callback, operands, results), operands, std::string(kCallback),
                           callback->number(), callback);
}

CallbackPtr callback_of(const Operation& operation) {
  return std::static_pointer_cast<const Registered>(attributes_of<hlo::CustomRulesAttributes>(operation).user);
}

CallbackFacts callback_facts(const Operation& operation) {
  const CallbackPtr registered = callback_of(operation);
  if (registered == nullptr) return {Kind::kIo, VmapMethod::kNone, true};
  const Callback& callback = registered->callback();
  return {callback.kind, callback.vmap_method, callback.ordered};
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

// ---- print ----------------------------------------------------------------------------------------------------------

namespace {

/// A piece of a format: literal text, or an argument and its format.
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
