// SPDX-License-Identifier: Apache-2.0
#include "hilo/mesh/mesh.h"

#include <gtest/gtest.h>

#include "hilo/array/device_put.h"
#include "tests/support/eight_devices.h"
#include "tests/support/error_of.h"
#include "tests/support/has.h"

namespace hilo {
namespace {

using MeshTest = tests::EightDevices;

template <typename F>
std::string refusal(F&& f) {
  return error_of(std::forward<F>(f), StatusCode::kInvalidArgument);
}

TEST_F(MeshTest, HasTheFirstDevicesInABox) {
  const Mesh mesh = make_mesh({2, 3}, {"x", "y"});
  EXPECT_EQ(mesh.size(), 6);
  EXPECT_EQ(mesh.devices()[5], devices()[5]);
  EXPECT_EQ(mesh.axis_size("y"), 3);
  EXPECT_EQ(mesh.coordinate("x", 4), 1);
  EXPECT_EQ(mesh.coordinate("y", 4), 1);
  EXPECT_EQ(mesh.to_string(), "Mesh('x': 2, 'y': 3)");
  EXPECT_TRUE(mesh.is_local());
}

TEST_F(MeshTest, IsAValue) {
  const Mesh mesh = make_mesh({2, 2}, {"x", "y"});
  EXPECT_EQ(mesh, make_mesh({2, 2}, {"x", "y"}));
  EXPECT_NE(mesh, make_mesh({2, 2}, {"y", "x"}));
  EXPECT_NE(mesh, make_mesh({4, 1}, {"x", "y"}));
  const std::vector<DevicePtr> all = devices();
  EXPECT_NE(mesh, Mesh({all[1], all[0], all[2], all[3]}, {2, 2}, {"x", "y"}));
  EXPECT_EQ(Mesh(devices(), {"i"}), make_mesh({8}, {"i"}));
}

TEST_F(MeshTest, RefusesWhatIsNoBox) {
  const auto error = [](auto make) { return refusal(make); };
  EXPECT_TRUE(has(error([] { make_mesh({4, 4}, {"x", "y"}); }),
                  "Number of devices 8 must be >= the product of mesh_shape (4, 4)"));
  EXPECT_TRUE(has(error([] { make_mesh({4, 0}, {"x", "y"}); }), "got (4, 0)"));
  EXPECT_TRUE(has(error([] { make_mesh({1 << 20, 1 << 20, 1 << 30}, {"x", "y", "z"}); }), "must be >="));
  EXPECT_TRUE(has(error([] { make_mesh({2, 4}, {"x"}); }), "got 1 names for 2 dimensions"));
  EXPECT_TRUE(has(error([] { make_mesh({2, 4}, {"x", "x"}); }), "axis names must be unique; got ('x', 'x')"));
  EXPECT_TRUE(has(error([] { Mesh({devices()[0], devices()[0]}, {"x"}); }), "a device occurs twice"));
  EXPECT_TRUE(has(error([] { Mesh(devices(), {3}, {"x"}); }), "got 8 devices for axes of sizes (3)"));
  EXPECT_TRUE(has(error([] { make_mesh({8}, {"x"}).axis_size("y"); }), "Mesh('x': 8) has no axis 'y'"));
  EXPECT_TRUE(has(error([] { make_mesh({9}, {"x"}); }), "mesh_test.cc:"));
}

}  // namespace
}  // namespace hilo
