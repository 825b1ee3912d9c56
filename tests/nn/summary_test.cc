// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/summary.h"

#include <gtest/gtest.h>

#include "hilo/nn/linear.h"
#include "hilo/numpy/numpy.h"

namespace hilo::nn {
namespace {

struct Model {
  Dense first;
  std::vector<Embedding> tables;
  HILO_TREE(first, tables)
};

Model example() { return {dense_init(random::key(0), 3, 4), {embedding_init(random::key(1), 100, 8)}}; }

TEST(Summary, HasALineForEachArrayAndTheirSum) {
  EXPECT_EQ(num_parameters(example()), 12 + 4 + 800);
  EXPECT_EQ(summary(example()),
            "parameter             shape    type  count    memory\n"
            ".first.kernel         [3,4]    f32      12  48 bytes\n"
            ".first.bias           [4]      f32       4  16 bytes\n"
            ".tables[0].embedding  [100,8]  f32     800  3.12 KiB\n"
            "total                                  816  3.19 KiB\n");
}

TEST(Summary, CountsWhatACallTakes) {
  const auto f = [](const Model& model, const Array& x) { return dense(model.first, x); };
  const std::string text = summary(example(), f, numpy::zeros({10, 3}));
  // 10 * 4 sums of 3 products, and as many biases; 10 * 3 inputs and 16 parameters of 4 bytes, 10 * 4 results. The
  // table is unused, so it is not an argument of the program.
  EXPECT_NE(
      text.find("a call: 280 operations, 0 transcendentals; memory: 184 bytes of arguments, 160 bytes of results"),
      std::string::npos)
      << text;
}

TEST(Summary, OneArrayIsATreeToo) {
  EXPECT_EQ(summary(numpy::zeros({2})),
            "parameter    shape  type  count   memory\n"
            "(the array)  [2]    f32       2  8 bytes\n"
            "total                         2  8 bytes\n");
}

}  // namespace
}  // namespace hilo::nn
