// SPDX-License-Identifier: Apache-2.0
// bench/adbench/objectives.h -- the objectives of ADBench: a mixture of Gaussians, bundle adjustment, a hand (simple
// and complicated), an LSTM. Each is a function of parameters, which are differentiated, and of data. objectives.py has
// the same in JAX.
// Source    Srajer, Kukelova, Fitzgibbon, "A benchmark of selected algorithmic differentiation tools on some problems
// in
//           computer vision and machine learning" (2018): the formulas. The data are sines, so that every language
//           computes the same
#pragma once

#include <cmath>
#include <numbers>

#include "hilo/hilo.h"

namespace adbench {

using namespace hilo;

/// Numbers in [-1, 1] without a pattern that matters.
inline Array wave(double seed, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t d : shape) count *= d;
  return numpy::reshape(numpy::sin(numpy::arange(count, float64) * 12.9898 + 78.233 * seed), shape);
}

inline Array squares(const Array& x) { return numpy::sum(numpy::square(x)); }

// ---- a mixture of Gaussians: log likelihood under a Wishart prior
// ----------------------------------------------------

struct Gmm {
  struct Parameters {
    Array alphas;  // [k]
    Array means;   // [k, d]
    Array icf;     // [k, d (d + 1) / 2]: logarithms of a diagonal, and what is below it, column by column
  };
  using Data = Array;  // points, [n, d]

  static std::pair<Parameters, Data> inputs(int64_t n, int64_t d, int64_t k) {
    return {{wave(1, {k}), wave(2, {k, d}), 0.5 * wave(3, {k, d * (d + 1) / 2})}, 2.0 * wave(4, {n, d})};
  }

  static Array objective(const Parameters& p, const Data& x) {
    const int64_t d = x.shape(1), k = p.alphas.shape(0);
    const Array diagonal = numpy::exp(p.icf(all, range(d))), below = p.icf(all, range(d, none));
    return log_likelihood(p, x) + 0.5 * (squares(diagonal) + squares(below)) -
           static_cast<double>(k) * prior_constant(d);
  }

  static Array log_likelihood(const Parameters& p, const Data& x) {
    const int64_t n = x.shape(0), d = x.shape(1), k = p.alphas.shape(0);
    const Array log_diagonal = p.icf(all, range(d)), below = p.icf(all, range(d, none));
    const auto upper = numpy::triu_indices(d, 1);
    const Array factors = numpy::zeros({k, d, d}, float64).at(all, upper[1], upper[0]).set(below) +
                          numpy::expand_dims(numpy::exp(log_diagonal), 2) * numpy::eye(d, float64);
    const Array apart =
        numpy::matmul(numpy::expand_dims(x, 0) - numpy::expand_dims(p.means, 1), numpy::swapaxes(factors, 1, 2));
    const Array terms =
        numpy::expand_dims(p.alphas + numpy::sum(log_diagonal, 1), 1) - 0.5 * numpy::sum(numpy::square(apart), 2);
    return numpy::sum(nn::logsumexp(terms, 0)) - static_cast<double>(n) * nn::logsumexp(p.alphas) -
           0.5 * std::log(2 * std::numbers::pi) * static_cast<double>(n * d);
  }

 private:
  /// Of a Wishart prior with gamma 1 and m 0.
  static double prior_constant(int64_t d) {
    const auto size = static_cast<double>(d);
    const double freedom = size + 1;
    double gammas = size * (size - 1) / 4 * std::log(std::numbers::pi);
    for (int64_t j = 0; j < d; ++j) gammas += std::lgamma(0.5 * (freedom - static_cast<double>(j)));
    return -0.5 * freedom * size * std::log(2.0) - gammas;
  }
};

// ---- bundle adjustment: half of the squared residuals
// ----------------------------------------------------------------

/// The point turned around the axis by its length, which isn't 0.
inline Array rotated(const Array& axis, const Array& point) {
  const Array angle = numpy::sqrt(squares(axis)), unit = axis / angle;
  return point * numpy::cos(angle) + numpy::cross(unit, point) * numpy::sin(angle) +
         unit * numpy::dot(unit, point) * (1.0 - numpy::cos(angle));
}

struct Bundle {
  struct Parameters {
    Array cameras;  // [cameras, 11]: rotation, centre, focal length, principal point, two of distortion
    Array points;   // [points, 3]
    Array weights;  // [observations]
  };
  struct Data {
    Array camera_of, point_of;  // [observations]
    Array features;             // [observations, 2]
  };

  static std::pair<Parameters, Data> inputs(int64_t cameras, int64_t points, int64_t observations) {
    const Array scale = numpy::array({0.3, 0.3, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.01, 0.01});
    const Array middle = numpy::array({0.0, 0.0, 0.0, 0.0, 0.0, -5.0, 1.0, 0.0, 0.0, 0.0, 0.0});
    const Array i = numpy::arange(observations);
    return {{middle + scale * wave(1, {cameras, 11}), wave(2, {points, 3}), 0.8 + 0.1 * wave(3, {observations})},
            {i % cameras, i * 7 % points, wave(4, {observations, 2})}};
  }

