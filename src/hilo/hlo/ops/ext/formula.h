// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/formula.h -- arithmetic that writes HLO: how the decomposition of an elementwise extension op is said.
#pragma once

#include <span>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::hlo {

/// A computation in the making, all of whose values have one shape. Remembers the first error.
class Formula {
 public:
  /// `shape`: of the op's operands and result. `computes_in`: the element type of the values in between; parameters are
  /// converted to it, the root back. `line`: of the op, which all instructions carry.
  Formula(std::string name, const Shape& shape, ElementType computes_in, AnnotationsPtr line)
      : outer_(shape), shape_(shape.with_element_type(computes_in)), builder_(std::move(name)) {
    builder_.set_annotations(std::move(line));
  }

  Formula(std::string name, const Shape& shape, AnnotationsPtr line)
      : Formula(std::move(name), shape, shape.element_type(), std::move(line)) {}

  InstructionId parameter();
  InstructionId constant(double value);
  /// A constant of another element type, and the bits of a value as another type.
  InstructionId constant_of(ElementType type, double value);
  InstructionId bits_as(InstructionId value, ElementType type);
  /// A value of another element type as the one that the formula computes in.
  InstructionId converted(InstructionId value);
  ElementType element_type() const { return shape_.element_type(); }
  InstructionId apply(Opcode opcode, std::initializer_list<InstructionId> operands, AttributesPtr attributes = nullptr);
  StatusOr<ComputationPtr> finish(InstructionId root) &&;

 private:
  InstructionId take(StatusOr<InstructionId> id);

  Shape outer_, shape_;
  Builder builder_;
  Status status_;
};

/// A value of a formula.
struct Value {
  Formula* formula;
  InstructionId id;
};

inline bool is_double(Value x) { return x.formula->element_type() == ElementType::kF64; }

// exp(x), max(x, y), ... by their names in jax.lax.
#define HILO_VALUE_1(name, opcode) \
  inline Value name(Value x) { return {x.formula, x.formula->apply(opcode, {x.id})}; }
#define HILO_VALUE_2(name, opcode) \
  inline Value name(Value x, Value y) { return {x.formula, x.formula->apply(opcode, {x.id, y.id})}; }
#define HILO_VALUE_3(name, opcode) \
  inline Value name(Value x, Value y, Value z) { return {x.formula, x.formula->apply(opcode, {x.id, y.id, z.id})}; }
#define HILO_ELEMENTWISE(enumerator, name, lax_name, arity, ...) HILO_VALUE_##arity(lax_name, Opcode::k##enumerator)
#define HILO_ELEMENTWISE_DECLARED(...)
namespace formulas {
#include "hilo/hlo/ops/elementwise.inc"
}  // namespace formulas
#undef HILO_ELEMENTWISE
#undef HILO_VALUE_1
#undef HILO_VALUE_2
#undef HILO_VALUE_3

inline Value like(Value x, double value) { return {x.formula, x.formula->constant(value)}; }

inline Value operator-(Value x) { return formulas::neg(x); }
#define HILO_VALUE_OPERATOR(symbol, name)                                         \
  inline Value operator symbol(Value x, Value y) { return formulas::name(x, y); } \
  inline Value operator symbol(Value x, double y) { return x symbol like(x, y); } \
  inline Value operator symbol(double x, Value y) { return like(y, x) symbol y; }
HILO_VALUE_OPERATOR(+, add)
HILO_VALUE_OPERATOR(-, sub)
HILO_VALUE_OPERATOR(*, mul)
HILO_VALUE_OPERATOR(/, div)
#undef HILO_VALUE_OPERATOR

/// Predicates for formulas::select.
Value compare(Value x, ComparisonDirection direction, Value y);
#define HILO_VALUE_COMPARISON(symbol, direction)                                                           \
  inline Value operator symbol(Value x, Value y) { return compare(x, ComparisonDirection::direction, y); } \
  inline Value operator symbol(Value x, double y) { return compare(x, ComparisonDirection::direction, like(x, y)); }
HILO_VALUE_COMPARISON(<, kLt)
HILO_VALUE_COMPARISON(<=, kLe)
HILO_VALUE_COMPARISON(>, kGt)
HILO_VALUE_COMPARISON(==, kEq)
HILO_VALUE_COMPARISON(!=, kNe)
#undef HILO_VALUE_COMPARISON

/// The polynomial in x; coefficients from the highest degree down to 0.
Value polynomial(Value x, std::span<const double> coefficients);

/// The Chebyshev series of x by Clenshaw's recurrence; coefficients from the highest degree down to 0, of which half counts.
Value chebyshev(Value x, std::span<const double> coefficients);

}  // namespace hilo::hlo
