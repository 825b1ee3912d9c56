// SPDX-License-Identifier: Apache-2.0
// tests/processes/mesh_program.cc -- one of several processes that run.py starts: arrays on a mesh of all processes'
// devices. `mesh_program values` prints a line for each device and each value. `save FILE` and `restore FILE` write and
// read a checkpoint. `refusals` prints error messages; `nans` computes a NaN on one device.
#include <cstdio>

#include "hilo/base/text_hash.h"
#include "hilo/hilo.h"

using namespace hilo;

namespace {

/// Numbers whose sum depends on the order of additions.
Array awkward(const std::vector<int64_t>& shape, ElementType type = ElementType::kF32) {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  const Array f = numpy::astype(numpy::arange(size), ElementType::kF32);
  const Array values = 1e4f / (numpy::remainder(f, 97.0f) + 3.0f) - f * 0.0037f;
  return numpy::astype(numpy::reshape(values, Dimensions(shape)), type);
}

size_t hash_of(const Array& x) {
  const Literal value = x.to_literal();
  return TextHash()({reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size()});
}

/// Prints one line per device of this process.
void print(const std::string& name, const Array& x) {
  for (const Shard& shard : x.addressable_shards())
    std::printf("device %d %s %s %016zx\n", shard.device->id(), name.c_str(),
                shard.data.aval_shape().to_string().c_str(), hash_of(shard.data));
}

/// Meshes with the devices in one row, in two rows, and in another order.
std::vector<Mesh> meshes() {
  std::vector<DevicePtr> turned = devices();
  std::swap(turned[0], turned.back());
  return {Mesh(devices(), {"x"}), Mesh(turned, {device_count() / 2, 2}, {"y", "x"})};
}

void collectives(const Mesh& mesh, ElementType type) {
  const std::string suffix = " of " + mesh.to_string() + " " + std::string(element_type_name(type));
  const int64_t n = mesh.axis_size("x");
  std::vector<std::pair<int64_t, int64_t>> around, some;
  for (int64_t i = 0; i < n; ++i) around.emplace_back(i, (i + 1) % n);
  for (int64_t i = 1; i < n; i += 2) some.emplace_back(i, i - 1);
  std::vector<int64_t> widths = {4 * n};  // per member: small and large messages
  if (type == ElementType::kF32) widths.push_back(4096 * n);
  for (const int64_t width : widths) {
    const Array x =
        device_put(awkward({device_count(), width}, type), NamedSharding(mesh, P(SpecEntry(mesh.axis_names()))));
    const auto show = [&](const char* name, auto f) {
      print(name + suffix, shard_map(f, mesh, P(SpecEntry(mesh.axis_names())), P(SpecEntry(mesh.axis_names())))(x));
    };
    show("all_gather", [](Array a) { return lax::all_gather(a, "x", {.tiled = true}); });
    show("all_to_all", [](Array a) { return lax::all_to_all(a, "x", 1, 0, {.tiled = true}); });
    show("ppermute", [&](Array a) { return lax::ppermute(a, "x", around); });
    show("ppermute of some", [&](Array a) { return lax::ppermute(a, "x", some); });
    show("axis_index", [](Array a) { return numpy::zeros_like(a) + numpy::astype(lax::axis_index("x"), a.dtype()); });
    if (type == ElementType::kPred) continue;
    show("psum", [](Array a) { return lax::psum(a, "x"); });
    show("psum_scatter", [](Array a) { return lax::psum_scatter(a, "x", {.scatter_dimension = 1, .tiled = true}); });
    if (!is_complex(type)) show("pmax", [](Array a) { return lax::pmax(a, "x"); });
  }
}

Array loss(const Array& w, const Array& x) { return numpy::mean(numpy::square(numpy::tanh(numpy::matmul(x, w)))); }

void programs(const Mesh& mesh) {
  const std::string suffix = " of " + mesh.to_string();
  const NamedSharding rows(mesh, P("x")), columns(mesh, P(none, "x")), all_of_it(mesh, P());
  const int64_t n = 4 * device_count();
  const Array whole = awkward({n, 2 * n}), weights = awkward({2 * n, n}) * 1e-4f;
  const Array x = device_put(whole, rows), w = device_put(weights, columns);
  print("put" + suffix, x);
  const Array called =
      make_array_from_callback({n, 2 * n}, columns, [&](const ShardIndex& at) { return whole(at[0], at[1]); });
  print("made by calls" + suffix, called);
  print("product" + suffix, jit([](Array a, Array b) { return numpy::matmul(a, b); })(x, w));
  print("operations" + suffix, numpy::sum(x * 2.0f + 1.0f, {.axis = 1}));
  const auto step = jit([&](Array a, Array b) { return a - grad(loss)(a, with_sharding_constraint(b, rows)); },
                        {.donate_argnums = {0}, .in_shardings = {columns, rows}, .out_shardings = columns});
  Array trained = w + 0.0f;
  for (int i = 0; i < 3; ++i) trained = step(trained, x);
  print("trained" + suffix, trained);
  const auto looped =
      jit([](Array a) { return lax::fori_loop(0, 5, [](Array, Array b) { return b * 0.5f + numpy::mean(b); }, a); });
  print("looped" + suffix, looped(x));
  const auto compiled = jit([](Array a) { return numpy::cumsum(a, 0); }, {.in_shardings = rows}).lower(x).compile();
  print("compiled" + suffix, compiled(x));
  for (const PartitionSpec& spec : {P(none, "x"), P(), P({"x"}, none), P("x")}) {
    print("shared anew" + suffix, device_put(x, NamedSharding(mesh, spec)));
    print("shared anew twice" + suffix, device_put(device_put(x, NamedSharding(mesh, spec)), columns));
  }
  const Array together = device_put(x, all_of_it), most = numpy::max(x);
  if (hash_of(together) != hash_of(whole) || most.item<double>() != numpy::max(whole).item<double>())
    throw Error(internal_error("process " + std::to_string(process_index()) + " reads something else"));
}

int values() {
  for (const Mesh& mesh : meshes()) {
    const bool is_row = mesh.axis_names().size() == 1;
    for (const ElementTypeInfo& info : kElementTypes) {
      const bool wanted = is_row || info.type == ElementType::kF32 || info.type == ElementType::kS8;
      if (wanted && is_array_type(info.type) && canonical_type(info.type) == info.type) collectives(mesh, info.type);
    }
    programs(mesh);
  }
  // To a mesh over the same devices with different axes, to which the old axes have no mapping.
  const Array x = device_put(awkward({4 * device_count(), 3}), NamedSharding(meshes()[0], P("x")));
  print("other order", device_put(x, NamedSharding(meshes()[1], P({"y", "x"}))));
  // Each process has the rows of its own devices.
  const Array mine = awkward({4 * device_count(), 3})(
      range(4 * process_index() * local_device_count(), 4 * (process_index() + 1) * local_device_count()), all);
  print("of local data", make_array_from_process_local_data(NamedSharding(meshes()[0], P("x")), mine));
  return 0;
}

struct State {
  Array w, b, scale;
  int64_t step = 0;
};

/// A pytree on all devices, with numbers if `filled`, else with zeros.
State state(bool filled) {
  const Mesh mesh(devices(), {"x"});
  const auto put = [&](const Array& x, const PartitionSpec& spec) {
    return device_put(filled ? x : numpy::zeros_like(x), NamedSharding(mesh, spec));
  };
  return {put(awkward({8, 12}), P(none, "x")), put(awkward({8}, ElementType::kBf16), P("x")), put(Array(0.5f), P()),
          filled ? 7 : 0};
}

void print_whole(const State& s) {
  const auto whole = [](const Array& x) { return hash_of(device_put(x, NamedSharding(x.sharding().mesh(), P()))); };
  const size_t w = whole(s.w), b = whole(s.b), scale = whole(s.scale);
  if (process_index() != 0) return;
  std::printf("w %016zx b %016zx scale %016zx step %d\n", w, b, scale, static_cast<int>(s.step));
}

int save(const std::string& path) {
  const State s = state(true);
  training::save_checkpoint(path, s);
  print_whole(s);
  return 0;
}

int restore(const std::string& path) {
  const State like = state(false), s = training::restore_checkpoint(path, like);
  if (s.w.sharding() != like.w.sharding()) return std::fprintf(stderr, "the array is shared otherwise\n"), 4;
  print_whole(s);
  return 0;
}

/// Saves checkpoints of steps while the program continues.
int manage(const std::string& folder) {
  training::CheckpointManager checkpoints(folder, {.max_to_keep = 2, .async = true});
  State s = state(true);
  for (int64_t step = 0; step < 4; ++step) {
    s.w = s.w * 0.5f;
    s.step = step;
    checkpoints.save(step, s);
  }
  checkpoints.wait_until_finished();
  print_whole(checkpoints.restore(3, state(false)));
  return checkpoints.all_steps() == std::vector<int64_t>{2, 3} ? 0 : 4;
}

template <typename F>
void show_refusal(F&& f) {
  try {
    f();
    std::printf("nothing\n");
  } catch (const Error& error) {
    if (process_index() == 0) std::printf("%s\n", error.what());
  }
}

int refusals() {
  const Mesh mesh(devices(), {"x"});
  const NamedSharding rows(mesh, P("x"));
  const Array x = device_put(awkward({device_count(), 2}), rows);
  show_refusal([&] { x.to_literal(); });
  show_refusal([&] { device_put(x, NamedSharding(make_mesh({device_count() - 1}, {"x"}), P())); });
  show_refusal([&] { device_put(x, NamedSharding(Mesh(local_devices(), {"x"}), P("x"))); });
  show_refusal([&] { x + device_put(awkward({device_count(), 2}), local_devices()[0]); });
  show_refusal([&] { make_array_from_process_local_data(rows, numpy::zeros({3, 2}), std::vector<int64_t>{8, 2}); });
  show_refusal([&] { make_array_from_single_device_arrays({device_count(), 2}, rows, {}); });
  if (process_index() == 0) std::printf("%s\n", x.to_string().c_str());
  return 0;
}

int nans() {
  const Array x = device_put(numpy::arange(device_count(), float32), NamedSharding(Mesh(devices(), {"x"}), P("x")));
  const auto scope = debug_nans(true);
  // the logarithm of a negative number, on device 0 only
  std::printf("%s\n", numpy::log(x - 1.0f).to_string().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  if (argc == 2 && what == "values") return values();
  if (argc == 2 && what == "refusals") return refusals();
  if (argc == 2 && what == "nans") return nans();
  if (argc == 3 && what == "save") return save(argv[2]);
  if (argc == 3 && what == "restore") return restore(argv[2]);
  if (argc == 3 && what == "manage") return manage(argv[2]);
  return std::fprintf(stderr,
                      "usage: mesh_program values | refusals | nans | save FILE | restore FILE | manage FOLDER\n"),
         2;
} catch (const Error& error) {
  std::fprintf(stderr, "mesh_program: %s\n", error.what());
  return 3;
}
