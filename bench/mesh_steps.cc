// SPDX-License-Identifier: Apache-2.0
// bench/mesh_steps.cc -- training steps whose batch the devices of a mesh share, compared with the simulator's
// estimates: `mesh_steps` on one device, `mpirun -n 2 --bind-to core mesh_steps` on two. Least times; rates and links
// are measured first.
#include <cmath>
#include <cstdio>

#include "bench/timing.h"
#include "hilo/device/executable.h"
#include "hilo/hilo.h"
#include "hilo/inspect/simulate/simulate.h"

using namespace hilo;

namespace {

/// The shortest of many calls, in seconds.
double least_seconds(const std::function<void()>& call, int times) {
  call();
  double least = 1e30;
  for (int i = 0; i < times; ++i) {
    const bench::Clock::time_point start = bench::Clock::now();
    call();
    least = std::min(least, bench::microseconds_since(start) * 1e-6);
  }
  return least;
}

/// What one device does with arrays that stay in its cache, as those of the steps do, and what a meeting of all costs:
/// that of a word is latency, the rest of a long one bandwidth.
hlo::Machine measured(const Mesh& mesh) {
  hlo::Machine machine;
  const Array a = numpy::ones({384, 384}), wide = numpy::ones({1 << 17});
  const auto product = jit([](Array x) { return numpy::matmul(x, x); });
  const auto exponentials = jit([](Array x) { return numpy::exp(x); });
  const auto copies = jit([](Array x) { return x + 1.0f; });
  machine.flops = 2.0 * 384 * 384 * 384 / least_seconds([&] { product(a); }, 200);
  machine.transcendentals = (1 << 17) / least_seconds([&] { exponentials(wide); }, 40);
  machine.memory_bandwidth = 8.0 * (1 << 17) / least_seconds([&] { copies(wide); }, 40);
  const auto p = static_cast<double>(mesh.size());
  if (p == 1) return machine;
  const auto meeting = [&](int64_t floats) {
    const auto sum = shard_map([](Array x) { return lax::psum(x, "data"); }, mesh, P("data"), P());
    const Array x = device_put(numpy::ones({mesh.size() * floats}), NamedSharding(mesh, P("data")));
    return least_seconds([&] { block_until_ready(sum(x)); }, 300);
  };
  const double word = meeting(1), large = meeting(1 << 18);
  machine.links.latency = word / (2 * (p - 1));
  machine.links.bandwidth = 2 * (p - 1) / p * 4.0 * (1 << 18) / (large - word);
  return machine;
}

struct Layers {
  std::vector<Array> weights;
};

Array noise(int seed, const std::vector<int64_t>& shape) {
  return random::normal(random::key(seed), Dimensions(shape)) / std::sqrt(static_cast<float>(shape[0]));
}

/// The network of examples/digits.cc.
Array digits_loss(const Layers& p, const Array& x, const Array& y) {
  const Array hidden = nn::relu(numpy::matmul(x, p.weights[0]));
  return -numpy::mean(numpy::sum(y * nn::log_softmax(numpy::matmul(hidden, p.weights[1])), 1));
}

/// One layer of attention and one that is dense, by heads of 16: f32[batch,32,128].
Array transformer_loss(const Layers& p, const Array& x, const Array& y) {
  const auto heads = [&](size_t i) { return numpy::einsum("bsw,whd->bhsd", x, p.weights[i]); };
  const Array scores = nn::softmax(numpy::einsum("bhsd,bhtd->bhst", heads(0), heads(1)) * 0.25f, -1);
  const Array mixed =
      x + numpy::einsum("bhsd,hdw->bsw", numpy::einsum("bhst,bhtd->bhsd", scores, heads(2)), p.weights[3]);
  const Array out = mixed + numpy::matmul(nn::relu(numpy::matmul(mixed, p.weights[4])), p.weights[5]);
  return numpy::mean(numpy::square(out - y));
}

template <typename Loss>
void report(const char* name, const Mesh& mesh, const hlo::Machine& machine, const Loss& loss, Layers layers,
            const Array& x, const Array& y) {
  const NamedSharding rows(mesh, P("data")), whole(mesh, P());
  const auto step = jit(
      [&](const Layers& p, const Array& inputs, const Array& targets) {
        const Layers slopes = grad(loss)(p, inputs, targets);
        return tree_map([](const Array& w, const Array& g) { return w - 0.01f * g; }, p, slopes);
      },
      {.in_shardings = {whole, rows, rows}, .out_shardings = whole});
  layers = device_put(layers, whole);
  const Array mine = device_put(x, rows), wanted = device_put(y, rows);
  const auto compiled = step.lower(layers, mine, wanted).compile();
  const double seconds = least_seconds([&] { layers = block_until_ready(compiled(layers, mine, wanted)); }, 300);
  const hlo::Simulation told = hlo::simulate(*compiled.runtime_executable()->optimized_module(), mesh.size(), machine);
  if (process_index() != 0) return;
  std::printf("step %s devices %lld us %.1f simulated %.1f of it computing %.1f sending %.1f\n", name,
              static_cast<long long>(mesh.size()), 1e6 * seconds, 1e6 * told.seconds, 1e6 * told.computing,
              1e6 * told.sending);
}

}  // namespace

int main() try {
  const Mesh mesh(devices(), {"data"});
  const hlo::Machine machine = measured(mesh);
  if (process_index() == 0)
    std::printf("device: %.1f GFLOP/s, %.2f G exp/s, %.1f GB/s; links: %.1f us, %.2f GB/s\n", machine.flops * 1e-9,
                machine.transcendentals * 1e-9, machine.memory_bandwidth * 1e-9, machine.links.latency * 1e6,
                machine.links.bandwidth * 1e-9);
  report("digits", mesh, machine, digits_loss, {{noise(1, {64, 128}), noise(2, {128, 10})}}, noise(3, {128, 64}),
         numpy::abs(noise(4, {128, 10})));
  report("transformer", mesh, machine, transformer_loss,
         {{noise(1, {128, 8, 16}), noise(2, {128, 8, 16}), noise(3, {128, 8, 16}), noise(4, {8, 16, 128}),
           noise(5, {128, 512}), noise(6, {512, 128})}},
         noise(7, {8, 32, 128}), noise(8, {8, 32, 128}));
  return 0;
} catch (const Error& error) {
  return std::fprintf(stderr, "mesh_steps: %s\n", error.what()), 1;
}
