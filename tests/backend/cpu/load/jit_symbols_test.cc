// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/jit_symbols.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "hilo/backend/cpu/emit/jit_probe.h"
#include "hilo/base/files.h"

// The struct that gdb reads, with gdb's fields.
struct GdbCodeEntry {
  GdbCodeEntry *next, *previous;
  const char* file;
  uint64_t bytes;
};
struct GdbDescriptor {
  uint32_t version, action;
  GdbCodeEntry *relevant, *first;
};
extern "C" GdbDescriptor __jit_debug_descriptor;

namespace hilo::cpu {
namespace {

/// Sets HILO_JIT_SYMBOLS during its lifetime.
class Asked {
 public:
  explicit Asked(const char* whom) { ::setenv("HILO_JIT_SYMBOLS", whom, 1); }
  ~Asked() { ::unsetenv("HILO_JIT_SYMBOLS"); }
};

int entries_of_gdb() {
  int count = 0;
  for (const GdbCodeEntry* e = __jit_debug_descriptor.first; e != nullptr; e = e->next) ++count;
  return count;
}

TEST(JitSymbols, NobodyIsToldUnasked) {
  const int before = entries_of_gdb();
  const auto code = compile_probe(JitProbe::kAddOne, supported_isas().front());
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(entries_of_gdb(), before);
}

TEST(JitSymbols, PerfFindsAddressSizeAndName) {
  const Asked asked("perf");
  const auto code = compile_probe(JitProbe::kAddOne, supported_isas().front());
  ASSERT_TRUE(code.ok());
  const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
  const StatusOr<std::string> map = read_file(path);
  ASSERT_TRUE(map.ok()) << map.status().to_string();
  const std::string address = fmt::format("{:x} ", reinterpret_cast<uintptr_t>((*code)->lookup("probe")));
  const size_t at = map->find(address);
  ASSERT_NE(at, std::string::npos) << *map;
  const size_t end = map->find('\n', at);
  char name[16];
  unsigned bytes = 0;
  ASSERT_EQ(std::sscanf(map->substr(at + address.size(), end - at).c_str(), "%x %15s", &bytes, name), 2) << *map;
  EXPECT_STREQ(name, "probe");
  EXPECT_GT(bytes, 0u);
  ::unlink(path.c_str());
}

TEST(JitSymbols, GdbKnowsAnObjectAsLongAsItLives) {
  const Asked asked("gdb");
  const int before = entries_of_gdb();
  {
    const auto code = compile_probe(JitProbe::kAddOne, supported_isas().front());
    ASSERT_TRUE(code.ok());
    ASSERT_EQ(entries_of_gdb(), before + 1);
    // The function's section header has its address.
    const char* file = __jit_debug_descriptor.first->file;
    Elf64_Ehdr header;
    std::memcpy(&header, file, sizeof(header));
    const auto function = reinterpret_cast<uint64_t>((*code)->lookup("probe"));
    bool found = false;
    for (int i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      std::memcpy(&section, file + header.e_shoff + static_cast<size_t>(i) * sizeof(section), sizeof(section));
      found |= section.sh_addr != 0 && section.sh_addr <= function && function < section.sh_addr + section.sh_size;
    }
    EXPECT_TRUE(found);
  }
  EXPECT_EQ(entries_of_gdb(), before);
}

}  // namespace
}  // namespace hilo::cpu
