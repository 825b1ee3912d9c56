// SPDX-License-Identifier: Apache-2.0
// bench/gradbench/evals.h -- the functions of GradBench's twelve evals, by eval and name. Each reads the input of the
// protocol and returns a function that is timed, and that returns the output.
// Source    the descriptions in github.com/gradbench/gradbench, evals/*/README.md; adbench/objectives.h for four of
//           them
#pragma once

#include <bit>
#include <functional>
#include <map>
#include <string>

#include "bench/adbench/objectives.h"
#include "bench/gradbench/descent.h"
#include "bench/gradbench/json.h"

namespace gradbench {

using namespace hilo;

/// A compiled function with its arguments, and how its results become text.
struct Prepared {
  std::function<std::vector<Array>()> run;
  std::function<std::string(const std::vector<Array>&)> text;
};
using Function = std::function<Prepared(const Json&)>;

inline Array array_of(const Json& json) {
  return numpy::reshape(numpy::array(json.numbers().numbers), json.numbers().shape);
}

/// Row indices, for gathers.
inline Array indices_of(const Json& json) { return array_of(json).astype(int32); }

inline std::string json_of(const Array& array) {
  const auto sizes = array.shape();
  return json_tensor({{sizes.begin(), sizes.end()}, array.to_vector<double>()});
}

/// The only result, as nested arrays.
inline std::string only_result(const std::vector<Array>& results) { return json_of(results.at(0)); }

template <typename F, typename... Args>
Prepared prepared(const F& f, const Args&... args) {
  const auto jitted = jit(f);
  return {[=] { return flatten(jitted(args...)).leaves; }, only_result};
}

/// A scalar function of one array, and its gradient.
template <typename F>
std::map<std::string, Function> scalar_function(const char* value, const char* gradient, const char* input,
                                                const F& f) {
  return {{value, [=](const Json& in) { return prepared(f, array_of(in.at(input))); }},
          {gradient, [=](const Json& in) { return prepared(grad(f), array_of(in.at(input))); }}};
}

// ---- hello, det, lse, llsq, ode

inline std::map<std::string, Function> hello() {
  const auto square = [](const Array& x) { return x * x; };
  const auto on_input = [](auto f) { return [=](const Json& in) { return prepared(f, Array(in.number())); }; };
  return {{"square", on_input(square)}, {"double", on_input(grad(square))}};
}

/// By expansion by minors: those of the last rows first, each computed once for its set of columns.
inline Array determinant(const Array& flat) {
  const auto n = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(flat.size()))));
  const Array a = numpy::reshape(flat, {n, n});
  std::vector<int64_t> place(size_t{1} << n);  // of a set of columns among those of its size
  std::vector<std::vector<uint32_t>> sets(static_cast<size_t>(n) + 1);
  for (uint32_t set = 0; set < place.size(); ++set) {
    std::vector<uint32_t>& of_size = sets[static_cast<size_t>(std::popcount(set))];
    place[set] = static_cast<int64_t>(of_size.size());
    of_size.push_back(set);
  }
  Array minors = numpy::ones({1}, float64);
  for (int64_t size = 1; size <= n; ++size) {
    std::vector<int32_t> columns, smaller;
    std::vector<double> signs;
    for (const uint32_t set : sets[static_cast<size_t>(size)]) {
      double sign = 1;
      for (int32_t column = 0; column < n; ++column) {
        if ((set >> column & 1) == 0) continue;
        columns.push_back(column);
        smaller.push_back(static_cast<int32_t>(place[set & ~(1U << column)]));
        signs.push_back(sign);
        sign = -sign;
      }
    }
    const Array terms = numpy::array(signs) * a[n - size](numpy::array(columns)) * minors(numpy::array(smaller));
    minors = numpy::sum(numpy::reshape(terms, {-1, size}), 1);
  }
  return minors[0];
}

inline Array log_sum_exp(const Array& x) {
  const Array largest = numpy::max(x);
  return largest + numpy::log(numpy::sum(numpy::exp(x - largest)));
}

