// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_plugin.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "hilo/backend/custom_call.h"
#include "hilo/backend/packed_elements.h"
#include "hilo/client/platforms.h"
#include "hilo/device/buffer.h"
#include "hilo/hlo/ops/custom_call.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/pjrt_abi/api.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"

using hilo::ClientPtr;
using hilo::Event;
using hilo::EventSource;
using hilo::Literal;
using hilo::ok_status;
using hilo::Shape;
using hilo::Status;
using hilo::StatusCode;
using hilo::StatusOr;
using hilo::tests::FakePluginPlan;

namespace {

FakePluginPlan& plan() {
  static auto* const instance = new FakePluginPlan;
  return *instance;
}

std::string variable() {
  const char* const text = std::getenv(hilo::tests::kFakePluginVariable);
  return text == nullptr ? "" : text;
}

bool is_cuda() { return variable() == "cuda"; }

/// Counts its live instances.
struct Counted {
  Counted() { ++plan().live; }
  ~Counted() { --plan().live; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
};

struct FakeError : PJRT_Error, Counted {
  explicit FakeError(Status what) : status(std::move(what)) {}
  Status status;
};

PJRT_Error* error_of(const Status& status) { return status.ok() ? nullptr : new FakeError(status); }

/// One thread that runs all tasks, with a delay and in order.
class Worker {
 public:
  ~Worker() {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  Event later(std::function<Status()> work) {
    auto source = std::make_shared<EventSource>();
    const Event event = source->event();
    {
      const std::scoped_lock lock(mutex_);
      queue_.emplace_back([work = std::move(work), source]() mutable {
        while (plan().holds_work) std::this_thread::yield();
        for (int i = 0; i < 3; ++i) std::this_thread::yield();
        const bool fails = plan().work.fetch_add(1) == plan().fail_events_at;
        const Status status = fails ? hilo::data_loss("fake plugin: the work was lost") : work();
        work = nullptr;
        source->finish(status);
      });
    }
    changed_.notify_all();
    return event;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ends_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool ends_ = false;
  std::thread thread_{[this] { run(); }};
};

/// An array, available once `ready` is finished. Pending runs may share it.
struct Value {
  Literal literal{Shape::scalar(hilo::ElementType::kPred)};
  Event ready;
};
using ValuePtr = std::shared_ptr<Value>;

}  // namespace

struct PJRT_DeviceDescription {
  int id = 0;
};
struct PJRT_Device {
  PJRT_Client* client = nullptr;
  PJRT_DeviceDescription description;
  PJRT_Memory memory{};
  PJRT_Memory* memories[1] = {&memory};
};
struct PJRT_Client : Counted {
  ClientPtr inside;
  std::vector<std::unique_ptr<PJRT_Device>> devices;
  std::vector<PJRT_Device*> pointers;
  Worker worker;
};
struct PJRT_Event : Counted {
  explicit PJRT_Event(Event what) : event(std::move(what)) {}
  Event event;
};
struct PJRT_Buffer : Counted {
  PJRT_Buffer(PJRT_Device* where, ValuePtr what) : device(where), value(std::move(what)) {}
  PJRT_Device* device;
  ValuePtr value;
  std::atomic<bool> is_taken = false;  // a run has taken it
};
struct PJRT_LoadedExecutable : Counted {
  PJRT_Client* client = nullptr;
  std::string code;
  std::shared_ptr<hilo::Executable> inside;
  std::vector<int64_t> takes;  // arguments that a result aliases, unless the run retains them
  bool portable = false;
};
struct PJRT_Executable : Counted {
  PJRT_LoadedExecutable* loaded = nullptr;
};
struct PJRT_SerializedExecutable : Counted {
  std::string bytes;
};

namespace {

/// kToken if the type is unknown.
hilo::ElementType type_of(PJRT_Buffer_Type type) {
  switch (type) {
#define HILO_PJRT_TYPE(name, enumerator) \
  case PJRT_Buffer_Type_##name: return hilo::ElementType::k##enumerator;
#include "hilo/pjrt_abi/element_types.inc"
    default: return hilo::ElementType::kToken;
  }
}

// ---- The functions. Each receives arguments whose size has been checked.

Status plugin_initialize(PJRT_Plugin_Initialize_Args&) { return ok_status(); }

Status plugin_attributes(PJRT_Plugin_Attributes_Args& args) {
  static const int64_t stablehlo[] = {1, 13, 0};
  static PJRT_NamedValue values[2] = {};
  const auto name = [](PJRT_NamedValue& value, const char* text) {
    value.struct_size = kPjrtStructSize<PJRT_NamedValue>;
    value.name = text;
    value.name_size = std::strlen(text);
    value.value_size = 1;
  };
  name(values[0], "stablehlo_current_version");
  values[0].type = PJRT_NamedValue_kInt64List;
  values[0].int64_array_value = stablehlo;
  values[0].value_size = 3;
  name(values[1], "xla_version");
  values[1].type = PJRT_NamedValue_kInt64;
  values[1].int64_value = 2;
  args.attributes = values;
  args.num_attributes = 2;
  return ok_status();
}

Status client_create(PJRT_Client_Create_Args& args) {
  if (variable() == "abort") std::abort();
  int64_t count = variable() == "none" ? 0 : 2;
  for (size_t i = 0; i < args.num_options; ++i) {
    const PJRT_NamedValue& option = args.create_options[i];
    if (std::string_view(option.name, option.name_size) != "device_count" || option.type != PJRT_NamedValue_kInt64)
      return hilo::invalid_argument("fake plugin: no such option");
    count = option.int64_value;
  }
  auto client = std::make_unique<PJRT_Client>();
  HILO_ASSIGN_OR_RETURN(client->inside,
                        hilo::make_platform_client("Reference", {.replica_count = std::max<int64_t>(count, 1)}));
  for (int id = 0; id < count; ++id) {
    client->devices.push_back(std::make_unique<PJRT_Device>());
    client->devices.back()->client = client.get();
    client->devices.back()->description.id = id;
    client->pointers.push_back(client->devices.back().get());
  }
  args.client = client.release();
  return ok_status();
}

Status client_destroy(PJRT_Client_Destroy_Args& args) {
  delete args.client;
  return ok_status();
}
Status client_platform_name(PJRT_Client_PlatformName_Args& args) {
  static constexpr std::string_view kProcessor = "cpu", kOther = "gpu", kCuda = "cuda";
  const std::string_view name = variable() == kOther ? kOther : is_cuda() ? kCuda : kProcessor;
  args.platform_name = name.data();
  args.platform_name_size = name.size();
  return ok_status();
}
Status client_process_index(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = 0;
  return ok_status();
}
Status client_devices(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->pointers.data();
  args.num_devices = args.client->pointers.size();
  return ok_status();
}
Status client_addressable_devices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->pointers.data();
  args.num_addressable_devices = args.client->pointers.size();
  return ok_status();
}

Status device_get_description(PJRT_Device_GetDescription_Args& args) {
  args.device_description = &args.device->description;
  return ok_status();
}
Status device_id(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->id;
  return ok_status();
}
Status device_process_index(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = 0;
  return ok_status();
}
Status device_kind(PJRT_DeviceDescription_Kind_Args& args) {
  args.device_kind = "fake";
  args.device_kind_size = 4;
  return ok_status();
}
Status device_memories(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories;
  args.num_memories = 1;
  return ok_status();
}
Status device_default_memory(PJRT_Device_DefaultMemory_Args& args) {
  args.memory = &args.device->memory;
  return ok_status();
}
Status memory_id(PJRT_Memory_Id_Args& args) {
  args.id = 7;
  return ok_status();
}
Status memory_kind(PJRT_Memory_Kind_Args& args) {
  args.kind = "device";
  args.kind_size = 6;
  return ok_status();
}

/// Compile options. Parsing aborts where XLA's plugins do.
struct Options {
  int64_t replicas = 0;
  bool portable = false;
};
Options read_options(std::string_view bytes) {
  const auto options = hilo::hlo::proto::WireMessage::read(bytes, "CompileOptionsProto");
  if (!options.ok()) std::abort();
  const auto build = options->message(3, "ExecutableBuildOptionsProto");
  if (!build.ok() || build->integer(4).value() <= 0 || build->integer(5).value() <= 0) std::abort();
  return {build->integer(4).value(), options->boolean(4).value()};
}

StatusOr<hilo::hlo::Module> read_bytecode(std::string_view code) {
  HILO_ASSIGN_OR_RETURN(const hilo::stablehlo::ModuleTree tree, hilo::stablehlo::read_tree(code, "program"));
  return hilo::stablehlo::translate(tree);
}

/// The functions that are registered here and that programs may call.
struct Functions {
  std::mutex mutex;
  std::set<std::string> targets;
  HiloFfi_Handler* on_device = nullptr;  ///< the function registered for CUDA
};
Functions& functions() {
  static auto* const instance = new Functions;
  return *instance;
}

/// All copies of this plugin share the registry of the process, so functions on a device have names with a prefix.
constexpr std::string_view kOnDevice = "on the device: ";

/// Renames calls of device functions to their names in that registry.
StatusOr<hilo::hlo::ComputationPtr> with_device_calls(const hilo::hlo::ComputationPtr& computation) {
  hilo::hlo::ComputationDraft draft(computation->name());
  for (const hilo::hlo::Instruction& i : computation->instructions()) {
    const hilo::hlo::InstructionId id = draft.append_copy(i, i.operands);
    if (i.opcode != hilo::hlo::Opcode::kCustomCall) continue;
    auto attributes =
        std::make_shared<hilo::hlo::CustomCallAttributes>(hilo::hlo::attributes_of<hilo::hlo::CustomCallAttributes>(i));
    constexpr std::string_view kTarget = "custom_call_target=\"";
    for (std::string& text : attributes->raw)
      if (text.starts_with(kTarget)) text.insert(kTarget.size(), kOnDevice);
    draft.mutable_instruction(id).attributes = std::move(attributes);
  }
  return std::move(draft).finish(computation->root_id());
}

HiloFfi_Error* get_stream(HiloFfi_StreamArgs* args) {
  args->stream = &functions();
  return nullptr;
}

/// Converts addresses to those of the fake driver's device (tests/backend/cuda/fake_driver.cc), or back.
void move_all(int64_t count, void** buffers) {
  for (void* const each : std::span(buffers, static_cast<size_t>(count))) {
    void*& data = static_cast<HiloFfi_Buffer*>(each)->data;
    if (data != nullptr) data = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(data) ^ (uintptr_t{1} << 62));
  }
}

/// Calls the handler as CUDA's plugin does: with device addresses and a stream.
HiloFfi_Error* call_on_device(HiloFfi_CallFrame* frame) {
  if (frame->extensions != nullptr) return functions().on_device(frame);
  const HiloFfi_Api* const own = frame->api;
  HiloFfi_Api api = *own;
  api.stream_get = get_stream;
  frame->api = &api;
  const auto move = [&] {
    move_all(frame->args.size, frame->args.args);
    move_all(frame->rets.size, frame->rets.rets);
  };
  move();
  HiloFfi_Error* const error = functions().on_device(frame);
  move();
  frame->api = own;
  return error;
}

Status register_handler(PJRT_FFI_Register_Handler_Args& args) {
  const std::string target(args.target_name, args.target_name_size);
  if (std::string_view(args.platform_name, args.platform_name_size) != (is_cuda() ? "CUDA" : "Host"))
    return hilo::invalid_argument("fake plugin: no such platform");
  const std::scoped_lock lock(functions().mutex);
  if (!functions().targets.insert(target).second) return hilo::already_exists("fake plugin: it is registered already");
  auto* handler = reinterpret_cast<HiloFfi_Handler*>(args.handler);
  if (is_cuda()) functions().on_device = std::exchange(handler, call_on_device);
  const Status status = hilo::register_ffi_handler(is_cuda() ? std::string(kOnDevice) + target : target, handler);
  // registered by another copy of this plugin
  return status.code() == StatusCode::kAlreadyExists ? ok_status() : status;
}

Status check_functions(const hilo::hlo::Module& module) {
  const std::scoped_lock lock(functions().mutex);
  for (const hilo::hlo::ComputationPtr& computation : hilo::hlo::computations_of(module)) {
    for (const hilo::hlo::Instruction& i : computation->instructions()) {
      if (i.opcode != hilo::hlo::Opcode::kCustomCall) continue;
      const auto& attributes = hilo::hlo::attributes_of<hilo::hlo::CustomCallAttributes>(i);
      if (!functions().targets.contains(hilo::hlo::custom_call_target(attributes)))
        return hilo::not_found("fake plugin: it has no such function");
    }
  }
  return ok_status();
}

StatusOr<std::unique_ptr<PJRT_LoadedExecutable>> load(PJRT_Client* client, std::string_view code,
                                                      const Options& options) {
  const bool is_bytecode = code.starts_with("ML\xefR");
  HILO_ASSIGN_OR_RETURN(hilo::hlo::Module module, is_bytecode ? read_bytecode(code) : hilo::hlo::from_proto(code));
  HILO_RETURN_IF_ERROR(check_functions(module));
  if (is_cuda()) HILO_RETURN_IF_ERROR(hilo::hlo::rewrite_computations(module, with_device_calls).status());
  auto made = std::make_unique<PJRT_LoadedExecutable>();
  made->client = client;
  made->code = std::string(options.portable ? "p" : "r") + std::to_string(options.replicas) + "\n" + std::string(code);
  made->portable = options.portable;
  for (const hilo::hlo::Alias& alias : module.aliases) made->takes.push_back(alias.parameter_number);
  hilo::CompileOptions inside;
  inside.replica_count = options.replicas;
  HILO_ASSIGN_OR_RETURN(made->inside, client->inside->compile(module, inside, nullptr));
  return made;
}

Status client_compile(PJRT_Client_Compile_Args& args) {
  const Options options = read_options({args.compile_options, args.compile_options_size});
  const std::string_view format(args.program->format, args.program->format_size);
  if (format != "hlo" && format != "mlir") return hilo::invalid_argument("fake plugin: no such format");
  if (variable() == "throw") throw std::runtime_error("fake plugin: thrown");
  const std::string_view bytes(args.program->code, args.program->code_size);
  if (format == "hlo" && bytes.find("acosh") != std::string_view::npos) std::abort();  // XLA's plugins abort too
  HILO_ASSIGN_OR_RETURN(auto made, load(args.client, bytes, options));
  args.executable = made.release();
  return ok_status();
}

/// The array in the device's layout: column-major.
std::string device_bytes(const Literal& literal) {
  const Shape& shape = literal.shape();
  std::vector<int64_t> order;
  for (int64_t i = 0; i < shape.rank(); ++i) order.push_back(i);
  const std::vector<int64_t> to = hilo::strides_of(shape.with_layout(order)), from = hilo::strides_of(shape);
  const int64_t width = hilo::element_size_bytes(shape.element_type());
  std::string bytes(static_cast<size_t>(shape.byte_size()), '\0');
  for (int64_t flat = 0; flat < shape.element_count(); ++flat) {
    int64_t rest = flat, place = 0;
    for (size_t i = 0; i < from.size(); ++i) {
      place += rest / from[i] * to[i];
      rest %= from[i];
    }
    std::memcpy(bytes.data() + place * width, literal.bytes().data() + flat * width, static_cast<size_t>(width));
  }
  return bytes;
}

Status from_host(PJRT_Client_BufferFromHostBuffer_Args& args) {
  const hilo::ElementType type = type_of(args.type);
  if (type == hilo::ElementType::kToken) return hilo::unimplemented("fake plugin: no such type");
  auto value = std::make_shared<Value>();
  HILO_ASSIGN_OR_RETURN(value->literal, Literal::make(Shape::array(type, std::span(args.dims, args.num_dims))));
  const auto copy = [value, data = args.data] {
    if (!value->literal.bytes().empty())
      std::memcpy(value->literal.mutable_bytes().data(), data, value->literal.bytes().size());
  };
  const bool now = args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  if (now) copy();
  value->ready = args.device->client->worker.later([now, copy] {
    if (!now) copy();
    return ok_status();
  });
  args.done_with_host_buffer = new PJRT_Event(now ? Event() : value->ready);
  args.buffer = new PJRT_Buffer(args.device, value);
  return ok_status();
}

Status check_there(const PJRT_Buffer& buffer) {
  return buffer.is_taken ? hilo::invalid_argument("fake plugin: a run has taken the buffer") : ok_status();
}

/// Like XLA, unpacks elements narrower than a byte to one byte each, with zeros in the high bits.
void clear_unused_bits(hilo::ElementType type, std::string& bytes) {
  const int bits = hilo::element_type_info(type).bits;
  for (char& byte : bytes) byte = static_cast<char>(byte & ((1 << bits) - 1));
}

Status to_host(PJRT_Buffer_ToHostBuffer_Args& args) {
  HILO_RETURN_IF_ERROR(check_there(*args.src));
  const auto bytes = static_cast<size_t>(args.src->value->literal.shape().byte_size());
  if (args.dst == nullptr) {
    args.dst_size = bytes;
    return ok_status();
  }
  if (args.dst_size < bytes) return hilo::invalid_argument("fake plugin: too little room");
  const bool row_major = args.host_layout != nullptr;
  if (row_major &&
      args.host_layout->tiled.minor_to_major_size != static_cast<size_t>(args.src->value->literal.shape().rank()))
    return hilo::invalid_argument("fake plugin: another rank");
  args.event = new PJRT_Event(
      args.src->device->client->worker.later([value = args.src->value, to = args.dst, bytes, row_major]() -> Status {
        HILO_RETURN_IF_ERROR(value->ready.await());
        const auto* const dense = reinterpret_cast<const char*>(value->literal.bytes().data());
        std::string lies = row_major ? std::string(dense, bytes) : device_bytes(value->literal);
        const hilo::ElementType type = value->literal.shape().element_type();
        if (hilo::is_packed_by_xla(type)) clear_unused_bits(type, lies);
        std::memcpy(to, lies.data(), bytes);
        return ok_status();
      }));
  return ok_status();
}

Status buffer_destroy(PJRT_Buffer_Destroy_Args& args) {
  delete args.buffer;
  return ok_status();
}
Status buffer_ready(PJRT_Buffer_ReadyEvent_Args& args) {
  args.event = new PJRT_Event(args.buffer->value->ready);
  return ok_status();
}
Status buffer_copy(PJRT_Buffer_CopyToDevice_Args& args) {
  HILO_RETURN_IF_ERROR(check_there(*args.buffer));
  if (args.dst_device == args.buffer->device) return hilo::invalid_argument("fake plugin: it is there already");
  auto value = std::make_shared<Value>();
  HILO_ASSIGN_OR_RETURN(value->literal, Literal::make(args.buffer->value->literal.shape()));
  value->ready = args.dst_device->client->worker.later([value, from = args.buffer->value]() -> Status {
    HILO_RETURN_IF_ERROR(from->ready.await());
    value->literal = from->literal;
    return ok_status();
  });
  args.dst_buffer = new PJRT_Buffer(args.dst_device, value);
  return ok_status();
}

/// A queued run.
struct Run {
  std::shared_ptr<hilo::Executable> inside;
  std::vector<std::vector<ValuePtr>> arguments, results;

