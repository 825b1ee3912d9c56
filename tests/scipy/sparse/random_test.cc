// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/sparse/random.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"

namespace hilo::scipy::sparse {
namespace {

// Values of jax 0.10.2.
TEST(RandomBcoo, DrawsTheNumbersOfJax) {
  const BCOO m = random_bcoo(random::key(0), {5, 7}, {.nse = 0.1});
  EXPECT_EQ(m.shape(), (numpy::Shape{5, 7}));
  EXPECT_EQ(m.data.to_vector<float>(),
            (std::vector<float>{0.8423141241073608f, 0.1823786497116089f, 0.22717809677124023f, 0.12072563171386719f}));
  EXPECT_EQ(m.indices.to_vector<int>(), (std::vector<int>{3, 1, 0, 0, 0, 3, 1, 2}));
}

TEST(RandomBcoo, DrawsBatchesAndDenseAxes) {
  const BCOO m = random_bcoo(random::key(3), {2, 3, 4, 2},
                             {.nse = 3, .n_batch = 1, .n_dense = 1, .unique_indices = false, .sorted_indices = true});
  EXPECT_EQ(m.indices.to_vector<int>(), (std::vector<int>{0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 2, 0}));
  EXPECT_EQ(m.data.to_vector<float>(),
            (std::vector<float>{0.008695363998413086f, 0.04398846626281738f, 0.3115730285644531f, 0.16774213314056396f,
                                0.5754284858703613f, 0.8673391342163086f, 0.0022978782653808594f, 0.6579123735427856f,
                                0.774152398109436f, 0.016762971878051758f, 0.9926861524581909f, 0.1295926570892334f}));
}

TEST(RandomBcoo, StoresNothingWhereNothingIsWanted) {
  const BCOO m = random_bcoo(random::key(0), {3}, {.nse = 0});
  EXPECT_EQ(m.nse(), 0);
  EXPECT_EQ(m.todense().to_string(), "[0. 0. 0.]");
}

TEST(RandomBcoo, TakesAnotherGenerator) {
  const auto ones = [](const random::Key&, const numpy::Shape& shape, numpy::Dtype) { return numpy::ones(shape); };
  const BCOO m = random_bcoo(random::key(0), {100, 100}, {.nse = 17, .generator = ones});
  EXPECT_EQ(numpy::sum(m.todense()).item<int>(), 17);
}

TEST(RandomBcoo, RefusesWhatDoesntFit) {
  EXPECT_THROW(random_bcoo(random::key(0), {2, 0}), Error);
  EXPECT_THROW(random_bcoo(random::key(0), {2, 3}, {.nse = 6}), Error);
  EXPECT_THROW(random_bcoo(random::key(0), {2, 3}, {.n_batch = 2, .n_dense = 1}), Error);
  EXPECT_THROW(random_bcoo(random::key(0), {2, 3}, {.n_batch = -1}), Error);
  EXPECT_THROW(random_bcoo(random::key(0), {200, 1}, {.indices_dtype = ElementType::kS8}), Error);
}

}  // namespace
}  // namespace hilo::scipy::sparse
