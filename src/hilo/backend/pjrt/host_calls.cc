// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/host_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "hilo/backend/cuda/host_copies.h"
#include "hilo/backend/custom_call.h"
#include "hilo/backend/packed_elements.h"
#include "hilo/backend/pjrt/call.h"
#include "hilo/backend/pjrt/effect_order.h"
#include "hilo/hlo/ops/custom_call.h"

namespace hilo::plugins {
namespace {

using hlo::CustomCallAttributes;
using hlo::Instruction;
using hlo::Opcode;

constexpr std::string_view kTarget = "hilo.host_function";
// The original call, as attributes of its replacement.
constexpr std::string_view kFunction = "function", kConfig = "config";

std::string_view text_of(const CustomCallFrame& frame, std::string_view name) {
  const CustomCallAttribute* const found = frame.find(name);
  return found == nullptr ? std::string_view() : found->text;
}

/// Calls the function that the frame selects, with the frame of the original call.
Status call_function(const CustomCallFrame& frame) {
  CustomCallFrame inner = frame;
  inner.target = text_of(frame, kFunction);
  inner.backend_config = text_of(frame, kConfig);
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const CustomCallHandler> handler, find_custom_call(inner.target));
  std::vector<CustomCallAttribute> attributes;
  if (inner.backend_config.starts_with('{')) {
    HILO_ASSIGN_OR_RETURN(attributes, parse_custom_call_attributes(inner.backend_config));
  }
  inner.attributes = attributes;
  return (*handler)(inner);
}

/// Answers the query for the version, if the frame is one.
bool answers_version(HiloFfi_CallFrame* frame) {
  if (hilo_ffi_answer_metadata(frame) == 0) return false;
  // A plugin accepts only handlers of its own minor version. The fields that this one reads are the same in all of
  // them.
  auto* const query = reinterpret_cast<HiloFfi_MetadataExtension*>(frame->extensions);
  if (frame->api != nullptr) query->metadata->api_version.minor_version = frame->api->version.minor_version;
  return true;
}

HiloFfi_Error* handle(HiloFfi_CallFrame* frame) {
  return answers_version(frame) ? nullptr : answer_ffi_call(frame, kTarget, call_function);
}

HiloFfi_Error* handle_on_cuda(HiloFfi_CallFrame* frame) {
  if (answers_version(frame)) return nullptr;
  HiloFfi_StreamArgs stream{sizeof(HiloFfi_StreamArgs), nullptr, frame->ctx, nullptr};
  if (HiloFfi_Error* const error = frame->api->stream_get(&stream)) return error;
  return answer_ffi_call(frame, kTarget, [&stream](const CustomCallFrame& own) -> Status {
    HILO_ASSIGN_OR_RETURN(const cuda::StreamFunctions functions, cuda::stream_functions());
    return cuda::call_on_copies(call_function, own, functions, stream.stream);
  });
}

/// A platform of XLA that can run functions of this process on its arrays.
struct HostPlatform {
  std::string_view client;  ///< name of its client
  std::string_view ffi;     ///< name under which its handlers are registered
  HiloFfi_Handler* handler;
};
constexpr std::array kLentPlatforms = {HostPlatform{"cpu", "Host", handle},
                                       HostPlatform{"cuda", "CUDA", handle_on_cuda}};

// ---- The plugin's side.

const PJRT_FFI_Extension* ffi_extension(const Plugin& plugin) {
  for (const PJRT_Extension_Base* e = plugin.api().extension_start; e != nullptr; e = e->next) {
    if (e->type != PJRT_Extension_Type_FFI || e->struct_size < sizeof(PJRT_FFI_Extension)) continue;
    const auto* const ffi = reinterpret_cast<const PJRT_FFI_Extension*>(e);
    if (ffi->register_handler != nullptr) return ffi;
  }
  return nullptr;
}

/// Returns the name; empty if the plugin doesn't report one.
StatusOr<std::string> name_of_client(const Plugin& plugin, PJRT_Client* client) {
  if (!has(plugin, &PJRT_Api::PJRT_Client_PlatformName)) return std::string();
  PJRT_Client_PlatformName_Args args{};
  args.client = client;
  HILO_RETURN_IF_ERROR(call(plugin, &PJRT_Api::PJRT_Client_PlatformName, args));
  return std::string(args.platform_name, args.platform_name_size);
}

/// Returns null if functions of this process can't run there.
StatusOr<const HostPlatform*> host_platform(const Plugin& plugin, PJRT_Client* client) {
  HILO_ASSIGN_OR_RETURN(const std::string name, name_of_client(plugin, client));
  const auto found = std::ranges::find(kLentPlatforms, name, &HostPlatform::client);
  return found == kLentPlatforms.end() ? nullptr : &*found;
}

/// Registers the handler, once per plugin, for its lifetime.
Status register_handler(const Plugin& plugin, const PJRT_FFI_Extension& ffi, const HostPlatform& platform) {
  static std::mutex mutex;
  static auto* const registered = new std::set<const Plugin*>;
  const std::scoped_lock lock(mutex);
  if (registered->contains(&plugin)) return ok_status();
  PJRT_FFI_Register_Handler_Args args{};
  args.struct_size = kPjrtStructSize<PJRT_FFI_Register_Handler_Args>;
  args.target_name = kTarget.data();
  args.target_name_size = kTarget.size();
  args.handler = reinterpret_cast<void*>(platform.handler);
  args.platform_name = platform.ffi.data();
  args.platform_name_size = platform.ffi.size();
  HILO_RETURN_IF_ERROR(status_of(plugin, ffi.register_handler(&args)));
  registered->insert(&plugin);
  return ok_status();
}

// ---- The program's side.

const CustomCallAttributes& call_of(const Instruction& i) { return hlo::attributes_of<CustomCallAttributes>(i); }

/// Quotes text for MLIR: all characters except plain ones as two hexadecimal digits.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    out += is_plain ? std::string(1, c) : fmt::format("\\{:02X}", static_cast<uint8_t>(c));
  }
  return out + "\"";
}

