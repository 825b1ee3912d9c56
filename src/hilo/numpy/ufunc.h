// SPDX-License-Identifier: Apache-2.0
// numpy/ufunc.h -- elementwise functions with methods: add(x, y), add.reduce(x), add.outer(x, y).
#pragma once

#include <functional>

#include "hilo/numpy/dtypes.h"
#include "hilo/numpy/functional.h"

namespace hilo::numpy {

struct UfuncReduceOptions {
  Named named = Named();
  Axes axis = 0;  ///< nullopt for all axes
  Dtype dtype = std::nullopt;
  bool keepdims = false;
  std::optional<Array> initial = std::nullopt;  ///< initial value of the reduction
  std::optional<Array> where = std::nullopt;    ///< elements that are included
};
struct UfuncAccumulateOptions {
  int64_t axis = 0;
  Dtype dtype = std::nullopt;
};
struct UfuncAtOptions {
  bool inplace = false;  ///< true is rejected: arrays are immutable
};

namespace detail {
/// A function of two arrays and its name; "" for a user's function.
struct BinaryCall {
  const char* name;
  std::function<Array(const Array& x, const Array& y)> call;
};
Array ufunc_reduce(const BinaryCall& f, const Operand& a, const UfuncReduceOptions& options);
Array ufunc_accumulate(const BinaryCall& f, const Operand& a, const UfuncAccumulateOptions& options);
Array ufunc_outer(const BinaryCall& f, const Operand& A, const Operand& B);
Array ufunc_at(const BinaryCall& f, const Operand& a, const Operand& indices, const Operand& b,
               const UfuncAtOptions& options);
Array ufunc_reduceat(const BinaryCall& f, const Operand& a, const Operand& indices,
                     const UfuncAccumulateOptions& options);
[[noreturn]] void refuse_arguments(int nin, int nout, int expected, const Line& line);
}  // namespace detail

/// An elementwise function of two arrays, with NumPy's methods.
struct BinaryUfunc {
  const char* name;
  Array (*call)(const Operand& x, const Operand& y);

  Array operator()(const Operand& x, const Operand& y) const { return call(x, y); }

  /// Reduces along an axis (default the first) or several.
  /// Errors    INVALID_ARGUMENT for an axis of extent 0, if the function has no identity and there is no `initial`
  /// Cost      sums, products, extremes, `all`, `any` and bits are one reduction; other functions are a scan
  Array reduce(const Operand& a, const UfuncReduceOptions& options = {}) const;
  template <int = 0>
  Array reduce(const Operand& a, const Axes& axis, Dtype dtype = std::nullopt) const {
    return reduce(a, UfuncReduceOptions{.axis = axis, .dtype = dtype});
  }
  /// Returns all partial reductions along an axis.
  Array accumulate(const Operand& a, const UfuncAccumulateOptions& options = {}) const;
  template <int = 0>
  Array accumulate(const Operand& a, int64_t axis, Dtype dtype = std::nullopt) const {
    return accumulate(a, UfuncAccumulateOptions{.axis = axis, .dtype = dtype});
  }
  /// Applies the function to all pairs of elements of A and B.
  /// Shapes    A[...a], B[...b] -> [...a, ...b]
  Array outer(const Operand& A, const Operand& B) const;
  /// Returns a copy of `a` in which each a[i] of the indices is replaced by f(a[i], b), once for each occurrence of the
  /// index.
  Array at(const Operand& a, const Operand& indices, const Operand& b, const UfuncAtOptions& options = {}) const;
  /// Reduces from each index up to the next one; the last range ends at the end. If the next index is not greater,
  /// returns the element itself.
  Array reduceat(const Operand& a, const Operand& indices, const UfuncAccumulateOptions& options = {}) const;
  template <int = 0>
  Array reduceat(const Operand& a, const Operand& indices, int64_t axis, Dtype dtype = std::nullopt) const {
    return reduceat(a, indices, UfuncAccumulateOptions{.axis = axis, .dtype = dtype});
  }
};

/// An elementwise function of one array.
struct UnaryUfunc {
  const char* name;
  Array (*call)(const Operand& x);

