// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/dot.h"

#include <complex>

#include "hilo/types/literal.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

struct Dims {
  Int64List lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
};

AttributesPtr dot_over(const Dims& dims) {
  auto attributes = std::make_shared<DotAttributes>();
  attributes->lhs_contracting_dimensions = dims.lhs_contracting;
  attributes->rhs_contracting_dimensions = dims.rhs_contracting;
  attributes->lhs_batch_dimensions = dims.lhs_batch;
  attributes->rhs_batch_dimensions = dims.rhs_batch;
  return attributes;
}

std::string dotted(const Literal& lhs, const Literal& rhs, const Dims& dims,
                   const std::optional<Shape>& declared = std::nullopt) {
  return text_of(run_op(Opcode::kDot, {lhs, rhs}, dot_over(dims), declared));
}

Literal counting(ElementType type, std::initializer_list<int64_t> sizes) {
  Literal literal = filled(Shape::array(type, sizes), 0);
  visit_element_type(
      type,
      [&]<typename T>() {
        int n = 0;
        for (T& value : literal.data<T>()) value = static_cast<T>(static_cast<float>(n++ % 7 - 2));
        return 0;
      },
      [] { return 0; });
  return literal;
}

TEST(Dot, MultipliesMatrices) {
  const Literal a = Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Literal b = Literal::array<float>({3, 2}, {1, 0, 2, 1, 0, 3});
  EXPECT_EQ(dotted(a, b, {{1}, {0}, {}, {}}), "f32[2,2] {{5, 11}, {14, 23}}");
}

TEST(Dot, ContractsAnyDimensions) {
  const Literal a = Literal::array<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Literal b = Literal::array<float>({2, 3}, {1, 0, 2, 1, 0, 3});
  EXPECT_EQ(dotted(a, b, {{1}, {1}, {}, {}}), "f32[2,2] {{7, 10}, {16, 22}}");
  EXPECT_EQ(dotted(a, b, {{0}, {0}, {}, {}}), "f32[3,3] {{5, 0, 14}, {7, 0, 19}, {9, 0, 24}}");
  EXPECT_EQ(dotted(a, b, {{0, 1}, {0, 1}, {}, {}}), "f32[] 29");
  EXPECT_EQ(dotted(a, b, {{1, 0}, {1, 0}, {}, {}}), "f32[] 29");
}

TEST(Dot, TakesVectorsAndScalars) {
  const Literal v = Literal::array<float>({3}, {1, 2, 3});
  EXPECT_EQ(dotted(v, v, {{0}, {0}, {}, {}}), "f32[] 14");
  EXPECT_EQ(dotted(v, v, {}), "f32[3,3] {{1, 2, 3}, {2, 4, 6}, {3, 6, 9}}");
  EXPECT_EQ(dotted(v, v, {{}, {}, {0}, {0}}), "f32[3] {1, 4, 9}");
  EXPECT_EQ(dotted(v, Literal::scalar(2.0f), {}), "f32[3] {2, 4, 6}");
}

/// 2^41 empty rows: the evaluator must not allocate a list of them.
TEST(Dot, MayHaveMoreRowsThanMemoryWhereTheyAreEmpty) {
  const Literal rows(Shape::array(ElementType::kF32, {int64_t{1} << 41, 0})),
      none(Shape::array(ElementType::kF32, {0, 0}));
  const StatusOr<Literal> value = run_op(Opcode::kDot, {rows, none}, dot_over({{1}, {0}, {}, {}}), std::nullopt);
  ASSERT_TRUE(value.ok()) << value.status().to_string();
  EXPECT_EQ(value->shape(), rows.shape());
}

TEST(Dot, OfAComplexVectorByAMatrixRoundsProductsAndOtherwisePartsOfSums) {
  using Complex = std::complex<float>;
  // (1 + i)(2^24 + 2^24 i) + 1. The real part of the product is 0, but it is the difference of two large terms.
  const Literal v = Literal::array<Complex>({2}, {{1, 1}, {1, 0}});
  const Literal m = Literal::array<Complex>({2, 2}, {{0x1p24F, 0x1p24F}, {0, 0}, {1, 0}, {0, 0}});
  const Literal two = Literal::array<Complex>({2, 2}, {{1, 1}, {1, 0}, {0, 0}, {0, 0}});
  EXPECT_EQ(dotted(v, m, {{0}, {0}, {}, {}}), "c64[2] {(1, 33554432), (0, 0)}");
  EXPECT_EQ(dotted(m, v, {{0}, {0}, {}, {}}), "c64[2] {(0, 33554432), (0, 0)}");
  EXPECT_EQ(dotted(two, m, {{1}, {0}, {}, {}}), "c64[2,2] {{(0, 33554432), (0, 0)}, {(0, 0), (0, 0)}}");
}

