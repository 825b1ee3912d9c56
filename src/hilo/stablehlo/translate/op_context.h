// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/op_context.h -- the operation that is being translated, and its target computation.
#pragma once

#include <boost/container/small_vector.hpp>

#include "hilo/stablehlo/translate/translator.h"

namespace hilo::stablehlo {

/// Operands of an instruction; usually few, so that they need no allocation.
using InstructionIds = boost::container::small_vector<hlo::InstructionId, 6>;

/// The operation that is being translated and its target computation.
struct OpContext {
  Translator& translator;
  hlo::Builder& builder;
  const Operation& operation;
  const OpRow& row;
  /// Lists from operands with constant values, which act as attributes.
  std::vector<std::pair<std::string_view, std::vector<int64_t>>> lists = {};
  uint32_t operand_limit = ~uint32_t{0};  ///< operands from this index on are such lists
  /// Sizes of each result from operands, because its type may leave them unknown.
  std::vector<std::vector<int64_t>> sizes = {};
  bool on_real_values = false;  ///< whether quantized types are replaced by their expressed types

  const ModuleTree& tree() const;
  OperationId id() const { return static_cast<OperationId>(&operation - tree().operations.data()); }
  StatusOr<hlo::InstructionId> operand(uint32_t i) const;
  StatusOr<InstructionIds> operands() const;
  uint32_t operand_count() const { return std::min(operation.operands.count, operand_limit); }
  StatusOr<Shape> result_shape(uint32_t i = 0) const;
  /// Returns the declared type of a result, which may have unknown sizes.
  const Type& result_type(uint32_t i = 0) const { return tree().type_of(tree().result(operation, i)); }
  /// Returns the element type of a result; INVALID_ARGUMENT if there is no such result.
  StatusOr<ElementType> result_element(uint32_t i = 0) const;
  /// Defines result `i` of the operation.
  void define(uint32_t i, hlo::InstructionId id) const;
  /// Adds an instruction and defines the operation's results from it: one, or the elements of a tuple.
  Status add(hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
             hlo::AttributesPtr attributes = nullptr) const;

  const Attribute* find(std::string_view name) const { return tree().find(operation, name); }
  /// Returns the integers of an attribute, or `otherwise` if it is absent.
  StatusOr<std::vector<int64_t>> integers(std::string_view name,
                                          std::optional<std::vector<int64_t>> otherwise = {}) const;
  StatusOr<int64_t> integer(std::string_view name, std::optional<int64_t> otherwise = {}) const;
  /// Returns whether the attribute is true, or present as a unit attribute.
  bool flag(std::string_view name, bool otherwise = false) const;
  /// Returns the text of a word, string or symbol; empty if the attribute is absent.
  std::string_view text(std::string_view name) const;
  Status missing(std::string_view name) const;
};

}  // namespace hilo::stablehlo
