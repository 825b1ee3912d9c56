// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/c_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "hilo/base/text.h"

namespace hilo::cpu {
namespace {

// The keywords of C99 and C++20, and the names that a header uses itself.
constexpr std::string_view kReserved =
    " alignas alignof and and_eq arena args asm auto bitand bitor bool break case catch char class co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default "
    "delete do double dynamic_cast else enum explicit export extern false float for friend goto hilo_rt if "
    "inline int int16_t int32_t int64_t int8_t long main mutable namespace new noexcept not not_eq nullptr "
    "operator or or_eq private protected public register reinterpret_cast requires restrict results return rt "
    "short signed sizeof stack static static_assert static_cast struct switch template this thread_local throw "
    "true try typedef typeid typename uint16_t uint32_t uint64_t uint8_t union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq ";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The C type of an element, and how many of it an element has. Types that C lacks are their bits.
struct CType {
  std::string_view name;
  int count = 1;
};

CType c_type(ElementType type) {
  switch (type) {
    case ElementType::kF32: return {"float"};
    case ElementType::kF64: return {"double"};
    case ElementType::kC64: return {"float", 2};
    case ElementType::kC128: return {"double", 2};
    default: break;
  }
  constexpr auto kSigned = std::to_array<std::string_view>({"int8_t", "int16_t", "int32_t", "int64_t"});
  constexpr auto kUnsigned = std::to_array<std::string_view>({"uint8_t", "uint16_t", "uint32_t", "uint64_t"});
  const int bytes = element_size_bytes(type);
  const size_t width = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  return {is_signed_integer(type) ? kSigned[width] : kUnsigned[width]};
}

std::string extent_of(const Shape& shape, int count) {
  if (shape.element_count() == 0) return "";
  std::string text;
  for (int64_t extent : shape.dimensions()) text += fmt::format("{}{}", text.empty() ? "" : " * ", extent);
  if (count == 1) return text.empty() ? "1" : text;
  return text.empty() ? std::to_string(count) : fmt::format("{} * {}", text, count);
}

/// Paths of jax.export begin with "args[0]", "kwargs['t']", and those of results with "result" or nothing: C names are
/// shorter. A number becomes that of the letter.
std::string short_path(std::string_view path, std::string_view letter) {
  for (const std::string_view whole : {"args", "kwargs", "result"}) {
    const std::string_view next = path.substr(std::min(path.size(), whole.size()));
    if (path.starts_with(whole) && (next.empty() || next[0] == '[' || next[0] == '.')) path = next;
  }
  if (path.empty()) return std::string(letter);
  if (path.size() > 1 && path[0] == '[' && is_digit(path[1])) return std::string(letter) + std::string(path.substr(1));
  return std::string(path);
}

/// The names of a function's parameters. Enumerators have them in capitals, so they differ in more than case.
class Names {
 public:
  explicit Names(std::string_view function) { used_.insert(ascii_lower(function)); }

  /// Returns the name, with a number if it is used.
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int k = 2; !is_c_identifier(name) || !used_.insert(ascii_lower(name)).second; ++k)
      name = fmt::format("{}_{}", wanted, k);
    return name;
  }

 private:
  std::set<std::string> used_;
};

StatusOr<std::vector<CArray>> arrays_of(std::span<const Shape> shapes, std::span<const std::string> paths,
                                        std::string_view what, std::string_view letter, Names& names) {
  if (!paths.empty() && paths.size() != shapes.size())
    return invalid_argument(
        fmt::format("writing an object: got {} paths of {}s; wanted {}", paths.size(), what, shapes.size()));
  std::vector<CArray> arrays;
  for (size_t k = 0; k < shapes.size(); ++k) {
    const std::string number = shapes.size() == 1 ? "" : std::to_string(k);
    const std::string path = paths.empty() ? std::string(letter) + number : paths[k];
    const CType type = c_type(shapes[k].element_type());
    const std::string wanted = c_identifier(short_path(path, letter));
    arrays.push_back({names.unique(wanted.empty() ? std::string(letter) + number : wanted), path,
                      std::string(type.name), extent_of(shapes[k], type.count), shapes[k]});
  }
  return arrays;
}

}  // namespace

bool is_c_identifier(std::string_view text) {
  if (text.empty() || is_digit(text[0]) || text[0] == '_' ||
      kReserved.find(fmt::format(" {} ", text)) != std::string_view::npos)
    return false;
  return std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

std::string c_identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c)) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  if (!name.empty() && is_digit(name[0])) name.insert(0, "x");
  return name;
}

StatusOr<CInterface> c_interface(const ProgramSignature& signature, const ObjectOptions& options) {
  if (!is_c_identifier(options.name))
    return invalid_argument(fmt::format(
        "writing an object: the function's name isn't an identifier of C; got {}; wanted letters, digits and '_'",
        quote(options.name)));
  CInterface interface{options.name, ascii_upper(options.name), {}, {}};
  Names names(options.name);
  HILO_ASSIGN_OR_RETURN(interface.arguments,
                        arrays_of(signature.argument_shapes, options.argument_paths, "argument", "x", names));
  HILO_ASSIGN_OR_RETURN(interface.results,
                        arrays_of(signature.result_shapes, options.result_paths, "result", "y", names));
  return interface;
}

}  // namespace hilo::cpu
