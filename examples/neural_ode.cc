// SPDX-License-Identifier: Apache-2.0
// examples/neural_ode.cc -- a network as the right side of a differential equation, fitted to a spiral. Its gradient
// solves the adjoint equation backwards, from a custom_vjp, and keeps none of the solver's steps. Source    Chen et
// al., "Neural ordinary differential equations" (2018)
#include "examples/support/compared.h"

using namespace hilo;

constexpr float kStep = 0.05f;
constexpr int kSteps = 60;

struct Network {
  Array w1, b1, w2, b2;
};

Array slope(const Array& y, const Network& p) {
  return numpy::matmul(numpy::tanh(numpy::matmul(y, p.w1) + p.b1), p.w2) + p.b2;
}

// One step of the classical Runge-Kutta method, of any tree; backwards if `h` is negative.
template <typename State, typename Right>
State rk4(const Right& right, const State& s, float h) {
  const auto moved = [&s](const State& d, float time) {
    return tree::map([time](Array v, Array dv) { return v + time * dv; }, s, d);
  };
  const State k1 = right(s);
  const State k2 = right(moved(k1, h / 2));
  const State k3 = right(moved(k2, h / 2));
  const State k4 = right(moved(k3, h));
  const auto next = [h](Array v, Array a, Array b, Array c, Array d) { return v + h / 6 * (a + 2 * b + 2 * c + d); };
  return tree::map(next, s, k1, k2, k3, k4);
}

// Where the equation leads from y0, f32[kSteps, 2].
Array forward(const Array& y0, const Network& p) {
  const auto step = [&](const Array& y, std::nullopt_t) {
    const Array next = rk4([&](const Array& v) { return slope(v, p); }, y, kStep);
    return std::pair(next, next);
  };
  return lax::scan(step, y0, std::nullopt, kSteps).second;
}

// A point, the loss' slope there, and the loss' slope with respect to the network, so far.
struct Adjoint {
  Array y, a;
  Network of_network;
};

Adjoint adjoint_slope(const Adjoint& s, const Network& p) {
  const auto [dy, pull] = vjp(slope, s.y, p);
  const auto [of_y, of_network] = pull(s.a);
  const auto negative = [](const Array& v) { return -v; };
  return {dy, -of_y, tree::map(negative, of_network)};
}

std::tuple<Array, Network> backward(const std::tuple<Array, Network>& known, const Array& cotangents) {
  const auto& [ys, p] = known;
  const auto step = [&p](const std::pair<Array, Network>& carry, const std::pair<Array, Array>& x) {
    const Adjoint start{x.first, carry.first + x.second, carry.second};
    const Adjoint back = rk4([&](const Adjoint& s) { return adjoint_slope(s, p); }, start, -kStep);
    return std::pair(std::pair(back.a, back.of_network), std::tuple<>());
  };
  const auto zeros = [](const Array& v) { return numpy::zeros_like(v); };
  const std::pair<Array, Network> start(numpy::zeros({2}), tree::map(zeros, p));
  const auto [of_y0, of_network] = lax::scan(step, start, std::pair(ys, cotangents), {.reverse = true}).first;
  return {of_y0, of_network};
}

Array solve(const Array& y0, const Network& p) {
  static const auto solver = custom_vjp(forward).defvjp(
      [](const Array& start, const Network& q) {
        const Array ys = solve(start, q);
        return std::pair(ys, std::tuple(ys, q));
      },
      backward);
  return solver(y0, p);
}

Array spiral() {
  const Array t = kStep * numpy::arange(1, kSteps + 1).astype(float32);
  const Array radius = numpy::exp(-0.3f * t);
  return numpy::stack({radius * numpy::cos(2.0f * t), radius * numpy::sin(2.0f * t)}, 1);
}

int main() {
  const std::vector<random::Key> keys = random::split(random::key(0), 2);
  Network p{0.5f * random::normal(keys[0], {2, 16}), numpy::zeros({16}), 0.5f * random::normal(keys[1], {16, 2}),
            numpy::zeros({2})};
  const Array start = numpy::array({1.0f, 0.0f}), truth = spiral();
  const auto loss = [&](const Network& q) { return numpy::mean(numpy::square(solve(start, q) - truth)); };
  const auto descend =
      jit([&](const Network& q) { return tree::map([](Array v, Array g) { return v - 0.1f * g; }, q, grad(loss)(q)); });

  const Array first = jit(loss)(p);
  const auto squares = [](const Array& sum, const Array& g) { return sum + numpy::sum(g * g); };
  const Array norm = numpy::sqrt(tree::reduce(squares, jit(grad(loss))(p), numpy::zeros({})));
  for (int i = 0; i < 200; ++i) p = descend(p);
  return compare_with_jax("neural ODE",
                          {{"loss at first", first, 1.791546},
                           {"norm of its gradient", norm, 16.34696},
                           {"loss after 200 steps", jit(loss)(p), 0.1687301}},
                          1e-3);
}
