// SPDX-License-Identifier: Apache-2.0
// examples/controller.cc -- learns how hard to push a cart so that the pole on it stands, by the gradient of 1,000
// steps of the whole simulation. checkpoint keeps every fiftieth state and computes the others again.
#include "examples/support/compared.h"

using namespace hilo;

struct State {
  Array x, speed, angle, spin;
};

// One step of 10 ms, and the force in it.
std::pair<State, Array> pushed(const State& s, const Array& gains) {
  constexpr float kStep = 0.01f;
  const Array sine = numpy::sin(s.angle), cosine = numpy::cos(s.angle);
  const Array force = numpy::dot(gains, numpy::stack({s.x, s.speed, sine, s.spin}));
  const Array swing = 0.05f * numpy::square(s.spin) * sine;
  const Array spin_rate =
      (9.81f * sine - cosine * (force + swing) / 1.1f) / (0.5f * (4.0f / 3.0f - 0.1f * numpy::square(cosine) / 1.1f));
  const Array speed_rate = (force + swing - 0.05f * spin_rate * cosine) / 1.1f;
  const Array speed = s.speed + kStep * speed_rate, spin = s.spin + kStep * spin_rate;
  return {{s.x + kStep * speed, speed, s.angle + kStep * spin, spin}, force};
}

// Fifty steps and what they cost.
std::pair<State, Array> fifty_steps(const State& start, const Array& gains) {
  const auto one = [&](const State& s, std::nullopt_t) {
    const auto [next, force] = pushed(s, gains);
    return std::pair(next, numpy::square(next.x) + 10.0f * numpy::square(next.angle) + 0.01f * numpy::square(force));
  };
  const auto [last, costs] = lax::scan(one, start, std::nullopt, 50);
  return {last, numpy::sum(costs)};
}

template <typename Block>
Array cost(const Block& block, const Array& gains) {
  const State start{numpy::full({}, 0.3f), numpy::zeros({}), numpy::full({}, 0.2f), numpy::zeros({})};
  const auto next = [&](const State& s, std::nullopt_t) { return block(s, gains); };
  return numpy::sum(lax::scan(next, start, std::nullopt, 20).second) / 1000.0f;
}

int main() {
  const auto plain = [](const Array& gains) { return cost(fifty_steps, gains); };
  const auto careful = [](const Array& gains) { return cost(checkpoint(fifty_steps), gains); };
  Array gains = numpy::array({1.0f, 2.0f, 30.0f, 5.0f});
  const auto bytes = [&](const auto& f) {
    return static_cast<long>(lower(grad(f), gains).compile().memory_analysis().temp_size_in_bytes);
  };
  const long with = bytes(careful), without = bytes(plain);
  std::printf("memory of the gradient: %ld bytes, without checkpoint %ld\n", with, without);

  const auto [value, slope] = jit(value_and_grad(careful))(gains);
  const auto descend = jit([&](const Array& g) { return g - 2.0f * grad(careful)(g); });
  for (int i = 0; i < 50; ++i) gains = descend(gains);
  if (with >= without) return 1;
  return compare_with_jax("controller",
                          {{"cost at first", value, 0.1032685},
                           {"its slope by place", slope[0], -0.05828485},
                           {"by speed", slope[1], -0.01816595},
                           {"by angle", slope[2], -0.0003200022},
                           {"by spin", slope[3], 0.01693837},
                           {"cost after 50 steps", jit(careful)(gains), 0.07468762}},
                          1e-3);
}
