// SPDX-License-Identifier: Apache-2.0
// The plugin's function table, with one wrapper for all functions of answers.h.
#include "hilo/pjrt_abi/api.h"

#include <cstring>
#include <exception>
#include <new>
#include <type_traits>

#include "hilo/base/out_of_memory.h"
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/known_part.h"

namespace hilo::pjrt {

/// Overload for functions that answers.h doesn't declare. Existing overloads are a better match.
struct NotHere {};
template <class Args>
static NotHere answer(Args&, ...) {
  return {};
}

namespace {

template <class Args>
Status answered(Args& args, const char* name) {
  if constexpr (std::is_same_v<decltype(answer(args)), NotHere>) {
    return unimplemented(std::string(name) + " is not implemented by hilo's plugin");
  } else {
    return answer(args);
  }
}

/// Calls an implementation with arguments of this version's size. Fields that the caller's version doesn't have are
/// zero and aren't written.
template <class Args>
Status resized(Args& args, const char* name) {
  constexpr size_t kKnown = kPjrtStructSize<Args>;
  static_assert(kKnown > 0);
  if (args.struct_size >= kKnown) return answered(args, name);
  constexpr size_t kMin = sizeof(size_t);
  if (args.struct_size < kMin)
    return invalid_argument(std::string(name) + ": struct_size is " + std::to_string(args.struct_size) + "; wanted " +
                            std::to_string(kKnown));
  const size_t theirs = args.struct_size;
  Args known = known_part(args);
  Status status = answered(known, name);
  known.struct_size = theirs;
  std::memcpy(&args, &known, theirs);
  return status;
}

/// Calls an implementation and converts exceptions to errors.
template <class Args>
PJRT_Error* called(Args* args, const char* name) noexcept try {
  if (args == nullptr) return new_error(invalid_argument(std::string(name) + ": the arguments are null"));
  return new_error(resized(*args, name));
} catch (const std::bad_alloc&) {
  return new_error(out_of_memory());
} catch (const std::exception& error) {
  return new_error(Status(StatusCode::kUnknown, std::string(name) + ": an exception was thrown: " + error.what()));
} catch (...) {  // NOLINT: of a handler or callback; no caller can catch it
  return new_error(Status(StatusCode::kUnknown, std::string(name) + ": an exception was thrown"));
}

/// Returns the error for functions that return one; two functions don't.
template <class Result>
Result given(PJRT_Error* error) {
  if constexpr (!std::is_void_v<Result>) {
    return error;
  } else if (error != nullptr) {
    error->vtable->destroy(error);
  }
}

// One function per row, with the row's type.
#define HILO_PJRT_SLOT(result, name) \
  result slot_##name(name##_Args* args) { return given<result>(called(args, #name)); }
#include "hilo/pjrt_abi/slots.inc"

// The functions of extensions have no rows.
#define HILO_PJRT_EXTENSION_SLOT(name) [](name##_Args* args) { return called(args, #name); }

template <class Extension>
constexpr PJRT_Extension_Base base(PJRT_Extension_Type type, PJRT_Extension_Base* next) {
  return {sizeof(Extension), type, next};
}

struct Extensions {
  PJRT_Custom_Partitioner_Extension partitioners = {
      base<PJRT_Custom_Partitioner_Extension>(PJRT_Extension_Type_Custom_Partitioner, nullptr),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Register_Custom_Partitioner),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Register_Batch_Partitionable),
  };
  PJRT_Shardings_Extension shardings = {
      base<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings, &partitioners.base),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Shardings_PJRT_Executable_ParameterShardings),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Shardings_PJRT_Executable_OutputShardings),
  };
  PJRT_MemoryDescriptions_Extension memories = {
      base<PJRT_MemoryDescriptions_Extension>(PJRT_Extension_Type_MemoryDescriptions, &shardings.base),
      HILO_PJRT_EXTENSION_SLOT(PJRT_DeviceDescription_MemoryDescriptions),
      HILO_PJRT_EXTENSION_SLOT(PJRT_MemoryDescription_Kind),
  };
  PJRT_FFI_Extension ffi = {
      base<PJRT_FFI_Extension>(PJRT_Extension_Type_FFI, &memories.base),
      HILO_PJRT_EXTENSION_SLOT(PJRT_FFI_Type_Register),
      HILO_PJRT_EXTENSION_SLOT(PJRT_FFI_UserData_Add),
      HILO_PJRT_EXTENSION_SLOT(PJRT_FFI_Register_Handler),
  };
  PJRT_Layouts_Extension layouts = {
      base<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts, &ffi.base),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Layouts_MemoryLayout_Destroy),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Layouts_MemoryLayout_Serialize),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Layouts_PJRT_Client_GetDefaultLayout),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Layouts_PJRT_Buffer_MemoryLayout),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Layouts_PJRT_Topology_GetDefaultLayout),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Layouts_PJRT_Executable_GetOutputLayouts),
      HILO_PJRT_EXTENSION_SLOT(PJRT_Layouts_PJRT_Executable_GetParameterLayouts),
  };
};

Extensions& extensions() {
  static Extensions instance;
  return instance;
}

const PJRT_Api& api() {
  static const PJRT_Api table = {
      kPjrtStructSize<PJRT_Api>,
      &extensions().layouts.base,
      {kPjrtStructSize<PJRT_Api_Version>, nullptr, kPjrtMajorVersion, kPjrtMinorVersion},
#define HILO_PJRT_SLOT(result, name) slot_##name,
#include "hilo/pjrt_abi/slots.inc"
  };
  return table;
}

}  // namespace
}  // namespace hilo::pjrt

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() { return &hilo::pjrt::api(); }
