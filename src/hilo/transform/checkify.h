// SPDX-License-Identifier: Apache-2.0
// transform/checkify.h -- jax.experimental.checkify: errors at run time as values.
#pragma once

#include <source_location>

#include "hilo/transform/callback.h"

namespace hilo::checkify {

/// A set of kinds of errors; `|` joins two sets.
struct ErrorSet {
  uint8_t bits;
  constexpr bool has(ErrorSet kind) const { return (bits & kind.bits) != 0; }
  constexpr ErrorSet operator|(ErrorSet other) const { return {static_cast<uint8_t>(bits | other.bits)}; }
  bool operator==(const ErrorSet&) const = default;
};
inline constexpr ErrorSet user_checks{1};  ///< calls of check and debug_check
inline constexpr ErrorSet nan_checks{2};   ///< operations that produce a NaN
inline constexpr ErrorSet div_checks{4};   ///< divisions by zero
inline constexpr ErrorSet index_checks{
    8};  ///< indices out of bounds; indices that are clamped for a write count as in bounds
inline constexpr ErrorSet float_checks = nan_checks | div_checks;
inline constexpr ErrorSet automatic_checks = float_checks | index_checks;
inline constexpr ErrorSet all_checks = automatic_checks | user_checks;

/// The first error that has happened, or none. A tree, so that functions under jit, vmap, scan and other
/// transformations can return it. Under vmap each example has its own.
class Error {
 public:
  Error() = default;  ///< no error
  /// Returns the message of the error with the user's line, or nullopt. For a batch: one line per example, "at mapped
  /// index 2: ...".
  /// Errors     throws ConcretizationError under a transformation
  std::optional<std::string> get() const;
  /// Throws hilo::Error with FAILED_PRECONDITION if an error has happened. In JAX: throw.
  void throw_() const;

  /// Returns whether an error has happened: pred[], or one value per example.
  const Array& failed() const { return failed_; }

  HILO_TREE(failed_, code_, payload_, messages_, lines_)

 private:
  friend class CheckState;
  friend void check_error(const Error& error, std::source_location location);
  std::string message(int64_t code, int64_t example, int64_t count) const;
  void check_again() const;  // adds one check per place

  Array failed_ = false, code_ = -1;  // code: index of the place below
  // For each place that can fail: the values in its message, the message, and the user's line.
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

/// Converts `f` to a function that returns a pair: the first error that happened, and the result of `f`, which is
/// meaningless after an error. Works under jit, vmap, grad (of functions with aux) and pmap, and checks code inside of
/// them.
/// Errors     those of `f`; errors found at run time are returned, not thrown
/// Cost       one reduction for each checked place
/// Gradient   custom rules in `f` remain in force; checks inside of rules are ignored
/// Example    const auto f = checkify::checkify([](Array x) { return numpy::log(x); }, checkify::nan_checks);
///            const auto [err, y] = f(-1.0f);
///            err.get().has_value()  // true
///            y  // nan
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

/// Checks that `predicate` is true. With known values it throws at once; in a program the enclosing function must be
/// under checkify. `format` shows `arguments` as debug::print does.
/// Types      predicate: a boolean scalar
/// Errors     FAILED_PRECONDITION if it is known to be false; INVALID_ARGUMENT for another predicate, an invalid
///            format, or under jit without checkify
/// Gradient   none: only values are checked
/// Example    checkify::check(x > 0.0f, "x must be positive, got {}", x);
template <std::convertible_to<Array>... Args>
void check(const Array& predicate, const hilo::debug::Format& format, const Args&... args) {
  const std::vector<Array> arguments = {Array(args)...};
  detail::check(predicate, format, arguments, false);
}

/// Checks `predicate` with arguments by name: check(x > 0.0f, "got {x}", {{"x", x}}).
inline void check(const Array& predicate, const hilo::debug::Format& format,
                  const hilo::debug::NamedArrays& arguments) {
  detail::check(predicate, hilo::debug::with_places(format, arguments), hilo::debug::without_names(arguments), false);
}

/// Checks `predicate` if the enclosing function is under checkify; otherwise does nothing.
template <std::convertible_to<Array>... Args>
void debug_check(const Array& predicate, const hilo::debug::Format& format, const Args&... args) {
  const std::vector<Array> arguments = {Array(args)...};
  detail::check(predicate, format, arguments, true);
}

/// Passes on an error: throws it if its values are known, else adds a check for it.
/// Errors     as check
void check_error(const Error& error, std::source_location location = std::source_location::current());

}  // namespace hilo::checkify
