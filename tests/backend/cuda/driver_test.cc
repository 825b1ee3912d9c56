// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cuda/driver.h"

#include <gtest/gtest.h>

#include "tests/paths.h"

namespace hilo::cuda {
namespace {

TEST(Driver, IsAskedForItsFunctions) {
  const auto functions = stream_functions((std::string(tests::kBinDir) + "/tests/libfake_driver.so").c_str());
  ASSERT_TRUE(functions.ok()) << functions.status().to_string();
  EXPECT_EQ(functions->wait(nullptr), 0);
}

TEST(Driver, IsNotWhatLacksThem) {
  const Status none = stream_functions("libnothing_of_that_name.so").status();
  EXPECT_EQ(none.code(), StatusCode::kNotFound);
  EXPECT_NE(none.message().find("no NVIDIA driver"), std::string_view::npos) << none.to_string();
  const Status other = stream_functions("libm.so.6").status();
  EXPECT_EQ(other.code(), StatusCode::kNotFound);
  EXPECT_NE(other.message().find("cuMemcpyAsync"), std::string_view::npos) << other.to_string();
}

}  // namespace
}  // namespace hilo::cuda
