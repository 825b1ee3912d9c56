// SPDX-License-Identifier: Apache-2.0
// hlo/ir/op_def.h -- all facts about an opcode, in one struct.
#pragma once

#include <functional>
#include <typeinfo>

#include "hilo/hlo/ir/attributes.h"
#include "hilo/hlo/ir/opcode.h"

namespace hilo::hlo {

struct Instruction;
struct RuleBuilder;
struct LocalBuilder;

/// The set of element classes that an op accepts.
using TypeSet = uint8_t;
inline constexpr TypeSet kPredSet = 1, kSignedSet = 2, kUnsignedSet = 4, kFloating = 8, kComplexSet = 16,
                         kOtherSet = 32;
inline constexpr TypeSet kInteger = kSignedSet | kUnsignedSet;
inline constexpr TypeSet kBitwise = kPredSet | kInteger;
inline constexpr TypeSet kReal = kInteger | kFloating;
inline constexpr TypeSet kInexact = kFloating | kComplexSet;
inline constexpr TypeSet kNumeric = kReal | kComplexSet;
inline constexpr TypeSet kAnyOrdered = kPredSet | kReal;
inline constexpr TypeSet kAnyArray = kPredSet | kNumeric;
inline constexpr TypeSet kAnyType = kAnyArray | kOtherSet;
constexpr bool contains(TypeSet set, ElementType type) {
  return (set >> static_cast<int>(element_type_info(type).element_class)) & 1;
}

/// Bits of OpDef::traits.
using Traits = uint8_t;
inline constexpr Traits kNoTraits = 0;
inline constexpr Traits kCommutative = 1;  ///< two operands in any order
inline constexpr Traits kEffect = 2;       ///< never merged, folded, moved or dropped
inline constexpr Traits kBarrier = 4;      ///< never merged, folded or moved, but dropped when unused
inline constexpr Traits kExtension = 8;    ///< an extension op of hilo: `call, is_composite=true` in stored HLO
inline constexpr Traits kMovesData = 16;   ///< result elements are copies of operand elements

/// Cost of one result element; region formation uses it as a weight.
enum class CostClass : uint8_t { kFree, kCheap, kExpensive, kTranscendental, kHero };

/// How the result type of an elementwise row is derived from its operands.
enum class ResultType : uint8_t { kSame, kPredicate, kRealPart, kDeclared };

/// Input of a shape rule. `declared` is the shape that the program states, or null. Readers pass it, and so do builder
/// calls of ops whose result doesn't follow from their operands (broadcast, reshape, convert, iota, constant, ...).
struct ShapeRuleInput {
  std::span<const Shape> operands;
  const Attributes* attributes;
  const Shape* declared;
};

/// Returns the attributes as their struct. Precondition: T is the struct of the op.
template <typename T>
const T& attributes_of(const ShapeRuleInput& input) {
  return static_cast<const T&>(*input.attributes);
}

/// Runs a collective, or replica-id, among replicas. The code that runs several replicas supplies it.
using CollectiveFunction = std::function<StatusOr<Literal>(const Instruction&, std::span<const Literal* const>)>;

/// Input of a reference kernel. Operands are array or tuple literals; `run` evaluates a called computation.
struct EvaluateInput {
  const Instruction& instruction;
  std::span<const Literal* const> operands;
  const std::function<StatusOr<Literal>(const Computation&, std::span<const Literal* const>)>& run;
  /// Null or empty if the program is its only replica.
  const CollectiveFunction* collective = nullptr;
};

/// Creates default-constructed attributes of one struct and knows the struct's type. Null for ops without attributes.
class MakeAttributes {
 public:
  constexpr MakeAttributes(std::nullptr_t = nullptr) {}  // value of an op without attributes
  constexpr MakeAttributes(std::shared_ptr<Attributes> (*make)(), bool (*has_type)(const std::type_info&))
      : make_(make), has_type_(has_type) {}

