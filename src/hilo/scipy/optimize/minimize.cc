// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/minimize.h"

#include <algorithm>
#include <cctype>

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::optimize {

namespace {

constexpr const char* kName = "minimize";

/// The options of a method: defaults, overridden by the user's.
class Settings {
 public:
  Settings(std::map<std::string, double> defaults, const MinimizeOptions& options) : values_(std::move(defaults)) {
    if (options.tol) values_["gtol"] = *options.tol;
    for (const auto& [name, value] : options.options) {
      if (!values_.contains(name)) refuse(kName, "method " + options.method + " has no option " + name);
      values_[name] = value;
    }
  }
  double operator[](const std::string& name) const { return values_.at(name); }
  int64_t integer(const std::string& name) const { return static_cast<int64_t>(values_.at(name)); }

 private:
  std::map<std::string, double> values_;
};

Array flag(bool value) { return numpy::full({}, value, ElementType::kPred); }
Array whole(int64_t value) { return numpy::full({}, value, default_integer()); }
Array outer(const Array& a, const Array& b) { return numpy::expand_dims(a, 1) * numpy::expand_dims(b, 0); }
/// Returns whether the norm of the gradient is small enough.
Array is_flat(const Array& gradient, const Settings& s) {
  return hilo::linalg::norm(gradient, hilo::linalg::Ord(s["norm"])) < s["gtol"];
}

struct Bfgs {
  Array converged, failed, k, nfev;
  Array x, f, g, inverse_hessian, f_before, line_search_status;
};

Bfgs bfgs_step(const Objective& fun, const Bfgs& b, const Settings& settings) {
  const Array p = -numpy::dot(b.inverse_hessian, b.g);
  const LineSearchResults found = line_search(
      fun, b.x, p,
      {.old_fval = b.f, .old_old_fval = b.f_before, .gfk = b.g, .maxiter = settings.integer("line_search_maxiter")});
  const Array s = numpy::astype(found.a_k, p.dtype()) * p, y = found.g_k - b.g, rho = 1.0 / numpy::dot(y, s);
  const Array w = numpy::eye(b.x.size(), rho.dtype()) - rho * outer(s, y);
  const Array next = numpy::matmul(numpy::matmul(w, b.inverse_hessian), numpy::transpose(w)) + outer(rho * s, s);
  return {is_flat(found.g_k, settings),
          found.failed,
          b.k + 1,
          b.nfev + found.nfev,
          b.x + s,
          found.f_k,
          found.g_k,
          numpy::where(numpy::isfinite(rho), next, b.inverse_hessian),
          b.f,
          found.status};
}

OptimizeResults minimize_bfgs(const Objective& fun, const Array& x0, const MinimizeOptions& options) {
  const Settings settings({{"maxiter", 200.0 * static_cast<double>(x0.size())},
                           {"norm", numpy::inf},
                           {"gtol", 1e-5},
                           {"line_search_maxiter", 10}},
                          options);
  const int64_t maxiter = settings.integer("maxiter");
  const auto [f, g] = value_and_grad(fun)(x0);
  const Bfgs first{is_flat(g, settings),
                   flag(false),
                   whole(0),
                   whole(1),
                   x0,
                   f,
                   g,
                   numpy::eye(x0.size(), x0.dtype()),
                   numpy::astype(f + hilo::linalg::norm(g) / 2.0, f.dtype()),
                   whole(0)};
  const Bfgs b = lax::while_loop([&](const Bfgs& s) { return ~s.converged & ~s.failed & (s.k < maxiter); },
                                 [&](const Bfgs& s) { return bfgs_step(fun, s, settings); }, first);
  const Array stopped = numpy::where(b.k == maxiter, 1, numpy::where(b.failed, 2 + b.line_search_status, -1));
  const Array status = numpy::astype(numpy::where(b.converged, 0, stopped), default_integer());
  return {b.x, b.converged & ~b.failed, status, b.f, b.g, b.inverse_hessian, b.nfev, b.nfev, b.k};
}

/// Steps s and gradient changes y, newest last, and the inverses of their products.
struct Lbfgs {
  Array converged, failed, k, nfev;
  Array x, f, g, steps, changes, weights, scale;
  Array status;
};

Array real_dot(const Array& a, const Array& b) { return numpy::real(numpy::dot(a, b)); }

/// Returns the negative product of the gradient with the inverse Hessian that the pairs approximate.
Array lbfgs_direction(const Lbfgs& b) {
  const int64_t size = b.weights.shape(0);
  const Array count = numpy::minimum(b.k, size);
  const ElementType type = b.weights.dtype();
  const auto down = [&](const Array& j, const std::pair<Array, Array>& carry) {
    const Array i = size - 1 - j, &q = carry.first;
    const Array a = b.weights[i] * numpy::astype(real_dot(numpy::conj(b.steps[i]), q), type);
    return std::pair(q - a * numpy::conj(b.changes[i]), carry.second.at(i).set(a));
  };
  const std::pair<Array, Array> start(-numpy::conj(b.g), numpy::zeros_like(b.weights));
  const auto [q, weights_down] = lax::fori_loop(whole(0), count, down, start);
  const Array alphas = weights_down;
  const auto up = [&](const Array& j, const Array& direction) {
    const Array i = size - count + j;
    const Array beta = b.weights[i] * numpy::astype(real_dot(b.changes[i], direction), type);
    return direction + (alphas[i] - beta) * b.steps[i];
  };
  return lax::fori_loop(whole(0), count, up, numpy::astype(b.scale, type) * q);
}

Lbfgs lbfgs_step(const Objective& fun, const Lbfgs& b, const Settings& settings) {
  const Array p = lbfgs_direction(b);
  const LineSearchResults found =
      line_search(fun, b.x, p, {.old_fval = b.f, .gfk = b.g, .maxiter = settings.integer("maxls")});
  const Array s = numpy::astype(found.a_k, p.dtype()) * p, y = found.g_k - b.g;
  const Array product = real_dot(y, s), square = real_dot(numpy::conj(y), y);
  const auto appended = [](const Array& all, const Array& newest) {
    return numpy::concatenate({all[range(1, none)], numpy::expand_dims(numpy::astype(newest, all.dtype()), 0)});
  };
  Array status = numpy::where(b.f - found.f_k < settings["ftol"], 4, 0);
  status = numpy::where(b.nfev >= settings["maxgrad"], 3, status);
  status = numpy::where(b.nfev >= settings["maxfun"], 2, status);
  status = numpy::where(b.k >= settings["maxiter"], 1, status);
  status = numpy::where(found.failed, 5, status);
  const Array converged = is_flat(found.g_k, settings);
  return {converged,
          (status > 0) & ~converged,
          b.k + 1,
          b.nfev + found.nfev,
          numpy::astype(b.x + s, b.x.dtype()),
          numpy::astype(found.f_k, b.f.dtype()),
          numpy::astype(found.g_k, b.g.dtype()),
          appended(b.steps, s),
          appended(b.changes, y),
          appended(b.weights, 1.0 / product),
          numpy::astype(product / square, b.scale.dtype()),
          numpy::astype(numpy::where(converged, 0, status), default_integer())};
}

OptimizeResults minimize_lbfgs(const Objective& fun, const Array& x0, const MinimizeOptions& options) {
  const double size = static_cast<double>(x0.size());
  const bool bounded = options.options.contains("maxfun") || options.options.contains("maxgrad");
  const Settings settings({{"maxiter", bounded ? numpy::inf : 200.0 * size},
                           {"norm", numpy::inf},
                           {"maxcor", 10},
                           {"ftol", 2.220446049250313e-09},
                           {"gtol", 1e-5},
                           {"maxfun", numpy::inf},
                           {"maxgrad", numpy::inf},
                           {"maxls", 20}},
                          options);
  const int64_t memory = settings.integer("maxcor");
  if (memory < 1) refuse(kName, "maxcor must be 1 or more; got " + std::to_string(memory));
  const auto [f, g] = value_and_grad(fun)(x0);
  const Array pairs = numpy::zeros({memory, x0.size()}, x0.dtype());
  const Lbfgs first{flag(false),
                    flag(false),
                    whole(0),
                    whole(1),
                    x0,
                    f,
                    g,
                    pairs,
                    pairs,
                    numpy::zeros({memory}, x0.dtype()),
                    numpy::ones({}, numpy::real(g).dtype()),
                    whole(0)};
  const Lbfgs b = lax::while_loop([](const Lbfgs& s) { return ~s.converged & ~s.failed; },
                                  [&](const Lbfgs& s) { return lbfgs_step(fun, s, settings); }, first);
  return {b.x, b.converged & ~b.failed, b.status, b.f, b.g, std::nullopt, b.nfev, b.nfev, b.k};
}

}  // namespace

OptimizeResults detail::minimize(const Objective& fun, const Operand& operand, const MinimizeOptions& options) {
  const UserLocation here(operand.location());
  const Array& x0 = operand.array();
  if (x0.ndim() != 1 || !is_floating(x0.dtype()))
    refuse(kName, "x0 must be a vector of real floats; got " + x0.aval_shape().to_string());
  std::string method = options.method;
  std::ranges::transform(method, method.begin(), [](unsigned char c) { return std::tolower(c); });
  if (method == "bfgs") return minimize_bfgs(fun, x0, options);
  if (method == "l-bfgs-experimental-do-not-rely-on-this") return minimize_lbfgs(fun, x0, options);
  refuse(kName, "method must be BFGS or l-bfgs-experimental-do-not-rely-on-this; got '" + options.method + "'");
}

}  // namespace hilo::scipy::optimize
