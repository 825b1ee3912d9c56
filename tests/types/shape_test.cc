// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace hilo {
namespace {

using enum ElementType;

/// Distinct shapes that no other test uses: f32[first,7], f32[first + 1,7], ...
std::vector<Shape> many_shapes(int64_t first, int64_t count) {
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < count; ++i) shapes.push_back(Shape::array(kF32, {first + i, 7}));
  return shapes;
}

TEST(Shape, IsOneObjectHoweverItIsMade) {
  const Shape shape = Shape::array(kF32, {4, 3});
  EXPECT_EQ(shape, Shape::array(kF32, {4, 3}));
  EXPECT_EQ(shape.dimensions().data(), Shape::array(kF32, {4, 3}).dimensions().data());
  EXPECT_EQ(shape, Shape::array(kS32, {4, 3}).with_element_type(kF32));
  EXPECT_EQ(shape, shape.with_layout(std::vector<int64_t>{1, 0}));
  EXPECT_NE(shape, shape.with_layout(std::vector<int64_t>{0, 1}));
  EXPECT_NE(shape, Shape::array(kF32, {3, 4}));
  EXPECT_NE(shape, Shape::array(kBf16, {4, 3}));
  EXPECT_EQ(Shape(), Shape::tuple({}));
  EXPECT_EQ(Shape::tuple({shape, Shape()}), Shape::tuple({shape, Shape()}));
  EXPECT_EQ(Shape::scalar(kPred), Shape::array(kPred, std::span<const int64_t>()));
  EXPECT_EQ(Shape::scalar(kToken), Shape::token());
}

TEST(Shape, StaysAShapeWhenItIsMovedFrom) {
  Shape shape = Shape::array(kC64, {0, 5});
  const Shape moved = std::move(shape);
  EXPECT_EQ(shape, moved);  // NOLINT: shape.h documents it
  Shape& same = shape;
  shape = std::move(same);
  EXPECT_EQ(shape.to_string(), "c64[0,5]");
  shape = Shape();
  EXPECT_EQ(moved.to_string(), "c64[0,5]");
}

TEST(Shape, HashesAsItDidAfterItWasForgotten) {
  const auto hashes = [] {
    std::vector<size_t> all;
    for (const Shape& shape : many_shapes(100'000, 3000)) all.push_back(Shape::tuple({shape, Shape()}).hash());
    return all;
  };
  const std::vector<size_t> before = hashes();
  many_shapes(200'000, 3000);
  EXPECT_EQ(hashes(), before);
}

TEST(Shape, TellsManyApartByTheirHashes) {
  std::vector<size_t> hashes;
  const auto add = [&](const Shape& shape) { hashes.push_back(shape.hash()); };
  for (int64_t i = 0; i < 50; ++i) {
    for (int64_t j = 0; j < 50; ++j) {
      const Shape matrix = Shape::array(kF64, {i, j});
      add(matrix);
      add(matrix.with_element_type(kS8));
      if (i > 0) add(matrix.with_layout(std::vector<int64_t>{0, 1}));
      add(Shape::tuple({matrix}));
      add(Shape::tuple({matrix, Shape()}));
    }
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

TEST(Shape, IsForgottenWhenNobodyHoldsItWhateverThreadsDo) {
  const std::vector<Shape> first = many_shapes(300'000, 2 * Shape::kKept);  // exhausts the uncounted shapes
  const int64_t before = Shape::interned_counts().held;
  constexpr int64_t kThreads = 4, kRounds = 20, kShapes = 5000;
  std::vector<std::thread> threads;
  std::atomic<int64_t> wrong{0};
  for (int64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&wrong, t] {
      for (int64_t round = 0; round < kRounds; ++round) {
        // Half of them are shared with other threads.
        std::vector<Shape> shapes = many_shapes(400'000 + (t % 2 + round) * kShapes, kShapes);
        std::vector<Shape> copies = shapes;
        copies.push_back(Shape::tuple(copies));
        shapes.clear();
        for (int64_t i = 0; i < kShapes; ++i) {
          const int64_t wanted = 400'000 + (t % 2 + round) * kShapes + i;
          if (copies.back().tuple_element(i).dimension(0) != wanted) wrong.fetch_add(1);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  const Shape::InternedCounts after = Shape::interned_counts();
  EXPECT_EQ(after.held, before);
  EXPECT_LE(after.waiting, Shape::kSpare);
}

TEST(Shape, LivesAsLongAsATupleThatHasIt) {
  const std::vector<Shape> first = many_shapes(600'000, 2 * Shape::kKept);
  const int64_t before = Shape::interned_counts().held;
  {
    const Shape tuple = Shape::tuple(many_shapes(700'000, 10));
    many_shapes(800'000, 3 * Shape::kSpare);
    EXPECT_EQ(tuple.tuple_element(9).to_string(), "f32[700009,7]");
    EXPECT_EQ(tuple.tuple_element(9), Shape::array(kF32, {700'009, 7}));
    EXPECT_EQ(Shape::interned_counts().held, before + 11);
  }
  many_shapes(900'000, 3 * Shape::kSpare);
  EXPECT_EQ(Shape::interned_counts().held, before);
}

TEST(Shape, IsForgottenHoweverDeepItsTuplesAre) {
  const std::vector<Shape> first = many_shapes(1'000'000, 2 * Shape::kKept);
  const int64_t before = Shape::interned_counts().held;
  {
    Shape deep = Shape::array(kF32, {1'100'000, 7});
    for (int i = 0; i < 200'000; ++i) deep = Shape::tuple({deep});
    EXPECT_EQ(Shape::interned_counts().held, before + 200'001);
  }
  many_shapes(1'200'000, 3 * Shape::kSpare + 1);
  const Shape::InternedCounts after = Shape::interned_counts();
  EXPECT_LE(after.held + after.waiting, before + Shape::kSpare);
}

}  // namespace
}  // namespace hilo
