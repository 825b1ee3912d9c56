// SPDX-License-Identifier: Apache-2.0
// numpy/ufunc.h -- elementwise functions that are values with methods: add(x, y), add.reduce(x), add.outer(x, y).
#pragma once

#include <functional>

#include "hilo/numpy/dtypes.h"
#include "hilo/numpy/functional.h"

namespace hilo::numpy {

struct UfuncReduceOptions {
  Named named = Named();
  Axes axis = 0;  ///< none: all
  Dtype dtype = std::nullopt;
  bool keepdims = false;
  std::optional<Array> initial = std::nullopt;  ///< what a reduction begins with
  std::optional<Array> where = std::nullopt;    ///< which elements take part
};
struct UfuncAccumulateOptions {
  int64_t axis = 0;
  Dtype dtype = std::nullopt;
};
struct UfuncAtOptions {
  bool inplace = false;  ///< true is refused: an array never changes
};

namespace detail {
/// A function of two arrays by its name; "" for a user's.
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
[[noreturn]] void refuse_arguments(int nin, int nout, int wanted, const Line& line);
}  // namespace detail

/// A function of two arrays, element by element, and what NumPy derives of it.
struct BinaryUfunc {
  const char* name;
  Array (*call)(const Operand& x, const Operand& y);

  Array operator()(const Operand& x, const Operand& y) const { return call(x, y); }

  /// Along an axis, the first by default, or several.
  /// Errors    INVALID_ARGUMENT for an axis of extent 0 of a function without an identity and no `initial`
  /// Cost      sums, products, extremes, `all`, `any` and bits are one reduction, others a scan
  Array reduce(const Operand& a, const UfuncReduceOptions& options = {}) const;
  template <int = 0>
  Array reduce(const Operand& a, const Axes& axis, Dtype dtype = std::nullopt) const {
    return reduce(a, UfuncReduceOptions{.axis = axis, .dtype = dtype});
  }
  /// Along an axis, all that reductions of its beginnings give.
  Array accumulate(const Operand& a, const UfuncAccumulateOptions& options = {}) const;
  template <int = 0>
  Array accumulate(const Operand& a, int64_t axis, Dtype dtype = std::nullopt) const {
    return accumulate(a, UfuncAccumulateOptions{.axis = axis, .dtype = dtype});
  }
  /// Of every element of A with every element of B.
  /// Shapes    A[...a], B[...b] -> [...a, ...b]
  Array outer(const Operand& A, const Operand& B) const;
  /// A copy of `a` in which each a[i] of the indices became f(a[i], b); again for an index that stands again.
  Array at(const Operand& a, const Operand& indices, const Operand& b, const UfuncAtOptions& options = {}) const;
  /// Reductions from each index to the next one, the last one to the end; the element alone where the next isn't greater.
  Array reduceat(const Operand& a, const Operand& indices, const UfuncAccumulateOptions& options = {}) const;
  template <int = 0>
  Array reduceat(const Operand& a, const Operand& indices, int64_t axis, Dtype dtype = std::nullopt) const {
    return reduceat(a, indices, UfuncAccumulateOptions{.axis = axis, .dtype = dtype});
  }
};

/// A function of one array, element by element.
struct UnaryUfunc {
  const char* name;
  Array (*call)(const Operand& x);

  Array operator()(const Operand& x) const { return call(x); }
  /// A copy of `a` in which each a[i] of the indices became f(a[i]).
  Array at(const Operand& a, const Operand& indices, const UfuncAtOptions& options = {}) const;
};

struct FrompyfuncOptions {
  std::optional<Array> identity = std::nullopt;  ///< what a reduction begins with
};
/// What frompyfunc makes of a function of two numbers. The methods are BinaryUfunc's.
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
/// A function of scalars as one of arrays that broadcast; one of two scalars also reduces, accumulates and so on.
/// Errors    INVALID_ARGUMENT unless nin is how many arguments `func` takes and nout is 1
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

// logaddexp is log(exp(x) + exp(y)) without overflow, logaddexp2 the same of base 2.
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
