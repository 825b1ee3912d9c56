// SPDX-License-Identifier: Apache-2.0
// bench/plugin_calls.cc -- what a call through the loader costs beside the bare C calls: plugin_calls PLUGIN.so. Prints both in
// microseconds, with the event and the destruction of the result; f32[2,3] + f32[2,3].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "hilo/backend/pjrt/call.h"
#include "hilo/backend/pjrt/events.h"
#include "hilo/backend/pjrt/options.h"
#include "hilo/backend/pjrt/plugin_buffer.h"
#include "hilo/backend/pjrt/program.h"
#include "hilo/hlo/text/parser.h"

using namespace hilo;
using namespace hilo::plugins;

namespace {

constexpr char kAdd[] = "HloModule add\nENTRY e {\n  a = f32[2,3] parameter(0)\n  ROOT s = f32[2,3] add(a, a)\n}";
constexpr int kCalls = 2000, kRounds = 15;

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
  const OutgoingProgram program = or_end(write_program(*hlo::parse_module(kAdd), client.plugin(), client.format()));
  const std::string options = portable_options();
  PJRT_Program code{};
  code.struct_size = kPjrtStructSize<PJRT_Program>;
  code.code = const_cast<char*>(program.code.data());
  code.code_size = program.code.size();
  code.format = program.format.data();
  code.format_size = program.format.size();
  PJRT_Client_Compile_Args args{};
  args.client = client.raw();
  args.program = &code;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  bare(client.plugin().api().PJRT_Client_Compile, args);
  return args.executable;
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
  PJRT_Event_Await_Args await{};
  await.event = done;
  bare(api.PJRT_Event_Await, await);
  PJRT_Event_Destroy_Args end{};
  end.event = done;
  bare(api.PJRT_Event_Destroy, end);
  PJRT_Buffer_Destroy_Args destroy{};
  destroy.buffer = result;
  bare(api.PJRT_Buffer_Destroy, destroy);
}

template <typename Call>
double microseconds(const Call& call) {
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count() / kCalls;
}

double median(std::vector<double> all) {
  std::ranges::nth_element(all, all.begin() + static_cast<long>(all.size() / 2));
  return all[all.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: plugin_calls PLUGIN.so\n"), 2;
  const ClientPtr client = or_end(make_plugin_client({.name = "Plugin", .path = argv[1]}, {}));
  const auto& inside = static_cast<const PluginClient&>(*client);
  const DevicePtr device = client->devices()[0];
  const BufferPtr x = or_end(buffer_from_literal(*device, Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
  const std::unique_ptr<Executable> program = or_end(client->compile(*hlo::parse_module(kAdd), {}, nullptr));
  PJRT_LoadedExecutable* const same = compiled(inside);
  std::vector<double> bares, ours, differences;
  for (int round = 0; round < kRounds; ++round) {
    bares.push_back(microseconds([&] {
      call_bare(inside.plugin().api(), same, plugin_buffer(x).raw(), static_cast<PluginDevice&>(*device).raw());
    }));
    ours.push_back(microseconds([&] {
      BufferPtr result;
      if (!program->execute({&x, 1}, {&result, 1}).ok()) std::exit(1);
    }));
    differences.push_back(ours.back() - bares.back());
  }
  std::printf("bare C calls\t%.3f\nby the loader\t%.3f\ndifference\t%.3f\n", median(bares), median(ours),
              median(differences));
}