/// Elements of 2 and 4 bits have another layout in the plugin's memory than hilo's functions expect.
bool has_packed_elements(const hlo::Computation& computation, const Instruction& i) {
  const auto is_packed = [](const Shape& shape) {
    return std::ranges::any_of(shape.leaves(), [](const Shape& leaf) { return is_packed_by_xla(leaf.element_type()); });
  };
  return is_packed(i.shape) || std::ranges::any_of(i.operands, [&](hlo::InstructionId operand) {
           return is_packed(computation.instruction(operand).shape);
         });
}

bool is_hilos(const hlo::Computation& computation, const Instruction& i) {
  return i.opcode == Opcode::kCustomCall && call_of(i).called.empty() && !has_packed_elements(computation, i) &&
         find_custom_call(hlo::custom_call_target(call_of(i))).ok();
}

bool is_host_call(const Instruction& i) {
  return i.opcode == Opcode::kCustomCall && hlo::custom_call_target(call_of(i)) == kTarget;
}

std::shared_ptr<const CustomCallAttributes> host_call(const CustomCallAttributes& from, const std::string& config) {
  auto attributes = std::make_shared<CustomCallAttributes>(from);
  std::erase_if(attributes->raw, [](const std::string& text) {
    return text.starts_with("custom_call_target=") || text.starts_with("api_version=");
  });
  attributes->raw.push_back(fmt::format("custom_call_target=\"{}\"", kTarget));
  attributes->raw.push_back("api_version=API_VERSION_TYPED_FFI");
  attributes->backend_config =
      fmt::format("{{{} = {}, {} = {}}}", kConfig, literal(config), kFunction, literal(hlo::custom_call_target(from)));
  return attributes;
}

