// SPDX-License-Identifier: Apache-2.0
// transform/checkify.h -- jax.experimental.checkify: errors that a program meets while it runs, as values.
#pragma once

#include <source_location>

#include "hilo/transform/callback.h"

namespace hilo::checkify {

/// Kinds of errors; `|` joins them.
struct ErrorSet {
  uint8_t bits;
  constexpr bool has(ErrorSet kind) const { return (bits & kind.bits) != 0; }
  constexpr ErrorSet operator|(ErrorSet other) const { return {static_cast<uint8_t>(bits | other.bits)}; }
  bool operator==(const ErrorSet&) const = default;
};
inline constexpr ErrorSet user_checks{1};  ///< calls of check and debug_check
inline constexpr ErrorSet nan_checks{2};   ///< an op that gives a NaN
inline constexpr ErrorSet div_checks{4};   ///< a division by zero
inline constexpr ErrorSet index_checks{
    8};  ///< reads and writes outside of an array; indices clamped for a write are inside
inline constexpr ErrorSet float_checks = nan_checks | div_checks;
inline constexpr ErrorSet automatic_checks = float_checks | index_checks;
inline constexpr ErrorSet all_checks = automatic_checks | user_checks;

/// Whether an error has happened, and which: the first one. A tree, so that jit, vmap, scan and their kin may return it.
/// Under vmap each example has its own.
class Error {
 public:
  Error() = default;  ///< none has
  /// What has gone wrong and the line where, or nothing; of a batch a line for each example: "at mapped index 2: ...".
  /// Errors     throws ConcretizationError under a transformation
  std::optional<std::string> get() const;
  /// Throws hilo::Error, FAILED_PRECONDITION, if something has. In JAX: throw.
  void throw_() const;

  /// Is there an error? pred[], or one each example.
  const Array& failed() const { return failed_; }

  HILO_TREE(failed_, code_, payload_, messages_, lines_)

 private:
  friend class CheckState;
  friend void check_error(const Error& error, std::source_location location);
  std::string message(int64_t code, int64_t example, int64_t count) const;
  void check_again() const;  // a check for each place

  Array failed_ = false, code_ = -1;  // which of the places below
  // Of each place that can fail: the values that its message shows, the message, and the user's line.
  std::vector<std::vector<Array>> payload_;
  std::vector<std::string> messages_, lines_;
};

namespace detail {

struct Checked {
  Error error;
  std::vector<Array> results;
};
Checked run(const FlatFunction& f, std::span<const Array> arguments, ErrorSet errors,
            const std::source_location& location);
void check(const Array& predicate, const hilo::debug::Format& format, std::span<const Array> arguments,
           bool only_debug);

}  // namespace detail

/// `f` as a function that returns a pair: the first error that it met, and its result, whatever that is worth then.
/// Works under jit, vmap, grad (of functions with aux) and pmap, and looks into what `f` does under them.
/// Errors     none for what it finds; those of `f`
/// Cost       for each place that can fail a reduction over what it looks at
/// Gradient   custom rules inside of `f` stay; a check in a rule itself is not looked at
/// Example    auto [err, y] = checkify::checkify(f, checkify::all_checks)(x);  err.throw_();
template <typename F>
auto checkify(F f, ErrorSet errors = user_checks, std::source_location location = std::source_location::current()) {
  return [f = std::move(f), errors, location](const auto&... args) {
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
    using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
    const Arguments arguments(args...);
    std::optional<Result> result;
    detail::Checked checked =
        detail::run(flat_call::flat_function(f, arguments, result), hilo::flatten(arguments).leaves, errors, location);
    return std::pair<Error, Result>(std::move(checked.error), hilo::unflatten(*result, checked.results));
  };
}

/// Says that `predicate` must be true; `format` shows `arguments` as debug::print does. Where values are known it throws
/// at once; in a program the function around it must be under checkify.
/// Types      predicate: a boolean scalar
/// Errors     FAILED_PRECONDITION where it is false at once; INVALID_ARGUMENT for another predicate, a format that doesn't
///            fit, or a program under jit without checkify
/// Gradient   none: it looks at values alone
/// Example    checkify::check(x > 0.0f, "x must be positive, got {}", x);
template <std::convertible_to<Array>... Args>
void check(const Array& predicate, const hilo::debug::Format& format, const Args&... args) {
  const std::vector<Array> arguments = {Array(args)...};
  detail::check(predicate, format, arguments, false);
}

/// The same of arguments by name: check(x > 0.0f, "got {x}", {{"x", x}}).
inline void check(const Array& predicate, const hilo::debug::Format& format,
                  const hilo::debug::NamedArrays& arguments) {
  detail::check(predicate, hilo::debug::with_places(format, arguments), hilo::debug::without_names(arguments), false);
}

/// The same where it is under checkify, nothing elsewhere.
template <std::convertible_to<Array>... Args>
void debug_check(const Array& predicate, const hilo::debug::Format& format, const Args&... args) {
  const std::vector<Array> arguments = {Array(args)...};
  detail::check(predicate, format, arguments, true);
}

/// Hands an error on: throws it where its values are known, else says check() of it.
/// Errors     as check
void check_error(const Error& error, std::source_location location = std::source_location::current());

}  // namespace hilo::checkify
