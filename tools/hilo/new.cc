// SPDX-License-Identifier: Apache-2.0
// tools/hilo/new.cc -- `hilo new`: creates a project that uses hilo.
#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

constexpr const char* kCmake = R"(cmake_minimum_required(VERSION 3.25)
project({name} LANGUAGES CXX)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Where the hilo is that made this project; another one is found by CMAKE_PREFIX_PATH.
find_package(hilo REQUIRED HINTS "{hilo}")

add_executable({name} main.cc)
target_link_libraries({name} PRIVATE hilo::hilo)
hilo_precompile({name} HEADERS core nn optim training)  # what main.cc includes is compiled once
)";

constexpr const char* kMain = R"(// Fits a small network to a curve by gradient descent.
#include <iostream>
#include <tuple>

#include "hilo/core.h"
#include "hilo/nn.h"
#include "hilo/optim.h"
#include "hilo/training.h"

using namespace hilo;

struct Params {
  nn::Dense hidden, out;
  HILO_TREE(hidden, out)
};

Array model(const Params& p, const Array& x) { return nn::dense(p.out, numpy::tanh(nn::dense(p.hidden, x))); }

Array loss(const Params& p, const Array& x, const Array& y) { return numpy::mean(numpy::square(model(p, x) - y)); }

int main() {
  const Array x = numpy::reshape(numpy::linspace(-3, 3, 200), {-1, 1}), y = numpy::sin(x);
  const auto keys = random::split(random::key(0));
  Params params = {nn::dense_init(keys[0], 1, 32), nn::dense_init(keys[1], 32, 1)};

  const auto adam = optim::adam(1e-2);
  optim::OptState state = adam.init(params);
  const auto step = jit([&](const Params& p, const optim::OptState& s) {
    const auto [value, gradient] = value_and_grad(loss)(p, x, y);
    const auto [updates, next] = adam.update(gradient, s, p);
    return std::tuple(optim::apply_updates(p, updates), next, value);
  });

  std::cout << nn::summary(params, model, x);
  for (int i = 1; i <= 500; ++i) {
    Array value;
    std::tie(params, state, value) = step(params, state);
    if (i % 100 == 0) std::cout << "step " << i << "  loss " << value << "\n";
  }
  training::save_checkpoint("params.safetensors", params);
}
)";

constexpr const char* kIgnore = "build/\n*.safetensors\n";

/// Converts the last part of a path to the name of a CMake target.
StatusOr<std::string> project_name(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string name = path.substr(path.rfind('/') + 1);
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool good = !name.empty() && std::ranges::all_of(name, plain) && !(name[0] >= '0' && name[0] <= '9');
  // Targets of every CMake project, and those of the library.
  const bool taken =
      name == "all" || name == "test" || name == "install" || name == "clean" || name == "help" || name == "hilo";
  if (good && !taken) return name;
  return invalid_argument(
      fmt::format("{} is not a valid project name; wanted letters, digits and '_', beginning with a letter{}",
                  quote(name), taken ? ", and no target of CMake's or hilo's" : ""));
}

Status check_empty(const std::string& path) {
  DIR* const folder = ::opendir(path.c_str());
  if (folder == nullptr) return errno == ENOENT ? ok_status() : errno_status(errno, "opening " + path);
  bool empty = true;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    empty = empty && (name == "." || name == "..");
  }
  ::closedir(folder);
  return empty ? ok_status() : already_exists(path + ": the folder isn't empty");
}

/// Returns the path where find_package finds this hilo: the installation prefix or build tree of this command.
std::string own_place() {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string own(path, size > 0 ? static_cast<size_t>(size) : 0);
  const size_t bin = own.rfind("/bin/");
  return bin == std::string::npos ? "" : own.substr(0, bin);
}

std::string filled_in(std::string text, const std::string& name) {
  const auto replace = [&](std::string_view mark, const std::string& value) {
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  };
  replace("{name}", name);
  replace("{hilo}", own_place());
  return text;
}

Status make_project(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string name, project_name(path));
  HILO_RETURN_IF_ERROR(check_empty(path));
  HILO_RETURN_IF_ERROR(make_directories(path));
  HILO_RETURN_IF_ERROR(write_new_file(path + "/CMakeLists.txt", filled_in(kCmake, name)));
  HILO_RETURN_IF_ERROR(write_new_file(path + "/main.cc", kMain));
  HILO_RETURN_IF_ERROR(write_new_file(path + "/.gitignore", kIgnore));
  return write_result("", fmt::format("{0} was created. To build and run it:\n\n    cmake -S {0} -B {0}/build\n"
                                      "    cmake --build {0}/build\n    {0}/build/{1}\n",
                                      path, name));
}

}  // namespace

Command add_new(CLI::App& parent) {
  auto path = std::make_shared<std::string>();
  CLI::App* app = parent.add_subcommand("new", "Create a CMake project that uses hilo");
  app->add_option("DIR", *path,
                  "Folder of the project: empty, or created by this command. Its name is the name of the project")
      ->required();
  return {app, [path] { return make_project(*path); }};
}

}  // namespace hilo::tool
