// SPDX-License-Identifier: Apache-2.0
// tests/support/fake_plugins.h -- the fake PJRT plugin as platforms, and faulty copies of it.
#pragma once

#include <string>

#include "hilo/backend/pjrt/plugin_client.h"
#include "tests/support/fake_plugin.h"

namespace hilo::tests {

/// The path of the plugin.
std::string fake_plugin_path();
/// The plan of the plugin at that path.
FakePluginPlan& fake_plugin_plan();

/// A new client of the fake plugin.
ClientPtr fake_plugin_client(int64_t devices = 2, plugins::ProgramFormat format = plugins::ProgramFormat::kHlo);

/// A copy of the plugin, which the loader treats as another one. While it exists, the environment variable of fake
/// plugins is `variable`, for this process and its children.
class FakePluginCopy {
 public:
  explicit FakePluginCopy(const std::string& variable);
  ~FakePluginCopy();
  FakePluginCopy(const FakePluginCopy&) = delete;
  FakePluginCopy& operator=(const FakePluginCopy&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace hilo::tests
