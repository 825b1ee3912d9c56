// SPDX-License-Identifier: Apache-2.0
// hlo/ops/custom_call_registry.h -- handlers of custom calls by target name, and the typed frame that they receive. All
// engines share one registry. Users access it through backend/custom_call.h.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/types/shape.h"

namespace hilo {

struct RunContext;  // device/run_context.h

/// An operand or result: dense, in the layout that the program requests (row-major unless it names layouts).
struct CustomCallBuffer {
  ElementType type = ElementType::kToken;
  std::span<const int64_t> dimensions;
  void* data = nullptr;  ///< null for a token

  int64_t element_count() const;
};

/// One attribute of a custom call, from the dictionary in its backend_config.
struct CustomCallAttribute {
  enum class Kind : uint8_t { kScalar, kArray, kString, kDictionary };
  std::string name;
  Kind kind = Kind::kScalar;
  ElementType type = ElementType::kPred;     ///< kScalar, kArray
  int64_t count = 0;                         ///< kArray: number of elements
  std::vector<std::byte> bytes;              ///< kScalar, kArray: the elements
  std::string text;                          ///< kString
  std::vector<CustomCallAttribute> entries;  ///< kDictionary: by name, ascending

  template <NativeElement T>
  T scalar() const {
    return *reinterpret_cast<const T*>(bytes.data());
  }
};

/// The arguments of a handler for one call. The engine owns everything in it. Results are uninitialized, unless the
/// program aliases one to an operand: then both are the same memory.
struct CustomCallFrame {
  std::string_view target;
  std::span<const CustomCallBuffer> operands, results;
  std::span<const CustomCallAttribute> attributes;  ///< by name, ascending
  std::string_view backend_config;                  ///< as written, for calls whose configuration is no dictionary
  /// Context of the calling run: executor, stop word, deadline, communicator. Null if no device runs the program: in
  /// the evaluator, and in constant folding.
  const RunContext* context = nullptr;

  const CustomCallAttribute* find(std::string_view name) const;

  /// Returns the scalar attribute `name`.
  /// Errors    INVALID_ARGUMENT if it is missing or has another type
  template <NativeElement T>
  StatusOr<T> attribute(std::string_view name) const {
    const CustomCallAttribute* const found = find(name);
    HILO_RETURN_IF_ERROR(check_scalar(found, name, element_type_of<T>));
    return found->scalar<T>();
  }

 private:
  Status check_scalar(const CustomCallAttribute* found, std::string_view name, ElementType expected) const;
};

/// Fills the results. May be called on several threads at once.
using CustomCallHandler = std::function<Status(const CustomCallFrame&)>;

/// Whether a call has the same meaning in every process with the target, or only in this process, for example if it
/// calls a function in memory.
enum class CustomCallMeaning : uint8_t { kEverywhere, kInThisProcess };

/// Registers a handler, so that programs can call `target`. It stays registered until the process ends.
/// Errors    ALREADY_EXISTS if the name is in use, INVALID_ARGUMENT for an empty name or handler
Status register_custom_call(std::string_view target, CustomCallHandler handler,
                            CustomCallMeaning meaning = CustomCallMeaning::kEverywhere);

/// As register_custom_call(), but takes the place of the target's handler. Programs that are compiled already keep it.
/// Errors    INVALID_ARGUMENT for an empty name or handler
Status replace_custom_call(std::string_view target, CustomCallHandler handler);

/// Returns whether programs that call the target can't be saved. False for unregistered targets.
bool means_this_process(std::string_view target);

/// Returns the handler of `target`.
/// Errors    NOT_FOUND, with the registered targets; UNIMPLEMENTED for callbacks into Python
StatusOr<std::shared_ptr<const CustomCallHandler>> find_custom_call(std::string_view target);

/// Returns all targets, ascending.
std::vector<std::string> custom_call_targets();

/// Returns the entries of `{uplo = 76 : ui8, name = "x", sizes = array<i64: 1, 2>, inner = {..}}`, by name, ascending.
/// Errors    INVALID_ARGUMENT for text that is no dictionary
StatusOr<std::vector<CustomCallAttribute>> parse_custom_call_attributes(std::string_view text);

}  // namespace hilo
