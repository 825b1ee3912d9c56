// SPDX-License-Identifier: Apache-2.0
// bench/plugin_calls.cc -- what calls and transfers through the loader cost compared with the bare C calls:
// plugin_calls [PLUGIN.so]. Without an argument it takes the first of hilo_pjrt_plugins, or hilo's own. Rows of
// microseconds: what, bare, by the loader, and the median of the differences of neighbours. A call is f32[2,3] +
// f32[2,3] with its event and the destruction of its result.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "hilo/backend/pjrt/call.h"
#include "hilo/backend/pjrt/discovery.h"
#include "hilo/backend/pjrt/events.h"
#include "hilo/backend/pjrt/options.h"
#include "hilo/backend/pjrt/plugin_buffer.h"
#include "hilo/backend/pjrt/program.h"
#include "hilo/hlo/text/parser.h"

using namespace hilo;
using namespace hilo::plugins;

namespace {

constexpr char kAdd[] = "HloModule add\nENTRY e {\n  a = f32[2,3] parameter(0)\n  ROOT s = f32[2,3] add(a, a)\n}";

template <typename T>
T or_end(StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().to_string().c_str());
  std::exit(1);
}

/// The function as any C program calls it: nothing is checked, and there is no error.
template <typename Args>
void bare(PJRT_Error* (*function)(Args*), Args& args) {
  args.struct_size = kPjrtStructSize<Args>;
  if (function(&args) != nullptr) std::exit(1);
}

PJRT_LoadedExecutable* compiled(const PluginClient& client) {
  const hlo::Module add = *hlo::parse_module(kAdd);
  const OutgoingProgram program = or_end(write_program(add, client.plugin(), client.format_of(add)));
  const std::string options = portable_options();
  PJRT_Program code = raw_program(program);
  PJRT_Client_Compile_Args args{};
  args.client = client.raw();
  args.program = &code;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  bare(client.plugin().api().PJRT_Client_Compile, args);
  return args.executable;
}

/// Waits, and destroys the event.
void end(const PJRT_Api& api, PJRT_Event* event) {
  PJRT_Event_Await_Args await{};
  await.event = event;
  bare(api.PJRT_Event_Await, await);
  PJRT_Event_Destroy_Args destroy{};
  destroy.event = event;
  bare(api.PJRT_Event_Destroy, destroy);
}

void end(const PJRT_Api& api, PJRT_Buffer* buffer) {
  PJRT_Buffer_Destroy_Args destroy{};
  destroy.buffer = buffer;
  bare(api.PJRT_Buffer_Destroy, destroy);
}

void call_bare(const PJRT_Api& api, PJRT_LoadedExecutable* executable, PJRT_Buffer* argument, PJRT_Device* device) {
  PJRT_Buffer* const* arguments = &argument;
  PJRT_Buffer* result = nullptr;
  PJRT_Buffer** results = &result;
  PJRT_Event* done = nullptr;
  PJRT_ExecuteOptions options{};
  options.struct_size = kPjrtStructSize<PJRT_ExecuteOptions>;
  PJRT_LoadedExecutable_Execute_Args args{};
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &arguments;
  args.num_devices = 1;
  args.num_args = 1;
  args.output_lists = &results;
  args.device_complete_events = &done;
  args.execute_device = device;
  bare(api.PJRT_LoadedExecutable_Execute, args);
  end(api, done);
  end(api, result);
}

/// An array of bytes to the device: until it is there, and gone again.
void send_bare(const PluginClient& client, PJRT_Device* device, const std::vector<float>& from) {
  const PJRT_Api& api = client.plugin().api();
  const int64_t size = std::ssize(from);
  PJRT_Client_BufferFromHostBuffer_Args args{};
  args.client = client.raw();
  args.data = from.data();
  args.type = PJRT_Buffer_Type_F32;
  args.dims = &size;
  args.num_dims = 1;
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = device;
  bare(api.PJRT_Client_BufferFromHostBuffer, args);
  PJRT_Buffer_ReadyEvent_Args ready{};
  ready.buffer = args.buffer;
  bare(api.PJRT_Buffer_ReadyEvent, ready);
  end(api, args.done_with_host_buffer);
  end(api, ready.event);
  end(api, args.buffer);
}

