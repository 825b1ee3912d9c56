// SPDX-License-Identifier: Apache-2.0
// Dumps that XLA's flags request, of programs that are compiled and of programs that are loaded.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/wire.h"
#include "tests/pjrt/plugin_client.h"

namespace hilo::tests {
namespace {

using hlo::proto::WireWriter;

constexpr char kDouble[] = R"(module @jit_double {
  func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %a, %a : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

std::string new_folder(const std::string& name) {
  std::string folder = testing::TempDir() + "/hilo_dumps_" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

/// Files by name without the number of their module, with their content.
std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name.starts_with("module_")) << name;
    std::ifstream in(entry.path(), std::ios::binary);
    files[name.substr(name.find('.') + 1)] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

/// Options with entries of JAX's compiler_options: texts, and flags that are true.
std::string overrides(const std::map<std::string, std::string>& texts, const std::vector<std::string>& flags = {}) {
  WireWriter all;
  const auto add = [&](const std::string& key, const WireWriter& value) {
    WireWriter entry;
    entry.text(1, key);
    entry.message(2, value);
    all.message(7, entry);
  };
  for (const auto& [key, text] : texts) {
    WireWriter value;
    value.text(1, text);
    add(key, value);
  }
  for (const std::string& key : flags) {
    WireWriter value;
    value.boolean(2, true);
    add(key, value);
  }
  return std::move(all).take();
}

TEST(Dumps, AreTextsBeforeAndAfterTheEnginesPasses) {
  const Handle<PJRT_Client> client = make_client();
  const std::string folder = new_folder("texts");
  compile(client.get(), kDouble, overrides({{"xla_dump_to", folder + "/inner"}}));
  const auto files = files_in(folder + "/inner");
  ASSERT_EQ(files.size(), 2u);
  for (const std::string name : {"jit_double.before_optimizations.txt", "jit_double.after_optimizations.txt"}) {
    ASSERT_TRUE(files.contains(name)) << name;
    EXPECT_TRUE(files.at(name).starts_with("HloModule jit_double")) << files.at(name);
    EXPECT_NE(files.at(name).find(" add("), std::string::npos) << files.at(name);
  }
}

TEST(Dumps, AreProtosAndTextsAsRequested) {
  const Handle<PJRT_Client> client = make_client();
  const std::string protos = new_folder("protos"), both = new_folder("both");
  compile(client.get(), kDouble, overrides({{"xla_dump_to", protos}, {"xla_dump_hlo_as_proto", "True"}}));
  const auto files = files_in(protos);
  ASSERT_EQ(files.size(), 2u);
  ASSERT_TRUE(files.contains("jit_double.after_optimizations.hlo.pb"));
  const auto read = hlo::from_proto(files.at("jit_double.after_optimizations.hlo.pb"));
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(read->name, "jit_double");
  compile(client.get(), kDouble, overrides({{"xla_dump_to", both}}, {"xla_dump_hlo_as_proto", "xla_dump_hlo_as_text"}));
  EXPECT_EQ(files_in(both).size(), 4u);
}

/// JAX puts XLA_FLAGS into DebugOptions.
TEST(Dumps, AreRequestedByDebugOptionsToo) {
  const Handle<PJRT_Client> client = make_client();
  const std::string folder = new_folder("flags");
  WireWriter debug, build, all;
  debug.text(109, folder);
  debug.boolean(113, true);
  build.message(3, debug);
  build.integer(4, 1);
  build.integer(5, 1);
  all.message(3, build);
  compile(client.get(), kDouble, std::move(all).take());
  EXPECT_EQ(files_in(folder).size(), 2u);
}

TEST(Dumps, OfLoadedProgramsGoWhereTheNewOptionsSay) {
  const Handle<PJRT_Client> client = make_client();
  const std::string first = new_folder("first"), second = new_folder("second");
  const auto program = compile(client.get(), kDouble, overrides({{"xla_dump_to", first}}));
  const Handle<PJRT_Executable> executable(
      called(api().PJRT_LoadedExecutable_GetExecutable, {.loaded_executable = program.get()}).executable);
  const auto saved = called(api().PJRT_Executable_Serialize, {.executable = executable.get()});
  const auto at_first = files_in(first);
  std::filesystem::remove_all(first);
  const std::string other = overrides({{"xla_dump_to", second}});
  const Handle<PJRT_LoadedExecutable> loaded(
      called(api().PJRT_Executable_DeserializeAndLoad, {.client = client.get(),
                                                        .serialized_executable = saved.serialized_bytes,
                                                        .serialized_executable_size = saved.serialized_bytes_size,
                                                        .overridden_serialized_compile_options = other.data(),
                                                        .overridden_serialized_compile_options_size = other.size()})
          .loaded_executable);
  saved.serialized_executable_deleter(saved.serialized_executable);
  EXPECT_EQ(files_in(second), at_first);
  EXPECT_TRUE(files_in(first).empty());
}

TEST(Dumps, ThatCannotBeWrittenChangeNothing) {
  const Handle<PJRT_Client> client = make_client();
  const auto program = compile(client.get(), kDouble, overrides({{"xla_dump_to", "/dev/null/no"}}));
  const Handle<PJRT_Buffer> a = put(client.get(), {1, 2, 3}, {3});
  EXPECT_EQ(get(run(program.get(), {{a.get()}}).results[0][0].get()), (std::vector<float>{2, 4, 6}));
}

}  // namespace
}  // namespace hilo::tests