  Status operator()() const {
    std::vector<std::vector<hilo::BufferPtr>> given(arguments.size()), got(arguments.size());
    std::vector<hilo::DeviceRun> runs;
    for (size_t k = 0; k < arguments.size(); ++k) {
      for (const ValuePtr& value : arguments[k]) {
        HILO_RETURN_IF_ERROR(value->ready.await());
        HILO_ASSIGN_OR_RETURN(hilo::BufferPtr buffer, hilo::buffer_from_literal(*inside->devices()[k], value->literal));
        given[k].push_back(std::move(buffer));
      }
      got[k].resize(results[k].size());
    }
    for (size_t k = 0; k < given.size(); ++k) runs.push_back({given[k], got[k]});
    HILO_RETURN_IF_ERROR(inside->launch(runs).status());
    for (size_t k = 0; k < got.size(); ++k) {
      for (size_t i = 0; i < got[k].size(); ++i) {
        HILO_ASSIGN_OR_RETURN(results[k][i]->literal, hilo::literal_from_buffer(*got[k][i]));
      }
    }
    return ok_status();
  }
};

/// Ends the arguments that the program donates.
void take_arguments(const PJRT_LoadedExecutable_Execute_Args& args) {
  const std::span kept(args.options->non_donatable_input_indices, args.options->num_non_donatable_input_indices);
  for (const int64_t i : args.executable->takes) {
    if (std::ranges::find(kept, i) != kept.end()) continue;
    for (size_t k = 0; k < args.num_devices; ++k) {
      args.argument_lists[k][i]->is_taken = true;
      ++plan().taken;
    }
  }
}

Status execute(PJRT_LoadedExecutable_Execute_Args& args) {
  const hilo::Executable& inside = *args.executable->inside;
  if (args.num_args != inside.argument_shapes().size()) return hilo::invalid_argument("fake plugin: other arguments");
  if (args.executable->portable != (args.execute_device != nullptr) ||
      args.num_devices != static_cast<size_t>(inside.replica_count()))
    return hilo::invalid_argument("fake plugin: other devices");
  Run run{args.executable->inside, {}, {}};
  for (size_t k = 0; k < args.num_devices; ++k) {
    run.arguments.emplace_back();
    run.results.emplace_back();
    for (size_t i = 0; i < args.num_args; ++i) {
      PJRT_Buffer* const argument = args.argument_lists[k][i];
      HILO_RETURN_IF_ERROR(check_there(*argument));
      if (argument->value->literal.shape().byte_size() != inside.argument_shapes()[i].byte_size())
        return hilo::invalid_argument("fake plugin: an argument of another size");
      if (args.execute_device != nullptr && argument->device != args.execute_device)
        return hilo::invalid_argument("fake plugin: an argument on another device");
      run.arguments[k].push_back(argument->value);
    }
    for (const Shape& shape : inside.result_shapes()) {
      run.results[k].push_back(std::make_shared<Value>());
      HILO_ASSIGN_OR_RETURN(run.results[k].back()->literal, Literal::make(shape));
    }
  }
  take_arguments(args);
  const Event done = args.executable->client->worker.later(run);
  for (size_t k = 0; k < args.num_devices; ++k) {
    PJRT_Device* const device =
        args.execute_device != nullptr ? args.execute_device : args.executable->client->pointers[k];
    for (size_t i = 0; i < run.results[k].size(); ++i) {
      run.results[k][i]->ready = done;
      args.output_lists[k][i] = new PJRT_Buffer(device, run.results[k][i]);
    }
    if (args.device_complete_events != nullptr) args.device_complete_events[k] = new PJRT_Event(done);
  }
  return ok_status();
}

Status loaded_destroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return ok_status();
}
Status get_executable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = new PJRT_Executable;
  args.executable->loaded = args.loaded_executable;
  return ok_status();
}
Status executable_destroy(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return ok_status();
}
Status num_outputs(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->loaded->inside->result_shapes().size();
  return ok_status();
}
Status serialize(PJRT_Executable_Serialize_Args& args) {
  args.serialized_executable = new PJRT_SerializedExecutable;
  args.serialized_executable->bytes = args.executable->loaded->code;
  args.serialized_bytes = args.serialized_executable->bytes.data();
  args.serialized_bytes_size = args.serialized_executable->bytes.size();
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable* serialized) { delete serialized; };
  return ok_status();
}
Status deserialize(PJRT_Executable_DeserializeAndLoad_Args& args) {
  const std::string_view bytes(args.serialized_executable, args.serialized_executable_size);
  const size_t line = bytes.find('\n');
  const Options options{std::stoll(std::string(bytes.substr(1, line - 1))), bytes[0] == 'p'};
  HILO_ASSIGN_OR_RETURN(auto made, load(args.client, bytes.substr(line + 1), options));
  args.loaded_executable = made.release();
  return ok_status();
}