TEST(Dot, PutsBatchDimensionsFirst) {
  const Literal a = Literal::array<int32_t>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Literal b = Literal::array<int32_t>({2, 2}, {1, 1, 1, -1});
  // lhs[m, b, k], rhs[k, b]
  EXPECT_EQ(dotted(a, b, {{2}, {0}, {1}, {1}}), "s32[2,2] {{3, 11}, {-1, -1}}");
}

/// result[b, i, j] = sum over k, l of lhs[k, b, i, l] * rhs[l, j, b, k], computed by a loop.
TEST(Dot, EqualsTheSumOfProductsOverBatchFreeAndContractedDimensions) {
  const Literal lhs = counting(ElementType::kF64, {2, 3, 4, 5});
  const Literal rhs = counting(ElementType::kF64, {5, 2, 3, 2});
  StatusOr<Literal> result = run_op(Opcode::kDot, {lhs, rhs}, dot_over({{0, 3}, {3, 0}, {1}, {2}}));
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  ASSERT_EQ(result->shape(), Shape::array(ElementType::kF64, {3, 4, 2}));
  const auto l = lhs.data<double>(), r = rhs.data<double>(), out = std::as_const(*result).data<double>();
  for (size_t b = 0; b < 3; ++b) {
    for (size_t i = 0; i < 4; ++i) {
      for (size_t j = 0; j < 2; ++j) {
        double sum = 0;
        for (size_t k = 0; k < 2; ++k) {
          for (size_t q = 0; q < 5; ++q) sum += l[((k * 3 + b) * 4 + i) * 5 + q] * r[((q * 2 + j) * 3 + b) * 2 + k];
        }
        EXPECT_EQ(out[(b * 4 + i) * 2 + j], sum);
      }
    }
  }
}

TEST(Dot, OfNothingIsZero) {
  const Literal a(Shape::array(ElementType::kF32, {2, 0})), b(Shape::array(ElementType::kF32, {0, 3}));
  EXPECT_EQ(dotted(a, b, {{1}, {0}, {}, {}}), "f32[2,3] {{0, 0, 0}, {0, 0, 0}}");
  const Literal c(Shape::array(ElementType::kF32, {0, 2})), d(Shape::array(ElementType::kF32, {2, 3}));
  EXPECT_EQ(dotted(c, d, {{1}, {0}, {}, {}}), "f32[0,3] {}");
}

TEST(Dot, SumsIntoTheDeclaredType) {
  const Literal a = Literal::array<int8_t>({2}, {100, 100});
  EXPECT_EQ(dotted(a, a, {{0}, {0}, {}, {}}, Shape::scalar(ElementType::kS32)), "s32[] 20000");
  EXPECT_EQ(dotted(a, a, {{0}, {0}, {}, {}}), "s8[] 32");
  EXPECT_EQ(dotted(a, a, {{0}, {0}, {}, {}}, Shape::scalar(ElementType::kF32)), "f32[] 20000");
  const Literal h = Literal::array<bfloat16>({2}, {bfloat16(1.0f), bfloat16(0.0078125f)});
  EXPECT_EQ(dotted(h, h, {{0}, {0}, {}, {}}, Shape::scalar(ElementType::kF32)), "f32[] 1.000061");
  EXPECT_EQ(dotted(h, h, {{0}, {0}, {}, {}}), "bf16[] 1");
}

TEST(Dot, MixesWidthsOfOneClass) {
  const Literal a = Literal::array<bfloat16>({2}, {bfloat16(1.0f), bfloat16(2.0f)});
  const Literal b = Literal::array<float>({2}, {0.5f, 0.25f});
  EXPECT_EQ(dotted(a, b, {{0}, {0}, {}, {}}), "f32[] 1");
}

