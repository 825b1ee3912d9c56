// SPDX-License-Identifier: Apache-2.0
// Windows across shard boundaries: the elements that each of four devices receives, and the number of messages.
#include "hilo/hlo/partition/windows.h"

#include <gtest/gtest.h>

#include "tests/support/clients.h"
#include "tests/support/replicas.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kDevices = 4;

Mesh row() {
  Mesh mesh;
  mesh.axes = {{"x", kDevices}};
  return mesh;
}

/// Element i of array a, at column c.
float number(size_t a, int64_t i, int64_t c) {
  return static_cast<float>(1000 * (a + 1) + 10 * static_cast<size_t>(i) + static_cast<size_t>(c));
}

/// The f32[size / 4, 2] shard of device k.
Literal part(size_t a, int64_t size, int64_t k) {
  const int64_t own = size / kDevices;
  Literal made(Shape::array(ElementType::kF32, {own, 2}));
  for (int64_t i = 0; i < own; ++i) {
    for (int64_t c = 0; c < 2; ++c) made.data<float>()[static_cast<size_t>(2 * i + c)] = number(a, k * own + i, c);
  }
  return made;
}

/// Fetches the windows and compares the result with the expected one. Returns the collectives, for example
/// "collective-permute 8".
std::string fetch(const std::vector<int64_t>& sizes, const std::vector<WindowRequest>& windows) {
  PartitionContext context{row(), MeshAtoms(row()), {}, {}, {}};
  DeviceProgram program("main", context);
  const Atoms by = *context.atoms.atoms_of({{"x"}});
  std::vector<CutArray> arrays;
  for (const int64_t size : sizes)
    arrays.push_back({program.parameter(Shape::array(ElementType::kF32, {size / kDevices, 2})), size});
  const Exprs fetched = fetch_windows(program, arrays, 0, by, windows);
  const Expr root = tuple(program, fetched);
  EXPECT_TRUE(program.status().ok()) << program.status().to_string();
  Module module;
  module.name = "windows";
  module.entry = *std::move(program).finish(root);
  tests::OfReplicas arguments(kDevices);
  for (int64_t k = 0; k < kDevices; ++k) {
    for (size_t a = 0; a < sizes.size(); ++a) arguments[static_cast<size_t>(k)].push_back(part(a, sizes[a], k));
  }
  const tests::OfReplicas got = tests::run_on_replicas(*tests::cpu_client(), module, arguments);
  for (size_t k = 0; k < got.size(); ++k) {
    for (size_t w = 0; w < windows.size(); ++w) {
      const WindowRequest& window = windows[w];
      for (int64_t i = 0; i < window.size; ++i) {
        const int64_t place = window.begins[k] + i;
        if (place < std::max<int64_t>(0, window.low) || place >= std::min(sizes[window.array], window.high)) continue;
        for (int64_t c = 0; c < 2; ++c)
          EXPECT_EQ(got[k][w].data<float>()[static_cast<size_t>(2 * i + c)], number(window.array, place, c))
              << "device " << k << ", window " << w << ", element " << i;
      }
    }
  }
  std::string text;
  for (const Transfer& transfer : context.report.transfers)
    text +=
        (text.empty() ? "" : ", ") + std::string(opcode_name(transfer.opcode)) + " " + std::to_string(transfer.bytes);
  return text;
}

TEST(FetchWindows, WhatADeviceHasItselfCostsNothing) {
  EXPECT_EQ(fetch({16}, {{0, {0, 4, 8, 12}, 4, 0, 16}}), "");
  EXPECT_EQ(fetch({16}, {{0, {1, 5, 9, 13}, 2, 0, 16}}), "");
}

TEST(FetchWindows, RimsComeFromTheNeighbours) {
  EXPECT_EQ(fetch({16}, {{0, {-1, 3, 7, 11}, 6, 0, 16}}), "collective-permute 8, collective-permute 8");
  EXPECT_EQ(fetch({16}, {{0, {-2, 2, 6, 10}, 6, 0, 16}}), "collective-permute 16");
}

TEST(FetchWindows, ARollIsOneMessage) {
  EXPECT_EQ(fetch({16}, {{0, {-1, 3, 7, 11}, 4, 0, 16}, {0, {15, 19, 23, 27}, 1, 0, 16}}), "collective-permute 8");
  EXPECT_EQ(fetch({16}, {{0, {-1, 3, 7, 11}, 4, 0, 16}, {0, {15, 19, 23, 27}, 4, 15, 16}}), "collective-permute 8");
}