  static Array objective(const Parameters& p, const Data& d) {
    const auto [errors, of_weights] =
        vmap(residual)(p.cameras(d.camera_of), p.points(d.point_of), p.weights, d.features);
    return 0.5 * (squares(errors) + squares(of_weights));
  }

  /// The two errors of an observation, and that of its weight.
  static std::pair<Array, Array> residual(const Array& camera, const Array& point, const Array& weight,
                                          const Array& feature) {
    const Array seen = rotated(camera(range(0, 3)), point - camera(range(3, 6)));
    const Array picture = seen(range(0, 2)) / seen[2];
    const Array r = squares(picture);
    const Array distorted = picture * (1.0 + camera[9] * r + camera[10] * r * r);
    return {weight * (camera[6] * distorted + camera(range(7, 9)) - feature), 1.0 - weight * weight};
  }
};

// ---- a hand: half of the squared distances of points from its skin
// ---------------------------------------------------

struct HandModel {
  static constexpr int64_t kFingers = 5, kJoints = 4;
  static constexpr int64_t kBones = 2 + kFingers * kJoints;  // the root, the palm, and four of each finger

  Array relative, inverse_base;  // [bones, 4, 4]
  Array weights;                 // [vertices, bones]
  Array base;                    // [vertices, 4]

  static HandModel make(int64_t vertices) {
    const Array weights = numpy::square(wave(3, {vertices, kBones}));
    return {rigid(1, kBones), rigid(2, kBones), weights / numpy::expand_dims(numpy::sum(weights, 1), 1),
            numpy::concatenate({wave(4, {vertices, 3}), numpy::ones({vertices, 1}, float64)}, 1)};
  }

  /// Where the vertices are, [vertices, 3]: theta is an axis of rotation, a place, and of each finger a bend, a turn
  /// and two bends.
  Array skin(const Array& theta) const {
    const std::vector<int64_t> by_finger = {kFingers, kJoints, 4, 4};
    const Array posed = numpy::matmul(numpy::reshape(relative(range(2, none)), by_finger),
                                      numpy::reshape(pose(theta(range(6, none))), by_finger));
    const Array palm = numpy::matmul(relative[0], relative[1]);
    std::vector<Array> chain = {numpy::matmul(palm, posed(all, 0))};
    for (int64_t joint = 1; joint < kJoints; ++joint) chain.push_back(numpy::matmul(chain.back(), posed(all, joint)));
    const Array absolute = numpy::concatenate(
        {relative(range(0, 1)), numpy::expand_dims(palm, 0), numpy::reshape(numpy::stack(chain, 1), {-1, 4, 4})}, 0);
    return placed(absolute, theta);
  }

  /// Where the vertices are when the bones are, [bones, 4, 4], before the rotation and the place in theta.
  Array placed(const Array& absolute, const Array& theta) const {
    const Array transforms = numpy::reshape(numpy::matmul(absolute, inverse_base)(all, range(3)), {kBones, 12});
    const Array blended = numpy::reshape(numpy::matmul(weights, transforms), {-1, 3, 4});
    const Array places = numpy::sum(blended * numpy::expand_dims(base, 1), 2);
    return vmap(rotated, {kNoAxis, 0})(theta(range(3)), places) + theta(range(3, 6));
  }

  /// By a bend, then by a turn: [..., 16].
  static Array rotations(const Array& bend, const Array& turn) {
    const Array o = numpy::zeros_like(bend), e = numpy::ones_like(bend);
    const Array cb = numpy::cos(bend), sb = numpy::sin(bend), ct = numpy::cos(turn), st = numpy::sin(turn);
    return numpy::stack({ct, -st * cb, st * sb, o, st, ct * cb, -ct * sb, o, o, sb, cb, o, o, o, o, e}, -1);
  }

 private:
  /// Transformations near the identity, [count, 4, 4].
  static Array rigid(double seed, int64_t count) {
    const Array last = numpy::broadcast_to(numpy::array({0.0, 0.0, 0.0, 1.0}), {count, 1, 4});
    return numpy::concatenate({numpy::eye(3, 4, 0, float64) + 0.2 * wave(seed, {count, 3, 4}), last}, 1);
  }

  /// Of each finger's joints a rotation by its bend, then by its turn: [fingers, joints, 16].
  static Array pose(const Array& angles) {
    const Array fingers = numpy::reshape(angles, {kFingers, kJoints}), zero = numpy::zeros({kFingers, 1}, float64);
    const Array bend = numpy::concatenate({fingers(all, range(1)), fingers(all, range(2, none)), zero}, 1);
    return rotations(bend, numpy::concatenate({fingers(all, range(1, 2)), zero, zero, zero}, 1));
  }
};

struct Hand {
  using Parameters = Array;  // theta, [26]
  struct Data {
    HandModel model;
    Array correspondences;  // [points]: vertices
    Array points;           // [points, 3]
  };