  std::shared_ptr<Attributes> operator()() const { return make_(); }
  /// Returns whether the struct is `type` or derives from it.
  bool has_type(const std::type_info& type) const { return make_ != nullptr && has_type_(type); }
  bool operator==(std::nullptr_t) const { return make_ == nullptr; }

 private:
  std::shared_ptr<Attributes> (*make_)() = nullptr;
  bool (*has_type_)(const std::type_info&) = nullptr;
};

/// How an op is computed when devices share its arrays (hlo/ops/op_sharding.h). The fields have no default, so that
/// every op must set them.
struct OpSharding {
  void (*rule)(RuleBuilder&);         ///< declares how the dimensions of operands and results are related
  void (*strategies)(LocalBuilder&);  ///< declares the strategies of partitioning, for factors that devices share
  constexpr OpSharding(void (*rule)(RuleBuilder&), void (*strategies)(LocalBuilder&))
      : rule(rule), strategies(strategies) {}
};

/// The attribute struct of an op; {} for ops without attributes.
struct AttributesDef {
  std::span<const AttributeField> fields = {};
  MakeAttributes make = nullptr;                                     ///< creates a default-constructed struct
  std::shared_ptr<Attributes> (*copy)(const Attributes&) = nullptr;  ///< creates a mutable copy
};

struct OpDef {
  Opcode opcode;
  std::string_view name;
  int arity;  ///< -1: variadic
  TypeSet operand_types;
  Traits traits = kNoTraits;
  CostClass cost;
  OpSharding sharding;
  /// The only shape rule: checks operands and attributes and returns the result's shape (row-major). Messages don't
  /// name the op; the caller adds "concatenate 'c' (file:line): ". The verifier (hlo/verify) calls it with `declared`
  /// and compares the answer with the declared shape.
  StatusOr<Shape> (*infer_shape)(const ShapeRuleInput&);
  AttributesDef attributes = {};
  /// The reference kernel: simple and slow, the model for tests. Null for ops that can only be decomposed.
  StatusOr<Literal> (*evaluate)(const EvaluateInput&) = nullptr;
  /// For extension ops only: returns a computation of plain HLO with the same parameters and result.
  StatusOr<ComputationPtr> (*decompose)(const Instruction&, std::span<const Shape> operands) = nullptr;
  /// Anchor in the StableHLO specification, or on XLA's page of operation semantics.
  std::string_view spec;
};

/// Defines `const OpDef& function()`, which returns the definition: HILO_DEFINE_OP(dot_op, {.opcode = ..., ...}).
/// hlo/ops/op_table.cc declares the functions of all ops.
#define HILO_DEFINE_OP(function, ...)            \
  const OpDef& function() {                      \
    static const OpDef definition = __VA_ARGS__; \
    return definition;                           \
  }

/// Returns the definition of `opcode`; every opcode has one.
const OpDef& op_def(Opcode opcode);

inline bool has_trait(Opcode opcode, Traits trait) { return (op_def(opcode).traits & trait) != 0; }

namespace op_def_detail {
/// Base of an attribute struct: Attributes, unless the struct names another one by `using Base = DotAttributes;`.
template <typename T>
bool has_type(const std::type_info& type) {
  if constexpr (requires { typename T::Base; }) {
    static_assert(std::is_base_of_v<typename T::Base, T> && !std::is_same_v<typename T::Base, T>);
    if (has_type<typename T::Base>(type)) return true;
  }
  return typeid(T) == type;
}
}  // namespace op_def_detail

/// Returns the definition of the attribute struct T with these fields.
template <typename T>
constexpr AttributesDef attributes_def(std::span<const AttributeField> fields) {
  return {.fields = fields,
          .make = {[]() -> std::shared_ptr<Attributes> { return std::make_shared<T>(); }, op_def_detail::has_type<T>},
          .copy = [](const Attributes& a) -> std::shared_ptr<Attributes> {
            return std::make_shared<T>(static_cast<const T&>(a));
          }};
}

}  // namespace hilo::hlo
