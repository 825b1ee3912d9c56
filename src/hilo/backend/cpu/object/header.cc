// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/object/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "hilo/backend/cpu/object/services.h"
#include "hilo/base/text.h"
#include "hilo/version.h"

namespace hilo::cpu {
namespace {

constexpr size_t kLineLength = 100;
constexpr size_t kParameterLimit = 127;  // of a function, that C99 guarantees

// What all objects share. Two headers may be included in one file.
constexpr std::string_view kShared = R"(#ifndef HILO_RT_1
#define HILO_RT_1
/* What a call returns. After another code than HILO_OK the results are unspecified. */
enum {
  HILO_OK = 0,
  HILO_NULL_POINTER = 1,     /* an argument, a result, or an arena of more than 0 bytes is null */
  HILO_MISALIGNED_ARENA = 2, /* the arena isn't aligned to 64 bytes */
  HILO_SMALL_ARENA = 3,      /* hilo_rt.arena_bytes is less than the call needs */
  HILO_WRONG_COUNT = 4,      /* hilo_rt.argument_count or .result_count is another number */
  HILO_OLD_RT = 5,           /* hilo_rt.size is less than sizeof(hilo_rt) */
  HILO_STOPPED = 6,          /* *hilo_rt.stop isn't 0 */
  HILO_OLD_PROCESSOR = 7     /* the object has code for several levels of processors, all higher than this one's */
};

/* What a caller can offer to a call. Fields of 0 offer nothing. */
typedef struct hilo_rt {
  uint32_t size;           /* sizeof(hilo_rt) */
  uint32_t argument_count; /* entries of args, to be compared */
  uint32_t result_count;   /* entries of results, to be compared */
  uint64_t arena_bytes;    /* size of the arena, to be compared */
  /* A call ends soon after *stop isn't 0: each turn of a loop looks at it. */
  const volatile uint32_t* stop;
  /* Calls task(data, i) once for each i from 0 to count - 1, on any threads, and returns when all have returned. */
  void (*parallel)(void* self, void (*task)(void* data, int64_t index), void* data, int64_t count);
  void* self; /* first argument of parallel */
} hilo_rt;
#endif
)";

std::string parameter(const CArray& array, std::string_view access) {
  if (array.extent.empty()) return fmt::format("{}{}* {}", access, array.type, array.name);
  return fmt::format("{}{} {}[{}]", access, array.type, array.name, array.extent);
}

/// Declares the function with a parameter an array. Long lists are cut to lines.
std::string typed_function(const CInterface& interface) {
  std::vector<std::string> parameters;
  for (const CArray& array : interface.arguments) parameters.push_back(parameter(array, "const "));
  for (const CArray& array : interface.results) parameters.push_back(parameter(array, ""));
  parameters.push_back("void* arena");
  std::string text = "int " + interface.name + "(";
  const size_t indent = text.size();
  size_t column = indent;
  for (const std::string& p : parameters) {
    const bool first = column == indent;
    if (!first && column + 2 + p.size() > kLineLength) {
      text += ",\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      text += ", ";
      column += 2;
    }
    text += p;
    column += p.size();
  }
  return text + ");\n";
}

/// Returns a user's text, which may not end the comment that it is in.
std::string in_comment(std::string_view text) {
  std::string shown = printable(text);
  for (size_t at = shown.find("*/"); at != std::string::npos; at = shown.find("*/")) shown.replace(at, 2, "* /");
  std::ranges::replace(shown, '\n', ' ');
  return shown;
}

/// Describes an array in one line of a comment.
std::string described(const CArray& array, size_t name_width, size_t type_width) {
  const std::string path = array.path == array.name ? "" : in_comment(array.path);
  std::string line =
      fmt::format(" *   {:<{}}  {:<{}}  {}", array.name, name_width, array_text(array.shape), type_width, path);
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string all_described(const CInterface& interface) {
  size_t names = 0, types = 0;
  for (const auto* arrays : {&interface.arguments, &interface.results}) {
    for (const CArray& array : *arrays) {
      names = std::max(names, array.name.size());
      types = std::max(types, array_text(array.shape).size());
    }
  }
  std::string text;
  if (!interface.arguments.empty()) text += " * Reads\n";
  for (const CArray& array : interface.arguments) text += described(array, names, types);
  if (!interface.results.empty()) text += " * Writes\n";
  for (const CArray& array : interface.results) text += described(array, names, types);
  return text;
}

/// Says how types that C lacks are stored, if there are any.
std::string storage_notes(const CInterface& interface) {
  bool complex = false, pred = false, bits = false;
  for (const auto* arrays : {&interface.arguments, &interface.results}) {
    for (const CArray& array : *arrays) {
      const ElementType type = array.shape.element_type();
      complex |= is_complex(type);
      pred |= type == ElementType::kPred;
      bits |= is_floating(type) && type != ElementType::kF32 && type != ElementType::kF64;
    }
  }
  std::string text = " * Arrays are row-major: the last index runs fastest.\n";
  if (complex) text += " * Complex numbers are pairs: real part, imaginary part.\n";
  if (pred) text += " * A bool is a byte, 0 or 1.\n";
  if (bits) text += " * Floats narrower than float are their bits.\n";
  return text;
}

/// Enumerators are ints. A larger figure is a macro.
std::string constants(const CInterface& interface, const ObjectFigures& figures) {
  std::string small, large;
  const auto add = [&](const std::string& name, int64_t value, std::string_view comment = "") {
    const std::string whole = interface.prefix + "_" + name;
    const std::string note = comment.empty() ? "" : fmt::format(" /* {} */", comment);
    if (value <= std::numeric_limits<int32_t>::max()) small += fmt::format("  {} = {},{}\n", whole, value, note);
    else large += fmt::format("#define {} INT64_C({})\n", whole, value);
  };
  add("ABI", kObjectAbi);
  add("ARENA_BYTES", figures.arena_bytes, figures.arena_bytes == 0 ? "arena may be null" : "");
  add("ARENA_ALIGN", kArenaAlignment);
  add("STACK_BYTES", figures.stack_bytes, "at most, of a call");
  add("ARGUMENTS", std::ssize(interface.arguments), "pointers in args");
  add("RESULTS", std::ssize(interface.results), "pointers in results");
  for (const auto* arrays : {&interface.arguments, &interface.results}) {
    for (const CArray& array : *arrays) add(ascii_upper(array.name) + "_BYTES", array.shape.byte_size());
  }
  small.replace(small.rfind(','), 1, "");  // C++98 and C90 know no comma at the end
  return "enum {\n" + small + "};\n" + large;
}

}  // namespace

std::string array_text(const Shape& shape) {
  const ElementType type = shape.element_type();
  const int bits = element_type_info(type).bits;
  std::string name(element_type_name(type));
  if (type == ElementType::kPred) name = "bool";
  else if (is_signed_integer(type)) name = fmt::format("int{}", bits);
  else if (is_unsigned_integer(type)) name = fmt::format("uint{}", bits);
  else if (is_complex(type)) name = fmt::format("complex{}", bits);
  else if (type == ElementType::kF16 || type == ElementType::kF32 || type == ElementType::kF64)
    name = fmt::format("float{}", bits);
  else if (type == ElementType::kBf16) name = "bfloat16";
  std::string text = name + "[";
  for (int64_t extent : shape.dimensions()) text += fmt::format("{}{}", text.ends_with('[') ? "" : ",", extent);
  return text + "]";
}

std::string object_header(const CInterface& interface, const ObjectFigures& figures) {
  const std::string guard = "HILO_MODEL_" + interface.prefix + "_H";
  std::string text = fmt::format(
      R"(/* {0}.h -- written by hilo {1}. Link {0}.o{6}, and libm.
 *
 * Code for {2}. A call doesn't allocate memory, take locks or use variables of the thread, and needs
 * {3}_STACK_BYTES of stack at most. Several threads may call at the same time, each with an arena of its own.
 * An arena is {3}_ARENA_BYTES of memory, aligned to {3}_ARENA_ALIGN; its contents don't matter. Arguments,
 * results and arena must not overlap. The processor has to round to nearest, as it does by default. */
#ifndef {4}
#define {4}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

{5}
)",
      interface.name, HILO_VERSION_STRING, target_name(figures.isas), interface.prefix, guard, kShared,
      figures.runtime == ObjectRuntime::kNone ? "" : ", libhilo_rt.a");
  text += constants(interface, figures);
  text += fmt::format("\n/* {}. Returns HILO_OK or another code.\n *\n{} *\n{} */\n", in_comment(figures.program),
                      all_described(interface), storage_notes(interface));
  if (interface.arguments.size() + interface.results.size() < kParameterLimit)
    text += typed_function(interface) +
            "\n/* The same with arrays of pointers, in the order of the parameters. rt may be null. */";
  else
    text +=
        "/* These are more arrays than a C function takes: args and results point to them, in this order. rt may be\n"
        " * null. */";
  text += fmt::format(R"(
int {}_call(const void* const* args, void* const* results, void* arena, const hilo_rt* rt);

#ifdef __cplusplus
}}
#endif

#endif
)",
                      interface.name);
  return text;
}

}  // namespace hilo::cpu
