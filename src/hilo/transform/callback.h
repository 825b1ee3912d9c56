// SPDX-License-Identifier: Apache-2.0
// transform/callback.h -- functions of the host inside programs: debug::print, debug::callback, pure_callback, io_callback.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"
#include "hilo/transform/vmap.h"

namespace hilo {

/// What vmap makes of a pure_callback, as in JAX.
enum class VmapMethod : uint8_t {
  kNone,          ///< it is refused
  kSequential,    ///< one call an example
  kExpandDims,    ///< one call; arguments that aren't batched get a leading axis of size 1
  kBroadcastAll,  ///< one call; all arguments have the batch axis in front
};

struct PureCallbackOptions {
  VmapMethod vmap_method = VmapMethod::kNone;
};
struct IoCallbackOptions {
  bool ordered = false;  ///< calls happen in the program's order (here they always do); vmap is refused
};
/// What debug::callback and debug::print take first.
struct DebugOptions {
  bool ordered = false;
};

namespace callback_detail {

/// Gets arrays with values, returns such.
using HostFunction = std::function<std::vector<Array>(std::span<const Array>)>;
enum class Kind : uint8_t { kDebug, kPure, kIo };

struct Callback {
  Kind kind;
  HostFunction function;
  VmapMethod vmap_method = VmapMethod::kNone;
  bool ordered = false;
};

std::vector<Array> call(Callback callback, std::span<const Array> operands, std::span<const Shape> results,
                        const std::source_location& location);
/// Refuses a text that doesn't fit so many arguments.
void check_format(const std::string& format, size_t count, const std::source_location& location);
/// The text with its arguments.
std::string formatted(const std::string& format, std::span<const Array> arguments);
/// Do the arguments of a call begin with its options?
template <typename Options, typename... Args>
inline constexpr bool begins_with = false;
template <typename Options, typename... Rest>
inline constexpr bool begins_with<Options, Options, Rest...> = true;

/// The arguments of a callback in a tuple: numbers as the Arrays that they become.
template <typename F, typename... Args>
using Arguments = flat_call::Arguments<F, Args...>;

template <typename F, typename Result, typename... Args>
Result with_result(Callback callback, const F& f, const Result& like, const std::source_location& location,
                   const Args&... args) {
  constexpr bool in_order = Tree<Result>;
  static_assert(
      in_order,
      "the function comes first, then result_shape_dtypes: pure_callback(f, ShapeDtypeStruct({2}, float32), x)");
  if constexpr (in_order) {
    const Arguments<F, Args...> arguments(args...);
    callback.function = [f, arguments, like](std::span<const Array> leaves) {
      using Got = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments<F, Args...>>::Result>;
      static_assert(
          flat_call::gives<Got, Result>,
          "the callback returns another C++ type than the result_shape_dtypes that stand before its arguments");
      const auto out = flat_call::as<Result>(flat_call::call(f, hilo::unflatten(arguments, leaves)));
      FlatTree flat = hilo::flatten(out);
      if (flat.structure != hilo::flatten(like).structure)
        hilo::or_throw(
            hilo::invalid_argument("callback: the function's result has another tree than result_shape_dtypes: " +
                                   hilo::tree_difference("the result", out, "result_shape_dtypes", like)));
      return std::move(flat.leaves);
    };
    std::vector<Shape> shapes;
    for (const Array& a : hilo::flatten(like).leaves) shapes.push_back(a.aval_shape());
    return hilo::unflatten(
        like, callback_detail::call(std::move(callback), hilo::flatten(arguments).leaves, shapes, location));
  } else {
    return like;
  }
}

}  // namespace callback_detail

/// f(args...) on the host, where `f` is a function of its arguments alone. `result_shape_dtypes` is a tree of Arrays of
/// which only shapes and types count, or a ShapeDtypeStruct. jax.pure_callback.
/// Types      arguments: trees; `f` gets Arrays that have values
/// Errors     INVALID_ARGUMENT if the result has another tree, shape or type than was said; what `f` throws as INTERNAL;
///            UNIMPLEMENTED under jvp and grad, and under vmap unless options.vmap_method says how
/// Gradient   none: wrap it in custom_jvp or custom_vjp
/// Example    pure_callback([](Array x) { return x; }, ShapeDtypeStruct({3}, ElementType::kF32), x)
template <typename F, typename Result, typename... Args>
auto pure_callback(const F& f, const Result& result_shape_dtypes, const PureCallbackOptions& options,
                   const Args&... args) {
  return callback_detail::with_result({callback_detail::Kind::kPure, {}, options.vmap_method, false}, f,
                                      vmap_detail::abstract(result_shape_dtypes), std::source_location(), args...);
}

template <typename F, typename Result, typename... Args>
  requires(!callback_detail::begins_with<PureCallbackOptions, Args...>)
auto pure_callback(const F& f, const Result& result_shape_dtypes, const Args&... args) {
  return hilo::pure_callback(f, result_shape_dtypes, PureCallbackOptions{}, args...);
}

/// f(args...) on the host, for its effect too: it is called once each time the program comes by. io_callback of
/// jax.experimental.
/// Errors     as pure_callback; UNIMPLEMENTED under vmap if it is ordered; else vmap calls it for each example
template <typename F, typename Result, typename... Args>
auto io_callback(const F& f, const Result& result_shape_dtypes, const IoCallbackOptions& options, const Args&... args) {
  return callback_detail::with_result({callback_detail::Kind::kIo, {}, VmapMethod::kSequential, options.ordered}, f,
                                      vmap_detail::abstract(result_shape_dtypes), std::source_location(), args...);
}

template <typename F, typename Result, typename... Args>
  requires(!callback_detail::begins_with<IoCallbackOptions, Args...>)
auto io_callback(const F& f, const Result& result_shape_dtypes, const Args&... args) {
  return hilo::io_callback(f, result_shape_dtypes, IoCallbackOptions{}, args...);
}

namespace debug {

/// f(args...) on the host, whose result nobody wants. jax.debug.callback.
/// Errors     UNIMPLEMENTED under vmap if it is ordered; what `f` throws as INTERNAL
/// Gradient   calls it with the values, once; tangents are not seen
template <typename F, typename... Args>
void callback(const F& f, const DebugOptions& options, const Args&... args) {
  const callback_detail::Arguments<F, Args...> arguments(args...);
  const auto run = [f, arguments](std::span<const Array> leaves) {
    std::apply(f, hilo::unflatten(arguments, leaves));
    return std::vector<Array>();
  };
  callback_detail::call({callback_detail::Kind::kDebug, run, VmapMethod::kSequential, options.ordered},
                        hilo::flatten(arguments).leaves, {}, {});
}
template <typename F, typename... Args>
  requires(!callback_detail::begins_with<DebugOptions, Args...>)
void callback(const F& f, const Args&... args) {
  debug::callback(f, DebugOptions{}, args...);
}

/// A format string and the line of the call.
struct Format {
  Format(const char* text, std::source_location location = std::source_location::current())
      : text(text), location(location) {}
  Format(std::string text, std::source_location location = std::source_location::current())
      : text(std::move(text)), location(location) {}
  std::string text;
  std::source_location location;
};

/// print() of arguments in a list.
void print_list(const Format& format, std::span<const Array> arguments);
/// Prints a line on stdout whenever the program comes by, with values also under jit, vmap, grad and in loops.
/// `format` is as for std::format: {} and {1} show any array, {:.3f} and the like a scalar. jax.debug.print.
/// Errors     INVALID_ARGUMENT if the format doesn't fit the number of arguments
/// Gradient   prints the values, once; under vmap a line for each example
/// Example    debug::print("x = {}, loss {:.3f}", x, loss)
template <std::convertible_to<Array>... Args>
void print(const Format& format, const Args&... args) {
  print_list(format, std::vector<Array>{Array(args)...});
}

/// Arrays by the names that a format has for them.
using NamedArrays = std::vector<std::pair<std::string, Array>>;
/// The same of arguments by name.
/// Errors     INVALID_ARGUMENT for a name that isn't given
/// Example    debug::print("x = {x}, loss {loss:.3f}", {{"x", x}, {"loss", loss}})
void print(const Format& format, const NamedArrays& arguments);
/// The format with places for names, so that "{loss:.3f}" is "{1:.3f}".
/// Errors     INVALID_ARGUMENT for a name that isn't given
Format with_places(const Format& format, const NamedArrays& arguments);
std::vector<Array> without_names(const NamedArrays& arguments);

}  // namespace debug

}  // namespace hilo
