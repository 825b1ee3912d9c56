// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/handle.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <unordered_set>

namespace hilo::rpc {
namespace {

TEST(Handle, NoTwoAreEqual) {
  std::unordered_set<Handle> seen;
  for (int i = 0; i < 10000; ++i) {
    const Handle handle = random_handle();
    EXPECT_FALSE(handle.is_zero());
    EXPECT_TRUE(seen.insert(handle).second);
  }
  EXPECT_EQ((Handle{1, 2}).bytes(), std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16));
}

TEST(Handle, AChildDoesNotHandOutItsParents) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Handle mine = random_handle();
    ::_exit(::write(pipe[1], &mine, sizeof(mine)) == sizeof(mine) ? 0 : 1);
  }
  Handle theirs;
  ASSERT_EQ(::read(pipe[0], &theirs, sizeof(theirs)), static_cast<ssize_t>(sizeof(theirs)));
  EXPECT_NE(random_handle(), theirs);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace hilo::rpc