  static std::pair<Parameters, Data> inputs(int64_t vertices, int64_t points) {
    return {0.3 * wave(5, {26}),
            {HandModel::make(vertices), numpy::arange(points) * 13 % vertices, wave(6, {points, 3})}};
  }
  static Array objective(const Parameters& theta, const Data& d) {
    return 0.5 * squares(d.points - d.model.skin(theta)(d.correspondences));
  }
};

struct ComplicatedHand {
  struct Parameters {
    Array theta;  // [26]
    Array us;     // [points, 2]: where on its triangle each point is
  };
  struct Data {
    HandModel model;
    Array corners;  // [points, 3]: vertices
    Array points;   // [points, 3]
  };

  static std::pair<Parameters, Data> inputs(int64_t vertices, int64_t points) {
    const auto [theta, simple] = Hand::inputs(vertices, points);
    const Array i = numpy::arange(vertices);
    const Array triangles = numpy::stack({i, i * 5 % vertices, i * 11 % vertices}, 1);
    return {{theta, 0.4 + 0.2 * wave(7, {points, 2})},
            {simple.model, triangles(simple.correspondences), simple.points}};
  }
  static Array objective(const Parameters& p, const Data& d) {
    const Array skin = d.model.skin(p.theta), u = p.us(all, range(1)), v = p.us(all, range(1, 2));
    const Array a = skin(d.corners(all, 0)), b = skin(d.corners(all, 1)), c = skin(d.corners(all, 2));
    return 0.5 * squares(d.points - (u * a + v * b + (1.0 - u - v) * c));
  }
};

// ---- an LSTM: the log likelihood of a sequence of letters
// ------------------------------------------------------------

struct Lstm {
  struct Parameters {
    Array main;   // [layers, 2, 4 letters]: weights and biases of the gates
    Array extra;  // [3, letters]: of the input, of the output, and its bias
  };
  struct Data {
    Array state;     // [layers, 2, letters]: hidden and cell
    Array sequence;  // [length, letters]
  };

  static std::pair<Parameters, Data> inputs(int64_t layers, int64_t letters, int64_t length) {
    return {{2.0 * wave(1, {layers, 2, 4 * letters}), 1.0 + 0.3 * wave(2, {3, letters})},
            {0.3 * wave(3, {layers, 2, letters}), numpy::astype(wave(4, {length, letters}) > 0.5, float64)}};
  }

  static Array objective(const Parameters& p, const Data& d) {
    const auto step = [&](const Array& state, const std::pair<Array, Array>& letters) {
      const auto& [given, wanted] = letters;
      const auto [x, after] = through_layers(p, state, given * p.extra[0]);
      const Array predicted = x * p.extra[1] + p.extra[2];
      return std::pair(after, numpy::sum(wanted * (predicted - numpy::log(numpy::sum(numpy::exp(predicted)) + 2.0))));
    };
    const std::pair letters(d.sequence(range(-1)), d.sequence(range(1, none)));
    const Array terms = lax::scan(step, d.state, letters).second;
    return -numpy::sum(terms) / static_cast<double>((d.sequence.shape(0) - 1) * d.sequence.shape(1));
  }

 private:
  /// What comes out of the last layer, and the state after it.
  static std::pair<Array, Array> through_layers(const Parameters& p, const Array& state, Array x) {
    std::vector<Array> after;
    for (int64_t layer = 0; layer < state.shape(0); ++layer) {
      const Array weight = p.main(layer, 0), bias = p.main(layer, 1), hidden = state(layer, 0);
      const std::vector<Array> gates = numpy::split(numpy::concatenate({x, hidden, x, hidden}, 0) * weight + bias, 4);
      const Array cell = state(layer, 1) * nn::sigmoid(gates[0]) + nn::sigmoid(gates[1]) * numpy::tanh(gates[3]);
      x = nn::sigmoid(gates[2]) * numpy::tanh(cell);
      after.push_back(numpy::stack({x, cell}));
    }
    return {x, numpy::stack(after)};
  }
};

/// Tells `visit` of each objective: its name, the inputs that tests take, and a maker of those that are timed.
template <typename Visit>
void for_each_objective(const Visit& visit) {
  visit("gmm", Gmm(), Gmm::inputs(20, 4, 3), [] { return Gmm::inputs(1000, 20, 25); });
  visit("bundle", Bundle(), Bundle::inputs(3, 7, 12), [] { return Bundle::inputs(49, 7776, 31843); });
  visit("hand", Hand(), Hand::inputs(60, 9), [] { return Hand::inputs(544, 100); });
  visit("complicated_hand", ComplicatedHand(), ComplicatedHand::inputs(60, 9),
        [] { return ComplicatedHand::inputs(544, 100); });
  visit("lstm", Lstm(), Lstm::inputs(2, 3, 8), [] { return Lstm::inputs(2, 14, 1024); });
}

}  // namespace adbench
