// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/custom_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <new>

#include "hilo/backend/ffi_executor.h"
#include "hilo/backend/packed_elements.h"
#include "hilo/base/run_scope.h"
#include "hilo/base/text.h"
#include "hilo/base/thread_pool.h"
#include "hilo/device/run_context.h"

/// The error of a handler: a Status.
struct HiloFfi_Error {
  hilo::Status status;
  std::string message;
};
/// Memory that a handler allocated while it ran.
struct HiloFfi_Context {
  std::deque<std::vector<std::byte>> memory;
};

namespace hilo {
namespace {

HiloFfi_Error* error_of(Status status) {
  if (status.ok()) return nullptr;
  auto* error = new HiloFfi_Error{std::move(status), {}};
  error->message = error->status.message();
  return error;
}

Status status_of(HiloFfi_Error* error) {
  if (error == nullptr) return ok_status();
  Status status = std::move(error->status);
  delete error;
  return status;
}

HiloFfi_Error* error_create(HiloFfi_ErrorCreateArgs* args) {
  const bool known = args->code > HILO_FFI_OK && args->code <= HILO_FFI_UNAUTHENTICATED;
  const auto code = known ? static_cast<StatusCode>(args->code) : StatusCode::kUnknown;
  return error_of(Status(code, args->message == nullptr ? "" : args->message));
}
void error_get_details(HiloFfi_ErrorGetDetailsArgs* args) {
  args->message = args->error->message.c_str();
  if (args->struct_size > offsetof(HiloFfi_ErrorGetDetailsArgs, code))
    args->code = static_cast<int>(args->error->status.code());
}
void error_destroy(HiloFfi_ErrorDestroyArgs* args) { delete args->error; }

HiloFfi_Error* handler_register(HiloFfi_RegisterArgs* args) {
  return error_of(register_ffi_handler({args->name.ptr, args->name.len}, args->bundle.execute));
}

template <typename Args>
HiloFfi_Error* refuse(Args*) {
  return error_of(unimplemented("this function of the FFI is not implemented on platform Host in this version"));
}

HiloFfi_Error* memory_allocate(HiloFfi_MemoryArgs* args) {
  const size_t alignment = std::max<size_t>(args->alignment, 1);
  try {
    std::vector<std::byte>& memory = args->ctx->memory.emplace_back(args->size + alignment);
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    args->data = memory.data() + (alignment - address % alignment) % alignment;
    return nullptr;
  } catch (const std::bad_alloc&) {  // a C caller can't catch exceptions
    return error_of(resource_exhausted(fmt::format("no memory for {}", bytes_text(args->size))));
  }
}
HiloFfi_Error* memory_free(HiloFfi_AnyArgs*) { return nullptr; }

HiloFfi_Error* thread_count(HiloFfi_ThreadCountArgs* args) {
  *args->num_threads = default_pool().threads();
  return nullptr;
}
HiloFfi_Error* device_ordinal(HiloFfi_OrdinalArgs* args) {
  const RunContext* const run = current_run();
  args->device_ordinal = run == nullptr ? 0 : run->device->id();
  return nullptr;
}

HiloFfi_Error* context_get(HiloFfi_ContextArgs* args) {
  const RunContext* const run = current_run();
  const auto* const executor = run == nullptr ? nullptr : dynamic_cast<const FfiExecutor*>(run->executor);
  args->data = executor == nullptr ? nullptr : executor->find(args->type_id->type_id);
  if (args->data != nullptr) return nullptr;
  return error_of(not_found(fmt::format("the run has no user data of FFI type {}", args->type_id->type_id)));
}

HiloFfi_Error* find_extension(HiloFfi_FindExtensionArgs* args) {
  args->extension = nullptr;
  return nullptr;
}
HiloFfi_Error* custom_options_get(HiloFfi_CustomOptionsArgs* args) {
  static constexpr HiloFfi_Attrs kNone{sizeof(HiloFfi_Attrs), nullptr, 0, nullptr, nullptr, nullptr};
  args->attrs = &kNone;
  return nullptr;
}

/// The function table and spare entries behind it. A handler built for a newer FFI may call a function that is missing
/// in this version; it receives an error.
struct Table {
  HiloFfi_Api api;
  HiloFfi_Error* (*newer[16])(HiloFfi_AnyArgs*);
};
constexpr Table table_of(HiloFfi_Api api) {
  Table table{api, {}};
  for (auto& function : table.newer) function = refuse;
  return table;
}

constexpr Table kTable = table_of({
    .struct_size = sizeof(HiloFfi_Api),
    .extensions = nullptr,
    .version = {sizeof(HiloFfi_Version), nullptr, HILO_FFI_MAJOR, HILO_FFI_MINOR},
    .internal = nullptr,
    .error_create = error_create,
    .error_get_details = error_get_details,
    .error_destroy = error_destroy,
    .handler_register = handler_register,
    .stream_get = refuse,
    .type_register = refuse,
    .context_get = context_get,
    .state_set = refuse,
    .state_get = refuse,
    .memory_allocate = memory_allocate,
    .memory_free = memory_free,
    .thread_pool_schedule = refuse,
    .thread_pool_num_threads = thread_count,
    .future_create = refuse,
    .future_set_available = refuse,
    .future_set_error = refuse,
    .run_id_get = refuse,
    .device_ordinal_get = device_ordinal,
    .find_extension = find_extension,
    .custom_options_get = custom_options_get,
});
constexpr const HiloFfi_Api& kApi = kTable.api;

/// A frame in C and the storage of its pointers.
class CFrame {
 public:
  explicit CFrame(const CustomCallFrame& from) {
    frame_.struct_size = offsetof(HiloFfi_CallFrame, future);
    frame_.api = &kApi;
    frame_.ctx = &context_;
    frame_.stage = HILO_FFI_STAGE_EXECUTE;
    std::vector<void*>&args = pointers_.emplace_back(), &rets = pointers_.emplace_back();
    for (const CustomCallBuffer& buffer : from.operands) args.push_back(buffer_of(buffer));
    for (const CustomCallBuffer& buffer : from.results) rets.push_back(buffer_of(buffer));
    kinds_.assign(std::max(args.size(), rets.size()), HILO_FFI_BUFFER);
    frame_.args = {sizeof(HiloFfi_Args), nullptr, std::ssize(args), kinds_.data(), args.data()};
    frame_.rets = {sizeof(HiloFfi_Rets), nullptr, std::ssize(rets), kinds_.data(), rets.data()};
    frame_.attrs = attributes_of(from.attributes);
  }
  HiloFfi_CallFrame* get() { return &frame_; }