TEST(Dot, SumsOfHalvesRoundOnce) {
  const std::vector<bfloat16> ones(1000, bfloat16(1.0f));
  const Literal a = Literal::array<bfloat16>(std::vector<int64_t>{1000}, ones);
  EXPECT_EQ(dotted(a, a, {{0}, {0}, {}, {}}), "bf16[] 1000");
}

TEST(Dot, OfTruthValuesIsOrOfAnds) {
  const Literal a = Literal::array<bool>({2, 2}, {true, false, false, false});
  const Literal b = Literal::array<bool>({2, 2}, {false, true, true, true});
  EXPECT_EQ(dotted(a, b, {{1}, {0}, {}, {}}), "pred[2,2] {{false, true}, {false, false}}");
}

TEST(Dot, OfComplexNumbersDoesNotConjugate) {
  using C = std::complex<float>;
  const Literal a = Literal::array<C>({2}, {C(1, 2), C(0, 1)});
  EXPECT_EQ(dotted(a, a, {{0}, {0}, {}, {}}), "c64[] (-4, 4)");
}

TEST(Dot, UnsignedNumbersWrap) {
  const Literal a = Literal::array<uint32_t>({1}, {4294967295u});
  EXPECT_EQ(dotted(a, a, {{0}, {0}, {}, {}}), "u32[] 1");
}

TEST(Dot, NarrowFloatsRoundOnceAtTheEndAndNarrowIntegersWrap) {
  const Literal a = filled(Shape::array(ElementType::kF8E5M2, {9}), 1);
  EXPECT_EQ(dotted(a, a, {{0}, {0}, {}, {}}), "f8e5m2[] 8");
  EXPECT_EQ(dotted(a, a, {{0}, {0}, {}, {}}, Shape::scalar(ElementType::kF32)), "f32[] 9");
  const Literal b = filled(Shape::array(ElementType::kS4, {3}), 3);
  EXPECT_EQ(dotted(b, b, {{0}, {0}, {}, {}}), "s4[] -5");
}

std::string error(const Shape& lhs, const Shape& rhs, const Dims& dims,
                  const std::optional<Shape>& declared = std::nullopt) {
  return error_of(shape_of(Opcode::kDot, {lhs, rhs}, dot_over(dims), declared));
}

const ElementType kF = ElementType::kF32;

// Values of jaxlib 0.10.2.
TEST(Dot, SumsThatTheResultCannotHoldAreTakenInTheOperandsTypeAndConverted) {
  const Literal x = Literal::array<float>({2, 3}, {0.4f, 1.1f, 1.8f, 2.5f, 3.2f, 3.9f});
  const Literal y = Literal::array<float>({3, 2}, {-1.1f, -0.2f, 0.7f, 1.6f, 2.5f, 3.4f});
  const Dims rows{{1}, {0}, {}, {}};
  EXPECT_EQ(dotted(x, y, rows, Shape::array(ElementType::kS32, {2, 2})), "s32[2,2] {{4, 7}, {9, 17}}");
  EXPECT_EQ(dotted(x, y, rows, Shape::array(ElementType::kPred, {2, 2})), "pred[2,2] {{true, true}, {true, true}}");
  const Literal bytes = Literal::array<uint8_t>({2, 3}, {0, 1, 1, 2, 3, 3});
  const Literal wraps = Literal::array<uint8_t>({3, 2}, {255, 0, 0, 1, 2, 3});
  EXPECT_EQ(dotted(bytes, wraps, rows, Shape::array(ElementType::kS32, {2, 2})), "s32[2,2] {{2, 4}, {516, 12}}");
  EXPECT_EQ(dotted(bytes, wraps, rows, Shape::array(ElementType::kPred, {2, 2})),
            "pred[2,2] {{true, true}, {true, true}}");
  const Literal words = Literal::array<int32_t>({2}, {300, -1}), ones = Literal::array<int32_t>({2}, {1, 1});
  EXPECT_EQ(dotted(words, ones, {{0}, {0}, {}, {}}, Shape::scalar(ElementType::kS8)), "s8[] 43");
  using C = std::complex<float>;
  const Literal z = Literal::array<C>({2}, {C(1, 2), C(0, 1)});
  EXPECT_EQ(dotted(z, z, {{0}, {0}, {}, {}}, Shape::scalar(ElementType::kF32)), "f32[] -4");
}

