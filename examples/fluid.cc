// SPDX-License-Identifier: Apache-2.0
// examples/fluid.cc -- how to stir a fluid so that its smoke becomes a picture, by differentiating the fluid: `fluid
// [report.html]`. Source    Stam, "Stable Fluids" (1999); the task as in Maclaurin et al., "Autograd" (2015)
#include "examples/support/page.h"

using namespace hilo;

constexpr int64_t kSize = 32;  // cells a side; what leaves at one side comes in at the other
constexpr int kSteps = 16, kTurns = 60;

struct Velocity {
  Array x, y;
};

// The velocity without what flows into a place and stays: its gradient part goes, in frequencies.
Velocity project(const Velocity& v) {
  const Array all_k = fft::fftfreq(kSize) * static_cast<float>(kSize);
  const Array k = numpy::where(numpy::abs(all_k) < kSize / 2, all_k, 0);  // the highest one has no direction
  const Array kx = numpy::expand_dims(k, 0), ky = numpy::expand_dims(k, 1);
  const Array square = numpy::maximum(kx * kx + ky * ky, 1);
  const Array x = fft::fft2(v.x), y = fft::fft2(v.y), inward = (kx * x + ky * y) / square;
  return {numpy::real(fft::ifft2(x - kx * inward)), numpy::real(fft::ifft2(y - ky * inward))};
}

// What is at a place was upstream a step ago: linear between the four cells there.
Array advect(const Array& field, const Velocity& v) {
  const Array at = numpy::arange(kSize).astype(ElementType::kF32);
  const Array y = numpy::expand_dims(at, 1) - v.y, x = numpy::expand_dims(at, 0) - v.x;
  const Array top = numpy::floor(y), left = numpy::floor(x), dy = y - top, dx = x - left;
  const auto cell = [&](const Array& row, const Array& column) {
    const auto wrapped = [](const Array& i) { return numpy::mod(i.astype(ElementType::kS32), kSize); };
    return numpy::take(numpy::reshape(field, {-1}), wrapped(row) * kSize + wrapped(column));
  };
  return (1 - dy) * ((1 - dx) * cell(top, left) + dx * cell(top, left + 1)) +
         dy * ((1 - dx) * cell(top + 1, left) + dx * cell(top + 1, left + 1));
}

// The smoke after each step.
Array simulate(const Velocity& start, const Array& smoke) {
  struct State {
    Velocity v;
    Array smoke;
  };
  const auto step = [](const State& s, const Array&) {
    const Velocity moved = project({advect(s.v.x, s.v), advect(s.v.y, s.v)});
    const State next = {moved, advect(s.smoke, moved)};
    return std::pair(next, next.smoke);
  };
  return lax::scan(step, State{project(start), smoke}, numpy::arange(kSteps)).second;
}

// A ring, in a square with soft edges.
Array ring() {
  const Array at = numpy::arange(kSize).astype(ElementType::kF32) - (kSize - 1) / 2.0f;
  const Array radius = numpy::sqrt(numpy::square(numpy::expand_dims(at, 1)) + numpy::square(numpy::expand_dims(at, 0)));
  return nn::sigmoid(1.5f * (3.0f - numpy::abs(radius - 8.0f)));
}

int main(int argc, char** argv) {
  const Array target = ring();
  // As much smoke as the ring has, in the left half.
  const Array half = numpy::broadcast_to((numpy::arange(kSize) < kSize / 2).astype(ElementType::kF32), {kSize, kSize});
  const Array smoke = half * (2 * numpy::mean(target));
  const auto loss = [&](const Velocity& v) { return numpy::mean(numpy::square(simulate(v, smoke)[-1] - target)); };

  const std::vector<random::Key> keys = random::split(random::key(0));
  Velocity v = {0.1f * random::normal(keys[0], {kSize, kSize}), 0.1f * random::normal(keys[1], {kSize, kSize})};
  const auto adam = optim::adam(0.1);
  optim::OptState state = adam.init(v);
  const auto turn = jit([&](const Velocity& now, const optim::OptState& s) {
    const auto [value, gradient] = value_and_grad(loss)(now);
    const auto [updates, next] = adam.update(gradient, s, now);
    return std::tuple(optim::apply_updates(now, updates), next, value);
  });
  std::vector<double> losses;
  training::Progress progress("stirring", kTurns);
  for (int i = 0; i < kTurns; ++i) {
    Array value;
    std::tie(v, state, value) = turn(v, state);
    losses.push_back(value.item<double>());
    progress.step(i + 1, "loss " + std::to_string(losses.back()));
  }
  progress.finish();

  const Array frames = jit([&](const Velocity& now) { return simulate(now, smoke); })(v);
  const Velocity free = project(v);
  const Array flows_in = numpy::max(numpy::abs(project(free).x - free.x));  // a second projection changes nothing
  examples::Page page("Smoke that is stirred into a ring");
  page.chart("mean square difference", {examples::curve("loss", losses)});
  page.picture("the smoke at first", smoke, 0, 1, 6);
  for (int64_t i : {3, 7, 11, kSteps - 1})
    page.picture("after " + std::to_string(i + 1) + " steps", frames[i], 0, 1, 6);
  page.picture("what was wanted", target, 0, 1, 6);
  page.picture("stirred to the right (bright) or left", free.x, -2, 2, 6);
  std::printf("difference %.4f, %.4f at first\n", losses.back(), losses.front());
  return examples::finish(page, argc, argv, "fluid",
                          losses.back() < 0.25 * losses.front() && flows_in.item<double>() < 1e-3);
}
