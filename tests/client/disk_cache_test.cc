// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "hilo/base/files.h"
#include "hilo/hlo/text/parser.h"
#include "tests/support/clients.h"

namespace hilo {
namespace {

constexpr int64_t kMost = 1 << 30;

/// An empty folder for each test.
std::string fresh_folder() {
  const std::string folder =
      testing::TempDir() + "hilo_cache_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  return folder;
}

/// x -> x + n
std::unique_ptr<Executable> adder(int n) {
  const std::string text = "HloModule add\nENTRY main {\n x = f32[3] parameter(0)\n c = f32[] constant(" +
                           std::to_string(n) +
                           ")\n b = f32[3] broadcast(c), dimensions={}\n ROOT y = f32[3] add(x, b)\n}\n";
  return *tests::cpu_client()->compile(*hlo::parse_module(text), {}, nullptr);
}

/// The program's result for zeros.
float value_of(Executable& program) {
  const BufferPtr zeros = tests::cpu_buffer(Literal(program.argument_shapes()[0]), 0);
  BufferPtr result;
  EXPECT_TRUE(program.execute({&zeros, 1}, {&result, 1}).ok());
  return literal_from_buffer(*result)->data<float>()[0];
}

/// The result of the cached program; 0 if it isn't cached.
float found(DiskCache& cache, const std::string& key) {
  const std::unique_ptr<Executable> program = cache.find(*tests::cpu_client(), key);
  return program == nullptr ? 0 : value_of(*program);
}

std::string only_file(const DiskCache& cache) {
  const StatusOr<std::vector<DiskCache::Entry>> entries = cache.entries();
  EXPECT_TRUE(entries.ok() && entries->size() == 1);
  return cache.folder() + "/" + entries->at(0).file;
}

TEST(DiskCache, GivesWhatWasInsertedUnderTheKeyAndNothingElse) {
  DiskCache cache(fresh_folder(), kMost);
  EXPECT_EQ(found(cache, "add\n5"), 0);
  cache.insert("add\n5", *adder(5));
  cache.insert("add\n7", *adder(7));
  EXPECT_EQ(found(cache, "add\n5"), 5);
  EXPECT_EQ(found(cache, "add\n7"), 7);
  EXPECT_EQ(found(cache, "add\n"), 0);
  DiskCache another(cache.folder(), kMost);  // another process with the same folder
  EXPECT_EQ(found(another, "add\n7"), 7);
  EXPECT_EQ(cache.entries()->size(), 2u);
  EXPECT_EQ(cache.entries()->at(0).program, "add");
  EXPECT_EQ(*cache.clear(), 2);
  EXPECT_EQ(found(cache, "add\n5"), 0);
}

TEST(DiskCache, AFileOfAnotherKeyIsNotTaken) {
  DiskCache cache(fresh_folder(), kMost);
  cache.insert("add\n5", *adder(5));
  const std::string first = only_file(cache);
  ASSERT_EQ(*cache.clear(), 1);
  cache.insert("add\n7", *adder(7));
  std::filesystem::rename(only_file(cache), first);  // simulates two keys with the same file name
  EXPECT_EQ(found(cache, "add\n5"), 0);
  cache.insert("add\n5", *adder(5));
  EXPECT_EQ(found(cache, "add\n5"), 5);
}

TEST(DiskCache, EveryFlippedBitIsSeenAndMended) {
  DiskCache cache(fresh_folder(), kMost);
  cache.insert("add\n5", *adder(5));
  const std::string path = only_file(cache);
  const std::string whole = *read_file(path);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    ASSERT_TRUE(write_file_atomic(path, damaged, Durability::kCached).ok());
    ASSERT_EQ(cache.find(*tests::cpu_client(), "add\n5"), nullptr) << "byte " << at;
  }
  for (size_t size = 0; size < whole.size(); size += 13) {
    ASSERT_TRUE(write_file_atomic(path, whole.substr(0, size), Durability::kCached).ok());
    ASSERT_EQ(cache.find(*tests::cpu_client(), "add\n5"), nullptr) << "the first " << size << " bytes";
  }
  cache.insert("add\n5", *adder(5));
  EXPECT_EQ(found(cache, "add\n5"), 5);
}

TEST(DiskCache, DropsWhatWasNotUsedForLongest) {
  const std::string folder = fresh_folder();
  DiskCache probe(folder, kMost);
  probe.insert("add\n1", *adder(1));
  const int64_t bytes = probe.entries()->at(0).bytes;
  ASSERT_EQ(*probe.clear(), 1);
  DiskCache cache(folder, 3 * bytes + bytes / 2);
  const auto age = [&](const std::string& key, int seconds) {  // the file of the key that was inserted last
    const StatusOr<std::vector<DiskCache::Entry>> entries = cache.entries();
    for (const DiskCache::Entry& entry : *entries) {
      const std::string path = folder + "/" + entry.file;
      if (read_file(path)->find(key) == std::string::npos) continue;
      const timespec times[2] = {{seconds, 0}, {seconds, 0}};
      ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    }
  };
  for (int n = 1; n <= 3; ++n) {
    cache.insert("add\n" + std::to_string(n), *adder(n));
    age("add\n" + std::to_string(n), 1000 + n);
  }
  EXPECT_EQ(found(cache, "add\n1"), 1);  // it is the most recent entry
  cache.insert("add\n4", *adder(4));
  EXPECT_EQ(found(cache, "add\n2"), 0);
  EXPECT_EQ(found(cache, "add\n1"), 1);
  EXPECT_EQ(found(cache, "add\n3"), 3);
  EXPECT_EQ(found(cache, "add\n4"), 4);
}

TEST(DiskCache, AWriterThatIsKilledLeavesNoHalfProgram) {
  DiskCache cache(fresh_folder(), kMost);
  const std::unique_ptr<Executable> five = adder(5);
  cache.insert("add\n5", *five);
  for (int round = 0; round < 100; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      while (true) {
        cache.insert("add\n5", *five);
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      }
    }
    ::close(ready[1]);
    char byte = 0;
    for (int written = 0; written <= round % 7; ++written) ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(ready[0]);
    ASSERT_EQ(found(cache, "add\n5"), 5) << "round " << round;
  }
}