TEST(DotErrors, ContractingSizesDiffer) {
  EXPECT_EQ(error(Shape::array(kF, {2, 3}), Shape::array(kF, {4, 5}), {{1}, {0}, {}, {}}),
            "INVALID_ARGUMENT: contracting dimensions differ; lhs f32[2,3] dim 1 = 3, rhs f32[4,5] dim 0 = 4. Hint: "
            "transpose or reshape one operand");
}

TEST(DotErrors, BatchSizesDiffer) {
  EXPECT_EQ(
      error(Shape::array(kF, {2, 3}), Shape::array(kF, {4, 3}), {{1}, {1}, {0}, {0}}),
      "INVALID_ARGUMENT: batch dimensions differ; lhs f32[2,3] dim 0 = 2, rhs f32[4,3] dim 0 = 4. Hint: transpose "
      "or reshape one operand");
}

TEST(DotErrors, ListsOfDifferentLength) {
  const Shape a = Shape::array(kF, {2, 2});
  EXPECT_EQ(error(a, a, {{1}, {}, {}, {}}),
            "INVALID_ARGUMENT: lhs_contracting_dims and rhs_contracting_dims differ in length; got {1} and {}");
  EXPECT_EQ(error(a, a, {{}, {}, {}, {0}}),
            "INVALID_ARGUMENT: lhs_batch_dims and rhs_batch_dims differ in length; got {} and {0}");
}

TEST(DotErrors, DimensionsOutOfRangeOrTwice) {
  const Shape a = Shape::array(kF, {2, 2});
  EXPECT_EQ(error(a, a, {{2}, {0}, {}, {}}),
            "INVALID_ARGUMENT: lhs_contracting_dims 2 out of range for f32[2,2] of rank 2");
  EXPECT_EQ(error(a, a, {{0}, {-1}, {}, {}}),
            "INVALID_ARGUMENT: rhs_contracting_dims -1 out of range for f32[2,2] of rank 2");
  EXPECT_EQ(error(a, a, {{}, {}, {7}, {0}}), "INVALID_ARGUMENT: lhs_batch_dims 7 out of range for f32[2,2] of rank 2");
  EXPECT_EQ(error(a, a, {{0, 0}, {0, 1}, {}, {}}), "INVALID_ARGUMENT: lhs_contracting_dims 0 appears twice in [0,0]");
  EXPECT_EQ(error(a, a, {{0}, {0}, {0}, {1}}),
            "INVALID_ARGUMENT: lhs_batch_dims and lhs_contracting_dims share dimension 0; got {0} and {0}, wanted each "
            "dimension in one of them");
}

TEST(DotErrors, ElementTypesDiffer) {
  EXPECT_EQ(error(Shape::array(kF, {2}), Shape::array(ElementType::kS32, {2}), {{0}, {0}, {}, {}}),
            "INVALID_ARGUMENT: element types differ; lhs f32[2], rhs s32[2]. Hint: convert one operand");
}

TEST(DotErrors, PrecisionOfOneOperandOnly) {
  auto attributes = std::make_shared<DotAttributes>();
  attributes->operand_precision = {"high"};
  const Shape a = Shape::array(kF, {});
  EXPECT_EQ(error_of(shape_of(Opcode::kDot, {a, a}, attributes)),
            "INVALID_ARGUMENT: operand_precision: got 1 values, wanted 2, one per operand");
  attributes->operand_precision = {"high", "best"};
  EXPECT_EQ(error_of(shape_of(Opcode::kDot, {a, a}, attributes)),
            "INVALID_ARGUMENT: operand_precision: got 'best', wanted default, high or highest");
}

TEST(DotErrors, ResultTooLarge) {
  const Shape a = Shape::array(kF, {int64_t{1} << 40});
  EXPECT_EQ(error(a, a, {}).substr(0, 17), "INVALID_ARGUMENT:");
}

TEST(Dot, NamesItsAttributesAsHloTextDoes) {
  EXPECT_EQ(field_names(Opcode::kDot),
            (std::vector<std::string_view>{"lhs_batch_dims", "lhs_contracting_dims", "rhs_batch_dims",
                                           "rhs_contracting_dims", "operand_precision", "algorithm"}));
}

}  // namespace
}  // namespace hilo::hlo
