// SPDX-License-Identifier: Apache-2.0
// examples/sharded_transformer.cc -- a transformer whose heads and hidden units the devices of a mesh share along one
// axis and whose batch along the other: `sharded_transformer [DEVICES]` has this many in this process, 4 by default.
// Under mpirun the mesh has those of all processes: `mpirun -n 4 sharded_transformer 1`. It learns sequences that count
// in steps, as on one device. Source    Shoeybi et al. (2019) for what the devices share; the layers are those of
// Vaswani et al. (2017)
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "hilo/hilo.h"

using namespace hilo;

constexpr int64_t kNumbers = 32, kWidth = 32, kHeads = 4, kHeadWidth = 8, kHidden = 128, kContext = 16, kBatch = 32;
constexpr int kLayers = 2, kSteps = 60;

struct Block {
  Array query, key, value, out;  // [width, heads, head width]; out: [heads, head width, width]
  Array wide, narrow;
};
struct Model {
  Array numbers, places;
  std::vector<Block> blocks;
};

/// How the devices share a model: heads and hidden units along "model", the rest is everywhere.
struct Plan {
  NamedSharding whole, heads, out, wide, narrow;
  explicit Plan(const Mesh& mesh)
      : whole(mesh, P()),
        heads(mesh, P(none, "model")),
        out(mesh, P("model")),
        wide(mesh, P(none, "model")),
        narrow(mesh, P("model")) {}
};

Model placed(const Model& m, const Plan& plan) {
  Model made{device_put(m.numbers, plan.whole), device_put(m.places, plan.whole), {}};
  for (const Block& b : m.blocks) {
    made.blocks.push_back({device_put(b.query, plan.heads), device_put(b.key, plan.heads),
                           device_put(b.value, plan.heads), device_put(b.out, plan.out), device_put(b.wide, plan.wide),
                           device_put(b.narrow, plan.narrow)});
  }
  return made;
}

Array noise(const random::Key& key, const std::vector<int64_t>& shape, int64_t inputs) {
  return random::normal(key, Dimensions(shape)) / std::sqrt(static_cast<float>(inputs));
}

Model init(const random::Key& seed) {
  Model m{noise(random::fold_in(seed, 0), {kNumbers, kWidth}, kWidth),
          noise(random::fold_in(seed, 1), {kContext, kWidth}, kWidth),
          {}};
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::vector<random::Key> k = random::split(random::fold_in(seed, 2 + layer), 6);
    const std::vector<int64_t> heads = {kWidth, kHeads, kHeadWidth};
    m.blocks.push_back({noise(k[0], heads, kWidth), noise(k[1], heads, kWidth), noise(k[2], heads, kWidth),
                        noise(k[3], {kHeads, kHeadWidth, kWidth}, kWidth), noise(k[4], {kWidth, kHidden}, kWidth),
                        noise(k[5], {kHidden, kWidth}, kHidden)});
  }
  return m;
}

Array normed(const Array& x) {
  return x / numpy::sqrt(numpy::mean(numpy::square(x), {.axis = -1, .keepdims = true}) + 1e-6f);
}

/// f32[batch, places, width] -> the same; each device computes its heads, and the sum over heads joins them.
Array attention(const Block& b, const Array& x) {
  const Array q = numpy::einsum("bsw,whd->bhsd", x, b.query), k = numpy::einsum("bsw,whd->bhsd", x, b.key);
  const Array v = numpy::einsum("bsw,whd->bhsd", x, b.value);
  const Array scores = numpy::einsum("bhsd,bhtd->bhst", q, k) / std::sqrt(static_cast<float>(kHeadWidth));
  const Array seen = numpy::tril(numpy::ones({kContext, kContext}));
  const Array weights = nn::softmax(numpy::where(seen > 0.5f, scores, -1e9f), -1);
  return numpy::einsum("bhsd,hdw->bsw", numpy::einsum("bhst,bhtd->bhsd", weights, v), b.out);
}

