// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/hlo/ir/extensions.h"

#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

const Shape kFloat = Shape::scalar(ElementType::kF32);

/// (scale, sum, x) -> (sum + scale * x, sum): one constant, one carry, one xs, one ys.
ComputationPtr weighted_step(const Shape& shape) {
  Builder b("step");
  const InstructionId scale = b.parameter(shape), sum = b.parameter(shape), x = b.parameter(shape);
  StatusOr<InstructionId> product = b.add(Opcode::kMultiply, {scale, x});
  EXPECT_TRUE(product.ok());
  StatusOr<InstructionId> next = b.add(Opcode::kAdd, {sum, *product});
  EXPECT_TRUE(next.ok());
  return *std::move(b).build(b.tuple({*next, sum}));
}

AttributesPtr scan_of(ComputationPtr step, int64_t length, int64_t constants, int64_t carries, bool reverse = false) {
  auto attributes = std::make_shared<ScanAttributes>();
  attributes->step = std::move(step);
  attributes->length = length;
  attributes->constant_count = constants;
  attributes->carry_count = carries;
  attributes->reverse = reverse;
  return attributes;
}

/// Expects that all instructions pass the builder's checks, also in called computations.
void expect_valid(const ComputationPtr& root) {
  std::vector<ComputationPtr> pending = {root};
  while (!pending.empty()) {
    const ComputationPtr computation = pending.back();
    pending.pop_back();
    for (const Instruction& i : computation->instructions()) {
      std::vector<Shape> operands;
      for (InstructionId id : i.operands) operands.push_back(computation->instruction(id).shape);
      StatusOr<Shape> shape = check_instruction(i.def(), operands, i.attributes.get(), i.shape);
      EXPECT_TRUE(shape.ok()) << describe(i) << ": " << shape.status().to_string();
      for (const ComputationPtr& called : called_computations(i)) pending.push_back(called);
    }
  }
}

/// The scan's value. Checks that its decomposition has the same value, bit for bit.
std::string scanned(const std::vector<Literal>& operands, const AttributesPtr& attributes) {
  StatusOr<Literal> direct = run_op(kExtScan, operands, attributes);
  if (!direct.ok()) return direct.status().to_string();
  std::vector<Shape> shapes;
  for (const Literal& operand : operands) shapes.push_back(operand.shape());
  StatusOr<ComputationPtr> scan = computation_of(kExtScan, shapes, attributes);
  EXPECT_TRUE(scan.ok());
  StatusOr<ComputationPtr> loop = op_def(kExtScan).decompose((*scan)->root(), shapes);
  if (!loop.ok()) return loop.status().to_string();
  expect_valid(*loop);
  EXPECT_EQ((*loop)->parameter_shapes(), shapes);
  EXPECT_EQ((*loop)->result_shape(), direct->shape());
  StatusOr<Literal> decomposed = evaluate(**loop, std::span<const Literal>(operands));
  EXPECT_TRUE(decomposed.ok()) << decomposed.status().to_string();
  EXPECT_TRUE(!decomposed.ok() || decomposed->identical(*direct)) << text_of(decomposed);
  return direct->to_string();
}

const Literal kXs = Literal::array<float>({4}, {1, 2, 3, 4});

TEST(Scan, CarriesAndStacks) {
  EXPECT_EQ(scanned({Literal::scalar(10.0f), Literal::scalar(5.0f), kXs}, scan_of(weighted_step(kFloat), 4, 1, 1)),
            "(f32[] 105, f32[4] {5, 15, 35, 65})");
}

TEST(Scan, RunsInReverseAndKeepsThePlaces) {
  EXPECT_EQ(
      scanned({Literal::scalar(10.0f), Literal::scalar(5.0f), kXs}, scan_of(weighted_step(kFloat), 4, 1, 1, true)),
      "(f32[] 105, f32[4] {95, 75, 45, 5})");
}

TEST(Scan, TakesSlicesOfAnyShape) {
  const Shape row = Shape::array(ElementType::kF32, {2});
  EXPECT_EQ(scanned({Literal::array<float>({2}, {1, 10}), Literal::array<float>({2}, {0, 0}),
                     Literal::array<float>({3, 2}, {1, 2, 3, 4, 5, 6})},
                    scan_of(weighted_step(row), 3, 1, 1)),
            "(f32[2] {9, 120}, f32[3,2] {{0, 0}, {1, 20}, {4, 60}})");
}

