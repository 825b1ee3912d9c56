// SPDX-License-Identifier: Apache-2.0
// tests/pjrt/plugin_client.h -- a client of the C API that is independent of hilo: it opens the plugin as other
// programs do.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hilo/pjrt_abi/api.h"
#include "tests/paths.h"

// Calls name the fields that they set. The API requires all others to be zero.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace hilo::tests {

inline const PJRT_Api& api() {
  static const PJRT_Api* const table = [] {
    void* const library = dlopen((std::string(kBinDir) + "/../lib/libhilo_pjrt.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<PJRT_GetApi>(dlsym(library, "GetPjrtApi"))();
  }();
  return *table;
}

template <class Args>
Args sized(Args args = {}) {
  args.struct_size = kPjrtStructSize<Args>;
  return args;
}

/// The code and the text of an error, after destroying it.
struct Outcome {
  PJRT_Error_Code code = PJRT_Error_Code_OK;
  std::string message;
  bool ok() const { return code == PJRT_Error_Code_OK; }
};
inline Outcome outcome_of(PJRT_Error* error) {
  if (error == nullptr) return {};
  auto code = sized<PJRT_Error_GetCode_Args>();
  auto message = sized<PJRT_Error_Message_Args>();
  auto destroy = sized<PJRT_Error_Destroy_Args>();
  code.error = message.error = destroy.error = error;
  api().PJRT_Error_GetCode(&code);
  api().PJRT_Error_Message(&message);
  Outcome outcome{code.code, {message.message, message.message_size}};
  api().PJRT_Error_Destroy(&destroy);
  return outcome;
}

/// Calls a function that must succeed.
template <class Args>
Args called(PJRT_Error* (*function)(Args*), Args args) {
  args.struct_size = kPjrtStructSize<Args>;
  const Outcome outcome = outcome_of(function(&args));
  if (!outcome.ok()) throw std::runtime_error(outcome.message);
  return args;
}
/// Calls a function that may fail.
template <class Args>
Outcome tried(PJRT_Error* (*function)(Args*), Args args) {
  args.struct_size = kPjrtStructSize<Args>;
  return outcome_of(function(&args));
}

// Handles with automatic destruction.
struct Destroy {
  void operator()(PJRT_Client* p) const { called(api().PJRT_Client_Destroy, {.client = p}); }
  void operator()(PJRT_Buffer* p) const { called(api().PJRT_Buffer_Destroy, {.buffer = p}); }
  void operator()(PJRT_Event* p) const { called(api().PJRT_Event_Destroy, {.event = p}); }
  void operator()(PJRT_Executable* p) const { called(api().PJRT_Executable_Destroy, {.executable = p}); }
  void operator()(PJRT_LoadedExecutable* p) const { called(api().PJRT_LoadedExecutable_Destroy, {.executable = p}); }
};
template <class T>
using Handle = std::unique_ptr<T, Destroy>;

inline Handle<PJRT_Client> make_client(int64_t devices = 1) {
  PJRT_NamedValue count = sized<PJRT_NamedValue>();
  count.name = "cpu_device_count";
  count.name_size = 16;
  count.type = PJRT_NamedValue_kInt64;
  count.int64_value = devices;
  count.value_size = 1;
  return Handle<PJRT_Client>(called(api().PJRT_Client_Create, {.create_options = &count, .num_options = 1}).client);
}

inline std::vector<PJRT_Device*> devices_of(PJRT_Client* client) {
  const auto args = called(api().PJRT_Client_Devices, {.client = client});
  return {args.devices, args.devices + args.num_devices};
}

inline Handle<PJRT_Buffer> put(PJRT_Client* client, const std::vector<float>& values, std::vector<int64_t> dims,
                               size_t device = 0) {
  const auto args = called(api().PJRT_Client_BufferFromHostBuffer,
                           {.client = client,
                            .data = values.data(),
                            .type = PJRT_Buffer_Type_F32,
                            .dims = dims.data(),
                            .num_dims = dims.size(),
                            .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
                            .device = devices_of(client)[device]});
  const Handle<PJRT_Event> done(args.done_with_host_buffer);
  called(api().PJRT_Event_Await, {.event = done.get()});
  return Handle<PJRT_Buffer>(args.buffer);
}

inline std::vector<float> get(PJRT_Buffer* buffer) {
  std::vector<float> values(called(api().PJRT_Buffer_ToHostBuffer, {.src = buffer}).dst_size / sizeof(float));
  const auto args = called(api().PJRT_Buffer_ToHostBuffer,
                           {.src = buffer, .dst = values.data(), .dst_size = values.size() * sizeof(float)});
  if (values.empty() && args.event == nullptr) return values;
  const Handle<PJRT_Event> done(args.event);
  called(api().PJRT_Event_Await, {.event = done.get()});
  return values;
}

inline PJRT_Client_Compile_Args compile_args(PJRT_Client* client, PJRT_Program& program, std::string& code,
                                             const std::string& options, std::string_view format = "mlir") {
  program = sized<PJRT_Program>();
  program.code = code.data();
  program.code_size = code.size();
  program.format = format.data();
  program.format_size = format.size();
  return {
      .client = client, .program = &program, .compile_options = options.data(), .compile_options_size = options.size()};
}

inline Handle<PJRT_LoadedExecutable> compile(PJRT_Client* client, std::string code, const std::string& options = "",
                                             std::string_view format = "mlir") {
  PJRT_Program program;
  return Handle<PJRT_LoadedExecutable>(
      called(api().PJRT_Client_Compile, compile_args(client, program, code, options, format)).executable);
}

inline Outcome compile_error(PJRT_Client* client, std::string code, const std::string& options = "",
                             std::string_view format = "mlir") {
  PJRT_Program program;
  return tried(api().PJRT_Client_Compile, compile_args(client, program, code, options, format));
}

/// Arguments and results by device.
struct Execution {
  Outcome outcome;
  std::vector<std::vector<Handle<PJRT_Buffer>>> results;
};
inline Execution run(PJRT_LoadedExecutable* executable, const std::vector<std::vector<PJRT_Buffer*>>& arguments,
                     size_t results = 1) {
  std::vector<PJRT_Buffer* const*> lists;
  for (const auto& list : arguments) lists.push_back(list.data());
  std::vector<std::vector<PJRT_Buffer*>> made(arguments.size(), std::vector<PJRT_Buffer*>(results));
  std::vector<PJRT_Buffer**> outputs;
  for (auto& list : made) outputs.push_back(list.data());
  std::vector<PJRT_Event*> events(arguments.size());
  auto options = sized<PJRT_ExecuteOptions>();
  Execution run;
  run.outcome = tried(api().PJRT_LoadedExecutable_Execute, {.executable = executable,
                                                            .options = &options,
                                                            .argument_lists = lists.data(),
                                                            .num_devices = arguments.size(),
                                                            .num_args = arguments[0].size(),
                                                            .output_lists = outputs.data(),
                                                            .device_complete_events = events.data()});
  if (!run.outcome.ok()) return run;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const Handle<PJRT_Event> done(events[k]);
    called(api().PJRT_Event_Await, {.event = done.get()});
    auto& list = run.results.emplace_back();
    for (PJRT_Buffer* buffer : made[k]) list.emplace_back(buffer);
  }
  return run;
}

}  // namespace hilo::tests
