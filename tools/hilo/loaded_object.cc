// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/loaded_object.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "hilo/base/files.h"
#include "hilo/base/floating_point.h"
#include "hilo/client/object_under_flags.h"

namespace hilo::tool {
namespace {

constexpr size_t kAlignment = 64;  // of an arena

/// A folder that is removed with its files.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "hilo_object_XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Returns the number after `key` in a manifest.
size_t number_after(std::string_view manifest, std::string_view key) {
  size_t number = 0;
  const size_t at = manifest.find(key);
  if (at != std::string_view::npos)
    std::from_chars(manifest.data() + at + key.size(), manifest.data() + manifest.size(), number);
  return number;
}

/// Quotes an argument of a shell's command.
std::string in_quotes(std::string_view argument) {
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

StatusOr<LoadedObject> LoadedObject::link(const hlo::Module& module, const ObjectOptions& options,
                                          std::span<const std::string> libraries) {
  HILO_ASSIGN_OR_RETURN(const ObjectFiles files, object_under_flags(module, options));
  const Folder folder;
  if (folder.path().empty()) return unavailable("a folder for the object can't be created");
  const std::string path = folder.path() + "/program", messages = folder.path() + "/messages";
  HILO_RETURN_IF_ERROR(write_object_files(files, path));
  std::string command = fmt::format("cc -shared -Wl,-z,defs {} -o {}", in_quotes(path + ".o"), in_quotes(path + ".so"));
  for (const std::string& library : libraries) command += " " + in_quotes(library);
  command += " -lm > " + in_quotes(messages) + " 2>&1";
  if (std::system(command.c_str()) != 0) {  // NOLINT(cert-env33-c): a tool for developers, which needs a C compiler
    const StatusOr<std::string> text = read_file(messages);
    return failed_precondition(fmt::format("linking the object: {}", text.ok() ? *text : command));
  }
  LoadedObject object;
  object.library_.reset(::dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL), [](void* library) {
    if (library != nullptr) ::dlclose(library);
  });
  if (object.library_ == nullptr) return failed_precondition(fmt::format("loading the object: {}", ::dlerror()));
  object.function_ = reinterpret_cast<Function*>(::dlsym(object.library_.get(), (options.name + "_call").c_str()));
  if (object.function_ == nullptr) return internal_error("the object has no generic function");
  object.arena_bytes_ = number_after(files.manifest, R"("arena": {"bytes": )");
  return object;
}

StatusOr<std::vector<Literal>> LoadedObject::call(std::span<const Literal> arguments,
                                                  std::span<const Shape> results) const {
  std::vector<const void*> inputs;
  for (const Literal& argument : arguments) inputs.push_back(argument.bytes().data());
  std::vector<Literal> literals;
  for (const Shape& shape : results) {
    HILO_ASSIGN_OR_RETURN(literals.emplace_back(), Literal::make(shape));
  }
  std::vector<void*> outputs;
  for (Literal& literal : literals) outputs.push_back(literal.mutable_bytes().data());
  static std::byte empty;  // a call accepts no null pointer, for arrays without elements either
  for (const void*& input : inputs) input = input == nullptr ? &empty : input;
  for (void*& output : outputs) output = output == nullptr ? &empty : output;
  std::vector<std::byte> memory(arena_bytes_ + kAlignment);
  void* arena = memory.data();
  size_t space = memory.size();
  std::align(kAlignment, arena_bytes_, arena, space);
  const FloatingPointScope mode(program_underflow());
  const int code = function_(inputs.data(), outputs.data(), arena, nullptr);
  if (code != 0) return internal_error(fmt::format("the object's function returned {}", code));
  return literals;
}

}  // namespace hilo::tool