TEST(Scan, OfLengthZeroReturnsTheInitialCarry) {
  const std::vector<Literal> operands = {Literal::scalar(10.0f), Literal::scalar(5.0f),
                                         Literal(Shape::array(ElementType::kF32, {0}))};
  EXPECT_EQ(scanned(operands, scan_of(weighted_step(kFloat), 0, 1, 1)), "(f32[] 5, f32[0] {})");
  EXPECT_EQ(scanned(operands, scan_of(weighted_step(kFloat), 0, 1, 1, true)), "(f32[] 5, f32[0] {})");
}

TEST(Scan, OfLengthOne) {
  EXPECT_EQ(scanned({Literal::scalar(10.0f), Literal::scalar(5.0f), Literal::array<float>({1}, {2})},
                    scan_of(weighted_step(kFloat), 1, 1, 1, true)),
            "(f32[] 25, f32[1] {5})");
}

TEST(Scan, TakesSlicesWithoutElements) {
  const Shape empty = Shape::array(ElementType::kF32, {0});
  EXPECT_EQ(scanned({Literal(empty), Literal(empty), Literal(Shape::array(ElementType::kF32, {3, 0}))},
                    scan_of(weighted_step(empty), 3, 1, 1)),
            "(f32[0] {}, f32[3,0] {{}, {}, {}})");
}

TEST(Scan, WithoutXsCountsTurns) {
  Builder b("step");
  const InstructionId x = b.parameter(kFloat);
  StatusOr<InstructionId> doubled = b.add(Opcode::kAdd, {x, x});
  ASSERT_TRUE(doubled.ok());
  const ComputationPtr step = *std::move(b).build(b.tuple({*doubled}));
  EXPECT_EQ(scanned({Literal::scalar(1.0f)}, scan_of(step, 10, 0, 1)), "(f32[] 1024)");
}

TEST(Scan, WithoutCarriesMaps) {
  Builder b("step");
  const InstructionId x = b.parameter(kFloat), y = b.parameter(Shape::scalar(ElementType::kS32));
  StatusOr<InstructionId> negated = b.add(Opcode::kNegate, {x});
  ASSERT_TRUE(negated.ok());
  const ComputationPtr step = *std::move(b).build(b.tuple({y, *negated, x}));
  EXPECT_EQ(scanned({kXs, Literal::array<int32_t>({4}, {9, 8, 7, 6})}, scan_of(step, 4, 0, 0)),
            "(s32[4] {9, 8, 7, 6}, f32[4] {-1, -2, -3, -4}, f32[4] {1, 2, 3, 4})");
}

TEST(Scan, OfNothingAtAll) {
  Builder b("step");
  const ComputationPtr step = *std::move(b).build(b.tuple({}));
  EXPECT_EQ(scanned({}, scan_of(step, 3, 0, 0)), "()");
}

TEST(Scan, SwapsCarriesOfDifferentRoles) {
  Builder b("fibonacci");
  const Shape integer = Shape::scalar(ElementType::kS64);
  const InstructionId x = b.parameter(integer), y = b.parameter(integer);
  StatusOr<InstructionId> sum = b.add(Opcode::kAdd, {x, y});
  ASSERT_TRUE(sum.ok());
  const ComputationPtr step = *std::move(b).build(b.tuple({y, *sum, x}));
  EXPECT_EQ(scanned({Literal::scalar<int64_t>(0), Literal::scalar<int64_t>(1)}, scan_of(step, 8, 0, 2)),
            "(s64[] 21, s64[] 34, s64[8] {0, 1, 1, 2, 3, 5, 8, 13})");
}

template <typename T>
class ScanTypes : public testing::Test {};
using AllTypes = testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, float16,
                                bfloat16, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ScanTypes, AllTypes);

TYPED_TEST(ScanTypes, SumsRunning) {
  const auto v = [](float x) { return static_cast<TypeParam>(x); };
  const Literal xs = Literal::array<TypeParam>({3}, {v(1), v(2), v(3)});
  const AttributesPtr attributes = scan_of(weighted_step(Shape::scalar(element_type_of<TypeParam>)), 3, 1, 1);
  const Literal want = Literal::tuple({Literal::scalar(v(13)), Literal::array<TypeParam>({3}, {v(1), v(3), v(7)})});
  EXPECT_EQ(scanned({Literal::scalar(v(2)), Literal::scalar(v(1)), xs}, attributes), want.to_string());
}