/// Of a polynomial's distances from a step at n points.
inline Array half_squares(const Array& x, int64_t n) {
  const Array t = -1.0 + numpy::arange(n) * (2.0 / static_cast<double>(n - 1));
  const auto horner = [&](const Array& value, const Array& coefficient) {
    return std::pair(value * t + coefficient, std::tuple<>());
  };
  const Array fitted = lax::scan(horner, numpy::zeros_like(t), numpy::flip(x)).first;
  return 0.5 * numpy::sum(numpy::square(numpy::sign(t) - fitted));
}

inline std::map<std::string, Function> llsq() {
  const auto of = [](const Json& in) {
    return [n = static_cast<int64_t>(in.at("n").number())](const Array& x) { return half_squares(x, n); };
  };
  return {{"primal", [=](const Json& in) { return prepared(of(in), array_of(in.at("x"))); }},
          {"gradient", [=](const Json& in) { return prepared(grad(of(in)), array_of(in.at("x"))); }}};
}

/// Runge and Kutta's fourth-order steps to time 2 of y'[0] = x[0], y'[i] = x[i] y[i - 1].
inline Array ode_solution(const Array& x, int64_t steps) {
  const double h = 2.0 / static_cast<double>(steps);
  const auto slope = [&](const Array& y) {
    return x * numpy::concatenate({numpy::ones({1}, float64), y(range(-1))}, 0);
  };
  const auto step = [&](const Array&, const Array& y) {
    const Array k1 = slope(y), k2 = slope(y + h / 2 * k1), k3 = slope(y + h / 2 * k2), k4 = slope(y + h * k3);
    return y + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  };
  return lax::fori_loop(0, steps, step, numpy::zeros_like(x));
}

inline std::map<std::string, Function> ode() {
  const auto solution = [](const Json& in) {
    return [s = static_cast<int64_t>(in.at("s").number())](const Array& x) { return ode_solution(x, s); };
  };
  return {{"primal", [=](const Json& in) { return prepared(solution(in), array_of(in.at("x"))); }},
          {"gradient", [=](const Json& in) {
             return prepared(grad([f = solution(in)](const Array& x) { return f(x)[-1]; }), array_of(in.at("x")));
           }}};
}

// ---- kmeans

/// The sum of squared distances of the points to their closest centres.
inline Array distance_to_centres(const Array& centres, const Array& points) {
  const Array fixed = lax::stop_gradient(centres);  // a point keeps its centre when the centres move a little
  const Array products = numpy::matmul(points, numpy::transpose(fixed));
  const Array closest = numpy::argmin(numpy::sum(numpy::square(fixed), 1) - 2.0 * products, 1);
  return adbench::squares(points - centres(closest));
}

/// A step of Newton's: the Hessian is diagonal, so its product with ones is its diagonal.
inline Array newton_direction(const Array& centres, const Array& points) {
  const auto gradient = grad([&](const Array& c) { return distance_to_centres(c, points); });
  const auto [slopes, curvatures] = jvp(gradient, std::tuple(centres), std::tuple(numpy::ones_like(centres)));
  return slopes / curvatures;
}

inline std::map<std::string, Function> kmeans() {
  const auto on_input = [](auto f) {
    return [=](const Json& in) { return prepared(f, array_of(in.at("centroids")), array_of(in.at("points"))); };
  };
  return {{"cost", on_input(distance_to_centres)}, {"dir", on_input(newton_direction)}};
}

// ---- gmm, lstm

struct Mixture {
  Array alpha, mu, q, l;
};