  /// Copies the results that the handler wrote in XLA's packed form to the engine's buffers.
  void take_results(std::span<const CustomCallBuffer> results) {
    for (size_t i = 0; i < results.size(); ++i) {
      const CustomCallBuffer& to = results[i];
      if (!is_packed_by_xla(to.type)) continue;
      const auto* const from = static_cast<const HiloFfi_Buffer*>(frame_.rets.rets[i]);
      unpack_elements(to.type, to.element_count(), static_cast<const std::byte*>(from->data),
                      static_cast<std::byte*>(to.data));
    }
  }

 private:
  void* buffer_of(const CustomCallBuffer& b) {
    return &buffers_.emplace_back(HiloFfi_Buffer{sizeof(HiloFfi_Buffer), nullptr, element_type_info(b.type).proto_value,
                                                 data_of(b), std::ssize(b.dimensions),
                                                 const_cast<int64_t*>(b.dimensions.data())});
  }

  /// Results are packed before the call, too: one may alias an operand.
  void* data_of(const CustomCallBuffer& b) {
    if (!is_packed_by_xla(b.type)) return b.data;
    const int64_t count = b.element_count();
    std::vector<std::byte>& packed = packed_.emplace_back(static_cast<size_t>(packed_bytes(b.type, count)));
    pack_elements(b.type, count, static_cast<const std::byte*>(b.data), packed.data());
    return packed.data();
  }

  HiloFfi_Attrs attributes_of(std::span<const CustomCallAttribute> list) {
    std::vector<int>& types = types_.emplace_back();
    std::vector<HiloFfi_Bytes*>& names = names_.emplace_back();
    std::vector<void*>& values = pointers_.emplace_back();
    for (const CustomCallAttribute& a : list) {
      names.push_back(&texts_.emplace_back(HiloFfi_Bytes{a.name.data(), a.name.size()}));
      auto [type, value] = value_of(a);
      types.push_back(type);
      values.push_back(value);
    }
    return {sizeof(HiloFfi_Attrs), nullptr, std::ssize(list), types.data(), names.data(), values.data()};
  }

