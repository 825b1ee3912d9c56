// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/array.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/array/error.h"
#include "hilo/lax/elementwise.h"
#include "hilo/types/twins.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

constexpr ElementType kNarrow[] = {ElementType::kS2,         ElementType::kS4,         ElementType::kU2,
                                   ElementType::kU4,         ElementType::kF8E5M2,     ElementType::kF8E4M3Fn,
                                   ElementType::kF8E4M3,     ElementType::kF8E3M4,     ElementType::kF8E4M3B11Fnuz,
                                   ElementType::kF8E5M2Fnuz, ElementType::kF8E4M3Fnuz, ElementType::kF8E8M0Fnu,
                                   ElementType::kF4E2M1Fn};

Array array_of(ElementType type, const std::vector<double>& values) {
  Literal literal(Shape::array(type, {static_cast<int64_t>(values.size())}));
  visit_array_type(
      type,
      [&]<typename T>() {
        for (size_t i = 0; i < values.size(); ++i) {
          if constexpr (computes_in_float<T>) literal.data<T>()[i] = T(static_cast<float>(values[i]));
          else if constexpr (is_narrow_integer_twin<T>) literal.data<T>()[i] = T(static_cast<int64_t>(values[i]));
        }
      },
      [] {});
  return Array::from_literal(literal);
}

TEST(Array, ItemAndToVectorReadEveryNarrowType) {
  for (const ElementType type : kNarrow) {
    const std::string name(element_type_name(type));
    EXPECT_EQ(array_of(type, {1}).item<float>(), 1.0f) << name;
    EXPECT_EQ(array_of(type, {1}).item<int>(), 1) << name;
    EXPECT_TRUE(array_of(type, {1}).item<bool>()) << name;
    EXPECT_EQ(array_of(type, {1}).item<std::complex<float>>(), std::complex<float>(1)) << name;
    EXPECT_EQ(static_cast<float>(array_of(type, {1}).item<bfloat16>()), 1.0f) << name;
    EXPECT_EQ(array_of(type, {1, 1, 1}).to_vector<double>(), (std::vector<double>{1, 1, 1})) << name;
    EXPECT_EQ(array_of(type, {}).to_vector<int>(), std::vector<int>()) << name;
  }
}

TEST(Array, NarrowIntegersKeepTheirSignAndRange) {
  EXPECT_EQ(array_of(ElementType::kS4, {-8, -1, 0, 7}).to_vector<int>(), (std::vector<int>{-8, -1, 0, 7}));
  EXPECT_EQ(array_of(ElementType::kS2, {-2, -1, 0, 1}).to_vector<int64_t>(), (std::vector<int64_t>{-2, -1, 0, 1}));
  EXPECT_EQ(array_of(ElementType::kU4, {0, 15}).to_vector<uint8_t>(), (std::vector<uint8_t>{0, 15}));
  EXPECT_EQ(array_of(ElementType::kS4, {-1}).item<uint8_t>(), 255) << "as C++ converts";
}

TEST(Array, NarrowFloatsKeepInfinityNanAndTheirLeastNumbers) {
  const std::vector<float> values =
      array_of(ElementType::kF8E5M2, {INFINITY, -INFINITY, NAN, 0x1p-16}).to_vector<float>();
  EXPECT_EQ(values[0], INFINITY);
  EXPECT_EQ(values[1], -INFINITY);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_EQ(values[3], 0x1p-16f);
  EXPECT_EQ(array_of(ElementType::kF4E2M1Fn, {-6, 0.5}).to_vector<double>(), (std::vector<double>{-6, 0.5}));
  EXPECT_EQ(array_of(ElementType::kF8E8M0Fnu, {0x1p127}).item<double>(), 0x1p127);
}

/// Whether a T can be assigned to an array and to a slice of one.
template <typename T>
constexpr bool assignable = std::is_assignable_v<Array&, T>;
template <typename T>
constexpr bool assignable_to_slice = std::is_assignable_v<decltype(std::declval<Array&>()[0]), T>;

TEST(Array, SlicesAreNoPlacesToAssignTo) {
  static_assert(assignable<float> && assignable<const Array&> && assignable<Array>);
  static_assert(!assignable_to_slice<float> && !assignable_to_slice<const Array&> && !assignable_to_slice<Array>);
}

TEST(Array, MovedFromHoldsNothingAndSaysSo) {
  Array x = Array(2.0f);
  const Array y = std::move(x);
  EXPECT_EQ(y.item<float>(), 2);
  const std::string sentence = "this Array has been moved from";
  const auto expect_refused = [&](auto&& use) {
    EXPECT_NE(error_of(use, StatusCode::kFailedPrecondition).find(sentence), std::string::npos);
  };
  expect_refused([&] { x.shape(); });
  expect_refused([&] { x.weak_type(); });
  expect_refused([&] { x.item<float>(); });
  expect_refused([&] { x.to_string(); });
  expect_refused([&] { lax::add(x, y); });
  expect_refused([&] { lax::add(y, x); });
  const Array copy = x;
  expect_refused([&] { copy.dtype(); });
  x = y;
  EXPECT_EQ(x.item<float>(), 2);
}

TEST(Array, SizesAreTakenApartWhereTheirNumberIsKnown) {
  const auto [rows, columns] = Array::from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3}).shape<2>();
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(columns, 3);
  EXPECT_TRUE(Array(1.0f).shape<0>().empty());
  const std::string said = error_of([] { (void)Array(1.0f).shape<2>(); }, StatusCode::kInvalidArgument);
  EXPECT_NE(said.find("f32[] has 0 dimensions; wanted 2"), std::string::npos) << said;
}

TEST(Array, ItemIsRefusedBeyondOneElement) {
  EXPECT_THROW(array_of(ElementType::kS4, {1, 2}).item<int>(), Error);
  EXPECT_THROW(array_of(ElementType::kF8E5M2, {}).item<float>(), Error);
}

}  // namespace
}  // namespace hilo
