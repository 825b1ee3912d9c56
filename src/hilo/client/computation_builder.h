// SPDX-License-Identifier: Apache-2.0
// client/computation_builder.h -- the HLO builder of the client, with C++ values as parameters and constants.
#pragma once

#include <functional>
#include <unordered_set>

#include "hilo/client/host_array.h"
#include "hilo/client/local_computation.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo {

class ComputationBuilder;

/// Result of a constant handler: an instruction, or none.
using ConstantResult = StatusOr<std::optional<hlo::InstructionId>>;

/// Builds a computation, like hlo::Builder, and converts C++ values to HLO constants and parameters.
class ComputationBuilder : public hlo::Builder {
 public:
  /// Internal; callers use make_computation_builder.
  explicit ComputationBuilder(std::string name) : Builder(name), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  /// Adds a parameter with the value's shape. 64-bit types become 32-bit types unless jax_enable_x64 is set.
  /// Errors    those of parameter_with_shape
  template <typename T>
  StatusOr<hlo::InstructionId> parameter(const T& value, std::string name = {}, std::optional<int64_t> number = {}) {
    HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(value));
    return parameter_with_shape(shape, std::move(name), number);
  }
  /// Adds a parameter of exactly this shape. The default number is one after the highest number in use.
  /// Errors    INVALID_ARGUMENT for a number or name that is in use, or for a negative number
  StatusOr<hlo::InstructionId> parameter_with_shape(const Shape& shape, std::string name = {},
                                                    std::optional<int64_t> number = {});

  /// Adds a constant. 64-bit types become 32-bit types unless jax_enable_x64 is set. The elements of a tuple become
  /// separate constants. An array with strides of 0 becomes a broadcast of the smaller array.
  /// Errors    INVALID_ARGUMENT "Can't convert to XLA: ..." unless the value is an array or a tuple of arrays
  StatusOr<hlo::InstructionId> numpy_array_constant(const Literal& value);
  StatusOr<hlo::InstructionId> numpy_array_constant(const HostArray& value);
  StatusOr<hlo::InstructionId> numpy_array_constant(const std::any& value);

  /// Adds a constant with the shape of `value` and the element type of `example`.
  template <typename Example, typename T>
  ConstantResult constant_like(const Example& example, const T& value) {
    HILO_ASSIGN_OR_RETURN(const Literal wanted, as_literal(example));
    HILO_ASSIGN_OR_RETURN(const Literal given, as_literal(value));
    HILO_ASSIGN_OR_RETURN(const Literal cast, hlo::convert_literal(given, wanted.shape().element_type()));
    return constant(cast);
  }

  /// Adds a constant by the handler that is registered for exactly the type T; see register_constant_handler.
  /// Errors    INVALID_ARGUMENT "No constant handler for type: ...", and those of the handler
  template <typename T>
  ConstantResult constant(const T& value) {
    return constant_of_type(typeid(T), &value);
  }

  /// Builds the computation with the result `root`; the default is the last instruction. The computation is not
  /// compiled and uses the backend that the flags select.
  /// Errors    INVALID_ARGUMENT for a builder without instructions or with a gap in the parameter numbers; those of
  ///           get_backend
  StatusOr<LocalComputation> build(std::optional<hlo::InstructionId> root = std::nullopt) &&;

 private:
  ConstantResult constant_of_type(const std::type_info& type, const void* value);
  StatusOr<hlo::InstructionId> literal_constant(const Literal& normal);

  std::string name_;
  int64_t next_number_ = 0;
  std::unordered_set<int64_t> numbers_;
  std::unordered_set<std::string> names_;
};

/// A kind of builder. The client selects it, but the backends xla and xrt use the same one.
struct ComputationBuilderClass {
  std::string_view name;
  ComputationBuilder (*make)(std::string name);
};

/// Returns the client's kind of builder.
/// Errors    those of get_xla_client
StatusOr<ComputationBuilderClass> get_computation_builder_class();

/// Creates a builder of the client's kind. `name` becomes the name of the module and of its dump files.
/// Errors    those of get_xla_client
StatusOr<ComputationBuilder> make_computation_builder(std::string name);

namespace constant_handlers {
using Handler = std::function<ConstantResult(ComputationBuilder&, const void* value)>;
void set(const std::type_info& type, Handler handler);
}  // namespace constant_handlers

/// Registers the conversion that constant(value) uses for values of exactly the type T, for the whole process. A later
/// registration replaces an earlier one. Handlers for C++ numbers of HLO's types, Literal, HostArray and BufferPtr are
/// built in.
/// Example   register_constant_handler<Celsius>([](ComputationBuilder& b, const Celsius& t) { return
///           b.constant(t.degrees); });
template <typename T>
void register_constant_handler(std::function<ConstantResult(ComputationBuilder&, const T&)> handler) {
  constant_handlers::set(typeid(T), [handler = std::move(handler)](ComputationBuilder& builder, const void* value) {
    return handler(builder, *static_cast<const T*>(value));
  });
}

}  // namespace hilo