void fetch_bare(const PJRT_Api& api, PJRT_Buffer* buffer, std::vector<float>& to) {
  const int64_t minor_to_major = 0;
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = kPjrtStructSize<PJRT_Buffer_MemoryLayout>;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = kPjrtStructSize<PJRT_Buffer_MemoryLayout_Tiled>;
  layout.tiled.minor_to_major = &minor_to_major;
  layout.tiled.minor_to_major_size = 1;
  PJRT_Buffer_ToHostBuffer_Args args{};
  args.src = buffer;
  args.host_layout = &layout;
  args.dst = to.data();
  args.dst_size = to.size() * sizeof(float);
  bare(api.PJRT_Buffer_ToHostBuffer, args);
  end(api, args.event);
}

template <typename Call>
double microseconds(int calls, const Call& call) {
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count() / calls;
}

double median(std::vector<double> all) {
  std::ranges::nth_element(all, all.begin() + static_cast<long>(all.size() / 2));
  return all[all.size() / 2];
}

/// Runs both in turn, and alternates which is first. Rounds are short and many, so most of them are undisturbed.
template <typename Bare, typename Ours>
void compare(const std::string& what, int rounds, int calls, const Bare& by_hand, const Ours& by_loader) {
  std::vector<double> bares, ours, differences;
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0) bares.push_back(microseconds(calls, by_hand));
    ours.push_back(microseconds(calls, by_loader));
    if (round % 2 == 1) bares.push_back(microseconds(calls, by_hand));
    differences.push_back(ours.back() - bares.back());
  }
  std::printf("%s\t%.3f\t%.3f\t%.3f\n", what.c_str(), median(bares), median(ours), median(differences));
}

PluginPlatform plugin_of(int argc, char** argv) {
  if (argc == 2) return {.name = "Plugin", .path = argv[1]};
  const std::vector<PluginPlatform> listed = or_end(platforms_of_flags());
  if (!listed.empty()) return listed[0];
  const auto build = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path().parent_path();
  return {.name = "Plugin", .path = (build / "lib" / "libhilo_pjrt.so").string()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) return std::fprintf(stderr, "usage: plugin_calls [PLUGIN.so]\n"), 2;
  const ClientPtr client = or_end(make_plugin_client(plugin_of(argc, argv), {}));
  const auto& inside = static_cast<const PluginClient&>(*client);
  const PJRT_Api& api = inside.plugin().api();
  const DevicePtr device = client->devices()[0];
  PJRT_Device* const raw = static_cast<PluginDevice&>(*device).raw();
  const BufferPtr x = or_end(buffer_from_literal(*device, Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
  const std::unique_ptr<Executable> program = or_end(client->compile(*hlo::parse_module(kAdd), {}, nullptr));
  PJRT_LoadedExecutable* const same = compiled(inside);
  std::printf("%s, PJRT %s\n", inside.plugin().path().c_str(), inside.plugin().version_text().c_str());
  compare(
      "a call", 2001, 20, [&] { call_bare(api, same, plugin_buffer(x).raw(), raw); },
      [&] {
        BufferPtr result;
        if (!program->execute({&x, 1}, {&result, 1}).ok()) std::exit(1);
      });
  for (const auto& [count, calls] : {std::pair{size_t{6}, 20}, {size_t{1} << 18, 5}, {size_t{1} << 22, 1}}) {
    const int rounds = count < 1000 ? 2001 : count < 1000000 ? 401 : 61;
    std::vector<float> data(count, 1.0f);
    const HostData host{Shape::array(ElementType::kF32, {static_cast<int64_t>(count)}),
                        reinterpret_cast<const std::byte*>(data.data())};
    const std::string bytes = std::to_string(count * sizeof(float)) + " bytes";
    compare(
        bytes + " to the device", rounds, calls, [&] { send_bare(inside, raw, data); },
        [&] {
          if (!or_end(device->from_host(host))->ready().await().ok()) std::exit(1);
        });
    const BufferPtr there = or_end(device->from_host(host));
    compare(
        bytes + " from it", rounds, calls, [&] { fetch_bare(api, plugin_buffer(there).raw(), data); },
        [&] {
          if (!there->read(reinterpret_cast<std::byte*>(data.data())).await().ok()) std::exit(1);
        });
  }
}