inline Prepared mixture(const Json& in, bool differentiated) {
  const double m = in.at("m").number(), gamma = in.at("gamma").number();
  const auto posterior = [m, gamma](const Mixture& p, const Array& x) {
    const auto d = static_cast<double>(x.shape(1)), k = static_cast<double>(p.alpha.size()), freedom = d + m + 1;
    double gammas = d * (d - 1) / 4 * std::log(std::numbers::pi);
    for (double j = 0; j < d; ++j) gammas += std::lgamma(0.5 * (freedom - j));
    const Array likelihood = adbench::Gmm::log_likelihood({p.alpha, p.mu, numpy::concatenate({p.q, p.l}, 1)}, x);
    const Array norms = adbench::squares(numpy::exp(p.q)) + adbench::squares(p.l);
    return likelihood + k * (freedom * d * std::log(gamma / std::numbers::sqrt2) - gammas) -
           0.5 * gamma * gamma * norms + m * numpy::sum(p.q);
  };
  const Mixture at = {array_of(in.at("alpha")), array_of(in.at("mu")), array_of(in.at("q")), array_of(in.at("l"))};
  const Array x = array_of(in.at("x"));
  if (!differentiated) return prepared(posterior, at, x);
  Prepared out = prepared(grad(posterior), at, x);
  out.text = [](const std::vector<Array>& r) {
    return "{\"alpha\":" + json_of(r[0]) + ",\"mu\":" + json_of(r[1]) + ",\"q\":" + json_of(r[2]) +
           ",\"l\":" + json_of(r[3]) + "}";
  };
  return out;
}

inline Prepared lstm(const Json& in, bool differentiated) {
  using adbench::Lstm;
  const Array main = array_of(in.at("main_params")), extra = array_of(in.at("extra_params"));
  const Array state = array_of(in.at("state")), sequence = array_of(in.at("sequence"));
  const int64_t layers = main.shape(0) / 2, letters = sequence.shape(1);
  const Lstm::Parameters at = {numpy::reshape(main, {layers, 2, 4 * letters}), extra};
  const Lstm::Data data = {numpy::reshape(state, {layers, 2, letters}), sequence};
  if (!differentiated) return prepared(Lstm::objective, at, data);
  return prepared(
      [](const Lstm::Parameters& p, const Lstm::Data& d) {
        const Lstm::Parameters slopes = grad(Lstm::objective)(p, d);
        return numpy::concatenate({numpy::ravel(slopes.main), numpy::ravel(slopes.extra)}, 0);
      },
      at, data);
}

// ---- ba

/// The observations of a file, whose camera, point, weight and feature are repeated.
struct Observations {
  Array cameras, points, weights, camera_of, point_of, features;
};

inline Observations observations(const Json& in) {
  const auto repeated = [&](const char* name, const char* count) {
    const Array one = array_of(in.at(name));
    return numpy::tile(numpy::reshape(one, {1, -1}), {static_cast<int64_t>(in.at(count).number()), 1});
  };
  const auto count = [&](const char* name) { return static_cast<int64_t>(in.at(name).number()); };
  const Array i = numpy::arange(count("p"));
  return {repeated("cam", "n"), repeated("x", "m"), numpy::ravel(repeated("w", "p")),
          i % count("n"),       i % count("m"),     repeated("feat", "p")};
}

inline std::pair<Array, Array> all_residuals(const Observations& o) {
  return vmap(adbench::Bundle::residual)(o.cameras(o.camera_of), o.points(o.point_of), o.weights, o.features);
}

/// The Jacobian's rows: for each observation two of 15 values, then for each weight one. Rows, columns and values are
/// those of compressed rows.
struct SparseRows {
  Array rows, columns, values;
};

inline SparseRows bundle_jacobian(const Observations& o) {
  const int64_t p = o.weights.size(), n = o.cameras.shape(0), m = o.points.shape(0);
  const auto of_one = [](const Array& camera, const Array& point, const Array& weight, const Array& feature) {
    const Array all_of_it = numpy::concatenate({camera, point, weight.reshape({1})}, 0);
    return jacfwd([&](const Array& v) {
      return adbench::Bundle::residual(v(range(0, 11)), v(range(11, 14)), v[14], feature).first;
    })(all_of_it);
  };
  const Array blocks = vmap(of_one)(o.cameras(o.camera_of), o.points(o.point_of), o.weights, o.features);
  const Array of_weights = -2.0 * o.weights;
  const auto from = [](const Array& start, int64_t count) {
    return numpy::expand_dims(start, 1) + numpy::arange(count);
  };
  const Array last = numpy::arange(p) + (11 * n + 3 * m);
  const Array line = numpy::concatenate(
      {from(11 * o.camera_of, 11), from(11 * n + 3 * o.point_of, 3), numpy::expand_dims(last, 1)}, 1);
  const Array columns = numpy::concatenate({numpy::ravel(numpy::stack({line, line}, 1)), last}, 0);
  const Array rows = numpy::concatenate({15 * numpy::arange(2 * p + 1), 30 * p + 1 + numpy::arange(p)}, 0);
  return {rows, columns, numpy::concatenate({numpy::ravel(blocks), of_weights}, 0)};
}

