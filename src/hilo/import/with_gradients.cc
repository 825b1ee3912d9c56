// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/with_gradients.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/transform/grad.h"

namespace hilo {

using Arrays = std::vector<Array>;

FlatFunction with_gradients(FlatFunction program, std::vector<int64_t> arguments) {
  return [program = std::move(program), numbers = std::move(arguments)](std::span<const Array> all) {
    const auto of_selected = [&](const Arrays& selected) {
      Arrays whole(all.begin(), all.end());
      for (size_t k = 0; k < numbers.size(); ++k) whole[static_cast<size_t>(numbers[k])] = selected[k];
      return program(whole);
    };
    Arrays selected;
    for (int64_t number : numbers) selected.push_back(all[static_cast<size_t>(number)]);
    auto [values, pull] = vjp(of_selected, selected);
    Arrays cotangents;
    for (size_t k = 0; k < values.size(); ++k)
      cotangents.push_back(Array::from_literal(filled(values[k].aval_shape(), k == 0 ? 1 : 0)));
    const Arrays gradients = std::get<0>(pull(cotangents));
    values.insert(values.end(), gradients.begin(), gradients.end());
    return values;
  };
}

Status check_gradients(const std::vector<LoadedValue>& inputs, const std::vector<LoadedValue>& outputs,
                       const std::vector<int64_t>& arguments, std::string_view what, std::string_view name) {
  const auto is_real = [](const Shape& shape) { return shape.is_array() && is_floating(shape.element_type()); };
  if (outputs.empty() || !is_real(outputs[0].shape) || outputs[0].shape.rank() != 0)
    return invalid_argument(fmt::format("{}: the first result of {} is {}; wanted a scalar of a float type", what, name,
                                        outputs.empty() ? "missing" : outputs[0].type));
  for (int64_t number : arguments) {
    if (number < 0 || number >= std::ssize(inputs))
      return invalid_argument(fmt::format("{}: argument {} of {} doesn't exist", what, number, std::ssize(inputs)));
    if (std::ranges::count(arguments, number) > 1)
      return invalid_argument(fmt::format("{}: argument {} is named twice", what, number));
    const LoadedValue& input = inputs[static_cast<size_t>(number)];
    if (!is_real(input.shape))
      return invalid_argument(fmt::format("{}: argument {} is {}; wanted a float type", what, number, input.type));
  }
  return ok_status();
}

}  // namespace hilo
