// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/checkify.h"

#include <map>
#include <mutex>

#include "hilo/trace/ops.h"
#include "hilo/transform/callback_rules.h"
#include "hilo/transform/check_state.h"
#include "hilo/transform/custom_rules.h"

namespace hilo::checkify {
namespace {

/// Returns element `i` of the leading `batch_dims` dimensions, flattened.
Array element(const Array& x, int64_t batch_dims, int64_t i, int64_t count) {
  std::vector<int64_t> dims(x.shape().begin() + batch_dims, x.shape().end());
  dims.insert(dims.begin(), count);
  std::vector<hlo::SliceRange> ranges = {{i, i + 1, 1}};
  for (size_t d = 1; d < dims.size(); ++d) ranges.push_back({0, dims[d], 1});
  return ops::reshape(ops::slice(ops::reshape(x, dims), ranges), std::span(dims).subspan(1));
}

/// Returns the indices of example `i` in a batch of batches: "2, 0".
std::string position(std::span<const int64_t> shape, int64_t i) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    text = std::to_string(i % shape[d]) + (text.empty() ? "" : ", ") + text;
    i /= shape[d];
  }
  return text;
}

/// Throws if a predicate is false: what a check does if no checkify functionalises it.
std::vector<Array> run_check(const std::string& message, std::span<const Array> operands) {
  const Array& predicate = operands[0];
  const std::vector<bool> good = predicate.to_vector<bool>();
  for (size_t i = 0; i < good.size(); ++i) {
    if (good[i]) continue;
    std::vector<Array> shown;
    for (const Array& a : operands.subspan(1))
      shown.push_back(element(a, predicate.ndim(), static_cast<int64_t>(i), std::ssize(good)));
    or_throw(failed_precondition(callback_detail::formatted(message, shown)));
  }
  return {};
}

/// Returns the callback of all checks with this message, so that a retraced program uses the same.
callback_detail::CallbackPtr callback_of(const std::string& message) {
  static std::mutex mutex;
  static auto* const callbacks = new std::map<std::string, callback_detail::CallbackPtr>;
  std::lock_guard lock(mutex);
  callback_detail::CallbackPtr& place = (*callbacks)[message];
  if (place == nullptr) {
    place = callback_detail::add_callback(
        {callback_detail::Kind::kDebug,
         [message](std::span<const Array> operands) { return run_check(message, operands); }, VmapMethod::kNone,
         false});
  }
  return place;
}

}  // namespace

std::vector<Array> bind_check(std::string_view kind, const std::string& message, std::span<const Array> operands) {
  const std::vector<Shape> result = {Shape::scalar(ElementType::kU8)};
  if (kind == kCheck) {
    const callback_detail::CallbackPtr callback = callback_of(message);
    return bind_custom_rules(callback_detail::staged_callback(callback, operands, result), operands, std::string(kind),
                             callback_detail::number_of(*callback), nullptr, message);
  }
  const FlatFunction nothing = [](std::span<const Array>) {
    return std::vector<Array>{ops::scalar(0, ElementType::kU8)};
  };
  const StagedFunction staged =
      stage(nothing, avals_of(operands), "check", "check", CapturePlace::kLast, /*always_tuple=*/true);
  return bind_custom_rules(staged, operands, std::string(kind), 0, nullptr, message);
}

namespace detail {

void check(const Array& predicate, const hilo::debug::Format& format, std::span<const Array> arguments,
           bool only_debug) {
  const UserLocation here(format.location);
  callback_detail::check_format(format.text, arguments.size(), format.location);
  if (predicate.dtype() != ElementType::kPred || predicate.ndim() != 0) {
    or_throw(invalid_argument(at_user_line("check") + ": check takes a scalar pred as argument, got " +
                              predicate.aval_shape().to_string()));
  }
  const std::string message = format.text + " (`check` failed)";
  std::vector<Array> operands = {predicate};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  if (!runs_at_once(operands)) {
    bind_check(only_debug ? kDebugCheck : kCheck, message, operands);
  } else if (!only_debug && !predicate.item<bool>()) {
    or_throw(failed_precondition(at_user_line("check") + ": " + callback_detail::formatted(message, arguments)));
  }
}

Checked run(const FlatFunction& f, std::span<const Array> arguments, ErrorSet errors,
            const std::source_location& location) {
  const TransformationLocation here(location);
  CheckifyTrace trace(&current_trace(), errors);
  std::vector<Array> results = call_under(trace, f, arguments);
  return {trace.state().error(), std::move(results)};
}

}  // namespace detail

std::string Error::message(int64_t code, int64_t example, int64_t count) const {
  std::vector<Array> shown;
  for (const Array& a : payload_[code]) shown.push_back(element(a, failed_.ndim(), example, count));
  return callback_detail::formatted(messages_[code], shown) + (lines_[code].empty() ? "" : " (" + lines_[code] + ")");
}

std::optional<std::string> Error::get() const {
  const std::vector<bool> failed = failed_.to_vector<bool>();
  const std::vector<int32_t> codes = code_.to_vector<int32_t>();
  const int64_t count = failed.size();
  std::string all;
  for (int64_t i = 0; i < count; ++i) {
    if (!failed[i]) continue;
    const std::string one = message(codes[i], i, count);
    if (failed_.ndim() == 0) return one;
    all += (all.empty() ? "" : "\n") + ("at mapped index " + position(failed_.shape(), i) + ": " + one);
  }
  return all.empty() ? std::nullopt : std::optional(std::move(all));
}

void Error::throw_() const {
  if (const std::optional<std::string> text = get()) or_throw(failed_precondition("checkify: " + *text));
}

void check_error(const Error& error, std::source_location location) {
  const UserLocation here(location);
  const FlatTree flat = flatten(error);
  if (runs_at_once(flat.leaves)) {
    error.throw_();
    return;
  }
  error.check_again();
}

void Error::check_again() const {
  for (size_t place = 0; place < messages_.size(); ++place) {
    const Array here = ops::eq(code_, ops::full_like(code_, static_cast<double>(place)));
    std::vector<Array> operands = {ops::bitwise_not(ops::bitwise_and(failed_, here))};
    operands.insert(operands.end(), payload_[place].begin(), payload_[place].end());
    bind_check(kCheck, messages_[place], operands);
  }
}

}  // namespace hilo::checkify
