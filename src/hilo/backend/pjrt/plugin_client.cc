// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/plugin_client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "hilo/backend/limits.h"
#include "hilo/backend/pjrt/call.h"
#include "hilo/backend/pjrt/host_calls.h"
#include "hilo/backend/pjrt/known_faults.h"
#include "hilo/backend/pjrt/multiply_high.h"
#include "hilo/backend/pjrt/options.h"
#include "hilo/backend/pjrt/plugin_executable.h"
#include "hilo/backend/pjrt/program.h"
#include "hilo/backend/run_collective.h"
#include "hilo/base/build_id.h"
#include "hilo/base/floating_point.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/text.h"
#include "hilo/base/text_hash.h"
#include "hilo/hlo/verify/verifier.h"

namespace hilo::plugins {
namespace {

/// Converts options to the form of the API. The result points into `options`.
std::vector<PJRT_NamedValue> named_values(const CreateOptions& options) {
  std::vector<PJRT_NamedValue> values;
  for (const auto& [name, option] : options) {
    PJRT_NamedValue& value = values.emplace_back();
    value = {};
    value.struct_size = kPjrtStructSize<PJRT_NamedValue>;
    value.name = name.data();
    value.name_size = name.size();
    value.value_size = 1;
    if (const auto* flag = std::get_if<bool>(&option)) {
      value.type = PJRT_NamedValue_kBool;
      value.bool_value = *flag;
    } else if (const auto* integer = std::get_if<int64_t>(&option)) {
      value.type = PJRT_NamedValue_kInt64;
      value.int64_value = *integer;
    } else if (const auto* real = std::get_if<float>(&option)) {
      value.type = PJRT_NamedValue_kFloat;
      value.float_value = *real;
    } else if (const auto* text = std::get_if<std::string>(&option)) {
      value.type = PJRT_NamedValue_kString;
      value.string_value = text->data();
      value.value_size = text->size();
    } else {
      const auto& list = std::get<std::vector<int64_t>>(option);
      value.type = PJRT_NamedValue_kInt64List;
      value.int64_array_value = list.data();
      value.value_size = list.size();
    }
  }
  return values;
}

void destroy(const Plugin& plugin, PJRT_Client* client) {
  PJRT_Client_Destroy_Args args{};
  args.client = client;
  call_quietly(plugin, &PJRT_Api::PJRT_Client_Destroy, args);
}

/// A plugin's client without an owner.
struct RawClient {
  const Plugin* plugin;
  PJRT_Client* client;
};

StatusOr<RawClient> create(const PluginPlatform& platform) {
  const auto where = [&] { return fmt::format("platform {}", quote(platform.name)); };
  StatusOr<const Plugin*> plugin = Plugin::open(platform.path);
  if (!plugin.ok()) return plugin.status().with_context(where());
  const std::vector<PJRT_NamedValue> values = named_values(platform.options);
  PJRT_Client_Create_Args args{};
  args.create_options = values.data();
  args.num_options = values.size();
  if (const Status status = call(**plugin, &PJRT_Api::PJRT_Client_Create, args); !status.ok())
    return status.with_context(fmt::format("{}: plugin {}", where(), quote(platform.path)));
  return RawClient{*plugin, args.client};
}

/// Clients that were created to check that creation works, by platform.
struct Spares {
  std::mutex mutex;
  std::map<PluginPlatform, RawClient> clients;
};
Spares& spares() {
  static auto* const instance = new Spares;
  return *instance;
}

StatusOr<RawClient> spare_or_new(const PluginPlatform& platform) {
  const std::scoped_lock lock(spares().mutex);
  if (const auto node = spares().clients.extract(platform); !node.empty()) return node.mapped();
  return create(platform);
}

/// Returns a short description of the processor's features: a plugin for the CPU calls every processor "cpu".
std::string processor_text() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("flags")) return fmt::format("processor {:016x}", TextHash()(line));
  }
  return "some processor";
}

}  // namespace

std::string option_text(const OptionValue& value) {
  return std::visit([](const auto& one) { return fmt::format("{}", one); }, value);
}

