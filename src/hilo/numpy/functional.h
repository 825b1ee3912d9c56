// SPDX-License-Identifier: Apache-2.0
// numpy/functional.h -- functions that apply functions: vectorize, apply_along_axis, piecewise.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

using ArrayFunction = std::function<Array(const std::vector<Array>&)>;  ///< function of a list of arrays

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

/// Applies `func1d` to every line along an axis. The axes of its result replace that axis.
/// Example    apply_along_axis([](const Array& line) { return max(line); }, 1, array({{1, 5}, {3, 2}}))  // [5 3]
template <std::invocable<Array> F>
Array apply_along_axis(const F& func1d, int64_t axis, const Operand& arr) {
  return detail::apply_along_axis([&](const Array& line) { return Array(func1d(line)); }, axis, arr);
}
/// Applies `func(x, axis)` for each axis in turn. If func drops the axis, it is restored with extent 1.
template <std::invocable<Array, int64_t> F>
Array apply_over_axes(const F& func, const Operand& a, const Axes& axes) {
  return detail::apply_over_axes([&](const Array& x, int64_t axis) { return Array(func(x, axis)); }, a, axes);
}

struct VectorizeOptions {
  std::set<int64_t> excluded = {};  ///< arguments that are passed without mapping
  std::string signature = {};       ///< core axes of each argument of `f`: "(n),(n)->()"; empty if `f` takes scalars
};
/// Returns a function of arrays that broadcast, from a function of scalars (or of the core axes in the signature). `f`
/// takes and returns Arrays.
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

/// Evaluates, for each element, the function (or value) of the last condition that is true. An additional last function
/// is the default.
/// Example    const Array x = array({-2, 0, 3});
///            piecewise(x, {x < 0, x >= 0}, [](const Array& v) { return -v; }, 1)  // [2 1 1]
template <typename... Functions>
Array piecewise(const Operand& x, const std::vector<Array>& condlist, const Functions&... funclist) {
  return detail::piecewise(x, condlist, {detail::piece(funclist)...});
}
/// An element of a list of functions and values.
class Piece {
 public:
  template <typename F>
    requires(std::invocable<F, Array> || std::convertible_to<F, Array>)
  Piece(const F& f) : function_(detail::piece(f)) {}  // implicit: both convert
  const std::function<Array(const Array&)>& function() const { return function_; }

 private:
  std::function<Array(const Array&)> function_;
};
/// Same as above, with the functions as a list: piecewise(x, {x < 0}, {f, 1}).
Array piecewise(const Operand& x, const std::vector<Array>& condlist, std::initializer_list<Piece> funclist);

}  // namespace hilo::numpy
