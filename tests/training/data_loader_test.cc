// SPDX-License-Identifier: Apache-2.0
#include "hilo/training/data_loader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"

namespace hilo::training {
namespace {

struct Data {
  Array x, label;
};

Data squares(int64_t count) {
  const Array i = numpy::arange(count);
  return {numpy::stack({i, i * i}, {.axis = 1}), i};
}

std::vector<std::vector<int>> labels(const DataLoader<Data>& loader, int64_t epoch) {
  std::vector<std::vector<int>> all;
  for (const Data& batch : loader.epoch(epoch)) {
    const std::vector<int> x = batch.x.to_vector<int>(), label = batch.label.to_vector<int>();
    EXPECT_EQ(x.size(), 2 * label.size());
    for (size_t i = 0; i < label.size(); ++i) {
      EXPECT_EQ(x[2 * i], label[i]);
      EXPECT_EQ(x[2 * i + 1], label[i] * label[i]);
    }
    all.push_back(label);
  }
  return all;
}

std::vector<int> joined(const std::vector<std::vector<int>>& parts) {
  std::vector<int> all;
  for (const std::vector<int>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(DataLoader, WithoutAKeyTheOrderIsTheDatas) {
  using Batches = std::vector<std::vector<int>>;
  EXPECT_EQ(labels({squares(5), {.batch_size = 2}}, 0), (Batches{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(labels({squares(5), {.batch_size = 2, .drop_remainder = true}}, 0), (Batches{{0, 1}, {2, 3}}));
  EXPECT_EQ(labels({squares(5), {.batch_size = 9}}, 0), (Batches{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(labels({squares(5), {.batch_size = 9, .drop_remainder = true}}, 0), Batches());
  EXPECT_EQ(labels({squares(0), {.batch_size = 2}}, 0), Batches());
}

TEST(DataLoader, TheOrderIsThatOfThePermutationUnderKeyAndEpoch) {
  const random::Key key = random::key(7);
  const DataLoader<Data> loader(squares(23), {.batch_size = 4, .key = key});
  EXPECT_EQ(loader.size(), 6);
  EXPECT_EQ(loader.num_examples(), 23);
  for (int64_t epoch : {0, 1, 5}) {
    EXPECT_EQ(joined(labels(loader, epoch)), random::permutation(random::fold_in(key, epoch), 23).to_vector<int>());
  }
  EXPECT_NE(joined(labels(loader, 0)), joined(labels(loader, 1)));
}

TEST(DataLoader, PrefetchingChangesNoBatch) {
  const random::Key key = random::key(1);
  const auto with = [&](int64_t prefetch) {
    return labels({squares(50), {.batch_size = 7, .key = key, .prefetch = prefetch}}, 3);
  };
  EXPECT_EQ(with(0), with(1));
  EXPECT_EQ(with(0), with(100));
}

TEST(DataLoader, AnEpochMayBeLeftInTheMiddle) {
  const DataLoader<Data> loader(squares(1000), {.batch_size = 1, .prefetch = 3});
  int seen = 0;
  for (const Data& batch : loader.epoch(0)) {
    EXPECT_EQ(batch.label.item<int>(), seen);
    if (++seen == 5) break;
  }
  EXPECT_EQ(seen, 5);
}

TEST(DataLoader, NoMoreThanSoManyBatchesAreMadeAhead) {
  std::atomic<int> made = 0;
  const DataLoader<Data> loader(squares(20), {.batch_size = 1, .prefetch = 2}, [&](const Data& batch) {
    ++made;
    return batch;
  });
  int taken = 0;
  for ([[maybe_unused]] const Data& batch : loader.epoch(0)) {
    ++taken;
    EXPECT_LE(made.load(), taken + 3);  // two waiting batches, and one in preparation
  }
  EXPECT_EQ(made.load(), 20);
}

TEST(DataLoader, WhatATransformThrowsReachesTheCaller) {
  for (int64_t prefetch : {0, 2}) {
    const DataLoader<Data> loader(squares(4), {.batch_size = 1, .prefetch = prefetch}, [](const Data& batch) -> Data {
      if (batch.label.item<int>() == 2) throw std::runtime_error("no two");
      return {batch.x * 2, batch.label};
    });
    int seen = 0;
    try {
      for (const Data& batch : loader.epoch(0)) {
        EXPECT_EQ(batch.x.to_vector<int>()[0], 2 * seen);
        ++seen;
      }
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "no two");
    }
    EXPECT_EQ(seen, 2);
  }
}

std::string error_of(const Data& data, const DataLoaderOptions& options) {
  try {
    DataLoader<Data> loader(data, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(DataLoaderError, NamesWhatDoesNotFit) {
  EXPECT_NE(error_of({numpy::zeros({3}), numpy::zeros({4})}, {}).find("arrays of 3 and of 4 examples"),
            std::string::npos);
  EXPECT_NE(error_of({numpy::zeros({3}), 1.0}, {}).find("a scalar has no examples"), std::string::npos);
  EXPECT_NE(error_of(squares(3), {.batch_size = 0}).find("batch_size 0; wanted at least 1"), std::string::npos);
  EXPECT_NE(error_of(squares(3), {.prefetch = -1}).find("prefetch -1; wanted at least 0"), std::string::npos);
}

}  // namespace
}  // namespace hilo::training
