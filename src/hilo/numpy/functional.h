// SPDX-License-Identifier: Apache-2.0
// numpy/functional.h -- functions that take functions: vectorize, apply_along_axis, piecewise.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

using ArrayFunction = std::function<Array(const std::vector<Array>&)>;  ///< of a list of arrays

namespace detail {
Array apply_along_axis(const std::function<Array(const Array&)>& func1d, int64_t axis, const Operand& arr);
Array apply_over_axes(const std::function<Array(const Array&, int64_t)>& func, const Operand& a, const Axes& axes);
std::vector<Array> vectorized(const std::function<std::vector<Array>(const std::vector<Array>&)>& f,
                              const std::string& signature, const std::set<int64_t>& excluded,
                              const std::vector<Array>& arguments, const Line& line);
Array piecewise(const Operand& x, const std::vector<Array>& condlist,
                const std::vector<std::function<Array(const Array&)>>& funclist);
template <typename F>
std::function<Array(const Array&)> piece(const F& f) {
  if constexpr (std::invocable<F, Array>) return [f](const Array& x) { return Array(f(x)); };
  else return [value = Array(f)](const Array&) { return value; };
}
}  // namespace detail

/// func1d of every line along an axis: its result's axes stand there.
template <std::invocable<Array> F>
Array apply_along_axis(const F& func1d, int64_t axis, const Operand& arr) {
  return detail::apply_along_axis([&](const Array& line) { return Array(func1d(line)); }, axis, arr);
}
/// func(x, axis) one axis after the other; the axis stays, with extent 1, if func drops it.
template <std::invocable<Array, int64_t> F>
Array apply_over_axes(const F& func, const Operand& a, const Axes& axes) {
  return detail::apply_over_axes([&](const Array& x, int64_t axis) { return Array(func(x, axis)); }, a, axes);
}

struct VectorizeOptions {
  std::set<int64_t> excluded = {};  ///< arguments that are passed on whole
  std::string signature = {};       ///< the axes that `f` sees: "(n),(n)->()"; none if it sees scalars
};
/// A function of scalars (or of what the signature says) as one of arrays that broadcast. `f` takes Arrays and gives an Array.
template <typename F>
auto vectorize(F pyfunc, VectorizeOptions options = {}, Line line = Line::current()) {
  return [f = std::move(pyfunc), options = std::move(options), line]<typename... Arrays>(const Arrays&... arguments) {
    const auto flat = [&f](const std::vector<Array>& a) {
      return [&]<size_t... I>(std::index_sequence<I...>) {
        return std::vector<Array>{Array(f(a[I]...))};
      }(std::index_sequence_for<Arrays...>());
    };
    return detail::vectorized(flat, options.signature, options.excluded, std::vector<Array>{Array(arguments)...},
                              line)[0];
  };
}

/// The function (or the value) of the last condition that is true; one more function than conditions is for where none is.
/// Example    piecewise(x, {x < 0, x >= 0}, [](Array x) { return -x; }, 1)
template <typename... Functions>
Array piecewise(const Operand& x, const std::vector<Array>& condlist, const Functions&... funclist) {
  return detail::piecewise(x, condlist, {detail::piece(funclist)...});
}
/// A function or a value in a list of such.
class Piece {
 public:
  template <typename F>
    requires(std::invocable<F, Array> || std::convertible_to<F, Array>)
  Piece(const F& f) : function_(detail::piece(f)) {}  // both convert
  const std::function<Array(const Array&)>& function() const { return function_; }

 private:
  std::function<Array(const Array&)> function_;
};
/// The same with a list: piecewise(x, {x < 0}, {f, 1}).
Array piecewise(const Operand& x, const std::vector<Array>& condlist, std::initializer_list<Piece> funclist);

}  // namespace hilo::numpy