TEST(DiskCache, TwoProcessesFillItAtOnce) {
  DiskCache cache(fresh_folder(), kMost);
  constexpr int kPrograms = 8, kProcesses = 2;
  std::vector<std::unique_ptr<Executable>> programs;
  for (int n = 1; n <= kPrograms; ++n) programs.push_back(adder(n));
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    children.push_back(::fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() != 0) continue;
    for (int turn = 0; turn < 20; ++turn) {
      for (int n = 1; n <= kPrograms; ++n) {
        const float value = found(cache, "add\n" + std::to_string(n));
        if (value != 0 && value != static_cast<float>(n)) ::_exit(1);
        cache.insert("add\n" + std::to_string(n), *programs[static_cast<size_t>(n) - 1]);
      }
    }
    ::_exit(0);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (int n = 1; n <= kPrograms; ++n) EXPECT_EQ(found(cache, "add\n" + std::to_string(n)), static_cast<float>(n));
}

TEST(DiskCache, AFullDiskCostsOnlyTheCache) {
  DiskCache cache(fresh_folder(), kMost);
  cache.insert("add\n5", *adder(5));
  const std::unique_ptr<Executable> seven = adder(7);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none = {100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  cache.insert("add\n7", *seven);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(found(cache, "add\n7"), 0);
  EXPECT_EQ(found(cache, "add\n5"), 5);
  EXPECT_EQ(cache.entries()->size(), 1u) << "no temporary file is left";
}

TEST(DiskCache, AFolderThatOthersMayWriteToIsNotTrusted) {
  DiskCache cache(fresh_folder(), kMost);
  cache.insert("add\n5", *adder(5));
  struct stat about = {};
  ASSERT_EQ(::stat(cache.folder().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  ASSERT_EQ(::chmod(cache.folder().c_str(), 0777), 0);
  EXPECT_EQ(found(cache, "add\n5"), 0);
  ASSERT_EQ(::chmod(cache.folder().c_str(), 0700), 0);
  EXPECT_EQ(found(cache, "add\n5"), 5);
}

TEST(DiskCache, AFolderThatCannotBeMadeCostsOnlyTheCache) {
  DiskCache cache("/proc/hilo", kMost);
  cache.insert("add\n5", *adder(5));
  EXPECT_EQ(found(cache, "add\n5"), 0);
  EXPECT_EQ(cache.entries()->size(), 0u);
}

}  // namespace
}  // namespace hilo
