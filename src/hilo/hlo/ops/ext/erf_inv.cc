// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/erf_inv.h"

#include <limits>

#include "hilo/hlo/build/builder.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::hlo {
namespace {

// Coefficients of degree 8 down to 0. Source    Giles, "Approximating the erfinv function" (2010), single precision
constexpr std::array<double, 9> kCentral = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                            -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                            -0.00417768164,  0.246640727,    1.50140941};
constexpr std::array<double, 9> kTail = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                         -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};

/// Appends ops on values of one shape; remembers the first error.
class Formula {
 public:
  explicit Formula(const Shape& shape) : shape_(shape), builder_("erf_inv") {}

  Builder& builder() { return builder_; }
  InstructionId apply(Opcode opcode, std::initializer_list<InstructionId> operands,
                      AttributesPtr attributes = nullptr) {
    return take(builder_.add(opcode, operands, std::move(attributes)));
  }
  InstructionId constant(double value) {
    const InstructionId scalar = builder_.constant(filled(Shape::scalar(shape_.element_type()), value));
    if (shape_.rank() == 0) return scalar;
    return take(builder_.add(Opcode::kBroadcast, {scalar}, std::make_shared<BroadcastAttributes>(), shape_));
  }
  InstructionId add(InstructionId x, InstructionId y) { return apply(Opcode::kAdd, {x, y}); }
  InstructionId multiply(InstructionId x, InstructionId y) { return apply(Opcode::kMultiply, {x, y}); }
  InstructionId compare(InstructionId x, ComparisonDirection direction, double bound) {
    auto attributes = std::make_shared<CompareAttributes>();
    attributes->direction = direction;
    return apply(Opcode::kCompare, {x, constant(bound)}, std::move(attributes));
  }
  InstructionId polynomial(InstructionId w, const std::array<double, 9>& coefficients) {
    InstructionId p = constant(coefficients[0]);
    for (size_t i = 1; i < coefficients.size(); ++i) p = add(constant(coefficients[i]), multiply(p, w));
    return p;
  }
  StatusOr<ComputationPtr> finish(InstructionId root) && {
    if (!status_.ok()) return status_;
    return std::move(builder_).build(root);
  }

 private:
  InstructionId take(StatusOr<InstructionId> id) {
    if (id.ok()) return *id;
    if (status_.ok()) status_ = id.status();
    return 0;
  }
  Shape shape_;
  Builder builder_;
  Status status_;
};

StatusOr<Shape> infer_shape(const ShapeRuleInput& input) {
  if (input.operands[0].element_type() != ElementType::kF32) {
    return invalid_argument("erf_inv takes f32; got " + input.operands[0].to_string() + ". Hint: convert");
  }
  return input.operands[0].with_default_layout();
}

StatusOr<ComputationPtr> decompose(const Instruction&, std::span<const Shape> operands) {
  Formula f(operands[0].with_default_layout());
  const InstructionId x = f.builder().parameter(operands[0], "x");
  const InstructionId minus_square = f.multiply(x, f.apply(Opcode::kNegate, {x}));
  const InstructionId w = f.apply(Opcode::kNegate, {f.apply(Opcode::kLog1p, {minus_square})});
  const InstructionId central = f.polynomial(f.add(w, f.constant(-2.5)), kCentral);
  const InstructionId tail = f.polynomial(f.add(f.apply(Opcode::kSqrt, {w}), f.constant(-3)), kTail);
  const InstructionId is_central = f.compare(w, ComparisonDirection::kLt, 5);
  const InstructionId inside = f.multiply(f.apply(Opcode::kSelect, {is_central, central, tail}), x);
  // At -1 and 1 the value is infinite.
  const InstructionId at_end = f.compare(f.apply(Opcode::kAbs, {x}), ComparisonDirection::kEq, 1);
  const InstructionId infinite = f.multiply(x, f.constant(std::numeric_limits<double>::infinity()));
  const InstructionId root = f.apply(Opcode::kSelect, {at_end, infinite, inside});
  return std::move(f).finish(root);
}

}  // namespace

const OpDef& ext_erf_inv_op() {
  static constexpr OpDef kDef = {.opcode = Opcode::kExtErfInv,
                                 .name = "hilo.erf_inv",
                                 .arity = 1,
                                 .operand_types = kFloating,
                                 .traits = kExtension,
                                 .cost = CostClass::kTranscendental,
                                 .infer_shape = infer_shape,
                                 .fields = {},
                                 .make_attributes = nullptr,
                                 .copy_attributes = nullptr,
                                 .evaluate = nullptr,
                                 .decompose = decompose,
                                 .spec = "chlo.erf_inv"};
  return kDef;
}

}  // namespace hilo::hlo