Status event_destroy(PJRT_Event_Destroy_Args& args) {
  delete args.event;
  return ok_status();
}
Status event_is_ready(PJRT_Event_IsReady_Args& args) {
  args.is_ready = args.event->event.is_ready();
  return ok_status();
}
Status event_await(PJRT_Event_Await_Args& args) { return args.event->event.await(); }
Status event_on_ready(PJRT_Event_OnReady_Args& args) {
  args.event->event.on_ready([callback = args.callback, argument = args.user_arg](const Status& status) {
    callback(error_of(status), argument);
  });
  return ok_status();
}

// ---- Errors, and the table.

void error_destroy(PJRT_Error_Destroy_Args* args) { delete static_cast<FakeError*>(args->error); }
void error_message(PJRT_Error_Message_Args* args) {
  const auto& status = static_cast<const FakeError*>(args->error)->status;
  args->message = status.message().data();
  args->message_size = status.message().size();
}
PJRT_Error* error_code(PJRT_Error_GetCode_Args* args) {
  args->code = static_cast<PJRT_Error_Code>(static_cast<const FakeError*>(args->error)->status.code());
  return nullptr;
}

/// Destroyers and events can't return errors, because their callers could not handle them.
template <typename Args>
constexpr bool may_fail = true;
template <>
constexpr bool may_fail<PJRT_Buffer_Destroy_Args> = false;
template <>
constexpr bool may_fail<PJRT_Client_Destroy_Args> = false;
template <>
constexpr bool may_fail<PJRT_Event_Destroy_Args> = false;
template <>
constexpr bool may_fail<PJRT_Executable_Destroy_Args> = false;
template <>
constexpr bool may_fail<PJRT_LoadedExecutable_Destroy_Args> = false;
template <>
constexpr bool may_fail<PJRT_Event_IsReady_Args> = false;
template <>
constexpr bool may_fail<PJRT_Event_Await_Args> = false;

