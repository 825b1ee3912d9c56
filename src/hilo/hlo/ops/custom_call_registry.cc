// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/custom_call_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>

#include "hilo/base/text.h"

namespace hilo {
namespace {

constexpr std::string_view kLapack = "lapack_";

/// JAX's dce_sink: its operands are computed, and then nothing.
Status keep_operands(const CustomCallFrame& frame) {
  if (frame.results.empty()) return ok_status();
  return invalid_argument(
      fmt::format("custom call {}: got {} results; wanted none", quote(frame.target), frame.results.size()));
}

struct Registry {
  std::shared_mutex mutex;
  std::map<std::string, std::shared_ptr<const CustomCallHandler>, std::less<>> handlers = {
      {"dce_sink", std::make_shared<const CustomCallHandler>(keep_operands)}};
  std::set<std::string, std::less<>> of_this_process;
};

// Never destroyed, because programs may still run while the process ends.
Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

}  // namespace

int64_t CustomCallBuffer::element_count() const {
  int64_t count = 1;
  for (int64_t size : dimensions) count *= size;
  return count;
}

const CustomCallAttribute* CustomCallFrame::find(std::string_view name) const {
  const auto it = std::ranges::find(attributes, name, &CustomCallAttribute::name);
  return it == attributes.end() ? nullptr : &*it;
}

Status CustomCallFrame::check_scalar(const CustomCallAttribute* found, std::string_view name,
                                     ElementType expected) const {
  if (found == nullptr) return invalid_argument(fmt::format("{}: attribute {} is missing", quote(target), quote(name)));
  if (found->kind == CustomCallAttribute::Kind::kScalar && found->type == expected) return ok_status();
  return invalid_argument(fmt::format("{}: attribute {} is not a scalar of type {}", quote(target), quote(name),
                                      element_type_name(expected)));
}

namespace {

Status check_registration(std::string_view target, const CustomCallHandler& handler) {
  if (!target.empty() && handler) return ok_status();
  return invalid_argument(fmt::format("custom call {}: wanted a name and a handler", quote(target)));
}

}  // namespace

Status register_custom_call(std::string_view target, CustomCallHandler handler, CustomCallMeaning meaning) {
  HILO_RETURN_IF_ERROR(check_registration(target, handler));
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  auto owned = std::make_shared<const CustomCallHandler>(std::move(handler));
  if (!r.handlers.emplace(std::string(target), std::move(owned)).second)
    return already_exists(fmt::format("custom call {}: the target is registered already", quote(target)));
  if (meaning == CustomCallMeaning::kInThisProcess) r.of_this_process.emplace(target);
  return ok_status();
}

Status replace_custom_call(std::string_view target, CustomCallHandler handler) {
  HILO_RETURN_IF_ERROR(check_registration(target, handler));
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  r.handlers[std::string(target)] = std::make_shared<const CustomCallHandler>(std::move(handler));
  return ok_status();
}

bool means_this_process(std::string_view target) {
  Registry& r = registry();
  std::shared_lock lock(r.mutex);
  return r.of_this_process.contains(target);
}

StatusOr<std::shared_ptr<const CustomCallHandler>> find_custom_call(std::string_view target) {
  Registry& r = registry();
  {
    std::shared_lock lock(r.mutex);
    const auto it = r.handlers.find(target);
    if (it != r.handlers.end()) return it->second;
  }
  if (target.find("python") != std::string_view::npos || target.find("py_client") != std::string_view::npos) {
    return unimplemented(
        fmt::format("custom call {} is a callback into the Python process that created the program", quote(target)));
  }
  const std::vector<std::string> targets = custom_call_targets();
  const std::vector<std::string_view> names(targets.begin(), targets.end());
  // The dozens of LAPACK targets would hide the others.
  std::vector<std::string_view> shown;
  const bool lapack = target.starts_with(kLapack);
  for (std::string_view name : names) {
    if (lapack == name.starts_with(kLapack)) shown.push_back(name);
  }
  if (!lapack) shown.insert(shown.begin(), "lapack_*_ffi");
  return not_found(fmt::format("no handler for custom call {}; registered: {}.{}", quote(target), join(shown, ", "),
                               did_you_mean(target, names)));
}

std::vector<std::string> custom_call_targets() {
  Registry& r = registry();
  std::shared_lock lock(r.mutex);
  std::vector<std::string> targets;
  for (const auto& [name, handler] : r.handlers) targets.push_back(name);
  return targets;
}

}  // namespace hilo
