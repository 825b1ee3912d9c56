// SPDX-License-Identifier: Apache-2.0
// The rows of [sorting] in tests/golden/numpy_cases.txt.
#include <limits>

#include "tests/numpy/golden_rows.h"

namespace hilo {
namespace {

TEST(Sorting, GivesWhatJaxGives) {
#include "tests/numpy/golden_inputs.inc"
#include "tests/numpy/sorting_golden.inc"
}

// Values of jax 0.12.0.1.
TEST(Sorting, TopK) {
  using Ints = std::vector<int>;
  const Array x = numpy::array({{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}});
  const auto [most, places] = numpy::top_k(x, 2);
  EXPECT_EQ(most.to_vector<int>(), (Ints{5, 4, 5, 4}));
  EXPECT_EQ(places.to_vector<int>(), (Ints{4, 3, 0, 1}));
  const auto [least, below] = numpy::top_k(x, 2, {.axis = 0, .mode = "smallest"});
  EXPECT_EQ(least.to_vector<int>(), (Ints{1, 2, 3, 2, 1, 5, 4, 3, 4, 5}));
  EXPECT_EQ(below.to_vector<int>(), (Ints{0, 0, 0, 1, 1, 1, 1, 1, 0, 0}));
  const Array floats = numpy::array({1.0f, std::numeric_limits<float>::quiet_NaN(), -3.0f, 0.5f, -0.0f, 0.0f});
  EXPECT_EQ(numpy::top_k(floats, 4, {.mode = "smallest"}).second.to_vector<int>(), (Ints{2, 4, 5, 3}));
  const Array bytes = numpy::array({3, 200, 7}).astype(numpy::uint8);
  EXPECT_EQ(numpy::top_k(bytes, 2, {.mode = "smallest"}).first.to_vector<int>(), (Ints{3, 7}));
  const auto [truths, at] = numpy::top_k(numpy::array({true, false, true}), 2, {.mode = "smallest"});
  EXPECT_EQ(truths.to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ(at.to_vector<int>(), (Ints{1, 0}));
  EXPECT_EQ(
      grad([](Array a) { return numpy::top_k(a, 1, {.mode = "smallest"}).first.sum(); })(numpy::array({2.0f, 1.0f}))
          .to_vector<int>(),
      (Ints{0, 1}));
  EXPECT_THROW(numpy::top_k(x, 1, {.mode = "least"}), Error);
  EXPECT_THROW(numpy::top_k(x, 6), Error);
}

}  // namespace
}  // namespace hilo