  std::pair<int, void*> value_of(const CustomCallAttribute& a) {
    void* const bytes = const_cast<std::byte*>(a.bytes.data());
    const int type = element_type_info(a.type).proto_value;
    switch (a.kind) {
      case CustomCallAttribute::Kind::kScalar:
        return {HILO_FFI_ATTR_SCALAR, &scalars_.emplace_back(HiloFfi_Scalar{type, bytes})};
      case CustomCallAttribute::Kind::kArray:
        return {HILO_FFI_ATTR_ARRAY, &arrays_.emplace_back(HiloFfi_Array{type, static_cast<size_t>(a.count), bytes})};
      case CustomCallAttribute::Kind::kString:
        return {HILO_FFI_ATTR_STRING, &texts_.emplace_back(HiloFfi_Bytes{a.text.data(), a.text.size()})};
      case CustomCallAttribute::Kind::kDictionary: break;
    }
    HiloFfi_Attrs inner = attributes_of(a.entries);
    return {HILO_FFI_ATTR_DICTIONARY, &dictionaries_.emplace_back(inner)};
  }

  HiloFfi_CallFrame frame_{};
  HiloFfi_Context context_;
  // Deques, because their elements never move.
  std::deque<HiloFfi_Buffer> buffers_;
  std::deque<std::vector<std::byte>> packed_;
  std::deque<HiloFfi_Bytes> texts_;
  std::deque<HiloFfi_Scalar> scalars_;
  std::deque<HiloFfi_Array> arrays_;
  std::deque<HiloFfi_Attrs> dictionaries_;
  std::deque<std::vector<int>> types_;
  std::deque<std::vector<HiloFfi_Bytes*>> names_;
  std::deque<std::vector<void*>> pointers_;
  std::vector<int> kinds_;
};

ElementType type_numbered(int number) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.proto_value == number) return info.type;
  }
  return ElementType::kOpaque;
}

CustomCallBuffer buffer_from(const void* pointer) {
  const auto& b = *static_cast<const HiloFfi_Buffer*>(pointer);
  return {type_numbered(b.type), {b.dims, static_cast<size_t>(b.rank)}, b.data};
}

std::string text_from(const void* pointer) {
  const auto& text = *static_cast<const HiloFfi_Bytes*>(pointer);
  return {text.ptr, text.len};
}

/// Returns the scalars and strings, which are all that handlers in C++ receive.
std::vector<CustomCallAttribute> attributes_from(const HiloFfi_Attrs& attrs) {
  std::vector<CustomCallAttribute> list;
  for (int64_t i = 0; i < attrs.size; ++i) {
    CustomCallAttribute a;
    a.name = text_from(attrs.names[i]);
    if (attrs.types[i] == HILO_FFI_ATTR_STRING) {
      a.kind = CustomCallAttribute::Kind::kString;
      a.text = text_from(attrs.attrs[i]);
    } else if (attrs.types[i] == HILO_FFI_ATTR_SCALAR) {
      const auto& scalar = *static_cast<const HiloFfi_Scalar*>(attrs.attrs[i]);
      a.type = type_numbered(scalar.type);
      a.bytes.resize(element_size_bytes(a.type));
      std::memcpy(a.bytes.data(), scalar.value, a.bytes.size());
    } else {
      continue;
    }
    list.push_back(std::move(a));
  }
  return list;
}