TEST(FetchWindows, FarPartsTakeAsManyMessagesAsTheyMeet) {
  EXPECT_EQ(fetch({16}, {{0, {8, 12, 16, 20}, 4, 0, 16}}), "collective-permute 32");
  EXPECT_EQ(fetch({16}, {{0, {6, 10, 14, 18}, 4, 0, 16}}), "collective-permute 16, collective-permute 16");
}

TEST(FetchWindows, EachDeviceMayWantAnotherPlace) {
  EXPECT_EQ(fetch({16}, {{0, {12, 8, 4, 0}, 4, 0, 16}}), "collective-permute 32");
  EXPECT_EQ(fetch({16}, {{0, {12, 12, 0, 0}, 1, 0, 16}}), "collective-permute 8, collective-permute 8");
}

TEST(FetchWindows, NeverSendMoreThanAGatheringWould) {
  EXPECT_EQ(fetch({16}, {{0, {0, 0, 0, 0}, 16, 0, 16}}),
            "collective-permute 32, collective-permute 32, collective-permute 32");
  EXPECT_EQ(fetch({16}, {{0, {-15, -11, -7, -3}, 16, 0, 16}, {0, {1, 5, 9, 13}, 16, 0, 16}}),
            "collective-permute 32, collective-permute 32, collective-permute 32");
  // All of two arrays.
  EXPECT_EQ(
      fetch({4, 4}, {{0, {0, 0, 0, 0}, 4, 0, 4}, {1, {0, 0, 0, 0}, 4, 0, 4}}),
      "collective-permute 8, collective-permute 8, collective-permute 8, collective-permute 8, collective-permute 8, "
      "collective-permute 8");
}

TEST(FetchWindows, TwoArraysShareMessagesWhereDevicesAreFree) {
  EXPECT_EQ(fetch({16, 16}, {{0, {3, 7, 11, 15}, 2, 0, 16}, {1, {3, 7, 11, 15}, 2, 0, 16}}),
            "collective-permute 8, collective-permute 8");
  // Devices 0 and 1 need elements of the first array, 2 and 3 of the second.
  EXPECT_EQ(fetch({16, 16}, {{0, {4, 8, 8, 12}, 1, 0, 12}, {1, {0, 4, 12, 16}, 1, 12, 16}}), "collective-permute 8");
}

TEST(FetchWindows, OnlyWhatLiesInItsBoundsIsSent) {
  EXPECT_EQ(fetch({16}, {{0, {-1, 3, 7, 11}, 4, 4, 12}}), "collective-permute 8");
  EXPECT_EQ(fetch({16}, {{0, {-1, 3, 7, 11}, 4, 4, 7}}), "");
  EXPECT_EQ(fetch({16}, {{0, {40, 50, 60, 70}, 4, 0, 16}}), "");
}

TEST(WindowsOfWholeArrays, AreCutWhereADeviceWantsThem) {
  PartitionContext context{row(), MeshAtoms(row()), {}, {}, {}};
  DeviceProgram program("main", context);
  const Atoms by = *context.atoms.atoms_of({{"x"}});
  const Expr whole = program.parameter(Shape::array(ElementType::kF32, {8, 2}));
  const WindowRequest wanted{0, {-1, 1, 3, 5}, 4, 0, 8};
  const Expr fill = program.constant(Literal::scalar(-1.0f));
  const Expr made = fill_outside(program, window_of_whole(program, whole, 0, by, wanted), 0, by, wanted, fill);
  Module module;
  module.name = "windows";
  module.entry = *std::move(program).finish(made);
  Literal all(Shape::array(ElementType::kF32, {8, 2}));
  for (size_t i = 0; i < 16; ++i) all.data<float>()[i] = static_cast<float>(i);
  const auto got = tests::run_on_replicas(*tests::cpu_client(), module, tests::OfReplicas(kDevices, {all}));
  EXPECT_TRUE(context.report.transfers.empty());
  for (size_t k = 0; k < kDevices; ++k) {
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t place = wanted.begins[k] + i;
      const float expected = place < 0 || place >= 8 ? -1.0f : static_cast<float>(2 * place);
      EXPECT_EQ(got[k][0].data<float>()[static_cast<size_t>(2 * i)], expected) << k << " " << i;
    }
  }
}

}  // namespace
}  // namespace hilo::hlo
