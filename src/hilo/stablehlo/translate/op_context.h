// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/op_context.h -- the operation that is being translated, and the computation that it goes into.
#pragma once

#include <boost/container/small_vector.hpp>

#include "hilo/stablehlo/translate/translator.h"

namespace hilo::stablehlo {

/// Operands of an instruction: few as a rule, which then take no memory of their own.
using InstructionIds = boost::container::small_vector<hlo::InstructionId, 6>;

/// The operation being translated and the computation it goes into.
struct OpContext {
  Translator& translator;
  hlo::Builder& builder;
  const Operation& operation;
  const OpRow& row;
  /// Lists that stand for attributes: those that an operation takes as operands with constant values.
  std::vector<std::pair<std::string_view, std::vector<int64_t>>> lists = {};
  uint32_t operand_limit = ~uint32_t{0};  ///< operands from here on are such lists
  /// Of each result, where operands gave them: its type may leave some unknown.
  std::vector<std::vector<int64_t>> sizes = {};
  bool on_real_values = false;  ///< quantised types count as what they express

  const ModuleTree& tree() const;
  OperationId id() const { return static_cast<OperationId>(&operation - tree().operations.data()); }
  StatusOr<hlo::InstructionId> operand(uint32_t i) const;
  StatusOr<InstructionIds> operands() const;
  uint32_t operand_count() const { return std::min(operation.operands.count, operand_limit); }
  StatusOr<Shape> result_shape(uint32_t i = 0) const;
  /// The type that the file states for a result, which may leave sizes unknown.
  const Type& result_type(uint32_t i = 0) const { return tree().type_of(tree().result(operation, i)); }
  /// The element type of a result; INVALID_ARGUMENT if there is no such result.
  StatusOr<ElementType> result_element(uint32_t i = 0) const;
  /// What value `i` of the operation is.
  void define(uint32_t i, hlo::InstructionId id) const;
  /// Adds an instruction whose results are the operation's: one, or the elements of a tuple.
  Status add(hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
             hlo::AttributesPtr attributes = nullptr) const;

  const Attribute* find(std::string_view name) const { return tree().find(operation, name); }
  /// The integers of an attribute; those of `otherwise` where it is absent.
  StatusOr<std::vector<int64_t>> integers(std::string_view name,
                                          std::optional<std::vector<int64_t>> otherwise = {}) const;
  StatusOr<int64_t> integer(std::string_view name, std::optional<int64_t> otherwise = {}) const;
  /// True, or there as a unit attribute.
  bool flag(std::string_view name, bool otherwise = false) const;
  /// Text of a word, string or symbol; empty if the attribute is absent.
  std::string_view text(std::string_view name) const;
  Status missing(std::string_view name) const;
};

}  // namespace hilo::stablehlo