template <auto kFunction, typename Args>
PJRT_Error* slot(Args* args) {
  if (args->struct_size != kPjrtStructSize<Args>)
    return error_of(hilo::invalid_argument("fake plugin: unexpected size of arguments"));
  if constexpr (may_fail<Args>) {
    if (plan().calls.fetch_add(1) == plan().fail_at)
      return error_of(Status(static_cast<StatusCode>(plan().fail_code.load()), "fake plugin: as planned"));
  }
  return error_of(kFunction(*args));
}

PJRT_FFI_Extension make_ffi() {
  PJRT_FFI_Extension ffi{};
  ffi.base = {sizeof(PJRT_FFI_Extension), PJRT_Extension_Type_FFI, nullptr};
  ffi.register_handler = slot<register_handler>;
  return ffi;
}

PJRT_Api make_api() {
  static PJRT_FFI_Extension ffi = make_ffi();
  PJRT_Api api{};
  api.struct_size = kPjrtStructSize<PJRT_Api>;
  api.extension_start = &ffi.base;
  api.pjrt_api_version.struct_size = kPjrtStructSize<PJRT_Api_Version>;
  api.pjrt_api_version.minor_version = kPjrtMinorVersion;
  api.PJRT_Error_Destroy = error_destroy;
  api.PJRT_Error_Message = error_message;
  api.PJRT_Error_GetCode = error_code;
  api.PJRT_Plugin_Initialize = slot<plugin_initialize>;
  api.PJRT_Plugin_Attributes = slot<plugin_attributes>;
  api.PJRT_Event_Destroy = slot<event_destroy>;
  api.PJRT_Event_IsReady = slot<event_is_ready>;
  api.PJRT_Event_Await = slot<event_await>;
  api.PJRT_Event_OnReady = slot<event_on_ready>;
  api.PJRT_Client_Create = slot<client_create>;
  api.PJRT_Client_Destroy = slot<client_destroy>;
  api.PJRT_Client_PlatformName = slot<client_platform_name>;
  api.PJRT_Client_ProcessIndex = slot<client_process_index>;
  api.PJRT_Client_Devices = slot<client_devices>;
  api.PJRT_Client_AddressableDevices = slot<client_addressable_devices>;
  api.PJRT_Client_Compile = slot<client_compile>;
  api.PJRT_Client_BufferFromHostBuffer = slot<from_host>;
  api.PJRT_DeviceDescription_Id = slot<device_id>;
  api.PJRT_DeviceDescription_ProcessIndex = slot<device_process_index>;
  api.PJRT_DeviceDescription_Kind = slot<device_kind>;
  api.PJRT_Device_GetDescription = slot<device_get_description>;
  api.PJRT_Device_AddressableMemories = slot<device_memories>;
  api.PJRT_Device_DefaultMemory = slot<device_default_memory>;
  api.PJRT_Memory_Id = slot<memory_id>;
  api.PJRT_Memory_Kind = slot<memory_kind>;
  api.PJRT_Executable_Destroy = slot<executable_destroy>;
  api.PJRT_Executable_NumOutputs = slot<num_outputs>;
  api.PJRT_Executable_Serialize = slot<serialize>;
  api.PJRT_Executable_DeserializeAndLoad = slot<deserialize>;
  api.PJRT_LoadedExecutable_Destroy = slot<loaded_destroy>;
  api.PJRT_LoadedExecutable_GetExecutable = slot<get_executable>;
  api.PJRT_LoadedExecutable_Execute = slot<execute>;
  api.PJRT_Buffer_Destroy = slot<buffer_destroy>;
  api.PJRT_Buffer_ToHostBuffer = slot<to_host>;
  api.PJRT_Buffer_ReadyEvent = slot<buffer_ready>;
  api.PJRT_Buffer_CopyToDevice = slot<buffer_copy>;
  return api;
}

void change(PJRT_Api& api, const std::string& how) {
#define HILO_PJRT_SLOT(result, name) \
  if (how == "null:" #name) api.name = nullptr;
#include "hilo/pjrt_abi/slots.inc"
  if (how == "no ffi") api.extension_start = nullptr;
  if (how.starts_with("size:")) api.struct_size = std::stoul(how.substr(5));
  if (how.starts_with("minor:")) api.pjrt_api_version.minor_version = std::stoi(how.substr(6));
  if (how.starts_with("major:")) api.pjrt_api_version.major_version = std::stoi(how.substr(6));
}

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() {
  static PJRT_Api api = make_api();
  change(api, variable());
  return variable() == "nothing" ? nullptr : &api;
}

extern "C" FakePluginPlan* hilo_fake_plugin() { return &plan(); }
