// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "hilo/base/files.h"
#include "hilo/base/flags.h"
#include "hilo/base/text.h"
#include "hilo/io/json_scanner.h"

namespace hilo::plugins {
namespace {

using io::JsonScanner;

StatusOr<OptionValue> number_option(JsonScanner& json) {
  HILO_ASSIGN_OR_RETURN(const std::string_view text, json.number());
  if (const std::optional<int64_t> integer = parse_int64(text)) return OptionValue(*integer);
  float real = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), real).ec != std::errc())
    return json.error("the number is too large");
  return OptionValue(real);
}

StatusOr<OptionValue> list_option(JsonScanner& json) {
  std::vector<int64_t> list;
  while (!json.accept(']')) {
    if (!list.empty()) HILO_RETURN_IF_ERROR(json.expect(','));
    HILO_ASSIGN_OR_RETURN(const std::string_view text, json.number());
    const std::optional<int64_t> integer = parse_int64(text);
    if (!integer) return json.error("wanted a list of integers");
    list.push_back(*integer);
  }
  return OptionValue(std::move(list));
}

StatusOr<OptionValue> option(JsonScanner& json) {
  if (json.accept_word("true")) return OptionValue(true);
  if (json.accept_word("false")) return OptionValue(false);
  if (json.accept('[')) return list_option(json);
  if (StatusOr<OptionValue> number = number_option(json); number.ok()) return number;
  HILO_ASSIGN_OR_RETURN(std::string text, json.string());
  return OptionValue(std::move(text));
}

Status read_format(JsonScanner& json, PluginPlatform& platform) {
  HILO_ASSIGN_OR_RETURN(const std::string name, json.string());
  if (name != "hlo" && name != "mlir")
    return json.error(fmt::format("program_format: got {}; wanted hlo or mlir", quote(name)));
  platform.format = name == "hlo" ? ProgramFormat::kHlo : ProgramFormat::kStablehlo;
  return ok_status();
}

Status read_json(std::string_view text, PluginPlatform& platform) {
  JsonScanner json(text);
  HILO_RETURN_IF_ERROR(io::each_key(json, [&](const std::string& key) -> Status {
    if (key == "program_format") return read_format(json, platform);
    if (key == "library_path") {
      HILO_ASSIGN_OR_RETURN(platform.path, json.string());
      return ok_status();
    }
    if (key != "create_options")
      return json.error(fmt::format("got {}; wanted library_path, create_options or program_format", quote(key)));
    return io::each_key(json, [&](const std::string& name) -> Status {
      HILO_ASSIGN_OR_RETURN(OptionValue value, option(json));
      platform.options.emplace_back(name, std::move(value));
      return ok_status();
    });
  }));
  HILO_RETURN_IF_ERROR(json.end());
  return platform.path.empty() ? invalid_argument("library_path is missing") : ok_status();
}

StatusOr<PluginPlatform> platform_of(std::string_view entry) {
  const size_t colon = entry.find(':');
  const std::string_view name = trimmed(entry.substr(0, colon));
  const std::string_view path = colon == std::string_view::npos ? "" : trimmed(entry.substr(colon + 1));
  if (name.empty() || path.empty())
    return invalid_argument(fmt::format("hilo_pjrt_plugins: got {}; wanted name:path", quote(entry)));
  PluginPlatform platform{.name = std::string(name), .path = std::string(path)};
  if (!path.ends_with(".json")) return platform;
  HILO_ASSIGN_OR_RETURN(const std::string text, read_file(std::exchange(platform.path, ""), 1 << 20));
  if (const Status status = read_json(text, platform); !status.ok()) return status.with_context(path);
  return platform;
}

/// "xla_cuda13" -> "CUDA", "libtpu" -> "TPU", "lammps_jax_pjrt_cpu" -> "lammps_jax_pjrt_cpu".
std::string platform_name(const std::string& folder) {
  const std::string lower = ascii_lower(folder);
  if (lower.find("cuda") != std::string::npos) return "CUDA";
  if (lower.find("rocm") != std::string::npos) return "ROCM";
  if (lower.find("tpu") != std::string::npos) return "TPU";
  return folder;
}

bool is_plugin(const std::filesystem::path& path) {
  const std::string file = path.filename().string();
  if (path.extension() != ".so") return false;
  const bool is_of_jax = path.parent_path().parent_path().filename() == "jax_plugins";
  return is_of_jax || file == "libtpu.so" || ascii_lower(file).find("pjrt") != std::string::npos;
}

}  // namespace

StatusOr<std::vector<PluginPlatform>> listed_platforms(std::string_view text) {
  std::vector<PluginPlatform> platforms;
  while (!trimmed(text).empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    HILO_ASSIGN_OR_RETURN(PluginPlatform platform, platform_of(trimmed(text.substr(0, comma))));
    if (std::ranges::any_of(platforms, [&](const PluginPlatform& other) { return other.name == platform.name; }))
      return invalid_argument(fmt::format("hilo_pjrt_plugins: {} is listed twice", quote(platform.name)));
    platforms.push_back(std::move(platform));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return platforms;
}

StatusOr<std::vector<PluginPlatform>> platforms_of_flags() {
  HILO_ASSIGN_OR_RETURN(const std::shared_ptr<const FlagValues> values, flags());
  if (!values->hilo_pjrt_plugins.empty()) return listed_platforms(values->hilo_pjrt_plugins);
  const char* const of_jax = std::getenv("PJRT_NAMES_AND_LIBRARY_PATHS");
  return listed_platforms(of_jax == nullptr ? "" : of_jax);
}

StatusOr<std::vector<FoundPlugin>> find_plugins(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<FoundPlugin> found;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
  if (error) return errno_status(error.value(), folder);
  for (; it != end && !error; it.increment(error)) {
    if (it->is_regular_file(error) && is_plugin(it->path()))
      found.push_back({platform_name(it->path().parent_path().filename().string()), it->path().string()});
  }
  if (error) return errno_status(error.value(), folder);
  std::ranges::sort(found, {}, &FoundPlugin::path);
  return found;
}

}  // namespace hilo::plugins