/// The first 30 elements and the last one. Throws std::runtime_error if there are fewer.
inline std::string json_of_ends(const Array& array) {
  const std::vector<double> all_of_it = array.to_vector<double>();
  if (all_of_it.size() < 31) throw std::runtime_error("an output of fewer than 31 numbers: p must be at least 10");
  Tensor ends = {{31}, {all_of_it.begin(), all_of_it.begin() + 30}};
  ends.numbers.push_back(all_of_it.back());
  return json_tensor(ends);
}

inline Prepared bundle(const Json& in, bool differentiated) {
  Prepared out =
      differentiated ? prepared(bundle_jacobian, observations(in)) : prepared(all_residuals, observations(in));
  if (differentiated) {
    out.text = [](const std::vector<Array>& r) {
      return "{\"rows\":" + json_of_ends(r[0]) + ",\"cols\":" + json_of_ends(r[1]) + ",\"vals\":" + json_of_ends(r[2]) +
             "}";
    };
  } else {
    out.text = [](const std::vector<Array>& r) {
      const std::string repeated = ",\"repeated\":" + std::to_string(r[1].size()) + "}";
      return "{\"reproj_error\":{\"elements\":" + json_of(r[0][0]) + repeated +
             ",\"w_err\":{\"element\":" + json_of(r[1][0]) + repeated + "}";
    };
  }
  return out;
}

// ---- ht

struct HandInput {
  Array theta, us;  // us is empty for the simple variant
  adbench::HandModel model;
  Array corners, points;  // of each point: the vertices of its triangle, or its vertex thrice
};

/// What each point is off its place on the hand, [3 points]. A bone's parent comes before it.
inline Array hand_errors(const HandInput& in, const std::vector<int64_t>& parents) {
  const Array zero = numpy::zeros({1}, float64);
  const Array fingers = numpy::reshape(in.theta(range(6, none)), {5, 4}), none_of_it = numpy::zeros({5, 1}, float64);
  const auto of_bones = [&](const Array& of_fingers) {  // the wrist and the forearm don't turn
    return numpy::concatenate({zero, numpy::ravel(of_fingers), zero}, 0);
  };
  const Array bend =
      of_bones(numpy::concatenate({none_of_it, fingers(all, range(1)), fingers(all, range(2, none))}, 1));
  const Array turn = of_bones(numpy::concatenate({none_of_it, fingers(all, range(1, 2)), none_of_it, none_of_it}, 1));
  const Array turned = numpy::reshape(adbench::HandModel::rotations(bend, turn), {-1, 4, 4});
  const Array relative = numpy::matmul(in.model.relative, turned);
  std::vector<Array> absolute;
  for (size_t i = 0; i < parents.size(); ++i) {
    const Array own = relative[static_cast<int64_t>(i)];
    absolute.push_back(parents[i] < 0 ? own : numpy::matmul(absolute[static_cast<size_t>(parents[i])], own));
  }
  const Array skin = in.model.placed(numpy::stack(absolute), in.theta);
  const Array a = skin(in.corners(all, 0)), b = skin(in.corners(all, 1)), c = skin(in.corners(all, 2));
  const Array u = in.us(all, range(1)), v = in.us(all, range(1, 2));
  return numpy::ravel(in.points - (u * a + v * b + (1.0 - u - v) * c));
}

