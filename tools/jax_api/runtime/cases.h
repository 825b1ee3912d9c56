// SPDX-License-Identifier: Apache-2.0
// tools/jax_api/runtime/cases.h -- the small functions that rows hand to functions of JAX, by their names in the rows.
#pragma once

#include "hilo/hilo.h"

namespace hilo::cases {

inline Array rosenbrock(const Array& x) {
  const Array head = x(range(none, -1)), tail = x(range(1, none));
  return numpy::sum(100.0 * numpy::square(tail - numpy::square(head)) + numpy::square(1.0 - head));
}
inline Array sphere(const Array& x) { return numpy::sum(numpy::square(x - 1.0)); }
inline Array matyas(const Array& x) { return 0.26 * (numpy::square(x[0]) + numpy::square(x[1])) - 0.48 * x[0] * x[1]; }
/// Doubles; here as there `double` is a word of the language.
inline Array double_(const Array& x) { return x * 2; }
inline Array increment(const Array& x) { return x + 1; }
inline Array square(const Array& x) { return x * x; }
inline Array add3(const Array& x, const Array& y, const Array& z) { return x + y + z; }
inline Array times2plus(const Array& x, const Array& y) { return x * 2 + y; }
inline Array less10(const Array& x) { return x < 10; }
inline Array sum_below_100(const Array& x) { return numpy::sum(x) < 100; }
inline Array body_add_index(const Array& i, const Array& x) { return x + i; }
inline Array body_matvec(const Array&, const Array& x) { return x * 0.5 + numpy::roll(x, 1); }
inline std::pair<Array, Array> scan_cumsum(const Array& c, const Array& x) { return {c + x, c}; }
inline std::pair<Array, Array> scan_rnn(const Array& h, const Array& x) {
  const Array next = numpy::tanh(h * 0.5 + x);
  return {next, next};
}
inline Array sum_row(const Array& x) { return numpy::sum(x); }
inline Array sum_axis(const Array& x, int64_t axis) { return numpy::sum(x, axis); }
inline Array sort_row(const Array& x) { return numpy::sort(x); }
inline Array max_minus_min(const Array& x) { return numpy::max(x) - numpy::min(x); }
inline Array index_sum(const Array& i, const Array& j) { return i * 10 + j; }
inline Array dot(const Array& x, const Array& y) { return numpy::dot(x, y); }
inline Array spd_matvec(const Array& x) { return 3.0 * x + numpy::roll(x, 1) * 0.5 + numpy::roll(x, -1) * 0.5; }
inline Array cubic_minus_2(const Array& x) { return numpy::power(x, 3) - 2.0; }

/// 30 steps of Newton's method.
inline constexpr auto newton_solve = [](const auto& f, const Array& x0) -> Array {
  return lax::fori_loop(0, 30, [&f](const Array&, const Array& x) { return x - f(x) / grad(f)(x); }, x0);
};
inline constexpr auto scalar_tangent_solve = [](const auto& g, const Array& y) -> Array {
  return y / g(numpy::ones_like(y));
};
inline constexpr auto diag_solve = [](const auto& matvec, const Array& b) -> Array {
  return b / matvec(numpy::ones_like(b));
};

inline constexpr auto half_tree = [](const auto& updates, const auto&...) {
  return tree_map([](const Array& x) { return x * 0.5; }, updates);
};
inline std::map<std::string, bool> true_mask(const std::map<std::string, Array>& params) {
  std::map<std::string, bool> mask;
  for (const auto& [name, x] : params) mask[name] = x.ndim() > 1;
  return mask;
}
inline constexpr auto every_second = [](const Array& step, const auto&...) -> Array { return step % 2 == 0; };
inline std::map<std::string, std::string> label_by_rank(const std::map<std::string, Array>& params) {
  std::map<std::string, std::string> labels;
  for (const auto& [name, x] : params) labels[name] = x.ndim() > 1 ? "matrix" : "vector";
  return labels;
}
inline Array halve_schedule(const Array& count) { return 0.1 * numpy::power(0.5, count); }
inline constexpr auto quadratic_tree = [](const auto& params) -> Array {
  Array total = 0.0;
  for (const Array& x : flatten(params).leaves) total = total + numpy::sum(numpy::square(x - 0.3));
  return total;
};
inline Array f_complex_exp(const Array& x) { return numpy::exp(x); }

}  // namespace hilo::cases
