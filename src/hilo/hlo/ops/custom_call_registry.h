// SPDX-License-Identifier: Apache-2.0
// hlo/ops/custom_call_registry.h -- handlers of custom calls by target name, and the typed frame that they get. One
// registry serves every engine; backend/custom_call.h is its door for users.
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

/// An operand or result: dense, in the memory order that the program asks for (row-major unless it names layouts).
struct CustomCallBuffer {
  ElementType type = ElementType::kToken;
  std::span<const int64_t> dimensions;
  void* data = nullptr;  ///< null for a token

  int64_t element_count() const;
};

/// One attribute of a custom call, as the dictionary of its backend_config has it.
struct CustomCallAttribute {
  enum class Kind : uint8_t { kScalar, kArray, kString, kDictionary };
  std::string name;
  Kind kind = Kind::kScalar;
  ElementType type = ElementType::kPred;     ///< kScalar, kArray
  int64_t count = 0;                         ///< kArray: elements
  std::vector<std::byte> bytes;              ///< kScalar, kArray: the elements
  std::string text;                          ///< kString
  std::vector<CustomCallAttribute> entries;  ///< kDictionary: by name, ascending

  template <NativeElement T>
  T scalar() const {
    return *reinterpret_cast<const T*>(bytes.data());
  }
};

/// What a handler sees of one call. All of it is the engine's; results hold no values yet, unless the program says that
/// one aliases an operand: then both are the same memory.
struct CustomCallFrame {
  std::string_view target;
  std::span<const CustomCallBuffer> operands, results;
  std::span<const CustomCallAttribute> attributes;  ///< by name, ascending
  std::string_view backend_config;                  ///< as written, for calls whose configuration is no dictionary
  /// Of the run that calls: its executor, stop word, deadline, communicator. Null where no device runs the program: in the
  /// evaluator alone, and where constants are folded.
  const RunContext* context = nullptr;

  const CustomCallAttribute* find(std::string_view name) const;

  /// The scalar attribute `name`.
  /// Errors    INVALID_ARGUMENT if it isn't there or has another type
  template <NativeElement T>
  StatusOr<T> attribute(std::string_view name) const {
    const CustomCallAttribute* const found = find(name);
    HILO_RETURN_IF_ERROR(check_scalar(found, name, element_type_of<T>));
    return found->scalar<T>();
  }

 private:
  Status check_scalar(const CustomCallAttribute* found, std::string_view name, ElementType wanted) const;
};

/// Fills the results. May be called on several threads at once.
using CustomCallHandler = std::function<Status(const CustomCallFrame&)>;

/// What a call means: the same in every process that has the target, or something of this one, a function of it for example.
enum class CustomCallMeaning : uint8_t { kEverywhere, kInThisProcess };

/// Lets programs call `target`. Lives as long as the process.
/// Errors    ALREADY_EXISTS if the name is taken, INVALID_ARGUMENT for an empty name or handler
Status register_custom_call(std::string_view target, CustomCallHandler handler,
                            CustomCallMeaning meaning = CustomCallMeaning::kEverywhere);

/// Whether programs that call the target can't be saved. False for targets that nobody registered.
bool means_this_process(std::string_view target);

/// The handler of `target`.
/// Errors    NOT_FOUND, with the registered targets; UNIMPLEMENTED for callbacks into Python
StatusOr<std::shared_ptr<const CustomCallHandler>> find_custom_call(std::string_view target);

/// All targets, ascending.
std::vector<std::string> custom_call_targets();

/// The entries of `{uplo = 76 : ui8, name = "x", sizes = array<i64: 1, 2>, inner = {..}}`, by name, ascending.
/// Errors    INVALID_ARGUMENT for text that is no dictionary
StatusOr<std::vector<CustomCallAttribute>> parse_custom_call_attributes(std::string_view text);

}  // namespace hilo
