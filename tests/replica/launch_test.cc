// SPDX-License-Identifier: Apache-2.0
#include "hilo/replica/launch.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hilo {
namespace {

/// Sets the environment of launchers for one test.
class LaunchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID",
                             "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})
      ::unsetenv(name);
  }
  void TearDown() override { SetUp(); }
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }
};

TEST_F(LaunchTest, AProcessAloneIsNotLaunched) {
  EXPECT_EQ(*launch_of_environment(), std::nullopt);
  set("SLURM_NTASKS", "8");  // an allocation without srun
  EXPECT_EQ(*launch_of_environment(), std::nullopt);
  set("OMPI_COMM_WORLD_RANK", "0");
  set("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_EQ(*launch_of_environment(), std::nullopt);
}

TEST_F(LaunchTest, EachLauncherSaysWhichProcessThisIs) {
  set("PMI_RANK", "2");
  set("PMI_SIZE", "3");
  EXPECT_EQ(*launch_of_environment(), (Launch{2, 3, "mpirun of MPICH", true}));
  set("OMPI_COMM_WORLD_RANK", "1");
  set("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_EQ(*launch_of_environment(), (Launch{1, 4, "mpirun of Open MPI", false}));
}

TEST_F(LaunchTest, WhatIsNoNumberIsRefused) {
  set("OMPI_COMM_WORLD_RANK", "1x");
  set("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_EQ(launch_of_environment().status().to_string(),
            "INVALID_ARGUMENT: OMPI_COMM_WORLD_RANK: got '1x'; wanted a number >= 0");
  set("OMPI_COMM_WORLD_RANK", "4");
  EXPECT_EQ(launch_of_environment().status().to_string(),
            "INVALID_ARGUMENT: OMPI_COMM_WORLD_RANK: got 4; wanted less than OMPI_COMM_WORLD_SIZE=4");
}

}  // namespace
}  // namespace hilo
