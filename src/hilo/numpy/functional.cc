// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/functional.h"

#include <algorithm>
#include <map>

#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::numpy {
namespace {

using ManyFunction = std::function<std::vector<Array>(const std::vector<Array>&)>;

/// Maps f over the leading axes of `shape`. Each argument has these axes, axes of extent 1, or none.
std::vector<Array> mapped(const ManyFunction& f, const std::vector<Array>& arguments, const std::vector<bool>& whole,
                          const std::vector<int64_t>& core_ranks, const std::vector<int64_t>& shape, size_t depth) {
  if (depth == shape.size()) return f(arguments);
  std::vector<BatchDim> axes;
  std::vector<Array> inner;
  bool any_mapped = false;
  const int64_t left = shape.size() - depth;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int64_t loops = whole[i] ? 0 : arguments[i].ndim() - core_ranks[i];
    const bool has_axis = loops == left;
    const bool is_mapped = has_axis && arguments[i].shape(0) != 1;
    axes.push_back(is_mapped ? BatchDim(0) : std::nullopt);
    any_mapped |= is_mapped;
    inner.push_back(has_axis && !is_mapped ? squeeze(arguments[i], 0) : arguments[i]);
  }
  const auto step = [&](const std::vector<Array>& slices) {
    return mapped(f, slices, whole, core_ranks, shape, depth + 1);
  };
  if (!any_mapped) {
    std::vector<Array> out;
    for (const Array& r : step(inner)) out.push_back(expand_dims(r, 0));
    return out;
  }
  const FlatFunction flat = [&](std::span<const Array> slices) { return step({slices.begin(), slices.end()}); };
  const auto in_front = [](size_t results) { return std::vector<BatchDim>(results, 0); };
  return vmap_flat(flat, inner, axes, in_front, at_user_line("vectorize"));
}

/// Parses the names of the core axes of each argument: "(n,m),(m)->(n)".
std::vector<std::vector<std::string>> core_names(const std::string& signature) {
  const std::string arguments = signature.substr(0, signature.find("->"));
  std::vector<std::vector<std::string>> out;
  size_t at = 0;
  while ((at = arguments.find('(', at)) != std::string::npos) {
    const size_t end = arguments.find(')', at);
    if (end == std::string::npos)
      or_throw(invalid_argument(at_user_line("vectorize") + ": \"" + signature + "\" is no signature"));
    std::vector<std::string> names;
    std::string name;
    for (const char c : arguments.substr(at + 1, end - at - 1) + ",") {
      if (c == ',') {
        if (!name.empty()) names.push_back(name);
        name.clear();
      } else if (c != ' ') {
        name += c;
      }
    }
    out.push_back(names);
    at = end;
  }
  return out;
}

}  // namespace

namespace detail {

std::vector<Array> vectorized(const ManyFunction& f, const std::string& signature, const std::set<int64_t>& excluded,
                              const std::vector<Array>& arguments, const Line& line) {
  const UserLocation here(line);
  std::vector<std::vector<std::string>> names;
  if (!signature.empty()) names = core_names(signature);
  std::vector<bool> whole;
  std::vector<int64_t> core_ranks, shape;
  std::map<std::string, int64_t> extents;
  size_t next = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    whole.push_back(excluded.contains(i));
    core_ranks.push_back(0);
    if (whole[i]) continue;
    if (!signature.empty() && next >= names.size())
      or_throw(
          invalid_argument(at_user_line("vectorize") + ": \"" + signature + "\" has fewer arguments than the call"));
    if (!signature.empty()) core_ranks[i] = std::ssize(names[next]);
    const int64_t loops = arguments[i].ndim() - core_ranks[i];
    if (loops < 0)
      or_throw(invalid_argument(at_user_line("vectorize") + ": argument " + std::to_string(i) +
                                " has fewer axes than \"" + signature + "\" specifies; got " +
                                arguments[i].aval_shape().to_string()));
    shape = broadcast_shapes(shape, arguments[i].shape().first(loops));
    for (int64_t d = 0; d < core_ranks[i]; ++d) {
      const std::string& name = names[next][d];
      const int64_t extent = arguments[i].shape(loops + d);
      if (extents.try_emplace(name, extent).first->second != extent)
        or_throw(invalid_argument(at_user_line("vectorize") + ": inconsistent size for core dimension '" + name +
                                  "': " + std::to_string(extent) + " and " + std::to_string(extents[name])));
    }
    ++next;
  }
  return mapped(f, arguments, whole, core_ranks, shape, 0);
}

Array apply_along_axis(const std::function<Array(const Array&)>& func1d, int64_t axis, const Operand& arr) {
  const UserLocation here(arr.location());
  const int64_t at = normal_axis(arr, axis);
  const Array lines = moveaxis(arr, at, -1);
  const std::vector<int64_t> shape(lines.shape().begin(), lines.shape().end() - 1);
  const auto f = [&](const std::vector<Array>& line) { return std::vector<Array>{func1d(line[0])}; };
  const Array out = mapped(f, {lines}, {false}, {1}, shape, 0)[0];
  std::vector<int64_t> from, to;
  for (int64_t d = shape.size(); d < out.ndim(); ++d) {
    to.push_back(at + std::ssize(from));
    from.push_back(d);
  }
  return moveaxis(out, from, to);
}

Array apply_over_axes(const std::function<Array(const Array&, int64_t)>& func, const Operand& a, const Axes& axes) {
  const UserLocation here(a.location());
  Array x = a.array();
  for (const int64_t axis : normal_axes(x, axes)) {
    const Array reduced = func(x, axis);
    if (reduced.ndim() == x.ndim()) x = reduced;
    else if (reduced.ndim() == x.ndim() - 1) x = expand_dims(reduced, axis);
    else
      or_throw(invalid_argument(at_user_line("apply_over_axes") +
                                ": function is not returning an array of the correct shape; got " +
                                reduced.aval_shape().to_string()));
  }
  return x;
}

Array piecewise(const Operand& x, const std::vector<Array>& condlist,
                const std::vector<std::function<Array(const Array&)>>& funclist) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  const size_t conditions = condlist.size();
  if (funclist.size() != conditions && funclist.size() != conditions + 1)
    or_throw(invalid_argument(at_user_line("piecewise") + ": with " + std::to_string(conditions) +
                              " condition(s), either " + std::to_string(conditions) + " or " +
                              std::to_string(conditions + 1) + " functions are expected; got " +
                              std::to_string(funclist.size())));
  const auto value = [&](size_t i) {
    return broadcast_to(ops::convert_element_type(funclist[i](a), a.dtype()), Shape(a.shape()));
  };
  Array out = funclist.size() > conditions ? value(conditions) : ops::full_like(a, 0);
  // if several conditions are true, the last one wins
  for (size_t i = 0; i < conditions; ++i) out = where(condlist[i], value(i), out);
  return out;
}

}  // namespace detail
Array piecewise(const Operand& x, const std::vector<Array>& condlist, std::initializer_list<Piece> funclist) {
  std::vector<std::function<Array(const Array&)>> functions;
  for (const Piece& piece : funclist) functions.push_back(piece.function());
  return detail::piecewise(x, condlist, functions);
}

}  // namespace hilo::numpy
