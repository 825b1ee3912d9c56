// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/relocatable.h"

#include <gtest/gtest.h>

#include <elf.h>

#include <array>
#include <cstring>
#include <span>

#include "hilo/backend/cpu/emit/jit_probe.h"
#include "hilo/backend/cpu/load/compiled_code.h"

namespace hilo::cpu {
namespace {

std::string probe(JitProbe kind, Isa isa = Isa::kAvx2) { return *(*compile_probe(kind, isa))->object(); }

TEST(Relocatable, JoinedCodeRuns) {
  const std::string add = probe(JitProbe::kAddOne), call = probe(JitProbe::kCallsLibrary);
  const std::array<ObjectPart, 3> parts = {{{add, "a."}, {call, "b."}, {add, "c."}}};
  const auto joined = join_objects(parts, {});
  ASSERT_TRUE(joined.ok()) << joined.status().to_string();
  ASSERT_EQ(joined->functions.size(), 3u);
  EXPECT_EQ(joined->functions[2].name, "c.probe");
  EXPECT_EQ(joined->functions[2].part, 2u);
  for (const ObjectFunction& f : joined->functions) EXPECT_GE(f.stack_bytes, 0) << f.name;
  EXPECT_GT(joined->text_bytes, 0);

  const auto code = load_object(std::make_shared<const std::string>(joined->bytes));
  ASSERT_TRUE(code.ok()) << code.status().to_string();
  const auto run = [&](const char* name) { return reinterpret_cast<int64_t (*)(int64_t)>((*code)->lookup(name)); };
  EXPECT_EQ(run("a.probe")(41), 42);
  EXPECT_EQ(run("c.probe")(1), 2);
  EXPECT_EQ(reinterpret_cast<double (*)(double, double)>((*code)->lookup("b.probe"))(7.5, 2.0), 1.5);
}

TEST(Relocatable, JoinsCodeOfAArch64) {
  const std::string add = probe(JitProbe::kAddOne, Isa::kNeon), call = probe(JitProbe::kCallsLibrary, Isa::kNeon);
  const std::string other = probe(JitProbe::kAddOne);
  const std::array<ObjectPart, 3> parts = {{{add, "a."}, {call, "b."}, {other, "c."}}};
  const auto joined = join_objects(std::span(parts).first(2), {});
  ASSERT_TRUE(joined.ok()) << joined.status().to_string();
  Elf64_Ehdr header;
  std::memcpy(&header, joined->bytes.data(), sizeof(header));
  EXPECT_EQ(header.e_machine, EM_AARCH64);
  ASSERT_EQ(joined->functions.size(), 2u);
  for (const ObjectFunction& f : joined->functions) EXPECT_GE(f.stack_bytes, 0) << f.name;
  EXPECT_EQ(joined->undefined, *undefined_names(call));
  EXPECT_EQ(load_object(std::make_shared<const std::string>(add)).status().to_string(),
            "INTERNAL: loading compiled code: not a relocatable ELF object of this machine (this is a bug in hilo)");
  EXPECT_EQ(join_objects(parts, {}).status().to_string(),
            "INTERNAL: joining objects: objects of two architectures (this is a bug in hilo)");
}

TEST(Relocatable, UndefinedNamesAreThoseThatNoPartDefines) {
  const std::string call = probe(JitProbe::kCallsLibrary);
  const std::array<ObjectPart, 1> parts = {{{call, "b."}}};
  const auto names = undefined_names(call);
  ASSERT_TRUE(names.ok()) << names.status().to_string();
  EXPECT_EQ(join_objects(parts, {})->undefined, *names);
  EXPECT_EQ(names->size(), 1u);
}

TEST(Relocatable, TwoDefinitionsOfANameAreRefused) {
  const std::string add = probe(JitProbe::kAddOne);
  const std::array<ObjectPart, 2> parts = {{{add, "a."}, {add, "a."}}};
  EXPECT_EQ(join_objects(parts, {}).status().to_string(),
            "INTERNAL: joining objects: two functions are named 'a.probe' (this is a bug in hilo)");
}

/// No damage of one byte, and no length, makes the reader read elsewhere: it refuses the object or joins it.
TEST(Relocatable, DamagedObjectsAreSafe) {
  const std::string whole = probe(JitProbe::kCallsLibrary);
  for (size_t length = 0; length < whole.size(); length += 7) {
    const std::string cut = whole.substr(0, length);
    const std::array<ObjectPart, 1> parts = {{{cut, ""}}};
    EXPECT_FALSE(join_objects(parts, {}).ok()) << length;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    const std::array<ObjectPart, 1> parts = {{{damaged, ""}}};
    static_cast<void>(join_objects(parts, {}).ok());
  }
}

}  // namespace
}  // namespace hilo::cpu