inline Prepared hand(const Json& in, bool differentiated) {
  const Json &data = in.at("data"), &model = data.at("model");
  const Array correspondences = indices_of(data.at("correspondences"));
  const bool complicated = !in.at("us").numbers().numbers.empty();
  const int64_t points = correspondences.size();
  const HandInput at = {array_of(in.at("theta")),
                        complicated ? array_of(in.at("us")) : numpy::zeros({points, 2}, float64),
                        {array_of(model.at("base_relatives")), array_of(model.at("inverse_base_absolutes")),
                         array_of(model.at("weights")), array_of(model.at("base_positions"))},
                        complicated ? indices_of(model.at("triangles"))(correspondences)
                                    : numpy::stack({correspondences, correspondences, correspondences}, 1),
                        array_of(data.at("points"))};
  std::vector<int64_t> parents;
  for (double parent : model.at("parents").numbers().numbers) {
    if (!(parent < static_cast<double>(parents.size())))
      throw std::runtime_error("parents: a bone precedes its parent");
    parents.push_back(static_cast<int64_t>(std::fmax(parent, -1)));
  }
  const auto errors = [parents](const HandInput& all_of_it) { return hand_errors(all_of_it, parents); };
  if (!differentiated) return prepared(errors, at);
  return prepared(
      [errors, complicated](const HandInput& all_of_it) {
        const Array by_theta = jacfwd([&](const Array& theta) {
          HandInput moved = all_of_it;
          moved.theta = theta;
          return errors(moved);
        })(all_of_it.theta);
        if (!complicated) return by_theta;
        // A point's errors depend on its own coordinates only.
        const auto by_us = [&](const Array& direction) {
          return jvp(
                     [&](const Array& us) {
                       HandInput moved = all_of_it;
                       moved.us = us;
                       return errors(moved);
                     },
                     std::tuple(all_of_it.us), std::tuple(numpy::broadcast_to(direction, all_of_it.us.shape())))
              .second;
        };
        const Array eye = numpy::eye(2, float64);
        return numpy::concatenate({numpy::stack({by_us(eye[0]), by_us(eye[1])}, 1), by_theta}, 1);
      },
      at);
}

// ---- particle, saddle

/// The four combinations of modes, "rf" being reverse mode outside and forward mode inside.
template <typename F>
std::map<std::string, Function> by_modes(const char* input, F f) {
  std::map<std::string, Function> out;
  for (const char* name : {"ff", "fr", "rf", "rr"}) {
    const Modes modes = {name[0] == 'r', name[1] == 'r'};
    out[name] = [=](const Json& in) {
      return prepared([=](const Array& start) { return f(start, modes); }, array_of(in.at(input)));
    };
  }
  return out;
}

/// All evals, by name.
inline const std::map<std::string, std::map<std::string, Function>>& evals() {
  const auto objective_and_jacobian = [](Prepared (*of)(const Json&, bool)) {
    return std::map<std::string, Function>{{"objective", [of](const Json& in) { return of(in, false); }},
                                           {"jacobian", [of](const Json& in) { return of(in, true); }}};
  };
  static const std::map<std::string, std::map<std::string, Function>> table = {
      {"hello", hello()},
      {"det", scalar_function("primal", "gradient", "A", determinant)},
      {"lse", scalar_function("primal", "gradient", "x", log_sum_exp)},
      {"llsq", llsq()},
      {"ode", ode()},
      {"kmeans", kmeans()},
      {"gmm", objective_and_jacobian(mixture)},
      {"lstm", objective_and_jacobian(lstm)},
      {"ba", objective_and_jacobian(bundle)},
      {"ht", objective_and_jacobian(hand)},
      {"particle", by_modes("w", particle)},
      {"saddle", by_modes("start", saddle)},
  };
  return table;
}

/// The function of an eval. Throws std::runtime_error if it does not exist.
inline const Function& function_of(const std::string& eval, const std::string& name) {
  const auto functions = evals().find(eval);
  if (functions == evals().end()) throw std::runtime_error("no eval is called " + eval);
  const auto found = functions->second.find(name);
  if (found == functions->second.end()) throw std::runtime_error("the eval " + eval + " has no function " + name);
  return found->second;
}

}  // namespace gradbench