/// Queries the FFI version that the handler was built for.
Status check_version(std::string_view target, HiloFfi_Handler* handler) {
  HiloFfi_Metadata metadata{};
  metadata.struct_size = sizeof(metadata);
  metadata.api_version.struct_size = sizeof(HiloFfi_Version);
  metadata.api_version.major_version = metadata.api_version.minor_version = -1;
  HiloFfi_MetadataExtension extension{{sizeof(HiloFfi_MetadataExtension), HILO_FFI_EXTENSION_METADATA, nullptr},
                                      &metadata};
  HiloFfi_CallFrame frame{};
  frame.struct_size = offsetof(HiloFfi_CallFrame, future);
  frame.extensions = &extension.base;
  frame.api = &kApi;
  frame.stage = HILO_FFI_STAGE_EXECUTE;
  frame.args.struct_size = sizeof(HiloFfi_Args);
  frame.rets.struct_size = sizeof(HiloFfi_Rets);
  frame.attrs.struct_size = sizeof(HiloFfi_Attrs);
  HILO_RETURN_IF_ERROR(status_of(handler(&frame)));
  const HiloFfi_Version& version = metadata.api_version;
  if (version.major_version == HILO_FFI_MAJOR && version.minor_version >= 0) return ok_status();
  return failed_precondition(
      fmt::format("custom call {}: built for version {}.{} of the FFI; wanted {}.x. Hint: hilo_ffi_answer_metadata",
                  quote(target), version.major_version, version.minor_version, +HILO_FFI_MAJOR));
}

}  // namespace

namespace {

StatusOr<CustomCallHandler> handler_of(std::string_view target, HiloFfi_Handler* execute) {
  if (execute == nullptr) {
    return invalid_argument(fmt::format("custom call {}: wanted a handler for execution", quote(target)));
  }
  HILO_RETURN_IF_ERROR(check_version(target, execute));
  return CustomCallHandler([execute](const CustomCallFrame& frame) { return call_ffi_handler(execute, frame); });
}

}  // namespace

Status register_ffi_handler(std::string_view target, HiloFfi_Handler* execute) {
  HILO_ASSIGN_OR_RETURN(CustomCallHandler handler, handler_of(target, execute));
  return register_custom_call(target, std::move(handler));
}

Status replace_ffi_handler(std::string_view target, HiloFfi_Handler* execute) {
  HILO_ASSIGN_OR_RETURN(CustomCallHandler handler, handler_of(target, execute));
  return replace_custom_call(target, std::move(handler));
}

Status call_ffi_handler(HiloFfi_Handler* handler, const CustomCallFrame& frame) {
  CFrame c(frame);
  HiloFfi_Error* const error = handler(c.get());
  if (c.get()->future != nullptr)
    return unimplemented(fmt::format("custom call {}: asynchronous handlers are not implemented", quote(frame.target)));
  HILO_RETURN_IF_ERROR(status_of(error));
  c.take_results(frame.results);
  return ok_status();
}

HiloFfi_Error* answer_ffi_call(HiloFfi_CallFrame* frame, std::string_view target, const CustomCallHandler& handler) {
  if (hilo_ffi_answer_metadata(frame) != 0) return nullptr;
  try {
    std::vector<CustomCallBuffer> operands, results;
    for (int64_t i = 0; i < frame->args.size; ++i) operands.push_back(buffer_from(frame->args.args[i]));
    for (int64_t i = 0; i < frame->rets.size; ++i) results.push_back(buffer_from(frame->rets.rets[i]));
    const std::vector<CustomCallAttribute> attributes = attributes_from(frame->attrs);
    CustomCallFrame own;
    own.target = target;
    own.operands = operands;
    own.results = results;
    own.attributes = attributes;
    own.context = current_run();
    const Status status = handler(own);
    if (status.ok()) return nullptr;
    HiloFfi_ErrorCreateArgs args{sizeof(args), nullptr, nullptr, static_cast<int>(status.code())};
    const std::string message(status.message());
    args.message = message.c_str();
    return frame->api->error_create(&args);
  } catch (const std::exception& error) {  // a C caller can't catch exceptions
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    HiloFfi_ErrorCreateArgs args{sizeof(args), nullptr, error.what(),
                                 is_memory ? HILO_FFI_RESOURCE_EXHAUSTED : HILO_FFI_INTERNAL};
    return frame->api->error_create(&args);
  }
}

}  // namespace hilo

const HiloFfi_Api* hilo_ffi_api(void) { return &hilo::kApi; }

HiloFfi_Error* hilo_ffi_register(const char* target, HiloFfi_Handler* execute) {
  return hilo::error_of(hilo::register_ffi_handler(target == nullptr ? "" : target, execute));
}
