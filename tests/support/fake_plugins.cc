// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_plugins.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/paths.h"

namespace hilo::tests {

std::string fake_plugin_path() { return std::string(kBinDir) + "/tests/libfake_plugin.so"; }

FakePluginPlan& fake_plugin_plan() {
  static FakePluginPlan* const plan = [] {
    void* const library = ::dlopen(fake_plugin_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::abort();
    return reinterpret_cast<FakePluginPlanFunction>(::dlsym(library, "hilo_fake_plugin"))();
  }();
  return *plan;
}

ClientPtr fake_plugin_client(int64_t devices, plugins::ProgramFormat format) {
  plugins::PluginPlatform platform{.name = "Fake", .path = fake_plugin_path(), .format = format};
  platform.options.emplace_back("device_count", devices);
  return *plugins::make_plugin_client(platform, {});
}

FakePluginCopy::FakePluginCopy(const std::string& variable) {
  static int count = 0;
  path_ = testing::TempDir() + "/fake_plugin_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + ".so";
  std::filesystem::copy_file(fake_plugin_path(), path_, std::filesystem::copy_options::overwrite_existing);
  ::setenv(kFakePluginVariable, variable.c_str(), 1);
}

FakePluginCopy::~FakePluginCopy() {
  ::unsetenv(kFakePluginVariable);
  std::filesystem::remove(path_);
}

}  // namespace hilo::tests