  Array operator()(const Operand& x) const { return call(x); }
  /// Returns a copy of `a` in which each a[i] of the indices is replaced by f(a[i]).
  Array at(const Operand& a, const Operand& indices, const UfuncAtOptions& options = {}) const;
};

struct FrompyfuncOptions {
  std::optional<Array> identity = std::nullopt;  ///< initial value of reductions
};
/// The result of frompyfunc for a function of two numbers; has the methods of BinaryUfunc.
class UserUfunc {
 public:
  UserUfunc(std::function<Array(const Array&, const Array&)> call, std::optional<Array> identity)
      : call_{"", std::move(call)}, identity_(std::move(identity)) {}

  Array operator()(const Operand& x, const Operand& y) const { return call_.call(x, y); }
  Array reduce(const Operand& a, UfuncReduceOptions options = {}) const {
    if (!options.initial) options.initial = identity_;
    return detail::ufunc_reduce(call_, a, options);
  }
  Array accumulate(const Operand& a, const UfuncAccumulateOptions& options = {}) const {
    return detail::ufunc_accumulate(call_, a, options);
  }
  Array outer(const Operand& A, const Operand& B) const { return detail::ufunc_outer(call_, A, B); }
  Array at(const Operand& a, const Operand& indices, const Operand& b, const UfuncAtOptions& options = {}) const {
    return detail::ufunc_at(call_, a, indices, b, options);
  }
  Array reduceat(const Operand& a, const Operand& indices, const UfuncAccumulateOptions& options = {}) const {
    return detail::ufunc_reduceat(call_, a, indices, options);
  }

 private:
  detail::BinaryCall call_;
  std::optional<Array> identity_;
};
/// Returns a function of arrays that broadcast, from a function of scalars. With two arguments it also has the methods
/// reduce, accumulate, ...
/// Errors    INVALID_ARGUMENT unless nin is the number of arguments of `func` and nout is 1
template <typename F>
auto frompyfunc(const F& func, int nin, int nout, const FrompyfuncOptions& options = {}, Line line = Line::current()) {
  constexpr bool binary = std::invocable<F, Array, Array>;
  if ((nin != (binary ? 2 : 1) && !(nin == 1 && std::invocable<F, Array>)) || nout != 1)
    detail::refuse_arguments(nin, nout, binary ? 2 : 1, line);
  if constexpr (binary) {
    return UserUfunc([f = numpy::vectorize(func)](const Array& x, const Array& y) { return f(x, y); },
                     options.identity);
  } else {
    return numpy::vectorize(func);
  }
}

// logaddexp is log(exp(x) + exp(y)) without overflow; logaddexp2 is the same to base 2.
#define HILO_BINARY_UFUNCS(X) \
  X(add)                      \
  X(bitwise_and)              \
  X(bitwise_or)               \
  X(bitwise_xor)              \
  X(logaddexp)                \
  X(logaddexp2)               \
  X(logical_and)              \
  X(logical_or)               \
  X(logical_xor)              \
  X(maximum)                  \
  X(minimum)                  \
  X(multiply)                 \
  X(subtract)

namespace calls {
#define HILO_BINARY(name) Array name(const Operand& x, const Operand& y);
HILO_BINARY_UFUNCS(HILO_BINARY)
#undef HILO_BINARY
Array negative(const Operand& x);
}  // namespace calls

#define HILO_BINARY(name) inline constexpr BinaryUfunc name{#name, calls::name};
HILO_BINARY_UFUNCS(HILO_BINARY)
#undef HILO_BINARY
#undef HILO_BINARY_UFUNCS
inline constexpr UnaryUfunc negative{"negative", calls::negative};

}  // namespace hilo::numpy
