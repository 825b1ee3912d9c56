// SPDX-License-Identifier: Apache-2.0
// hlo/build/expr.h -- expressions that append HLO, for decompositions, rewrites and translations.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::hlo {

class Sink;

/// An instruction that was added to a sink. After the sink's first error its value is meaningless, but further
/// expressions may still use it.
struct Expr {
  Sink* sink = nullptr;
  InstructionId id = 0;

  /// Returns the shape; a scalar predicate after an error.
  Shape shape() const;
  ElementType type() const { return shape().element_type(); }
};

using Exprs = std::vector<Expr>;

/// The destination of the instructions of expressions. It stores the first error and adds nothing after it, so that
/// rules can be written as plain arithmetic.
class Sink {
 public:
  /// Appends an instruction; `declared` as in Builder::add.
  Expr add(Opcode opcode, std::span<const Expr> operands, AttributesPtr attributes = nullptr,
           const std::optional<Shape>& declared = std::nullopt);
  Expr add(Opcode opcode, std::initializer_list<Expr> operands, AttributesPtr attributes = nullptr,
           const std::optional<Shape>& declared = std::nullopt) {
    return add(opcode, std::span(operands.begin(), operands.size()), std::move(attributes), declared);
  }
  /// Appends an instruction with attributes of struct T, filled by `fill`. `fill` isn't called after an error, so it
  /// may rely on shapes.
  template <typename T, typename Fill>
  Expr add_with(Opcode opcode, const Exprs& operands, Fill&& fill,
                const std::optional<Shape>& declared = std::nullopt) {
    if (!status_.ok()) return at(0);
    auto attributes = std::make_shared<T>();
    fill(*attributes);
    return add(opcode, operands, std::move(attributes), declared);
  }
  Expr constant(Literal value);

  /// Returns the expression of an existing instruction.
  Expr at(InstructionId id) { return {this, id}; }
  /// Returns the expression of an instruction that was added elsewhere, or stores its error.
  Expr take(const StatusOr<InstructionId>& id);
  Shape shape(InstructionId id) const;

  /// Stores the first error.
  void fail(Status status);
  const Status& status() const { return status_; }

 protected:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() = default;  // protected: objects are never deleted through this base

 private:
  virtual StatusOr<InstructionId> append(Opcode opcode, std::span<const InstructionId> operands,
                                         AttributesPtr attributes, const std::optional<Shape>& declared) = 0;
  virtual InstructionId append_constant(Literal value) = 0;
  virtual Shape shape_of(InstructionId id) const = 0;

  Status status_;
};

// ---- Constants

/// Fills `shape` with one number. The other form uses x's dimensions, and x's type unless a type is passed.
Expr full(Sink& sink, const Shape& shape, double value);
Expr full_like(Expr x, double value);
Expr full_like(Expr x, ElementType type, double value);
/// Fills `shape` with a scalar.
Expr full(Sink& sink, const Shape& shape, const Literal& scalar);
Expr iota(Sink& sink, const Shape& shape, int64_t dimension);

// ---- Elementwise ops: exp(x), max(x, y), select(p, x, y), ... by their names in jax.lax

#define HILO_EXPR_1(name, opcode) \
  inline Expr name(Expr x) { return x.sink->add(opcode, {x}); }
#define HILO_EXPR_2(name, opcode) \
  inline Expr name(Expr x, Expr y) { return x.sink->add(opcode, {x, y}); }
#define HILO_EXPR_3(name, opcode) \
  inline Expr name(Expr x, Expr y, Expr z) { return x.sink->add(opcode, {x, y, z}); }
#define HILO_ELEMENTWISE(enumerator, name, lax_name, arity, ...) HILO_EXPR_##arity(lax_name, Opcode::k##enumerator)
#define HILO_ELEMENTWISE_DECLARED(...)
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
#undef HILO_EXPR_1
#undef HILO_EXPR_2
#undef HILO_EXPR_3

inline Expr operator-(Expr x) { return neg(x); }
#define HILO_EXPR_OPERATOR(symbol, name)                                             \
  inline Expr operator symbol(Expr x, Expr y) { return name(x, y); }                 \
  inline Expr operator symbol(Expr x, double y) { return name(x, full_like(x, y)); } \
  inline Expr operator symbol(double x, Expr y) { return name(full_like(y, x), y); }
HILO_EXPR_OPERATOR(+, add)
HILO_EXPR_OPERATOR(-, sub)
HILO_EXPR_OPERATOR(*, mul)
HILO_EXPR_OPERATOR(/, div)
#undef HILO_EXPR_OPERATOR

/// Comparisons; the results are predicates.
Expr compare(Expr x, ComparisonDirection direction, Expr y);
#define HILO_EXPR_COMPARISON(symbol, direction)                                                         \
  inline Expr operator symbol(Expr x, Expr y) { return compare(x, ComparisonDirection::direction, y); } \
  inline Expr operator symbol(Expr x, double y) { return compare(x, ComparisonDirection::direction, full_like(x, y)); }
HILO_EXPR_COMPARISON(<, kLt)
HILO_EXPR_COMPARISON(<=, kLe)
HILO_EXPR_COMPARISON(>, kGt)
HILO_EXPR_COMPARISON(>=, kGe)
HILO_EXPR_COMPARISON(==, kEq)
HILO_EXPR_COMPARISON(!=, kNe)
#undef HILO_EXPR_COMPARISON

/// Converts to a type; returns x unchanged if it already has it.
Expr convert(Expr x, ElementType type);
/// Reinterprets the bits as another type of the same width.
Expr bitcast(Expr x, ElementType type);

// ---- Shapes

Expr reshape(Expr x, std::span<const int64_t> dimensions);
Expr transpose(Expr x, const Int64List& permutation);
/// Broadcasts: dimension i of x becomes dimension `places[i]` of the result.
Expr broadcast(Expr x, std::span<const int64_t> dimensions, const Int64List& places);
/// Returns the range [start, limit) of one dimension.
Expr slice(Expr x, int64_t dimension, int64_t start, int64_t limit);
/// Concatenates along a dimension. Precondition: `parts` isn't empty.
Expr concatenate(const Exprs& parts, int64_t dimension);

// ---- Other ops

/// Returns the sum over some dimensions.
Expr sum(Expr x, const Int64List& dimensions);
Expr tuple(Sink& sink, const Exprs& elements);
Expr element(Expr tuple, int64_t index);
Expr call(Sink& sink, const ComputationPtr& computation, const Exprs& operands);

/// x y + z of floats. Of a formula of an extension op it rounds once if the engine runs fma natively, otherwise twice
/// (hlo/passes/lower_extensions.cc).
Expr mul_add(Expr x, Expr y, Expr z);

/// Evaluates a polynomial in x by mul_add; coefficients from the highest degree down to 0.
Expr polynomial(Expr x, std::span<const double> coefficients);

/// Evaluates a Chebyshev series at x by Clenshaw's recurrence; coefficients from the highest degree down to 0, where
/// degree 0 counts half.
Expr chebyshev(Expr x, std::span<const double> coefficients);

}  // namespace hilo::hlo
