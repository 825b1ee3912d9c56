// SPDX-License-Identifier: Apache-2.0
// examples/big_product.cc -- a product of matrices that are larger than the memory that a device may use: eight devices
// have rows of both, and those of the second go round in a ring. `big_product [DEVICES]` has this many in this process,
// 8 by default; under mpirun the ring goes through all processes: `mpirun -n 4 big_product 2`. Eight in all have memory
// enough. Source    Wang et al. (2023), "Overlap communication with dependent computation", for the ring
#include <cstdio>
#include <cstdlib>

#include "hilo/hilo.h"

using namespace hilo;

constexpr int64_t kSize = 1024;                 // three matrices of 4 MiB
constexpr int64_t kMaxBytes = 5 * 1024 * 1024;  // of each device, for a program's arguments, results and temporaries

/// Numbers between 0 and 1 of some rows and columns; no device ever has the whole.
Array rows_of(const ShardIndex& at, float speed) {
  const auto begin = [](const Range& r) { return r.start.value_or(0); };
  const auto end = [](const Range& r) { return r.stop.value_or(kSize); };
  const Array i = numpy::arange(begin(at[0]), end(at[0]), 1, float32),
              j = numpy::arange(begin(at[1]), end(at[1]), 1, float32);
  return 0.5f + 0.5f * numpy::sin(speed * (numpy::expand_dims(i, 1) * 0.37f + j * 1.31f));
}

/// f32[n/p,k], f32[k/p,m] -> f32[n/p,m]: in step s device d has the rows of device d - s.
Array ring_product(const Array& a, const Array& b) {
  const int64_t devices = lax::axis_size("ring"), rows = b.shape(0);
  std::vector<std::pair<int64_t, int64_t>> next;
  for (int64_t d = 0; d < devices; ++d) next.emplace_back(d, (d + 1) % devices);
  const Array place = lax::axis_index("ring");
  const auto step = [&](Array s, std::pair<Array, Array> carry) {
    const auto& [sum, held] = carry;
    const Array whose = numpy::remainder(place - s, static_cast<int>(devices));
    const Array columns = lax::dynamic_slice_in_dim(a, whose * static_cast<int>(rows), rows, 1);
    return std::pair(sum + numpy::matmul(columns, held), lax::ppermute(held, "ring", next));
  };
  const Array nothing = numpy::zeros({a.shape(0), b.shape(1)}) * a[0][0];
  return lax::fori_loop(0, static_cast<int>(devices), step, std::pair(nothing, b)).first;
}

int main(int argc, char** argv) {
  config().update("jax_replica_count", argc > 1 ? std::atoi(argv[1]) : 8);
  config().update("hilo_max_memory", kMaxBytes);
  const Mesh mesh(devices(), {"ring"});
  const NamedSharding rows(mesh, P("ring"));
  const auto matrix = [&](float speed) {
    return make_array_from_callback({kSize, kSize}, rows, [&](const ShardIndex& at) { return rows_of(at, speed); });
  };
  const Array a = matrix(0.7f), b = matrix(0.3f);

  // One device can't: it may not use as much.
  std::string refusal;
  try {
    jit([](Array x, Array y) { return numpy::matmul(x, y); })
        .lower(ShapeDtypeStruct({kSize, kSize}, float32), ShapeDtypeStruct({kSize, kSize}, float32))
        .compile();
  } catch (const Error& error) {
    refusal = error.what();
  }

  const auto product = shard_map(ring_product, mesh, P("ring"), P("ring"));
  const auto compiled = product.lower(a, b).compile();
  const Array c = compiled(a, b);
  // c v = a (b v) for a vector v, by sums that every device has a part of.
  const Array v = 1.0f + 0.5f * numpy::cos(numpy::arange(kSize, float32));
  const Array wanted = numpy::matmul(a, numpy::matmul(b, v));
  const double apart =
      (numpy::max(numpy::abs(numpy::matmul(c, v) - wanted)) / numpy::max(numpy::abs(wanted))).item<double>();
  if (process_index() != 0) return 0;

  const CompiledMemoryStats memory = compiled.memory_analysis();
  std::printf("on one device: %s\n", refusal.c_str());
  std::printf("on %lld devices: %lld bytes on each at most; relative difference %.1e\n",
              static_cast<long long>(mesh.size()), static_cast<long long>(memory.peak_memory_in_bytes), apart);
  const bool refused = refusal.find("RESOURCE_EXHAUSTED") != std::string::npos;
  const bool right = refused && memory.peak_memory_in_bytes <= kMaxBytes && apart < 1e-5;
  std::printf("product in a ring: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