StatusOr<hlo::ComputationPtr> with_host_calls(const hlo::ComputationPtr& computation) {
  const std::span<const Instruction> all = computation->instructions();
  if (std::ranges::none_of(all, [&](const Instruction& i) { return is_hilos(*computation, i); })) return computation;
  hlo::ComputationDraft draft(computation->name());
  for (const Instruction& i : all) {
    const hlo::InstructionId id = draft.append_copy(i, i.operands);
    if (!is_hilos(*computation, i)) continue;
    HILO_ASSIGN_OR_RETURN(const hlo::CustomCallOptions options, hlo::custom_call_options(call_of(i)));
    draft.mutable_instruction(id).attributes = host_call(call_of(i), options.backend_config);
  }
  return std::move(draft).finish(computation->root_id());
}

bool has_effect(const Instruction& i) {
  return is_host_call(i) &&
         std::ranges::find(call_of(i).raw, "custom_call_has_side_effect=true") != call_of(i).raw.end();
}

/// Calls `visit` for each call of hilo's handler, until it fails.
template <typename Visitor>
Status for_each_host_call(const hlo::Module& program, const Visitor& visit) {
  for (const hlo::ComputationPtr& computation : hlo::computations_of(program)) {
    for (const Instruction& i : computation->instructions()) {
      if (is_host_call(i)) HILO_RETURN_IF_ERROR(visit(i));
    }
  }
  return ok_status();
}

}  // namespace

StatusOr<bool> runs_on_processors(const Plugin& plugin, PJRT_Client* client) {
  HILO_ASSIGN_OR_RETURN(const std::string name, name_of_client(plugin, client));
  return name == "cpu";  // XLA's name of that platform
}

Status check_no_host_calls(const hlo::Module& program) {
  return for_each_host_call(program, [](const Instruction& i) {
    return permission_denied(fmt::format(
        "{}: programs can't call '{}' directly. Hint: call its function by its own name", describe(i), kTarget));
  });
}

StatusOr<bool> replace_host_calls(const Plugin& plugin, PJRT_Client* client, hlo::Module& program) {
  const PJRT_FFI_Extension* const ffi = ffi_extension(plugin);
  if (ffi == nullptr) return false;
  HILO_ASSIGN_OR_RETURN(const HostPlatform* const platform, host_platform(plugin, client));
  if (platform == nullptr) return false;
  HILO_ASSIGN_OR_RETURN(const bool changed, hlo::rewrite_computations(program, with_host_calls));
  if (!changed) return false;
  HILO_RETURN_IF_ERROR(put_in_order(program, has_effect));
  HILO_RETURN_IF_ERROR(register_handler(plugin, *ffi, *platform));
  return true;
}

Status register_for_saved_program(const Plugin& plugin, PJRT_Client* client, const hlo::Module& program) {
  const PJRT_FFI_Extension* const ffi = ffi_extension(plugin);
  if (ffi == nullptr) return ok_status();
  HILO_ASSIGN_OR_RETURN(const HostPlatform* const platform, host_platform(plugin, client));
  if (platform == nullptr) return ok_status();
  return for_each_host_call(program, [&](const Instruction&) { return register_handler(plugin, *ffi, *platform); });
}

Status check_can_be_saved(const hlo::Module& program) {
  return for_each_host_call(program, [&](const Instruction& i) -> Status {
    HILO_ASSIGN_OR_RETURN(const std::vector<CustomCallAttribute> attributes,
                          parse_custom_call_attributes(call_of(i).backend_config));
    const auto function = std::ranges::find(attributes, kFunction, &CustomCallAttribute::name);
    if (function == attributes.end() || !means_this_process(function->text)) return ok_status();
    return unimplemented(fmt::format("serialize '{}': {} calls a function that exists in this process only ('{}')",
                                     program.name, describe(i), function->text));
  });
}

}  // namespace hilo::plugins
