// SPDX-License-Identifier: Apache-2.0
// examples/heat.cc -- heat spreads over a plate whose rows eight devices share: each keeps its own rows and, before
// each step, gets its neighbours' outermost rows, the halo.
#include <cmath>
#include <cstdio>

#include "hilo/hilo.h"

using namespace hilo;

constexpr int64_t kDevices = 8, kRows = 256, kColumns = 192;
constexpr int kSteps = 200;
constexpr float kRate = 0.2f;

/// One step of a plate whose rim stays as it is: f32[h,w] with one more row above and below -> f32[h-2,w].
Array spread(const Array& rows) {
  const Array middle = rows(range(1, -1), all);
  const Array sides = numpy::pad(middle, {{0, 0}, {1, 1}}, {.mode = "edge"});
  const Array around =
      rows(range(0, -2), all) + rows(range(2, none), all) + sides(all, range(0, -2)) + sides(all, range(2, none));
  return middle + kRate * (around - 4.0f * middle);
}

Array whole_step(const Array& plate) { return spread(numpy::pad(plate, {{1, 1}, {0, 0}}, {.mode = "edge"})); }

/// The same of a device's rows. A device without a neighbour above or below repeats its own row there, as the rim does.
Array step_of_part(const Array& rows) {
  std::vector<std::pair<int64_t, int64_t>> down, up;
  for (int64_t i = 0; i + 1 < kDevices; ++i) {
    down.emplace_back(i, i + 1);
    up.emplace_back(i + 1, i);
  }
  const Array first = rows(range(0, 1), all), last = rows(range(-1, none), all), place = lax::axis_index("rows");
  const Array above = numpy::where(place == 0, first, lax::ppermute(last, "rows", down));
  const Array below = numpy::where(place == kDevices - 1, last, lax::ppermute(first, "rows", up));
  return spread(numpy::concatenate({above, rows, below}, 0));
}

template <typename Step>
auto many(Step step) {
  return [step](Array plate) { return lax::fori_loop(0, kSteps, [&](Array, Array now) { return step(now); }, plate); };
}

/// Hot in a disc off the middle.
Array start() {
  const Array y = numpy::arange(kRows, ElementType::kF32)(all, newaxis), x = numpy::arange(kColumns, ElementType::kF32);
  return numpy::where(numpy::square(y - 100.0f) + numpy::square(x - 60.0f) < 900.0f, 100.0f, 0.0f);
}

int main() {
  config().update("jax_replica_count", kDevices);
  const Mesh mesh = make_mesh({kDevices}, {"rows"});
  const NamedSharding by_rows(mesh, P("rows"));
  const Array plate = device_put(start(), by_rows);

  const auto shared = shard_map(many(step_of_part), mesh, P("rows"), P("rows"));
  const Array result = shared(plate);
  const Array wanted = jit(many(whole_step))(start());

  const float difference = numpy::max(numpy::abs(result - wanted)).item<float>();
  const std::vector<Shard> shards = result.addressable_shards();
  std::printf("%s: %zu devices have %s each\n", result.sharding().to_string().c_str(), shards.size(),
              shards[0].data.aval_shape().to_string().c_str());
  std::printf("heat %.1f, hottest %.3f, greatest difference from one device %.1e\n", numpy::sum(result).item<double>(),
              numpy::max(result).item<double>(), static_cast<double>(difference));
  const bool right = difference < 1e-4f && std::abs(numpy::sum(result - plate).item<float>()) < 10;
  std::printf("heat over %d devices: %s\n", static_cast<int>(kDevices), right ? "right" : "wrong");
  return right ? 0 : 1;
}