/// Of sequences with one number more than the context.
Array loss(const Model& m, const Array& sequences) {
  const Array given = sequences(all, range(0, kContext)), next = sequences(all, range(1, none));
  Array x = numpy::matmul(nn::one_hot(given, kNumbers), m.numbers) + m.places;
  for (const Block& b : m.blocks) {
    x = x + attention(b, normed(x));
    // Smooth: where relu has its corner, inputs that are rounded to different sides have different slopes. From then on
    // one device and several learn apart.
    x = x + numpy::matmul(nn::gelu(numpy::matmul(normed(x), b.wide)), b.narrow);
  }
  const Array scores = nn::log_softmax(numpy::matmul(normed(x), m.numbers.T()), -1);
  return -numpy::mean(numpy::sum(nn::one_hot(next, kNumbers) * scores, -1));
}

/// s32[32,17]: each row counts in a step of its own.
Array sequences(const random::Key& key) {
  const std::vector<random::Key> keys = random::split(key);
  const Array first = random::randint(keys[0], {kBatch, 1}, 0, kNumbers),
              step = random::randint(keys[1], {kBatch, 1}, 1, 4);
  return numpy::remainder(first + step * numpy::arange(kContext + 1), static_cast<int>(kNumbers));
}

Array slope_step(const Array& w, const Array& slope) { return w - 0.3f * slope; }

std::pair<Model, Array> step(const Model& m, const Array& batch) {
  const auto [value, slopes] = value_and_grad(loss)(m, batch);
  return {tree_map(slope_step, m, slopes), value};
}

/// The loss of each step.
template <typename Step, typename Place>
std::vector<double> train(Model& model, const Step& one_step, const Place& place) {
  std::vector<double> losses;
  for (int i = 0; i < kSteps; ++i) {
    Array value;
    std::tie(model, value) = one_step(model, place(sequences(random::fold_in(random::key(7), i))));
    losses.push_back(value.item<double>());
  }
  return losses;
}

int main(int argc, char** argv) {
  config().update("jax_replica_count", argc > 1 ? std::atoi(argv[1]) : 4);
  if (device_count() % 2 != 0) return std::fprintf(stderr, "wanted an even number of devices\n"), 2;
  const Mesh mesh = make_mesh({device_count() / 2, 2}, {"data", "model"});
  const Plan plan(mesh);
  const NamedSharding rows(mesh, P("data"));
  const Model start = init(random::key(1));

  Model alone = start, shared = placed(start, plan);
  const auto on_one = jit([](const Model& m, const Array& batch) { return step(m, batch); });
  const auto on_all = jit([](const Model& m, const Array& batch) { return step(m, batch); });
  const std::vector<double> wanted = train(alone, on_one, [](const Array& batch) { return batch; });
  const std::vector<double> got = train(shared, on_all, [&](const Array& batch) { return device_put(batch, rows); });

  double apart = 0;
  for (int i = 0; i < kSteps; ++i) apart = std::max(apart, std::abs(got[i] - wanted[i]));
  const auto bytes_of = [&](const auto& compiled) { return compiled.memory_analysis().argument_size_in_bytes; };
  const Array batch = sequences(random::key(9));
  const int64_t whole = bytes_of(on_one.lower(alone, batch).compile());
  const int64_t part = bytes_of(on_all.lower(shared, device_put(batch, rows)).compile());
  const bool stays = shared.blocks[0].query.sharding().is_equivalent_to(plan.heads, 3) &&
                     shared.blocks[1].narrow.sharding().is_equivalent_to(plan.narrow, 2);
  if (process_index() != 0) return 0;
  std::printf("%s: loss %.4f, %.4f at first; apart from one device's by %.1e at most\n", mesh.to_string().c_str(),
              got.back(), got.front(), apart);
  std::printf("model and batch: %lld bytes on one device, %lld on each of the mesh\n", static_cast<long long>(whole),
              static_cast<long long>(part));
  const bool right = apart < 1e-3 && got.back() < 0.5 * got.front() && part < 0.6 * static_cast<double>(whole) && stays;
  std::printf("sharded transformer: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
