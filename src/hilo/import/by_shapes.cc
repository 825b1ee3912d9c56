// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/by_shapes.h"

#include <memory>
#include <mutex>

#include "hilo/array/array.h"

namespace hilo {
namespace {

constexpr size_t kMaxFunctions = 256;

class ByShapes {
 public:
  explicit ByShapes(std::function<FlatFunction(const std::vector<Shape>&)> make) : make_(std::move(make)) {}

  FlatFunction at(const std::vector<Shape>& shapes) {
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [known, function] : functions_) {
        if (known == shapes) return function;
      }
    }
    FlatFunction function = make_(shapes);
    const std::lock_guard lock(mutex_);
    if (functions_.size() >= kMaxFunctions) functions_.clear();
    functions_.emplace_back(shapes, function);
    return function;
  }

 private:
  const std::function<FlatFunction(const std::vector<Shape>&)> make_;
  std::mutex mutex_;
  std::vector<std::pair<std::vector<Shape>, FlatFunction>> functions_;
};

}  // namespace

FlatFunction by_shapes(std::function<FlatFunction(const std::vector<Shape>&)> make) {
  auto functions = std::make_shared<ByShapes>(std::move(make));
  return [functions](std::span<const Array> x) {
    std::vector<Shape> shapes;
    for (const Array& a : x) shapes.push_back(a.aval_shape());
    return functions->at(shapes)(x);
  };
}

}  // namespace hilo
