// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/recycled.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace hilo {
namespace {

struct Small {
  explicit Small(int value) : value(value) {}
  int value;
  std::array<char, 60> rest = {};
};
struct Large {
  std::array<char, kMaxRecycled + 1> bytes = {};
};
struct alignas(64) Aligned {
  int value = 0;
};

TEST(Recycled, AnObjectUsesTheMemoryOfTheLast) {
  auto first = make_recycled<Small>(1);
  const void* const place = first.get();
  first.reset();
  const auto second = make_recycled<Small>(2);
  EXPECT_EQ(second->value, 2);
  if (kRecycles) {
    EXPECT_EQ(second.get(), place);
  }
}

TEST(Recycled, LivingObjectsHaveTheirOwnMemory) {
  std::vector<std::shared_ptr<Small>> all;
  for (int round = 0; round < 3; ++round) {
    all.clear();
    for (int i = 0; i < 1000; ++i) all.push_back(make_recycled<Small>(i));
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(all[i]->value, i);
  }
}

TEST(Recycled, LargeAndAlignedObjectsComeFromTheHeap) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(make_recycled<Large>()->bytes[kMaxRecycled], 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(make_recycled<Aligned>().get()) % 64, 0u);
  }
}

TEST(Recycled, ObjectsMayEndOnOtherThreads) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::shared_ptr<Small>> all;
    std::thread maker([&] {
      for (int i = 0; i < 200; ++i) all.push_back(make_recycled<Small>(i));
    });
    maker.join();
    std::thread([all = std::move(all)]() mutable { all.clear(); }).join();
  }
}

/// Drops its object when the thread ends, perhaps after the thread's memory has been freed.
struct AtEnd {
  std::shared_ptr<Small> object;
  ~AtEnd() {
    object.reset();
    make_recycled<Small>(3).reset();
  }
};

TEST(Recycled, ObjectsMayEndAtTheEndOfAThread) {
  std::thread([] {
    thread_local AtEnd end;
    end.object = make_recycled<Small>(1);
    make_recycled<Small>(2).reset();
  }).join();
}

}  // namespace
}  // namespace hilo
