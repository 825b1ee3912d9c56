// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/cpu_count.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "hilo/base/files.h"
#include "hilo/base/log.h"

namespace hilo {
namespace {

// A temporary folder with copies of the kernel's files.
class CgroupLimit : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "hilo_cpus_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, std::string_view content) {
    ASSERT_TRUE(make_directories(root_ + path.substr(0, path.rfind('/'))).ok());
    ASSERT_TRUE(write_file_atomic(root_ + path, content).ok());
  }
  std::string root_;
};

TEST_F(CgroupLimit, IsNoneWithoutControlGroups) { EXPECT_EQ(cgroup_cpu_limit(root_), std::nullopt); }

TEST_F(CgroupLimit, RoundsTheQuotaOfVersion2Up) {
  put("/proc/self/cgroup", "0::/user/job\n");
  put("/sys/fs/cgroup/user/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(cgroup_cpu_limit(root_), 3);
}

TEST_F(CgroupLimit, IsTheLeastOfAllGroupsAbove) {
  put("/proc/self/cgroup", "0::/user/job\n");
  put("/sys/fs/cgroup/user/job/cpu.max", "400000 100000\n");
  put("/sys/fs/cgroup/user/cpu.max", "150000 100000\n");
  put("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpu_limit(root_), 2);
}

TEST_F(CgroupLimit, FallsBackToTheMountPointBecauseThePathIsTheHosts) {
  put("/proc/self/cgroup", "0::/docker/0123\n");
  put("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_cpu_limit(root_), 1);
}

TEST_F(CgroupLimit, IsNoneBecauseTheQuotaIsMax) {
  put("/proc/self/cgroup", "0::/\n");
  put("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpu_limit(root_), std::nullopt);
}

TEST_F(CgroupLimit, ReadsVersion1) {
  put("/proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n");
  put("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_limit(root_), 3);
}

TEST_F(CgroupLimit, IsNoneBecauseTheFilesHoldNonsense) {
  put("/proc/self/cgroup", "nonsense\n0::/a\n\n1:cpu:/a");
  put("/sys/fs/cgroup/a/cpu.max", "12 0\n");
  put("/sys/fs/cgroup/cpu.max", "x y z\n");
  put("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "");
  EXPECT_EQ(cgroup_cpu_limit(root_), std::nullopt);
}

TEST(ThreadCount, FollowsTheAffinityMask) {
  std::thread([] {  // the affinity mask belongs to the thread
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(::sched_getcpu()), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(affinity_cpu_count(), 1);
    EXPECT_EQ(default_thread_count(), 1);
  })
      .join();
  EXPECT_GE(affinity_cpu_count(), 1);
}

TEST(ThreadCount, IsCappedByTheVariable) {
  ::setenv("HILO_NUM_THREADS", "1", 1);
  EXPECT_EQ(default_thread_count(), 1);
  ::setenv("HILO_NUM_THREADS", "0", 1);
  EXPECT_EQ(default_thread_count(), 1);
  ::setenv("HILO_NUM_THREADS", "1000000", 1);
  const int most = default_thread_count();
  ::unsetenv("HILO_NUM_THREADS");
  EXPECT_EQ(default_thread_count(), most);
}

TEST(ThreadCount, IgnoresAVariableThatIsNoNumberAndSaysSoOnce) {
  std::string said;
  set_log_sink([&said](LogLevel, std::string_view text) { said += text; });
  const int most = default_thread_count();
  ::setenv("HILO_NUM_THREADS", "many", 1);
  EXPECT_EQ(default_thread_count(), most);
  EXPECT_EQ(default_thread_count(), most);
  ::unsetenv("HILO_NUM_THREADS");
  set_log_sink({});
  EXPECT_EQ(said, "HILO_NUM_THREADS: got 'many'; wanted a number >= 0; ignored");
}

}  // namespace
}  // namespace hilo