Status check_plugin_client(const PluginPlatform& platform) try {
  const std::scoped_lock lock(spares().mutex);
  if (spares().clients.contains(platform)) return ok_status();
  HILO_ASSIGN_OR_RETURN(const RawClient client, create(platform));
  spares().clients.emplace(platform, client);
  return ok_status();
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<ClientPtr> make_plugin_client(const PluginPlatform& platform, ClientOptions options) try {
  HILO_ASSIGN_OR_RETURN(const RawClient raw, spare_or_new(platform));
  auto client = std::make_shared<PluginClient>(*raw.plugin, platform, raw.client, std::move(options));
  if (const Status status = client->add_devices(); !status.ok())
    return status.with_context(fmt::format("platform {}", quote(platform.name)));
  return ClientPtr(std::move(client));
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

PluginClient::PluginClient(const Plugin& plugin, PluginPlatform platform, PJRT_Client* client, ClientOptions options)
    : Client(std::move(options)), plugin_(plugin), platform_(std::move(platform)), client_(client) {}

PluginClient::~PluginClient() {
  if (is_after_fork()) {
    (void)pending_.release();  // its callbacks never run here
  } else if (!is_in_callback()) {
    pending_->wait();
    destroy(plugin_, client_);
  } else {
    destroy_elsewhere();
  }
}

/// The plugin waits for this thread, so this thread can't wait for the plugin.
void PluginClient::destroy_elsewhere() {
  std::thread([plugin = &plugin_, client = client_, pending = std::shared_ptr<Pending>(std::move(pending_))] {
    pending->wait();
    destroy(*plugin, client);
  }).detach();
}

Status PluginClient::add_devices() {
  PJRT_Client_ProcessIndex_Args process{};
  process.client = client_;
  HILO_RETURN_IF_ERROR(call(plugin_, &PJRT_Api::PJRT_Client_ProcessIndex, process));
  process_index_ = process.process_index;
  PJRT_Client_Devices_Args all{};
  all.client = client_;
  HILO_RETURN_IF_ERROR(call(plugin_, &PJRT_Api::PJRT_Client_Devices, all));
  PJRT_Client_AddressableDevices_Args here{};
  here.client = client_;
  HILO_RETURN_IF_ERROR(call(plugin_, &PJRT_Api::PJRT_Client_AddressableDevices, here));
  const std::span local(here.addressable_devices, here.num_addressable_devices);
  std::vector<std::unique_ptr<PluginDevice>> devices;
  for (PJRT_Device* device : std::span(all.devices, all.num_devices)) {
    const bool is_local = std::ranges::find(local, device) != local.end();
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<PluginDevice> result, PluginDevice::make(*this, device, is_local));
    devices.push_back(std::move(result));
  }
  std::ranges::sort(devices, {}, [](const auto& device) { return device->id(); });
  if (local.empty()) return not_found(fmt::format("plugin {} has no device here", quote(platform_.path)));
  if (const int64_t replicas = options().replica_count; replicas > std::ssize(devices)) {
    return invalid_argument(fmt::format(
        "plugin {} has {} device{}; got jax_replica_count {}. Hint: its create_options may set the number of devices",
        quote(platform_.path), devices.size(), devices.size() == 1 ? "" : "s", replicas));
  }
  for (std::unique_ptr<PluginDevice>& device : devices) add_device(std::move(device));
  return ok_status();
}

ProgramFormat PluginClient::format_of(const hlo::Module& program) const {
  const bool takes_hlo = plugin_.is_xla() && !needs_stablehlo(program);
  return platform_.format.value_or(takes_hlo ? ProgramFormat::kHlo : ProgramFormat::kStablehlo);
}

StatusOr<std::string> PluginClient::identity() const {
  HILO_ASSIGN_OR_RETURN(const std::string file, file_identity(platform_.path));
  return fmt::format("hilo {}, PJRT {} ({}), {} on {}", build_id(), plugin_.version_text(), file, devices()[0]->kind(),
                     processor_text());
}

StatusOr<std::unique_ptr<Executable>> PluginClient::compile(const hlo::Module& module, const CompileOptions& options,
                                                            hlo::PassObserver* observer) try {
  if (module.entry == nullptr) return invalid_argument("module '" + module.name + "' has no entry computation");
  const CompileScope scope(options);
  StatusOr<std::unique_ptr<Executable>> result = compile_within(module, options, observer);
  const Status outcome = scope.outcome(result.status(), module.name, options.limits);
  if (!outcome.ok()) return outcome;
  return result;
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

StatusOr<RawExecutable> PluginClient::compile_outgoing(const OutgoingProgram& outgoing,
                                                       const std::string& options) const {
  PJRT_Program code = raw_program(outgoing);
  PJRT_Client_Compile_Args args{};
  args.client = client_;
  args.program = &code;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  try {
    HILO_RETURN_IF_ERROR(call(plugin_, &PJRT_Api::PJRT_Client_Compile, args));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // some plugins throw through their C functions
    return Status(StatusCode::kInternal, fmt::format("plugin {} threw: {}", quote(plugin_.path()), error.what()));
  }
  return RawExecutable(args.executable, {&plugin_});
}

StatusOr<std::unique_ptr<Executable>> PluginClient::compile_within(const hlo::Module& module,
                                                                   const CompileOptions& options,
                                                                   hlo::PassObserver* observer) {
  const auto began = std::chrono::steady_clock::now();
  const FloatingPointScope nearest;
  HILO_RETURN_IF_ERROR(hlo::verify(module));
  HILO_ASSIGN_OR_RETURN(const int64_t replicas, replica_count_of(module, options.replica_count));
  HILO_ASSIGN_OR_RETURN(std::vector<DevicePtr> devices, devices_for(module.name, options, replicas));
  HILO_RETURN_IF_ERROR(check_collectives(module, replicas));
  HILO_RETURN_IF_ERROR(check_instruction_limit(module, options.limits));
  const auto passed = [&] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  };
  HILO_ASSIGN_OR_RETURN(hlo::Module program, prepared_program(module));
  if (plugin_.is_xla() && plugin_.api().pjrt_api_version.minor_version < kKnowsMultiplyHigh)
    HILO_RETURN_IF_ERROR(lower_multiply_high(program));
  if (observer != nullptr) observer->after("prepare_for_plugin", program, true, passed());
  HILO_ASSIGN_OR_RETURN(const bool on_processors, runs_on_processors(plugin_, client_));
  HILO_RETURN_IF_ERROR(check_known_faults(plugin_, on_processors, program));
  HILO_RETURN_IF_ERROR(check_no_host_calls(program));
  ProgramSignature signature = signature_of(module);
  signature.replica_count = replicas;
  signature.meets_others = replicas > 1 && depends_on_replicas(module);
  signature.run_seconds = options.limits.run_seconds;
  std::vector<int64_t> ids;
  for (const DevicePtr& device : devices) ids.push_back(device->id());
  const std::string how = signature.meets_others ? replica_options(ids) : portable_options();
  HILO_ASSIGN_OR_RETURN(OutgoingProgram outgoing, write_program(program, plugin_, format_of(program)));
  StatusOr<RawExecutable> raw = compile_outgoing(outgoing, how);
  if (!raw.ok() && is_missing_function(raw.status())) {
    HILO_ASSIGN_OR_RETURN(const bool lent, replace_host_calls(plugin_, client_, program));
    if (lent) {
      HILO_ASSIGN_OR_RETURN(outgoing, write_program(program, plugin_, format_of(program)));
      raw = compile_outgoing(outgoing, how);
    }
  }
  if (!raw.ok()) return compile_error(raw.status(), program);
  HILO_ASSIGN_OR_RETURN(
      std::unique_ptr<Executable> result,
      PluginExecutable::make(std::move(signature), std::move(devices), std::move(program), *std::move(raw), passed()));
  HILO_RETURN_IF_ERROR(check_memory_limit(result->signature(), result->statistics(), options.limits));
  return result;
}

StatusOr<std::unique_ptr<Executable>> PluginClient::load(std::string_view bytes) try {
  return load_executable(*this, bytes);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::plugins
