// SPDX-License-Identifier: Apache-2.0
// transform/callback.h -- host functions in programs: debug::print, debug::callback, pure_callback, io_callback.
#pragma once

#include <source_location>

#include "hilo/transform/flat_call.h"
#include "hilo/transform/vmap.h"

namespace hilo {

/// How vmap batches a pure_callback, as in JAX.
enum class VmapMethod : uint8_t {
  kNone,          ///< rejected
  kSequential,    ///< one call for each example
  kExpandDims,    ///< one call; unbatched arguments get a leading axis of size 1
  kBroadcastAll,  ///< one call; all arguments are broadcast to a leading batch axis
};

struct PureCallbackOptions {
  VmapMethod vmap_method = VmapMethod::kNone;
};
struct IoCallbackOptions {
  bool ordered = false;  ///< calls happen in program order (in hilo always); vmap is rejected
};
/// Options that debug::callback and debug::print accept as first argument.
struct DebugOptions {
  bool ordered = false;
};

namespace callback_detail {

/// Maps arrays with values to arrays with values.
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
/// Throws if the format doesn't fit this number of arguments.
void check_format(const std::string& format, size_t count, const std::source_location& location);
/// Returns the text with its arguments inserted.
std::string formatted(const std::string& format, std::span<const Array> arguments);
/// Whether the arguments of a call begin with its options.
template <typename Options, typename... Args>
inline constexpr bool begins_with = false;
template <typename Options, typename... Rest>
inline constexpr bool begins_with<Options, Options, Rest...> = true;

/// Returns the arguments of a callback as a tuple, with numbers converted to Arrays.
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
    callback.function = [f = std::decay_t<F>(f), arguments, like](std::span<const Array> leaves) {
      using Got = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments<F, Args...>>::Result>;
      static_assert(flat_call::gives<Got, Result>,
                    "the callback returns another C++ type than its result_shape_dtypes");
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

/// Calls a pure function f(args...) on the host, also from compiled programs: jax.pure_callback. `result_shape_dtypes`
/// specifies the result: a tree of Arrays of which only shapes and types count, or a ShapeDtypeStruct.
/// Types      arguments: trees; `f` receives Arrays that have values
/// Errors     INVALID_ARGUMENT if the result differs from the specified one in tree, shape or type; INTERNAL for
///            exceptions of `f`; UNIMPLEMENTED under jvp and grad, and under vmap unless options.vmap_method is set
/// Gradient   none: define one with custom_jvp or custom_vjp
/// Example    const auto flip = [](Array x) { return numpy::flip(x); };
///            const auto f = jit([flip](Array x) { return pure_callback(flip, ShapeDtypeStruct({3}, int32), x) + 1; });
///            f(numpy::arange(3))  // [3 2 1]
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

/// Calls f(args...) on the host for its side effect, once per execution: jax.experimental.io_callback.
/// Errors     as pure_callback; UNIMPLEMENTED under vmap if ordered. Otherwise vmap calls it for each example.
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

/// Calls f(args...) on the host and ignores its result: jax.debug.callback.
/// Errors     UNIMPLEMENTED under vmap if ordered; INTERNAL for exceptions of `f`
/// Gradient   `f` is called with the values, once; it doesn't see tangents
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

/// Implements print for a list of arguments.
void print_list(const Format& format, std::span<const Array> arguments);
/// Prints a line on stdout at each execution, also under jit, vmap, grad and in loops: jax.debug.print. `format` is as
/// for std::format: {} and {1} show any array; {:.3f} and similar fields show a scalar.
/// Errors     INVALID_ARGUMENT if the format doesn't fit the number of arguments
/// Gradient   prints the values, once; under vmap one line for each example
/// Example    debug::print("x = {}, loss {:.3f}", x, loss)
template <std::convertible_to<Array>... Args>
void print(const Format& format, const Args&... args) {
  print_list(format, std::vector<Array>{Array(args)...});
}

/// Arrays with the names by which a format refers to them.
using NamedArrays = std::vector<std::pair<std::string, Array>>;
/// Prints a line with arguments by name.
/// Errors     INVALID_ARGUMENT for an unknown name
/// Example    debug::print("x = {x}, loss {loss:.3f}", {{"x", x}, {"loss", loss}})
void print(const Format& format, const NamedArrays& arguments);
/// Returns the format with positions in place of names: "{loss:.3f}" becomes "{1:.3f}".
/// Errors     INVALID_ARGUMENT for an unknown name
Format with_places(const Format& format, const NamedArrays& arguments);
std::vector<Array> without_names(const NamedArrays& arguments);

}  // namespace debug

}  // namespace hilo