TEST(Scan, CountsInS64WhereTheLengthNeedsIt) {
  Builder b("step");
  const ComputationPtr step = *std::move(b).build(b.tuple({b.parameter(kFloat)}));
  const AttributesPtr attributes = scan_of(step, int64_t{1} << 31, 0, 1);
  StatusOr<ComputationPtr> scan = computation_of(kExtScan, {kFloat}, attributes);
  ASSERT_TRUE(scan.ok());
  const std::vector<Shape> shapes = {kFloat};
  StatusOr<ComputationPtr> loop = op_def(kExtScan).decompose((*scan)->root(), shapes);
  ASSERT_TRUE(loop.ok());
  expect_valid(*loop);
  EXPECT_EQ((*loop)->instruction(1).shape, Shape::scalar(ElementType::kS64));
}

std::string error(const std::vector<Shape>& operands, const AttributesPtr& attributes) {
  return error_of(shape_of(kExtScan, operands, attributes));
}

const Shape kRow = Shape::array(ElementType::kF32, {4});

TEST(ScanErrors, Counts) {
  EXPECT_EQ(error({kFloat}, scan_of(nullptr, -1, 0, 1)), "INVALID_ARGUMENT: length: got -1, wanted at least 0");
  EXPECT_EQ(error({kFloat}, scan_of(nullptr, 4, 1, 1)),
            "INVALID_ARGUMENT: got 1 operands; wanted 1 constants and 1 carries before the xs");
  EXPECT_EQ(error({kFloat}, scan_of(nullptr, 4, -1, 1)),
            "INVALID_ARGUMENT: got 1 operands; wanted -1 constants and 1 carries before the xs");
}

TEST(ScanErrors, XsOfAnotherLength) {
  EXPECT_EQ(error({kFloat, kFloat, kRow}, scan_of(weighted_step(kFloat), 3, 1, 1)),
            "INVALID_ARGUMENT: operand 2 is f32[4]; wanted a leading dimension of 3, the scan's length");
  EXPECT_EQ(error({kFloat, kFloat, kFloat}, scan_of(weighted_step(kFloat), 3, 1, 1)),
            "INVALID_ARGUMENT: operand 2 is f32[]; wanted a leading dimension of 3, the scan's length");
}

TEST(ScanErrors, StepThatDoesNotFit) {
  EXPECT_EQ(error({kFloat, kFloat, kRow}, scan_of(nullptr, 4, 1, 1)),
            "INVALID_ARGUMENT: step: the computation is missing");
  EXPECT_EQ(error({kFloat, kRow}, scan_of(weighted_step(kFloat), 4, 0, 1)),
            "INVALID_ARGUMENT: step 'step': takes 3 parameters, wanted 2: f32[], f32[]");
  EXPECT_EQ(error({kFloat, kRow, kRow}, scan_of(weighted_step(kFloat), 4, 1, 1)),
            "INVALID_ARGUMENT: step 'step': parameter 1 is f32[], wanted f32[4]");
}

TEST(ScanErrors, StepWhoseResultIsNoTupleOrTooShort) {
  EXPECT_EQ(error({kFloat, kFloat}, scan_of(body_of(Opcode::kAdd, ElementType::kF32), 4, 0, 2)),
            "INVALID_ARGUMENT: step 'add.f32': returns f32[], wanted a tuple that begins with 2 carries");
}

TEST(ScanErrors, StepThatChangesItsCarry) {
  Builder b("widen");
  StatusOr<InstructionId> wide =
      b.add(Opcode::kConvert, {b.parameter(kFloat)}, nullptr, Shape::scalar(ElementType::kF64));
  ASSERT_TRUE(wide.ok());
  const ComputationPtr step = *std::move(b).build(b.tuple({*wide}));
  EXPECT_EQ(
      error({kFloat}, scan_of(step, 4, 0, 1)),
      "INVALID_ARGUMENT: step 'widen': returns carry 0 as f64[], it came in as f32[]. Hint: convert it in the step "
      "or before the scan");
}

TEST(ScanErrors, StepThatReturnsATupleAsY) {
  Builder b("nested");
  const InstructionId x = b.parameter(kFloat);
  const ComputationPtr step = *std::move(b).build(b.tuple({x, b.tuple({x})}));
  EXPECT_EQ(error({kFloat}, scan_of(step, 4, 0, 1)),
            "INVALID_ARGUMENT: step 'nested': returns y 0 as (f32[]), wanted an array");
}

TEST(ScanErrors, ResultTooLarge) {
  Builder b("large");
  const InstructionId x = b.parameter(kRow);
  const ComputationPtr step = *std::move(b).build(b.tuple({x, x}));
  EXPECT_EQ(error({kRow}, scan_of(step, int64_t{1} << 61, 0, 1)).substr(0, 17), "INVALID_ARGUMENT:");
}

}  // namespace
}  // namespace hilo::hlo
