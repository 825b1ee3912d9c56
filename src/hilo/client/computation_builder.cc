// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/computation_builder.h"

#include <fmt/format.h>

#include <mutex>
#include <typeindex>
#include <unordered_map>

#include "hilo/base/memoize.h"
#include "hilo/base/text.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo {
namespace {

using constant_handlers::Handler;
using hlo::InstructionId;

template <typename T>
ConstantResult constant_of_array(ComputationBuilder& builder, const void* value) {
  HILO_ASSIGN_OR_RETURN(const InstructionId id, builder.numpy_array_constant(*static_cast<const T*>(value)));
  return std::optional<InstructionId>(id);
}

template <typename T>
ConstantResult constant_of_value(ComputationBuilder& builder, const void* value) {
  HILO_ASSIGN_OR_RETURN(const Literal literal, as_literal(*static_cast<const T*>(value)));
  return constant_of_array<Literal>(builder, &literal);
}

struct Handlers {
  std::mutex mutex;
  std::unordered_map<std::type_index, Handler> by_type;

  Handlers() {
    add_values<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float16, bfloat16, float,
               double, std::complex<float>, std::complex<double>, BufferPtr>();
    by_type[typeid(Literal)] = constant_of_array<Literal>;
    by_type[typeid(HostArray)] = constant_of_array<HostArray>;
  }
  template <typename... T>
  void add_values() {
    ((by_type[typeid(T)] = constant_of_value<T>), ...);
  }
};
Handlers& handlers() {
  static auto* const instance = new Handlers;
  return *instance;
}

ComputationBuilder make_hlo_builder(std::string name) { return ComputationBuilder(std::move(name)); }

StatusOr<ComputationBuilderClass> builder_class_of_client(uint64_t) {
  HILO_RETURN_IF_ERROR(get_xla_client().status());  // checks that a client exists; any client accepts the same HLO
  return ComputationBuilderClass{"ComputationBuilder", make_hlo_builder};
}

}  // namespace

namespace constant_handlers {

void set(const std::type_info& type, Handler handler) {
  std::lock_guard lock(handlers().mutex);
  handlers().by_type[type] = std::move(handler);
}

}  // namespace constant_handlers

StatusOr<InstructionId> ComputationBuilder::parameter_with_shape(const Shape& shape, std::string name,
                                                                 std::optional<int64_t> number) {
  const int64_t chosen = number.value_or(next_number_);
  const std::string said = fmt::format("parameter {} of '{}'", chosen, name_);
  if (chosen < 0) return invalid_argument(fmt::format("{}: a number is at least 0", said));
  if (numbers_.contains(chosen)) return invalid_argument(fmt::format("{}: the number is used twice", said));
  if (names_.contains(name)) {
    return invalid_argument(fmt::format("{}: the name {} is used twice", said, quote(name)));
  }
  numbers_.insert(chosen);
  if (!name.empty()) names_.insert(name);
  next_number_ = std::max(next_number_, chosen + 1);
  return Builder::parameter(shape, std::move(name), chosen);
}

StatusOr<InstructionId> ComputationBuilder::literal_constant(const Literal& normal) {
  if (!normal.is_tuple()) return Builder::constant(normal);
  std::vector<InstructionId> elements;
  for (const Literal& element : normal.elements()) {
    HILO_ASSIGN_OR_RETURN(const InstructionId id, literal_constant(element));
    elements.push_back(id);
  }
  return tuple(elements);
}

StatusOr<InstructionId> ComputationBuilder::numpy_array_constant(const Literal& value) {
  HILO_ASSIGN_OR_RETURN(const Literal normal, normalize_to_xla_dtypes(value));
  return literal_constant(normal);
}

StatusOr<InstructionId> ComputationBuilder::numpy_array_constant(const HostArray& value) {
  auto attributes = std::make_shared<hlo::BroadcastAttributes>();
  attributes->dimensions = value.moving_dimensions();
  HILO_ASSIGN_OR_RETURN(const Literal small, value.selected(attributes->dimensions).to_literal());
  HILO_ASSIGN_OR_RETURN(const InstructionId id, numpy_array_constant(small));
  if (std::ssize(attributes->dimensions) == value.shape().rank()) return id;
  const Shape full = value.shape().with_element_type(shape(id).element_type());
  return add(hlo::Opcode::kBroadcast, {id}, std::move(attributes), full);
}

StatusOr<InstructionId> ComputationBuilder::numpy_array_constant(const std::any& value) {
  if (const auto* array = std::any_cast<HostArray>(&value)) return numpy_array_constant(*array);
  HILO_ASSIGN_OR_RETURN(const Literal normal, normalize_to_xla_dtypes(value));
  return literal_constant(normal);
}

ConstantResult ComputationBuilder::constant_of_type(const std::type_info& type, const void* value) {
  Handler handler;
  {
    std::lock_guard lock(handlers().mutex);
    const auto it = handlers().by_type.find(type);
    if (it == handlers().by_type.end()) {
      return invalid_argument(fmt::format("No constant handler for type: {}", type_name(type)));
    }
    handler = it->second;
  }
  return handler(*this, value);  // outside the lock, because handlers call constant()
}

StatusOr<LocalComputation> ComputationBuilder::build(std::optional<InstructionId> root) && {
  const InstructionId last = size() - 1;  // for an empty builder, an invalid id
  hlo::Module module;
  module.name = name_;
  HILO_ASSIGN_OR_RETURN(module.entry, static_cast<Builder&&>(*this).build(root.value_or(last)));
  return LocalComputation::uncompiled(std::move(module));
}

StatusOr<ComputationBuilderClass> get_computation_builder_class() {
  static auto* const by_client = new auto(memoize(builder_class_of_client));
  return (*by_client)(client_generation());
}

StatusOr<ComputationBuilder> make_computation_builder(std::string name) {
  HILO_ASSIGN_OR_RETURN(const ComputationBuilderClass builder_class, get_computation_builder_class());
  return builder_class.make(std::move(name));
}

}  // namespace hilo
