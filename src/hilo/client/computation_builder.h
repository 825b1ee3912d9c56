// SPDX-License-Identifier: Apache-2.0
// client/computation_builder.h -- the builder of the client: HLO instructions, and C++ values as parameters and
// constants.
#pragma once

#include <functional>
#include <unordered_set>

#include "hilo/client/host_array.h"
#include "hilo/client/local_computation.h"
#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo {

class ComputationBuilder;

/// What becomes of a constant: an instruction, or nothing at all.
using ConstantResult = StatusOr<std::optional<hlo::InstructionId>>;

/// Builds a computation as hlo::Builder does, whose other operations it has too; and knows what C++ values are in HLO.
class ComputationBuilder : public hlo::Builder {
 public:
  /// Use make_computation_builder.
  explicit ComputationBuilder(std::string name) : Builder(name), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  /// A parameter of the value's shape, 64-bit types made 32-bit ones unless jax_enable_x64.
  /// Errors    as parameter_with_shape
  template <typename T>
  StatusOr<hlo::InstructionId> parameter(const T& value, std::string name = {}, std::optional<int64_t> number = {}) {
    HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(value));
    return parameter_with_shape(shape, std::move(name), number);
  }
  /// A parameter of just this shape. Without a number it is the one after the highest so far.
  /// Errors    INVALID_ARGUMENT for a number or a name that another parameter has, or a negative number
  StatusOr<hlo::InstructionId> parameter_with_shape(const Shape& shape, std::string name = {},
                                                    std::optional<int64_t> number = {});

  /// A constant of the value once its 64-bit types are made 32-bit ones, unless jax_enable_x64. A tuple's elements are
  /// constants of their own. An array with strides of 0 is a broadcast of the small array.
  /// Errors    INVALID_ARGUMENT "Can't convert to XLA: ..." for what is no array or tuple of arrays
  StatusOr<hlo::InstructionId> numpy_array_constant(const Literal& value);
  StatusOr<hlo::InstructionId> numpy_array_constant(const HostArray& value);
  StatusOr<hlo::InstructionId> numpy_array_constant(const std::any& value);

  /// A constant of `value`, which keeps its shape, in the element type of `example`.
  template <typename Example, typename T>
  ConstantResult constant_like(const Example& example, const T& value) {
    HILO_ASSIGN_OR_RETURN(const Literal wanted, as_literal(example));
    HILO_ASSIGN_OR_RETURN(const Literal given, as_literal(value));
    HILO_ASSIGN_OR_RETURN(const Literal cast, hlo::convert_literal(given, wanted.shape().element_type()));
    return constant(cast);
  }

  /// What the handler of exactly the type T makes of `value`; see register_constant_handler.
  /// Errors    INVALID_ARGUMENT "No constant handler for type: ...", and the handler's
  template <typename T>
  ConstantResult constant(const T& value) {
    return constant_of_type(typeid(T), &value);
  }

  /// The computation whose result is `root`, or else the last instruction; not compiled, for the backend of the flags.
  /// Errors    INVALID_ARGUMENT for a builder without instructions or with a gap in its parameter numbers; those of
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

/// A kind of builder. Its choice is the client's: xla and xrt build the same HLO.
struct ComputationBuilderClass {
  std::string_view name;
  ComputationBuilder (*make)(std::string name);
};

/// The kind of builder that goes with the client; chosen once a client.
/// Errors    those of get_xla_client
StatusOr<ComputationBuilderClass> get_computation_builder_class();

/// A builder of the client's kind. `name` is that of the module and of its dump files.
/// Errors    those of get_xla_client
StatusOr<ComputationBuilder> make_computation_builder(std::string name);

namespace constant_handlers {
using Handler = std::function<ConstantResult(ComputationBuilder&, const void* value)>;
void set(const std::type_info& type, Handler handler);
}  // namespace constant_handlers

/// Says what constant(value) makes of values of exactly the type T, in the whole process; the last handler given wins.
/// There from the start: C++ numbers of HLO's types, Literal, HostArray, BufferPtr.
/// Example    register_constant_handler<Celsius>([](ComputationBuilder& b, const Celsius& t) { return
///            b.constant(t.degrees); });
template <typename T>
void register_constant_handler(std::function<ConstantResult(ComputationBuilder&, const T&)> handler) {
  constant_handlers::set(typeid(T), [handler = std::move(handler)](ComputationBuilder& builder, const void* value) {
    return handler(builder, *static_cast<const T*>(value));
  });
}

}  // namespace hilo
