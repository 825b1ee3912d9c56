// SPDX-License-Identifier: Apache-2.0
// hlo/build/expr.h -- arithmetic that writes HLO: how decompositions, rewrites and translations say what they add.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/elementwise.h"

namespace hilo::hlo {

class Sink;

/// An instruction that was added to a sink. After the sink's first error it means nothing, and may still be computed with.
struct Expr {
  Sink* sink = nullptr;
  InstructionId id = 0;

  /// A scalar predicate after an error.
  Shape shape() const;
  ElementType type() const { return shape().element_type(); }
};

using Exprs = std::vector<Expr>;

/// Where expressions put their instructions. It remembers the first error, after which nothing is added, so that what a
/// rule says reads as arithmetic.
class Sink {
 public:
  /// `declared` as in Builder::add.
  Expr add(Opcode opcode, std::span<const Expr> operands, AttributesPtr attributes = nullptr,
           const std::optional<Shape>& declared = std::nullopt);
  Expr add(Opcode opcode, std::initializer_list<Expr> operands, AttributesPtr attributes = nullptr,
           const std::optional<Shape>& declared = std::nullopt) {
    return add(opcode, std::span(operands.begin(), operands.size()), std::move(attributes), declared);
  }
  /// With attributes of struct T, filled by `fill`, which isn't called after an error: it may rely on shapes.
  template <typename T, typename Fill>
  Expr add_with(Opcode opcode, const Exprs& operands, Fill&& fill,
                const std::optional<Shape>& declared = std::nullopt) {
    if (!status_.ok()) return at(0);
    auto attributes = std::make_shared<T>();
    fill(*attributes);
    return add(opcode, operands, std::move(attributes), declared);
  }
  Expr constant(Literal value);

  /// An instruction that is there already.
  Expr at(InstructionId id) { return {this, id}; }
  /// One that was added some other way, or why it wasn't.
  Expr take(const StatusOr<InstructionId>& id);
  Shape shape(InstructionId id) const;

  /// Keeps the first error.
  void fail(Status status);
  const Status& status() const { return status_; }

 protected:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() = default;  // nobody owns one by its base

 private:
  virtual StatusOr<InstructionId> append(Opcode opcode, std::span<const InstructionId> operands,
                                         AttributesPtr attributes, const std::optional<Shape>& declared) = 0;
  virtual InstructionId append_constant(Literal value) = 0;
  virtual Shape shape_of(InstructionId id) const = 0;

  Status status_;
};

// ---- Constants.

/// One number in every element of `shape`; in as many as x has, of x's type or another.
Expr full(Sink& sink, const Shape& shape, double value);
Expr full_like(Expr x, double value);
Expr full_like(Expr x, ElementType type, double value);
/// A scalar in every element.
Expr full(Sink& sink, const Shape& shape, const Literal& scalar);
Expr iota(Sink& sink, const Shape& shape, int64_t dimension);

// ---- Element by element: exp(x), max(x, y), select(p, x, y), ... by their names in jax.lax.

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

/// Predicates.
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

/// x itself where it has the type.
Expr convert(Expr x, ElementType type);
/// The bits as another type of as many.
Expr bitcast(Expr x, ElementType type);

// ---- Shapes.

Expr reshape(Expr x, std::span<const int64_t> dimensions);
Expr transpose(Expr x, const Int64List& permutation);
/// Dimension i of x becomes dimension `places[i]` of the result.
Expr broadcast(Expr x, std::span<const int64_t> dimensions, const Int64List& places);
/// Keeps [start, limit) of one dimension.
Expr slice(Expr x, int64_t dimension, int64_t start, int64_t limit);
/// One after the other along a dimension. Precondition: at least one.
Expr concatenate(const Exprs& parts, int64_t dimension);

// ---- Others.

/// The sum over some dimensions.
Expr sum(Expr x, const Int64List& dimensions);
Expr tuple(Sink& sink, const Exprs& elements);
Expr element(Expr tuple, int64_t index);
Expr call(Sink& sink, const ComputationPtr& computation, const Exprs& operands);

/// The polynomial in x; coefficients from the highest degree down to 0.
Expr polynomial(Expr x, std::span<const double> coefficients);

/// The Chebyshev series of x by Clenshaw's recurrence; coefficients from the highest degree down to 0, of which half counts.
Expr chebyshev(Expr x, std::span<const double> coefficients);

}  // namespace hilo::hlo
